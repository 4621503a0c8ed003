//! A child process in a network namespace, which cannot outlive us. A PID namespace around it ends
//! everything that it started.
//!
//! Between fork and exec only async-signal-safe calls are allowed (signal-safety(7)): no
//! allocation, no lock. (The C library's fork is not on that list any more, because of the locks
//! that it takes; but it resets them in every child, so that a child may fork again.) There are
//! three processes: a *keeper*, our child, in our PID namespace; the *init* of the new namespace,
//! whose end is the end of everything in it; and the program. The first two only pass on signals
//! and the exit status.
use libc::{c_int, pid_t, sigset_t};
use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;

/// The signal by which a keeper is told to kill its namespace and to wait for that.
fn kill_all() -> c_int {
    libc::SIGRTMAX()
}

/// Lets a command start in a network namespace, die when the thread that starts it does, and take
/// with it all that it started, where the machine permits a process namespace.
pub fn start_in_namespace(command: &mut Command, network: OwnedFd) {
    let us = nix::unistd::getpid().as_raw();
    // SAFETY: `inside` and what it calls make system calls only; they allocate nothing and take no
    // lock.
    unsafe { command.pre_exec(move || child_setup(network.as_raw_fd(), us)) };
}

/// Sends a signal to a child that was not waited for yet.
///
/// # Errors
/// The process is gone.
pub fn signal(keeper: u32, number: c_int) -> io::Result<()> {
    // SAFETY: kill reads two numbers.
    check(unsafe { libc::kill(keeper.cast_signed(), number) }).map(drop)
}

/// Kills a confined child with all that it started.
///
/// # Errors
/// It is gone already.
pub fn kill_tree(keeper: u32) -> io::Result<()> {
    signal(keeper, kill_all())
}

fn check(result: c_int) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Prepares the child before exec.
fn child_setup(network: RawFd, us: pid_t) -> io::Result<()> {
    die_with_parent()?;
    // SAFETY: getppid and setns take numbers.
    unsafe {
        if libc::getppid() != us {
            // it died before we could ask to die with it
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        check(libc::setns(network, libc::CLONE_NEWNET))?;
        let old = block_all()?;
        // Before there is a child: it would throw away the news of its end, were that already here
        // (sigaction(2)).
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        if libc::unshare(libc::CLONE_NEWPID) < 0 {
            // Not permitted: the program is our child itself. A keeper tells `destroy` from other
            // signals, a program does not.
            return restore(&old);
        }
        let mut pipe: [RawFd; 2] = [0; 2];
        check(libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK))?;
        let init = check(libc::fork())?;
        if init > 0 {
            close_all_but(pipe[1]);
            wait_and_forward_signals(init);
        }
        die_with_parent()?;
        libc::close(pipe[1]);
        let mut byte = 0u8;
        // The keeper holds the other end as long as it lives: an end of file says that it died
        // before we could ask.
        if libc::read(pipe[0], (&raw mut byte).cast(), 1) == 0 {
            libc::_exit(1);
        }
        mount_proc();
        let program = check(libc::fork())?;
        if program > 0 {
            close_all_but(-1);
            wait_and_forward_signals(program);
        }
        restore(&old)
    }
}

fn die_with_parent() -> io::Result<()> {
    // SAFETY: prctl takes numbers here.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) }).map(drop)
}

/// Blocks every signal, so that none is lost before somebody waits for it; what was blocked before.
fn block_all() -> io::Result<sigset_t> {
    let mut all = MaybeUninit::<sigset_t>::uninit();
    let mut old = MaybeUninit::<sigset_t>::uninit();
    // SAFETY: sigfillset and sigprocmask write whole sets; `old` is written where sigprocmask
    // succeeds.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        check(libc::sigprocmask(libc::SIG_SETMASK, all.as_ptr(), old.as_mut_ptr()))?;
        Ok(old.assume_init())
    }
}

fn restore(old: &sigset_t) -> io::Result<()> {
    // SAFETY: `old` is a whole set.
    check(unsafe { libc::sigprocmask(libc::SIG_SETMASK, old, ptr::null_mut()) }).map(drop)
}

