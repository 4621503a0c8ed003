//! A token bucket, exact: tokens are counted in picoseconds times bits per second, so that no
//! rounding ever gives or takes a byte, and every one of them is accounted for. What passes in any
//! time t is at most `rate t + depth`.
pub mod config;

use dumbbell_core::meter::Tokens;
use dumbbell_core::units::{Bytes, Capacity, Limit, Rate, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Units of one byte: the picoseconds that it takes at one bit per second.
const BYTE: u64 = 8_000_000_000_000;
/// The largest packet, bytes: its units fit into 64 bits.
const LARGEST: u32 = 1 << 20;

/// The units of `bytes`.
pub fn units(bytes: u64) -> u128 {
    u128::from(bytes) * u128::from(BYTE)
}

/// What one token stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenUnit {
    /// A byte of IP length; tokens flow in.
    #[default]
    Byte,
    /// A packet, whatever its size; a whole token is made at a time, at the multiples of packet
    /// size over rate from the start of the run.
    Packet,
}

/// Tokens come in at a rate up to a depth; a packet takes its cost.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    rate: u64,
    /// Units of one token.
    unit: u64,
    packets: bool,
    /// The part of the next whole token that has flowed in; always 0 if tokens are bytes.
    part: u64,
    filled: Time,
    depth: u128,
    level: u128,
    lost: u128,
    /// Tokens, not units.
    taken: u64,
}

impl TokenBucket {
    /// A full bucket at the start of a run, whose tokens are bytes.
    pub fn new(rate: Rate, depth: Bytes) -> Self {
        TokenBucket::of(rate, depth.0, BYTE, false)
    }

    /// A full bucket of `depth` tokens for whole packets, each worth `size` bytes (at most 2^20) of
    /// the rate.
    pub fn of_packets(rate: Rate, depth: u32, size: u32) -> Self {
        TokenBucket::of(rate, u64::from(depth), u64::from(size.clamp(1, LARGEST)) * BYTE, true)
    }

    fn of(rate: Rate, depth: u64, unit: u64, packets: bool) -> Self {
        let depth = u128::from(depth) * u128::from(unit);
        TokenBucket {
            rate: rate.bps(),
            unit,
            packets,
            part: 0,
            filled: Time::ZERO,
            depth,
            level: depth,
            lost: 0,
            taken: 0,
        }
    }

    /// A full bucket of depth `burst`. A time or a BDP is of `rate` and `rtt`, and never less than
    /// one packet of `size` bytes: less would let no packet pass. What is written in bytes is that.
    pub fn fitted(rate: Rate, burst: Limit, rtt: Span, unit: TokenUnit, size: u32) -> Self {
        // Tokens are not cut as packets are: of buffers a bucket has the bytes.
        let whole = match burst.resolve(rate, rtt) {
            Capacity::Buffers { count, size } => {
                Capacity::Bytes(u64::from(count) * u64::from(size))
            }
            other => other,
        };
        match (unit, whole) {
            (TokenUnit::Byte, Capacity::Packets(n)) => {
                TokenBucket::new(rate, Bytes(u64::from(n.max(1)) * u64::from(size)))
            }
            (TokenUnit::Byte, Capacity::Bytes(n)) => {
                let least = if matches!(burst, Limit::Bytes(_)) { 0 } else { u64::from(size) };
                TokenBucket::new(rate, Bytes(n.max(least)))
            }
            (TokenUnit::Packet, Capacity::Packets(n)) => {
                TokenBucket::of_packets(rate, n.max(1), size)
            }
            (TokenUnit::Packet, Capacity::Bytes(n)) => {
                let n = u32::try_from(n / u64::from(size.max(1))).unwrap_or(u32::MAX);
                TokenBucket::of_packets(rate, n.max(1), size)
            }
            (TokenUnit::Byte, _) => TokenBucket::new(rate, Bytes(u64::MAX)),
            (TokenUnit::Packet, _) => TokenBucket::of_packets(rate, u32::MAX, size),
        }
    }

    /// Lets the tokens in that came until `now`; the units of those that found it full.
    #[inline]
    pub fn fill(&mut self, now: Time) -> u128 {
        if now <= self.filled {
            return 0;
        }
        let flowed = u128::from(now.ps() - self.filled.ps()) * u128::from(self.rate);
        self.filled = now;
        let level = self.level + if self.packets { self.whole(flowed) } else { flowed };
        if level <= self.depth {
            self.level = level;
            return 0;
        }
        let over = level - self.depth;
        self.level = self.depth;
        self.lost += over;
        over
    }

    /// Adds `flowed` to the waiting part of a token; returns the whole tokens and keeps the rest.
    #[inline]
    fn whole(&mut self, flowed: u128) -> u128 {
        let all = flowed + u128::from(self.part);
        // A division of 128 bits costs as much as all the rest: it is for long pauses only.
        let part = match u64::try_from(all) {
            Ok(all) => all % self.unit,
            Err(_) => (all % u128::from(self.unit)) as u64,
        };
        self.part = part;
        all - u128::from(part)
    }

    /// The units that a packet of `bytes` (at most 2^20) takes, computed in 64 bits.
    #[inline]
    fn cost(&self, bytes: u32) -> u128 {
        u128::from(if self.packets { self.unit } else { u64::from(bytes) * BYTE })
    }

