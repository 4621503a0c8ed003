//! HyStart: ends slow start when a train of acknowledgments is as long as the path, or when the
//! round-trip time grows. S. Ha, I. Rhee: Taming the elephants: new TCP slow start, Computer
//! Networks 55(9), 2011. The parameters are those of Linux since 5.6.
//!
//! The train: segments that leave back to back arrive spaced by the bottleneck, and so do their
//! acknowledgments. From the begin of a round on, as long as no gap exceeds 2 ms, the train's
//! length is the time that the window takes at the bottleneck. If that reaches the one-way delay
//! of the path, half the smallest round-trip time, the path is full.
//!
//! The delay: the smallest of the first eight samples of a round estimates the standing queue.
use super::advice::Advice;
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::Ack;
use dumbbell_core::units::{Span, Time};

/// Below this window, in segments, slow start goes on whatever happens.
const LOW_WINDOW: u64 = 16;
/// A longer gap between acknowledgments ends a train.
const LONGEST_GAP: Span = Span::from_ms(2);
/// Samples of a round that decide about its delay.
const SAMPLES: u32 = 8;
/// How much longer than the smallest round trip a round must be: an eighth of that, within these.
const LEAST_GROWTH: Span = Span::from_ms(4);
const MOST_GROWTH: Span = Span::from_ms(16);
const GROWTH_DIVISOR: u64 = 8;
/// Hosts send and acknowledge in bursts. A train must be longer by four of the largest ones, of 64
/// KiB, at twice the window's rate, but by a millisecond at most.
const BURSTS: f64 = 4.0 * 65_536.0;
const MOST_BURSTS: Span = Span::from_ms(1);

/// No sample yet.
const NONE: Span = Span::from_ps(u64::MAX);

/// What a slow start has seen, and its present round.
#[derive(Clone, Copy, Debug)]
pub struct HyStart {
    low_window: u64,
    /// The smallest round-trip time of the connection.
    least: Span,
    /// The round is over when more than this is acknowledged.
    end: u64,
    start: Time,
    /// The last acknowledgment of the train.
    train: Time,
    /// The smallest sample of the round, and how many it had, at most [`SAMPLES`].
    current: Span,
    samples: u32,
}

impl HyStart {
    /// For segments of `mss` bytes.
    pub fn new(mss: u64) -> Self {
        HyStart {
            low_window: LOW_WINDOW * mss,
            least: NONE,
            end: 0,
            start: Time::ZERO,
            train: Time::ZERO,
            current: NONE,
            samples: 0,
        }
    }
    /// Segments have `mss` bytes from now on.
    pub fn set_mss(&mut self, mss: u64) {
        self.low_window = LOW_WINDOW * mss;
    }

    /// An acknowledgment in slow start that acknowledges something new, when the window is `cwnd`
    /// bytes. Where slow start is over, the window has not grown for it.
    pub fn on_ack(&mut self, ack: &Ack, cwnd: u64) -> Advice {
        if ack.una > self.end {
            (self.end, self.start, self.train) = (ack.nxt, ack.now, ack.now);
            (self.current, self.samples) = (NONE, 0);
        }
        let full = ack.rtt.is_some_and(|rtt| {
            self.least = self.least.min(rtt);
            cwnd >= self.low_window && self.is_full(ack, rtt, cwnd)
        });
        if full { Advice::Leave(0) } else { Advice::Grow(ack.acked) }
    }

    fn is_full(&mut self, ack: &Ack, rtt: Span, cwnd: u64) -> bool {
        self.train_is_long(ack, cwnd) | self.delay_grew(rtt)
    }

    fn train_is_long(&mut self, ack: &Ack, cwnd: u64) -> bool {
        if ack.now.since(self.train) > LONGEST_GAP {
            return false;
        }
        self.train = ack.now;
        // Pacing stretches the train to the whole round trip.
        let path = self.least.ps() + bursts(ack, cwnd).ps();
        ack.now.since(self.start).ps() > if ack.paced { path } else { path / 2 }
    }

    fn delay_grew(&mut self, rtt: Span) -> bool {
        self.current = self.current.min(rtt);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        self.current > self.least + growth(self.least)
    }

    /// `round_min_rtt` in seconds, 0 if there is no sample.
    pub fn probe(&self, out: &mut dyn Probe) {
        out.gauge("round_min_rtt", if self.current == NONE { 0.0 } else { self.current.seconds() });
    }
}

fn bursts(ack: &Ack, cwnd: u64) -> Span {
    let Some(srtt) = ack.srtt else { return Span::ZERO };
    let seconds = BURSTS / (2.0 * cwnd as f64 / srtt.seconds());
    if seconds < MOST_BURSTS.seconds() { Span::from_secs(1).scaled(seconds) } else { MOST_BURSTS }
}

