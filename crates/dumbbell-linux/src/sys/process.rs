//! The process of a guest: what it gets before its program starts.
use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::personality::{self, Persona};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// A guest has the number of its first file from here on, the same in each run: a guest's command
/// line names its files, and is mixed into its random numbers.
pub const FIRST_FILE: i32 = 64;

/// The path by which a process opens, or connects to, its `place`-th file.
pub fn path(place: usize) -> String {
    format!("/proc/self/fd/{}", FIRST_FILE as usize + place)
}

/// Ends a group of processes when this process ends, however that happens: a kernel that is killed
/// while it starts leaves a process behind that it traces.
pub struct Keeper {
    process: Child,
    group: Option<Pid>,
}

impl Keeper {
    /// A keeper of nothing yet.
    ///
    /// # Errors
    /// No process can be started.
    pub fn new() -> io::Result<Keeper> {
        // Its input ends with this process.
        let process = Command::new("/bin/sh")
            .args(["-c", "read group && { read end; kill -KILL -$group; }"])
            .current_dir("/")
            .env_clear()
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Keeper { process, group: None })
    }

    /// From now on it keeps this process's group, of which that is the leader.
    ///
    /// # Errors
    /// The keeper has ended.
    pub fn keep(&mut self, leader: &Child) -> io::Result<()> {
        self.group = Some(Pid::from_raw(leader.id() as i32));
        let input = self.process.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        writeln!(input, "{}", leader.id())
    }

    /// Ends the group.
    pub fn end(&mut self) {
        if let Some(group) = self.group.take() {
            let _ = killpg(group, Signal::SIGKILL);
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.end();
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Has a command's process begin at the same addresses in each run, with these files at
/// [`FIRST_FILE`] and beyond, and end with the thread that starts it.
///
/// # Errors
/// No descriptors are left.
pub fn prepare(command: &mut Command, files: &[OwnedFd]) -> io::Result<()> {
    // None may lie where another belongs.
    let beyond = FIRST_FILE + files.len() as i32;
    let mut apart: Vec<OwnedFd> = vec![];
    for file in files {
        let fd = fcntl(file, FcntlArg::F_DUPFD_CLOEXEC(beyond))?;
        // SAFETY: the kernel has just made this descriptor, and nobody else has it.
        apart.push(unsafe { OwnedFd::from_raw_fd(fd) });
    }
    let before = move || {
        set_pdeathsig(Signal::SIGKILL)?;
        let now = personality::get()?;
        personality::set(now | Persona::ADDR_NO_RANDOMIZE).map_err(io::Error::from)?;
        for (place, file) in apart.iter().enumerate() {
            // SAFETY: takes numbers; what the number meant before was for the parent alone.
            if unsafe { libc::dup2(file.as_raw_fd(), FIRST_FILE + place as i32) } < 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    };
    // SAFETY: between fork and exec it makes system calls alone, and allocates nothing.
    unsafe { command.pre_exec(before) };
    Ok(())
}
