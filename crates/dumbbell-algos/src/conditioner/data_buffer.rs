//! The marker with a data buffer: S. Choi, C. Kim, "TCP throughput guarantee using packet
//! buffering", 2001, section 4.2.
//!
//! A token bucket marker in which a packet that finds no token waits for one, so that a burst does
//! not lose the tokens that come behind it. Only the size of the buffer decides what is OUT; a
//! buffer of size 0 is `token_bucket`.
use crate::bucket::TokenBucket;
use crate::bucket::config::{BucketConfig, check_whole, committed};
use dumbbell_core::aqm::Cx;
use dumbbell_core::catalogue::{About, Algorithm, Config, Explained, Fault, Provenance};
use dumbbell_core::conditioner::{Conditioner, Emit};
use dumbbell_core::meter::{Color, Contract, Tokens};
use dumbbell_core::packet::Packet;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Backlog, Capacity, Limit, Packets, Span, Time};
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

#[cfg(test)]
mod random;
#[cfg(test)]
mod tests;

/// Which packet leaves as OUT when one arrives that does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overflow {
    /// The one that has waited longest; the order of packets is kept.
    #[default]
    Front,
    /// The arriving one, which overtakes those that wait.
    Arrival,
}

/// Parameters of [`DataBuffer`].
#[config]
pub struct DataBufferConfig {
    /// How much may wait for tokens: packets, bytes of IP length, a time or a BDP of `rate`.
    /// With `"0 pkt"` nothing ever waits.
    #[schemars(extend("x-source" = "Choi and Kim 2001, section 5.1: 3 packets"))]
    #[config(default = Limit::Packets(Packets(3.0)))]
    pub size: Limit,
    /// Which packet leaves as OUT when one arrives that does not fit.
    #[schemars(extend("x-source" = "Choi and Kim 2001, section 4.2: the one at the front"))]
    #[config(default = Overflow::Front)]
    pub overflow: Overflow,
    /// The bucket.
    #[config(flatten)]
    pub bucket: BucketConfig,
}

impl Config for DataBufferConfig {
    fn check(&self) -> Result<(), Fault> {
        check_whole("size", self.size)?;
        self.bucket().check()
    }
}

/// A packet that waits for a token, and the start of its wait.
#[derive(Clone, Debug)]
struct Held<P> {
    since: Time,
    bytes: u32,
    packet: P,
}

/// Green when there is a token, at once or later; yellow when the buffer overflows.
#[derive(Clone, Debug)]
pub struct DataBuffer<P> {
    bucket: TokenBucket,
    capacity: Capacity,
    overflow: Overflow,
    waiting: VecDeque<Held<P>>,
    /// The backlog of waiting packets.
    held: Backlog,
    /// The time at which the first waiting packet has its tokens.
    next: Time,
}

impl<P> Algorithm for DataBuffer<P> {
    type Config = DataBufferConfig;
    type Site = Contract;
    const ABOUT: About = About {
        name: "data_buffer",
        title: "Token bucket marker with a data buffer",
        idea: "A packet that finds no token waits for one in a small buffer; when that overflows, \
            the packet at its front leaves as OUT.",
        equations: "tokens <- min(burst, tokens + rate dt / 8)\narrival:  nothing waits, tokens >= \
            length:  green (IN), tokens <- tokens - length\n\x20         else it waits behind the \
            others;  no room:  the front leaves first, yellow (OUT)\na token:  tokens >= length of \
            the front:  it leaves green, tokens <- tokens - length\nwhat leaves green waited at \
            most  size / rate;  IN in any time t:  burst + rate t / 8  bytes",
        sources: &[
            "S. Choi, C. Kim, TCP throughput guarantee using packet buffering, KISS 28(2), 2001, \
                section 4.2",
            "RFC 2475 section 2.3.3 (markers, shapers)",
        ],
        provenance: Provenance::TwoReadings,
        explained: Explained::by(&[(
            "",
            "its bucket ({burst} at {rate or 'the reserved rate'}) had too few tokens for \
                    it, and the edge drops what is out of profile",
        )]),
        ..About::PLAIN
    };
    fn new(c: &DataBufferConfig, site: &Contract) -> Self {
        let rate = committed(c.rate, site);
        DataBuffer {
            bucket: c.bucket().at(site),
            capacity: c.size.resolve(rate, site.rtt.unwrap_or_default()),
            overflow: c.overflow,
            waiting: VecDeque::new(),
            held: Backlog::default(),
            next: Time::NEVER,
        }
    }
}

impl<P: Packet> DataBuffer<P> {
    /// Lets go what there are tokens for, from the front, and sets the clock for the next. What
    /// costs more than the bucket ever holds leaves as OUT when it is at the front, or it would bar
    /// the way for good.
    fn serve(&mut self, now: Time, out: &mut impl Emit<P>) {
        self.next = Time::NEVER;
        self.bucket.fill(now);
        while let Some(front) = self.waiting.front() {
            let bytes = front.bytes;
            let color = if self.bucket.spend(bytes) {
                Color::Green
            } else {
                self.next = self.bucket.due(bytes);
                if self.next != Time::NEVER {
                    return;
                }
                Color::Yellow
            };
            self.release(now, color, out);
        }
    }

    /// The front leaves.
    fn release(&mut self, now: Time, color: Color, out: &mut impl Emit<P>) {
        if let Some(front) = self.waiting.pop_front() {
            self.held = self.held.without(self.one(front.bytes));
            out.release(front.packet, Some(color), now.since(front.since));
        }
    }

    /// True if a packet of `bytes` may wait beside those that do.
    fn fits(&self, bytes: u32) -> bool {
        self.capacity.fits(self.held, bytes)
    }

    /// The backlog of one packet of `bytes`.
    fn one(&self, bytes: u32) -> Backlog {
        Backlog::one(bytes, self.capacity.buffer_size())
    }
}

impl<P: Packet> Conditioner<P> for DataBuffer<P> {
    fn arrive(&mut self, cx: &mut Cx<'_>, p: P, out: &mut impl Emit<P>) {
        let (now, bytes) = (cx.now, p.meta().ip_len);
        // A token of this very instant comes before the packet.
        if self.next <= now {
            self.serve(now, out);
        }
        if self.waiting.is_empty() && self.bucket.take(now, bytes) {
            return out.release(p, Some(Color::Green), Span::ZERO);
        }
        let before = self.waiting.len();
        while self.overflow == Overflow::Front && !self.waiting.is_empty() && !self.fits(bytes) {
            self.release(now, Color::Yellow, out);
        }
        // Larger than the whole buffer, or there is none.
        if !self.fits(bytes) {
            out.release(p, Some(Color::Yellow), Span::ZERO);
        } else {
            self.held = self.held.and(self.one(bytes));
            self.waiting.push_back(Held { since: now, bytes, packet: p });
        }
        // The front is another: it may cost less than there is.
        if before == 0 || self.waiting.len() <= before {
            self.serve(now, out);
        }
    }
    fn next_wakeup(&self) -> Time {
        self.next
    }
    fn wake(&mut self, cx: &mut Cx<'_>, out: &mut impl Emit<P>) {
        self.serve(cx.now, out);
    }
    fn held(&self) -> u64 {
        self.waiting.len() as u64
    }
    fn tokens(&mut self, now: Time) -> Option<Tokens> {
        Some(self.bucket.account(now))
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("tokens", self.bucket.level());
        out.gauge("held", self.waiting.len() as f64);
        out.gauge("backlog", self.held.bytes as f64);
    }
}
