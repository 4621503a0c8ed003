//! Series in the store, and what gc and repair do with them.
use super::{care, key, run, segments, stored};
use dumbbell_lab::store::Store;
use dumbbell_lab::store::key::RESULTS_VERSION;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A result that this release keeps.
fn current(seed: u32) -> Value {
    json!({ "seed": seed, "of": { "results_version": RESULTS_VERSION } })
}

/// Keeps a run with one file of series.
fn keep_series(store: &Store, i: u32, content: &[u8]) -> PathBuf {
    let grown = store.grow(key(i)).unwrap();
    std::fs::write(grown.join("flows.parquet"), content).unwrap();
    store.keep(key(i), &current(i)).unwrap().dir(store.dir(), key(i)).join("flows.parquet")
}

fn flip(file: &Path, bit: usize) {
    let mut bytes = std::fs::read(file).unwrap();
    bytes[bit / 8] ^= 1 << (bit % 8);
    std::fs::write(file, bytes).unwrap();
}

#[test]
fn every_changed_bit_of_series_is_found_and_never_handed_out() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join("store")).unwrap();
    let file = keep_series(&store, 1, b"series of a run");
    let reader = Store::open(store.dir()).unwrap();
    for bit in 0..8 * 15 {
        flip(&file, bit);
        assert!(reader.find(key(1)).unwrap().is_none(), "bit {bit}");
        let said = care("check", store.dir()).unwrap();
        assert_eq!(
            (&said["ok"], &said["code"], &said["records_lost"]),
            (&json!(false), &json!(3), &json!(1))
        );
        let problem = said["problems"][0].to_string();
        assert!(problem.contains("flows.parquet") && problem.contains("store repair"), "{problem}");
        flip(&file, bit);
    }
    assert_eq!(reader.damaged().len(), 8 * 15);
    assert_eq!(care("check", store.dir()).unwrap()["ok"], true);
    let found = reader.find(key(1)).unwrap().unwrap();
    let listed: Vec<_> = found.records.files().collect();
    let digest = dumbbell_lab::files::durable::digest(&file).unwrap();
    assert_eq!(listed, [("flows.parquet", 15, Some(digest.as_str()))]);
}

#[test]
fn a_run_with_damaged_series_is_told_and_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let (store, out) = (dir.path().join("store"), dir.path().join("out"));
    let mut r = stored(&store, &["record.every=\"100 ms\"", "duration=3 s"]);
    r["out"] = json!(out);
    let before = run(&r);
    let kept = std::fs::read_dir(store.join("records"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path()
        .join("flows.parquet");
    let sound = std::fs::read(&kept).unwrap();
    flip(&kept, 8 * sound.len() / 2);
    let again = run(&r);
    assert_eq!((&again["from_store"], &again["fingerprint"]), (&json!(0), &before["fingerprint"]));
    assert!(
        again["notes"].to_string().contains("flows.parquet were damaged"),
        "{}",
        again["notes"]
    );
    assert!(
        std::fs::read(out.join("flows.parquet")).unwrap() == sound
            && std::fs::read(&kept).unwrap() == sound
    );
    let third = run(&r);
    assert_eq!((&third["from_store"], &third["notes"]), (&json!(1), &before["notes"]));
}

#[test]
fn other_series_of_the_same_run_replace_none() {
    let dir = tempfile::tempdir().unwrap();
    let [first, second] = [(); 2].map(|()| Store::open(&dir.path().join("store")).unwrap());
    let (one, other) =
        (keep_series(&first, 1, b"by one file"), keep_series(&second, 1, b"by another"));
    assert!(one != other && one.exists() && other.exists());
    assert_eq!(keep_series(&second, 1, b"by one file"), one, "the same content is there once");
    // While a writer lives, what it has written stays where it has said.
    drop(second);
    assert_eq!(care("gc", first.dir()).unwrap()["records_dropped"], 1);
    assert!(one.exists() && !other.exists());
}

#[test]
fn a_row_is_found_after_gc_has_moved_it() {
    let dir = tempfile::tempdir().unwrap();
    let writer = Store::open(&dir.path().join("store")).unwrap();
    keep_series(&writer, 1, b"one");
    writer.keep(key(2), &current(2)).unwrap();
    writer
        .keep(
            key(3),
            &json!({ "seed": 3, "error": {}, "of": { "results_version": RESULTS_VERSION } }),
        )
        .unwrap();
    let reader = Store::open(writer.dir()).unwrap();
    let dir = writer.dir().to_path_buf();
    drop(writer);
    let before = segments(&dir);
    assert_eq!(care("gc", &dir).unwrap()["kept"], 3);
    assert_ne!(segments(&dir), before);
    for i in 1..3 {
        assert_eq!(reader.find(key(i)).unwrap().unwrap().result["seed"], i);
    }
    assert_eq!(reader.failure(key(3)).unwrap().unwrap()["seed"], 3);
    assert!(reader.find(key(4)).unwrap().is_none());
}

#[test]
fn repair_puts_aside_runs_with_damaged_series_and_overwrites_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    let mut seen: Vec<PathBuf> = Vec::new();
    for round in 0..3u8 {
        let writer = Store::open(&store).unwrap();
        let file = keep_series(&writer, 1, b"one");
        keep_series(&writer, 2, b"two");
        drop(writer);
        flip(&file, round.into());
        let said = care("repair", &store).unwrap();
        assert_eq!(
            (&said["moved"], &said["series_moved"]),
            (&json!(1), &json!(1)),
            "round {round}"
        );
        assert_eq!(care("check", &store).unwrap()["ok"], true);
        let reader = Store::open(&store).unwrap();
        assert!(reader.find(key(1)).unwrap().is_none() && reader.find(key(2)).unwrap().is_some());
        let aside: Vec<PathBuf> = serde_json::from_value(said["files"].clone()).unwrap();
        assert!(
            aside.iter().all(|file| file.exists() && !seen.contains(file)),
            "{aside:?} in \
            round {round}"
        );
        seen.extend(aside);
        assert!(seen.iter().all(|file| file.exists()));
    }
}

