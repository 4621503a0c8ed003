//! Locks between processes (`flock`), with a bounded wait that says which process it waits for.
//!
//! A lock belongs to an open file, so two threads that open the file apart exclude each other as
//! two processes do.
use rustix::fs::{major, minor};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

/// After this long a wait says on standard error what it waits for.
const NOTICE: Duration = Duration::from_secs(2);
/// The first and the longest pause between two tries.
const PAUSE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

/// With whom a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// With others that share it.
    Shared,
    /// With nobody.
    Exclusive,
}

/// The result of a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// The lock is held until the file is closed.
    Locked,
    /// Another process or thread has it.
    Busy,
    /// The file system has no locks.
    Unsupported,
}

/// Tries to lock `file`.
///
/// # Errors
/// The disk fails.
pub fn attempt(file: &File, mode: Mode) -> io::Result<Tried> {
    let tried = match mode {
        Mode::Shared => file.try_lock_shared(),
        Mode::Exclusive => file.try_lock(),
    };
    let absent = [Errno::NOLCK, Errno::NOSYS, Errno::OPNOTSUPP, Errno::INVAL];
    match tried {
        Ok(()) => Ok(Tried::Locked),
        Err(TryLockError::WouldBlock) => Ok(Tried::Busy),
        Err(TryLockError::Error(e))
            if Errno::from_io_error(&e).is_some_and(|e| absent.contains(&e)) =>
        {
            Ok(Tried::Unsupported)
        }
        Err(TryLockError::Error(e)) => Err(e),
    }
}

/// Locks `file`, part of `what`, within `patience`. False: the file system has no locks.
///
/// # Errors
/// [`io::ErrorKind::TimedOut`], naming the process that has the lock; or the disk fails.
pub fn acquire(file: &File, mode: Mode, what: &str, patience: Duration) -> io::Result<bool> {
    let (began, mut pause, mut noticed) = (Instant::now(), PAUSE.0, false);
    loop {
        match attempt(file, mode)? {
            Tried::Locked => return Ok(true),
            Tried::Unsupported => return Ok(false),
            Tried::Busy => {}
        }
        let waited = began.elapsed();
        if waited >= patience {
            let cause =
                format!("{} has been using {what} for {} s", holders(file), waited.as_secs());
            return Err(io::Error::new(io::ErrorKind::TimedOut, cause));
        }
        if waited > NOTICE && !noticed {
            noticed = true;
            #[expect(clippy::print_stderr, reason = "a command that waits says for what")]
            {
                eprintln!("waiting for {}, which is using {what}", holders(file));
            }
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(PAUSE.1);
    }
}

/// The processes that hold a lock on `file`, in words.
fn holders(file: &File) -> String {
    let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
    let Ok(meta) = file.metadata() else { return "another process".into() };
    let inode = format!("{:02x}:{:02x}:{}", major(meta.dev()), minor(meta.dev()), meta.ino());
    // `1: FLOCK  ADVISORY  WRITE 4711 fe:00:1234 0 EOF`; waiters have an arrow behind their number.
    let holder = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
        [_, "FLOCK", _, _, pid, of, ..] if of == inode => pid.parse::<u32>().ok(),
        _ => None,
    };
    let name = |pid: u32| match std::fs::read_to_string(format!("/proc/{pid}/comm")) {
        Ok(name) => format!("process {pid} ({})", name.trim()),
        Err(_) => format!("process {pid}"),
    };
    let all: Vec<String> =
        locks.lines().filter_map(holder).collect::<BTreeSet<u32>>().into_iter().map(name).collect();
    if all.is_empty() { "another process".into() } else { all.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_and_names_the_process() {
        let dir = tempfile::tempdir().unwrap();
        let open = || {
            File::options()
                .write(true)
                .create(true)
                .truncate(false)
                .open(dir.path().join("lock"))
                .unwrap()
        };
        let (held, other) = (open(), open());
        assert!(acquire(&held, Mode::Exclusive, "it", Duration::ZERO).unwrap());
        assert_eq!(attempt(&other, Mode::Shared).unwrap(), Tried::Busy);
        let refused =
            acquire(&other, Mode::Shared, "the store", Duration::from_millis(5)).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::TimedOut);
        assert!(
            refused.to_string().contains(&format!("process {} (", std::process::id())),
            "{refused}"
        );
        drop(held);
        assert!(acquire(&other, Mode::Shared, "the store", Duration::ZERO).unwrap());
    }
}
