//! Processor time of the router's thread, and steal time of the machine.
use crate::run_delay::RunDelay;
use dumbbell_core::units::{Span, Time};
use nix::sys::resource::{UsageWho, getrusage};
use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// Nanoseconds that the calling thread has run.
#[inline]
pub fn thread_ns() -> u64 {
    let ran = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect(
        "every Linux has \
        CLOCK_THREAD_CPUTIME_ID",
    );
    ran.tv_sec() as u64 * 1_000_000_000 + ran.tv_nsec() as u64
}

/// Processor time over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cpu {
    /// Of one core, the share that the router's thread used.
    pub router_share: f64,
    /// Of all cores, the share that the machine's owner gave to others (`steal` of /proc/stat);
    /// `None` where it does not tell.
    pub steal_share: Option<f64>,
    /// Number of involuntary context switches of the thread.
    pub involuntary_switches: u64,
}

/// Between two looks at the account.
const EVERY: Span = Span::from_ms(1);

/// How long the thread was ready and waited for a processor, looked at now and then.
pub struct CpuWaits {
    /// `None`: a kernel without the account.
    delay: Option<RunDelay>,
    looked: Time,
}

impl CpuWaits {
    /// Starts the account of the calling thread at `now`.
    pub fn of_this_thread(now: Time) -> Self {
        CpuWaits { delay: RunDelay::of_this_thread(), looked: now }
    }

    /// The waiting time since the last answer; `None` within a millisecond, or if the kernel does
    /// not tell.
    #[inline]
    pub fn since(&mut self, now: Time) -> Option<Span> {
        if now.since(self.looked) < EVERY {
            return None;
        }
        self.looked = now;
        self.delay.as_mut()?.since_last()
    }
}

/// The counts of the calling thread, and of the machine, at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    wall_ns: u64,
    thread_ns: u64,
    switches: u64,
    ticks: Option<Ticks>,
}

/// /proc/stat's first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ticks {
    all: u64,
    steal: u64,
}

impl Ticks {
    /// `cpu user nice system idle iowait irq softirq steal guest guest_nice`: guests' time is in
    /// user and nice, too.
    fn of(stat: &str) -> Option<Ticks> {
        let mut words = stat.lines().next()?.split_ascii_whitespace();
        if words.next()? != "cpu" {
            return None;
        }
        let numbers: Vec<u64> =
            words.take(8).map(|word| word.parse().ok()).collect::<Option<_>>()?;
        Some(Ticks { all: numbers.iter().sum(), steal: *numbers.get(7)? })
    }
}

impl Reading {
    /// Now; called by the router's own thread.
    pub fn now() -> Self {
        let switches = getrusage(UsageWho::RUSAGE_THREAD)
            .map_or(0, |usage| usage.involuntary_context_switches() as u64);
        let ticks = std::fs::read_to_string("/proc/stat").ok().and_then(|stat| Ticks::of(&stat));
        Reading { wall_ns: crate::clock::monotonic_ns(), thread_ns: thread_ns(), switches, ticks }
    }
    /// The differences between `self` and `later`.
    pub fn until(&self, later: &Reading) -> Cpu {
        let wall = later.wall_ns.saturating_sub(self.wall_ns).max(1) as f64;
        let steal = self.ticks.zip(later.ticks).map(|(before, after)| {
            after.steal.saturating_sub(before.steal) as f64
                / after.all.saturating_sub(before.all).max(1) as f64
        });
        Cpu {
            router_share: later.thread_ns.saturating_sub(self.thread_ns) as f64 / wall,
            steal_share: steal,
            involuntary_switches: later.switches.saturating_sub(self.switches),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_stat_is_understood() {
        let stat = "cpu  5128 16 1400 240000 62 0 9 77 3 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n";
        assert_eq!(
            Ticks::of(stat),
            Some(Ticks { all: 5128 + 16 + 1400 + 240_000 + 62 + 9 + 77, steal: 77 })
        );
        assert_eq!(Ticks::of("cpu 1 2 3"), None);
        assert_eq!(Ticks::of(""), None);
    }

    #[test]
    fn shares_are_of_what_passed() {
        let before = Reading {
            wall_ns: 0,
            thread_ns: 5,
            switches: 1,
            ticks: Some(Ticks { all: 1_000, steal: 10 }),
        };
        let after = Reading {
            wall_ns: 1_000,
            thread_ns: 255,
            switches: 4,
            ticks: Some(Ticks { all: 1_200, steal: 13 }),
        };
        let cpu = before.until(&after);
        assert_eq!(
            cpu,
            Cpu { router_share: 0.25, steal_share: Some(0.015), involuntary_switches: 3 }
        );
    }
}