    /// True if what was there at the last look is enough for a packet of `bytes`.
    #[inline]
    fn holds(&self, bytes: u32) -> bool {
        self.cost(bytes) <= self.level
    }

    /// Takes what a packet of `bytes` costs, if it was there at the last look.
    #[inline]
    pub fn spend(&mut self, bytes: u32) -> bool {
        let cost = self.cost(bytes);
        let enough = cost <= self.level;
        if enough {
            self.level -= cost;
            self.taken += if self.packets { 1 } else { u64::from(bytes) };
        }
        enough
    }

    /// Takes what a packet of `bytes` costs, if it is there.
    #[inline]
    pub fn take(&mut self, now: Time, bytes: u32) -> bool {
        self.fill(now);
        self.spend(bytes)
    }

    /// True if a packet of `bytes` would find its tokens, if it came at `now`.
    pub fn has(&mut self, now: Time, bytes: u32) -> bool {
        self.fill(now);
        self.holds(bytes)
    }

    /// The first instant from `now` on at which a packet of `bytes` finds its tokens;
    /// [`Time::NEVER`] if it costs more than the depth.
    pub fn ready(&mut self, now: Time, bytes: u32) -> Time {
        self.fill(now);
        if self.holds(bytes) { now } else { self.due(bytes) }
    }

    /// Returns the instant at which a packet of `bytes` that lacked tokens at the last look finds
    /// them; [`Time::NEVER`] if it never does.
    pub fn due(&self, bytes: u32) -> Time {
        let cost = self.cost(bytes);
        if cost > self.depth || self.rate == 0 {
            return Time::NEVER;
        }
        let flows = cost.saturating_sub(self.level + u128::from(self.part));
        let wait = match u64::try_from(flows) {
            Ok(flows) => Some(flows.div_ceil(self.rate)),
            Err(_) => u64::try_from(flows.div_ceil(u128::from(self.rate))).ok(),
        };
        wait.and_then(|ps| self.filled.ps().checked_add(ps)).map_or(Time::NEVER, Time::from_ps)
    }

    /// The account until `now`.
    pub fn account(&mut self, now: Time) -> Tokens {
        self.fill(now);
        Tokens {
            start: self.depth,
            made: u128::from(self.filled.ps()) * u128::from(self.rate) - u128::from(self.part),
            taken: u128::from(self.taken) * u128::from(self.unit),
            lost: self.lost,
            level: self.level,
            unit: u128::from(self.unit),
            packets: self.packets,
        }
    }

    /// Tokens at the last look: bytes, or packets.
    pub fn level(&self) -> f64 {
        self.level as f64 / self.unit as f64
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
        assert!(
            !bucket.clone().take(Time::from_ps(ready.ps() - 1), 1500) && bucket.take(ready, 1500)
        );
    }

    #[test]
    fn it_never_holds_more_than_its_depth() {
        let mut bucket = TokenBucket::new(Rate::from_mbps(1), Bytes(1000));
        assert!(
            bucket.take(Time::ZERO + Span::from_secs(100), 1000)
                && !bucket.take(Time::ZERO + Span::from_secs(100), 1)
        );
        assert_eq!(bucket.ready(Time::ZERO, 1001), Time::NEVER);
    }

    #[test]
    fn a_token_for_a_packet_is_made_whole() {
        let second = |s| Time::ZERO + Span::from_secs(s);
        let mut bucket = TokenBucket::of_packets(Rate::from_bps(8000), 2, 1000);
        assert!(
            bucket.take(Time::ZERO, 40)
                && bucket.take(Time::ZERO, 1500)
                && !bucket.take(Time::ZERO, 40)
        );
        let half = Time::ZERO + Span::from_ms(2500);
        assert!(bucket.take(half, 40) && bucket.take(half, 40) && !bucket.take(half, 40));
        assert_eq!(bucket.ready(half, 40), second(3), "the half that has come is no token");
        let end = bucket.account(second(8));
        assert_eq!(
            [end.made, end.taken, end.lost, end.level].map(|n| end.tokens(n)),
            [8.0, 4.0, 4.0, 2.0]
        );
    }

    #[test]
    fn a_bucket_below_a_packet_holds_one() {
        let rate = Rate::from_bps(100_000);
        for unit in [TokenUnit::Byte, TokenUnit::Packet] {
            let mut small =
                TokenBucket::fitted(rate, Limit::Bdp(1.0), Span::from_ms(10), unit, 1000);
            assert!(small.take(Time::ZERO, 1000) && !small.take(Time::ZERO, 1000), "{unit:?}");
        }
        let mut said =
            TokenBucket::fitted(rate, Limit::Bytes(Bytes(600)), Span::ZERO, TokenUnit::Byte, 1000);
        assert!(!said.take(Time::ZERO, 601) && said.take(Time::ZERO, 600), "600 B are 600 B");
    }

    proptest! {
        /// No token comes from nowhere or goes nowhere, whatever is asked and however oddly the
        /// rate divides.
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
                let flowed = u128::from(now.ps()) * u128::from(rate.bps());
                prop_assert_eq!(
                    account.made,
                    if packets { flowed - flowed % account.unit } else { flowed }
                );
            }
        }
    }
}
