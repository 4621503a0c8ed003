//! TBF, the token bucket filter: a shaper that holds packets until there are tokens for them
//! (Linux's name).
use crate::bucket::TokenBucket;
use crate::bucket::config::check_whole;
use dumbbell_core::aqm::{Cx, Reason};
use dumbbell_core::catalogue::{About, Algorithm, Config, Explained, Fault, Provenance};
use dumbbell_core::conditioner::{Conditioner, Emit};
use dumbbell_core::meter::{Contract, Tokens};
use dumbbell_core::packet::Packet;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Backlog, Bytes, Capacity, Limit, Rate, Span, Time};
use dumbbell_macros::config;
use std::collections::VecDeque;

/// Parameters of [`Tbf`].
#[config]
pub struct TbfConfig {
    /// Rate at which tokens flow in: bits of IP length.
    #[schemars(extend("x-source" = "tc-tbf(8), the manual's example"))]
    #[config(default = Rate::from_bps(500_000))]
    pub rate: Rate,
    /// Depth of the bucket. A packet that is larger never conforms and is dropped.
    #[schemars(extend("x-source" = "tc-tbf(8), the manual's example"))]
    #[config(default = Bytes(5_000))]
    pub burst: Bytes,
    /// How much may wait for tokens; a time is of this rate (tc's `latency`).
    #[schemars(extend("x-source" = "tc-tbf(8), the manual's example: latency 70ms"))]
    #[config(default = Limit::Time(Span::from_ms(70)))]
    pub limit: Limit,
}

impl Config for TbfConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.burst.0 == 0 {
            return Err(Fault::at("burst", "no packet fits into an empty bucket").fix(
                "write \"5 \
                kB\"",
            ));
        }
        match self.limit {
            Limit::Bdp(_) => Err(Fault::at("limit", "a shaper knows no round-trip time").fix(
                "write a time: \
                    \"70 ms\"",
            )),
            limit => check_whole("limit", limit),
        }
    }
}

/// Holds packets, first in, first out, until there are tokens for them.
#[derive(Clone, Debug)]
pub struct Tbf<P> {
    bucket: TokenBucket,
    capacity: Capacity,
    burst: Bytes,
    waiting: VecDeque<(Time, P)>,
    /// The backlog of waiting packets.
    held: Backlog,
    next: Time,
}

impl<P> Algorithm for Tbf<P> {
    type Config = TbfConfig;
    type Site = Contract;
    const ABOUT: About = About {
        name: "tbf",
        title: "Token bucket filter",
        idea: "A packet leaves when the bucket has a token for each of its bytes; until then it \
            waits.",
        equations: "tokens <- min(burst, tokens + rate dt / 8)\n\
                    what leaves in any time t is at most  burst + rate t / 8  bytes",
        sources: &[
            "tc-tbf(8)",
            "RFC 2475 section 2.3.3.3 (shapers)",
            "RFC 2697 section 3 (the \
            bucket)",
        ],
        provenance: Provenance::TwoReadings,
        explained: Explained::by(&[
            ("reason == 'overflow'", ""),
            ("", "the bucket held {tokens} bytes of tokens and {backlog} bytes waited for more"),
        ]),
        ..About::PLAIN
    };
    fn new(config: &TbfConfig, _: &Contract) -> Self {
        Tbf {
            bucket: TokenBucket::new(config.rate, config.burst),
            capacity: config.limit.resolve(config.rate, Span::ZERO),
            burst: config.burst,
            waiting: VecDeque::new(),
            held: Backlog::default(),
            next: Time::NEVER,
        }
    }
}

impl<P: Packet> Tbf<P> {
    /// The backlog of one packet of `bytes`.
    fn one(&self, bytes: u32) -> Backlog {
        Backlog::one(bytes, self.capacity.buffer_size())
    }

    /// Lets go what there are tokens for, and sets the clock for the next.
    fn release(&mut self, now: Time, out: &mut impl Emit<P>) {
        self.next = Time::NEVER;
        while let Some((since, p)) = self.waiting.pop_front() {
            let size = p.meta().ip_len;
            if !self.bucket.take(now, size) {
                self.next = self.bucket.ready(now, size);
                self.waiting.push_front((since, p));
                return;
            }
            self.held = self.held.without(self.one(size));
            out.release(p, None, now.since(since));
        }
    }
}

