//! The store: results that are kept by what was asked, so that nothing is run twice and nothing is lost.
//!
//! A store is a directory:
//!
//! | in it | is |
//! |---|---|
//! | `store.json` | its format and its name |
//! | `segments/*.jsonl` | a row for each run that ended: [`line`]. Each process writes a file of its own, so that writers never meet |
//! | `records/KEY/` | a run's series, moved here whole before its row is written |
//! | `.growing-*` | series of runs that are going on |
//! | `damaged/` | what `repair` took out |
//!
//! A row is one line, written with one call. What a kill leaves is a last line without its end, which is not read,
//! and which nobody writes behind: a writer never opens another's file. So at every moment each row is there whole,
//! or it is not there.
pub mod care;
pub mod key;
mod line;
pub mod records;
mod scan;
mod segment;

use crate::growing::{self, Growing};
use crate::problem::Problem;
use key::Key;
pub use records::Records;
use scan::Index;
use segment::Segment;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The newest format of a store that this release reads.
const FORMAT: u64 = 1;
/// The file that says that a directory is a store.
const MARK: &str = "store.json";

/// What `store.json` says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// The format.
    pub format: u64,
    /// A name by which another machine can tell that it sees the same store.
    pub id: String,
}

/// An open store.
pub struct Store {
    dir: PathBuf,
    mark: Mark,
    index: Index,
    /// This process's own file, made when there is a row.
    segment: Mutex<Option<Segment>>,
    /// Where series grow, made when there are some.
    growing: Mutex<Option<Growing>>,
}

/// A run that the store has.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its result.
    pub result: Value,
    /// Its series.
    pub records: Records,
}

/// A store that cannot be used: why, and what helps.
fn failed(dir: &Path, e: &io::Error) -> Problem {
    let fix = match e.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a directory that you may write to (--store DIR), or do without a store (--no-store)"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space; the runs that the store has are kept"
        }
        _ => "choose another directory with --store DIR",
    };
    Problem::failure(format!("the store {} cannot be used: {e}", dir.display()), Some(fix.into()))
}

impl Store {
    /// Opens the store in `dir`, which is made if need be, and reads which runs it has.
    ///
    /// # Errors
    /// Code 1: the directory is something else, is newer than this release, has a damaged row, or cannot be used.
    pub fn open(dir: &Path) -> Result<Store, Problem> {
        let store = Store::open_to_write(dir)?;
        let tidied = growing::tidy(dir).and_then(|()| growing::tidy(&store.segments()));
        tidied.map_err(|e| failed(dir, &e))?;
        let index = Index::read(&store.segments()).map_err(|e| failed(dir, &e))?;
        match index.bad.first() {
            None => Ok(Store { index, ..store }),
            Some(_) => Err(care::refuse(dir, &index.bad)),
        }
    }

    /// Opens it without reading: [`Store::find`] then finds nothing.
    ///
    /// # Errors
    /// Code 1: as [`Store::open`], less what is in the rows.
    pub fn open_to_write(dir: &Path) -> Result<Store, Problem> {
        let mark = mark(dir)?;
        Ok(Store {
            dir: dir.into(),
            mark,
            index: Index::default(),
            segment: Mutex::new(None),
            growing: Mutex::new(None),
        })
    }

    /// Its directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Its name.
    pub fn id(&self) -> &str {
        &self.mark.id
    }

    fn segments(&self) -> PathBuf {
        self.dir.join("segments")
    }

    /// The run `key`, if it ended well and its series are all there.
    pub fn find(&self, key: Key) -> Option<Found> {
        let mut result = self.index.result(key)?;
        let records = Records::take(&mut result);
        let whole = records.damage(&records.dir(&self.dir, key)).is_empty();
        whole.then_some(Found { result, records })
    }

    /// Why the run `key` failed, if it did and never ended well.
    pub fn failure(&self, key: Key) -> Option<Value> {
        self.index.failure(key)
    }

    /// Keeps a run: its series first, if it has grown some, then its row.
    ///
    /// # Errors
    /// Code 1: they cannot be written. Nothing half is left.
    pub fn keep(&self, key: Key, result: &Value) -> Result<Records, Problem> {
        let failed = |e: io::Error| failed(&self.dir, &e);
        let records = match self.grown(key) {
            Some(grown) => {
                drop(self.own_segment().map_err(failed)?); // A writer has a locked file of rows before it has series.
                let records = Records::sealed(&grown).map_err(failed)?;
                records.place(&grown, &records.dir(&self.dir, key)).map_err(failed)?;
                records
            }
            None => Records::default(),
        };
        let mut row = result.clone();
        records.put(&mut row);
        let done = result.get("error").is_none();
        let text = line::write(key, done, &row);
        let mut own = self.own_segment().map_err(failed)?;
        // A segment whose end could not be mended is not written to again.
        let written = own.take().map(|segment| segment.append(&text)).transpose();
        *own = written.map_err(failed)?;
        Ok(records)
    }

