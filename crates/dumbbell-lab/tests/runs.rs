//! Running, recording, and what becomes of a run that cannot go on.
mod common;

use common::{RED, request};
use dumbbell_lab::api;
use dumbbell_lab::api::Progress;
use dumbbell_lab::language::problem::code;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row, RowAccessor};
use serde_json::{Value, json};
use std::cell::Cell;
use std::fs::File;
use std::path::{Path, PathBuf};

fn run(request: &Value) -> Value {
    api::run(request, &|_| true).unwrap_or_else(|p| panic!("{}", p.rendered))
}

fn recorded(out: &Path) -> Value {
    let mut r = request(RED, &["record={every=\"10 ms\", drops=true}"]);
    r["out"] = json!(out);
    r
}

fn files(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Two ways through full queues: CAE's estimate and backoffs are columns of the series, null for a
/// flow without them, and each backoff is a reaction.
#[test]
fn what_a_control_sees_is_recorded() {
    const TWO_WAYS: &str = r#"duration = "10 s"
profile = "ns2"
record = { every = "10 ms", drops = true }
tcp = { clock = "0 s" }
[dumbbell]
bottleneck = { rate = "5 Mbps", delay = "10 ms" }
[queue]
kind = "drop_tail"
limit = "20 pkt"
[[flow]]
name = "there"
cc = "cae"
[[flow]]
name = "back"
direction = "reverse"
start = "2 s"
"#;
    let dir = tempfile::tempdir().unwrap();
    let mut request = request(TWO_WAYS, &[]);
    request["out"] = json!(dir.path());
    run(&request);
    let rows = |name: &str| -> Vec<Row> {
        let file = SerializedFileReader::new(File::open(dir.path().join(name)).unwrap()).unwrap();
        file.get_row_iter(None).unwrap().map(Result::unwrap).collect()
    };
    let get =
        |row: &Row, name: &str| row.get_column_iter().find(|c| c.0 == name).unwrap().1.clone();
    let series = rows("flows.parquet");
    let of = |name: &str, column: &str| -> Vec<Field> {
        let mine = |r: &&Row| get(r, "flow") == Field::Str(name.into());
        series.iter().filter(mine).map(|r| get(r, column)).collect()
    };
    assert!(of("back", "cc_estimate").iter().all(|v| *v == Field::Null));
    let (estimates, backoffs) = (of("there", "cc_estimate"), of("there", "cc_backoffs"));
    let (Field::Double(alone), none) = (&estimates[190], &backoffs[190]) else {
        panic!("{estimates:?}")
    };
    // Timestamps have units of 16.384 ns.
    assert!((alone - 1.0).abs() < 1e-4 && *none == Field::Double(0.0), "{alone} {none}");
    let Some(Field::Double(backoffs)) = backoffs.last() else { panic!("{backoffs:?}") };
    let seen = rows("reactions.parquet")
        .iter()
        .filter(|r| get(r, "cause") == Field::Str("rto_backed_off".into()))
        .count();
    assert!(
        *backoffs > 10.0 && seen as f64 <= *backoffs && seen as f64 > 0.9 * backoffs,
        "{backoffs} \
        {seen}"
    );
}

#[test]
fn one_run_says_what_the_contract_promises() {
    let r = run(&request(RED, &["flow.0.count=2"]));
    for key in [
        "fingerprint",
        "valid",
        "duration_s",
        "wall_s",
        "packet_hops",
        "flows",
        "queues",
        "conservation",
    ] {
        assert!(!r[key].is_null(), "{key}");
    }
    let flow_keys = [
        "name",
        "cc",
        "goodput_bps",
        "throughput_bps",
        "share",
        "sent_packets",
        "delivered_packets",
        "lost_packets",
        "retransmits",
        "rtos",
        "marks",
        "srtt_mean_s",
        "cwnd_mean_packets",
    ];
    flow_keys.iter().for_each(|k| assert!(!r["flows"][0][k].is_null(), "{k}"));
    let queue_keys = [
        "name",
        "kind",
        "mean_packets",
        "max_packets",
        "mean_sojourn_s",
        "p99_sojourn_s",
        "arrivals",
        "departures",
        "drops",
        "marks",
        "utilization",
    ];
    queue_keys.iter().for_each(|k| assert!(!r["queues"][0][k].is_null(), "{k}"));
    assert_eq!(
        (&r["valid"], &r["conservation"]["ok"], &r["code"]),
        (&json!(true), &json!(true), &json!(0))
    );
    let print = r["fingerprint"].as_str().unwrap();
    assert!(print.len() == 16 && print.chars().all(|c| c.is_ascii_hexdigit()));
    let share: f64 =
        r["flows"].as_array().unwrap().iter().map(|f| f["share"].as_f64().unwrap()).sum();
    assert!((share - 1.0).abs() < 1e-12);
    // Goodput is below the link's rate times payload over packet, and two flows of NewReno fill
    // most of it.
    let goodput: f64 =
        r["flows"].as_array().unwrap().iter().map(|f| f["goodput_bps"].as_f64().unwrap()).sum();
    assert!(goodput < 10e6 * 1448.0 / 1500.0 && goodput > 7e6, "{goodput}");
}

#[test]
fn replications_become_intervals_and_stay_for_others() {
    let mut r = request(RED, &["flow.0.start_spread=100 ms"]);
    r["replications"] = json!(3);
    r["seed"] = json!(10);
    let all = run(&r);
    assert_eq!(all["seeds"], json!([10, 11, 12]));
    let single = |i: usize| all["runs"][i]["flows"][0]["goodput_bps"].as_f64().unwrap();
    let mean = (single(0) + single(1) + single(2)) / 3.0;
    let g = &all["flows"][0]["goodput_bps"];
    assert!((g["mean"].as_f64().unwrap() - mean).abs() < 1e-6 && g["n"] == 3);
    let half = g["ci95"][1].as_f64().unwrap() - mean;
    let s = ((0..3).map(|i| (single(i) - mean) * (single(i) - mean)).sum::<f64>() / 2.0).sqrt();
    assert!((half - 4.302_652_729_911_275 * s / 3f64.sqrt()).abs() < 1e-3);
    assert_eq!(
        (&all["flows"][0]["name"], &all["flows"][0]["cc"]),
        (&json!("s"), &json!("newreno"))
    );
    // A run of its own is the same run.
    let mut own = request(RED, &["flow.0.start_spread=100 ms"]);
    own["seed"] = json!(11);
    assert_eq!(run(&own)["fingerprint"], all["runs"][1]["fingerprint"]);
    assert_ne!(all["runs"][0]["fingerprint"], all["runs"][1]["fingerprint"]);
}

#[test]
fn threads_folding_and_audit_change_nothing() {
    let sweep = "sweep.grid={\"queue.kind\"=[\"drop_tail\", \"red\"], \"queue.limit\"=[\"20 pkt\", \
        \"40 pkt\"]}";
    let with = |threads: usize, fold: bool, audit: bool| {
        let mut r = request(RED, &[sweep, "replications=2", "duration=4 s"]);
        (r["threads"], r["fold"], r["audit"]) = (json!(threads), json!(fold), json!(audit));
        let all = run(&r);
        assert_eq!(all["points"].as_array().unwrap().len(), 4);
        (all["fingerprint"].clone(), all["points"][3]["queues"][0]["mean_packets"].clone())
    };
    let one = with(1, true, false);
    assert_eq!(one, with(3, true, true));
    assert_eq!(one, with(2, false, false));
}

#[test]
fn points_are_labelled() {
    let sweep = "sweep.grid={\"queue.kind\"=[\"drop_tail\", \"red\"]}";
    let all = run(&request(RED, &[sweep, "duration=3 s"]));
    assert_eq!(all["points"][1]["overrides"], json!({ "queue.kind": "red" }));
    assert_eq!(all["points"][0]["queues"][0]["kind"], "drop_tail");
    assert_eq!(all["notes"].as_array().unwrap().len(), 2);
}

#[test]
fn records_have_units_and_say_where_they_come_from() {
    let dir = tempfile::tempdir().unwrap();
    let result = run(&recorded(dir.path()));
    assert_eq!(
        files(dir.path()),
        [
            "flows.parquet",
            "queues.parquet",
            "reactions.parquet",
            "scenario.toml",
            "signals.parquet",
            "summary.json"
        ]
    );
    let open =
        |name: &str| SerializedFileReader::new(File::open(dir.path().join(name)).unwrap()).unwrap();
    let flows = open("flows.parquet");
    let meta = flows.metadata().file_metadata();
    let value = |key: &str| {
        meta.key_value_metadata()
            .unwrap()
            .iter()
            .find(|k| k.key == key)
            .unwrap()
            .value
            .clone()
            .unwrap()
    };
    assert_eq!(value("dumbbell.fingerprint"), result["fingerprint"].as_str().unwrap());
    assert_eq!(
        (value("dumbbell.seed"), value("dumbbell.scenario")),
        ("1".into(), "scenario".into())
    );
    // A row each 10 ms of 10 s, zero included.
    assert!((1000..=1001).contains(&meta.num_rows()), "{}", meta.num_rows());
    let columns: Vec<&str> = meta.schema_descr().columns().iter().map(|c| c.name()).collect();
    assert_eq!(columns[..4], ["time_s", "flow", "cwnd_bytes", "cwnd_packets"]);
    // Delivered bytes after the warm-up are the summary's goodput.
    let rows: Vec<_> = flows.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    let delivered = |t: f64| {
        let row = rows.iter().find(|r| (r.get_double(0).unwrap() - t).abs() < 1e-9).unwrap();
        row.get_ulong(columns.iter().position(|c| *c == "delivered_bytes").unwrap()).unwrap() as f64
    };
    let (from, to) = (delivered(1.0), delivered(9.99));
    let goodput = result["flows"][0]["goodput_bps"].as_f64().unwrap() * 9.0 / 8.0;
    assert!((to - from - goodput).abs() < 10e6 / 8.0 * 0.02, "{} {goodput}", to - from);
    // Each drop of the bottleneck after the warm-up is a row, with RED's average.
    let signals = open("signals.parquet");
    let names: Vec<String> = signals
        .metadata()
        .file_metadata()
        .schema_descr()
        .columns()
        .iter()
        .map(|c| c.name().to_string())
        .collect();
    assert!(names.contains(&"avg".to_string()) && names.contains(&"queue_packets".to_string()));
    let late = signals
        .get_row_iter(None)
        .unwrap()
        .filter(|r| r.as_ref().unwrap().get_double(0).unwrap() >= 1.0);
    let drops = result["queues"][0]["drops"]
        .as_object()
        .unwrap()
        .values()
        .map(|v| v.as_u64().unwrap())
        .sum::<u64>();
    assert_eq!(late.count() as u64, drops);
    assert!(drops > 0);
}

/// Every packet of the flows that are named, from socket to socket, and what became of it.
#[test]
fn packets_are_followed_when_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let sack = ["duration=10 s", "flow.0.cc=sack"];
    let mut wanted = request(RED, &sack);
    (wanted["out"], wanted["record"]) = (json!(dir.path()), json!({ "packets": true }));
    let result = run(&wanted);
    assert_eq!(
        result["fingerprint"],
        run(&request(RED, &sack))["fingerprint"],
        "looking changes \
        nothing"
    );
    let rows = |name: &str| {
        let file = SerializedFileReader::new(File::open(dir.path().join(name)).unwrap()).unwrap();
        let json = |row: &Row| {
            let field = |(name, f): (&String, &Field)| {
                let value = match f {
                    Field::ULong(n) => json!(n),
                    Field::Str(s) => json!(s),
                    Field::Bool(b) => json!(b),
                    _ => Value::Null,
                };
                (name.clone(), value)
            };
            Value::Object(row.get_column_iter().map(field).collect())
        };
        file.get_row_iter(None).unwrap().map(|r| json(&r.unwrap())).collect::<Vec<Value>>()
    };
    let (packets, hops) = (rows("packets.parquet"), rows("hops.parquet"));
    let ended = |key: &str| packets.iter().filter(|p| !p[key].is_null()).count() as u64;
    let whole = &result["conservation"];
    assert_eq!(json!(packets.len()), whole["sent"]);
    assert_eq!(
        (json!(ended("delivered_ps")), json!(ended("dropped_ps"))),
        (whole["delivered"].clone(), whole["dropped"].clone())
    );
    // The second segment of a flow that follows a drop says SACK; a SYN says what it can do.
    let options: Vec<&str> = packets.iter().filter_map(|p| p["options"].as_str()).collect();
    assert!(
        options.iter().any(|o| o.starts_with("mss 1460,sackOK,TS,wscale"))
            && options.iter().any(|o| o.starts_with("sack "))
    );
    // Journeys are in order: sent, at the first link, through it, delivered.
    let first = hops.iter().find(|h| h["packet"] == 1 && h["from"] == "sender").unwrap();
    let sent = packets.iter().find(|p| p["packet"] == 1 && p["from"] == "sender").unwrap();
    let at = |v: &Value| v.as_u64().unwrap();
    assert!(
        at(&sent["sent_ps"]) <= at(&first["arrived_ps"])
            && at(&first["arrived_ps"]) < at(&first["departed_ps"])
    );
    assert!(at(&first["far_end_ps"]) < at(&sent["delivered_ps"]));

    wanted["record"] = json!({ "packets": ["nobody"] });
    let problem = api::run(&wanted, &|_| true).unwrap_err();
    assert!(problem.rendered.contains("there is no flow named `nobody`"), "{}", problem.rendered);
}

