//! Tidying: one file of rows for many, and no series without a row.
use crate::files::durable;
use crate::language::problem::Problem;
use crate::store::bad_lines::refuse;
use crate::store::key::{Key, RESULTS_VERSION};
use crate::store::leftovers::clear_away;
use crate::store::lock::Lock;
use crate::store::maintenance::inventory::{Entry, Inventory};
use crate::store::scan;
use crate::store::segment::{ENDING, is_busy, now};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Puts the rows of writers that are gone into one file, without those that another row stands for
/// or that are of older results; and removes series that belong to no row:
/// `{"store", "kept", "dropped", "segments_before", "segments", "busy", "records_dropped"}`.
///
/// # Errors
/// The store is in use, or the disk is full or fails: no row is lost.
pub fn gc(dir: &Path) -> io::Result<Result<Value, Problem>> {
    let _alone = Lock::of(dir).alone()?;
    clear_away(dir)?;
    let mut all: Vec<(usize, Key, Entry)> = Vec::new();
    let inventory =
        Inventory::of(dir, |row, entry| all.push((entry.file, row.key, entry.clone())))?;
    if !inventory.bad.is_empty() {
        return Ok(Err(refuse(dir, &inventory.bad)));
    }
    let busy =
        inventory.files.iter().map(|file| is_busy(file)).collect::<io::Result<Vec<bool>>>()?;
    for (file, _) in inventory.files.iter().zip(&busy).filter(|(_, busy)| **busy) {
        File::open(file)?.sync_data()?; // A row in it may be what another one is dropped for.
    }
    let kept = |e: &&Entry| !busy[e.file] && e.version.is_some_and(|v| v >= RESULTS_VERSION.into());
    let lines: BTreeSet<(usize, usize)> =
        inventory.rows.values().filter(kept).map(|e| (e.file, e.line)).collect();
    if !lines.is_empty() {
        let into = dir.join("segments").join(format!("{:x}-gc.{ENDING}", now()));
        merge(&inventory, &lines, &into)?;
    }
    let old: Vec<&PathBuf> = inventory
        .files
        .iter()
        .zip(&busy)
        .filter(|(_, busy)| !**busy)
        .map(|(file, _)| file)
        .collect();
    old.iter().try_for_each(std::fs::remove_file)?;
    durable::sync_dir(&dir.join("segments"))?;
    // All rows of a living writer: it may hand out its series as long as it lives.
    let counts =
        |(file, _, e): &&(usize, Key, Entry)| busy[*file] || lines.contains(&(*file, e.line));
    let wanted = all.iter().filter(counts).map(|(_, key, e)| e.records.dir(dir, *key)).collect();
    let dropped = drop_records(dir, &wanted)?;
    let busy_files = busy.iter().filter(|b| **b).count();
    Ok(Ok(json!({
        "store": dir,
        "kept": lines.len(),
        "dropped": all.iter().filter(|(file, ..)| !busy[*file]).count() - lines.len(),
        "segments_before": inventory.files.len(),
        "segments": usize::from(!lines.is_empty()) + busy_files,
        "busy": busy_files,
        "records_dropped": dropped,
    })))
}

/// Writes the rows at `lines` (file and line) to the new file `into`.
fn merge(inventory: &Inventory, lines: &BTreeSet<(usize, usize)>, into: &Path) -> io::Result<()> {
    let mut out = BufWriter::new(durable::create(into)?);
    for (i, file) in inventory.files.iter().enumerate() {
        let mut written = Ok(());
        scan::lines(file, |number, _, text| {
            if written.is_ok() && lines.contains(&(i, number)) {
                written = out.write_all(text).and_then(|()| out.write_all(b"\n"));
            }
        })?;
        written?;
    }
    durable::persist(out.into_inner().map_err(io::IntoInnerError::into_error)?, into)
}

/// Removes series that no row lists.
fn drop_records(dir: &Path, wanted: &HashSet<PathBuf>) -> io::Result<usize> {
    let mut dropped = 0;
    for entry in std::fs::read_dir(dir.join("records"))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let key = name.split_once('-').map_or(name.as_str(), |(key, _)| key);
        if key.parse::<Key>().is_ok() && !wanted.contains(&entry.path()) {
            std::fs::remove_dir_all(entry.path())?;
            dropped += 1;
        }
    }
    Ok(dropped)
}