fn growth(least: Span) -> Span {
    Span::from_ps(least.ps() / GROWTH_DIVISOR).clamp(LEAST_GROWTH, MOST_GROWTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    /// A round of `n` acknowledgments of a segment each, `gap_us` apart, from `from`: the number
    /// of those that let the window grow.
    fn round(h: &mut HyStart, from: u64, n: u64, gap_us: u64, rtt_ms: u64, start_ms: u64) -> u64 {
        (0..n)
            .take_while(|i| {
                let mut a = Ack::default();
                a.now = Time::ZERO + Span::from_ms(start_ms) + Span::from_us(gap_us * i);
                (a.acked, a.una, a.nxt) = (MSS, from + (i + 1) * MSS, from + n * MSS);
                (a.rtt, a.srtt) = (Some(Span::from_ms(rtt_ms)), Some(Span::from_ms(rtt_ms)));
                h.on_ack(&a, 20 * MSS) == Advice::Grow(MSS)
            })
            .count() as u64
    }

    /// 100 ms and an eighth: 8 samples are the estimate, the ninth decides.
    #[test]
    fn a_round_of_longer_delay_ends_it_at_the_ninth_sample() {
        let mut h = HyStart::new(MSS);
        assert_eq!(round(&mut h, 0, 20, 3000, 100, 0), 20);
        assert_eq!(round(&mut h, 20 * MSS, 40, 3000, 112, 100), 40);
        assert_eq!(round(&mut h, 80 * MSS, 80, 3000, 113, 300), 8);
    }

    /// A train of acknowledgments that lasts longer than half of the least round-trip time ends it,
    /// or than all of that where segments are paced; gaps of more than 2 ms part it.
    #[test]
    fn a_long_train_ends_it() {
        for (paced, gap_us, rtt_ms, grows) in [
            (false, 2000, 100, 26),
            (true, 2000, 100, 51),
            (false, 2001, 100, 60),
            (false, 1000, 60, 31),
        ] {
            let mut h = HyStart::new(MSS);
            let grown = (0..60)
                .take_while(|i| {
                    let mut a = Ack::default();
                    a.now = Time::ZERO + Span::from_us(gap_us * i);
                    (a.acked, a.una, a.nxt) = (MSS, (i + 1) * MSS, 200 * MSS);
                    (a.rtt, a.paced) = (Some(Span::from_ms(rtt_ms)), paced);
                    h.on_ack(&a, 20 * MSS) == Advice::Grow(MSS)
                })
                .count();
            assert_eq!(grown, grows, "{paced} {gap_us} {rtt_ms}");
        }
    }

    /// One short sample shows that no queue stands.
    #[test]
    fn a_short_sample_ends_the_suspicion() {
        let mut h = HyStart::new(MSS);
        round(&mut h, 0, 20, 3000, 100, 0);
        assert_eq!(round(&mut h, 20 * MSS, 4, 3000, 100, 100), 4);
        h.end = 200 * MSS;
        assert_eq!(round(&mut h, 24 * MSS, 40, 3000, 150, 112), 40);
    }

    /// At 20 segments in 100 ms, the cushion is its most: (100 + 1) / 2 ms of 1 ms gaps.
    #[test]
    fn a_train_of_half_the_path_ends_it_and_a_gap_ends_the_train() {
        let mut h = HyStart::new(MSS);
        assert_eq!(round(&mut h, 0, 90, 1000, 100, 0), 51);
        let mut h = HyStart::new(MSS);
        assert_eq!(round(&mut h, 0, 90, 2001, 100, 0), 90);
    }

    #[test]
    fn a_paced_train_must_be_as_long_as_the_path() {
        let mut h = HyStart::new(MSS);
        let advice = |h: &mut HyStart, at: u64| {
            let mut a = Ack::default();
            (a.now, a.paced) = (Time::ZERO + Span::from_ms(at), true);
            (a.acked, a.una, a.nxt) = (MSS, at * MSS, 1000 * MSS);
            (a.rtt, a.srtt) = (Some(Span::from_ms(100)), Some(Span::from_ms(100)));
            h.on_ack(&a, 20 * MSS)
        };
        assert!((1..=102).all(|at| advice(&mut h, at) == Advice::Grow(MSS)));
        assert_eq!(advice(&mut h, 103), Advice::Leave(0));
    }

    #[test]
    fn a_small_window_grows_whatever_happens() {
        let mut h = HyStart::new(MSS);
        round(&mut h, 0, 20, 3000, 100, 0);
        let mut a = Ack::default();
        (a.acked, a.una, a.nxt, a.rtt) = (MSS, 100 * MSS, 200 * MSS, Some(Span::from_secs(1)));
        for _ in 0..20 {
            assert_eq!(h.on_ack(&a, 15 * MSS), Advice::Grow(MSS));
        }
    }

    /// Clamp of an eighth between 4 and 16 ms.
    #[test]
    fn thresholds() {
        assert_eq!(growth(Span::from_ms(100)), Span::from_us(12_500));
        assert_eq!(growth(Span::from_ms(20)), Span::from_ms(4));
        assert_eq!(growth(Span::from_ms(200)), Span::from_ms(16));
    }
}
