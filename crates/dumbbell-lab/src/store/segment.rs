//! A process's own file of rows.
use crate::files::durable;
use crate::files::lock::{Mode, Tried, attempt};
use crate::store::naming;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The ending of the name of a file of rows.
pub const ENDING: &str = "jsonl";

/// Nanoseconds since 1970: names of segments are in the order in which they were begun.
pub fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos()
}

/// True if the process that writes `file` lives. Asked by who has the store alone: then no segment
/// is on its way.
///
/// # Errors
/// The file cannot be opened.
pub fn is_busy(file: &Path) -> io::Result<bool> {
    Ok(attempt(&naming(file, File::open(file))?, Mode::Exclusive)? == Tried::Busy)
}

/// A file that only this process writes to.
pub struct Segment {
    file: File,
    length: u64,
    /// Rows were written since the last sync.
    dirty: bool,
    /// The error of a sync that failed. The kernel reports it once, and forgets the rows.
    failed: Option<i32>,
}

impl Segment {
    /// A new file in `dir`, made while the store is shared. It stays locked while this process
    /// lives, so that nobody tidies it away.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(dir: &Path) -> io::Result<Segment> {
        let pid = std::process::id();
        loop {
            let file = dir.join(format!("{:x}-{pid:x}.{ENDING}", now()));
            match OpenOptions::new().append(true).create_new(true).open(&file) {
                Ok(file) => {
                    attempt(&file, Mode::Exclusive)?; // Without locks nothing is tidied.
                    durable::sync_dir(dir)?;
                    return Ok(Segment { file, length: 0, dirty: false, failed: None });
                }
                // Of another machine: the next nanosecond.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return naming(&file, Err(e)),
            }
        }
    }

    /// Writes a line behind the others, whole or not at all, and gives the segment back.
    ///
    /// # Errors
    /// It could not be written. What there was of it is taken back; the segment is gone in any
    /// case.
    pub fn append(mut self, line: &[u8]) -> io::Result<Segment> {
        if let Err(e) = self.file.write_all(line) {
            // If this fails too, a last line without its end stays: not read.
            let _ = self.file.set_len(self.length);
            return Err(e);
        }
        self.length += line.len() as u64;
        self.dirty = true;
        Ok(self)
    }

    /// Sees to it that the rows are on the disk.
    ///
    /// # Errors
    /// The disk fails, or has failed before.
    pub fn sync(&mut self) -> io::Result<()> {
        if let Some(code) = self.failed {
            return Err(io::Error::from_raw_os_error(code));
        }
        if self.dirty {
            self.file.sync_data().inspect_err(|e| self.failed = e.raw_os_error())?;
            self.dirty = false;
        }
        Ok(())
    }
}
