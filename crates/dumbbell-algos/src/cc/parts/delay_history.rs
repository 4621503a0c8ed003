//! The delays of the path, as LEDBAT keeps them (RFC 6817 section 2.4.2): minima of minutes, and
//! the latest few.
use dumbbell_core::transport::Ack;
use dumbbell_core::units::{Span, Time};
use std::collections::VecDeque;

/// The time that each minimum of the base delay covers.
const PERIOD: Span = Span::from_secs(60);

/// The delay from the sender to the receiver, with an unknown constant in it, picoseconds: the
/// receiver's clock when it answered less the sender's when it sent. Without the receiver's clock
/// it is the whole round trip.
pub fn one_way(ack: &Ack) -> Option<i64> {
    let rtt = ack.rtt?.ps() as i64;
    let back = ack.peer_clock.map_or(0, |peer| ack.now.ps().wrapping_sub(peer.ps()) as i64);
    Some(rtt.wrapping_sub(back))
}

/// The base delay and the current one.
#[derive(Clone, Debug)]
pub struct DelayHistory {
    /// Minima of the last minutes, the latest last (`base_delays`).
    minutes: VecDeque<i64>,
    /// The smallest of them.
    base: i64,
    /// The minute of the last one.
    minute: u64,
    /// The latest delays (`current_delays`).
    latest: VecDeque<i64>,
    history: usize,
    filter: usize,
}

impl DelayHistory {
    /// The base is the minimum of `history` minutes, the current delay that of the latest `filter`
    /// delays.
    pub fn new(history: usize, filter: usize) -> Self {
        let (history, filter) = (history.max(1), filter.max(1));
        let (minutes, latest) = (VecDeque::with_capacity(history), VecDeque::with_capacity(filter));
        DelayHistory { minutes, base: i64::MAX, minute: 0, latest, history, filter }
    }

    /// Takes a delay in.
    #[inline]
    pub fn sample(&mut self, now: Time, delay: i64) {
        if self.latest.len() == self.filter {
            self.latest.pop_front();
        }
        self.latest.push_back(delay);
        let minute = now.ps() / PERIOD.ps();
        if minute != self.minute || self.minutes.is_empty() {
            self.minute = minute;
            return self.roll_over(delay);
        }
        if let Some(last) = self.minutes.back_mut() {
            *last = delay.min(*last);
        }
        self.base = self.base.min(delay);
    }

    /// Another minute begins, and the oldest is forgotten.
    #[cold]
    fn roll_over(&mut self, delay: i64) {
        if self.minutes.len() == self.history {
            self.minutes.pop_front();
        }
        self.minutes.push_back(delay);
        self.base = self.minutes.iter().copied().min().unwrap_or(delay);
    }

    /// The current delay beyond the base, seconds; none before the first sample.
    #[inline]
    pub fn queueing(&self) -> Option<f64> {
        let current = self.latest.iter().copied().min()?;
        Some(current.saturating_sub(self.base).max(0) as f64 / 1e12)
    }

    /// The base delay, seconds, with its unknown constant.
    pub fn base(&self) -> Option<f64> {
        (self.base != i64::MAX).then_some(self.base as f64 / 1e12)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Span::from_secs(seconds)
    }
    fn ms(delay: i64) -> i64 {
        delay * 1_000_000_000
    }

    #[test]
    fn the_least_of_the_latest_four_over_the_base() {
        let mut d = DelayHistory::new(10, 4);
        assert_eq!((d.queueing(), d.base()), (None, None));
        for (delay, queueing) in [
            (30, 0),
            (80, 0),
            (70, 0),
            (60, 0),
            (90, 30),
            (20, 0),
            (50, 0),
            (50, 0),
            (50, 0),
            (50, 30),
        ] {
            d.sample(at(1), ms(delay));
            assert_eq!(d.queueing(), Some(queueing as f64 / 1e3), "{delay}");
        }
        assert_eq!(d.base(), Some(0.02));
    }

    /// Three minutes of history, of those in which there were delays: what was smallest in the
    /// first is forgotten in the fourth.
    #[test]
    fn minutes_are_forgotten() {
        let mut d = DelayHistory::new(3, 1);
        for (t, delay, base) in [
            (0, 20, 20),
            (59, 50, 20),
            (61, 50, 20),
            (130, 45, 20),
            (179, 60, 20),
            (181, 70, 45),
            (301, 90, 45),
            (361, 95, 70),
        ] {
            d.sample(at(t), ms(delay));
            assert_eq!(d.base(), Some(base as f64 / 1e3), "at {t} s");
        }
    }

    /// A receiver whose clock is 5 s ahead, or behind: delays differ by a constant, and no more.
    #[test]
    fn a_clock_that_is_off_cancels() {
        for (ahead, behind) in [(0, 0), (5, 0), (0, 5)] {
            let mut d = DelayHistory::new(10, 1);
            for (forward, queueing) in [(20, 0), (45, 25), (30, 10)] {
                let mut ack = Ack::default();
                (ack.now, ack.rtt) = (at(100), Some(Span::from_ms(forward + 10)));
                let answered = Time::from_ps(at(100).ps() - Span::from_ms(10).ps());
                ack.peer_clock =
                    Some(Time::from_ps(answered.ps() + at(ahead).ps() - at(behind).ps()));
                d.sample(ack.now, one_way(&ack).unwrap());
                assert!((d.queueing().unwrap() - queueing as f64 / 1e3).abs() < 1e-12);
            }
        }
    }
}
