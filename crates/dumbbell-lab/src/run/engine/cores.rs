//! The cores of this machine that are free.
use std::fs;
use std::thread;

/// Cores that no other thread uses at the moment. One where the system does not tell.
pub fn free() -> usize {
    let cores = thread::available_parallelism().map_or(1, Into::into);
    let running = fs::read_to_string("/proc/stat").ok().and_then(|told| running(&told));
    running.map_or(1, |running| (cores + 1).saturating_sub(running).clamp(1, cores))
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
        let cores = thread::available_parallelism().map_or(1, Into::into);
        assert!((1..=cores).contains(&free()));
    }
}
