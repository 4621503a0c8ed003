//! The target of the queue delay: it rises beside flows that fill queues (RFC 8298 section
//! 4.1.2.3).
use crate::config::ScreamConfig;
use dumbbell_core::units::{Span, Time};
use std::collections::VecDeque;

/// Samples of the variance and of the mean of the normalized delay (section 4.1.2.3).
const LONG: usize = 200;
const SHORT: usize = 50;
/// Weight of a round trip in the loss event rate: our choice, the RFC gives none.
const LOSS_WEIGHT: f64 = 0.01;
/// The loss event rate that shows a competing flow.
const LOSS_RATE: f64 = 0.002;
/// The variance below which the delay is steady enough to be followed.
const STEADY: f64 = 0.2;

/// `qdelay_target` and what it follows.
#[derive(Clone, Debug)]
pub(super) struct DelayTarget {
    low: f64,
    high: f64,
    follows: bool,
    seconds: f64,
    history: VecDeque<f64>,
    /// The fraction of round trips with a loss, whether this one has one, and when it ends.
    loss_rate: f64,
    lost: bool,
    round_ends: Option<Time>,
}

impl DelayTarget {
    pub fn new(config: &ScreamConfig) -> Self {
        DelayTarget {
            low: config.qdelay_target_lo.seconds(),
            high: config.qdelay_target_hi.seconds(),
            follows: config.competing,
            seconds: config.qdelay_target_lo.seconds(),
            history: VecDeque::from([0.0; LONG]),
            loss_rate: 0.0,
            lost: false,
            round_ends: None,
        }
    }

    /// The target.
    pub fn span(&self) -> Span {
        Span::from_secs_f64(self.seconds)
    }

    /// Packets were lost.
    pub fn on_loss(&mut self) {
        self.lost = true;
    }

    /// Time passes, in round trips.
    pub fn pass(&mut self, now: Time, srtt: Span) {
        if self.round_ends.is_none_or(|end| end <= now) {
            let lost = f64::from(u8::from(self.lost));
            self.loss_rate = (1.0 - LOSS_WEIGHT) * self.loss_rate + LOSS_WEIGHT * lost;
            (self.lost, self.round_ends) = (false, Some(now + srtt));
        }
    }

    /// `adjust_qdelay_target`, with each sample of the history.
    pub fn adjust(&mut self, qdelay: Span) {
        self.history.pop_front();
        self.history.push_back(qdelay.seconds() / self.low);
        if !self.follows {
            return;
        }
        let long = self.history.iter().sum::<f64>() / LONG as f64;
        let square = |x: &f64| (x - long) * (x - long);
        let variance = self.history.iter().map(square).sum::<f64>() / LONG as f64;
        let short = self.history.iter().rev().take(SHORT).sum::<f64>() / SHORT as f64;
        let new = (short + libm::sqrt(variance)) * self.low;
        if self.loss_rate > LOSS_RATE {
            self.seconds = 1.5 * new;
        } else if variance < STEADY {
            self.seconds = new;
        } else if new < self.low {
            self.seconds = (0.5 * self.seconds).max(new);
        } else {
            self.seconds *= 0.9;
        }
        self.seconds = self.seconds.clamp(self.low, self.high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(target: &mut DelayTarget, ms: u64, samples: usize) -> f64 {
        (0..samples).for_each(|_| target.adjust(Span::from_ms(ms)));
        target.span().seconds()
    }

    /// A steady delay d has no variance: the target is d, within its bounds; 1.5 d with losses.
    #[test]
    fn the_target_follows_a_steady_delay_within_its_bounds() {
        let new = || DelayTarget::new(&ScreamConfig::default());
        assert_eq!(settled(&mut new(), 40, 300), 0.1);
        assert!((settled(&mut new(), 200, 300) - 0.2).abs() < 1e-9);
        assert_eq!(settled(&mut new(), 900, 300), 0.4);
        let mut lossy = new();
        lossy.on_loss();
        lossy.pass(Time::ZERO, Span::from_ms(50));
        assert!((settled(&mut lossy, 200, 300) - 0.3).abs() < 1e-9);
        let fixed = ScreamConfig { competing: false, ..ScreamConfig::default() };
        assert_eq!(settled(&mut DelayTarget::new(&fixed), 900, 300), 0.1);
    }

    /// A delay that just jumped is not followed: its variance is large, and the target falls.
    #[test]
    fn a_jump_of_the_delay_is_not_followed_at_once() {
        let mut target = DelayTarget::new(&ScreamConfig::default());
        settled(&mut target, 200, 300);
        assert!(settled(&mut target, 20, 60) < 0.2);
        let mut target = DelayTarget::new(&ScreamConfig::default());
        settled(&mut target, 0, 200);
        // 100 of 200 samples at 3 times the low target: a variance of 2.25.
        assert_eq!(settled(&mut target, 300, 100), 0.1);
    }

    /// One of a hundred round trips with a loss, then none: 0.01 x 0.99^n falls below 0.002 after
    /// n = 161.
    #[test]
    fn the_loss_event_rate_forgets() {
        let mut target = DelayTarget::new(&ScreamConfig::default());
        target.on_loss();
        let mut rounds = 0;
        let mut now = Time::ZERO;
        target.pass(now, Span::from_ms(50));
        while target.loss_rate > LOSS_RATE {
            now += Span::from_ms(50);
            target.pass(now, Span::from_ms(50));
            rounds += 1;
        }
        assert_eq!(rounds, 161);
    }
}
