//! The store: results under a hash of their plan, so that nothing is run twice and nothing is lost.
//!
//! A store is a directory:
//!
//! | in it | is |
//! |---|---|
//! | `store.json` | its format and its name |
//! | `gate`, `lock` | the [`lock`] by which those that remove exclude all others |
//! | `segments/*.jsonl` | a row for each run that ended: [`line`]. Each process writes a file of its own, so that writers never meet |
//! | `records/KEY-CONTENT/` | a run's series, which never change: [`records`] |
//! | `.growing-*` | series of runs that are going on |
//! | `damaged/` | what `repair` took out |
//!
//! A row is one line, written with one call. What a kill leaves is a last line without its end,
//! which is not read, and which nobody writes behind: a writer never opens another's file. So at
//! every moment each row is either complete or absent.
//!
//! The order of every step, locks first: (1) the mutex of what grows, (2) the [`lock`], shared or
//! exclusive, (3) the mutex of this process's segment. A writer syncs its series, then, sharing the
//! store, makes and locks its segment if it has none, moves the series to their place, and appends
//! the row. So a process with the exclusive lock sees no segment in the making, and no series
//! without their row except those that a kill left.
mod bad_lines;
pub mod key;
mod leftovers;
mod line;
mod lock;
pub mod maintenance;
pub mod records;
mod scan;
mod segment;

use crate::files::durable;
use crate::files::staging;
use crate::files::staging::StagingDir;
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use key::Key;
use lock::{Lock, SharedLock};
pub use records::{Damage, Records};
use scan::{Index, Row};
use segment::Segment;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// The newest format of a store that this release reads.
const FORMAT: u64 = 1;
/// The file that says that a directory is a store.
const MARK: &str = "store.json";

/// The content of `store.json`.
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
    lock: Lock,
    index: RwLock<Index>,
    /// This process's own file, made when there is a row.
    segment: Mutex<Option<Segment>>,
    /// The directory in which series grow. It is made for the first of them.
    growing: Mutex<Option<StagingDir>>,
    /// Series that were asked for and are not what they were.
    damaged: Mutex<Vec<Damage>>,
}

/// A run that the store has.
#[derive(Debug)]
pub struct Found {
    /// Its result.
    pub result: Value,
    /// Its series, each byte of which was verified just now.
    pub records: Records,
    /// While this value lives, nobody removes the series. The same thread asks the store for
    /// nothing else meanwhile.
    _share: Option<SharedLock>,
}

/// What was done with a file of a store, whose error names it.
fn naming<T>(file: &Path, done: io::Result<T>) -> io::Result<T> {
    done.map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", file.display())))
}

/// A store that cannot be used: why, and what helps.
fn failed(dir: &Path, e: &io::Error) -> Problem {
    let fix = match e.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a directory that you may write to (--store DIR), or do without a store \
                (--no-store)"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space; the runs that the store has are kept"
        }
        io::ErrorKind::TimedOut => "give the command again when that process has ended",
        _ => "choose another directory with --store DIR",
    };
    Problem::failure(format!("the store {} cannot be used: {e}", dir.display()), Some(fix.into()))
}

