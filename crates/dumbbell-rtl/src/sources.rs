//! The RTL that a library is made from: our core, whose files are in this program, or files of the
//! user's.
use crate::fault::Fault;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of `rtl/red/core`, by name and text, in the order of `core.f`.
pub const CORE: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/core.rs"));

/// The location of the RTL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sources {
    /// Our own core.
    #[default]
    Core,
    /// Files with a module `red_core`. Modules that they use are looked for beside them, too.
    Files {
        /// The files.
        files: Vec<PathBuf>,
        /// Further directories for `include` and for modules.
        include: Vec<PathBuf>,
    },
}

impl Sources {
    /// Files of the user's.
    ///
    /// # Errors
    /// One of them is not there.
    pub fn files(files: Vec<PathBuf>, include: Vec<PathBuf>) -> Result<Self, Fault> {
        let wrong = |path: &Path, cause: String| Fault::Rtl {
            cause,
            line: path.display().to_string(),
            fix: "name a file of SystemVerilog with a module `red_core`, and the directories of \
                what it includes"
                .into(),
        };
        for file in &files {
            fs::read(file).map_err(|e| wrong(file, format!("the RTL cannot be read ({e})")))?;
        }
        if let Some(dir) = include.iter().find(|dir| !dir.is_dir()) {
            return Err(wrong(dir, "there is no such directory".into()));
        }
        if files.is_empty() {
            return Err(wrong(Path::new(""), "no file was named".into()));
        }
        Ok(Sources::Files { files, include })
    }

    /// The files to compile; ours are written to `dir` first.
    ///
    /// # Errors
    /// They cannot be written.
    pub(crate) fn laid(&self, dir: &Path) -> std::io::Result<Vec<PathBuf>> {
        match self {
            Sources::Files { files, .. } => Ok(files.clone()),
            Sources::Core => CORE
                .iter()
                .map(|(name, text)| {
                    let path = dir.join(name);
                    fs::write(&path, text).map(|()| path)
                })
                .collect(),
        }
    }

    /// Directories for modules and included files.
    pub(crate) fn places(&self) -> Vec<PathBuf> {
        let Sources::Files { files, include } = self else { return vec![] };
        let mut places: Vec<PathBuf> = vec![];
        let beside = files.iter().map(|f| match f.parent() {
            Some(dir) if dir != Path::new("") => dir.to_path_buf(),
            _ => PathBuf::from("."),
        });
        for place in beside.chain(include.iter().cloned()) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }
}

/// A hash of our own core: results of one that was edited are not those of another.
pub fn hash() -> String {
    let mut hasher = blake3::Hasher::new();
    for (name, text) in CORE {
        hasher.update(name.as_bytes()).update(&[0]).update(text.as_bytes()).update(&[0]);
    }
    hasher.finalize().to_hex()[..16].to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_every_file_of_the_core() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rtl/red/core");
        let paths = fs::read_dir(dir).expect("the core's folder").flatten().map(|e| e.path());
        let sources = paths.filter(|p| p.extension().is_some_and(|e| e == "sv"));
        let mut there: Vec<String> =
            sources.map(|p| p.file_name().unwrap().to_string_lossy().into_owned()).collect();
        there.sort();
        let mut listed: Vec<&str> = CORE.iter().map(|(name, _)| *name).collect();
        listed.sort_unstable();
        assert_eq!(listed, there, "rtl/red/core.f lists what is compiled");
    }

    #[test]
    fn what_is_not_there_is_said() {
        let fault = Sources::files(vec!["no/such.sv".into()], vec![]).unwrap_err();
        assert!(fault.to_string().contains("no/such.sv"), "{fault}");
        assert!(Sources::files(vec![], vec![]).is_err());
    }
}
