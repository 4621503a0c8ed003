//! Maintenance of a store: its inventory, its damage, repair and gc.
mod gc;
mod inventory;
mod repair;

use super::bad_lines::{explain, severity};
use super::key::Key;
use super::lock::Lock;
use super::records::Damage;
use super::scan::BadLine;
use super::{MARK, read_mark};
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::verb::Asked;
use inventory::{Entry, Inventory};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// A store, and what to do with it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoreRequest {
    /// `check`, `list`, `repair` or `gc`.
    #[serde(rename = "do")]
    action: String,
    /// The directory of the store.
    dir: PathBuf,
}

impl Asked for StoreRequest {}

/// Looks after a store.
///
/// # Errors
/// Code 2: there is no store; 3: `gc` or `repair` of one that is damaged beyond their means; 1: it
/// cannot be read or written, or is in use.
pub fn care(request: &StoreRequest) -> Result<Value, Problem> {
    let dir = request.dir.as_path();
    if !dir.join(MARK).is_file() {
        let d = Diagnostic::new(format!("there is no store in {}", dir.display()));
        let d = d.fix(
            "name the directory that was given as --store; without one it is \
            .dumbbell/store",
        );
        return Err(Problem::new(code::SCENARIO, &[d], &Texts::default()));
    }
    let what = request.action.as_str();
    if ["repair", "gc"].contains(&what)
        && let Err((code, d)) = read_mark(dir).map_err(|e| stopped(dir, &e))?
    {
        // The rows of another format cannot be interpreted.
        return Err(Problem::new(code, &[d], &Texts::default()));
    }
    match what {
        "check" => check(dir),
        "list" => list(dir),
        "repair" => repair::repair(dir),
        "gc" => return gc::gc(dir).map_err(|e| stopped(dir, &e))?,
        other => {
            let d = Diagnostic::new(format!("a store cannot `{other}`")).fix(
                "it can check, list, \
                repair and gc",
            );
            return Err(Problem::new(code::SCENARIO, &[d], &Texts::default()));
        }
    }
    .map_err(|e| stopped(dir, &e))
}

/// A store that cannot be looked after. There is no other one to choose here.
fn stopped(dir: &Path, e: &io::Error) -> Problem {
    let fix = match e.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            Some("look after it as a user who may write to it, where it can be written")
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Some("free some space; the runs that the store has are kept")
        }
        io::ErrorKind::TimedOut | io::ErrorKind::ResourceBusy => Some(
            "give the command again when \
            it has ended",
        ),
        io::ErrorKind::Unsupported => Some(
            "copy the store to a local disk, and look after it \
            there",
        ),
        _ => None,
    };
    Problem::failure(
        format!("the store {} cannot be used: {e}", dir.display()),
        fix.map(Into::into),
    )
}

/// Reads every row and every file of series:
/// `{"store", "ok", "code", "runs", "failed", "rows", "segments", "torn", "records_lost",
/// "unverified", "problems": [{"file", "line", "cause", "fix"}]}`. `records_lost` is how many runs
/// have damaged or missing series; `unverified` how many have series without digests, of which only
/// sizes were checked.
fn check(dir: &Path) -> io::Result<Value> {
    let lock = Lock::of(dir);
    let inventory = {
        let _share = lock.share()?;
        Inventory::of(dir, |_, _| {})?
    };
    let (lost, damage) = damaged(dir, &inventory, &lock)?;
    let say = |b: &BadLine| {
        let (cause, fix) = explain(b, dir);
        json!({ "file": b.file, "line": b.line, "cause": cause, "fix": fix })
    };
    let mark = read_mark(dir)?.err();
    let codes =
        [mark.as_ref().map_or(0, |(code, _)| *code), if lost > 0 { code::CHECK } else { 0 }];
    let rows = if inventory.bad.is_empty() { 0 } else { severity(&inventory.bad) };
    let mark = mark.map(
        |(_, d)| json!({ "file": dir.join(MARK), "line": null, "cause": d.cause, "fix": d.fix }),
    );
    let series = damage.iter().map(|(key, d)| say_damage(dir, *key, d));
    let problems: Vec<Value> =
        mark.into_iter().chain(inventory.bad.iter().map(say)).chain(series).collect();
    let done = inventory.rows.values().filter(|e| e.done).count();
    Ok(json!({
        "store": dir,
        "ok": problems.is_empty(),
        "code": codes.into_iter().fold(rows, i32::max),
        "runs": done,
        "failed": inventory.rows.len() - done,
        "rows": inventory.lines,
        "segments": inventory.files.len(),
        "torn": inventory.torn,
        "records_lost": lost,
        "unverified": inventory.rows.values().filter(|e| e.done && !e.records.verifiable()).count(),
        "problems": problems,
    }))
}

/// Counts the runs with damaged series, and lists the damaged files. The store is shared for one
/// run at a time, so that gc need not wait for all of them; a file that looks damaged is checked
/// again together with its row.
fn damaged(
    dir: &Path,
    inventory: &Inventory,
    lock: &Lock,
) -> io::Result<(usize, Vec<(Key, Damage)>)> {
    let of = |key: &Key, entry: &Entry| entry.records.damage(&entry.records.dir(dir, *key));
    let mut suspects = Vec::new();
    for (key, entry) in inventory.rows.iter().filter(|(_, e)| e.done && !e.records.is_empty()) {
        let _share = lock.share()?;
        if !of(key, entry).is_empty() {
            suspects.push(*key);
        }
    }
    if suspects.is_empty() {
        return Ok((0, Vec::new()));
    }
    let _share = lock.share()?;
    let now = Inventory::of(dir, |_, _| {})?;
    let found: Vec<Vec<(Key, Damage)>> = suspects
        .iter()
        .filter_map(|key| {
            Some(of(key, now.rows.get(key)?).into_iter().map(|d| (*key, d)).collect())
        })
        .filter(|damage: &Vec<_>| !damage.is_empty())
        .collect();
    Ok((found.len(), found.into_iter().flatten().collect()))
}

fn say_damage(dir: &Path, key: Key, damage: &Damage) -> Value {
    let cause = format!("{}: {} (series of the run {key})", damage.file.display(), damage.cause);
    let fix = format!(
        "run its scenario again, which makes the series anew; or `dumbbell store repair {}` moves \
            the run aside",
        dir.display()
    );
    json!({ "file": damage.file, "line": null, "cause": cause, "fix": fix })
}

/// `{"store", "runs": [{"key", "state", "name", "overrides", "seed", "fingerprint", "wall_s",
/// "version"}], "bad_rows"}`; the last is how many rows cannot be read.
fn list(dir: &Path) -> io::Result<Value> {
    let _share = Lock::of(dir).share()?;
    let mut runs: BTreeMap<Key, Value> = BTreeMap::new();
    let inventory = Inventory::of(dir, |row, _| {
        let result: Value = serde_json::from_slice(row.result).unwrap_or_default();
        let of = &result["of"];
        let kept = runs.get(&row.key).is_some_and(|r| r["state"] == "done");
        if row.done || !kept {
            let state = if row.done { "done" } else { "failed" };
            let said = json!({
                "key": row.key.to_string(), "state": state, "name": of["name"],
                "overrides": of["overrides"],
                "seed": result["seed"], "fingerprint": result["fingerprint"],
                "wall_s": result["wall_s"],
                "version": of["version"], "results_version": of["results_version"],
                "error": result["error"],
            });
            runs.insert(row.key, said);
        }
    })?;
    Ok(json!({
        "store": dir, "runs": runs.into_values().collect::<Vec<_>>(),
        "bad_rows": inventory.bad.len(),
    }))
}