#[test]
fn the_written_scenario_is_the_same_study() {
    let dir = tempfile::tempdir().unwrap();
    let mut first = recorded(dir.path());
    first["seed"] = json!(4);
    let result = run(&first);
    let again = run(&json!({ "source": { "path": dir.path().join("scenario.toml") } }));
    assert_eq!(again["fingerprint"], result["fingerprint"]);
    let summary: Value =
        serde_json::from_slice(&std::fs::read(dir.path().join("summary.json")).unwrap()).unwrap();
    assert_eq!(
        (&summary["fingerprint"], &summary["scenario"]["seed"]),
        (&result["fingerprint"], &json!(4))
    );
    assert_eq!(summary["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn points_and_seeds_have_directories() {
    let dir = tempfile::tempdir().unwrap();
    let mut r = request(
        RED,
        &[
            "sweep.grid={seed=[1, 9]}",
            "replications=2",
            "duration=2 s",
            "record.every=\"100 \
            ms\"",
        ],
    );
    r["out"] = json!(dir.path());
    let result = run(&r);
    let expected = ["point-1/seed-1", "point-1/seed-2", "point-2/seed-9", "point-2/seed-10"];
    let all: Vec<String> = expected
        .iter()
        .flat_map(|d| ["flows", "queues"].map(|f| format!("{d}/{f}.parquet")))
        .collect();
    assert_eq!(result["files"], json!(all));
    assert!(all.iter().all(|f| dir.path().join(f).is_file()));
}

#[test]
fn an_interrupted_run_leaves_earlier_results_as_they_were() {
    let dir = tempfile::tempdir().unwrap();
    run(&recorded(dir.path()));
    let content = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    let (names, summary, flows) =
        (files(dir.path()), content("summary.json"), content("flows.parquet"));
    let mut long = recorded(dir.path());
    long["overrides"] = json!(["duration=100000 s"]);
    let asked = Cell::new(0);
    let stop = |p: Progress| {
        assert_eq!((p.runs, p.finished), (1, 0));
        asked.set(asked.get() + 1);
        asked.get() < 3
    };
    let problem = api::run(&long, &stop).unwrap_err();
    assert_eq!(problem.code, code::INTERRUPTED);
    // A directory that was not there is gone again.
    long["out"] = json!(dir.path().join("new"));
    assert_eq!(api::run(&long, &|_| false).unwrap_err().code, code::INTERRUPTED);
    assert_eq!(
        (names, summary, flows),
        (files(dir.path()), content("summary.json"), content("flows.parquet"))
    );
}

#[test]
fn stale_records_go() {
    let dir = tempfile::tempdir().unwrap();
    run(&recorded(dir.path()));
    let mut r = request(RED, &["duration=2 s"]);
    r["out"] = json!(dir.path());
    run(&r);
    assert_eq!(files(dir.path()), ["scenario.toml", "summary.json"]);
}

#[test]
fn what_a_killed_run_left_is_cleared_away_and_what_a_living_one_grows_stays() {
    let dir = tempfile::tempdir().unwrap();
    let grows = |name: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("flows.parquet"), "half").unwrap();
        (File::create(path.join("lock")).unwrap(), path)
    };
    let (dead, killed) = grows(".growing-killed");
    drop(dead);
    let (alive, growing) = grows(".growing-alive");
    alive.lock().unwrap();
    run(&recorded(dir.path()));
    assert!(!killed.exists());
    assert!(growing.join("flows.parquet").exists());
    assert!(dir.path().join("summary.json").exists());
}

