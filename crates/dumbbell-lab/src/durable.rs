//! Files that outlive a loss of power, and the digests by which a reader knows that they are what was written.
//!
//! A file is written under a temporary name in its own folder, synced, and renamed; then the folder is synced. Until
//! the rename the older file is untouched, and after a return without an error the new one is on the disk. Everything
//! that the laboratory writes for others to read goes through this module.
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The prefix of files that do not have their name yet.
pub const NEW: &str = ".new-";
/// The mode of a new file, less the user's umask.
const MODE: u32 = 0o666;
/// Bytes that are hashed at once.
const CHUNK: usize = 1 << 16;

/// The folder that `file` is in.
pub fn parent(file: &Path) -> &Path {
    file.parent().filter(|dir| *dir != Path::new("")).unwrap_or(Path::new("."))
}

/// Replaces `file` with `bytes`, or leaves it as it was.
///
/// # Errors
/// The folder cannot be written to, or the disk is full.
pub fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut new = create(file)?;
    new.write_all(bytes)?;
    persist(new, file)
}

/// Makes `file` with `bytes`, unless there is one: that stays. True if it was made.
///
/// # Errors
/// The folder cannot be written to, or the disk is full.
pub fn write_new(file: &Path, bytes: &[u8]) -> io::Result<bool> {
    let mut new = create(file)?;
    new.write_all(bytes)?;
    new.as_file().sync_all()?;
    match new.persist_noclobber(file) {
        Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        made => made.map_err(|e| e.error).and_then(|_| sync_dir(parent(file))).map(|()| true),
    }
}

/// A temporary file in the folder of `file`, for [`persist`].
///
/// # Errors
/// The folder cannot be written to.
pub fn create(file: &Path) -> io::Result<NamedTempFile> {
    let mode = std::fs::Permissions::from_mode(MODE);
    tempfile::Builder::new().prefix(NEW).permissions(mode).tempfile_in(parent(file))
}

/// Syncs `new`, gives it the name `file`, and syncs the folder.
///
/// # Errors
/// The disk is full or fails, or `file` is a folder. The older file is still there.
pub fn persist(new: NamedTempFile, file: &Path) -> io::Result<()> {
    new.as_file().sync_all()?;
    new.persist(file).map_err(|e| e.error)?;
    sync_dir(parent(file))
}

/// Syncs a folder: the names of its files, not their contents.
///
/// # Errors
/// The disk fails, or the folder cannot be read.
pub fn sync_dir(dir: &Path) -> io::Result<()> {
    match File::open(dir)?.sync_all() {
        // Some network file systems cannot sync a folder, and have nothing to sync.
        Err(e) if e.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => synced,
    }
}

/// Syncs every file in `dir` and below, then the folders.
///
/// # Errors
/// The disk fails, or a file cannot be read.
pub fn sync_tree(dir: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_tree(&entry.path())?;
        } else {
            File::open(entry.path())?.sync_all()?;
        }
    }
    sync_dir(dir)
}

/// Makes `dir` and the folders above it that are missing, and syncs the folders that gained one.
///
/// # Errors
/// A folder cannot be made.
pub fn create_dir_all(dir: &Path) -> io::Result<()> {
    let missing: Vec<PathBuf> =
        dir.ancestors().take_while(|d| *d != Path::new("") && !d.exists()).map(Into::into).collect();
    std::fs::create_dir_all(dir)?;
    missing.iter().try_for_each(|made| sync_dir(parent(made)))
}

/// The BLAKE3 hash of a file, 64 hexadecimal digits.
///
/// # Errors
/// The file cannot be read.
pub fn digest(file: &Path) -> io::Result<String> {
    let (mut reader, mut hasher, mut chunk) = (File::open(file)?, blake3::Hasher::new(), vec![0; CHUNK]);
    loop {
        match reader.read(&mut chunk)? {
            0 => return Ok(hasher.finalize().to_hex().to_string()),
            n => drop(hasher.update(&chunk[..n])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a");
        write(&file, b"first").unwrap();
        write(&file, b"second").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_older_file_survives_a_writer_that_gives_up() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a");
        write(&file, b"first").unwrap();
        let mut new = create(&file).unwrap();
        new.write_all(b"half of the sec").unwrap();
        drop(new);
        assert_eq!(std::fs::read(&file).unwrap(), b"first");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_there_stays() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a");
        assert!(write_new(&file, b"first").unwrap());
        assert!(!write_new(&file, b"second").unwrap());
        assert_eq!(std::fs::read(&file).unwrap(), b"first");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_digest_is_blake3() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a");
        write(&file, b"").unwrap();
        // The first test vector of the BLAKE3 specification.
        assert_eq!(digest(&file).unwrap(), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
    }

    #[test]
    fn missing_folders_are_made() {
        let dir = tempfile::tempdir().unwrap();
        create_dir_all(&dir.path().join("a/b/c")).unwrap();
        create_dir_all(&dir.path().join("a/b/c")).unwrap();
        assert!(dir.path().join("a/b/c").is_dir());
    }
}
