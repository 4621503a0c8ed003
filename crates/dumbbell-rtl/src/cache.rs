//! Where libraries are kept: `DUMBBELL_CACHE`, or the user's cache directory. A file appears whole or not at all, under a hash of
//! all that it was made from; it can be deleted at any time.
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Files that are kept; the oldest go.
const MOST: usize = 200;

/// The directory, made if need be; `None`: there is none that can be written.
pub fn dir() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let base = set("DUMBBELL_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").filter(|p| p.is_absolute()).map(|p| p.join("dumbbell")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/dumbbell")))?;
    let dir = std::path::absolute(base.join("rtl")).ok()?; // A loader looks elsewhere for names without a slash.
    fs::create_dir_all(&dir).ok()?;
    // What is kept is loaded into this process: only the user's own will do.
    let writable = tempfile::Builder::new().prefix(".try-").tempfile_in(&dir).is_ok();
    writable.then_some(dir)
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
        let kept = [Some("so"), Some("o")].contains(&entry.path().extension().and_then(OsStr::to_str));
        let age = entry.metadata().and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        kept.then(|| (age, entry.path()))
    };
    let mut all: Vec<_> = fs::read_dir(dir).into_iter().flatten().flatten().filter_map(aged).collect();
    all.sort();
    for (_, path) in all.iter().take(all.len().saturating_sub(MOST)) {
        let _ = fs::remove_file(path); // Another process was faster.
    }
}
