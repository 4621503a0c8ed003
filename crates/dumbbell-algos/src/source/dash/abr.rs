//! Which rate of the ladder the next segment has.
use dumbbell_core::units::{Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A rule that chooses the rate of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Abr {
    /// BBA-0: by the buffer alone.
    #[default]
    Bba,
    /// By the harmonic mean of the throughput of the last segments.
    Throughput,
}

/// The map of BBA-0 from the buffer to a rate: the lowest within the reservoir, the highest beyond
/// the cushion, a straight line between.
#[derive(Clone, Copy, Debug)]
pub struct RateMap {
    /// Buffer up to which the rate is the lowest.
    pub reservoir: Span,
    /// Buffer beyond the reservoir from which on it is the highest.
    pub cushion: Span,
}

impl RateMap {
    /// The rung of the ladder after one of rung `last`, with `buffer` in the buffer (Huang et al.,
    /// SIGCOMM 2014, algorithm 1). The rate stays until the map reaches the next rate of the ladder
    /// on either side; then it becomes the one that is the nearest below the map, or above it.
    pub fn rung(&self, ladder: &[Rate], last: usize, buffer: Span) -> usize {
        let top = ladder.len() - 1;
        if buffer <= self.reservoir {
            return 0;
        }
        if buffer >= self.reservoir + self.cushion {
            return top;
        }
        let bps = |i: usize| ladder[i].bps() as f64;
        let share = buffer.saturating_sub(self.reservoir).seconds() / self.cushion.seconds();
        let map = bps(0) + (bps(top) - bps(0)) * share;
        if map >= bps((last + 1).min(top)) {
            (0..=top).rev().find(|i| bps(*i) < map).unwrap_or(last)
        } else if map <= bps(last.saturating_sub(1)) {
            (0..=top).find(|i| bps(*i) > map).unwrap_or(last)
        } else {
            last
        }
    }
}

/// The throughput of the last segments.
#[derive(Clone, Debug, Default)]
pub struct Predictor {
    /// Bits per second, the last one at the end.
    seen: VecDeque<f64>,
}

impl Predictor {
    /// A segment of `bytes` took `time`; only the last `memory` segments count.
    pub fn add(&mut self, bytes: u64, time: Span, memory: usize) {
        self.seen.push_back(8.0 * bytes as f64 / time.seconds().max(1e-12));
        while self.seen.len() > memory {
            self.seen.pop_front();
        }
    }

    /// The highest rung whose rate is at most the harmonic mean; the lowest if there is none, or no
    /// segment has arrived.
    pub fn rung(&self, ladder: &[Rate]) -> usize {
        let inverse: f64 = self.seen.iter().map(|bps| 1.0 / bps).sum();
        let most = self.seen.len() as f64 / inverse;
        ladder.iter().rposition(|rate| rate.bps() as f64 <= most).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ladder() -> Vec<Rate> {
        [1, 2, 3, 5].map(Rate::from_mbps).into()
    }

    /// The map reaches 2, 3 and 5 Mbps at 15, 20 and 30 s. Algorithm 1 needs it at a rate to leave
    /// the one below, and then takes the highest that is below the map, so that it leaves 1 Mbps
    /// beyond 15 s; downwards it goes when the map is back at the next lower rate.
    #[test]
    fn the_rate_stays_until_the_map_reaches_a_neighbor() {
        let map = RateMap { reservoir: Span::from_secs(10), cushion: Span::from_secs(20) };
        let next = |last, ms| map.rung(&ladder(), last, Span::from_ms(ms));
        for (last, ms, rung) in [
            (3, 10_000, 0),
            (0, 10_001, 0),
            (0, 14_999, 0),
            (0, 15_000, 0),
            (0, 15_001, 1),
            (1, 15_001, 1),
            (1, 19_999, 1),
            (0, 20_001, 2),
            (1, 20_001, 2),
            (2, 29_999, 2),
            (2, 30_000, 3),
            (3, 20_001, 3),
            // Back at 3 Mbps: the lowest above the map is the one it had.
            (3, 20_000, 3),
            (3, 19_999, 2),
            (2, 15_001, 2),
            (2, 15_000, 2),
            (2, 14_999, 1),
            (3, 14_999, 1),
            (1, 10_001, 1),
            (1, 10_000, 0),
        ] {
            assert_eq!(next(last, ms), rung, "from rung {last} at {ms} ms");
        }
        assert_eq!(map.rung(&ladder()[..1], 0, Span::from_secs(15)), 0);
    }

    /// Megabits in 1, 1/2 and 1/4 s: 1, 2 and 4 Mbps have the harmonic mean 12/7 Mbps. With 5 Mbps
    /// instead of 1 Mbps it is 60/19 Mbps.
    #[test]
    fn the_harmonic_mean_of_the_last_segments() {
        let mut predictor = Predictor::default();
        assert_eq!(predictor.rung(&ladder()), 0);
        for ms in [1000, 500, 250] {
            predictor.add(125_000, Span::from_ms(ms), 3);
        }
        assert_eq!(predictor.rung(&ladder()), 0);
        predictor.add(125_000, Span::from_ms(200), 3);
        assert_eq!(predictor.rung(&ladder()), 2);
        predictor.add(125_000, Span::from_ms(1000), 1);
        assert_eq!(predictor.rung(&ladder()), 0);
    }
}
