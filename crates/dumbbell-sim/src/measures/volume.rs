//! A queue's length in bytes within the window: the largest, and the mean over time, both exact.
use dumbbell_core::units::{Span, Time};

/// The integral of the bytes that wait, and the most that waited at once.
///
/// A port that decides at arrival knows each packet's stay when it comes and says [`Self::stays`]; one that holds packets
/// says [`Self::holds`] at each change. A port does one or the other.
pub struct Volume {
    from: Time,
    to: Time,
    byte_ps: u128,
    most: u64,
    /// What was said by `holds` last, and when.
    held: u64,
    since: Time,
}

impl Volume {
    /// Measures between `from` and `to`.
    pub fn new(from: Time, to: Time) -> Self {
        Volume { from, to, byte_ps: 0, most: 0, held: 0, since: from }
    }

    /// A packet of `bytes` waits from `entered` to `left`; with it `all` bytes wait.
    #[inline]
    pub fn stays(&mut self, (entered, left): (Time, Time), bytes: u32, all: u64) {
        let inside = left.min(self.to).since(entered.max(self.from));
        self.byte_ps += u128::from(inside.ps()) * u128::from(bytes);
        if all > self.most && entered >= self.from {
            self.most = all;
        }
    }

    /// From `t` on `bytes` wait. Instants come in order.
    #[inline]
    pub fn holds(&mut self, t: Time, bytes: u64) {
        self.byte_ps += u128::from(t.min(self.to).since(self.since).ps()) * u128::from(self.held);
        self.since = t.max(self.since);
        self.held = bytes;
        if t >= self.from {
            self.most = self.most.max(bytes);
        }
    }

    /// The window begins with `bytes` in the queue.
    pub fn begin(&mut self, bytes: u64) {
        self.most = bytes;
    }

    /// The window ends with what was said last.
    pub fn end(&mut self) {
        self.holds(self.to, self.held);
    }

    /// After the end: the mean over time, bytes.
    pub fn mean(&self) -> f64 {
        let window: Span = self.to.since(self.from);
        if window == Span::ZERO { 0.0 } else { self.byte_ps as f64 / window.ps() as f64 }
    }

    /// The most that waited at once, bytes.
    pub fn most(&self) -> u64 {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FROM: u64 = 50;
    const TO: u64 = 400;

    proptest! {
        /// Against the sum over every instant, told either way.
        #[test]
        fn both_ways_are_the_sum_over_instants(
            packets in prop::collection::vec((0u64..30, 1u64..60, 1u32..9), 1..40),
        ) {
            let at = Time::from_ps;
            let (mut now, mut stays) = (0, Vec::new());
            for (gap, stay, bytes) in packets {
                now += gap;
                stays.push((now, now + stay, u64::from(bytes)));
            }
            let level = |t: u64| stays.iter().filter(|s| s.0 <= t && t < s.1).map(|s| s.2).sum::<u64>();
            let exact: u64 = (FROM..TO).map(level).sum();
            let mut early = Volume::new(at(FROM), at(TO));
            for (from, to, bytes) in &stays {
                early.stays((at(*from), at(*to)), *bytes as u32, level(*from));
            }
            let mut late = Volume::new(at(FROM), at(TO));
            let mut turns: Vec<u64> = stays.iter().flat_map(|s| [s.0, s.1]).filter(|t| *t <= TO).collect();
            turns.sort_unstable();
            let before = turns.partition_point(|t| *t <= FROM);
            turns[..before].iter().for_each(|t| late.holds(at(*t), level(*t)));
            late.begin(level(FROM));
            turns[before..].iter().for_each(|t| late.holds(at(*t), level(*t)));
            late.end();
            let mean = exact as f64 / (TO - FROM) as f64;
            prop_assert!((early.mean() - mean).abs() < 1e-9 && (late.mean() - mean).abs() < 1e-9);
            prop_assert_eq!(late.most(), (FROM..=TO).map(level).max().unwrap());
        }
    }
}
