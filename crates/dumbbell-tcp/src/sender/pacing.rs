//! Pacing: segments leave at a rate, the congestion control's or the profile's.
use super::Sender;
use dumbbell_core::transport::{CongestionControl, Detect, Recover};
use dumbbell_core::units::{Rate, Time};

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// True if pacing lets a segment go now: a quantum at once, then nothing until it would have
    /// been sent at the rate.
    #[inline]
    pub(super) fn released(&mut self, now: Time) -> bool {
        self.pacing = now < self.pace_at && self.burst == 0 && self.pacing_rate().is_some();
        !self.pacing
    }

    /// A segment of `bytes` went. A delivery rate counts payload, and so does the pacing of a
    /// control that goes by it.
    #[inline]
    pub(super) fn pace(&mut self, now: Time, bytes: u64) {
        if let Some(rate) = self.pacing_rate() {
            let bytes = if self.rated { bytes - u64::from(self.overhead) } else { bytes };
            if self.stats.sent_packets + 1 < u64::from(self.cold.config.unpaced_start) {
                return;
            }
            let credit = self.cold.config.pacing_credit;
            let mut wait = rate.span_of(bytes);
            // A credit may leave no wait within a quantum.
            let goes_on = credit && now == self.pace_at && self.burst > 0;
            if now >= self.pace_at && !goes_on {
                self.burst = self.quantum;
                if credit {
                    let late = now.since(self.pace_at);
                    let whole = wait * u64::from(self.quantum);
                    wait = wait.saturating_sub(late.min(whole.scaled(0.5)));
                }
            }
            self.pace_at = now.max(self.pace_at) + wait;
            self.burst = self.burst.saturating_sub(1);
        }
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        match self.cc.rate() {
            None if self.paced => self.own_rate(),
            asked => asked,
        }
    }

    /// The profile's rate: windows per smoothed round trip, more of them in slow start. None before
    /// a sample.
    #[cold]
    pub(super) fn own_rate(&self) -> Option<Rate> {
        let (srtt, cwnd, config) = (self.rtt.srtt()?, self.cc.cwnd(), &self.cold.config);
        let slow_start = self.cc.ssthresh().is_some_and(|ssthresh| cwnd < ssthresh / 2);
        let info =
            if slow_start { config.pacing_gain_slow_start } else { config.pacing_gain_avoidance };
        let bps = info * cwnd as f64 * 8.0 / srtt.seconds();
        (srtt.ps() > 0).then(|| Rate::from_bps((bps as u64).max(1)))
    }
}
