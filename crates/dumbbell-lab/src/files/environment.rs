//! This machine as the environment in which scenarios are read.
use crate::files::regular;
use crate::language::environment::{Environment, FileError, FileErrorKind};
use dumbbell_core::plugin::Plugins;
use rayon::prelude::*;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Files of this machine, all its cores, and the RTL of RED.
pub struct ThisMachine;

impl Environment for ThisMachine {
    fn canonical(&self, file: &Path) -> Result<PathBuf, FileError> {
        match std::fs::canonicalize(file) {
            // `/dev/fd/3` of a pipe is there, and its path leads nowhere. Whoever reads it says
            // what it is.
            Err(_) if file.exists() => Ok(file.into()),
            found => found.map_err(failed),
        }
    }
    fn read(&self, file: &Path, longest: u64) -> Result<Vec<u8>, FileError> {
        regular::whole(file, longest).map_err(failed)
    }
    fn builtin_plugins(&self) -> Plugins {
        builtin_plugins()
    }
    fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..count).into_par_iter().for_each(work);
    }
}

/// Plugins that every scenario may name without a `use`: the RTL. It is not in the catalogue,
/// because a machine may lack what it needs.
pub fn builtin_plugins() -> Plugins {
    dumbbell_rtl::plugin::plugins()
}

fn failed(e: std::io::Error) -> FileError {
    let kind = match e.kind() {
        ErrorKind::NotFound => FileErrorKind::NotFound,
        ErrorKind::FileTooLarge => FileErrorKind::TooLarge,
        _ => FileErrorKind::Other,
    };
    FileError { kind, cause: e.to_string() }
}