/// Two damaged lines of one name, one repair after the other: the first repair's find stays.
#[test]
fn repair_keeps_what_it_put_aside_before() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    Store::open(&store).unwrap();
    let file = store.join("segments/a.jsonl");
    for text in ["first\n", "second\n", "first\n"] {
        std::fs::write(&file, text).unwrap();
        care("repair", &store).unwrap();
    }
    let texts = std::fs::read_dir(store.join("damaged")).unwrap();
    let mut texts: Vec<String> =
        texts.map(|e| std::fs::read_to_string(e.unwrap().path()).unwrap()).collect();
    texts.sort();
    assert_eq!(texts, ["first\n", "second\n"]);
}

#[test]
fn rows_of_earlier_releases_list_sizes_alone_and_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    let writer = Store::open(&store).unwrap();
    let mut row = current(1);
    row["records"] = json!({ "flows.parquet": 3 });
    writer.keep(key(1), &row).unwrap();
    let old = store.join("records").join(key(1).to_string());
    std::fs::create_dir(&old).unwrap();
    std::fs::write(old.join("flows.parquet"), "old").unwrap();
    drop(writer);
    care("gc", &store).unwrap();
    let said = care("check", &store).unwrap();
    assert_eq!((&said["ok"], &said["unverified"]), (&json!(true), &json!(1)));
    let found = Store::open(&store).unwrap().find(key(1)).unwrap().unwrap();
    assert_eq!(found.records.files().collect::<Vec<_>>(), [("flows.parquet", 3, None)]);
    assert_eq!(found.records.dir(&store, key(1)), old);
    std::fs::write(old.join("flows.parquet"), "longer").unwrap();
    assert_eq!(care("check", &store).unwrap()["records_lost"], 1);
}

#[test]
fn gc_keeps_what_a_later_release_made() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    let writer = Store::open(&store).unwrap();
    for (i, version) in (1..).zip([RESULTS_VERSION - 1, RESULTS_VERSION, RESULTS_VERSION + 1]) {
        writer.keep(key(i), &json!({ "seed": i, "of": { "results_version": version } })).unwrap();
    }
    drop(writer);
    let said = care("gc", &store).unwrap();
    assert_eq!((&said["kept"], &said["dropped"]), (&json!(2), &json!(1)));
}

/// A row of a store that came from elsewhere cannot make us read, or write, outside of the store.
#[test]
fn series_outside_of_their_directory_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    std::fs::write(dir.path().join("secret"), "abc").unwrap();
    let writer = Store::open(&store).unwrap();
    let mut row = current(1);
    row["records"] = json!({ "../../../secret": 3 });
    writer.keep(key(1), &row).unwrap();
    std::fs::create_dir(store.join("records").join(key(1).to_string())).unwrap();
    assert!(Store::open(&store).unwrap().find(key(1)).unwrap().is_none());
}
