//! A token bucket, exact: tokens are counted in picoseconds times bits per second, so that no rounding ever
//! gives or takes a byte, and every one of them is accounted for. What passes in any time t is at most `rate t + depth`.
pub mod config;

use dumbbell_core::meter::Tokens;
use dumbbell_core::units::{Bytes, Capacity, Limit, Rate, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Units of one byte: the picoseconds that it takes at one bit per second.
const BYTE: u128 = 8_000_000_000_000;

/// What one token stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenUnit {
    /// A byte of IP length; tokens flow in.
    #[default]
    Byte,
    /// A packet, whatever its size; a whole token is made at a time, at the multiples of packet size over rate from the
    /// start of the run.
    Packet,
}

/// Tokens come in at a rate up to a depth; a packet takes its cost.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    rate: u128,
    depth: u128,
    filled: Time,
    /// The account until `filled`.
    account: Tokens,
}

impl TokenBucket {
    /// A full bucket at the start of a run, whose tokens are bytes.
    pub fn new(rate: Rate, depth: Bytes) -> Self {
        TokenBucket::of(rate, depth.0, BYTE, false)
    }

    /// A full bucket of `depth` tokens for whole packets, each worth `size` bytes of the rate.
    pub fn of_packets(rate: Rate, depth: u32, size: u32) -> Self {
        TokenBucket::of(rate, u64::from(depth), u128::from(size.max(1)) * BYTE, true)
    }

    fn of(rate: Rate, depth: u64, unit: u128, packets: bool) -> Self {
        let depth = u128::from(depth) * unit;
        let account = Tokens { start: depth, level: depth, unit, packets, ..Tokens::default() };
        TokenBucket { rate: u128::from(rate.bps()), depth, filled: Time::ZERO, account }
    }

    /// A full bucket of depth `burst` (a BDP is of `rate` and `rtt`), and never less than one packet of `size` bytes: less
    /// would let no packet pass.
    pub fn fitted(rate: Rate, burst: Limit, rtt: Span, unit: TokenUnit, size: u32) -> Self {
        let whole = burst.resolve(rate, rtt);
        match (unit, whole) {
            (TokenUnit::Byte, Capacity::Packets(n)) => {
                TokenBucket::new(rate, Bytes(u64::from(n.max(1)) * u64::from(size)))
            }
            (TokenUnit::Byte, Capacity::Bytes(n)) => TokenBucket::new(rate, Bytes(n.max(u64::from(size)))),
            (TokenUnit::Packet, Capacity::Packets(n)) => TokenBucket::of_packets(rate, n.max(1), size),
            (TokenUnit::Packet, Capacity::Bytes(n)) => {
                let n = u32::try_from(n / u64::from(size.max(1))).unwrap_or(u32::MAX);
                TokenBucket::of_packets(rate, n.max(1), size)
            }
            (TokenUnit::Byte, Capacity::Unlimited) => TokenBucket::new(rate, Bytes(u64::MAX)),
            (TokenUnit::Packet, Capacity::Unlimited) => TokenBucket::of_packets(rate, u32::MAX, size),
        }
    }

    /// Units that were made from the start of the run until `at`.
    fn made_until(&self, at: Time) -> u128 {
        let flowed = u128::from(at.ps()) * self.rate;
        if self.account.packets { flowed - flowed % self.account.unit } else { flowed }
    }

    /// Lets the tokens in that came until `now`.
    fn fill(&mut self, now: Time) {
        let now = now.max(self.filled);
        let came = self.made_until(now) - self.account.made;
        self.filled = now;
        let a = &mut self.account;
        let over = (a.level + came).saturating_sub(self.depth);
        a.made += came;
        a.lost += over;
        a.level += came - over;
    }

    /// What a packet of `bytes` takes.
    fn cost(&self, bytes: u32) -> u128 {
        if self.account.packets { self.account.unit } else { u128::from(bytes) * BYTE }
    }

