//! A guest: a user-mode Linux, its process, its devices, its console.
use crate::AGENT;
use crate::cpio::Archive;
use crate::nic::Nic;
use crate::patience::Activity;
use crate::sys::process::Keeper;
use crate::sys::{memory, process};
use crate::vhost::Identity;
use dumbbell_emu::error::EnvError;
use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::{AccessFlags, access};
use std::env;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

/// Memory of a guest; what it does not touch is not there.
const MEMORY: &str = "mem=256M";
/// Lines of a guest's console that errors show.
const LAST_LINES: usize = 8;
/// Characters of a line: together they fit into a message.
const LINE: usize = 100;
/// How the line of a panic begins.
const PANIC: &str = "Kernel panic";
/// The folder for a kernel's names and pipes: one in which nothing can be made, so nothing is left.
const NO_FOLDER: &str = "uml_dir=/proc/";
/// The places of a guest's files.
const INITRAMFS: usize = 0;
const CLOCK: usize = 1;
const DEVICES: usize = 2;
const BUILD: &str = "build it with `dumbbell linux build`, or name another: DUMBBELL_LINUX=PATH";

/// A guest.
pub struct Guest {
    child: Child,
    /// Ends the kernel's group of processes: its own, and those of its programs.
    keeper: Keeper,
    ended: Option<ExitStatus>,
    /// What its kernel said.
    console: File,
    /// The connection of its clock.
    pub clock: Option<UnixStream>,
    /// Its devices: the control device, then one for each of its hosts.
    pub nics: Vec<Nic>,
    /// Sequence number and time of its start.
    pub start: Option<crate::timing::Message>,
}

/// A guest's kernel and its name.
pub struct Kernel<'a> {
    /// The program.
    pub program: &'a Path,
    /// Entropy, the same in each run.
    pub seed: u64,
}

/// The sockets of a guest: the place of that of its clock, and those of its devices, the control
/// device first.
pub struct Sockets<'a> {
    /// Of all guests.
    pub clock: &'a OwnedFd,
    /// A listener, and its place.
    pub devices: Vec<(UnixListener, OwnedFd)>,
}

/// Starts the `number`-th guest.
///
/// # Errors
/// The kernel cannot be started.
pub fn start(
    kernel: &Kernel<'_>,
    number: usize,
    sockets: Sockets<'_>,
    initramfs: Archive,
    identity: impl Fn(usize) -> Identity,
) -> Result<Guest, EnvError> {
    let tried = |what: &'static str| move |e: io::Error| EnvError::of(what, &e);
    let mut archive: File = in_memory("dumbbell-initramfs")?;
    archive.write_all(&initramfs.finish()).map_err(tried("write a guest's files"))?;
    let clock = sockets.clock.try_clone().map_err(tried("open a guest's clock"))?;
    let (mut nics, mut files) = (vec![], vec![OwnedFd::from(archive), clock]);
    for (nic, (listener, place)) in sockets.devices.into_iter().enumerate() {
        nics.push(Nic::new(listener, identity(nic)));
        files.push(place);
    }
    let console: File = in_memory("dumbbell-console")?;
    let output = || console.try_clone().map_err(tried("keep a console"));
    let mut keeper = Keeper::new().map_err(tried("start a process"))?;
    let mut command = Command::new(kernel.program);
    command
        .args([MEMORY, NO_FOLDER, "rdinit=/init", "con=null", "con0=null,fd:1"])
        .arg(format!("initrd={}", process::path(INITRAMFS)))
        .arg(format!("time-travel=ext:{number}:{}", process::path(CLOCK)))
        .args(
            (0..nics.len()).map(|n| format!("virtio_uml.device={}:1", process::path(DEVICES + n))),
        )
        .current_dir("/")
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("DUMBBELL_ENTROPY", entropy(kernel.seed, number).to_string())
        .process_group(0) // a kernel that panics ends its whole group
        .stdin(Stdio::null())
        .stdout(output()?)
        .stderr(output()?);
    if let Some(folder) = memory_folder()? {
        command.env("TMPDIR", folder);
    }
    process::prepare(&mut command, &files).map_err(tried("hand files to a guest"))?;
    let child = command.spawn().map_err(|e| start_error(kernel.program, &e))?;
    let kept = keeper.keep(&child);
    let guest = Guest { child, keeper, ended: None, console, clock: None, nics, start: None };
    kept.map_err(tried("start a process"))?;
    Ok(guest)
}

/// A file that has no name.
fn in_memory(name: &str) -> Result<File, EnvError> {
    memory::file(name).map(File::from).map_err(|e| match e.raw_os_error() {
        Some(libc::ENOSYS | libc::EPERM) => EnvError::new(
            format!("this system has no files in memory, memfd_create(2): {e}"),
            "use Linux 3.17 or later; in a container, --security-opt seccomp=unconfined",
        ),
        _ => EnvError::of("make a file in memory", &e),
    })
}

/// Where a kernel keeps the memory of its guest, if not in `/dev/shm`: programs must be allowed
/// there.
fn memory_folder() -> Result<Option<PathBuf>, EnvError> {
    let allowed = |folder: &Path| {
        let flags = statvfs(folder).map(|about| about.flags());
        flags.is_ok_and(|flags| !flags.contains(FsFlags::ST_NOEXEC))
            && access(folder, AccessFlags::W_OK).is_ok()
    };
    let (usual, other) = (Path::new("/dev/shm"), env::temp_dir());
    if allowed(usual) {
        return Ok(None);
    }
    if allowed(&other) {
        return Ok(Some(other));
    }
    Err(EnvError::new(
        format!(
            "a kernel needs a temporary folder from which programs may run: /dev/shm and {} are \
            missing, not writable or mounted noexec",
            other.display()
        ),
        "set TMPDIR to a folder that is not mounted noexec, or: mount -o remount,exec /dev/shm",
    ))
}