impl Store {
    /// Opens the store in `dir`, which is made if need be, and reads which runs it has.
    ///
    /// # Errors
    /// Code 3: a row is damaged. 1: the directory is something else, is newer than this release, or
    /// cannot be used.
    pub fn open(dir: &Path) -> Result<Store, Problem> {
        let store = Store::open_to_write(dir)?;
        store.clear_away().map_err(|e| failed(dir, &e))?;
        let index = store.read_index().map_err(|e| failed(dir, &e))?;
        match index.bad.first() {
            None => Ok(Store { index: RwLock::new(index), ..store }),
            Some(_) => Err(bad_lines::refuse(dir, &index.bad)),
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
            lock: Lock::of(dir),
            index: RwLock::default(),
            segment: Mutex::new(None),
            growing: Mutex::new(None),
            damaged: Mutex::default(),
        })
    }

    /// Clears away what killed processes left, if there is any and nobody else is in.
    fn clear_away(&self) -> io::Result<()> {
        if leftovers::leftovers(&self.dir)?
            && let Some(_alone) = self.lock.try_alone()?
        {
            leftovers::clear_away(&self.dir)?;
        }
        Ok(())
    }

    fn read_index(&self) -> io::Result<Index> {
        let _share = self.lock.share()?;
        Index::read(&self.segments())
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

    /// The run `key`, if it ended well and its series are all there as they were written. Series
    /// that are damaged are told by [`Store::damaged`], and the run is to be made again.
    ///
    /// # Errors
    /// Code 1: the store cannot be read.
    pub fn find(&self, key: Key) -> Result<Option<Found>, Problem> {
        let failed = |e: io::Error| failed(&self.dir, &e);
        let Some(mut result) = self.row(key, true).map_err(failed)? else { return Ok(None) };
        let mut records = Records::take(&mut result);
        if records.is_empty() {
            return Ok(Some(Found { result, records, _share: None }));
        }
        let share = self.lock.share().map_err(failed)?;
        let mut damage = records.damage(&records.dir(&self.dir, key));
        // Between the row and the share gc may have removed both, because another row stands for
        // the same run.
        if !damage.is_empty() && self.refresh(&share).map_err(failed)? {
            let Row::Here(row) = self.indexed(key, true) else { return Ok(None) };
            result = row;
            records = Records::take(&mut result);
            damage = records.damage(&records.dir(&self.dir, key));
        }
        if damage.is_empty() {
            return Ok(Some(Found { result, records, _share: Some(share) }));
        }
        self.damaged.lock().unwrap_or_else(PoisonError::into_inner).extend(damage);
        Ok(None)
    }

    /// Why the run `key` failed, if it did and never ended well.
    ///
    /// # Errors
    /// Code 1: the store cannot be read.
    pub fn failure(&self, key: Key) -> Result<Option<Value>, Problem> {
        self.row(key, false).map_err(|e| failed(&self.dir, &e))
    }

    /// The damaged files of series that [`Store::find`] met.
    pub fn damaged(&self) -> Vec<Damage> {
        self.damaged.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A row; one whose file gc has removed since the index was read is looked up again.
    fn row(&self, key: Key, done: bool) -> io::Result<Option<Value>> {
        let mut row = self.indexed(key, done);
        if row == Row::Gone {
            let share = self.lock.share()?;
            self.refresh(&share)?;
            row = self.indexed(key, done);
        }
        Ok(if let Row::Here(result) = row { Some(result) } else { None })
    }

    fn indexed(&self, key: Key, done: bool) -> Row {
        self.index.read().unwrap_or_else(PoisonError::into_inner).row(key, done)
    }

    /// Reads the index again if a file that it names is gone. True if it was read.
    fn refresh(&self, _: &SharedLock) -> io::Result<bool> {
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        let stale = index.is_stale();
        if stale {
            *index = Index::read(&self.segments())?;
        }
        Ok(stale)
    }

    /// Keeps a run: its series first, if it has grown some, then its row.
    ///
    /// # Errors
    /// Code 1: they cannot be written. Nothing half is left.
    pub fn keep(&self, key: Key, result: &Value) -> Result<Records, Problem> {
        self.add(key, result).map_err(|e| failed(&self.dir, &e))
    }

    fn add(&self, key: Key, result: &Value) -> io::Result<Records> {
        let grown = self.grown(key);
        // All that takes long is done before others have to wait.
        let records = grown.as_deref().map(Records::sealed).transpose()?.unwrap_or_default();
        let mut row = Cow::Borrowed(result);
        if !records.is_empty() {
            records.put(row.to_mut());
        }
        let text = line::write(key, result.get("error").is_none(), &row);
        let _share = self.lock.share()?;
        if let Some(grown) = grown.filter(|_| !records.is_empty()) {
            records.place(&grown, &records.dir(&self.dir, key))?;
        }
        let mut own = self.own_segment()?;
        // A segment whose end could not be taken back is not written to again.
        *own = own.take().map(|segment| segment.append(&text)).transpose()?;
        Ok(records)
    }

    /// This process's file of rows, made if need be. The caller shares the store.
    fn own_segment(&self) -> io::Result<MutexGuard<'_, Option<Segment>>> {
        let mut segment = self.segment.lock().unwrap_or_else(PoisonError::into_inner);
        if segment.is_none() {
            *segment = Some(Segment::create(&self.segments())?);
        }
        Ok(segment)
    }

    /// The directory in which the series of the run `key` grow.
    ///
    /// # Errors
    /// Code 1: it cannot be made.
    pub fn grow(&self, key: Key) -> Result<PathBuf, Problem> {
        let failed = |e: io::Error| failed(&self.dir, &e);
        let mut growing = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        if growing.is_none() {
            let _share = self.lock.share().map_err(failed)?;
            *growing = Some(StagingDir::create(&self.dir).map_err(failed)?);
        }
        let base = growing.as_ref().map_or(self.dir.as_path(), StagingDir::path);
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

/// Makes a directory a store, or sees that it is one. The mark comes last: what has one has its
/// folders.
fn mark(dir: &Path) -> Result<Mark, Problem> {
    let failed = |e: io::Error| failed(dir, &e);
    let (file, folders) = (dir.join(MARK), ["segments", "records"].map(|name| dir.join(name)));
    if !(file.exists() && folders.iter().all(|f| f.is_dir())) {
        if !file.exists() {
            only_of_store(dir)?;
        }
        durable::create_dir_all(dir).map_err(failed)?;
        let _share = Lock::of(dir).share().map_err(failed)?;
        folders.iter().try_for_each(|folder| durable::create_dir_all(folder)).map_err(failed)?;
        let id = blake3::hash(
            format!("{:?} {}", std::time::SystemTime::now(), std::process::id()).as_bytes(),
        );
        let mark = Mark { format: FORMAT, id: id.to_hex()[..16].to_string() };
        // Of two that make a store at once, the first gives it its name.
        durable::write_new(&file, serde_json::to_string(&mark).unwrap_or_default().as_bytes())
            .map_err(failed)?;
    }
    read_mark(dir).map_err(failed)?.map_err(|(code, d)| Problem::new(code, &[d], &Texts::default()))
}

/// Refuses a directory that has anything in it which no store has.
fn only_of_store(dir: &Path) -> Result<(), Problem> {
    let entries = match std::fs::read_dir(dir) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|e| failed(dir, &e))?,
    };
    let Some(other) = entries.flatten().find(|e| !of_store(&e.file_name().to_string_lossy()))
    else {
        return Ok(());
    };
    let cause = format!(
        "{} is not a store, and it is not empty: it has {}",
        dir.display(),
        other.file_name().display()
    );
    Err(Problem::failure(cause, Some("name a new directory, or one that a store is in".into())))
}

