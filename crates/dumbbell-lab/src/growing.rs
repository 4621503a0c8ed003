//! A place in which files grow until they are whole.
//!
//! It is a directory with a temporary name beside the place where its files will be, so that they can be moved
//! there in one step. It goes when it is dropped; what a process that was killed has left, the next one that
//! works in the same directory clears away: what has a lock that nobody holds.
use crate::durable::{self, NEW};
use std::fs::File;
use std::io;
use std::path::Path;
use tempfile::TempDir;

/// How the name of such a directory begins.
const PREFIX: &str = ".growing-";
/// A file in it that is locked while its process lives.
const LOCK: &str = "lock";

/// A directory that is there while this value lives.
pub struct Growing {
    dir: TempDir,
    /// Says that this process lives.
    _lock: File,
}

impl Growing {
    /// A new one in `base`, after those of processes that are gone were cleared away.
    ///
    /// # Errors
    /// `base` cannot be written to.
    pub fn new(base: &Path) -> io::Result<Growing> {
        // One process at a time, so that nobody sees a directory that has no lock yet. Where directories cannot be
        // locked (some network file systems) that is left to luck.
        let door = File::open(base)?;
        let alone = door.lock().is_ok();
        clear_away(base, alone)?;
        let dir = tempfile::Builder::new().prefix(PREFIX).tempdir_in(base)?;
        let lock = File::create(dir.path().join(LOCK))?;
        lock.try_lock()?;
        Ok(Growing { dir, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// Writes `file` whole or not at all; others may read it, as any file of ours. One that is there is replaced.
///
/// # Errors
/// Its directory cannot be written to.
pub fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let door = File::open(durable::parent(file))?;
    let _ = door.lock(); // While we have it nobody takes the new file for a dead one.
    durable::write(file, bytes)
}

/// Clears away what processes that were killed have left in `base`.
///
/// # Errors
/// It cannot be read.
pub fn tidy(base: &Path) -> io::Result<()> {
    let door = File::open(base)?;
    let alone = door.lock().is_ok();
    clear_away(base, alone)
}

/// Removes what has a lock that nobody holds; if we are `alone`, also what has none.
fn clear_away(base: &Path, alone: bool) -> io::Result<()> {
    for entry in std::fs::read_dir(base)? {
        let path = entry?.path();
        let begins = |with: &str| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(with));
        if begins(NEW) && alone {
            let _ = std::fs::remove_file(&path);
        }
        if !begins(PREFIX) {
            continue;
        }
        let dead = match File::open(path.join(LOCK)) {
            Ok(lock) => lock.try_lock().is_ok(),
            Err(e) => alone && e.kind() == io::ErrorKind::NotFound,
        };
        if dead {
            let _ = std::fs::remove_dir_all(path); // Another run may be at it; it will be gone.
        }
    }
    Ok(())
}
