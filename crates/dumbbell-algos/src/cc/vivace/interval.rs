//! A monitor interval: what was sent in it, and what became of that.
use super::{MBIT, VivaceConfig};
use dumbbell_core::units::{Span, Time};

/// The purpose of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The rate doubles.
    Start,
    /// A little faster.
    Up,
    /// A little slower.
    Down,
    /// The results of others are on their way.
    Wait,
}

impl Role {
    /// The factor on the rate.
    pub fn share(self, epsilon: f64) -> f64 {
        match self {
            Role::Up => 1.0 + epsilon,
            Role::Down => 1.0 - epsilon,
            Role::Start | Role::Wait => 1.0,
        }
    }
}

/// An interval.
#[derive(Clone, Debug)]
pub struct Interval {
    start: Time,
    pub end: Time,
    /// Bytes per second.
    pub rate: f64,
    pub role: Role,
    /// Bytes.
    pub sent: u64,
    pub lost: u64,
    /// Sums for the regression of round-trip times (s) on sending times (s).
    n: f64,
    t: f64,
    r: f64,
    tt: f64,
    tr: f64,
}

impl Interval {
    /// One that begins now.
    pub fn new(start: Time, span: Span, rate: f64, role: Role) -> Self {
        let end = start + span;
        let (sent, lost) = (0, 0);
        Interval { start, end, rate, role, sent, lost, n: 0.0, t: 0.0, r: 0.0, tt: 0.0, tr: 0.0 }
    }

    /// True if at least half of what its rate permits was sent in it.
    pub fn is_used(&self) -> bool {
        self.sent as f64 >= self.rate * self.end.since(self.start).seconds() / 2.0
    }

    /// The round-trip time of a segment that was sent in it.
    pub fn sample(&mut self, sent_at: Time, rtt: Span) {
        let (t, r) = (sent_at.since(self.start).seconds(), rtt.seconds());
        self.n += 1.0;
        self.t += t;
        self.r += r;
        self.tt += t * t;
        self.tr += t * r;
    }

    /// The slope of the round-trip time (section 4.3); none from fewer than two instants.
    pub fn gradient(&self) -> Option<f64> {
        let spread = self.n * self.tt - self.t * self.t;
        (spread > 1e-12).then(|| (self.n * self.tr - self.t * self.r) / spread)
    }

    /// Equation (1); none if the interval was not filled, or nothing was measured.
    pub fn utility(&self, config: &VivaceConfig) -> Option<f64> {
        let planned = self.rate * self.end.since(self.start).seconds();
        if (self.sent as f64) < 0.8 * planned {
            return None;
        }
        let gradient = self.gradient()?;
        let gradient = if gradient.abs() < config.gradient_filter { 0.0 } else { gradient };
        let x = self.rate / MBIT;
        let loss = (self.lost as f64 / self.sent as f64).min(1.0);
        Some(libm::pow(x, config.exponent) - config.latency * x * gradient - config.loss * x * loss)
    }
}