/// Each guest has other entropy.
fn entropy(seed: u64, number: usize) -> u64 {
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number as u64)
}

fn start_error(program: &Path, error: &io::Error) -> EnvError {
    let fix = match error.raw_os_error() {
        Some(libc::EPERM) => {
            "the system forbids to switch the randomization of addresses off (personality(2)), as \
                some containers do: start it with --security-opt seccomp=unconfined"
        }
        _ => BUILD,
    };
    EnvError::new(format!("the kernel {} cannot be started: {error}", program.display()), fix)
}

/// Why a kernel ended before it had begun, by what it said.
pub fn no_start(program: &Path, how: &str, words: &str) -> EnvError {
    let fix = if words.contains("ptrace") {
        "the system forbids ptrace(2), as some containers do: start it with --security-opt \
            seccomp=unconfined; if sysctl kernel.yama.ptrace_scope is 2 or 3: run it as root, or \
            set it to 1"
    } else if words.contains("noexec") {
        "set TMPDIR to a folder that is not mounted noexec"
    } else {
        BUILD
    };
    let said = if words.is_empty() { String::new() } else { format!("; it said:\n{words}") };
    let program = program.display();
    EnvError::new(format!("the kernel {program} does not start: {how}{said}"), fix)
}

/// The first file system of a guest, and the only one if it runs no programs of others.
pub fn initramfs(orders: &str) -> Archive {
    Archive::default()
        .folder("dev")
        .device("dev/console", (5, 1))
        .device("dev/null", (1, 3))
        .device("dev/kmsg", (1, 11))
        .folder("proc")
        .file("init", 0o755, AGENT)
        .file("plan", 0o644, orders.as_bytes())
}

impl Guest {
    /// What its processes do now: the kernel's and those of its programs, which are one group.
    pub fn activity(&self) -> Activity {
        let mut sum = Activity { cpu_s: 0.0, runnable: false };
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            if !entry.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit) {
                continue;
            }
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            if let Some((ticks, state)) = of_group(&stat, self.child.id()) {
                sum.cpu_s += ticks as f64 / 100.0;
                sum.runnable |= matches!(state, "R" | "D");
            }
        }
        sum
    }

    /// The last lines that its kernel said, or those around its panic.
    pub fn last_words(&mut self) -> String {
        let mut bytes = vec![];
        let read = self.console.rewind().and_then(|()| self.console.read_to_end(&mut bytes));
        if read.is_err() {
            return String::new();
        }
        last_lines(&String::from_utf8_lossy(&bytes))
    }

    /// How its process has ended, if it has.
    pub fn ended(&mut self) -> Option<String> {
        if self.ended.is_none() {
            self.ended = self.child.try_wait().ok().flatten();
        }
        self.ended.map(|status| status.to_string())
    }
}

/// The [`LAST_LINES`] at the end of a console. What follows a panic, registers and a trace, is
/// longer: the lines then end soon after the panic.
fn last_lines(console: &str) -> String {
    let lines: Vec<&str> = console.lines().filter(|line| !line.trim().is_empty()).collect();
    let panic = lines.iter().position(|line| line.contains(PANIC));
    let end = panic.map_or(lines.len(), |at| (at + LAST_LINES / 2).min(lines.len()));
    let cut = |line: &&str| line.chars().take(LINE).collect::<String>();
    let said: Vec<_> = lines[end.saturating_sub(LAST_LINES)..end].iter().map(cut).collect();
    said.join("\n")
}

/// Of a line of `/proc/PID/stat`: the ticks of processor time and the state, if the process is of
/// that group.
fn of_group(stat: &str, group: u32) -> Option<(u64, &str)> {
    const GROUP: usize = 2;
    const USER_TIME: usize = 11;
    // The name, in parentheses, may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    if fields.get(GROUP)?.parse() != Ok(group) {
        return None;
    }
    let ticks = fields.iter().skip(USER_TIME).take(4).filter_map(|f| f.parse::<u64>().ok()).sum();
    Some((ticks, fields[0]))
}

impl Drop for Guest {
    fn drop(&mut self) {
        // Before it is waited for, nobody else has its number.
        self.keeper.end();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_hold_a_panic_and_fit_into_a_message() {
        let boot: String = (0..50).map(|n| format!("device {n}{}\n\n", "x".repeat(200))).collect();
        let end = last_lines(&boot);
        assert!(end.starts_with("device 42x") && end.contains("\ndevice 49x"), "{end}");
        assert!(end.len() < 900, "a longer message is cut");
        let panic = "ptrace failed\nKernel panic - not syncing: no init\n";
        let trace: String = (0..60).map(|n| format!("[<{n:08x}>] call\n")).collect();
        let around = last_lines(&format!("{boot}{panic}{trace}"));
        assert!(around.contains("ptrace failed\nKernel panic"), "{around}");
        assert_eq!(around.lines().count(), LAST_LINES);
        assert_eq!(last_lines("one\n\n"), "one");
    }

    #[test]
    fn a_process_counts_for_its_group_alone() {
        let stat = "77 (a ) b) S 1 42 42 0 -1 4194560 1 2 3 4 500 60 7 8 20 0 1 0 99 1 1";
        assert_eq!(of_group(stat, 42), Some((575, "S")));
        assert_eq!(of_group(stat, 43), None);
        assert_eq!(of_group("77 (cut) S 1 42", 43), None);
    }
}
