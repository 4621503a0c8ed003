//! The store: what it has it gives back to the last bit, what is damaged it names, and what a kill
//! leaves harms nobody.
mod common;
#[path = "store/series.rs"]
mod series;

use common::{RED, request};
use dumbbell_lab::api::{self, Caller};
use dumbbell_lab::language::problem::Problem;
use dumbbell_lab::store::Store;
use dumbbell_lab::store::key::{Digest, Key, RESULTS_VERSION};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const SWEEP: &str = "sweep.grid={\"queue.kind\"=[\"drop_tail\", \"red\"]}";

/// The key of a run that no scenario has.
fn key(i: u32) -> Key {
    format!("{i:032x}").parse().unwrap()
}

fn stored(store: &Path, overrides: &[&str]) -> Value {
    let mut r = request(RED, overrides);
    r["store"] = json!(store);
    r
}

fn run(request: &Value) -> Value {
    api::run(request, &|_| true).unwrap_or_else(|p| panic!("{}", p.rendered))
}

/// Four short runs.
fn four(store: &Path) -> Value {
    run(&stored(store, &[SWEEP, "replications=2", "duration=3 s"]))
}

fn care(what: &str, store: &Path) -> Result<Value, Problem> {
    api::ask("store", &json!({ "do": what, "dir": store }), &Caller::PLAIN)
}

fn segments(store: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(store.join("segments")).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}

/// A result without what differs from one time to the next.
fn timeless(mut result: Value) -> Value {
    for key in ["wall_s", "from_store", "out", "files"] {
        result.as_object_mut().unwrap().shift_remove(key);
    }
    result
}

#[test]
fn what_was_run_is_not_run_again_and_is_the_same_to_the_last_bit() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    let (first, second) = (four(&store), four(&store));
    assert_eq!((&first["from_store"], &second["from_store"]), (&json!(0), &json!(4)));
    assert_eq!(timeless(first.clone()), timeless(second));
    assert_eq!(segments(&store).len(), 1, "a run that writes nothing makes no file");
    // One more seed: what is there is taken, the rest is run.
    let more = run(&stored(&store, &[SWEEP, "replications=3", "duration=3 s"]));
    assert_eq!(more["from_store"], 4);
    assert_eq!(more["points"][1]["runs"][1], first["points"][1]["runs"][1]);
    // Without a store nothing says so, and the numbers are equal but for times.
    let bare = run(&request(RED, &[SWEEP, "replications=2", "duration=3 s"]));
    assert_eq!(bare.get("from_store"), None);
    assert_eq!(bare["fingerprint"], first["fingerprint"]);
    assert_eq!(bare["points"][0]["flows"], first["points"][0]["flows"]);
}

#[test]
fn a_key_is_all_that_a_result_depends_on() {
    let key =
        |overrides: &[&str], audit: bool| Digest::of(&mut common::plan(RED, overrides), audit).key;
    let own = key(&[], false);
    assert_eq!(own, key(&["name=another", "title=words"], false), "a name changes no result");
    assert_eq!(own, key(&["replications=7"], false), "a run does not know how many there are");
    let mut plan = common::plan(RED, &["name=\"a \\\"name\\\"\""]);
    assert_eq!(Digest::of(&mut plan.clone(), false).plan_hash, api::plan_hash(&plan));
    plan.name.clear();
    assert_eq!(Digest::of(&mut plan.clone(), false).plan_hash, api::plan_hash(&plan));
    let others = [
        key(&["seed=2"], false),
        key(&["queue.max_p=0.11"], false),
        key(&["duration=11 s"], false),
        key(&["warmup=2 s"], false),
        key(&["record.every=1 s"], false),
        key(&[], true),
    ];
    for (i, other) in others.iter().enumerate() {
        assert!(*other != own && !others[..i].contains(other), "{i}");
    }
    assert_eq!(own.to_string().parse(), Ok(own));
}

/// Every store counts on this: when results change, so does their version.
#[test]
fn the_golden_fingerprints_are_those_of_the_results_version() {
    let golden = include_str!("../../dumbbell-sim/tests/golden.rs");
    let prints: Vec<&str> =
        golden.lines().filter_map(|l| l.strip_prefix("const ")?.split('"').nth(1)).collect();
    assert_eq!(
        (RESULTS_VERSION, &prints[..]),
        (14, &["9b72cb109e6f6796", "db617b177d149ea9"][..]),
        "results have changed: raise RESULTS_VERSION in crates/dumbbell-lab/src/store/key.rs by \
            one, and write the new pair here; stores then run everything anew instead of mixing \
            results"
    );
}

