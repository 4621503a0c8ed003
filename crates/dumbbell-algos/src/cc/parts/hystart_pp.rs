//! HyStart++ (RFC 9406): leaves the first slow start when the round-trip time grows, before the
//! queue overflows.
//!
//! A piece that a congestion control owns during its first slow start and drops at the first
//! congestion event.
use super::advice::Advice;
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::Ack;
use dumbbell_core::units::Span;

/// RFC 9406 section 4.3: the constants that it recommends.
const MIN_RTT_THRESH: Span = Span::from_ms(4);
const MAX_RTT_THRESH: Span = Span::from_ms(16);
const MIN_RTT_DIVISOR: u64 = 8;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: u64 = 4;
const CSS_ROUNDS: u32 = 5;
/// Segments that one acknowledgment may add where segments are not paced (L).
const L_UNPACED: u64 = 8;

/// No sample yet.
const NONE: Span = Span::from_ps(u64::MAX);

/// The state of RFC 9406 section 4.2.
#[derive(Clone, Copy, Debug)]
pub struct HyStartPlusPlus {
    /// The round is over when this byte is acknowledged (`windowEnd`); 0: none has begun.
    window_end: u64,
    /// `lastRoundMinRTT`.
    last: Span,
    /// `currentRoundMinRTT`.
    current: Span,
    /// `rttSampleCount`.
    samples: u32,
    /// In conservative slow start: `cssBaselineMinRtt`, and how many of its rounds are over.
    css: Option<(Span, u32)>,
    /// Bytes that one acknowledgment may add where segments are not paced (L SMSS).
    limit: u64,
}

impl HyStartPlusPlus {
    /// For segments of `mss` bytes: an acknowledgment adds at most 8 of them, unless they are
    /// paced.
    pub fn new(mss: u64) -> Self {
        HyStartPlusPlus {
            window_end: 0,
            last: NONE,
            current: NONE,
            samples: 0,
            css: None,
            limit: L_UNPACED * mss,
        }
    }
    /// Segments have `mss` bytes from now on.
    pub fn set_mss(&mut self, mss: u64) {
        self.limit = L_UNPACED * mss;
    }

    /// An acknowledgment in slow start that acknowledges something new.
    pub fn on_ack(&mut self, ack: &Ack) -> Advice {
        let divisor = if self.css.is_some() { CSS_GROWTH_DIVISOR } else { 1 };
        let limit = if ack.paced { u64::MAX } else { self.limit };
        let growth = ack.acked.min(limit) / divisor;
        if self.window_end == 0 {
            self.window_end = ack.nxt;
        }
        if let Some(rtt) = ack.rtt {
            self.current = self.current.min(rtt);
            self.samples += 1;
            self.judge();
        }
        if ack.una >= self.window_end && self.round_is_over(ack.nxt) {
            return Advice::Leave(growth);
        }
        Advice::Grow(growth)
    }

    /// Into conservative slow start and, if the delay goes away, out of it.
    fn judge(&mut self) {
        if self.samples < N_RTT_SAMPLE {
            return;
        }
        match self.css {
            None if self.last != NONE && self.current >= self.last + threshold(self.last) => {
                self.css = Some((self.current, 0));
            }
            Some((baseline, _)) if self.current < baseline => self.css = None,
            _ => {}
        }
    }

    /// The next round ends at `nxt`; whether conservative slow start has had all its rounds. The
    /// round in which it began counts.
    fn round_is_over(&mut self, nxt: u64) -> bool {
        (self.window_end, self.last, self.current, self.samples) = (nxt, self.current, NONE, 0);
        if let Some((_, rounds)) = &mut self.css {
            *rounds += 1;
        }
        self.css.is_some_and(|(_, rounds)| rounds >= CSS_ROUNDS)
    }

    /// `css_rounds`: rounds of conservative slow start that are over, -1 outside it;
    /// `round_min_rtt` in seconds, 0 if there is no sample.
    pub fn probe(&self, out: &mut dyn Probe) {
        out.gauge("css_rounds", self.css.map_or(-1.0, |(_, rounds)| f64::from(rounds)));
        out.gauge("round_min_rtt", if self.current == NONE { 0.0 } else { self.current.seconds() });
    }
}

