//! The store's lock, by which writers and readers exclude those that remove.
//!
//! A step that adds (a new segment, or series and their row) or needs a consistent view (of the
//! index, or of series that a row lists) holds it *shared*. A step that removes or rewrites (gc,
//! repair, cleanup) holds it *exclusively*. It is held for one step, never during a run, and never
//! twice by one thread.
//!
//! Two files make it fair: each step locks `gate` first and then `lock`. A step that waits for the
//! exclusive lock keeps `gate` until the steps under way have ended; otherwise a stream of writers
//! could starve it.
use crate::files::lock::{Mode, Tried, acquire, attempt};
use crate::store::naming;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The files of the lock: through which one enters, and which one holds.
pub const FILES: [&str; 2] = ["gate", "lock"];
/// The time that a step waits: a large store takes a while to collect.
const SHARE: Duration = Duration::from_secs(600);
/// The time that gc and repair wait. Writers wait behind them.
const ALONE: Duration = Duration::from_secs(60);

/// The lock of a store.
pub struct Lock {
    dir: PathBuf,
    patience: (Duration, Duration),
}

/// Nobody removes anything from the store while this value lives.
#[derive(Debug)]
pub struct SharedLock {
    /// None where there are no locks: there nobody removes anything at all.
    _lock: Option<File>,
}

/// Nobody else takes a step in the store while this value lives.
#[derive(Debug)]
pub struct ExclusiveLock {
    _files: [File; 2],
}

impl Lock {
    /// The lock of the store in `dir`.
    pub fn of(dir: &Path) -> Lock {
        Lock { dir: dir.into(), patience: (SHARE, ALONE) }
    }

    /// Enters with others.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`]: another process has the store alone. Or the disk fails.
    pub fn share(&self) -> io::Result<SharedLock> {
        let [gate, lock] = [self.open(FILES[0])?, self.open(FILES[1])?];
        let (Some(gate), Some(lock)) = (gate, lock) else { return Ok(SharedLock { _lock: None }) };
        let locked = acquire(&gate, Mode::Shared, &self.what(), self.patience.0)?
            && acquire(&lock, Mode::Shared, &self.what(), self.patience.0)?;
        Ok(SharedLock { _lock: locked.then_some(lock) })
    }

    /// Waits until nobody else takes a step, and keeps others out.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`]: others are in. [`io::ErrorKind::Unsupported`]: this file system
    /// has no locks.
    pub fn alone(&self) -> io::Result<ExclusiveLock> {
        let files = FILES.map(|name| self.open_to_write(name));
        let [gate, lock] = files;
        let (gate, lock) = (gate?, lock?);
        let locked = acquire(&gate, Mode::Exclusive, &self.what(), self.patience.1)?
            && acquire(&lock, Mode::Exclusive, &self.what(), self.patience.1)?;
        if !locked {
            let cause = "its file system has no locks, so nothing can be removed without harm to \
                those that write";
            return Err(io::Error::new(io::ErrorKind::Unsupported, cause));
        }
        Ok(ExclusiveLock { _files: [gate, lock] })
    }

    /// [`Lock::alone`] without waiting; `None` if others are in the store, or if its file system
    /// has no locks.
    ///
    /// # Errors
    /// The disk fails.
    pub fn try_alone(&self) -> io::Result<Option<ExclusiveLock>> {
        let (Some(gate), Some(lock)) = (self.open(FILES[0])?, self.open(FILES[1])?) else {
            return Ok(None);
        };
        let locked = attempt(&gate, Mode::Exclusive)? == Tried::Locked
            && attempt(&lock, Mode::Exclusive)? == Tried::Locked;
        Ok(locked.then_some(ExclusiveLock { _files: [gate, lock] }))
    }

    fn what(&self) -> String {
        format!("the store {}", self.dir.display())
    }

    fn open_to_write(&self, name: &str) -> io::Result<File> {
        let file = self.dir.join(name);
        let mut how = OpenOptions::new();
        how.read(true).write(true).create(true).truncate(false);
        naming(&file, how.open(&file))
    }

    /// A file of the lock. A store that may only be read may lack it.
    fn open(&self, name: &str) -> io::Result<Option<File>> {
        match self.open_to_write(name) {
            Err(e)
                if matches!(
                    e.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                ) =>
            {
                match File::open(self.dir.join(name)) {
                    Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
                    opened => opened.map(Some),
                }
            }
            opened => opened.map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hasty(dir: &Path) -> Lock {
        Lock { dir: dir.into(), patience: (Duration::ZERO, Duration::ZERO) }
    }

    #[test]
    fn many_share_and_one_is_alone() {
        let dir = tempfile::tempdir().unwrap();
        let lock = hasty(dir.path());
        let (first, second) = (lock.share().unwrap(), lock.share().unwrap());
        assert_eq!(lock.alone().unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(lock.try_alone().unwrap().is_none());
        drop((first, second));
        let alone = lock.alone().unwrap();
        assert_eq!(lock.share().unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(alone);
        assert!(lock.try_alone().unwrap().is_some() && lock.share().is_ok());
    }

    /// Else writers whose steps overlap could keep gc out forever.
    #[test]
    fn nobody_enters_before_one_that_waits() {
        let dir = tempfile::tempdir().unwrap();
        let under_way = hasty(dir.path()).share().unwrap();
        let path = dir.path().to_path_buf();
        let waits = std::thread::spawn(move || {
            Lock { dir: path, patience: (SHARE, SHARE) }.alone().unwrap()
        });
        while hasty(dir.path()).share().is_ok() {
            std::thread::yield_now();
        }
        drop(under_way);
        drop(waits.join().unwrap());
        assert!(hasty(dir.path()).share().is_ok());
    }
}
