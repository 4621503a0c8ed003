//! Scheduling of a thread: priority, core affinity, locked memory.
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use std::io;

/// Gives the calling thread real-time priority (SCHED_FIFO) at `priority` (1 to 99): it runs as
/// soon as it can, before everything without. Children of the thread do not inherit it.
///
/// # Errors
/// Not permitted: it needs CAP_SYS_NICE, or RLIMIT_RTPRIO of at least `priority`.
pub fn real_time(priority: i32) -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: 0 means the calling thread, and the parameters live until the call is over.
    let answer = unsafe {
        libc::sched_setscheduler(
            0,
            libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK,
            &raw const parameters,
        )
    };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Takes real-time priority away from the calling thread.
///
/// # Errors
/// None that is known: less is always permitted.
pub fn drop_real_time() -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: as above.
    let answer = unsafe { libc::sched_setscheduler(0, libc::SCHED_OTHER, &raw const parameters) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Has the calling thread run before others that have no real-time priority either, as nice(1) does
/// with -10: it wakes up sooner on a machine with other work, and takes no more time than it needs.
///
/// # Errors
/// Not permitted: it needs CAP_SYS_NICE, or RLIMIT_NICE of at least 30.
pub fn raise_nice() -> io::Result<()> {
    // SAFETY: three numbers; on Linux 0 is the calling thread.
    let result = unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, -10) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The cores on which the calling thread may run, ascending.
///
/// # Errors
/// The kernel has more cores than a set holds.
pub fn cores() -> io::Result<Vec<usize>> {
    let set = sched_getaffinity(Pid::from_raw(0))?;
    Ok((0..CpuSet::count()).filter(|core| set.is_set(*core) == Ok(true)).collect())
}

/// Keeps the calling thread on one core.
///
/// # Errors
/// There is no such core, or it is not among those of the process.
pub fn pin(core: usize) -> io::Result<()> {
    keep_to(&[core])
}

/// Keeps the calling thread on these cores, and what it starts from now on.
///
/// # Errors
/// None of them is there and among those of the process.
pub fn keep_to(cores: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    cores.iter().try_for_each(|core| set.set(*core))?;
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

/// The calling thread's timers are exact to `ns` nanoseconds (50,000 by default; real-time threads
/// have no slack).
///
/// # Errors
/// A kernel without it.
pub fn timer_slack(ns: u64) -> io::Result<()> {
    Ok(nix::sys::prctl::set_timerslack(ns)?)
}

/// Memory of the process that was in use when it was made stays in memory as long as it lives.
pub struct Locked(());

impl Locked {
    /// Locks all pages that are present now, and those of present mappings once they are touched.
    /// Later mappings are not locked: they would count against a limit that others of the process
    /// run into.
    ///
    /// # Errors
    /// Not permitted: it needs CAP_IPC_LOCK or a higher RLIMIT_MEMLOCK.
    pub fn present() -> io::Result<Locked> {
        // SAFETY: it changes no memory, only whether it may be paged out.
        let answer = unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_ONFAULT) };
        if answer == 0 { Ok(Locked(())) } else { Err(io::Error::last_os_error()) }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { libc::munlockall() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_stays_where_it_is_put() {
        std::thread::spawn(|| {
            let last = *cores().expect("the kernel tells").last().expect("there is a core");
            pin(last).expect("it is one of ours");
            assert_eq!(cores().expect("the kernel tells"), [last]);
            timer_slack(1).expect("every kernel since 2.6.28");
        })
        .join()
        .expect("the thread is fine");
    }
}
