//! Moves damaged data aside, so that the store can be used again. Nothing that was moved aside is
//! ever overwritten.
use crate::files::durable;
use crate::store::key::Key;
use crate::store::leftovers::clear_away;
use crate::store::line::Fault;
use crate::store::lock::Lock;
use crate::store::maintenance::inventory::{Entry, Inventory};
use crate::store::scan;
use crate::store::segment::{ENDING, is_busy, now};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// The files and lines to put aside.
#[derive(Default)]
struct Damaged {
    /// Lines by their file.
    lines: BTreeMap<usize, BTreeSet<usize>>,
    /// Directories of series.
    series: BTreeSet<PathBuf>,
    /// Rows whose series are damaged.
    runs: usize,
}

/// Moves damaged rows, and runs whose series are damaged, into `damaged/`:
/// `{"store", "moved", "kept", "files", "newer", "series_moved"}`. After a kill at any step the
/// store has every sound row, and repair can be called again.
///
/// # Errors
/// The store is in use, or the disk is full or fails.
pub fn repair(dir: &Path) -> io::Result<Value> {
    let _alone = Lock::of(dir).alone()?;
    clear_away(dir)?;
    let mut rows: BTreeMap<Key, Vec<Entry>> = BTreeMap::new();
    let inventory = Inventory::of(dir, |row, entry| {
        if entry.done && !entry.records.is_empty() {
            rows.entry(row.key).or_default().push(entry.clone());
        }
    })?;
    let mut damaged = damaged_series(dir, &rows);
    let file_of =
        |file: &PathBuf| inventory.files.iter().position(|f| f == file).unwrap_or(usize::MAX);
    let bad: Vec<_> =
        inventory.bad.iter().filter(|b| matches!(b.fault, Fault::Damaged(_))).collect();
    for b in &bad {
        damaged.lines.entry(file_of(&b.file)).or_default().insert(b.line);
    }
    for file in damaged.lines.keys().map(|i| &inventory.files[*i]) {
        if is_busy(file)? {
            let cause =
                format!("{} is being written by a run; repair when that has ended", file.display());
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, cause));
        }
    }
    let away = dir.join("damaged");
    if !damaged.lines.is_empty() {
        durable::create_dir_all(&away)?;
    }
    let mut moved = Vec::new();
    for series in &damaged.series {
        moved.extend(put_aside(series, &away)?);
    }
    for (i, lines) in &damaged.lines {
        moved.push(split(&inventory.files[*i], lines, &away)?);
    }
    Ok(json!({
        "store": dir,
        "moved": bad.len() + damaged.runs,
        "kept": inventory.lines - damaged.runs,
        "files": moved,
        "newer": inventory.bad.len() - bad.len(),
        "series_moved": damaged.runs,
    }))
}

/// The rows whose series are damaged or missing. A run of which another row has sound series loses
/// nothing.
fn damaged_series(dir: &Path, rows: &BTreeMap<Key, Vec<Entry>>) -> Damaged {
    let mut out = Damaged::default();
    for (key, entries) in rows {
        let mut seen: BTreeMap<PathBuf, bool> = BTreeMap::new();
        // From the last on: those before one that counts and is sound are never asked for.
        for entry in entries.iter().rev() {
            let series = entry.records.dir(dir, *key);
            let damaged = *seen
                .entry(series.clone())
                .or_insert_with(|| !entry.records.damage(&series).is_empty());
            if !damaged {
                break;
            }
            out.series.insert(series);
            out.lines.entry(entry.file).or_default().insert(entry.line);
            out.runs += 1;
        }
    }
    out
}

/// Moves a directory of series, if it is there, into `away` under a name that is free.
fn put_aside(series: &Path, away: &Path) -> io::Result<Option<PathBuf>> {
    if !series.exists() {
        return Ok(None);
    }
    let name = series.file_name().unwrap_or_default().display().to_string();
    let names = std::iter::once(name.clone()).chain((2..).map(|n| format!("{name}-{n}")));
    let to = names.map(|name| away.join(name)).find(|to| !to.exists()).unwrap_or_default();
    std::fs::rename(series, &to)?;
    durable::sync_dir(away)?;
    durable::sync_dir(durable::parent(series))?;
    Ok(Some(to))
}

/// Writes the `lines` of a file of rows into `away`, the others into a new file of rows, and then
/// removes the file. The name of what is put aside tells its content: after a kill in between, the
/// same bytes go to the same name.
fn split(file: &Path, lines: &BTreeSet<usize>, away: &Path) -> io::Result<PathBuf> {
    let (mut good, mut aside) = (Vec::new(), Vec::new());
    scan::lines(file, |number, _, text| {
        let to = if lines.contains(&number) { &mut aside } else { &mut good };
        to.extend_from_slice(text);
        to.push(b'\n');
    })?;
    let stem = file.file_stem().unwrap_or_default().display();
    let to = away.join(format!("{stem}-{}.{ENDING}", &blake3::hash(&aside).to_hex()[..16]));
    durable::write(&to, &aside)?;
    if !good.is_empty() {
        // A new name: who has read the old file never finds other rows at their places.
        durable::write(&file.with_file_name(format!("{:x}-repair.{ENDING}", now())), &good)?;
    }
    std::fs::remove_file(file)?;
    durable::sync_dir(durable::parent(file))?;
    Ok(to)
}
