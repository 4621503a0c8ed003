//! A queue's length in bytes within the window: the largest, and the mean over time, both exact.
use dumbbell_core::units::{Span, Time};

/// The integral of the bytes that wait, and the most that waited at once.
///
/// A port that decides at arrival knows each packet's stay when it comes and says [`Self::stays`];
/// one that holds packets says [`Self::holds`]. A port does one or the other.
pub(crate) struct Volume {
    from: Time,
    /// Byte picoseconds. By `holds` it is the sum of changes, each times its instant with the sign
    /// turned; changes before the window count as of its beginning. One product for each change,
    /// modulo 2^128, and no instant to remember.
    area: u128,
    most: u64,
    /// The value of the last call of `holds`.
    held: u64,
}

impl Volume {
    /// Nothing waits, and the window begins at `from`.
    pub(crate) fn new(from: Time) -> Self {
        Volume { from, area: 0, most: 0, held: 0 }
    }

    /// A packet of `bytes` waits for `span`, all of it in the window; when it came in the window,
    /// `all` bytes wait with it.
    #[inline(always)]
    pub(crate) fn stays(&mut self, span: Span, bytes: u32, all: u64) {
        self.area += u128::from(span.ps()) * u128::from(bytes);
        if all > self.most {
            self.most = all;
        }
    }

    /// From `t` on `bytes` wait.
    #[inline]
    pub(crate) fn holds(&mut self, t: Time, bytes: u64) {
        if bytes != self.held {
            self.changes(t, bytes);
        }
    }

    #[inline(always)]
    fn changes(&mut self, t: Time, bytes: u64) {
        // Both fit into 63 bits: one instruction.
        let (less, at) = (self.held as i64 - bytes as i64, t.max(self.from).ps() as i64);
        self.area = self.area.wrapping_add((i128::from(less) * i128::from(at)) as u128);
        self.held = bytes;
        self.most = self.most.max(bytes);
    }

    /// The window begins with `bytes` in the queue.
    pub(crate) fn begin(&mut self, bytes: u64) {
        self.most = bytes;
    }

    /// The window ends at `t` with what was said last.
    pub(crate) fn end(&mut self, t: Time) {
        self.holds(t, 0);
    }

    /// After the end of a `window`: the mean over time, bytes.
    pub(crate) fn mean(&self, window: Span) -> f64 {
        if window == Span::ZERO { 0.0 } else { self.area as f64 / window.ps() as f64 }
    }

    /// The most that waited at once, bytes.
    pub(crate) fn most(&self) -> u64 {
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
            let level =
                |t: u64| stays.iter().filter(|s| s.0 <= t && t < s.1).map(|s| s.2).sum::<u64>();
            let exact: u64 = (FROM..TO).map(level).sum();
            let mut early = Volume::new(at(FROM));
            for (from, to, bytes) in &stays {
                let inside = at((*to).min(TO)).since(at((*from).max(FROM)));
                early.stays(inside, *bytes as u32, if *from >= FROM { level(*from) } else { 0 });
            }
            let mut late = Volume::new(at(FROM));
            let mut turns: Vec<u64> =
                stays.iter().flat_map(|s| [s.0, s.1]).filter(|t| *t <= TO).collect();
            turns.sort_unstable();
            let before = turns.partition_point(|t| *t <= FROM);
            turns[..before].iter().for_each(|t| late.holds(at(*t), level(*t)));
            late.begin(level(FROM));
            turns[before..].iter().for_each(|t| late.holds(at(*t), level(*t)));
            late.end(at(TO));
            let (mean, window) = (exact as f64 / (TO - FROM) as f64, Span::from_ps(TO - FROM));
            prop_assert!(
                (early.mean(window) - mean).abs() < 1e-9 && (late.mean(window) - mean).abs() < 1e-9
            );
            prop_assert_eq!(late.most(), (FROM..=TO).map(level).max().unwrap());
        }
    }
}
