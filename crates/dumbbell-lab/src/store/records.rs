//! Series in the store: a directory for each run, moved to its place whole.
use super::key::Key;
use serde_json::{Map, Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// The files of a run's series, with their sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records(Vec<(String, u64)>);

/// The key of a row that lists them.
const LIST: &str = "records";

/// Where a run's series are.
pub fn place(store: &Path, key: Key) -> PathBuf {
    store.join("records").join(key.to_string())
}

impl Records {
    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Takes the list out of a row.
    pub fn take(row: &mut Value) -> Records {
        let list = row.as_object_mut().and_then(|map| map.shift_remove(LIST));
        let list = list.as_ref().and_then(Value::as_object).into_iter().flatten();
        Records(list.map(|(name, size)| (name.clone(), size.as_u64().unwrap_or(0))).collect())
    }

    /// Puts the list into a row.
    pub fn put(&self, row: &mut Value) {
        if !self.0.is_empty() {
            let list: Map<String, Value> = self.0.iter().map(|(name, size)| (name.clone(), json!(size))).collect();
            row[LIST] = Value::Object(list);
        }
    }

    /// Whether every file is there with its size: after a loss of power, or by somebody's hand, one may not be.
    pub fn whole(&self, store: &Path, key: Key) -> bool {
        let dir = place(store, key);
        self.0
            .iter()
            .all(|(name, size)| is_name(name) && std::fs::metadata(dir.join(name)).is_ok_and(|m| m.len() == *size))
    }

    /// Moves what has grown in `grown` to its place. What another run of the same key has left there goes.
    pub fn place(grown: &Path, store: &Path, key: Key) -> io::Result<Records> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(grown)? {
            let entry = entry?;
            files.push((entry.file_name().to_string_lossy().into_owned(), entry.metadata()?.len()));
        }
        files.sort();
        let records = Records(files);
        let to = place(store, key);
        for _ in 0..8 {
            if records.whole(store, key) && to.exists() {
                std::fs::remove_dir_all(grown)?; // The same run gives the same files: the first stay.
                return Ok(records);
            }
            match std::fs::rename(grown, &to) {
                Err(e) if matches!(e.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists) => {}
                done => return done.map(|()| records),
            }
            let aside = grown.with_extension("old");
            let moved = std::fs::rename(&to, &aside); // Another writer may have been faster.
            if moved.is_ok() {
                let _ = std::fs::remove_dir_all(aside); // It goes with everything that grows.
            }
        }
        Err(io::Error::other(format!("{} is being written by others all the time", to.display())))
    }
}

/// Whether a name stays in its folder: a row may come from another machine.
fn is_name(name: &str) -> bool {
    Path::new(name).file_name().is_some_and(|last| last == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_cannot_name_files_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let key: Key = "0".repeat(32).parse().unwrap();
        let here = place(dir.path(), key);
        std::fs::create_dir_all(&here).unwrap();
        std::fs::write(here.join("flows.parquet"), "12").unwrap();
        std::fs::write(dir.path().join("other"), "12").unwrap();
        let listed = |name: &str| Records::take(&mut json!({ LIST: { name: 2 } })).whole(dir.path(), key);
        assert!(listed("flows.parquet"));
        let elsewhere = dir.path().join("other").display().to_string();
        for name in ["../../other", "./flows.parquet", "flows.parquet/", "..", "", &elsewhere] {
            assert!(!listed(name), "{name}");
        }
    }
}
