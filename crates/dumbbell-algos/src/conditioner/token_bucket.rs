//! A token bucket, exact: tokens are counted in picoseconds times bits per second, so that no rounding ever
//! gives or takes a byte. What passes in any time t is at most `rate t + depth`.
use dumbbell_core::units::{Bytes, Rate, Span, Time};

/// Units of one byte: the picoseconds that it takes at one bit per second.
const BYTE: u128 = 8_000_000_000_000;

/// Tokens flow in at a rate up to a depth; a packet takes as many as it has bytes.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    rate: Rate,
    depth: u128,
    level: u128,
    filled: Time,
}

impl TokenBucket {
    /// A full bucket at the start of a run.
    pub fn new(rate: Rate, depth: Bytes) -> Self {
        let depth = u128::from(depth.0) * BYTE;
        TokenBucket { rate, depth, level: depth, filled: Time::ZERO }
    }

    /// Lets the tokens in that came until `now`.
    fn fill(&mut self, now: Time) {
        let came = u128::from(now.since(self.filled).ps()) * u128::from(self.rate.bps());
        self.level = (self.level + came).min(self.depth);
        self.filled = self.filled.max(now);
    }

    /// Takes `bytes` if they are there.
    pub fn take(&mut self, now: Time, bytes: u32) -> bool {
        self.fill(now);
        let cost = u128::from(bytes) * BYTE;
        let enough = cost <= self.level;
        if enough {
            self.level -= cost;
        }
        enough
    }

    /// The first instant from `now` on at which `bytes` are there; [`Time::NEVER`] if they are more than the depth.
    pub fn ready(&mut self, now: Time, bytes: u32) -> Time {
        self.fill(now);
        let cost = u128::from(bytes) * BYTE;
        if cost > self.depth {
            return Time::NEVER;
        }
        let wait = cost.saturating_sub(self.level).div_ceil(u128::from(self.rate.bps().max(1)));
        u64::try_from(wait).map_or(Time::NEVER, |ps| now + Span::from_ps(ps))
    }

    /// Tokens at the last look, bytes.
    pub fn level(&self) -> f64 {
        self.level as f64 / BYTE as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_ready_when_it_says_and_not_a_picosecond_before() {
        let mut bucket = TokenBucket::new(Rate::from_bps(7_000_003), Bytes(1500));
        assert!(bucket.take(Time::ZERO, 1500) && !bucket.take(Time::ZERO, 1));
        let ready = bucket.ready(Time::ZERO, 1500);
        assert_eq!(ready.ps(), (1500 * 8_000_000_000_000u64).div_ceil(7_000_003));
        assert!(!bucket.clone().take(Time::from_ps(ready.ps() - 1), 1500) && bucket.take(ready, 1500));
    }

    #[test]
    fn it_never_holds_more_than_its_depth() {
        let mut bucket = TokenBucket::new(Rate::from_mbps(1), Bytes(1000));
        assert!(
            bucket.take(Time::ZERO + Span::from_secs(100), 1000) && !bucket.take(Time::ZERO + Span::from_secs(100), 1)
        );
        assert_eq!(bucket.ready(Time::ZERO, 1001), Time::NEVER);
    }
}