#[test]
fn a_file_of_rows_cut_anywhere_is_read_up_to_the_cut() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    four(&store);
    let file = segments(&store).remove(0);
    let whole = std::fs::read(&file).unwrap();
    for cut in (0..whole.len()).step_by(7).chain([whole.len() - 1]) {
        std::fs::write(&file, &whole[..cut]).unwrap();
        let ends = whole[..cut].iter().filter(|b| **b == b'\n').count();
        assert!(Store::open(&store).is_ok(), "cut at {cut}");
        let said = care("check", &store).unwrap();
        assert_eq!((&said["ok"], &said["runs"]), (&json!(true), &json!(ends)), "cut at {cut}");
    }
    // The next run makes what is missing, and writes nothing behind the cut.
    let again = four(&store);
    assert_eq!(again["from_store"], 3);
    assert_eq!((segments(&store).len(), std::fs::read(&file).unwrap().len()), (2, whole.len() - 1));
}

#[test]
fn any_changed_byte_of_a_row_is_seen_and_named_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    four(&store);
    let file = segments(&store).remove(0);
    let whole = std::fs::read(&file).unwrap();
    let second = whole.iter().position(|b| *b == b'\n').unwrap() + 1;
    let end = second + whole[second..].iter().position(|b| *b == b'\n').unwrap();
    for at in (second..end).filter(|at| at % 5 == 0 || at - second < 120) {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        if changed[at] == b'\n' {
            continue;
        }
        std::fs::write(&file, &changed).unwrap();
        let problem =
            Store::open(&store).err().unwrap_or_else(|| panic!("byte {} of the row", at - second));
        assert_eq!(problem.code, if problem.rendered.contains("newer release") { 1 } else { 3 });
        let first = &problem.json["problems"][0];
        assert_eq!((&first["line"], &first["file"]), (&json!(2), &json!(file)));
        let fix = first["fix"].as_str().unwrap();
        assert!(fix.contains("store repair") || fix.contains("newer release"), "{fix}");
    }
}

#[test]
fn repair_moves_a_damaged_row_aside_and_keeps_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    let before = four(&store);
    let file = segments(&store).remove(0);
    let text = std::fs::read_to_string(&file).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let sound = lines[1].clone();
    lines[1] = lines[1].replacen("\"valid\":true", "\"valid\":null", 1);
    std::fs::write(&file, lines.join("\n") + "\n").unwrap();
    let damaged = &care("check", &store).unwrap()["problems"];
    assert_eq!((damaged.as_array().unwrap().len(), &damaged[0]["line"]), (1, &json!(2)));
    assert!(
        api::run(&stored(&store, &[]), &|_| true).is_err(),
        "nothing is run on a store that is \
        damaged"
    );

    let said = care("repair", &store).unwrap();
    assert_eq!((&said["moved"], &said["kept"]), (&json!(1), &json!(3)));
    let away = std::fs::read_to_string(said["files"][0].as_str().unwrap()).unwrap();
    assert_eq!(away, lines[1].clone() + "\n");
    assert_ne!(away, sound);
    let after = four(&store);
    assert_eq!(
        (&after["from_store"], timeless(after.clone())["points"] == before["points"]),
        (&json!(3), false)
    );
    assert_eq!(after["fingerprint"], before["fingerprint"]);
}

#[test]
fn what_a_later_release_wrote_is_named_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    four(&store);
    let newer = store.join("segments/0-newer.jsonl");
    std::fs::write(&newer, "{\"format\":2,\"key\":\"zz\"}\n").unwrap();
    let problem = Store::open(&store).err().unwrap();
    assert!(problem.rendered.contains("format 2"), "{}", problem.rendered);
    assert_eq!(care("repair", &store).unwrap()["newer"], 1);
    assert!(newer.exists() && Store::open(&store).is_err());
    std::fs::remove_file(newer).unwrap();
    assert!(Store::open(&store).is_ok());
    std::fs::write(store.join("store.json"), "{\"format\":9,\"id\":\"x\"}").unwrap();
    assert!(Store::open(&store).err().unwrap().rendered.contains("format 9"));
}

#[test]
fn only_a_store_is_taken_for_one() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("thesis.tex"), "years of work").unwrap();
    let problem = api::run(&stored(dir.path(), &[]), &|_| true).unwrap_err();
    assert!(problem.code == 1 && problem.rendered.contains("thesis.tex"), "{}", problem.rendered);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    for what in ["check", "list", "repair", "gc"] {
        assert_eq!(care(what, dir.path()).unwrap_err().code, 2, "{what}");
    }
    // A wrong scenario makes no store.
    let none = dir.path().join("none");
    assert!(api::run(&stored(&none, &["queue.max_p=7"]), &|_| true).is_err());
    assert!(!none.exists());
}