impl<P: Packet> Conditioner<P> for Tbf<P> {
    fn arrive(&mut self, cx: &mut Cx<'_>, p: P, out: &mut impl Emit<P>) {
        let size = p.meta().ip_len;
        if u64::from(size) > self.burst.0 {
            return out.drop(p, Reason::Policed);
        }
        self.release(cx.now, out);
        if self.waiting.is_empty() && self.bucket.take(cx.now, size) {
            return out.emit(p);
        }
        if !self.capacity.fits(self.held, size) {
            return out.drop(p, Reason::Overflow);
        }
        self.held = self.held.and(self.one(size));
        self.waiting.push_back((cx.now, p));
        if self.waiting.len() == 1 {
            self.next = self.bucket.ready(cx.now, size);
        }
    }
    fn next_wakeup(&self) -> Time {
        self.next
    }
    fn wake(&mut self, cx: &mut Cx<'_>, out: &mut impl Emit<P>) {
        self.release(cx.now, out);
    }
    fn held(&self) -> u64 {
        self.waiting.len() as u64
    }
    fn tokens(&mut self, now: Time) -> Option<Tokens> {
        Some(self.bucket.account(now))
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("tokens", self.bucket.level());
        out.gauge("backlog", self.held.bytes as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::conditioner::{Out, Station};
    use proptest::prelude::*;

    fn station(
        rate: u64,
        burst: u64,
        limit: Limit,
    ) -> Station<Tbf<dumbbell_core::testing::Numbered>> {
        let config = TbfConfig { rate: Rate::from_bps(rate), burst: Bytes(burst), limit };
        config.check().unwrap();
        Station::new(|site| Tbf::new(&config, site))
    }

    #[test]
    fn a_burst_passes_at_once_and_the_rest_at_the_rate() {
        let mut s = station(8_000_000, 3000, Limit::Unlimited);
        for _ in 0..5 {
            s.arrive(Time::ZERO, 1000);
        }
        s.run_to(Time::ZERO + Span::from_secs(1));
        let ms = |n| Time::ZERO + Span::from_ms(n);
        assert_eq!(
            s.out,
            [(ms(0), 0), (ms(0), 1), (ms(0), 2), (ms(1), 3), (ms(2), 4)]
                .map(|(t, id)| Out::Emitted(t, id))
        );
    }

    #[test]
    fn what_never_conforms_is_policed_and_what_does_not_fit_overflows() {
        let mut s = station(8_000, 1000, Limit::Bytes(Bytes(1500)));
        for bytes in [1001, 1000, 1000, 600, 500] {
            s.arrive(Time::ZERO, bytes);
        }
        let dropped = |id, why| Out::Dropped(id, why);
        let first = Out::Emitted(Time::ZERO, 1);
        assert_eq!(s.out, [dropped(0, Reason::Policed), first, dropped(3, Reason::Overflow)]);
        assert_eq!(s.inner.held(), 2);
    }

    #[test]
    fn a_limit_in_round_trip_times_is_refused() {
        let fault =
            TbfConfig { limit: Limit::Bdp(1.0), ..TbfConfig::default() }.check().unwrap_err();
        assert_eq!(fault.at, "limit");
        assert_eq!(
            TbfConfig { burst: Bytes(0), ..TbfConfig::default() }.check().unwrap_err().at,
            "burst"
        );
    }

    proptest! {
        /// Between any two departures no more passes than `burst + rate t`, in whole numbers; and
        /// nothing waits longer than it must: one byte more would have been too much at each
        /// delayed departure.
        #[test]
        fn conforms_to_its_bucket(
            rate in 1_000u64..1_000_000_000,
            burst in 100u64..10_000,
            arrivals in prop::collection::vec((0u64..10_000_000_000, 1u32..1500), 1..80),
        ) {
            let mut s = station(rate, burst, Limit::Unlimited);
            let (mut now, mut came) = (Time::ZERO, Vec::new());
            for (gap, bytes) in &arrivals {
                now += Span::from_ps(*gap);
                came.push(now);
                s.arrive(now, *bytes);
            }
            s.drain();
            let sent: Vec<(Time, u64, usize)> = s
                .out
                .iter()
                .filter_map(|o| match o {
                    Out::Emitted(t, id) => {
                        Some((*t, u64::from(arrivals[*id as usize].1), *id as usize))
                    }
                    Out::Dropped(..) => None,
                })
                .collect();
            let most = |from: Time, to: Time| {
                u128::from(burst) * 8_000_000_000_000
                    + u128::from(to.since(from).ps()) * u128::from(rate)
            };
            for (last, (to, _, id)) in sent.iter().enumerate() {
                let mut bytes = 0u128;
                let mut tight = false;
                for (from, size, _) in sent[..=last].iter().rev() {
                    bytes += u128::from(*size) * 8_000_000_000_000;
                    prop_assert!(bytes <= most(*from, *to));
                    tight |= bytes > most(*from, Time::from_ps(to.ps().saturating_sub(1)));
                }
                prop_assert!(*to == came[*id] || tight, "packet {} waited for nothing", id);
            }
        }
    }
}
