//! Run-queue delay: how long a thread was ready, but had no processor.
//!
//! The kernel tells it in `schedstat` (Documentation/scheduler/sched-stats.rst): the second number,
//! in nanoseconds.
use dumbbell_core::units::Span;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// The account of the calling thread.
const OWN: &str = "/proc/thread-self/schedstat";

/// The delay of a thread since it started, by its account; `None`: the kernel does not tell.
pub fn total(account: &File) -> Option<Span> {
    let mut text = [0; 96];
    let len = account.read_at(&mut text, 0).ok()?;
    second_number(std::str::from_utf8(&text[..len]).ok()?).map(|ns| Span::from_ps(ns * 1_000))
}

/// The delay of the calling thread since it started; `None`: the kernel does not tell.
pub fn total_of_this_thread() -> Option<Span> {
    total(&File::open(OWN).ok()?)
}

fn second_number(schedstat: &str) -> Option<u64> {
    schedstat.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// The delay of a thread from one look to the next.
pub struct RunDelay {
    account: File,
    last: Span,
}

impl RunDelay {
    /// Starts with the calling thread; `None`: the kernel does not tell.
    pub fn of_this_thread() -> Option<RunDelay> {
        let mut delay = RunDelay::new(File::open(OWN).ok()?);
        delay.since_last().map(|_| delay)
    }

    /// Starts with an account at zero.
    pub(crate) fn new(account: File) -> RunDelay {
        RunDelay { account, last: Span::ZERO }
    }

    /// The delay since the last call; `None`: the kernel does not tell.
    pub fn since_last(&mut self) -> Option<Span> {
        let total = total(&self.account)?;
        Some(total.saturating_sub(std::mem::replace(&mut self.last, total)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_is_the_delay() {
        assert_eq!(second_number("0 92788 1\n"), Some(92_788));
        assert_eq!(second_number("17"), None);
    }
}
