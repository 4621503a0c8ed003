//! A real process over a store that the test stops at system calls, by ptrace.
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, gettid};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{PoisonError, RwLock};

/// Tells a process what to do: a role and the store.
const ROLE: &str = "DUMBBELL_ACTOR_ROLE";
const STORE: &str = "DUMBBELL_ACTOR_STORE";
/// Taken to start a process, and to use a store in this one: a process that has begun but does not
/// yet execute its program has copies of all descriptors, and so of all locks.
pub static STARTS: RwLock<()> = RwLock::new(());
/// Before the number of the thread that acts.
const READY: &str = "actor's thread ";
/// The value of a register when a system call begins.
const BEGINS: u64 = -libc::ENOSYS as u64;

/// The system calls at which a process is stopped: all by which a store is read as a whole, or
/// changed.
const CALLS: [i64; 21] = [
    libc::SYS_openat,
    libc::SYS_flock,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_unlink,
    libc::SYS_unlinkat,
    libc::SYS_link,
    libc::SYS_linkat,
    libc::SYS_write,
    libc::SYS_pwrite64,
    libc::SYS_writev,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_ftruncate,
    libc::SYS_mkdir,
    libc::SYS_mkdirat,
    libc::SYS_rmdir,
    libc::SYS_getdents64,
    libc::SYS_copy_file_range,
    libc::SYS_pread64,
];

/// The point that a process has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Before the call at which it was to stop.
    Call,
    /// It is about to sleep: it waits for a lock.
    Waits,
    /// It has ended, or was killed.
    Ended,
}

/// A traced process.
pub struct Actor {
    child: Child,
    thread: Pid,
    /// Calls that have begun.
    pub calls: usize,
}

/// Plays the role that a test gave to this process; does nothing in a process without a role.
pub fn act(play: impl FnOnce(&str, &Path)) {
    let (Ok(role), Some(store)) = (std::env::var(ROLE), std::env::var_os(STORE)) else { return };
    let mut out = std::io::stdout();
    writeln!(out, "{READY}{}", gettid()).and_then(|()| out.flush()).unwrap();
    assert_eq!(std::io::stdin().read(&mut [0]).unwrap(), 1);
    play(&role, &PathBuf::from(store));
}

impl Actor {
    /// A process that plays `role` by the test `test` of this program, stopped before it begins.
    ///
    /// # Errors
    /// ptrace is not permitted here.
    pub fn start(test: &str, role: &str, store: &Path) -> nix::Result<Actor> {
        let alone = STARTS.write().unwrap_or_else(PoisonError::into_inner);
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture", "--test-threads=1"])
            .env(ROLE, role)
            .env(STORE, store)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(alone);
        let mut said = BufReader::new(child.stdout.as_mut().unwrap()).lines().map(Result::unwrap);
        let ready =
            said.find_map(|line| line.split_once(READY).map(|(_, thread)| thread.parse().unwrap()));
        drop(said);
        let thread = Pid::from_raw(ready.expect("the actor says its thread"));
        let traced =
            ptrace::seize(thread, Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_EXITKILL)
                .and_then(|()| ptrace::interrupt(thread))
                .and_then(|()| waitpid(thread, Some(WaitPidFlag::__WALL)));
        if let Err(e) = traced {
            child.kill().unwrap();
            child.wait().unwrap();
            return Err(e);
        }
        child.stdin.as_mut().unwrap().write_all(b"!").unwrap();
        Ok(Actor { child, thread, calls: 0 })
    }

    /// Lets it go on until its `call`th call is about to begin, it waits, or it ends.
    pub fn run_to(&mut self, call: usize) -> Stop {
        loop {
            match ptrace::syscall(self.thread, None)
                .and_then(|()| waitpid(self.thread, Some(WaitPidFlag::__WALL)))
            {
                Ok(WaitStatus::PtraceSyscall(_)) => {}
                Ok(WaitStatus::Exited(..) | WaitStatus::Signaled(..)) | Err(nix::Error::ESRCH) => {
                    return Stop::Ended;
                }
                Ok(_) => continue,
                Err(e) => panic!("ptrace: {e}"),
            }
            let Ok(regs) = ptrace::getregs(self.thread) else { return Stop::Ended };
            let number = regs.orig_rax as i64;
            if regs.rax != BEGINS {
                continue;
            }
            if [libc::SYS_nanosleep, libc::SYS_clock_nanosleep].contains(&number) {
                return Stop::Waits;
            }
            self.calls += usize::from(CALLS.contains(&number));
            if CALLS.contains(&number) && self.calls == call {
                return Stop::Call;
            }
        }
    }

    /// Lets it go on to its end and shows each system call to `watch`, before it is made: its
    /// number, the file that its first argument stands for, and the link to that file, which can be
    /// read even if the file has no name. A call for which `watch` gives an error is not made, and
    /// fails with that.
    pub fn run(&mut self, mut watch: impl FnMut(i64, &Path, &Path) -> Option<i32>) {
        let mut fails = None;
        loop {
            match ptrace::syscall(self.thread, None)
                .and_then(|()| waitpid(self.thread, Some(WaitPidFlag::__WALL)))
            {
                Ok(WaitStatus::PtraceSyscall(_)) => {}
                Ok(WaitStatus::Exited(..) | WaitStatus::Signaled(..)) | Err(nix::Error::ESRCH) => {
                    return;
                }
                Ok(_) => continue,
                Err(e) => panic!("ptrace: {e}"),
            }
            let mut regs = ptrace::getregs(self.thread).unwrap();
            if let Some(error) = fails.take() {
                regs.rax = -i64::from(error) as u64;
                ptrace::setregs(self.thread, regs).unwrap();
            } else if regs.rax == BEGINS {
                let link = PathBuf::from(format!("/proc/{}/fd/{}", self.thread, regs.rdi));
                let file = std::fs::read_link(&link).unwrap_or_default();
                fails = watch(regs.orig_rax as i64, &file, &link);
                if fails.is_some() {
                    regs.orig_rax = u64::MAX; // No call has this number.
                    ptrace::setregs(self.thread, regs).unwrap();
                }
            }
        }
    }

    /// Returns the outcome of the ended process: `Ok` if it succeeded, else its messages.
    pub fn verdict(mut self) -> Result<(), String> {
        let mut said = String::new();
        let status = self.child.wait().unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        if status.success() { Ok(()) } else { Err(said) }
    }

    /// Kills the process where it is.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        while !matches!(
            waitpid(self.thread, Some(WaitPidFlag::__WALL)),
            Err(_) | Ok(WaitStatus::Exited(..) | WaitStatus::Signaled(_, Signal::SIGKILL, _))
        ) {}
        self.child.wait().unwrap();
    }
}
