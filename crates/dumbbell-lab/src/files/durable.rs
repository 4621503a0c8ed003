//! Files that survive a loss of power, and the digests by which a reader checks them.
//!
//! A file is written without a name in its own folder, synced, and renamed to its place; then the
//! folder is synced. Until the rename the older file is untouched, and after a return without an
//! error the new one is on the disk. Everything that the laboratory writes for others to read goes
//! through this module.
use crate::files::regular;
use crate::language::problem::Problem;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags, linkat, renameat_with};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempPath;

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
    new.file.sync_all()?;
    match new.into_temp_path(parent(file))?.persist_noclobber(file) {
        Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        made => made.map_err(|e| e.error).and_then(|()| sync_dir(parent(file))).map(|()| true),
    }
}

/// Writes `file` whole or leaves it as it was, and makes the folder that it is in. `new`: there
/// must be no such file.
///
/// # Errors
/// Code 1: it cannot be written.
pub fn write_file(file: &Path, bytes: &[u8], new: bool) -> Result<(), Problem> {
    let written = || -> io::Result<()> {
        create_dir_all(parent(file))?;
        match new {
            false => write(file, bytes),
            true if write_new(file, bytes)? => Ok(()),
            true => Err(io::ErrorKind::AlreadyExists.into()),
        }
    };
    written().map_err(|e| unwritten(file, &e))
}

/// Why `file` could not be written, for people. Exit code 1.
pub fn unwritten(file: &Path, e: &io::Error) -> Problem {
    let fix = match e.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space",
        io::ErrorKind::NotFound => "make its folder, or choose another one",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a folder \
            that you may write to"
        }
        io::ErrorKind::AlreadyExists => "choose another name: nothing was written",
        _ => "choose another name",
    };
    // An error about a temporary file ends with a name that nobody has typed.
    let text = e.to_string();
    let cause = text.split(" at path \"").next().unwrap_or_default();
    Problem::failure(format!("{} cannot be written: {cause}", file.display()), Some(fix.into()))
}

/// A file on its way to its place. Dropped before [`persist`], it leaves nothing behind. Where the
/// file system knows files without a name, a kill leaves nothing either; elsewhere it leaves a file
/// whose name begins with [`NEW`].
#[derive(Debug)]
pub struct Draft {
    file: File,
    /// Its temporary name, if it has one.
    name: Option<TempPath>,
}

impl Draft {
    /// Gives it a temporary name in `dir`, if it has none.
    fn into_temp_path(self, dir: &Path) -> io::Result<TempPath> {
        if let Some(name) = self.name {
            return Ok(name);
        }
        let own = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        let link = |path: &Path| Ok(linkat(CWD, &own, CWD, path, AtFlags::SYMLINK_FOLLOW)?);
        Ok(tempfile::Builder::new().prefix(NEW).make_in(dir, link)?.into_temp_path())
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The path of `file` behind symbolic links.
fn place(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.into())
}

/// True if `place` is a device, a pipe or a socket, which is written to as it is and never
/// replaced.
fn is_special(place: &Path) -> bool {
    std::fs::metadata(place).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// A new file for the place `file`, for [`persist`].
///
/// # Errors
/// The folder cannot be written to.
pub fn create(file: &Path) -> io::Result<Draft> {
    let place = place(file);
    if is_special(&place) {
        return Ok(Draft { file: File::options().write(true).open(&place)?, name: None });
    }
    let nameless = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    if let Ok(fd) = rustix::fs::open(parent(&place), nameless, Mode::from_raw_mode(MODE))
        && Path::new("/proc/self/fd").exists()
    {
        return Ok(Draft { file: fd.into(), name: None });
    }
    let mode = std::fs::Permissions::from_mode(MODE);
    let named =
        tempfile::Builder::new().prefix(NEW).permissions(mode).tempfile_in(parent(&place))?;
    let (file, name) = named.into_parts();
    Ok(Draft { file, name: Some(name) })
}

/// Syncs `new`, gives it the name `file`, and syncs the folder.
///
/// # Errors
/// The disk is full or fails, or `file` is a folder. The older file is still there.
pub fn persist(new: Draft, file: &Path) -> io::Result<()> {
    let place = place(file);
    if is_special(&place) {
        return Ok(());
    }
    new.file.sync_all()?;
    new.into_temp_path(parent(&place))?.persist(&place).map_err(|e| e.error)?;
    sync_dir(parent(&place))
}

/// Puts the folder `new`, whose files are synced, in place of the folder `old` in one step; `old`
/// may be missing. Afterward the content of `old` is in `new`.
///
/// # Errors
/// The folders cannot be written to, or are on two file systems.
pub fn replace_dir(new: &Path, old: &Path) -> io::Result<()> {
    if old.exists() {
        renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE)?;
    } else {
        std::fs::rename(new, old)?;
    }
    sync_dir(parent(old))
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
    let missing: Vec<PathBuf> = dir
        .ancestors()
        .take_while(|d| *d != Path::new("") && !d.exists())
        .map(Into::into)
        .collect();
    std::fs::create_dir_all(dir)?;
    missing.iter().try_for_each(|made| sync_dir(parent(made)))
}

/// The BLAKE3 hash of a file, 64 hexadecimal digits.
///
/// # Errors
/// The file cannot be read.
pub fn digest(file: &Path) -> io::Result<String> {
    let (mut reader, mut hasher, mut chunk) =
        (regular::open(file)?, blake3::Hasher::new(), vec![0; CHUNK]);
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
    fn a_writer_has_no_name_until_it_is_done() {
        let dir = tempfile::tempdir().unwrap();
        let mut new = create(&dir.path().join("a")).unwrap();
        new.write_all(b"half of").unwrap();
        std::mem::forget(new); // As after a kill.
        assert_eq!(
            std::fs::read_dir(dir.path()).unwrap().count(),
            0,
            "the file system of the \
            temporary folder"
        );
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
    fn a_link_stays_and_a_device_is_written_to() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("a"), dir.path().join("b"));
        write(&file, b"first").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, b"second").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"second");
        write(Path::new("/dev/null"), b"nothing").unwrap();
        assert_eq!(
            write(Path::new("/dev/full"), b"much").unwrap_err().kind(),
            io::ErrorKind::StorageFull
        );
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn folders_change_places() {
        let dir = tempfile::tempdir().unwrap();
        let (new, old) = (dir.path().join("new"), dir.path().join("old"));
        std::fs::create_dir(&new).unwrap();
        write(&new.join("a"), b"1").unwrap();
        replace_dir(&new, &old).unwrap();
        assert!(!new.exists());
        std::fs::create_dir(&new).unwrap();
        write(&new.join("b"), b"2").unwrap();
        replace_dir(&new, &old).unwrap();
        assert!(old.join("b").exists() && new.join("a").exists());
    }

    #[test]
    fn a_digest_is_blake3() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a");
        write(&file, b"").unwrap();
        // The first test vector of the BLAKE3 specification.
        assert_eq!(
            digest(&file).unwrap(),
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
        );
    }

    #[test]
    fn missing_folders_are_made() {
        let dir = tempfile::tempdir().unwrap();
        create_dir_all(&dir.path().join("a/b/c")).unwrap();
        create_dir_all(&dir.path().join("a/b/c")).unwrap();
        assert!(dir.path().join("a/b/c").is_dir());
    }
}