/// Returns the content of `store.json`, or the exit code and a diagnostic if it is wrong. Writes
/// nothing.
fn read_mark(dir: &Path) -> io::Result<Result<Mark, (i32, Diagnostic)>> {
    let file = dir.join(MARK);
    // Bytes that are no text are damage of the file's, as others are.
    let text = String::from_utf8_lossy(&naming(&file, std::fs::read(&file))?).into_owned();
    Ok(match serde_json::from_str::<Value>(&text).ok().map(|v| (v["format"].as_u64(), v)) {
        Some((Some(n), _)) if n > FORMAT => {
            let cause = format!(
                "{} is a store of format {n}, and this release reads up to \
                {FORMAT}",
                dir.display()
            );
            Err((
                code::FAILURE,
                Diagnostic::new(cause).fix(
                    "use a newer release of dumbbell, or \
                another store",
                ),
            ))
        }
        Some((Some(_), v)) if v["id"].is_string() => {
            Ok(serde_json::from_value(v).unwrap_or_else(|_| unreachable!()))
        }
        _ => {
            let cause =
                format!("{} is damaged: it does not say what store this is", file.display());
            let fix = format!(
                "remove that file: the next run writes it anew, and the rows in {} \
                stay",
                dir.display()
            );
            Err((code::CHECK, Diagnostic::new(cause).fix(fix)))
        }
    })
}

/// Names that a store may have without its mark: another process is at making it, or was killed at
/// that.
fn of_store(name: &str) -> bool {
    ["segments", "records", "damaged", "slurm", MARK].contains(&name)
        || lock::FILES.contains(&name)
        || staging::is_temporary(name)
}
