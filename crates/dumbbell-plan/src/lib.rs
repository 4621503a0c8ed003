//! Floor 3 of Dumbbell: the **plan**, one run of a scenario with every default resolved.
//!
//! It is what the simulator and the testbed run, and it can be printed, hashed and compared. Links
//! are one-way; routes are lists of links, computed once. What parts have in common is kept once
//! ([`Shared`]), so that a plan of a million flows fits into memory. Nothing in it refers to a
//! file.
#![forbid(unsafe_code)]

mod multipath;
mod shared;
mod testbed;

use dumbbell_core::meter::Actions;
use dumbbell_core::packet::flow::FlowInfo;
use dumbbell_core::packet::{Dscp, Ecn, Framing};
use dumbbell_core::transport::HostSignal;
use dumbbell_core::units::{Bytes, Capacity, Rate, Span};
use dumbbell_quic::QuicConfig;
use dumbbell_tcp::TcpConfig;
pub use multipath::{Multipath, Path, PathSet, Spread};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
pub use shared::Shared;
pub use testbed::{Class, Core, Datapath, Testbed, Wait};

/// A node's number: its place in [`Plan::nodes`].
pub type NodeId = usize;
/// A link's number: its place in [`Plan::links`].
pub type LinkId = usize;

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The scenario's name.
    pub name: String,
    /// The seed of all its chance.
    pub seed: u64,
    /// Its duration.
    pub duration: Span,
    /// The warm-up: the part of its start that is left out of means.
    pub warmup: Span,
    /// Hosts and routers.
    pub nodes: Vec<Node>,
    /// Buffers that the queues of a router share: few nodes have one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared_buffers: Vec<SharedBuffer>,
    /// Links, one direction each.
    pub links: Vec<Link>,
    /// Flows.
    pub flows: Vec<Flow>,
    /// Groups of flows that results report together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<Session>,
    /// Reassembly in hosts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reassembly: Reassembly,
    /// Settings of runs between real hosts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub testbed: Testbed,
    /// Records besides the summary.
    pub record: Record,
}

/// A group of flows that arrive one after the other, each a transfer of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Its name, unique.
    pub name: String,
    /// Mean offered load, payload in bits per second; `None` for a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered_bps: Option<f64>,
}

/// A host or a router.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its name, unique.
    pub name: String,
    /// Its kind.
    pub kind: NodeKind,
    /// True if it says nothing to senders whose packets are too large for a link of its: a black
    /// hole of path MTU discovery (RFC 2923 section 2.1).
    #[serde(default, skip_serializing_if = "is_default")]
    pub silent: bool,
}

/// A buffer that the queues of a router share: each may hold at most `alpha` times what is free of
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SharedBuffer {
    /// The router.
    pub node: NodeId,
    /// Its size.
    pub size: Bytes,
    /// The most that a queue may hold, over what is free.
    pub alpha: f64,
}

impl SharedBuffer {
    /// The most that a queue may hold if `used` bytes of the buffer are taken, its own included.
    pub fn threshold(&self, used: u64) -> u64 {
        (self.alpha * self.size.0.saturating_sub(used) as f64) as u64
    }
    /// The most that a queue ever holds, if all others are empty: `alpha` times what it leaves.
    pub fn most(&self) -> Bytes {
        Bytes((self.alpha / (1.0 + self.alpha) * self.size.0 as f64) as u64)
    }
}

/// Reassembly of datagrams in a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reassembly {
    /// The time from the first fragment within which the others must come.
    pub timeout: Span,
    /// Payload bytes of fragments that it keeps at most; what does not fit is discarded.
    pub memory: Bytes,
}

impl Default for Reassembly {
    fn default() -> Self {
        Reassembly { timeout: Span::from_secs(30), memory: Bytes(4 << 20) }
    }
}

/// The version of IP that a flow uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ip {
    /// Version 4: routers cut packets that are too large, unless they must not (RFC 791).
    #[default]
    V4,
    /// Version 6: only hosts cut packets (RFC 8200 section 5).
    V6,
}

impl Ip {
    /// Bytes of the header.
    pub fn header(self) -> u32 {
        match self {
            Ip::V4 => 20,
            Ip::V6 => 40,
        }
    }
    /// The smallest MTU that a link may have (RFC 791 section 3.2, RFC 8200 section 5).
    pub fn least_mtu(self) -> u32 {
        match self {
            Ip::V4 => 68,
            Ip::V6 => 1280,
        }
    }
}

