//! CAKE's parameters, and what they come to at a link.
use super::ack_filter::AckFilter;
use super::hosts::Isolation;
use super::link_layer::{Framing, LinkLayer};
use super::order::OrderParameters;
use super::tins::{DiffServ, TinClass};
use crate::aqm::cobalt::CobaltConfig;
use crate::qdisc::parts::flow_queues::{FqParameters, check_quantum};
use crate::qdisc::parts::scheduled::TrimPolicy;
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_core::units::{Bytes, Capacity, Rate, Span};
use dumbbell_macros::config;

/// Parameters of [`Cake`](super::Cake). The port's limit holds as well, for all queues together.
#[config]
pub struct CakeConfig {
    /// Rate of the shaper, in bits of compensated length; default no shaper: the link sends when it
    /// can.
    #[schemars(extend("x-source" = "tc-cake(8): unlimited"))]
    pub bandwidth: Option<Rate>,
    /// Bytes that the link adds to each IP packet.
    #[schemars(range(min = -64, max = 256), extend("x-source" = "tc-cake(8): none (raw)"))]
    #[config(default = 0)]
    pub overhead: i32,
    /// A packet with its overhead counts as at least so many bytes.
    #[schemars(range(max = 256), extend("x-source" = "tc-cake(8): none (raw)"))]
    #[config(default = 0)]
    pub mpu: u32,
    /// Framing below that: cells of ATM, codewords of PTM.
    #[schemars(extend("x-source" = "tc-cake(8): noatm"))]
    #[config(default = LinkLayer::None)]
    pub link_layer: LinkLayer,
    /// How codepoints are divided into tins.
    #[schemars(extend("x-source" = "tc-cake(8): diffserv3"))]
    #[config(default = DiffServ::Diffserv3)]
    pub diffserv: DiffServ,
    /// Whether packets leave without a codepoint, once it has chosen their tin.
    #[schemars(extend("x-source" = "tc-cake(8): nowash"))]
    #[config(default = false)]
    pub wash: bool,
    /// Whether acknowledgments that newer ones of their flow make redundant are dropped.
    #[schemars(extend("x-source" = "tc-cake(8): no-ack-filter"))]
    #[config(default = AckFilter::None)]
    pub ack_filter: AckFilter,
    /// What has a queue of its own, and between whom a tin is shared out.
    #[schemars(extend("x-source" = "tc-cake(8): triple-isolate"))]
    #[config(default = Isolation::Triple)]
    pub isolation: Isolation,
    /// The round-trip time that COBALT is set for: its `interval`; its `target` is a twentieth.
    #[schemars(extend("x-source" = "tc-cake(8): internet, 100 ms"))]
    #[config(default = Span::from_ms(100))]
    pub rtt: Span,
    /// Whether ECN-capable packets are marked rather than dropped.
    #[schemars(extend("x-source" = "tc-cake(8): on"))]
    #[config(default = true)]
    pub ecn: bool,
    /// Number of queues of each tin.
    #[schemars(
        range(min = 1, max = 65536),
        extend("x-source" = "Piece of CAKE, figure 1: 1024"),
    )]
    #[config(default = FqParameters::RFC_8290.flows)]
    pub flows: u32,
    /// Queues of a set: a flow takes any free one of its set. It divides `flows`.
    #[schemars(range(min = 1, max = 64), extend("x-source" = "Piece of CAKE; tc-cake(8): 8"))]
    #[config(default = 8)]
    pub ways: u32,
    /// Bytes that a queue may send in its turn if its hosts have no other flow. With a shaper less
    /// in a tin of less than 50 Mbit/s: the bytes of 1/4096 s of its threshold, at least 300.
    #[schemars(extend("x-source" = "tc-cake(8), the example: 1514, 762, 300"))]
    #[config(default = FqParameters::RFC_8290.quantum)]
    pub quantum: Bytes,
    /// Bytes that all queues may hold, in addition to the port's limit; default four times
    /// bandwidth x `rtt`, at least 4 MB, and 32 MiB without a shaper.
    #[schemars(extend("x-source" = "tc-cake(8), the example: 5 MB at 100 Mbit/s"))]
    pub memory_limit: Option<Bytes>,
}

