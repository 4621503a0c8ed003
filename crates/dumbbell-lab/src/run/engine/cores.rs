//! The cores of this machine that are free.
use std::fs;
use std::thread;
use std::time::Duration;

/// How often to look for free cores, and how long to wait between two looks. A thread that does not
/// run at one of them runs only briefly, and does not count.
const LOOKS: usize = 8;
const PAUSE: Duration = Duration::from_millis(1);

/// The cores of this machine that this process may use.
pub fn all() -> usize {
    thread::available_parallelism().map_or(1, Into::into)
}

/// Cores that no other thread uses for longer than a moment. One where the system does not tell.
pub fn free() -> usize {
    let mut free = now();
    for _ in 1..LOOKS {
        if free == all() {
            break;
        }
        thread::sleep(PAUSE);
        free = free.max(now());
    }
    free
}

/// Cores that no other thread uses at this moment.
fn now() -> usize {
    let running = fs::read_to_string("/proc/stat").ok().and_then(|told| running(&told));
    running.map_or(1, |running| left(all(), running))
}

/// Of so many `cores` those that are free while so many threads are `running`, of which the caller
/// is one and counts its own core as free.
fn left(cores: usize, running: usize) -> usize {
    (cores + 1).saturating_sub(running).clamp(1, cores)
}

/// Threads that run or wait for a core, this one among them.
fn running(stat: &str) -> Option<usize> {
    stat.lines().find_map(|line| line.strip_prefix("procs_running ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_threads_have_a_line() {
        assert_eq!(running("cpu 1 2\nprocs_running 3\nprocs_blocked 0\n"), Some(3));
        assert_eq!(running("cpu 1 2\n"), None);
    }

    #[test]
    fn a_core_is_always_there_for_the_caller() {
        for (cores, running, free) in
            [(8, 1, 8), (8, 3, 6), (8, 8, 1), (8, 20, 1), (1, 1, 1), (2, 0, 2)]
        {
            assert_eq!(left(cores, running), free, "{cores} cores, {running} threads");
        }
    }
}
