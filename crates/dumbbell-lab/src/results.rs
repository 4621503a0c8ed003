//! The results of a study as one document: see the contract of `run --json`.
use crate::stats::combine;
use crate::study::Study;
use serde_json::{Map, Value, json};

/// The document. One point stands at the top, several stand in `points`.
pub fn assemble(study: &Study, outcomes: Vec<Value>, wall_s: f64) -> Value {
    let mut outcomes = outcomes.into_iter();
    let mut points: Vec<Map<String, Value>> = Vec::with_capacity(study.points.len());
    for ready in &study.points {
        let runs: Vec<Value> = outcomes.by_ref().take(ready.seeds.len()).collect();
        let (duration, warmup) = ready.window();
        let mut point = point(runs);
        point.insert("duration_s".into(), duration.into());
        point.insert("warmup_s".into(), warmup.into());
        points.push(point);
    }
    let valid = points.iter().all(|p| p["valid"] == true);
    let mut out = Map::new();
    out.insert("name".into(), json!(study.name));
    out.insert("title".into(), json!(study.title));
    out.insert("version".into(), json!(env!("CARGO_PKG_VERSION")));
    if study.swept {
        let prints: Vec<&Value> = points.iter().map(|p| &p["fingerprint"]).collect();
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
    out.insert("code".into(), json!(if valid { 0 } else { crate::problem::code::INVALID }));
    out.insert("notes".into(), json!(study.notes));
    Value::Object(out)
}

/// One point: its run, or what its runs have in common, with each of them in `runs`.
fn point(mut runs: Vec<Value>) -> Map<String, Value> {
    for run in &mut runs {
        if let Some(map) = run.as_object_mut() {
            map.shift_remove("point");
        }
    }
    if let [Value::Object(_)] = runs[..] {
        let Some(Value::Object(only)) = runs.pop() else { return Map::new() };
        return only;
    }
    let all: Vec<&Value> = runs.iter().collect();
    let part = |key: &str| combine(&all.iter().map(|r| &r[key]).collect::<Vec<_>>());
    let prints: Vec<&Value> = all.iter().map(|r| &r["fingerprint"]).collect();
    let wall: f64 = all.iter().filter_map(|r| r["wall_s"].as_f64()).sum();
    let mut out = Map::new();
    out.insert("seeds".into(), all.iter().map(|r| r["seed"].clone()).collect());
    out.insert("fingerprint".into(), json!(joint_print(&prints)));
    out.insert("valid".into(), json!(all.iter().all(|r| r["valid"] == true)));
    out.insert("wall_s".into(), json!(wall));
    for key in ["packet_hops", "events", "flows", "queues", "conservation"] {
        out.insert(key.into(), part(key));
    }
    out["conservation"]["faults"] = faults(&all);
    out.insert("runs".into(), Value::Array(runs));
    out
}

/// What does not close, and in which run.
fn faults(runs: &[&Value]) -> Value {
    let of_run = |r: &&Value| {
        let seed = r["seed"].clone();
        let list = r["conservation"]["faults"].as_array().cloned().unwrap_or_default();
        list.into_iter().map(move |f| Value::from(format!("seed {seed}: {}", f.as_str().unwrap_or_default())))
    };
    runs.iter().flat_map(of_run).collect()
}

/// One fingerprint of several, in their order.
fn joint_print(prints: &[&Value]) -> String {
    let words: Vec<&str> = prints.iter().filter_map(|p| p.as_str()).collect();
    blake3::hash(words.join(" ").as_bytes()).to_hex()[..16].to_string()
}
