//! Where an export goes: a file, which appears whole or not at all, or standard output.
use crate::problem::Problem;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, TempPath};

/// Bytes gathered before they are written.
const BUFFER: usize = 1 << 20;

/// A place to write to.
pub struct Target {
    file: Option<(PathBuf, TempPath)>,
    out: BufWriter<Box<dyn Write>>,
    /// Bytes written.
    pub bytes: u64,
}

impl Target {
    /// The file `path`; without one, standard output.
    ///
    /// # Errors
    /// Code 1: it cannot be made.
    pub fn open(path: Option<&Path>) -> Result<Target, Problem> {
        let Some(path) = path else {
            return Ok(Target { file: None, out: BufWriter::with_capacity(BUFFER, Box::new(io::stdout())), bytes: 0 });
        };
        let dir = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let growing = NamedTempFile::with_prefix_in(".growing-", dir).map_err(|e| failed(Some(path), &e))?;
        let (file, growing) = growing.into_parts();
        Ok(Target {
            file: Some((path.into(), growing)),
            out: BufWriter::with_capacity(BUFFER, Box::new(file)),
            bytes: 0,
        })
    }

    /// Writes everything and gives the file its name.
    ///
    /// # Errors
    /// Code 1: it cannot be written.
    pub fn close(mut self) -> Result<u64, Problem> {
        let path = self.file.as_ref().map(|(p, _)| p.clone());
        let fail = |e: &io::Error| failed(path.as_deref(), e);
        enough(self.out.flush()).map_err(|e| fail(&e))?;
        if let Some((path, growing)) = self.file {
            readable(&growing);
            growing.persist(path).map_err(|e| fail(&e.error))?;
        }
        Ok(self.bytes)
    }

    /// What went wrong.
    pub fn failed(&self, e: &io::Error) -> Problem {
        failed(self.file.as_ref().map(|(p, _)| p.as_path()), e)
    }
}

impl Write for Target {
    /// A reader that has seen enough (`| head`) is no error.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        enough(self.out.write_all(bytes)).map(|()| bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        enough(self.out.flush())
    }
}

fn enough(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|e| if e.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(e) })
}

/// A temporary file is its owner's alone; an export is for others, too.
#[cfg(unix)]
fn readable(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    // A file system without permissions is none the worse for it.
    let _ = std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o644));
}
#[cfg(not(unix))]
fn readable(_: &Path) {}

fn failed(path: Option<&Path>, e: &io::Error) -> Problem {
    let name = path.map_or("standard output".to_string(), |p| p.display().to_string());
    let fix = match e.kind() {
        io::ErrorKind::StorageFull => "free some space, or take less: one flow (--flow), headers only (--snaplen 96)",
        io::ErrorKind::NotFound => "make its directory, or choose another file (-o)",
        _ => "choose another file (-o)",
    };
    // An error about a temporary file ends with the name of that one, which nobody has typed.
    let text = e.to_string();
    let cause = text.split(" at path \"").next().unwrap_or_default();
    Problem::failure(format!("{name} cannot be written: {cause}"), Some(fix.into()))
}
