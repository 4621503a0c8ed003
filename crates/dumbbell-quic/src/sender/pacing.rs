//! Pacing (RFC 9002 section 7.7): packets leave at a rate, and bursts have a bound.
use super::Sender;
use dumbbell_core::transport::CongestionControl;
use dumbbell_core::units::{Span, Time};

impl<C: CongestionControl> Sender<C> {
    /// True if pacing lets a packet go now.
    #[inline]
    pub(super) fn released(&mut self, now: Time) -> bool {
        self.pacing = self.paced && now < self.release_at();
        !self.pacing
    }

    /// When pacing lets the next packet go. `pace_at` runs ahead of the time by what was sent and
    /// not yet paced; it may by a burst less one packet.
    pub(super) fn release_at(&self) -> Time {
        let ahead = if self.cc.rate().is_some() {
            Span::ZERO
        } else {
            let burst = self.config.in_bytes(self.config.pacing_burst);
            self.interval(burst.saturating_sub(self.datagram))
        };
        Time::from_ps(self.pace_at.ps().saturating_sub(ahead.ps()))
    }

    /// A packet of `size` bytes of UDP payload goes out.
    #[inline]
    pub(super) fn pace(&mut self, now: Time, size: u64) {
        if self.paced {
            self.pace_at = self.pace_at.max(now) + self.interval(size);
        }
    }

    /// The time that `bytes` take: at the control's rate, or smoothed_rtt x bytes / cwnd / N. None
    /// before a sample.
    fn interval(&self, bytes: u64) -> Span {
        if let Some(rate) = self.cc.rate() {
            let header = if self.cc.rated() { 0 } else { self.config.header.0 };
            return rate.span_of(bytes + header);
        }
        match self.rtt.srtt() {
            Some(srtt) if self.config.pacing => {
                let window = self.config.pacing_gain * self.cc.cwnd() as f64;
                srtt.scaled(bytes as f64 / window)
            }
            _ => Span::ZERO,
        }
    }
}
