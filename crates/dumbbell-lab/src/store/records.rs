//! A run's series in the store: a directory that is named by the run and by its content, and never
//! changes.
use super::key::Key;
use crate::files::durable;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Map, Value, json};
use std::io;
use std::path::{Component, Path, PathBuf};

/// The key of a row that lists the files.
const LIST: &str = "records";
/// The number of times a writer tries to place series while others write the same ones.
const TRIES: usize = 8;
/// Digits of the content's digest in a directory's name.
const CONTENT: usize = 16;

/// One file of a run's series.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Listed {
    name: String,
    bytes: u64,
    /// None in rows of earlier releases, which list sizes alone.
    blake3: Option<String>,
}

/// A file of series that is not what its row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub file: PathBuf,
    /// The damage.
    pub cause: String,
}

/// The files of a run's series, with their sizes and digests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records(Vec<Listed>);

impl Records {
    /// Each file: its name, its size in bytes, and its BLAKE3 digest (64 hexadecimal digits). Rows
    /// of earlier releases have no digests.
    pub fn files(&self) -> impl Iterator<Item = (&str, u64, Option<&str>)> {
        self.0.iter().map(|f| (f.name.as_str(), f.bytes, f.blake3.as_deref()))
    }

    /// The names of the files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|f| f.name.as_str())
    }

    /// True if the run has no series.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if every file has a digest, so that [`Records::damage`] sees any change.
    pub fn verifiable(&self) -> bool {
        self.0.iter().all(|f| f.blake3.is_some())
    }

    /// The directory of these series in the store `store`. It is named by the content as well as by
    /// the run, so that other series of the same run never replace them. Rows without digests name
    /// it by the run alone.
    pub fn dir(&self, store: &Path, key: Key) -> PathBuf {
        let base = store.join("records");
        if !self.verifiable() {
            return base.join(key.to_string());
        }
        let mut hasher = blake3::Hasher::new();
        for (name, bytes, blake3) in self.files() {
            hasher.update(format!("{name}\n{bytes}\n{}\n", blake3.unwrap_or_default()).as_bytes());
        }
        base.join(format!("{key}-{}", &hasher.finalize().to_hex()[..CONTENT]))
    }

    /// Takes the list out of a row.
    pub fn take(row: &mut Value) -> Records {
        row.as_object_mut()
            .and_then(|map| map.shift_remove(LIST))
            .map_or(Records::default(), |list| Records::read(&list))
    }

    /// Reads the list of a row: `{name: {"bytes", "blake3"}}`, of earlier releases `{name: bytes}`.
    pub fn read(list: &Value) -> Records {
        let listed = |(name, said): (&String, &Value)| Listed {
            name: name.clone(),
            bytes: said.as_u64().or(said["bytes"].as_u64()).unwrap_or(0),
            blake3: said["blake3"].as_str().map(Into::into),
        };
        Records(list.as_object().into_iter().flatten().map(listed).collect())
    }

    /// Puts the list into a row.
    pub fn put(&self, row: &mut Value) {
        if !self.is_empty() {
            let said = |f: &Listed| match &f.blake3 {
                Some(blake3) => json!({ "bytes": f.bytes, "blake3": blake3 }),
                None => json!(f.bytes),
            };
            row[LIST] = Value::Object(
                self.0.iter().map(|f| (f.name.clone(), said(f))).collect::<Map<String, Value>>(),
            );
        }
    }

    /// Lists the files of a run that has just ended, in the directory `dir`, after a sync to the
    /// disk.
    ///
    /// # Errors
    /// A file cannot be read, or the disk fails.
    pub fn sealed(dir: &Path) -> io::Result<Records> {
        durable::sync_tree(dir)?;
        let mut files = Vec::new();
        for entry in std::fs::read_dir(dir)? {
            let entry = entry?;
            let blake3 = Some(durable::digest(&entry.path())?);
            let name = entry.file_name().to_string_lossy().into_owned();
            files.push(Listed { name, bytes: entry.metadata()?.len(), blake3 });
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Records(files))
    }

    /// The files in `dir` that are not what the row says; each is read whole.
    pub fn damage(&self, dir: &Path) -> Vec<Damage> {
        let wrong =
            |f: &Listed| f.wrong(dir).map(|cause| Damage { file: dir.join(&f.name), cause });
        self.0.iter().filter_map(wrong).collect()
    }

    /// Moves what has grown in `grown`, and was sealed, to its place `to`, and syncs the folder.
    /// The same content that is there already stays. `to` never goes missing: a damaged one is
    /// exchanged.
    ///
    /// # Errors
    /// The disk is full or fails.
    pub fn place(&self, grown: &Path, to: &Path) -> io::Result<()> {
        for _ in 0..TRIES {
            match std::fs::rename(grown, to) {
                Err(e)
                    if matches!(
                        e.kind(),
                        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists
                    ) => {}
                moved => return moved.and_then(|()| durable::sync_dir(durable::parent(to))),
            }
            if self.damage(to).is_empty() {
                std::fs::remove_dir_all(grown)?;
                // The process that placed it may not have synced the folder.
                return durable::sync_dir(durable::parent(to));
            }
            exchange(grown, to)?;
        }
        Err(io::Error::other(format!("{} is damaged each time that it is written", to.display())))
    }
}

/// Exchanges two directories in one step; where the file system cannot, `to` is moved away.
fn exchange(grown: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, grown, CWD, to, RenameFlags::EXCHANGE) {
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
            std::fs::rename(to, grown.with_extension("old"))
        }
        exchanged => Ok(exchanged?),
    }
}

impl Listed {
    fn wrong(&self, dir: &Path) -> Option<String> {
        // A row may come from anybody's store: it names files of its own directory only.
        let mut parts = Path::new(&self.name).components();
        if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) {
            return Some("its row names a file outside of its directory".into());
        }
        let file = dir.join(&self.name);
        match std::fs::symlink_metadata(&file) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Some("it is missing".into()),
            Err(e) => return Some(format!("it cannot be read: {e}")),
            Ok(meta) if !meta.is_file() => return Some("it is not a regular file".into()),
            Ok(meta) if meta.len() != self.bytes => {
                return Some(format!("it has {} bytes instead of {}", meta.len(), self.bytes));
            }
            Ok(_) => {}
        }
        let said = self.blake3.as_ref()?;
        match durable::digest(&file) {
            Err(e) => Some(format!("it cannot be read: {e}")),
            Ok(is) if is != *said => {
                Some("its content has changed: the BLAKE3 digest differs".into())
            }
            Ok(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_cannot_name_files_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let here = dir.path().join("records");
        std::fs::create_dir_all(&here).unwrap();
        std::fs::write(here.join("flows.parquet"), "12").unwrap();
        std::fs::write(dir.path().join("other"), "12").unwrap();
        let whole = |name: &str| Records::read(&json!({ name: 2 })).damage(&here).is_empty();
        assert!(whole("flows.parquet"));
        let elsewhere = dir.path().join("other").display().to_string();
        for name in ["../other", "./flows.parquet", "flows.parquet/", "..", "", &elsewhere] {
            assert!(!whole(name), "{name}");
        }
    }
}
