//! Looking after a store: what it has, what is wrong with it, mending and tidying.
use super::key::{Key, RESULTS_VERSION};
use super::line::{self, Fault, Row};
use super::scan::{self, Bad};
use super::segment::ENDING;
use super::{MARK, Records, read_mark};
use crate::growing;
use crate::problem::{Diagnostic, Problem, Texts, code};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// How many bad lines are shown to people.
const SHOWN: usize = 10;

/// What a store says of itself, line by line.
#[derive(Default)]
struct Census {
    files: Vec<PathBuf>,
    /// The row that counts for each key: its file, its line, whether it ended well.
    rows: BTreeMap<Key, (usize, usize, bool)>,
    /// Rows in all.
    lines: usize,
    /// Files that end in what a kill left.
    torn: usize,
    bad: Vec<Bad>,
}

impl Census {
    fn of(dir: &Path, mut see: impl FnMut(&Row<'_>)) -> io::Result<Census> {
        let mut census = Census { files: scan::segments(&dir.join("segments"))?, ..Census::default() };
        for (i, file) in census.files.clone().iter().enumerate() {
            let torn = scan::lines(file, |number, _, text| {
                match line::read(text) {
                    Ok(row) => {
                        census.lines += 1;
                        see(&row);
                        let before = census.rows.get(&row.key).is_some_and(|(_, _, done)| *done);
                        if row.done || !before {
                            census.rows.insert(row.key, (i, number, row.done));
                        }
                    }
                    Err(fault) => census.bad.push(Bad { file: file.clone(), line: number, fault }),
                };
            })?;
            census.torn += usize::from(torn);
        }
        Ok(census)
    }
}

/// Cause and fix of a bad line.
fn explain(bad: &Bad, dir: &Path) -> (String, String) {
    match bad.fault {
        Fault::Newer(n) => (
            format!("this row is of format {n}, and this release reads up to {}", line::FORMAT),
            "use a newer release of dumbbell, or another store".into(),
        ),
        Fault::Damaged(why) => (
            format!("this row is damaged: {why}"),
            format!("`dumbbell store repair {}` moves it aside and keeps the others", dir.display()),
        ),
    }
}

/// The refusal of a store with bad lines: each with its file, its line, the cause and the fix.
pub fn refuse(dir: &Path, bad: &[Bad]) -> Problem {
    let say = |b: &Bad| {
        let (cause, fix) = explain(b, dir);
        Diagnostic::new(format!("{}, line {}: {cause}", b.file.display(), b.line)).fix(fix)
    };
    let mut shown: Vec<Diagnostic> = bad.iter().take(SHOWN).map(say).collect();
    if bad.len() > SHOWN {
        shown.push(Diagnostic::new(format!("and {} rows more of {}", bad.len() - SHOWN, dir.display())));
    }
    let mut problem = Problem::new(code::FAILURE, &shown, &Texts::default());
    for (i, b) in bad.iter().take(SHOWN).enumerate() {
        problem.json["problems"][i]["file"] = json!(b.file);
        problem.json["problems"][i]["line"] = json!(b.line);
    }
    problem
}

/// What `request` (`{"do": "check" | "list" | "repair" | "gc", "dir"}`) asks of a store.
///
/// # Errors
/// Code 2: there is no store; 1: it cannot be read or written.
pub fn care(request: &Value) -> Result<Value, Problem> {
    let dir = Path::new(request["dir"].as_str().unwrap_or_default());
    if !dir.join(MARK).is_file() {
        let d = Diagnostic::new(format!("there is no store in {}", dir.display()));
        let d = d.fix("name the directory that was given as --store; without one it is .dumbbell/store");
        return Err(Problem::new(code::SCENARIO, &[d], &Texts::default()));
    }
    let what = request["do"].as_str().unwrap_or_default();
    if ["repair", "gc"].contains(&what)
        && let Err((cause, fix)) = read_mark(dir).map_err(|e| stopped(dir, &e))?
    {
        return Err(Problem::failure(cause, Some(fix))); // Who knows what the rows of another format mean.
    }
    match what {
        "check" => check(dir),
        "list" => list(dir),
        "repair" => repair(dir),
        "gc" => return gc(dir).map_err(|e| stopped(dir, &e))?,
        other => {
            let d = Diagnostic::new(format!("a store cannot `{other}`")).fix("it can check, list, repair and gc");
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
        _ => None,
    };
    Problem::failure(format!("the store {} cannot be used: {e}", dir.display()), fix.map(Into::into))
}

/// `{"store", "ok", "runs", "failed", "rows", "segments", "torn", "problems": [{"file", "line", "cause", "fix"}]}`.
fn check(dir: &Path) -> io::Result<Value> {
    let mut lost = 0;
    let census = Census::of(dir, |row| {
        if row.done && has_records(row.result) {
            let mut result: Value = serde_json::from_slice(row.result).unwrap_or_default();
            let records = Records::take(&mut result);
            lost += usize::from(!records.damage(&records.dir(dir, row.key)).is_empty());
        }
    })?;
    let say = |b: &Bad| {
        let (cause, fix) = explain(b, dir);
        json!({ "file": b.file, "line": b.line, "cause": cause, "fix": fix })
    };
    let mark = read_mark(dir)?.err();
    let mark = mark.map(|(cause, fix)| json!({ "file": dir.join(MARK), "line": null, "cause": cause, "fix": fix }));
    let problems: Vec<Value> = mark.into_iter().chain(census.bad.iter().map(say)).collect();
    let done = census.rows.values().filter(|(_, _, done)| *done).count();
    Ok(json!({
        "store": dir,
        "ok": problems.is_empty(),
        "runs": done,
        "failed": census.rows.len() - done,
        "rows": census.lines,
        "segments": census.files.len(),
        "torn": census.torn,
        "records_lost": lost,
        "problems": problems,
    }))
}

/// Whether a row may list series; parsing says for sure.
fn has_records(result: &[u8]) -> bool {
    result.windows(10).any(|w| w == br#""records":"#)
}

/// `{"store", "runs": [{"key", "state", "name", "overrides", "seed", "fingerprint", "wall_s", "version"}],
/// "bad_rows"}`; the last is how many rows cannot be read.
fn list(dir: &Path) -> io::Result<Value> {
    let mut runs: BTreeMap<Key, Value> = BTreeMap::new();
    let census = Census::of(dir, |row| {
        let result: Value = serde_json::from_slice(row.result).unwrap_or_default();
        let of = &result["of"];
        let kept = runs.get(&row.key).is_some_and(|r| r["state"] == "done");
        if row.done || !kept {
            let state = if row.done { "done" } else { "failed" };
            let said = json!({
                "key": row.key.to_string(), "state": state, "name": of["name"], "overrides": of["overrides"],
                "seed": result["seed"], "fingerprint": result["fingerprint"], "wall_s": result["wall_s"],
                "version": of["version"], "results_version": of["results_version"], "error": result["error"],
            });
            runs.insert(row.key, said);
        }
    })?;
    Ok(json!({ "store": dir, "runs": runs.into_values().collect::<Vec<_>>(), "bad_rows": census.bad.len() }))
}

/// Moves damaged rows into `damaged/`, under the name of their file: `{"store", "moved", "kept", "files"}`.
fn repair(dir: &Path) -> io::Result<Value> {
    let census = Census::of(dir, |_| {})?;
    let damaged = |b: &&Bad| matches!(b.fault, Fault::Damaged(_));
    let files: BTreeSet<&PathBuf> = census.bad.iter().filter(damaged).map(|b| &b.file).collect();
    let mut moved = Vec::new();
    for file in files {
        let own = File::open(file)?;
        if let Err(std::fs::TryLockError::WouldBlock) = own.try_lock() {
            let cause = format!("{} is being written by a run; repair when that has ended", file.display());
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, cause));
        }
        let bad: BTreeSet<usize> =
            census.bad.iter().filter(|b| &b.file == file).filter(damaged).map(|b| b.line).collect();
        let (mut good, mut aside) = (Vec::new(), Vec::new());
        scan::lines(file, |number, _, text| {
            let to = if bad.contains(&number) { &mut aside } else { &mut good };
            to.extend_from_slice(text);
            to.push(b'\n');
        })?;
        let name = file.file_name().unwrap_or_default();
        let away = dir.join("damaged").join(name);
        std::fs::create_dir_all(dir.join("damaged"))?;
        growing::write(&away, &aside)?;
        growing::write(file, &good)?;
        moved.push(away);
    }
    let damaged = census.bad.iter().filter(damaged).count();
    Ok(
        json!({ "store": dir, "moved": damaged, "kept": census.lines, "files": moved, "newer": census.bad.len() - damaged }),
    )
}

/// Puts the rows of writers that are gone into one file, without those that another row stands for or that are of
/// other results; and removes series that belong to no row:
/// `{"store", "kept", "dropped", "segments_before", "segments", "records_dropped"}`.
fn gc(dir: &Path) -> io::Result<Result<Value, Problem>> {
    let alone = File::open(dir)?;
    let _ = alone.lock(); // One tidier at a time; where directories have no locks, two of them drop nothing either.
    let census = Census::of(dir, |_| {})?;
    if !census.bad.is_empty() {
        return Ok(Err(refuse(dir, &census.bad)));
    }
    let mut rows = Vec::new();
    let (mut old, mut busy, mut seen, mut kept) = (Vec::new(), 0, 0usize, BTreeSet::new());
    for (i, file) in census.files.iter().enumerate() {
        let own = File::open(file)?;
        if let Err(std::fs::TryLockError::WouldBlock) = own.try_lock() {
            busy += 1;
            continue;
        }
        scan::lines(file, |number, _, text| {
            let Ok(row) = line::read(text) else { return };
            seen += 1;
            let counts = census.rows.get(&row.key).is_some_and(|(f, n, _)| (*f, *n) == (i, number));
            if counts && is_current(row.result) {
                rows.extend_from_slice(text);
                rows.push(b'\n');
                kept.insert(row.key);
            }
        })?;
        old.push((own, file));
    }
    let into = dir.join("segments").join(format!("{:x}-gc.{ENDING}", crate::store::segment::now()));
    if !kept.is_empty() {
        growing::write(&into, &rows)?;
    }
    old.iter().try_for_each(|(_, file)| std::fs::remove_file(file))?;
    let dropped = if busy == 0 { drop_records(dir, &kept)? } else { 0 };
    Ok(Ok(json!({
        "store": dir,
        "kept": kept.len(),
        "dropped": seen - kept.len(),
        "segments_before": census.files.len(),
        "segments": usize::from(!kept.is_empty()) + busy,
        "busy": busy,
        "records_dropped": dropped,
    })))
}

/// Whether a row's results are those of this release.
fn is_current(result: &[u8]) -> bool {
    let result: Value = serde_json::from_slice(result).unwrap_or_default();
    result["of"]["results_version"] == RESULTS_VERSION
}

/// Removes series without a row. Nobody writes now: a writer has a locked file of rows before it has series.
fn drop_records(dir: &Path, kept: &BTreeSet<Key>) -> io::Result<usize> {
    let mut dropped = 0;
    for entry in std::fs::read_dir(dir.join("records"))? {
        let entry = entry?;
        let key: Option<Key> = entry.file_name().to_string_lossy().parse().ok();
        if key.is_some_and(|k| !kept.contains(&k)) {
            std::fs::remove_dir_all(entry.path())?;
            dropped += 1;
        }
    }
    Ok(dropped)
}
