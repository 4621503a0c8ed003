//! The time that a queue had each length: exact, with one addition for each packet that comes or
//! goes.
use super::above::Above;
use dumbbell_core::units::Backlog;
use dumbbell_core::units::{Span, Time};

/// For each length the time that the queue was at least so long.
///
/// A queue that grows to `n` and later falls below it was there for the difference of the two
/// instants: so the first is subtracted and the second added, modulo 2^64, and nothing else need be
/// remembered.
#[derive(Default)]
pub(crate) struct Levels {
    /// By length, from 0, which nobody uses. Empty where bytes or buffers are watched: then the
    /// short way is never taken.
    sums: Vec<u64>,
    careful: Option<Box<Careful>>,
}

/// The sums, with a threshold of bytes or buffers to watch.
struct Careful {
    sums: Vec<u64>,
    above: Above,
    /// True if the threshold is one of buffers.
    buffers: bool,
}

impl Levels {
    /// Also measures the time with more than so many bytes.
    pub(crate) fn above_bytes(bytes: u64) -> Self {
        Levels::above(bytes, false)
    }
    /// Also measures the time with more than so many buffers in use.
    pub(crate) fn above_buffers(count: u64) -> Self {
        Levels::above(count, true)
    }
    fn above(threshold: u64, buffers: bool) -> Self {
        let careful = Careful { sums: Vec::new(), above: Above::new(threshold), buffers };
        Levels { sums: Vec::new(), careful: Some(Box::new(careful)) }
    }

    /// A packet joined the queue, which now holds `now`.
    #[inline(always)]
    pub(crate) fn rose(&mut self, t: Time, now: Backlog) {
        match self.sums.get_mut(now.packets as usize) {
            Some(sum) => *sum = sum.wrapping_sub(t.ps()),
            None => self.rose_with_care(t, now),
        }
    }

    #[cold]
    fn rose_with_care(&mut self, t: Time, now: Backlog) {
        self.weigh(t, now);
        let (sums, at) = (self.all_mut(), now.packets as usize);
        if sums.len() <= at {
            sums.resize((at + 1).next_power_of_two().max(64), 0);
        }
        sums[at] = sums[at].wrapping_sub(t.ps());
    }

    /// A packet left the queue, which now holds `now`.
    #[inline(always)]
    pub(crate) fn fell(&mut self, t: Time, now: Backlog) {
        match self.sums.get_mut(now.packets as usize + 1) {
            Some(sum) => *sum = sum.wrapping_add(t.ps()),
            None => self.fell_with_care(t, now),
        }
    }

    #[cold]
    fn fell_with_care(&mut self, t: Time, now: Backlog) {
        self.weigh(t, now);
        if let Some(sum) = self.all_mut().get_mut(now.packets as usize + 1) {
            *sum = sum.wrapping_add(t.ps());
        }
    }

    /// The queue holds so much, whatever happens to the number of its packets.
    pub(crate) fn weigh(&mut self, t: Time, now: Backlog) {
        if let Some(careful) = &mut self.careful {
            careful
                .above
                .holds(t, if careful.buffers { u64::from(now.buffers) } else { now.bytes });
        }
    }

    fn all(&self) -> &[u64] {
        self.careful.as_ref().map_or(&self.sums, |careful| &careful.sums)
    }
    fn all_mut(&mut self) -> &mut Vec<u64> {
        self.careful.as_mut().map_or(&mut self.sums, |careful| &mut careful.sums)
    }

    /// The window begins at `t` with `now`.
    pub(crate) fn begin(&mut self, t: Time, now: Backlog) {
        self.all_mut().fill(0);
        (1..=now.packets).for_each(|packets| self.rose(t, Backlog { packets, ..now }));
        self.careful.iter_mut().for_each(|careful| careful.above.begin(t));
    }

    /// The window ends at `t` with `now`.
    pub(crate) fn end(&mut self, t: Time, now: Backlog) {
        (0..now.packets).for_each(|packets| self.fell(t, Backlog { packets, ..now }));
        self.careful.iter_mut().for_each(|careful| careful.above.end(t));
    }

    /// After the end: how long more than the threshold of bytes waited; `None` without one.
    pub(crate) fn time_above(&self) -> Option<Span> {
        self.careful.as_ref().map(|careful| careful.above.time())
    }

    /// After the end: how long there were at least `n` packets.
    pub(crate) fn at_least(&self, n: u32) -> Span {
        Span::from_ps(self.all().get(n as usize).copied().unwrap_or(0))
    }

    /// After the end of a `window`: the smallest length that the queue did not exceed for `q` of
    /// it.
    pub(crate) fn quantile(&self, q: f64, window: Span) -> u32 {
        let rest = window.ps() as f64 * (1.0 - q);
        // Times at least n fall with n: the first length whose successor has no more than the rest.
        let lengths = self.all().get(1..).unwrap_or_default();
        lengths.partition_point(|longer| *longer as f64 > rest) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn holds(packets: u32) -> Backlog {
        Backlog { packets, bytes: 100 * u64::from(packets), buffers: 0 }
    }

    proptest! {
        /// Against a list of lengths, one for each instant, sorted; with a threshold of bytes and
        /// without.
        #[test]
        fn quantiles_are_those_of_the_sorted_instants(
            begin in 0u32..5,
            steps in prop::collection::vec((1u64..20, 0u32..90), 1..60),
            q in 0.0f64..1.0,
            threshold in prop::option::of(0u64..9000),
        ) {
            let mut levels = threshold.map_or_else(Levels::default, Levels::above_bytes);
            let (mut now, mut n) = (1000, 0);
            while n < begin {
                n += 1;
                levels.rose(Time::from_ps(900), holds(n));
            }
            levels.begin(Time::from_ps(now), holds(n));
            let mut instants = Vec::new();
            for (span, next) in steps {
                instants.extend((0..span).map(|_| n));
                now += span;
                let t = Time::from_ps(now);
                while n < next {
                    n += 1;
                    levels.rose(t, holds(n));
                }
                while n > next {
                    n -= 1;
                    levels.fell(t, holds(n));
                }
            }
            levels.end(Time::from_ps(now), holds(n));
            for k in 1..100 {
                let exact = instants.iter().filter(|m| **m >= k).count() as u64;
                prop_assert_eq!(levels.at_least(k).ps(), exact);
            }
            let heavy =
                |limit: u64| instants.iter().filter(|m| holds(**m).bytes > limit).count() as u64;
            prop_assert_eq!(levels.time_above().map(Span::ps), threshold.map(heavy));
            instants.sort_unstable();
            let window = instants.len();
            let got = levels.quantile(q, Span::from_ps(window as u64));
            // The smallest with at least q of the instants at or below it; near a step of q either
            // side may round.
            let share =
                |m: u32| instants.iter().filter(|x| **x <= m).count() as f64 / window as f64;
            prop_assert!(share(got) >= q - 1e-9, "{got}: {} below, wanted {q}", share(got));
            prop_assert!(got == 0 || share(got - 1) <= q + 1e-9, "{got} is not the smallest");
        }
    }

    #[test]
    fn nothing_is_empty() {
        assert_eq!(Levels::default().quantile(0.99, Span::from_ms(1)), 0);
        assert_eq!(
            (Levels::default().at_least(3), Levels::default().time_above()),
            (Span::ZERO, None)
        );
    }
}
