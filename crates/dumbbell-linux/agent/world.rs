//! The file system of programs: this machine's, which nobody can write to, with folders in memory
//! over the places to which programs write.
use crate::sys;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Where the machine's file system is.
pub const ROOT: &str = "/host";
/// The present folder of whoever started the run, in the agent's own files.
const FOLDER: &str = "/cwd";
/// Folders in memory.
const WRITABLE: [&str; 3] = ["tmp", "var/tmp", "run"];
/// Files that speak of this machine's network, and what programs read instead.
const OURS: [(&str, &str); 2] = [("/hosts", "etc/hosts"), ("/resolv.conf", "etc/resolv.conf")];
const NOTHING: &str = "";

/// Mounts everything: the folder in which programs start.
pub fn build() -> Result<PathBuf, String> {
    let folder = fs::read_to_string(FOLDER).map_err(|e| format!("{FOLDER}: {e}"))?;
    let root = Path::new(ROOT);
    let at = |place: &'static str| move |e: io::Error| format!("could not mount {place}: {e}");
    over("hostfs", ROOT.as_ref(), sys::READ_ONLY, "/".as_ref()).map_err(at(ROOT))?;
    devices().map_err(at("/dev"))?;
    bind("/dev".as_ref(), &root.join("dev")).map_err(at("/dev"))?;
    over("proc", &root.join("proc"), 0, NOTHING.as_ref()).map_err(at("/proc"))?;
    // Without it, a program that looks at devices finds none.
    let _ = over("sysfs", &root.join("sys"), 0, NOTHING.as_ref());
    for place in WRITABLE.map(|place| root.join(place)).iter().filter(|place| place.is_dir()) {
        memory(place).map_err(at("a folder in memory"))?;
    }
    for (ours, theirs) in OURS {
        let theirs = root.join(theirs);
        if theirs.is_file() {
            bind(ours.as_ref(), &theirs).map_err(at(ours))?;
        }
    }
    visible(Path::new(&folder))?;
    Ok(folder.into())
}

fn over(kind: &str, target: &Path, flags: u64, data: &Path) -> io::Result<()> {
    sys::mount_over((kind, kind.as_ref()), target, flags, data)
}

fn bind(source: &Path, target: &Path) -> io::Result<()> {
    sys::mount_over((NOTHING, source), target, sys::BIND, NOTHING.as_ref())
}

fn memory(place: &Path) -> io::Result<()> {
    over("tmpfs", place, 0, "mode=1777".as_ref())
}

/// Completes the folder of devices.
fn devices() -> io::Result<()> {
    symlink("/proc/self/fd", "/dev/fd")?;
    for (number, name) in ["stdin", "stdout", "stderr"].iter().enumerate() {
        symlink(format!("/proc/self/fd/{number}"), format!("/dev/{name}"))?;
    }
    fs::create_dir("/dev/shm")?;
    memory("/dev/shm".as_ref())
}

/// A folder that memory hides is there all the same, as the machine has it.
fn visible(folder: &Path) -> Result<(), String> {
    let inside = Path::new(ROOT).join(folder.strip_prefix("/").unwrap_or(folder));
    if inside.is_dir() {
        return Ok(());
    }
    let shown = || -> io::Result<()> {
        fs::create_dir_all(&inside)?;
        over("hostfs", &inside, sys::READ_ONLY, folder)
    };
    let failed = |e| format!("programs cannot be started in {}: {e}", folder.display());
    shown().map_err(failed)
}
