//! The cache of libraries: `DUMBBELL_CACHE`, or the user's cache directory. A file appears whole or
//! not at all, under a hash of all that it was made from; it can be deleted at any time.
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Files that are kept; the oldest go.
const MOST: usize = 200;
/// The mode bits with which others write.
const OTHERS_WRITE: u32 = 0o022;

/// The directory, made if need be; `None`: there is none that is the user's own and can be written.
pub fn dir() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let base = set("DUMBBELL_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").filter(|p| p.is_absolute()).map(|p| p.join("dumbbell")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/dumbbell")))?;
    // A loader looks elsewhere for names without a slash.
    own(std::path::absolute(base.join("rtl")).ok()?)
}

/// `dir`, if it is the user's. What is kept is loaded into this process, so nobody else may write
/// there.
fn own(dir: PathBuf) -> Option<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(&dir).ok()?;
    let new = tempfile::Builder::new().prefix(".try-").tempfile_in(&dir).ok()?;
    let about = fs::metadata(&dir).ok()?;
    if about.uid() != new.as_file().metadata().ok()?.uid() {
        return None;
    }
    if about.mode() & OTHERS_WRITE != 0 {
        fs::set_permissions(&dir, Permissions::from_mode(0o700)).ok()?;
    }
    Some(dir)
}

/// The path of `name` in the cache; `None`: it is not there, or another user put it there or can
/// change it.
pub fn find(dir: &Path, name: &str) -> Option<PathBuf> {
    let path = dir.join(name);
    let (about, of_dir) = (fs::symlink_metadata(&path).ok()?, fs::metadata(dir).ok()?);
    (about.is_file() && about.uid() == of_dir.uid() && about.mode() & OTHERS_WRITE == 0)
        .then_some(path)
}

/// Keeps `from` as `name`; where it is then.
///
/// # Errors
/// It cannot be written.
pub fn keep(dir: &Path, name: &str, from: &Path) -> io::Result<PathBuf> {
    let path = dir.join(name);
    let mut new = tempfile::Builder::new().prefix(".new-").tempfile_in(dir)?;
    new.write_all(&fs::read(from)?)?;
    new.as_file().sync_all()?;
    new.persist(&path).map_err(|e| e.error)?;
    thin_out(dir);
    Ok(path)
}

/// The oldest go, if there are too many. Who has loaded one still has it.
fn thin_out(dir: &Path) {
    let aged = |entry: fs::DirEntry| {
        let kept =
            [Some("so"), Some("o")].contains(&entry.path().extension().and_then(OsStr::to_str));
        let age = entry.metadata().and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        kept.then(|| (age, entry.path()))
    };
    let mut all: Vec<_> =
        fs::read_dir(dir).into_iter().flatten().flatten().filter_map(aged).collect();
    all.sort();
    for (_, path) in all.iter().take(all.len().saturating_sub(MOST)) {
        let _ = fs::remove_file(path); // Another process was faster.
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{chown, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn the_folder_is_the_users_alone() {
        let base = tempfile::tempdir().unwrap();
        let dir = own(base.path().join("new/rtl")).unwrap();
        assert_eq!((mode(&dir), mode(dir.parent().unwrap())), (0o700, 0o700));
        fs::set_permissions(&dir, Permissions::from_mode(0o777)).unwrap();
        assert_eq!(own(dir.clone()), Some(dir.clone()));
        assert_eq!(mode(&dir), 0o700);
        // Root's, in which another user cannot write; or, for root, one that another user owns.
        let others = if chown(&dir, Some(1), None).is_ok() { dir } else { "/usr".into() };
        assert_eq!(own(others), None);
    }

    #[test]
    fn what_others_can_change_is_not_loaded() {
        let base = tempfile::tempdir().unwrap();
        let (dir, file) = (base.path(), base.path().join("new"));
        fs::write(&file, "library").unwrap();
        let kept = keep(dir, "a.so", &file).unwrap();
        assert_eq!(find(dir, "a.so"), Some(kept.clone()));
        symlink(&kept, dir.join("link.so")).unwrap();
        assert_eq!((find(dir, "link.so"), find(dir, "b.so")), (None, None));
        fs::set_permissions(&kept, Permissions::from_mode(0o666)).unwrap();
        assert_eq!(find(dir, "a.so"), None);
    }
}
