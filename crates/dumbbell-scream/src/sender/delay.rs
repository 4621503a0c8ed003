//! The queue delay and its trend (RFC 8298 sections 4.1.2, RFC 6817 section 3.4.2).
use crate::config::ScreamConfig;
use dumbbell_core::units::{Span, Time};
use std::collections::VecDeque;

/// Time between samples of the history (section 4.1.2).
pub(super) const EVERY: Span = Span::from_ms(50);
/// Length of `qdelay_fraction_hist` (section 4.1.1.2).
const HISTORY: usize = 20;
/// BASE_HISTORY of RFC 6817: minima of so many minutes.
const MINUTES: usize = 10;

/// One-way delays as queue delays, and where they go.
#[derive(Clone, Debug)]
pub(super) struct QueueDelay {
    weight: f64,
    /// Minima of the last minutes, and when the last of them began.
    base: VecDeque<Span>,
    minute: Time,
    sampled: Option<Time>,
    history: VecDeque<f64>,
    average: f64,
    trend: f64,
    memory: f64,
}

impl QueueDelay {
    pub fn new(config: &ScreamConfig) -> Self {
        QueueDelay {
            weight: config.qdelay_weight,
            base: VecDeque::new(),
            minute: Time::ZERO,
            sampled: None,
            history: VecDeque::from([0.0; HISTORY]),
            average: 0.0,
            trend: 0.0,
            memory: 0.0,
        }
    }

    /// The queue delay in a one-way delay: what it exceeds the least one of ten minutes by.
    pub fn of(&mut self, now: Time, one_way: Span) -> Span {
        if self.base.is_empty() || now.since(self.minute) >= Span::from_secs(60) {
            self.minute = now;
            self.base.push_back(one_way);
            if self.base.len() > MINUTES {
                self.base.pop_front();
            }
        }
        if let Some(last) = self.base.back_mut() {
            *last = one_way.min(*last);
        }
        let least = self.base.iter().min().copied().unwrap_or(one_way);
        one_way.saturating_sub(least)
    }

    /// `update_variables`, every 50 ms; true if it was time.
    pub fn update(&mut self, now: Time, qdelay: Span, target: Span) -> bool {
        if self.sampled.is_some_and(|last| now.since(last) < EVERY) {
            return false;
        }
        self.sampled = Some(now);
        let fraction = qdelay.seconds() / target.seconds();
        self.average = (1.0 - self.weight) * self.average + self.weight * fraction;
        self.history.pop_front();
        self.history.push_back(fraction);
        self.trend = (correlation(&self.history) * self.average).clamp(0.0, 1.0);
        self.memory = (0.99 * self.memory).max(self.trend);
        true
    }

    /// `qdelay_trend`, from 0 to 1.
    pub fn trend(&self) -> f64 {
        self.trend
    }
    /// `qdelay_trend_mem`.
    pub fn memory(&self) -> f64 {
        self.memory
    }
}

/// `R(x, 1) / R(x, 0)` of `x` less its mean; 0 if `x` is constant.
fn correlation(history: &VecDeque<f64>) -> f64 {
    let mean = history.iter().sum::<f64>() / history.len() as f64;
    let off = |x: &f64| x - mean;
    let none: f64 = history.iter().map(|x| off(x) * off(x)).sum();
    let one: f64 = history.iter().zip(history.iter().skip(1)).map(|(x, y)| off(x) * off(y)).sum();
    if none > 0.0 { one / none } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    /// RFC 6817: the base is the least delay of the last ten minutes, and then rises with the path.
    #[test]
    fn the_base_delay_is_forgotten_after_ten_minutes() {
        let mut delay = QueueDelay::new(&ScreamConfig::default());
        assert_eq!(delay.of(at(0), Span::from_ms(50)), Span::ZERO);
        assert_eq!(delay.of(at(10), Span::from_ms(80)), Span::from_ms(30));
        assert_eq!(delay.of(at(20), Span::from_ms(40)), Span::ZERO);
        let later = |minutes: u64| at(minutes * 60_000);
        for minute in 1..=9 {
            assert_eq!(delay.of(later(minute), Span::from_ms(70)), Span::from_ms(30), "{minute}");
        }
        assert_eq!(delay.of(later(10), Span::from_ms(70)), Span::ZERO);
    }

    /// The sum of the squares of 0, 1, ..., 19 about their mean is 20 x (400 - 1) / 12 = 665.
    #[test]
    fn a_ramp_has_a_trend_and_an_alternation_has_none() {
        let ramp: VecDeque<f64> = (0..20).map(f64::from).collect();
        let one: f64 = (0..19).map(|i| (f64::from(i) - 9.5) * (f64::from(i) - 8.5)).sum();
        assert!((correlation(&ramp) - one / 665.0).abs() < 1e-12);
        assert!(correlation(&ramp) > 0.8);
        let teeth: VecDeque<f64> = (0..20).map(|i| f64::from(i % 2)).collect();
        assert!((correlation(&teeth) + 19.0 / 20.0).abs() < 1e-12);
        assert_eq!(correlation(&VecDeque::from([3.0; 20])), 0.0);
    }

    /// Section 4.1.2: a queue delay that rises gives a trend before the target is reached, samples
    /// are 50 ms apart, and the memory decays by a hundredth a sample.
    #[test]
    fn the_trend_shows_a_queue_that_grows() {
        let mut delay = QueueDelay::new(&ScreamConfig::default());
        let target = Span::from_ms(100);
        let mut first = None;
        for i in 0..20u64 {
            assert!(delay.update(at(i * 50), Span::from_ms(5 * i), target));
            assert!(!delay.update(at(i * 50 + 49), Span::from_ms(90), target));
            if delay.trend() > 0.2 {
                first.get_or_insert(5 * i);
            }
        }
        assert!(first.is_some_and(|ms| ms < 100), "{first:?}");
        let peak = delay.memory();
        for i in 20..60u64 {
            delay.update(at(i * 50), Span::ZERO, target);
        }
        assert!(delay.trend() < 0.05 && delay.memory() >= peak * 0.66, "{}", delay.memory());
        assert!(delay.memory() < peak);
    }
}
