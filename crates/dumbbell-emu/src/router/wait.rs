//! Waiting for a packet or an instant, whichever comes first.
//!
//! A thread that sleeps wakes up some microseconds late, because of the kernel's timer and of idle
//! cores. So it sleeps until shortly before the instant and polls the clock from then on. It learns
//! this margin from the lateness of its wake-ups, as TCP learns its timeout from round-trip times
//! (Jacobson 1988): mean plus four mean deviations.
use crate::clock::Clock;
use crate::router::cpu_budget::{Awake, Budget};
use dumbbell_core::units::{Span, Time};
use dumbbell_plan::Wait;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::time::TimeSpec;
use serde::{Deserialize, Serialize};
use std::io;

/// The longest sleep: somebody may want the router to end.
const LONGEST: Span = Span::from_ms(10);
/// The thread is back this long before an instant at least, and at most.
const MARGIN: (Span, Span) = (Span::from_us(10), Span::from_us(60));
/// A wait that spins ends after this long: there are accounts to keep.
const AT_ONCE: Span = Span::from_ms(1);
/// A busy router that gets no packet for this long is busy no longer.
const PATIENCE: Span = Span::from_us(100);
/// The time for which a thread with little budget stays awake: about the least lateness of a sleep.
const LEAST: Span = Span::from_us(4);
/// The time before an instant in which only the clock is polled, and packets wait: a poll of the
/// NICs takes a microsecond. Packets do not wait for several instants in a row.
const NEAR: Span = Span::from_us(3);

/// The way in which the router waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitMode {
    /// Sleeps until shortly before the next instant, then looks at the clock.
    #[default]
    Hybrid,
    /// Sleeps until the next instant: the least CPU time, and some ten microseconds late.
    Sleep,
    /// Never sleeps, up to nine tenths of the time.
    Spin,
}

impl From<Wait> for WaitMode {
    fn from(wait: Wait) -> Self {
        match wait {
            Wait::Hybrid => WaitMode::Hybrid,
            Wait::Sleep => WaitMode::Sleep,
        }
    }
}

/// An estimate of the thread's wake-up lateness.
#[derive(Clone, Copy, Debug)]
struct Margin {
    mean: u64,
    deviation: u64,
}

impl Margin {
    fn span(self) -> Span {
        Span::from_ps(self.mean + 4 * self.deviation).clamp(MARGIN.0, MARGIN.1)
    }
    fn learn(&mut self, late: Span) {
        // One that came back a millisecond late was not scheduled: no margin helps there.
        let late = late.ps().min(2 * MARGIN.1.ps());
        let off = late.abs_diff(self.mean);
        self.deviation = self.deviation - self.deviation / 16 + off / 16;
        self.mean = self.mean - self.mean / 8 + late / 8;
    }
}

/// A thread that wakes up later than this was not scheduled.
const ASLEEP: Span = Span::from_ms(1);

/// Waits.
pub struct Waiter {
    clock: Clock,
    wait_mode: WaitMode,
    margin: Margin,
    /// The time of the last poll of the NICs.
    looked: Time,
    /// The last time at which all NICs were empty.
    drained_at: Time,
}

/// A wait that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wakeup {
    /// True if a packet is there.
    pub packets: bool,
    /// Now.
    pub now: Time,
    /// The latest time at which it was to poll again.
    pub asked: Time,
    /// The last time at which all NICs were empty.
    pub drained_at: Time,
    /// The start of the last sleeping poll; `None`: the thread was awake all the time.
    pub slept: Option<Time>,
}

impl Wakeup {
    /// Since when the router did not attend: since something was due at `until` or a packet was
    /// seen, if there was `something` to do, and since it was to be back if it overslept, whatever
    /// there was: packets that came meanwhile are stamped when they are read, and do not tell.
    pub fn absent_since(&self, until: Time, something: bool) -> Option<Time> {
        let due = something.then(|| until.min(self.now));
        let overslept = (self.now.since(self.asked) > ASLEEP).then_some(self.asked);
        due.into_iter().chain(overslept).min()
    }
}

impl Waiter {
    /// Waits by `clock`.
    pub fn new(clock: Clock, wait_mode: WaitMode) -> Self {
        Waiter {
            clock,
            wait_mode,
            margin: Margin { mean: 20_000_000, deviation: 5_000_000 },
            looked: Time::ZERO,
            drained_at: Time::ZERO,
        }
    }