/// Shows the processes of the new namespace in /proc, in a mount namespace that nobody else sees.
/// If the kernel does not permit that, programs work, but `ps` shows the whole machine's processes.
fn mount_proc() {
    // SAFETY: all pointers are constant strings ended by zero, or null where mount(2) permits it.
    unsafe {
        let flags = libc::MS_REC | libc::MS_PRIVATE;
        // One after the other: nothing may ever be mounted where others see it.
        if libc::unshare(libc::CLONE_NEWNS) == 0
            && libc::mount(ptr::null(), c"/".as_ptr(), ptr::null(), flags, ptr::null()) == 0
        {
            let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
            libc::mount(c"proc".as_ptr(), c"/proc".as_ptr(), c"proc".as_ptr(), flags, ptr::null());
        }
    }
}

/// Closes what a relay inherited, so that the other ends of pipes see the program's end and nobody
/// else's.
fn close_all_but(keep: RawFd) {
    let mut from = 0;
    for bound in [keep, RawFd::MAX] {
        if bound > from {
            // SAFETY: closing numbers that nobody in this process uses again.
            unsafe {
                let last = if bound == RawFd::MAX { bound } else { bound - 1 };
                if libc::syscall(libc::SYS_close_range, from, last, 0) < 0 {
                    (from..=last.min(4096)).for_each(|fd| _ = libc::close(fd));
                }
            }
        }
        from = bound.max(-1).saturating_add(1);
    }
}

/// Waits for `child` and ends as it did (128 and the signal's number, if by one); passes on signals
/// of other processes. A terminal's go to the program by themselves.
fn wait_and_forward_signals(child: pid_t) -> ! {
    let mut all = MaybeUninit::<sigset_t>::uninit();
    // SAFETY: sets and infos are written whole before they are read; the rest takes numbers.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        loop {
            let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
            let number = libc::sigwaitinfo(all.as_ptr(), info.as_mut_ptr());
            if number == libc::SIGCHLD {
                reap(child);
            } else if number == kill_all() {
                libc::kill(child, libc::SIGKILL);
            } else if number > 0 && info.assume_init_ref().si_code <= 0 {
                libc::kill(child, number);
            }
        }
    }
}

/// Waits for whoever ended; does not return if it was `child`.
fn reap(child: pid_t) {
    let mut status = 0;
    loop {
        // SAFETY: waitpid writes one number.
        match unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) } {
            pid if pid == child => {
                let code = if libc::WIFSIGNALED(status) {
                    128 + libc::WTERMSIG(status)
                } else {
                    libc::WEXITSTATUS(status)
                };
                // SAFETY: ends this process, which holds nothing.
                unsafe { libc::_exit(code) }
            }
            pid if pid > 0 => {}
            _ => return,
        }
    }
}

/// Makes a command start inside a user namespace of its own, as its root, without any privilege
/// here.
pub fn start_in_user_namespace(command: &mut Command) {
    let us = nix::unistd::getpid().as_raw();
    let maps = Maps::new();
    // SAFETY: as in `confine`: system calls only, on what was made before.
    unsafe {
        command.pre_exec(move || {
            check(libc::unshare(libc::CLONE_NEWUSER))?;
            maps.write()?;
            die_with_parent()?;
            if libc::getppid() == us {
                Ok(())
            } else {
                Err(io::Error::from_raw_os_error(libc::ESRCH))
            }
        });
    }
}

/// The user and group outside that are root in a new user namespace.
struct Maps {
    user: String,
    group: String,
}

impl Maps {
    fn new() -> Maps {
        Maps {
            user: format!("0 {} 1", nix::unistd::geteuid()),
            group: format!("0 {} 1", nix::unistd::getegid()),
        }
    }

    /// Writes them for the calling process, just after it left its user namespace. Allocates
    /// nothing.
    fn write(&self) -> io::Result<()> {
        let files: [(&CStr, &[u8]); 3] = [
            (c"/proc/self/setgroups", b"deny"),
            (c"/proc/self/uid_map", self.user.as_bytes()),
            (c"/proc/self/gid_map", self.group.as_bytes()),
        ];
        for (path, text) in files {
            // SAFETY: path and text are valid for the calls, which do not keep them.
            unsafe {
                let fd = check(libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC))?;
                let written = libc::write(fd, text.as_ptr().cast(), text.len());
                let error = io::Error::last_os_error();
                libc::close(fd);
                if written < 0 {
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

/// Moves this process, which must have one thread, into a user namespace of its own, as its root.
///
/// # Errors
/// There are more threads ([`io::ErrorKind::InvalidInput`]), or user namespaces are not permitted.
pub fn enter_user_namespace() -> io::Result<()> {
    let maps = Maps::new();
    // SAFETY: unshare takes a number.
    check(unsafe { libc::unshare(libc::CLONE_NEWUSER) })?;
    maps.write()
}
