//! What is measured of a session in the window of a run.
use crate::receiver::Receiver;
use crate::sender::{Sender, SenderStats};
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

/// The measures of a session: of the window, but for `stats` and `reports`, which are of the whole
/// run.
#[derive(Clone, Debug, PartialEq)]
pub struct Media {
    /// Mean of the target rate over time, bits per second; `None` if the window is empty.
    pub target_bps: Option<f64>,
    /// Rate of the coder, bits per second.
    pub media_bps: Option<f64>,
    /// Delay of packets in the RTP queue, seconds: mean, 95th percentile, largest.
    pub rtp_queue_s: [Option<f64>; 3],
    /// Queue delay of the network as the sender estimates it, seconds: mean, 95th percentile,
    /// largest.
    pub qdelay_s: [Option<f64>; 3],
    /// Target of the queue delay at the end, seconds.
    pub qdelay_target_s: f64,
    /// Frames that were captured.
    pub frames: u64,
    /// Of these, complete after the budget.
    pub late: u64,
    /// Of these, not complete at the end of the run.
    pub lost: u64,
    /// From capture to completeness, seconds: mean, percentiles 50, 95, 99, largest.
    pub frame_delay_s: [Option<f64>; 5],
    /// Counters of the sender.
    pub stats: SenderStats,
    /// Reports of the receiver.
    pub reports: u64,
}

impl Media {
    /// Of both ends at the end of the run.
    pub fn of(sender: &Sender, receiver: &Receiver) -> Media {
        let (sent, arrived) = (sender.measured(), receiver.frames());
        let three = |d: &Measures| [d.mean_s(), d.quantile_s(0.95), d.max_s()];
        let delays = arrived.delays();
        let quantiles = [0.5, 0.95, 0.99].map(|q| delays.quantile_s(q));
        let [p50, p95, p99] = quantiles;
        Media {
            target_bps: sender.mean_target(),
            media_bps: sender.mean_coded(),
            rtp_queue_s: three(&sent.rtp_queue),
            qdelay_s: three(&sent.qdelay),
            qdelay_target_s: sender.qdelay_target().seconds(),
            frames: sent.frames,
            late: delays.count() - arrived.in_time(),
            lost: sent.frames.saturating_sub(delays.count()),
            frame_delay_s: [delays.mean_s(), p50, p95, p99, delays.max_s()],
            stats: *sender.stats(),
            reports: receiver.stats().reports,
        }
    }
    /// Frames that missed the budget: late or lost.
    pub fn missed(&self) -> u64 {
        self.late + self.lost
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
