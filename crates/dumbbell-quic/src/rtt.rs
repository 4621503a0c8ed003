//! The round-trip time (RFC 9002 section 5).
use crate::config::QuicConfig;
use dumbbell_core::units::Span;

/// The estimator of one connection.
#[derive(Clone, Copy, Debug)]
pub struct Estimator {
    latest: Span,
    smoothed: Span,
    var: Span,
    min: Span,
    sampled: bool,
    granularity: Span,
    max_ack_delay: Span,
}

impl Estimator {
    /// Before the first sample (section 6.2.2).
    pub fn new(config: &QuicConfig) -> Self {
        Estimator {
            latest: Span::ZERO,
            smoothed: config.initial_rtt,
            var: Span::from_ps(config.initial_rtt.ps() / 2),
            min: Span::MAX,
            sampled: false,
            granularity: config.granularity,
            max_ack_delay: config.max_ack_delay,
        }
    }

    /// A sample; `ack_delay` is what the receiver says that it waited. Returns the round-trip time
    /// without that delay, as section 5.3 adjusts it.
    pub fn sample(&mut self, latest: Span, ack_delay: Span) -> Span {
        self.latest = latest;
        if !self.sampled {
            self.sampled = true;
            (self.min, self.smoothed, self.var) = (latest, latest, Span::from_ps(latest.ps() / 2));
            return latest;
        }
        self.min = self.min.min(latest);
        let delay = ack_delay.min(self.max_ack_delay);
        let adjusted = if latest >= self.min + delay { latest - delay } else { latest };
        let off = self.smoothed.ps().abs_diff(adjusted.ps());
        self.var = Span::from_ps((3 * self.var.ps() + off) / 4);
        self.smoothed = Span::from_ps((7 * self.smoothed.ps() + adjusted.ps()) / 8);
        adjusted
    }

    /// Forgets everything but the settings.
    pub fn reset(&mut self, config: &QuicConfig) {
        *self = Estimator::new(config);
    }

    /// `smoothed_rtt`, if there was a sample.
    #[inline]
    pub fn srtt(&self) -> Option<Span> {
        self.sampled.then_some(self.smoothed)
    }
    /// `rttvar`.
    pub fn var(&self) -> Span {
        self.var
    }
    /// `min_rtt`, if there was a sample.
    pub fn min(&self) -> Option<Span> {
        self.sampled.then_some(self.min)
    }
    /// The larger of `smoothed_rtt` and `latest_rtt` (section 6.1.2).
    pub fn largest(&self) -> Span {
        self.smoothed.max(self.latest)
    }
    /// The probe timeout without backoff (section 6.2.1); without `max_ack_delay` for packets of
    /// the handshake.
    pub fn pto(&self, handshake: bool) -> Span {
        let variation = (self.var * 4).max(self.granularity);
        let delay = if handshake { Span::ZERO } else { self.max_ack_delay };
        self.smoothed + variation + delay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Span = Span::from_ms;

    /// Section 5.3: the first sample; the second, with a delay; a delay that would go below
    /// `min_rtt`; a delay above `max_ack_delay`.
    #[test]
    fn samples() {
        let mut rtt = Estimator::new(&QuicConfig::default());
        assert_eq!((rtt.srtt(), rtt.pto(true)), (None, MS(999)), "333 ms + 4 x 166.5 ms");
        assert_eq!(rtt.sample(MS(80), MS(20)), MS(80), "no delay is taken from the first");
        assert_eq!((rtt.srtt(), rtt.var()), (Some(MS(80)), MS(40)));
        assert_eq!(rtt.sample(MS(120), MS(8)), MS(112));
        assert_eq!((rtt.srtt(), rtt.var()), (Some(MS(84)), MS(38)));
        assert_eq!(rtt.sample(MS(81), MS(8)), MS(81), "73 ms would be below min_rtt");
        assert_eq!(rtt.sample(MS(200), MS(90)), MS(175), "25 ms at most");
        assert_eq!(rtt.min(), Some(MS(80)), "which takes no delay off");
        assert_eq!(rtt.largest(), MS(200));
    }
}