/// The route by which a router tells a sender that a packet was too large (ICMP).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The link that the packet was too large for.
    pub at: LinkId,
    /// Links from the router to the sender's host.
    pub way: Vec<LinkId>,
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// An end of flows; it does not forward.
    Host,
    /// It forwards.
    Router,
}

/// An algorithm of the catalogue or a plugin, with its parameters, all defaults written out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// The name in the catalogue.
    pub kind: String,
    /// Its parameters.
    pub config: Value,
    /// A hash of its source, if it is not of the catalogue: results of one that was edited are not
    /// those of another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_hash: Option<String>,
}

/// A rule of the edge before a link's queue: the packets that it takes, their meter, and the action
/// for each color.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// The meter or conditioner.
    #[serde(flatten)]
    pub spec: Spec,
    /// True if each flow has one of its own, with its own reservation; else all that the rule takes
    /// share one.
    pub per_flow: bool,
    /// Flows whose data it takes, ascending; `None`: all packets (with `per_flow`: the data of all
    /// flows).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flows: Option<Vec<usize>>,
    /// Codepoints that it takes; `None`: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codepoints: Option<Vec<Dscp>>,
    /// The action for each color.
    pub colours: Actions,
}

/// One direction of a link: the port at `from`, and the wire to `to`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Its name, unique: `from->to`, or as given.
    pub name: String,
    /// The node whose port feeds it.
    pub from: NodeId,
    /// The node that it reaches.
    pub to: NodeId,
    /// Nominal rate of the transmitter.
    pub rate: Rate,
    /// Its service; `None` means the constant `rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Shared<Spec>>,
    /// Propagation delay.
    pub delay: Span,
    /// Largest IP packet, bytes.
    pub mtu: u32,
    /// Bytes that the link adds to each IP packet (38 for Ethernet with preamble and gap, 0 for
    /// none).
    pub framing: u32,
    /// The fewest bytes that it sends for a packet: shorter ones are padded (84 for Ethernet, 0: as
    /// short as they are).
    #[serde(default, skip_serializing_if = "is_default")]
    pub least: u32,
    /// The edge before its queue: rules, of which the first that matches a packet applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditioner: Option<Shared<Vec<Rule>>>,
    /// Its queue: when one queue signals congestion (an `aqm`), or a discipline of several (a
    /// `qdisc`).
    pub aqm: Shared<Spec>,
    /// The capacity of its queue.
    pub capacity: Capacity,
    /// True if backlog and limit count the packet in transmission.
    pub count_in_service: bool,
    /// Results tell how long its queue was above this; `None` means half of `capacity`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch_above: Option<Capacity>,
    /// Impairments of the wire, in this order.
    pub impairments: Vec<Shared<Spec>>,
    /// True if the results report its queue.
    pub report: bool,
    /// It is not a link of the network, but the processor of the host at both of its ends, in this
    /// direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Side>,
}

/// The direction in which a host's processor handles packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// It takes them from the network card.
    Receive,
    /// It gives them to the network card.
    Send,
}

impl Side {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        ["receive", "send"][self as usize]
    }
}

impl Link {
    /// Link-layer overhead of packets. Numbers beyond those of scenarios keep their lower 16 bits.
    pub fn framing(&self) -> Framing {
        Framing { bytes: self.framing as u16, least: self.least as u16 }
    }
    /// The rules of the edge before its queue.
    pub fn rules(&self) -> &[Rule] {
        self.conditioner.as_deref().map_or(&[], Vec::as_slice)
    }
}

/// A flow: one sender, one receiver, one connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Its name, unique.
    pub name: String,
    /// The sending host.
    pub from: NodeId,
    /// The receiving host.
    pub to: NodeId,
    /// Its start.
    pub start: Span,
    /// The time when its application stops; `None` means the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Span>,
    /// Links of its data.
    pub forward: Vec<LinkId>,
    /// Links of its acknowledgments; empty for UDP.
    pub back: Vec<LinkId>,
    /// The source of its application.
    pub source: Shared<Spec>,
    /// Its transport.
    pub transport: Transport,
    /// The DiffServ codepoint of its packets, both ways.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dscp: Dscp,
    /// The flow's properties that queues and edges know.
    pub info: FlowInfo,
    /// The version of IP.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ip: Ip,
    /// Routes of ICMP answers to data packets that are too large; `None` if all fit, or nobody
    /// answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Shared<Vec<Answer>>>,
    /// The session that it belongs to: its place in [`Plan::sessions`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<u32>,
    /// Signals of its hosts to its two ends, in the order of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Shared<Vec<ScheduledSignal>>>,
    /// Its paths, if it has several: `forward` and `back` are then the first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multipath: Option<Shared<Multipath>>,
}

