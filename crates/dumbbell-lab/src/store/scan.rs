//! Reading all rows of a store, without parsing what is in them.
use super::key::Key;
use super::line::{self, Fault};
use super::naming;
use super::segment::ENDING;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The position of a row. A segment's rows never change, and no other file ever gets its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    segment: usize,
    offset: u64,
    length: usize,
}

/// A line that is not a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The cause.
    pub fault: Fault,
}

/// The entry of a run in the index.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// No row.
    Absent,
    /// A row whose file is gone, or is not what it was.
    Gone,
    /// Its result.
    Here(Value),
}

/// All runs and their places.
#[derive(Clone, Debug, Default)]
pub struct Index {
    segments: Vec<PathBuf>,
    done: HashMap<Key, Place>,
    failed: HashMap<Key, Place>,
    /// The bad lines, in the order of the files.
    pub bad: Vec<BadLine>,
}

/// The files of rows in `dir`, in the order in which they were begun.
pub fn segments(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(dir) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => naming(dir, entries)?,
    };
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == ENDING))
        .collect();
    files.sort();
    Ok(files)
}

/// Calls `see` for each line of a file that has its end: its number from 1, its offset, its bytes.
/// True if there was something behind the last end: what a kill left.
pub fn lines(file: &Path, mut see: impl FnMut(usize, u64, &[u8])) -> io::Result<bool> {
    let mut reader = BufReader::with_capacity(1 << 18, naming(file, File::open(file))?);
    let (mut line, mut offset, mut number) = (Vec::new(), 0u64, 0);
    loop {
        line.clear();
        let read = naming(file, reader.read_until(b'\n', &mut line))?;
        let Some(text) = line.strip_suffix(b"\n") else { return Ok(read > 0) };
        number += 1;
        see(number, offset, text);
        offset += read as u64;
    }
}

impl Index {
    /// Reads the files in `dir`, while the store is shared.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read(dir: &Path) -> io::Result<Index> {
        let mut index = Index { segments: segments(dir)?, ..Index::default() };
        for (segment, file) in index.segments.clone().iter().enumerate() {
            lines(file, |number, offset, text| index.see(segment, number, offset, text))?;
        }
        Ok(index)
    }

    fn see(&mut self, segment: usize, number: usize, offset: u64, text: &[u8]) {
        match line::read(text) {
            Ok(row) => {
                let rows = if row.done { &mut self.done } else { &mut self.failed };
                rows.insert(row.key, Place { segment, offset, length: text.len() });
            }
            Err(fault) => {
                self.bad.push(BadLine { file: self.segments[segment].clone(), line: number, fault })
            }
        }
    }

    /// The row of a run that ended well (`done`), or of one that failed.
    pub fn row(&self, key: Key, done: bool) -> Row {
        let Some(place) = (if done { &self.done } else { &self.failed }).get(&key) else {
            return Row::Absent;
        };
        self.parse(*place).map_or(Row::Gone, Row::Here)
    }

    /// True if a file that was read is gone: its rows are in another now.
    pub fn is_stale(&self) -> bool {
        self.segments.iter().any(|file| !file.exists())
    }

    fn parse(&self, place: Place) -> Option<Value> {
        let mut text = vec![0; place.length];
        File::open(&self.segments[place.segment])
            .ok()?
            .read_exact_at(&mut text, place.offset)
            .ok()?;
        serde_json::from_slice(line::read(&text).ok()?.result).ok()
    }
}
