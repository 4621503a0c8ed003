//! The CPU budget of the router's thread. The kernel stops real-time threads that never sleep: for
//! 50 ms in each second (`sched_rt_runtime_us`, since Linux 6.12 the fair server of sched(7)'s
//! deadline class). A thread that sleeps by itself is not stopped, and chooses when.
use dumbbell_core::units::{Span, Time};

/// The share of its time that the thread may run, percent.
const SHARE: u64 = 90;
/// The most that the account holds: 30 ms, so that in no second the thread runs for more than 930
/// ms.
const MOST: i64 = 30_000_000_000;
/// With this much left, a thread that expects a packet may stay awake for it.
const PLENTY: i64 = 20_000_000_000;
/// With less than this it is awake only for what is due at once,
const LITTLE: i64 = 10_000_000_000;
/// and with less than this not even for that.
const LEAST: i64 = 5_000_000_000;
/// Interval at which the kernel is asked how long the thread ran.
const EVERY: Span = Span::from_ms(1);

/// The extent to which a waiting thread may stay awake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awake {
    /// Wait for packets.
    Freely,
    /// Wait for an instant that is near.
    Near,
    /// Wait for one that is as good as there.
    Barely,
    /// Nothing: it sleeps.
    Never,
}

/// An account of a thread's own running time.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Running time that is left, picoseconds.
    left: i64,
    checked: Time,
    ran: u64,
    rests: u64,
}

impl Budget {
    /// A full account at `now`, when the thread had run for `ran_ns`.
    pub fn new(now: Time, ran_ns: u64) -> Self {
        Budget { left: MOST, checked: now, ran: ran_ns, rests: 0 }
    }

    /// Time goes on; `ran_ns` is asked about once a millisecond.
    #[inline]
    pub fn check(&mut self, now: Time, ran_ns: impl FnOnce() -> u64) {
        let passed = now.since(self.checked);
        if passed < EVERY {
            return;
        }
        let ran = ran_ns();
        let (earned, spent) =
            (passed.ps() / 100 * SHARE, ran.saturating_sub(self.ran).saturating_mul(1_000));
        self.left =
            self.left.saturating_add_unsigned(earned).saturating_sub_unsigned(spent).min(MOST);
        (self.checked, self.ran) = (now, ran);
    }

    /// The extent to which the thread may stay awake now.
    #[inline]
    pub fn awake(&self) -> Awake {
        match self.left {
            PLENTY.. => Awake::Freely,
            LITTLE.. => Awake::Near,
            LEAST.. => Awake::Barely,
            _ => Awake::Never,
        }
    }

    /// The time for which the thread must sleep now; `None`: it need not.
    #[inline]
    pub fn must_rest(&mut self) -> Option<Span> {
        if self.left >= 0 {
            return None;
        }
        self.rests += 1;
        Some(Span::from_us(200))
    }

    /// Number of forced sleeps.
    pub fn rests(&self) -> u64 {
        self.rests
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs without a pause unless told to rest: the share of its time that it runs.
    fn share_of_a_greedy_thread(step_us: u64) -> f64 {
        let (mut now, mut ran, mut rested) = (Time::ZERO, 0, Span::ZERO);
        let mut budget = Budget::new(now, ran);
        while now < Time::from_ps(Span::from_secs(10).ps()) {
            now += Span::from_us(step_us);
            ran += step_us * 1_000;
            budget.check(now, || ran);
            if let Some(rest) = budget.must_rest() {
                now += rest;
                rested = rested + rest;
            }
        }
        1.0 - rested.seconds() / now.seconds()
    }

    #[test]
    fn who_never_waits_runs_nine_tenths_of_the_time() {
        for step in [1, 50, 333, 1_000] {
            let share = share_of_a_greedy_thread(step);
            assert!((0.89..0.92).contains(&share), "{share} in steps of {step} us");
        }
    }

    #[test]
    fn not_even_the_first_second_is_run_through() {
        let (mut now, mut ran) = (Time::ZERO, 0);
        let mut budget = Budget::new(now, ran);
        while now < Time::ZERO + Span::from_secs(1) {
            now += Span::from_us(50);
            ran += 50_000;
            budget.check(now, || ran);
            now += budget.must_rest().unwrap_or_default();
        }
        assert!((0.92e9..0.94e9).contains(&(ran as f64)), "{ran} ns of the first second");
    }

    #[test]
    fn who_sleeps_enough_may_always_spin() {
        let (mut now, mut ran) = (Time::ZERO, 0);
        let mut budget = Budget::new(now, ran);
        for _ in 0..100_000 {
            now += Span::from_us(100);
            ran += 80_000;
            budget.check(now, || ran);
            assert!(budget.awake() == Awake::Freely && budget.must_rest().is_none());
        }
    }
}