    /// Takes what a packet of `bytes` costs, if it is there.
    pub fn take(&mut self, now: Time, bytes: u32) -> bool {
        self.fill(now);
        let cost = self.cost(bytes);
        let enough = cost <= self.account.level;
        if enough {
            self.account.level -= cost;
            self.account.taken += cost;
        }
        enough
    }

    /// Whether a packet of `bytes` would find its tokens, if it came at `now`.
    pub fn has(&mut self, now: Time, bytes: u32) -> bool {
        self.fill(now);
        self.cost(bytes) <= self.account.level
    }

    /// The first instant from `now` on at which a packet of `bytes` finds its tokens; [`Time::NEVER`] if it costs more than
    /// the depth.
    pub fn ready(&mut self, now: Time, bytes: u32) -> Time {
        self.fill(now);
        let cost = self.cost(bytes);
        if cost > self.depth || self.rate == 0 {
            return if cost <= self.account.level { now } else { Time::NEVER };
        }
        if cost <= self.account.level {
            return now;
        }
        let until = self.account.made + (cost - self.account.level);
        u64::try_from(until.div_ceil(self.rate)).map_or(Time::NEVER, Time::from_ps)
    }

    /// The account until `now`.
    pub fn account(&mut self, now: Time) -> Tokens {
        self.fill(now);
        self.account
    }

    /// Tokens at the last look: bytes, or packets.
    pub fn level(&self) -> f64 {
        self.account.tokens(self.account.level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    #[test]
    fn a_token_for_a_packet_is_made_whole() {
        let second = |s| Time::ZERO + Span::from_secs(s);
        let mut bucket = TokenBucket::of_packets(Rate::from_bps(8000), 2, 1000);
        assert!(bucket.take(Time::ZERO, 40) && bucket.take(Time::ZERO, 1500) && !bucket.take(Time::ZERO, 40));
        let half = Time::ZERO + Span::from_ms(2500);
        assert!(bucket.take(half, 40) && bucket.take(half, 40) && !bucket.take(half, 40));
        assert_eq!(bucket.ready(half, 40), second(3), "the half that has come is no token");
        let end = bucket.account(second(8));
        assert_eq!([end.made, end.taken, end.lost, end.level].map(|n| end.tokens(n)), [8.0, 4.0, 4.0, 2.0]);
    }

    #[test]
    fn a_bucket_below_a_packet_holds_one() {
        let rate = Rate::from_bps(100_000);
        for unit in [TokenUnit::Byte, TokenUnit::Packet] {
            let mut small = TokenBucket::fitted(rate, Limit::Bdp(1.0), Span::from_ms(10), unit, 1000);
            assert!(small.take(Time::ZERO, 1000) && !small.take(Time::ZERO, 1000), "{unit:?}");
        }
    }

    proptest! {
        /// No token comes from nowhere or goes nowhere, whatever is asked and however oddly the rate divides.
        #[test]
        fn every_token_is_accounted_for(
            rate in 1u64..1_000_000_000,
            packets in any::<bool>(),
            depth in 1u32..20,
            arrivals in prop::collection::vec((0u64..100_000_000_000, 1u32..1500), 1..100),
        ) {
            let rate = Rate::from_bps(rate);
            let mut bucket = if packets {
                TokenBucket::of_packets(rate, depth, 1000)
            } else {
                TokenBucket::new(rate, Bytes(u64::from(depth) * 500))
            };
            let (mut now, mut taken) = (Time::ZERO, 0u128);
            for (gap, bytes) in arrivals {
                now += Span::from_ps(gap);
                let ready = bucket.ready(now, bytes);
                let passes = bucket.take(now, bytes);
                prop_assert_eq!(passes, ready == now);
                taken += if passes { bucket.cost(bytes) } else { 0 };
                let account = bucket.account(now);
                prop_assert!(account.balanced() && account.level <= bucket.depth);
                prop_assert_eq!(account.taken, taken);
                prop_assert_eq!(account.made, bucket.made_until(now));
            }
        }
    }
}
