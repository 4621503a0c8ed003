//! The environment that reading a scenario needs: files, plugins that are always available, and
//! threads.
//!
//! The crate itself opens no file and starts no thread, so a scenario becomes a plan in a browser,
//! too.
use dumbbell_core::plugin::Plugins;
use std::fmt;
use std::path::{Path, PathBuf};

/// Files and threads of the program that reads a scenario.
pub trait Environment: Sync {
    /// The absolute path of a file with links followed: one file has one such path.
    ///
    /// # Errors
    /// There is no such file, or it cannot be reached.
    fn canonical(&self, file: &Path) -> Result<PathBuf, FileError>;

    /// The bytes of a regular file that has at most `longest` of them.
    ///
    /// # Errors
    /// There is no such file, it is longer, or it cannot be read.
    fn read(&self, file: &Path, longest: u64) -> Result<Vec<u8>, FileError>;

    /// Plugins that every scenario may name without a `use`.
    fn builtin_plugins(&self) -> Plugins {
        Plugins::default()
    }

    /// Calls `work` once for each number below `count`: in any order, and on several threads if
    /// there are any.
    fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..count).for_each(work);
    }
}

/// A file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The kind of the failure.
    pub kind: FileErrorKind,
    /// The cause, for people.
    pub cause: String,
}

/// The kinds of failure that a scenario's messages tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileErrorKind {
    /// There is no such file.
    NotFound,
    /// The file is longer than it may be.
    TooLarge,
    /// Anything else.
    Other,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)
    }
}

/// An environment without files and with one thread.
pub struct NoFiles;

impl NoFiles {
    fn refuse<T>() -> Result<T, FileError> {
        Err(FileError { kind: FileErrorKind::Other, cause: "this program reads no files".into() })
    }
}

impl Environment for NoFiles {
    fn canonical(&self, _: &Path) -> Result<PathBuf, FileError> {
        NoFiles::refuse()
    }
    fn read(&self, _: &Path, _: u64) -> Result<Vec<u8>, FileError> {
        NoFiles::refuse()
    }
}
