//! How late packets are written.
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
}

/// A histogram with its exact maximum.
#[derive(Default)]
pub struct Spans {
    histogram: Histogram,
    max: Span,
}

impl Spans {
    /// One more.
    #[inline]
    pub fn record(&mut self, span: Span) {
        self.histogram.record(span);
        self.max = self.max.max(span);
    }
    /// What there was.
    pub fn percentiles(&self) -> Percentiles {
        let us = |span: Span| span.min(self.max).ps() as f64 / 1e6;
        Percentiles {
            p50: us(self.histogram.quantile(0.5)),
            p99: us(self.histogram.quantile(0.99)),
            p999: us(self.histogram.quantile(0.999)),
            max: us(self.max),
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
        assert_eq!(p.max, 1000.0);
        assert!(p.p999 <= p.max);
    }
}
