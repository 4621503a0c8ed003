//! The congestion window (RFC 8298 sections 4.1.2.1, 4.1.2.2, 4.1.2.7).
use crate::config::ScreamConfig;
use dumbbell_core::units::{Span, Time};

/// Seconds over which the most in flight is taken (section 4.1.2.2: the last 5 seconds).
const SECONDS: usize = 5;

/// `cwnd`, and whether it increases fast.
#[derive(Clone, Debug)]
pub(super) struct CongestionWindow {
    mss: f64,
    least: f64,
    gain: f64,
    head_room: f64,
    threshold: f64,
    low: f64,
    resume: Span,
    cwnd: f64,
    fast: bool,
    /// Since when the trend is low, or the fast increase is over.
    low_since: Option<Time>,
    /// The most in flight in each of the last seconds, and when the last one began.
    most: [u64; SECONDS],
    second: Time,
}

/// What a report says of the window's use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub newly_acked: u64,
    pub in_flight: u64,
    pub qdelay: Span,
    pub target: Span,
    pub trend: f64,
}

impl CongestionWindow {
    pub fn new(config: &ScreamConfig) -> Self {
        CongestionWindow {
            mss: config.mss.0 as f64,
            least: config.minimum_window.0 as f64,
            gain: config.gain,
            head_room: config.head_room,
            threshold: config.trend_threshold,
            low: config.trend_low,
            resume: config.resume,
            cwnd: config.minimum_window.0 as f64,
            fast: true,
            low_since: None,
            most: [0; SECONDS],
            second: Time::ZERO,
        }
    }

    /// Its size, bytes.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.cwnd as u64
    }
    /// `in_fast_increase`.
    pub fn in_fast_increase(&self) -> bool {
        self.fast
    }

    /// So many bytes are in flight, after a packet was sent.
    pub fn note_in_flight(&mut self, now: Time, bytes: u64) {
        while now.since(self.second) >= Span::from_secs(1) {
            self.second += Span::from_secs(1);
            self.most.rotate_left(1);
            self.most[SECONDS - 1] = 0;
            if now.since(self.second) > Span::from_secs(SECONDS as u64) {
                (self.most, self.second) = ([0; SECONDS], now);
            }
        }
        self.most[SECONDS - 1] = self.most[SECONDS - 1].max(bytes);
    }

    /// `update_cwnd`; true if the fast increase ended by incipient congestion.
    pub fn update(&mut self, now: Time, seen: &Use) -> bool {
        let (acked, flying) = (seen.newly_acked as f64, seen.in_flight as f64);
        let mut ended = false;
        if self.fast {
            if seen.trend < self.threshold {
                if flying * 1.5 + acked > self.cwnd {
                    self.cwnd += acked;
                }
                return false;
            }
            self.end_fast(now);
            ended = true;
        }
        let target = seen.target.seconds();
        let off = (target - seen.qdelay.seconds()) / target;
        let mut delta = self.gain * off * acked * self.mss / self.cwnd;
        if off > 0.0 && flying * 1.25 + acked <= self.cwnd {
            delta = 0.0;
        }
        self.cwnd += delta;
        let most = self.most.iter().copied().max().unwrap_or(0) as f64;
        self.cwnd = self.cwnd.min(most * self.head_room).max(self.least);
        ended
    }

    /// A loss or a mark: the window falls to a share, and increases slowly.
    pub fn reduce(&mut self, now: Time, share: f64) {
        self.cwnd = (self.cwnd * share).max(self.least);
        self.end_fast(now);
    }

    fn end_fast(&mut self, now: Time) {
        self.fast = false;
        self.low_since = Some(now);
    }

    /// `check_to_resume_fast_increase`; true if it resumes.
    pub fn check_resume(&mut self, now: Time, trend: f64) -> bool {
        if self.fast {
            return false;
        }
        if trend >= self.low {
            self.low_since = None;
            return false;
        }
        let since = *self.low_since.get_or_insert(now);
        self.fast = now.since(since) >= self.resume;
        self.fast
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn seen(newly_acked: u64, in_flight: u64, qdelay_ms: u64, trend: f64) -> Use {
        let (qdelay, target) = (Span::from_ms(qdelay_ms), Span::from_ms(100));
        Use { newly_acked, in_flight, qdelay, target, trend }
    }

    fn window() -> CongestionWindow {
        CongestionWindow::new(&ScreamConfig::default())
    }

    /// In fast increase the window grows by what is acknowledged, if it is used.
    #[test]
    fn fast_increase_doubles_a_window_that_is_used() {
        let mut w = window();
        w.update(at(0), &seen(3000, 1000, 0, 0.0));
        assert_eq!(w.bytes(), 6000);
        w.update(at(0), &seen(1000, 3333, 0, 0.0));
        assert_eq!(w.bytes(), 6000, "1.5 x 3333 + 1000 is not above 6000");
        w.update(at(0), &seen(1000, 3334, 0, 0.0));
        assert_eq!(w.bytes(), 7000);
    }

    /// The trend ends it at QDELAY_TREND_TH, and the update goes on as LEDBAT's: a window's worth
    /// of acknowledgments changes the window by MSS x (target - qdelay) / target.
    #[test]
    fn ledbat_moves_towards_the_target() {
        for (qdelay, expected) in [(0, 21_000.0), (50, 20_500.0), (100, 20_000.0), (150, 19_500.0)]
        {
            let mut w = window();
            w.cwnd = 20_000.0;
            w.note_in_flight(at(0), 20_000);
            assert!(w.update(at(0), &seen(0, 20_000, qdelay, 0.2)), "the trend ends it");
            let step = seen(2000, 18_000, qdelay, 0.0);
            for _ in 0..10 {
                w.update(at(1), &step);
            }
            assert!((w.cwnd - expected).abs() < 30.0, "{qdelay}: {}", w.cwnd);
        }
    }

    /// No growth without use, and at most 1.1 times the most in flight of five seconds.
    #[test]
    fn the_window_is_validated() {
        let mut w = window();
        w.cwnd = 20_000.0;
        w.end_fast(at(0));
        w.note_in_flight(at(0), 20_000);
        w.update(at(1), &seen(1000, 15_200, 0, 0.0));
        assert_eq!(w.bytes(), 20_000);
        w.note_in_flight(at(4900), 10_000);
        w.update(at(4900), &seen(1000, 10_000, 0, 0.0));
        assert_eq!(w.bytes(), 20_000);
        w.note_in_flight(at(6000), 10_000);
        w.update(at(6000), &seen(1000, 10_000, 0, 0.0));
        assert_eq!(w.bytes(), 11_000);
    }

    /// Sections 4.1.2.1 and 4.1.2.7: a loss takes a fifth, never below three packets, and ends the
    /// fast increase, which resumes when the trend was low for 5 s.
    #[test]
    fn a_loss_reduces_and_the_fast_increase_resumes() {
        let mut w = window();
        w.cwnd = 10_000.0;
        w.reduce(at(1000), 0.8);
        assert_eq!((w.bytes(), w.in_fast_increase()), (8000, false));
        (0..20).for_each(|_| w.reduce(at(1000), 0.8));
        assert_eq!(w.bytes(), 3000);
        assert!(!w.check_resume(at(5999), 0.1));
        assert!(!w.check_resume(at(6000), 0.2), "a high trend starts the wait again");
        assert!(!w.check_resume(at(6100), 0.1));
        assert!(!w.check_resume(at(11_099), 0.1));
        assert!(w.check_resume(at(11_100), 0.1) && w.in_fast_increase());
    }
}