    /// This process's file of rows, made if need be.
    fn own_segment(&self) -> io::Result<MutexGuard<'_, Option<Segment>>> {
        let mut segment = self.segment.lock().unwrap_or_else(PoisonError::into_inner);
        if segment.is_none() {
            *segment = Some(Segment::create(&self.segments())?);
        }
        Ok(segment)
    }

    /// Where the series of the run `key` grow.
    ///
    /// # Errors
    /// Code 1: it cannot be made.
    pub fn grow(&self, key: Key) -> Result<PathBuf, Problem> {
        let failed = |e: io::Error| failed(&self.dir, &e);
        let mut growing = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        if growing.is_none() {
            *growing = Some(Growing::new(&self.dir).map_err(failed)?);
        }
        let base = growing.as_ref().map_or(self.dir.as_path(), Growing::path);
        let dir = base.join(key.to_string());
        std::fs::create_dir_all(&dir).map_err(failed)?;
        Ok(dir)
    }

    /// Drops what has grown for a run that did not end well.
    pub fn drop_grown(&self, key: Key) {
        if let Some(grown) = self.grown(key) {
            let _ = std::fs::remove_dir_all(grown); // It goes with the rest at the end.
        }
    }

    fn grown(&self, key: Key) -> Option<PathBuf> {
        let growing = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        let dir = growing.as_ref()?.path().join(key.to_string());
        dir.is_dir().then_some(dir)
    }

    /// Sees to it that the rows outlive a loss of power.
    ///
    /// # Errors
    /// Code 1: the disk fails.
    pub fn sync(&self) -> Result<(), Problem> {
        let mut segment = self.segment.lock().unwrap_or_else(PoisonError::into_inner);
        segment.as_mut().map_or(Ok(()), Segment::sync).map_err(|e| failed(&self.dir, &e))
    }
}

/// Makes a directory a store, or sees that it is one.
fn mark(dir: &Path) -> Result<Mark, Problem> {
    let failed = |e: io::Error| failed(dir, &e);
    let file = dir.join(MARK);
    if !file.exists() {
        std::fs::create_dir_all(dir).map_err(failed)?;
        let other =
            std::fs::read_dir(dir).map_err(failed)?.flatten().find(|e| !of_store(&e.file_name().to_string_lossy()));
        if let Some(other) = other.filter(|_| !file.exists()) {
            let cause =
                format!("{} is no store, and it is not empty: it has {}", dir.display(), other.file_name().display());
            return Err(Problem::failure(cause, Some("name a new directory, or one that a store is in".into())));
        }
        let id = blake3::hash(format!("{:?} {}", std::time::SystemTime::now(), std::process::id()).as_bytes());
        let mark = Mark { format: FORMAT, id: id.to_hex()[..16].to_string() };
        // Two that make a store at once: the later one's name stays, and both read it below.
        growing::write(&file, serde_json::to_string(&mark).unwrap_or_default().as_bytes()).map_err(failed)?;
    }
    std::fs::create_dir_all(dir.join("segments")).map_err(failed)?;
    std::fs::create_dir_all(dir.join("records")).map_err(failed)?;
    read_mark(dir).map_err(failed)?.map_err(|(cause, fix)| Problem::failure(cause, Some(fix)))
}

/// What `store.json` says; or cause and fix of what is wrong with it. Nothing is written.
fn read_mark(dir: &Path) -> io::Result<Result<Mark, (String, String)>> {
    let file = dir.join(MARK);
    // Bytes that are no text are damage of the file's, as others are.
    let text = String::from_utf8_lossy(&std::fs::read(&file)?).into_owned();
    Ok(match serde_json::from_str::<Value>(&text).ok().map(|v| (v["format"].as_u64(), v)) {
        Some((Some(n), _)) if n > FORMAT => {
            let cause = format!("{} is a store of format {n}, and this release reads up to {FORMAT}", dir.display());
            Err((cause, "use a newer release of dumbbell, or another store".into()))
        }
        Some((Some(_), v)) if v["id"].is_string() => Ok(serde_json::from_value(v).unwrap_or_else(|_| unreachable!())),
        _ => {
            let cause = format!("{} does not say what store this is", file.display());
            let fix = format!("remove that file: the next run writes it anew, and the rows in {} stay", dir.display());
            Err((cause, fix))
        }
    })
}

/// Names that a store may have without its mark: another process is at making it, or was killed at that.
fn of_store(name: &str) -> bool {
    ["segments", "records", "damaged", "slurm", MARK].contains(&name)
        || name.starts_with(".new-")
        || name.starts_with(".growing-")
}
