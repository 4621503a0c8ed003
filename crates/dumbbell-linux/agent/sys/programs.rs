//! What programs of others need: file systems over others, their place, their end, their output.
use super::c;
use super::c::{CLONE_NEWNET, checked, owned};
use std::ffi::{CString, c_char, c_int, c_long, c_void};
use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr;

/// Nobody writes to a file system, and neither its devices nor its set-user-ID bits count.
pub const READ_ONLY: u64 = 1 | 2 | 4;
/// A file or a folder appears at a second place.
pub const BIND: u64 = 4096;
pub const SIGKILL: i32 = 9;
pub const SIGTERM: i32 = 15;
const SYS_PIDFD_OPEN: c_long = 434;
const F_SETFL: c_int = 4;
const O_NONBLOCK: c_int = 0o4000;

unsafe extern "C" {
    fn kill(process: c_int, signal: c_int) -> c_int;
    fn fcntl(fd: c_int, command: c_int, ...) -> c_int;
    fn syscall(number: c_long, ...) -> c_long;
}

fn string(bytes: &[u8]) -> io::Result<CString> {
    CString::new(bytes).map_err(|_| ErrorKind::InvalidInput.into())
}

/// Mounts `source` (a folder, or nothing) over `target`. `data`: the options of its kind.
pub fn mount_over(
    (kind, source): (&str, &Path),
    target: &Path,
    flags: u64,
    data: &Path,
) -> io::Result<()> {
    let [source, target, data] = [source, target, data].map(|p| string(p.as_os_str().as_bytes()));
    let (source, target, kind, data) = (source?, target?, string(kind.as_bytes())?, data?);
    let all: [*const c_char; 3] = [source.as_ptr(), target.as_ptr(), kind.as_ptr()];
    let options: *const c_void = if data.is_empty() { ptr::null() } else { data.as_ptr().cast() };
    // SAFETY: all are strings with an end.
    checked(unsafe { c::mount_at(all[0], all[1], all[2], flags, options) }).map(drop)
}

/// Has a command's program live in a host's network and in a folder `cwd` of the file system
/// `root`, as the first of a process group.
pub fn place(command: &mut Command, network: OwnedFd, root: PathBuf, cwd: PathBuf) {
    let enter = move || {
        // SAFETY: changes the new process alone.
        checked(unsafe { c::setns(network.as_raw_fd(), CLONE_NEWNET) })?;
        std::os::unix::fs::chroot(&root)?;
        std::env::set_current_dir(&cwd)
    };
    command.process_group(0);
    // SAFETY: the agent is one thread, so that whatever the new process calls is in order.
    unsafe { command.pre_exec(enter) };
}

/// A descriptor that is ready when the process has ended.
pub fn end_of(process: u32) -> io::Result<OwnedFd> {
    // SAFETY: takes numbers.
    let fd = unsafe { syscall(SYS_PIDFD_OPEN, process as c_int, 0 as c_int) };
    owned(fd as c_int)
}

/// Sends a signal to a group of processes.
pub fn signal_group(first: u32, number: i32) {
    // SAFETY: takes numbers. The group may just have ended.
    unsafe { kill(-(first as c_int), number) };
}

/// Ends all processes but this one, which is the first.
pub fn kill_all() {
    // SAFETY: takes numbers. There may be no other.
    unsafe { kill(-1, SIGKILL) };
}

/// Reading from `fd` does not wait from now on.
pub fn without_waiting(fd: &impl AsRawFd) -> io::Result<()> {
    // SAFETY: takes numbers.
    checked(unsafe { fcntl(fd.as_raw_fd(), F_SETFL, O_NONBLOCK) }).map(drop)
}
