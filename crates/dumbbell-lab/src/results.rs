//! The results of a study as one document: see the contract of `run --json`.
pub mod manifest;
pub(crate) mod output_dir;
pub(crate) mod read_records;
pub(crate) mod records;
pub(crate) mod row_order;
pub(crate) mod run_output;
pub(crate) mod schema;
pub(crate) mod series;
pub mod stats;
pub(crate) mod stop;
use crate::language::problem::code;
use crate::resolve::study::Study;
use crate::results::stats::combine;
use crate::results::stop::Evaluate;
use serde_json::{Map, Value, json};

/// The document. One point stands at the top, several stand in `points`.
pub fn assemble(study: &Study, runs: Vec<Vec<Value>>, wall_s: f64) -> Value {
    let failures = failures(study, &runs);
    let mut points: Vec<Map<String, Value>> = Vec::with_capacity(study.points.len());
    for (ready, runs) in study.points.iter().zip(runs) {
        let stopped = ready.stop.as_ref().map(|rule| rule.report(&runs, ready.seeds.len()));
        let mut point = match &ready.wrong {
            Some(error) => wrong(error),
            None => point(runs, ready.stop.is_some()),
        };
        if ready.wrong.is_none() {
            let (duration, warmup) = ready.window();
            // A run of programs has said itself how long it was.
            point.entry("duration_s").or_insert(duration.into());
            point.insert("warmup_s".into(), warmup.into());
        }
        point.extend(stopped.map(|stopped| ("stop".to_string(), stopped)));
        points.push(point);
    }
    let valid = points.iter().all(|p| p["valid"] == true);
    let lawful = !failures.is_empty() && failures.iter().all(|f| f["code"] != code::INVALID);
    let code = if lawful { code::FAILURE } else { code::INVALID };
    let mut out = Map::new();
    out.insert("name".into(), json!(study.name));
    out.insert("title".into(), json!(study.title));
    out.insert("version".into(), json!(env!("CARGO_PKG_VERSION")));
    if study.swept {
        // A point of which every run failed has none.
        let prints: Vec<&Value> = points.iter().filter_map(|p| p.get("fingerprint")).collect();
        out.insert("fingerprint".into(), json!(joint_print(&prints)));
        out.insert("valid".into(), json!(valid));
        out.insert("wall_s".into(), json!(wall_s));
        let labelled = study.points.iter().zip(points).map(|(ready, mut p)| {
            p.shift_insert(0, "overrides".into(), json!(ready.overrides));
            Value::Object(p)
        });
        out.insert("points".into(), labelled.collect());
    } else if let Some(point) = points.pop() {
        out.extend(point);
        out.insert("wall_s".into(), json!(wall_s));
    }
    if !failures.is_empty() {
        out.insert("failures".into(), failures.into());
    }
    out.insert("code".into(), json!(if valid { 0 } else { code }));
    out.insert("notes".into(), json!(study.notes));
    let warnings = study.warnings();
    if !warnings.is_empty() {
        out.insert("warnings".into(), warnings.into());
    }
    Value::Object(out)
}

/// Returns the failures of all points:
/// `{"point" (from 1), "overrides", "seed", "code", "message"}`.
fn failures(study: &Study, runs: &[Vec<Value>]) -> Vec<Value> {
    let mut out = Vec::new();
    for (i, (ready, runs)) in study.points.iter().zip(runs).enumerate() {
        let mut add = |seed: &Value, error: &Value| {
            out.push(json!({
                "point": i + 1, "overrides": ready.overrides, "seed": seed,
                "code": error["code"], "message": error["message"],
            }));
        };
        ready.wrong.iter().for_each(|error| add(&Value::Null, error));
        runs.iter()
            .filter(|run| !run["error"].is_null())
            .for_each(|run| add(&run["seed"], &run["error"]));
    }
    out
}

/// A point that cannot be run.
fn wrong(error: &Value) -> Map<String, Value> {
    let rows = [
        ("fingerprint", json!("")),
        ("valid", json!(false)),
        ("error", error.clone()),
        ("runs", json!([])),
    ];
    rows.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

/// One point: its run, or what its runs have in common, with each of them in `runs`. Means are of
/// the runs that have results.
fn point(mut runs: Vec<Value>, several: bool) -> Map<String, Value> {
    if let ([Value::Object(_)], false) = (&runs[..], several) {
        let Some(Value::Object(only)) = runs.pop() else { return Map::new() };
        return only;
    }
    let all: Vec<&Value> = runs.iter().filter(|run| run.get("flows").is_some()).collect();
    let Some(_) = all.first() else {
        let mut out = wrong(&runs.first().map_or(Value::Null, |run| run["error"].clone()));
        out.insert("runs".into(), Value::Array(runs));
        return out;
    };
    let part = |key: &str| combine(&all.iter().map(|r| &r[key]).collect::<Vec<_>>());
    let prints: Vec<&Value> = all.iter().map(|r| &r["fingerprint"]).collect();
    let wall: f64 = all.iter().filter_map(|r| r["wall_s"].as_f64()).sum();
    let mut out = Map::new();
    out.insert("seeds".into(), all.iter().map(|r| r["seed"].clone()).collect());
    out.insert("fingerprint".into(), json!(joint_print(&prints)));
    out.insert("valid".into(), json!(runs.iter().all(|r| r["valid"] == true)));
    out.insert("wall_s".into(), json!(wall));
    for key in ["packet_hops", "events", "flows", "jain", "totals", "queues", "conservation"] {
        out.insert(key.into(), part(key));
    }
    for key in ["markers", "hosts", "shared_buffers", "sessions"] {
        if all.iter().any(|run| run.get(key).is_some()) {
            out.insert(key.into(), part(key));
        }
    }
    out["conservation"]["faults"] = faults(&all);
    out.insert("runs".into(), Value::Array(runs));
    out
}

/// Returns the violations of conservation, each with the seed of its run.
fn faults(runs: &[&Value]) -> Value {
    let of_run = |r: &&Value| {
        let seed = r["seed"].clone();
        let list = r["conservation"]["faults"].as_array().cloned().unwrap_or_default();
        list.into_iter()
            .map(move |f| Value::from(format!("seed {seed}: {}", f.as_str().unwrap_or_default())))
    };
    runs.iter().flat_map(of_run).collect()
}

/// One fingerprint of several, in their order.
fn joint_print(prints: &[&Value]) -> String {
    let words: Vec<&str> = prints.iter().filter_map(|p| p.as_str()).collect();
    blake3::hash(words.join(" ").as_bytes()).to_hex()[..16].to_string()
}