impl Flow {
    /// All paths of its data (`end` 0) or of its acknowledgments (1).
    pub fn routes(&self, end: usize) -> impl Iterator<Item = &[LinkId]> {
        let first = if end == 0 { &self.forward } else { &self.back };
        let sets = self.multipath.as_ref().map_or(&[][..], |all| all.of_end(end));
        let others = sets.iter().flat_map(|set| &set.paths).map(|path| path.links.as_slice());
        std::iter::once(first.as_slice()).chain(others)
    }
}

/// A signal from a host to its end of a connection, of something that the network does not report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Word")]
pub struct ScheduledSignal {
    /// Instant of the signal, from the start of the run.
    pub at: Span,
    /// To which end; default the receiver.
    #[serde(default)]
    pub to: SignalTarget,
    /// The signal: the path is about to vanish, or it is back.
    pub say: HostSignal,
}

/// The end of a connection that a [`ScheduledSignal`] is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Listener", description = "The end that gets a [`Word`].")]
pub enum SignalTarget {
    /// The sender: its congestion control.
    Sender,
    /// The receiver: its policy.
    #[default]
    Receiver,
}

/// A flow's transport.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "protocol", rename_all = "snake_case")]
pub enum Transport {
    /// A connection.
    Tcp {
        /// Its congestion control.
        cc: Shared<Spec>,
        /// Every other choice; `mss` is always set.
        tcp: Shared<TcpConfig>,
    },
    /// A connection of QUIC.
    Quic {
        /// Its congestion control.
        cc: Shared<Spec>,
        /// Every other choice; `datagram` is always set.
        quic: Shared<QuicConfig>,
    },
    /// Datagrams.
    Udp {
        /// IP and UDP header, bytes.
        header: u32,
        /// The ECN field of its packets.
        #[serde(default, skip_serializing_if = "is_default")]
        ecn: Ecn,
        /// True if routers must not cut them (the DF bit).
        #[serde(default, skip_serializing_if = "is_default")]
        df: bool,
    },
}

impl Transport {
    /// The congestion control; `None` for datagrams.
    pub fn cc(&self) -> Option<&Shared<Spec>> {
        match self {
            Transport::Tcp { cc, .. } | Transport::Quic { cc, .. } => Some(cc),
            Transport::Udp { .. } => None,
        }
    }
    /// True if its packets are acknowledged: it is a connection.
    pub fn is_connection(&self) -> bool {
        self.cc().is_some()
    }
}

/// Records besides the summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Period of the time series; `None`: no series.
    pub every: Option<Span>,
    /// True if the series have the flows.
    pub flows: bool,
    /// True if the series have the queues.
    pub queues: bool,
    /// True if each drop, each mark and each reaction of a sender is recorded with what its
    /// decision saw.
    pub drops: bool,
    /// Flows whose packets are followed one by one, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packets: Vec<usize>,
    /// True if each flow of a session is recorded.
    #[serde(default, skip_serializing_if = "is_default")]
    pub completions: bool,
    /// Flows whose acknowledgments are followed to their sender, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acks: Vec<usize>,
    /// Flows whose one-way delays are measured and recorded, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delays: Vec<usize>,
    /// True if the series have the markers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub markers: bool,
}

impl Record {
    /// True if somebody is to be told of each drop.
    pub fn tells_drops(&self) -> bool {
        self.drops || !self.packets.is_empty() || !self.acks.is_empty() || !self.delays.is_empty()
    }
}

/// True if something says no more than nothing.
fn is_default<T: Default + PartialEq>(x: &T) -> bool {
    *x == T::default()
}

impl Plan {
    /// The propagation of `flow` from sender to receiver.
    pub fn propagation(&self, flow: &Flow) -> Span {
        flow.forward.iter().fold(Span::ZERO, |sum, l| sum + self.links[*l].delay)
    }
    /// The smallest round-trip time of `flow` without queues and transmission.
    pub fn base_rtt(&self, flow: &Flow) -> Span {
        flow.forward.iter().chain(&flow.back).fold(Span::ZERO, |sum, l| sum + self.links[*l].delay)
    }
}
