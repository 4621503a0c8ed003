//! All rows of a store, and which of them count.
use crate::store::key::Key;
use crate::store::line::{self, Row};
use crate::store::records::Records;
use crate::store::scan::{self, BadLine};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The part of a row's result that maintenance needs. The rest is not parsed.
#[derive(Default, Deserialize)]
struct RowHead {
    #[serde(default)]
    of: Of,
    #[serde(default)]
    records: Value,
}

#[derive(Default, Deserialize)]
struct Of {
    results_version: Option<u64>,
}

/// A sound row.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its file, by its place in [`Inventory::files`].
    pub file: usize,
    /// Its line, from 1.
    pub line: usize,
    /// True if the run ended well.
    pub done: bool,
    /// Its series.
    pub records: Records,
    /// The version of its results.
    pub version: Option<u64>,
}

/// All lines of a store.
#[derive(Default)]
pub struct Inventory {
    /// The files of rows.
    pub files: Vec<PathBuf>,
    /// The row that counts for each key: the last that ended well, else the last.
    pub rows: BTreeMap<Key, Entry>,
    /// Rows in all.
    pub lines: usize,
    /// Files that end in what a kill left.
    pub torn: usize,
    /// Lines that are no rows.
    pub bad: Vec<BadLine>,
}

impl Inventory {
    /// Reads all rows and shows each sound one to `see`. The caller shares the store, or has it
    /// alone.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn of(dir: &Path, mut see: impl FnMut(&Row<'_>, &Entry)) -> io::Result<Inventory> {
        let mut inventory =
            Inventory { files: scan::segments(&dir.join("segments"))?, ..Inventory::default() };
        for (file, path) in inventory.files.clone().iter().enumerate() {
            let torn = scan::lines(path, |line, _, text| {
                match line::read(text) {
                    Ok(row) => {
                        let said: RowHead = serde_json::from_slice(row.result).unwrap_or_default();
                        let (records, version) =
                            (Records::read(&said.records), said.of.results_version);
                        let entry = Entry { file, line, done: row.done, records, version };
                        see(&row, &entry);
                        inventory.count(row.key, entry);
                    }
                    Err(fault) => inventory.bad.push(BadLine { file: path.clone(), line, fault }),
                };
            })?;
            inventory.torn += usize::from(torn);
        }
        Ok(inventory)
    }

    fn count(&mut self, key: Key, entry: Entry) {
        self.lines += 1;
        let before = self.rows.get(&key).is_some_and(|e| e.done);
        if entry.done || !before {
            self.rows.insert(key, entry);
        }
    }
}