#[test]
fn more_threads_than_runs_are_no_more_work() {
    let mut r = request(RED, &["duration=2 s"]);
    let alone = run(&r);
    r["threads"] = json!(1_000_000);
    assert_eq!(run(&r)["fingerprint"], alone["fingerprint"]);
}

#[test]
fn a_directory_that_cannot_be_is_refused_before_anything_runs() {
    let dir = tempfile::tempdir().unwrap();
    let in_the_way: PathBuf = dir.path().join("file");
    std::fs::write(&in_the_way, "mine").unwrap();
    for out in [in_the_way.clone(), in_the_way.join("below")] {
        let mut r = recorded(&out);
        r["overrides"] = json!(["duration=100000 s"]);
        let problem = api::run(&r, &|_| panic!("it runs")).unwrap_err();
        assert_eq!(problem.code, code::FAILURE, "{}", problem.rendered);
        assert!(problem.rendered.contains("a file is in the way"), "{}", problem.rendered);
    }
    assert_eq!(std::fs::read(&in_the_way).unwrap(), b"mine");
}

#[test]
fn an_error_of_the_scenario_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("new");
    let mut r = recorded(&out);
    r["overrides"] = json!(["queue.kind=redd"]);
    assert_eq!(api::run(&r, &|_| true).unwrap_err().code, code::SCENARIO);
    assert!(!out.exists());
}

