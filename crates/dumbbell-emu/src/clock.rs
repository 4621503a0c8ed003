//! The clock of a run: CLOCK_MONOTONIC from an epoch on, in the network's picoseconds.
//!
//! With a suitable clock source (tsc, kvm-clock) the kernel answers without a system call, so that
//! the time can be read for each packet.
use dumbbell_core::units::Time;
use nix::time::{ClockId, clock_gettime};

/// Picoseconds in a nanosecond.
const PS_PER_NS: u64 = 1_000;
const NS_PER_S: u64 = 1_000_000_000;

/// Nanoseconds of CLOCK_MONOTONIC now.
pub fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("every Linux has CLOCK_MONOTONIC");
    now.tv_sec() as u64 * NS_PER_S + now.tv_nsec() as u64
}

/// The instants of a run against those of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    epoch: u64,
}

impl Clock {
    /// The run begins at `ns` of CLOCK_MONOTONIC.
    pub const fn from_epoch(ns: u64) -> Self {
        Clock { epoch: ns }
    }
    /// The run begins now.
    pub fn start() -> Self {
        Clock { epoch: monotonic_ns() }
    }
    /// The nanosecond of CLOCK_MONOTONIC that is instant zero.
    pub const fn epoch(self) -> u64 {
        self.epoch
    }
    /// Now; zero before the epoch.
    #[inline]
    pub fn now(self) -> Time {
        self.time(monotonic_ns())
    }
    /// The instant of a nanosecond of CLOCK_MONOTONIC; zero before the epoch.
    #[inline]
    pub const fn time(self, ns: u64) -> Time {
        Time::from_ps(ns.saturating_sub(self.epoch).saturating_mul(PS_PER_NS))
    }
    /// The first nanosecond of CLOCK_MONOTONIC at which `t` has come; `u64::MAX` for
    /// [`Time::NEVER`].
    #[inline]
    pub const fn ns(self, t: Time) -> u64 {
        if t.ps() == u64::MAX {
            u64::MAX
        } else {
            self.epoch.saturating_add(t.ps().div_ceil(PS_PER_NS))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_instant_has_come_at_its_nanosecond_and_not_before(
            epoch in 0u64..1 << 60,
            ps in 1u64..1 << 62,
        ) {
            let (clock, t) = (Clock::from_epoch(epoch), Time::from_ps(ps));
            let ns = clock.ns(t);
            prop_assert!(clock.time(ns) >= t);
            prop_assert!(clock.time(ns - 1) < t);
        }
    }

    #[test]
    fn never_does_not_come_and_nothing_is_before_the_epoch() {
        let clock = Clock::from_epoch(1_000);
        assert_eq!(clock.ns(Time::NEVER), u64::MAX);
        assert_eq!(clock.time(999), Time::ZERO);
        assert_eq!(clock.time(1_002), Time::from_ps(2_000));
    }

    #[test]
    fn it_does_not_run_backwards() {
        let clock = Clock::start();
        let mut last = Time::ZERO;
        for _ in 0..10_000 {
            let now = clock.now();
            assert!(now >= last);
            last = now;
        }
    }
}
