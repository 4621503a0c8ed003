//! Lateness of written packets.
use dumbbell_core::histogram::Histogram;
use dumbbell_core::units::{Span, Time};
use serde::{Deserialize, Serialize};

/// Percentiles of spans in microseconds; the largest is exact, the others to one part in 32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percentiles {
    /// Half of them are not longer.
    pub p50: f64,
    /// 99 of 100 are not longer.
    pub p99: f64,
    /// 999 of 1000 are not longer.
    pub p999: f64,
    /// The longest.
    pub max: f64,
    /// The mean.
    #[serde(default)]
    pub mean: f64,
}

/// A histogram with its exact maximum.
#[derive(Default)]
pub struct Spans {
    histogram: Histogram,
    max: Span,
    sum_us: f64,
    count: u64,
}

impl Spans {
    /// Adds a span.
    #[inline]
    pub fn record(&mut self, span: Span) {
        self.histogram.record(span);
        self.max = self.max.max(span);
        self.sum_us += span.ps() as f64 / 1e6;
        self.count += 1;
    }
    /// Percentiles of all spans.
    pub fn percentiles(&self) -> Percentiles {
        let us = |span: Span| span.min(self.max).ps() as f64 / 1e6;
        Percentiles {
            p50: us(self.histogram.quantile(0.5)),
            p99: us(self.histogram.quantile(0.99)),
            p999: us(self.histogram.quantile(0.999)),
            max: us(self.max),
            mean: self.sum_us / self.count.max(1) as f64,
        }
    }
}

/// A packet that was due at `due` is written at `now`.
pub fn late(due: Time, now: Time) -> Span {
    now.since(due)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_never_beyond_the_longest() {
        let mut spans = Spans::default();
        assert_eq!(spans.percentiles(), Percentiles::default());
        (1..=1000).for_each(|us| spans.record(Span::from_us(us)));
        let p = spans.percentiles();
        assert!((500.0..520.0).contains(&p.p50) && (990.0..=1000.0).contains(&p.p99), "{p:?}");
        assert_eq!((p.max, p.mean), (1000.0, 500.5));
        assert!(p.p999 <= p.max);
    }
}