#[test]
fn a_request_is_checked_like_a_scenario() {
    let problem =
        api::run(&json!({ "source": { "text": RED }, "thread": 3 }), &|_| true).unwrap_err();
    assert_eq!(
        (problem.code, problem.json["problems"][0]["fix"].as_str()),
        (
            2,
            Some(
                "did you mean \
        `threads`?"
            )
        )
    );
    assert_eq!(api::plan(&json!({ "source": {} })).unwrap_err().code, 2);
}

#[test]
fn a_broken_law_makes_a_result_invalid_and_says_where() {
    let study = common::study(RED, &["replications=2"]).unwrap();
    let sound = json!({
        "ok": true, "sent": 5, "delivered": 5, "dropped": 0, "in_network": 0, "faults": [],
    });
    let broken = json!({
        "ok": false, "sent": 5, "delivered": 4, "dropped": 0, "in_network": 0,
        "faults": ["one is gone"],
    });
    let outcome = |seed: u64, conservation: &Value| {
        json!({
            "seed": seed, "fingerprint": "00", "valid": conservation["ok"], "wall_s": 1.0,
            "packet_hops": 1, "events": 1,
            "flows": [], "queues": [], "conservation": conservation,
        })
    };
    let result = dumbbell_lab::results::assemble(
        &study,
        vec![vec![outcome(1, &sound), outcome(2, &broken)]],
        2.0,
    );
    assert_eq!((&result["valid"], &result["code"]), (&json!(false), &json!(code::INVALID)));
    assert_eq!(result["conservation"]["ok"], false);
    assert_eq!(result["conservation"]["faults"], json!(["seed 2: one is gone"]));
}