/// `RttThresh`: how much longer than in the round before a round trip must be.
fn threshold(last: Span) -> Span {
    Span::from_ps(last.ps() / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    /// One round: `n` acknowledgments of a segment, each with the same round-trip time.
    fn round(h: &mut HyStartPlusPlus, una: &mut u64, n: u64, rtt_ms: u64) -> Vec<Advice> {
        let end = *una + n * MSS;
        (0..n)
            .map(|_| {
                *una += MSS;
                let mut a = Ack::default();
                (a.acked, a.una, a.nxt) =
                    (MSS, *una, if *una == end { end + n * MSS } else { end });
                a.rtt = Some(Span::from_ms(rtt_ms));
                h.on_ack(&a)
            })
            .collect()
    }

    /// Clamp of lastRoundMinRTT / 8 between 4 and 16 ms.
    #[test]
    fn thresholds() {
        assert_eq!(threshold(Span::from_ms(100)), Span::from_us(12_500));
        assert_eq!(threshold(Span::from_ms(20)), Span::from_ms(4));
        assert_eq!(threshold(Span::from_ms(200)), Span::from_ms(16));
    }

    #[test]
    fn a_growing_delay_ends_slow_start_after_five_rounds() {
        let (mut h, mut una) = (HyStartPlusPlus::new(MSS), 1);
        for _ in 0..2 {
            assert!(round(&mut h, &mut una, 10, 100).iter().all(|a| *a == Advice::Grow(MSS)));
        }
        // 100 + 12.5 ms: seven samples are too few, the eighth decides, the ninth grows by a
        // quarter.
        let advice = round(&mut h, &mut una, 10, 113);
        assert!(advice[..8].iter().all(|a| *a == Advice::Grow(MSS)), "{advice:?}");
        assert!(advice[8..].iter().all(|a| *a == Advice::Grow(MSS / 4)), "{advice:?}");
        for _ in 0..3 {
            assert!(round(&mut h, &mut una, 10, 120).iter().all(|a| *a == Advice::Grow(MSS / 4)));
        }
        // The fifth round, counting the one in which it began.
        assert_eq!(round(&mut h, &mut una, 10, 120).last(), Some(&Advice::Leave(MSS / 4)));
    }

    #[test]
    fn a_delay_below_the_threshold_changes_nothing() {
        let (mut h, mut una) = (HyStartPlusPlus::new(MSS), 1);
        for rtt in [100, 112, 124, 136] {
            assert!(
                round(&mut h, &mut una, 10, rtt).iter().all(|a| *a == Advice::Grow(MSS)),
                "{rtt}"
            );
        }
    }

    #[test]
    fn a_delay_that_goes_away_resumes_slow_start() {
        let (mut h, mut una) = (HyStartPlusPlus::new(MSS), 1);
        round(&mut h, &mut una, 10, 100);
        round(&mut h, &mut una, 10, 130);
        assert_eq!(h.css, Some((Span::from_ms(130), 1)));
        let advice = round(&mut h, &mut una, 10, 110);
        // The eighth sample below the baseline of 130 ms; the ninth grows by a segment again.
        assert_eq!(advice[7..9], [Advice::Grow(MSS / 4), Advice::Grow(MSS)]);
    }

    #[test]
    fn rounds_of_fewer_than_eight_samples_decide_nothing() {
        let (mut h, mut una) = (HyStartPlusPlus::new(MSS), 1);
        for rtt in [100, 200, 300, 400] {
            round(&mut h, &mut una, 7, rtt);
            assert_eq!(h.css, None);
        }
    }

    #[test]
    fn one_acknowledgement_adds_at_most_eight_segments_where_they_are_not_paced() {
        let mut a = Ack::default();
        (a.acked, a.una, a.nxt) = (20 * MSS, 20 * MSS + 1, 40 * MSS);
        assert_eq!(HyStartPlusPlus::new(MSS).on_ack(&a), Advice::Grow(8 * MSS));
        a.paced = true;
        assert_eq!(HyStartPlusPlus::new(MSS).on_ack(&a), Advice::Grow(20 * MSS));
    }
}
