//! The store that processes meet in, what they do to it, and what must be true at the end.
use crate::actor::STARTS;
use dumbbell_lab::api::{self, Caller};
use dumbbell_lab::store::Store;
use dumbbell_lab::store::key::{Key, RESULTS_VERSION};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::PoisonError;

/// A line that is not a row.
const DAMAGED: &str = "{\"format\":1,\"key\":\"damaged\n";

fn key(i: u32) -> Key {
    format!("{i:032x}").parse().unwrap()
}

fn care(what: &str, store: &Path) -> Value {
    api::ask("store", &json!({ "do": what, "dir": store }), &Caller::PLAIN)
        .unwrap_or_else(|p| panic!("{what}: {}", p.rendered))
}

/// Keeps the run `i`, with series if they have content.
fn keep(store: &Store, i: u32, series: &str) {
    if !series.is_empty() {
        std::fs::write(store.grow(key(i)).unwrap().join("flows.parquet"), series).unwrap();
    }
    store
        .keep(key(i), &json!({ "seed": i, "of": { "results_version": RESULTS_VERSION } }))
        .unwrap();
}

/// The runs of a store, as it is found at first.
const BEFORE: [u32; 3] = [90, 91, 92];

/// Makes a store as earlier runs left it: two files of rows, one run twice, series without a row,
/// remains of a kill; and, if asked for, a damaged row.
pub fn make(store: &Path, damaged: bool) {
    for runs in [&[90, 91][..], &[91, 92]] {
        let writer = Store::open(store).unwrap();
        runs.iter().for_each(|i| keep(&writer, *i, if *i == 91 { "" } else { "series" }));
    }
    let orphan = store.join("records").join(key(99).to_string());
    std::fs::create_dir(&orphan).unwrap();
    std::fs::write(orphan.join("flows.parquet"), "orphan").unwrap();
    std::fs::write(store.join("segments/.new-dead"), "half").unwrap();
    if damaged {
        let files = std::fs::read_dir(store.join("segments")).unwrap().map(|e| e.unwrap().path());
        let file = files.filter(|f| f.extension().is_some()).min().unwrap();
        std::fs::write(&file, std::fs::read_to_string(&file).unwrap() + DAMAGED).unwrap();
    }
}

/// Does what a role does. Panics if a run is not found that has been finished.
pub fn play(role: &str, store: &Path) {
    match role {
        "write" | "again" => {
            let store = Store::open(store).unwrap();
            write(&store, role);
        }
        "blind" => write(&Store::open_to_write(store).unwrap(), "write"),
        "read" => {
            let store = Store::open(store).unwrap();
            for i in BEFORE {
                let found =
                    store.find(key(i)).unwrap().unwrap_or_else(|| panic!("run {i} is lost"));
                let dir = found.records.dir(store.dir(), key(i));
                let whole = found.records.names().all(|name| std::fs::read(dir.join(name)).is_ok());
                assert!(found.result["seed"] == i && whole, "run {i} is another");
            }
        }
        "gc" => match api::ask("store", &json!({ "do": "gc", "dir": store }), &Caller::PLAIN) {
            Err(problem) => assert_eq!(problem.code, 3, "{}", problem.rendered), // The damaged row.
            Ok(said) => assert!(said["kept"].as_u64() >= Some(BEFORE.len() as u64), "{said}"),
        },
        "check" => assert_eq!(care("check", store)["records_lost"], 0),
        "repair" => drop(care("repair", store)),
        "tidy without locks" => {
            for what in ["gc", "repair"] {
                let refused =
                    api::ask("store", &json!({ "do": what, "dir": store }), &Caller::PLAIN)
                        .unwrap_err();
                assert!(
                    refused.code == 1 && refused.rendered.contains("no locks"),
                    "{}",
                    refused.rendered
                );
            }
        }
        other => panic!("no role {other}"),
    }
}

/// Two runs. The series of the first differ by role, as those of a scenario under another name do.
fn write(store: &Store, role: &str) {
    keep(store, 1, role);
    keep(store, 2, "");
    store.sync().unwrap();
}

/// The runs that a role finishes.
pub fn finishes(role: &str) -> &'static [u32] {
    if ["write", "again", "blind"].contains(&role) { &[1, 2] } else { &[] }
}

/// The runs that are finished.
pub fn finished(store: &Path) -> BTreeSet<String> {
    let runs = care("list", store);
    runs["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["key"].as_str().unwrap().to_string())
        .collect()
}

/// Returns an error if a store is wrong in which all processes have ended, and which had `also`
/// finished.
pub fn wrong(store: &Path, also: &[u32], damaged: bool) -> Result<(), String> {
    let _nobody_starts = STARTS.read().unwrap_or_else(PoisonError::into_inner);
    if damaged {
        care("repair", store);
        let aside =
            std::fs::read_dir(store.join("damaged")).map_err(|e| format!("damaged/: {e}"))?;
        let aside: Vec<String> =
            aside.map(|e| std::fs::read_to_string(e.unwrap().path()).unwrap()).collect();
        same("what was put aside", &aside, &vec![DAMAGED.to_string()])?;
    }
    for tidied in [false, true] {
        if tidied {
            care("gc", store);
        }
        let said = care("check", store);
        if said["ok"] != true {
            return Err(format!("check says {said}"));
        }
        let reader = Store::open(store).map_err(|p| p.rendered)?;
        for i in BEFORE.iter().chain(also) {
            let found = reader.find(key(*i)).map_err(|p| p.rendered)?;
            if found.is_none_or(|f| f.result["seed"] != *i) {
                return Err(format!(
                    "run {i} is lost{}",
                    if tidied { " after a last gc" } else { "" }
                ));
            }
        }
    }
    let runs = BEFORE.len() + also.iter().collect::<BTreeSet<_>>().len();
    same("runs", &finished(store).len(), &runs)?;
    same("files of rows", &names(&store.join("segments")).len(), &1)?;
    let series =
        BEFORE.iter().chain(also).filter(|i| ![91, 2].contains(*i)).collect::<BTreeSet<_>>().len();
    same("directories of series", &names(&store.join("records")).len(), &series)?;
    let mut left = names(store);
    left.retain(|name| {
        !["gate", "lock", "records", "segments", "store.json", "damaged"].contains(&name.as_str())
    });
    same("what is left over", &left, &BTreeSet::new())
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, is: &T, should: &T) -> Result<(), String> {
    if is == should { Ok(()) } else { Err(format!("{what}: {is:?} instead of {should:?}")) }
}

/// The names in a directory.
pub fn names(dir: &Path) -> BTreeSet<String> {
    std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect()
}
