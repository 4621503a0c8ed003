//! What is measured of a session in the window of a run.
use dumbbell_core::histogram::Histogram;
use dumbbell_core::transport::segment::TS_UNIT_SHIFT;
use dumbbell_core::units::{Span, Time};

/// The part of a run that is measured, and the delay that a frame may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The end of the warm-up.
    pub from: Time,
    /// The end of the run.
    pub end: Time,
    /// The time from the capture of a frame within which its last packet must arrive.
    pub budget: Span,
}

impl Window {
    /// Whether a frame that was captured then counts: in the window, and early enough for its fate
    /// to be known at the end. To a unit of timestamps, which both ends see alike.
    pub fn counts(&self, capture: Time) -> bool {
        let units = |time: Time| time.ps() >> TS_UNIT_SHIFT;
        let last = self.end.ps().saturating_sub(self.budget.ps());
        (units(self.from)..units(Time::from_ps(last))).contains(&units(capture))
    }
}

/// Delays: their mean, largest and percentiles.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    count: u64,
    sum: u128,
    most: Span,
    histogram: Histogram,
}

impl Measures {
    /// One delay.
    pub fn add(&mut self, delay: Span) {
        self.count += 1;
        self.sum += u128::from(delay.ps());
        self.most = self.most.max(delay);
        self.histogram.record(delay);
    }
    /// The number of delays.
    pub fn count(&self) -> u64 {
        self.count
    }
    /// The mean, seconds; `None` without any.
    pub fn mean_s(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64 * 1e-12)
    }
    /// The largest, seconds.
    pub fn max_s(&self) -> Option<f64> {
        (self.count > 0).then(|| self.most.seconds())
    }
    /// A quantile, seconds: at most a 32nd too large.
    pub fn quantile_s(&self, q: f64) -> Option<f64> {
        (self.count > 0).then(|| self.histogram.quantile(q).min(self.most).seconds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_count_from_the_warm_up_until_a_budget_before_the_end() {
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let window = Window { from: at(1000), end: at(5000), budget: Span::from_ms(100) };
        for (ms, counts) in [(999, false), (1000, true), (4899, true), (4900, false)] {
            assert_eq!(window.counts(at(ms)), counts, "{ms}");
        }
    }

    #[test]
    fn measures_of_known_delays() {
        let mut delays = Measures::default();
        assert_eq!((delays.mean_s(), delays.quantile_s(0.5), delays.max_s()), (None, None, None));
        (1..=100).for_each(|ms| delays.add(Span::from_ms(ms)));
        assert_eq!(delays.count(), 100);
        assert!((delays.mean_s().unwrap() - 0.0505).abs() < 1e-12);
        assert_eq!(delays.max_s(), Some(0.1));
        let p95 = delays.quantile_s(0.95).unwrap();
        assert!((0.095..0.095 * (1.0 + 1.0 / 32.0)).contains(&p95), "{p95}");
    }
}
