//! The guest's clock.
use super::c::{CLOCK_MONOTONIC, PR_SET_TIMERSLACK, Timespec, checked, clock_gettime, prctl};
use std::ffi::c_ulong;
use std::io;

/// Nanoseconds of the guest's clock.
fn now_ns() -> u64 {
    let mut now = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: the kernel writes one `timespec`.
    unsafe { clock_gettime(CLOCK_MONOTONIC, &raw mut now) };
    now.seconds as u64 * 1_000_000_000 + now.nanoseconds as u64
}

/// The clock, from the run's zero on. Each look at it is a system call: a turn has one at most.
pub struct Clock {
    zero: u64,
    now: Option<u64>,
}

impl Clock {
    pub fn from(zero: u64) -> Clock {
        Clock { zero, now: None }
    }
    /// A new turn begins.
    pub fn turn(&mut self) {
        self.now = None;
    }
    /// The instant of this turn.
    pub fn now(&mut self) -> u64 {
        *self.now.get_or_insert_with(|| now_ns().saturating_sub(self.zero))
    }
}

/// Timers of this thread expire at their instant, not up to 50 µs later.
pub fn exact_timers() -> io::Result<()> {
    // SAFETY: this option takes a number.
    checked(unsafe { prctl(PR_SET_TIMERSLACK, 1 as c_ulong) }).map(drop)
}