/// The least quantum of a slow tin, bytes.
const LEAST_QUANTUM: u64 = 300;
/// The least default of `memory_limit`, bytes.
const LEAST_MEMORY: u64 = 4_000_000;
/// Parts of `rtt` in COBALT's target.
const TARGETS_IN_RTT: u64 = 20;

impl Config for CakeConfig {
    fn check(&self) -> Result<(), Fault> {
        check_quantum(self.quantum)?;
        if !self.flows.is_multiple_of(self.ways) {
            let cause = format!("{} queues are no number of sets of {}", self.flows, self.ways);
            return Err(Fault::at("ways", cause).fix("write a number that divides `flows`"));
        }
        if self.memory_limit == Some(Bytes(0)) {
            return Err(Fault::at("memory_limit", "no packet would fit").fix(
                "write memory_limit = \
                \"4 MB\"",
            ));
        }
        if self.rtt < Span::from_us(1) {
            let cause = "COBALT would signal every packet that waits";
            return Err(Fault::at("rtt", cause).fix("write rtt = \"100 ms\", or at least \"1 us\""));
        }
        Ok(())
    }
}

impl CakeConfig {
    /// The tins.
    pub fn tins(&self) -> &'static [TinClass] {
        self.diffserv.tins()
    }

    /// The threshold of a tin, if there is a shaper.
    fn threshold(&self, tin: &TinClass) -> Option<Rate> {
        let share = |all: Rate| {
            let bps = u128::from(all.bps()) * u128::from(tin.share.part);
            Rate::from_bps(((bps / u128::from(tin.share.of)) as u64).max(1))
        };
        self.bandwidth.map(share)
    }

    /// COBALT in the queues of a tin. At a low threshold a packet alone takes longer than a
    /// twentieth of the round-trip time: the target is at least the time of 1.5 packets.
    pub fn cobalt(&self, tin: &TinClass, link: &LinkInfo) -> CobaltConfig {
        let packets = u64::from(link.mtu) * 3 / 2;
        let least = self.threshold(tin).map_or(Span::ZERO, |rate| rate.span_of(packets));
        let target = Span::from_ps(self.rtt.ps() / TARGETS_IN_RTT).max(least);
        let interval = self.rtt.max(Span::from_ps(target.ps().saturating_mul(2)));
        CobaltConfig { target, interval, ecn: self.ecn, ..CobaltConfig::default() }
    }

    /// Bytes of a turn in a tin.
    fn quantum_of(&self, tin: &TinClass) -> u64 {
        let most = self.quantum.0;
        let of_rate = |rate: Rate| (rate.bps() / 8 / 4096).max(LEAST_QUANTUM);
        self.threshold(tin).map_or(most, of_rate).min(most)
    }

    /// Bytes that all queues may hold.
    pub fn memory(&self) -> u64 {
        let default = match self.bandwidth {
            Some(rate) => rate.bytes_in(self.rtt).saturating_mul(4).max(LEAST_MEMORY),
            None => FqParameters::RFC_8290.memory_limit.0,
        };
        self.memory_limit.map_or(default, |limit| limit.0)
    }

    /// What the order needs to know.
    pub fn order(&self) -> OrderParameters {
        OrderParameters {
            isolation: self.isolation,
            diffserv: self.diffserv,
            framing: Framing { overhead: self.overhead, mpu: self.mpu, layer: self.link_layer },
            bandwidth: self.bandwidth,
            queues: self.flows,
            ways: self.ways,
            quanta: self.tins().iter().map(|tin| self.quantum_of(tin)).collect(),
            trim: TrimPolicy {
                in_bytes: true,
                head: true,
                batch: 1,
                memory: self.memory(),
                own: Capacity::Unlimited,
            },
            keeps_acks: self.ack_filter.keeps(),
            wash: self.wash,
        }
    }
}
