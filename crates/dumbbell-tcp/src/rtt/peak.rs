//! The variation that a timeout goes by in Linux: the largest mean deviation of a round trip (P.
//! Sarolahti, A. Kuznetsov: Congestion Control in Linux TCP, USENIX 2002, section 4).
//!
//! Many samples in a round trip make RFC 6298's deviation forget within one round trip what was
//! before, and a sample that is shorter than expected makes the timeout longer. Here the variation
//! rises at once, and falls by a quarter of the distance at the end of a round trip.
use dumbbell_core::units::Span;

/// The mean deviation, and its peak in the round trip at hand.
#[derive(Clone, Debug)]
pub(super) struct Peak {
    /// MDEV: the mean deviation, after each sample.
    deviation: Span,
    /// MDEV_MAX: the largest one since the round trip began.
    peak: Span,
    /// The round trip is over when more than this is acknowledged.
    end: u64,
    /// The least peak: a quarter of the least timeout.
    least: Span,
}

impl Peak {
    /// With a timeout of at least `min_rto`.
    pub fn new(min_rto: Span) -> Self {
        let least = Span::from_ps(min_rto.ps() / 4);
        Peak { deviation: Span::ZERO, peak: Span::ZERO, end: 0, least }
    }

    /// A sample: the variation after it, where it was `rttvar` and the smoothed time `srtt`.
    #[inline]
    pub fn sample(
        &mut self,
        r: Span,
        srtt: Option<Span>,
        rttvar: Span,
        una: u64,
        nxt: u64,
    ) -> Span {
        let Some(srtt) = srtt else {
            self.deviation = Span::from_ps(r.ps() / 2);
            self.peak = self.deviation.max(self.least);
            self.end = nxt;
            return self.peak;
        };
        let off = srtt.ps().abs_diff(r.ps());
        let before = self.deviation.ps();
        // A round trip that is suddenly short is no reason for a long timeout.
        let shift = if r < srtt && off > before { 5 } else { 2 };
        self.deviation = Span::from_ps((((1 << shift) - 1) * before + off) >> shift);
        self.peak = self.peak.max(self.deviation);
        let mut variation = rttvar.max(self.peak);
        if una > self.end {
            variation = variation - Span::from_ps(variation.saturating_sub(self.peak).ps() / 4);
            (self.peak, self.end) = (self.least, nxt);
        }
        variation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TcpConfig;
    use crate::rtt::Estimator;

    fn estimator() -> Estimator {
        let min_rto = Span::from_ms(200);
        let config = TcpConfig {
            clock: Span::ZERO,
            rto_above_srtt: true,
            rto_by_peak: true,
            min_rto,
            ..TcpConfig::rfc()
        };
        Estimator::new(&config)
    }

    /// By hand, from the equations of the paper: samples of 200 ms, then one of 280 ms, whose peak
    /// of (3 MDEV + 80) / 4 holds for the rest of its round trip.
    #[test]
    fn the_variation_rises_at_once_and_falls_once_in_a_round_trip() {
        let ms = Span::from_ms;
        let mut e = estimator();
        e.sample(ms(200), 1, 1);
        assert_eq!((e.rttvar(), e.rto()), (ms(100), ms(600)));
        // The first round trip of data ends with its first acknowledgment: MDEV = 75 is the peak,
        // and a quarter of 100 - 100 goes, because the peak was that of the SYN until now.
        e.sample(ms(200), 1001, 10_001);
        assert_eq!((e.rttvar(), e.rto()), (ms(100), ms(600)));
        // Nine more of the same round: MDEV decays, RTTVAR does not.
        for i in 2..=10 {
            e.sample(ms(200), i * 1000 + 1, 10_001 + i * 1000);
            let past = i * 1000 + 1 > 10_001;
            assert_eq!((e.rttvar(), past), (ms(100), false), "{i}");
        }
        // The peak of that round was 3 / 4 of 75 ms, 56.25; the quarter of 43.75 is 10.9375.
        e.sample(ms(200), 11_001, 30_001);
        assert_eq!(e.rttvar(), Span::from_ps(89_062_500_000));
        // 75 (3 / 4)^10 is left of MDEV; a quarter of 800 ms comes to three quarters of it.
        e.sample(ms(1000), 12_001, 31_001);
        assert!(e.rttvar() > ms(203) && e.rttvar() < ms(204), "{:?}", e.rttvar());
    }

    /// A sample far below the smoothed time counts an eighth of another one.
    #[test]
    fn a_shorter_round_trip_hardly_lengthens_the_timeout() {
        let after = |r: u64| {
            let mut e = estimator();
            let mut una = 1;
            for _ in 0..200 {
                e.sample(Span::from_ms(500), una, una + 1000);
                una += 1001;
            }
            e.sample(Span::from_ms(r), una, una + 1000);
            (e.rttvar().seconds() * 1e3).round()
        };
        // 400 / 32 is below the least; 400 / 4 is above.
        assert_eq!((after(100), after(500), after(900)), (50.0, 50.0, 100.0));
    }

    /// Only the end of a round trip lowers the variation, whatever the number of samples.
    #[test]
    fn many_samples_in_a_round_trip_forget_nothing() {
        let mut e = estimator();
        e.sample(Span::from_ms(400), 1, 1_000_000);
        for una in 2..500 {
            e.sample(Span::from_ms(400), una, 1_000_000 + una);
        }
        assert_eq!((e.rttvar(), e.rto()), (Span::from_ms(200), Span::from_ms(1200)));
    }
}
