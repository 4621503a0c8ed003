//! A place in which files grow until they are whole.
//!
//! It is a directory with a temporary name beside the place where its files will be, so that they
//! can be moved there in one step. It is removed when it is dropped. What a killed process has
//! left, the next one that works in the same directory removes: directories whose lock nobody
//! holds.
use crate::files::durable::NEW;
use crate::files::lock::{Mode, Tried, acquire, attempt};
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// The beginning of the name of such a directory.
const PREFIX: &str = ".growing-";
/// A file in it that is locked while its process lives.
const LOCK: &str = "lock";
/// The time that others may need to make theirs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A directory that is there while this value lives.
pub struct StagingDir {
    dir: TempDir,
    /// Says that this process lives.
    _lock: File,
}

impl StagingDir {
    /// A new one in `base`, after those of processes that are gone were cleared away.
    ///
    /// # Errors
    /// `base` cannot be written to.
    pub fn new(base: &Path) -> io::Result<StagingDir> {
        // One process at a time, so that nobody sees a directory that is not locked yet.
        let door = File::open(base)?;
        if acquire(&door, Mode::Exclusive, &base.display().to_string(), PATIENCE)? {
            clear_away(base)?;
        }
        StagingDir::create(base)
    }

    /// A new one in `base`. The caller sees to it that nobody clears away meanwhile.
    ///
    /// # Errors
    /// `base` cannot be written to.
    pub fn create(base: &Path) -> io::Result<StagingDir> {
        let dir = tempfile::Builder::new().prefix(PREFIX).tempdir_in(base)?;
        let lock = File::create(dir.path().join(LOCK))?;
        attempt(&lock, Mode::Exclusive)?; // Without locks nobody clears away.
        Ok(StagingDir { dir, _lock: lock })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// True if `name` is temporary: of a file or a directory that is not whole yet, or that a killed
/// process has left.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(NEW) || name.starts_with(PREFIX)
}

/// Clears away what processes that were killed have left in `base`. The caller sees to it that
/// nobody makes new ones meanwhile.
///
/// # Errors
/// `base` cannot be read.
pub fn clear_away(base: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(base)? {
        let path = entry?.path();
        let begins =
            |with: &str| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(with));
        if begins(NEW) {
            let _ = std::fs::remove_file(&path);
        } else if begins(PREFIX) && is_dead(&path) {
            let _ = std::fs::remove_dir_all(path); // Its owner may be at it, too; it will be gone.
        }
    }
    Ok(())
}

/// True if nobody holds the lock of a directory, or it has none.
fn is_dead(dir: &Path) -> bool {
    match File::open(dir.join(LOCK)) {
        Ok(lock) => matches!(attempt(&lock, Mode::Exclusive), Ok(Tried::Locked)),
        Err(e) => e.kind() == io::ErrorKind::NotFound,
    }
}
