//! The token bucket marker: a packet that finds its tokens is IN, every other is OUT and takes
//! none.
//!
//! The marker of an Assured Service (Clark and Fang 1998; Choi and Kim 2001, section 4.1), two
//! colors: green is IN, yellow is OUT.
use crate::bucket::TokenBucket;
use crate::bucket::config::BucketConfig;
use dumbbell_core::aqm::Cx;
use dumbbell_core::catalogue::{About, Algorithm, Config, Explained, Fault, Provenance};
use dumbbell_core::meter::{Color, Contract, Meter, Tokens};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::Time;
use dumbbell_macros::config;

/// Parameters of [`TokenBucketMeter`].
#[config]
pub struct TokenBucketConfig {
    /// The bucket.
    #[config(flatten)]
    pub bucket: BucketConfig,
}

impl Config for TokenBucketConfig {
    fn check(&self) -> Result<(), Fault> {
        self.bucket().check()
    }
}

/// Green while there are tokens, yellow else.
#[derive(Clone, Debug)]
pub struct TokenBucketMeter {
    bucket: TokenBucket,
}

impl Algorithm for TokenBucketMeter {
    type Config = TokenBucketConfig;
    type Site = Contract;
    const ABOUT: About = About {
        name: "token_bucket",
        title: "Token bucket marker",
        idea: "A packet that finds its tokens takes them and is IN; every other is OUT and takes \
            none.",
        equations: "tokens <- min(burst, tokens + rate dt / 8)\n\
                    green (IN) if tokens >= length: tokens <- tokens - length; else yellow (OUT)\n\
                    IN in any time t is at most  burst + rate t / 8  bytes",
        sources: &[
            "D. Clark, W. Fang, Explicit allocation of best-effort packet delivery service, ToN \
                6(4), 1998",
            "S. Choi, C. Kim, TCP throughput guarantee using packet buffering, KISS 28(2), 2001, \
                section 4.1",
            "RFC 2475 section 2.3.3 (meters, markers)",
        ],
        provenance: Provenance::TwoReadings,
        explained: Explained::by(&[(
            "",
            "its bucket ({burst} at {rate or 'the reserved rate'}) had too few tokens for \
                    it, and the edge drops what is out of profile",
        )]),
        ..About::PLAIN
    };
    fn new(c: &TokenBucketConfig, site: &Contract) -> Self {
        TokenBucketMeter { bucket: c.bucket().at(site) }
    }
}

impl Meter for TokenBucketMeter {
    #[inline]
    fn color(&mut self, cx: &mut Cx<'_>, p: &Meta, _: Color) -> Color {
        if self.bucket.take(cx.now, p.ip_len) { Color::Green } else { Color::Yellow }
    }
    fn tokens(&mut self, now: Time) -> Option<Tokens> {
        Some(self.bucket.account(now))
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("tokens", self.bucket.level());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bucket::TokenUnit;
    use crate::suite::meter::Bench;
    use dumbbell_core::units::{Bytes, Limit, Packets, Rate, Span};

    /// Packet tokens, one a second, two at the start: eight packets at once.
    #[test]
    fn the_trace_of_the_card() {
        let config = TokenBucketConfig {
            rate: Some(Rate::from_bps(8000)),
            burst: Limit::Packets(Packets(2.0)),
            tokens: TokenUnit::Packet,
            packet_size: Some(Bytes(1000)),
        };
        let mut bench = Bench::<TokenBucketMeter>::new(&config);
        let colors: Vec<Color> = (0..8).map(|_| bench.color(Time::ZERO, 1000)).collect();
        assert_eq!(colors[..2], [Color::Green; 2]);
        assert_eq!(colors[2..], [Color::Yellow; 6]);
        let end = bench.meter.tokens(Time::ZERO + Span::from_secs(8)).unwrap();
        assert_eq!((end.tokens(end.lost), end.balanced()), (6.0, true));
    }

    /// At a constant rate below the reservation all is IN; above it, IN is the reservation.
    #[test]
    fn in_is_the_reservation_in_the_long_run() {
        for (gap_us, share) in [(10_000, 1.0), (4_000, 0.5)] {
            let config = TokenBucketConfig {
                rate: Some(Rate::from_mbps(1)),
                ..TokenBucketConfig::default()
            };
            let mut bench = Bench::<TokenBucketMeter>::new(&config);
            let n = 10_000;
            let green = (0..n)
                .filter(|i| {
                    bench.color(Time::ZERO + Span::from_us(i * gap_us), 1000) == Color::Green
                })
                .count();
            let depth = 100.0 * 1000.0 / 8.0 / 1000.0;
            assert!((green as f64 - share * n as f64).abs() <= depth + 1.0, "{green} of {n}");
        }
    }

    #[test]
    fn an_empty_bucket_is_refused() {
        let fault = TokenBucketConfig { burst: Limit::Bdp(0.0), ..TokenBucketConfig::default() }
            .check()
            .unwrap_err();
        assert_eq!(fault.at, "burst");
    }
}
