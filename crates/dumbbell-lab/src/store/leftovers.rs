//! Temporary names that killed processes leave in a store.
use crate::files::staging;
use crate::store::naming;
use std::io;
use std::path::{Path, PathBuf};

/// True if there are temporary names in a store, of living processes or of killed ones.
pub fn leftovers(dir: &Path) -> io::Result<bool> {
    let temporary = |e: std::fs::DirEntry| staging::is_temporary(&e.file_name().to_string_lossy());
    for folder in written_to(dir) {
        if naming(&folder, std::fs::read_dir(&folder))?.flatten().any(temporary) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Clears away what killed processes have left in a store, by who has it alone.
pub fn clear_away(dir: &Path) -> io::Result<()> {
    written_to(dir).try_for_each(|folder| staging::clear_away(&folder))
}

/// The folders in which files get their names when they are whole.
fn written_to(dir: &Path) -> impl Iterator<Item = PathBuf> {
    [dir.to_path_buf(), dir.join("segments"), dir.join("damaged")]
        .into_iter()
        .filter(|folder| folder.is_dir())
}