#[test]
fn a_file_that_cannot_be_used_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    Store::open(&store).unwrap();
    let file = store.join("segments/1-1.jsonl");
    std::fs::create_dir(&file).unwrap();
    let said = format!("the store {} cannot be used: {}: Is a", store.display(), file.display());
    let problem = Store::open(&store).err().unwrap();
    assert!(problem.rendered.contains(&said), "{}", problem.rendered);
}

#[test]
fn gc_leaves_one_row_for_each_run_and_what_is_being_written() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    let before = four(&store);
    let rows = std::fs::read(segments(&store).remove(0)).unwrap();
    std::fs::write(store.join("segments/0-twice.jsonl"), &rows).unwrap();
    std::fs::write(store.join("segments/1-torn.jsonl"), &rows[..rows.len() / 3]).unwrap();
    let old = String::from_utf8(rows).unwrap();
    assert!(old.contains(&format!("\"results_version\":{RESULTS_VERSION}")));
    std::fs::create_dir_all(store.join("records/0123456789abcdef0123456789abcdef")).unwrap();

    let busy = Store::open(&store).unwrap(); // A writer at work: its file stays.
    let key: Key = "00000000000000000000000000000001".parse().unwrap();
    busy.keep(key, &json!({ "seed": 1, "of": { "results_version": RESULTS_VERSION } })).unwrap();
    let said = care("gc", &store).unwrap();
    assert_eq!(
        (&said["kept"], &said["busy"], &said["records_dropped"]),
        (&json!(4), &json!(1), &json!(1))
    );
    assert_eq!(segments(&store).len(), 2);
    drop(busy);
    let said = care("gc", &store).unwrap();
    assert_eq!(
        (&said["kept"], &said["busy"], &said["records_dropped"]),
        (&json!(5), &json!(0), &json!(0))
    );
    assert_eq!(segments(&store).len(), 1);
    assert!(Store::open(&store).unwrap().find(key).unwrap().is_some());
    assert_eq!(timeless(four(&store)), timeless(before));
}

#[test]
fn series_are_kept_with_their_run_and_appear_where_they_are_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let (store, out) = (dir.path().join("store"), dir.path().join("out"));
    let with = ["record={every=\"100 ms\", drops=true}", "duration=3 s", "replications=2"];
    let bare = {
        let mut r = request(RED, &with);
        r["out"] = json!(dir.path().join("bare"));
        run(&r)
    };
    run(&stored(&store, &with));
    let mut r = stored(&store, &with);
    r["out"] = json!(out);
    let again = run(&r);
    assert_eq!((&again["from_store"], &again["files"]), (&json!(2), &bare["files"]));
    // Flows, queues, signals, reactions.
    assert_eq!(bare["files"].as_array().unwrap().len(), 2 * 4);
    for file in bare["files"].as_array().unwrap() {
        let bytes = |base: &Path| std::fs::read(base.join(file.as_str().unwrap())).unwrap();
        assert_eq!(bytes(&dir.path().join("bare")), bytes(&out), "{file}");
    }
    // A series that is gone, or is not as long as it was, is not there: its run is run again.
    let kept = std::fs::read_dir(store.join("records")).unwrap().next().unwrap().unwrap().path();
    std::fs::write(kept.join("flows.parquet"), "short").unwrap();
    assert_eq!(care("check", &store).unwrap()["records_lost"], 1);
    assert_eq!(run(&r)["from_store"], 1);
    assert_eq!(run(&r)["from_store"], 2);
    assert_eq!(care("check", &store).unwrap()["records_lost"], 0);
}

#[test]
fn what_a_killed_writer_left_is_cleared_away() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    four(&store);
    let left =
        [".growing-dead/abc/flows.parquet", ".growing-young/x", ".new-abc", "segments/.new-def"];
    for file in left {
        let file = store.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "half").unwrap();
    }
    std::fs::write(store.join(".growing-dead/lock"), "").unwrap();
    four(&store);
    assert!(left.iter().all(|file| !store.join(file).exists()));
}

#[test]
fn a_thousand_rows_are_read_at_once_and_found() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    let writer = Store::open(&store).unwrap();
    for i in 0..1000 {
        writer.keep(key(i), &json!({ "seed": i, "x": f64::from(i) / 3.0 })).unwrap();
    }
    assert!(
        writer.find(key(3)).unwrap().is_none(),
        "a writer that has read before them does not \
        see new rows"
    );
    let reader = Store::open(&store).unwrap();
    for i in 0..1000 {
        let found = reader.find(key(i)).unwrap().unwrap().result;
        assert_eq!(found["x"].as_f64(), Some(f64::from(i) / 3.0)); // To the last bit.
    }
}
