//! The directory of a run: what is written there, and what an interrupted run leaves.
use crate::common::{RED, request};
use crate::{files, recorded, run};
use dumbbell_lab::api;
use dumbbell_lab::api::Progress;
use dumbbell_lab::language::problem::code;
use serde_json::{Value, json};
use std::cell::Cell;
use std::fs::File;
use std::path::PathBuf;

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
