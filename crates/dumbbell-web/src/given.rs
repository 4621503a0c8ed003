//! The files that came with a request, as the environment in which a scenario is read.
use dumbbell_scenario::language::environment::{Environment, FileError, FileErrorKind};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Texts by their paths.
#[derive(Clone, Debug, Default)]
pub struct Given(BTreeMap<PathBuf, String>);

impl Given {
    /// These files.
    pub fn new(files: BTreeMap<String, String>) -> Given {
        Given(files.into_iter().map(|(path, text)| (plain(Path::new(&path)), text)).collect())
    }

    fn find(&self, file: &Path) -> Result<&String, FileError> {
        let cause = "this page has no files: write what is in it into the scenario".into();
        self.0.get(&plain(file)).ok_or(FileError { kind: FileErrorKind::Other, cause })
    }
}

impl Environment for Given {
    fn canonical(&self, file: &Path) -> Result<PathBuf, FileError> {
        self.find(file).map(|_| plain(file))
    }

    fn read(&self, file: &Path, longest: u64) -> Result<Vec<u8>, FileError> {
        let text = self.find(file)?;
        if text.len() as u64 > longest {
            let cause = format!("it is longer than {longest} bytes");
            return Err(FileError { kind: FileErrorKind::TooLarge, cause });
        }
        Ok(text.clone().into_bytes())
    }
}

/// A path without `.` and, where something is before it, without `..`.
fn plain(file: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in file.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}