    /// Waits until `until`, or until one of `nics` has a packet, or for a while. `busy`: packets
    /// come every few microseconds.
    ///
    /// # Errors
    /// A NIC is gone.
    pub fn wait(
        &mut self,
        until: Time,
        nics: &mut [PollFd<'_>],
        busy: bool,
        budget: &Budget,
    ) -> io::Result<Wakeup> {
        let awake = budget.awake();
        let began = self.clock.now();
        let mut now = began;
        loop {
            let (left, waited) = (until.since(now), now.since(began));
            let margin = match (self.wait_mode, awake) {
                (WaitMode::Sleep, _) | (_, Awake::Never) => Span::ZERO,
                (_, Awake::Barely) => LEAST,
                (WaitMode::Spin, Awake::Freely) => left,
                (WaitMode::Hybrid, Awake::Freely) if busy && waited <= PATIENCE => left,
                _ => self.margin.span(),
            };
            let sleep = left.saturating_sub(margin).min(LONGEST);
            let near = left > Span::ZERO && left < NEAR && sleep == Span::ZERO;
            let blind = near && now.since(self.looked) < NEAR;
            let packets = !blind && poll_nics(nics, sleep)?;
            let then = self.clock.now();
            if !blind {
                self.looked = then;
                if !packets {
                    // A sleep that ends by its time looks once more.
                    self.drained_at = if sleep > Span::ZERO { then } else { now };
                }
            }
            let asked = now + sleep;
            if sleep > Span::ZERO && !packets {
                self.margin.learn(then.since(asked));
            }
            if packets || then >= until || then.since(began) >= AT_ONCE {
                let slept = (packets && sleep > Span::ZERO).then_some(now);
                return Ok(Wakeup {
                    packets,
                    now: then,
                    asked,
                    drained_at: self.drained_at,
                    slept,
                });
            }
            now = then;
        }
    }
}

/// Sleeps for at most `span`; whether a NIC has a packet.
fn poll_nics(nics: &mut [PollFd<'_>], span: Span) -> io::Result<bool> {
    let ready =
        if span == Span::ZERO { poll(nics, PollTimeout::ZERO) } else { ppoll_for(nics, span) };
    match ready {
        Ok(n) => Ok(n > 0),
        Err(Errno::EINTR) => Ok(false),
        Err(cause) => Err(cause.into()),
    }
}

fn ppoll_for(nics: &mut [PollFd<'_>], span: Span) -> nix::Result<i32> {
    let ns = span.ps() / 1_000;
    let time = TimeSpec::new((ns / 1_000_000_000) as i64, (ns % 1_000_000_000) as i64);
    nix::poll::ppoll(nics, Some(time), None)
}

/// The event that a NIC is polled for.
pub const PACKETS: PollFlags = PollFlags::POLLIN;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsFd;

    #[test]
    fn a_margin_is_what_sleeps_were_late_by_within_its_bounds() {
        let mut margin = Margin { mean: 20_000_000, deviation: 5_000_000 };
        (0..500).for_each(|_| margin.learn(Span::from_us(15)));
        assert!((15.0..16.0).contains(&(margin.span().ps() as f64 / 1e6)), "{margin:?}");
        (0..500).for_each(|_| margin.learn(Span::from_us(1)));
        assert_eq!(margin.span(), MARGIN.0);
        (0..500).for_each(|i| margin.learn(Span::from_us(if i % 2 == 0 { 5 } else { 45 })));
        assert_eq!(margin.span(), MARGIN.1, "25 us, and four times 20");
        // A pause of the machine is no lateness to learn from.
        (0..500).for_each(|_| margin.learn(Span::from_us(1)));
        margin.learn(Span::from_ms(50));
        assert!(margin.span() <= MARGIN.1);
    }

    #[test]
    fn who_oversleeps_was_absent_whether_or_not_something_was_due() {
        let at = |us: u64| Time::from_ps(us * 1_000_000);
        let woken = |now, asked| Wakeup {
            packets: false,
            now: at(now),
            asked: at(asked),
            drained_at: Time::ZERO,
            slept: None,
        };
        // A packet came before the next instant, or the instant did.
        assert_eq!(woken(500, 900).absent_since(at(900), true), Some(at(500)));
        assert_eq!(woken(950, 880).absent_since(at(900), true), Some(at(900)));
        assert_eq!(woken(950, 880).absent_since(at(900), false), None);
        // 1 ms may be the kernel's timer.
        assert_eq!(woken(1_880, 880).absent_since(Time::NEVER, false), None);
        assert_eq!(woken(1_881, 880).absent_since(Time::NEVER, false), Some(at(880)));
        assert_eq!(woken(5_000, 880).absent_since(Time::NEVER, true), Some(at(880)));
        assert_eq!(woken(5_000, 880).absent_since(at(700), true), Some(at(700)));
    }

    #[test]
    fn it_does_not_come_back_before_its_time_and_a_packet_ends_it() {
        let clock = Clock::start();
        let budget = Budget::new(Time::ZERO, 0);
        let (read, mut write) = io::pipe().expect("a pipe");
        for wait_mode in [WaitMode::Hybrid, WaitMode::Sleep, WaitMode::Spin] {
            let mut waiter = Waiter::new(clock, wait_mode);
            let mut nics = [PollFd::new(read.as_fd(), PACKETS)];
            let until = clock.now() + Span::from_us(300);
            let woken = waiter.wait(until, &mut nics, false, &budget).expect("a pipe");
            assert!(woken.now >= until && !woken.packets && woken.asked <= until, "{wait_mode:?}");
        }
        write.write_all(&[1]).expect("a pipe");
        for wait_mode in [WaitMode::Hybrid, WaitMode::Sleep, WaitMode::Spin] {
            let mut waiter = Waiter::new(clock, wait_mode);
            let mut nics = [PollFd::new(read.as_fd(), PACKETS)];
            // One that is due, too, does not keep it from looking.
            for until in [Time::NEVER, Time::ZERO] {
                let woken = waiter.wait(until, &mut nics, false, &budget).expect("a pipe");
                assert!(woken.packets, "{wait_mode:?}");
            }
        }
    }
}
