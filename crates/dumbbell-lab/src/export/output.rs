//! The output of an export: a file, which appears whole or not at all, or standard output.
use crate::files::durable;
use crate::files::durable::Draft;
use crate::language::problem::Problem;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes gathered before they are written.
const BUFFER: usize = 1 << 20;

/// A place to write to.
pub struct Output {
    /// The file's name; none: standard output.
    file: Option<PathBuf>,
    out: BufWriter<Sink>,
    /// Bytes written.
    pub bytes: u64,
}

enum Sink {
    Stdout(io::Stdout),
    File(Draft),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Stdout(out) => out.write(bytes),
            Sink::File(out) => out.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Stdout(out) => out.flush(),
            Sink::File(out) => out.flush(),
        }
    }
}

impl Output {
    /// The file `path`; without one, standard output.
    ///
    /// # Errors
    /// Code 1: it cannot be made.
    pub fn open(path: Option<&Path>) -> Result<Output, Problem> {
        let sink = match path {
            None => Sink::Stdout(io::stdout()),
            Some(path) => Sink::File(durable::create(path).map_err(|e| failed(Some(path), &e))?),
        };
        let out = BufWriter::with_capacity(BUFFER, sink);
        Ok(Output { file: path.map(Path::to_path_buf), out, bytes: 0 })
    }

    /// Writes everything and gives the file its name.
    ///
    /// # Errors
    /// Code 1: it cannot be written.
    pub fn close(self) -> Result<u64, Problem> {
        let Output { file, mut out, bytes } = self;
        let written = enough(out.flush()).and_then(|()| match (out.into_parts().0, &file) {
            (Sink::File(draft), Some(file)) => durable::persist(draft, file),
            _ => Ok(()),
        });
        written.map(|()| bytes).map_err(|e| failed(file.as_deref(), &e))
    }

    /// The error.
    pub fn failed(&self, e: &io::Error) -> Problem {
        failed(self.file.as_deref(), e)
    }
}

impl Write for Output {
    /// A reader that has seen enough (`| head`) is not an error.
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

fn failed(path: Option<&Path>, e: &io::Error) -> Problem {
    durable::unwritten(path.unwrap_or(Path::new("standard output")), e)
}
