//! Floor 3 of Dumbbell: the **plan**, one run of a scenario with every default resolved.
//!
//! It is what the simulator and the testbed run, and it can be printed, hashed and compared. Links
//! are one-way; routes are lists of links, computed once. What parts have in common is kept once
//! ([`Shared`]), so that a plan of a million flows fits into memory. Nothing in it refers to a
//! file.
#![forbid(unsafe_code)]

mod flow;
mod link;
mod multipath;
mod shared;
mod testbed;

use dumbbell_core::units::{Bytes, Span};
pub use flow::{Flow, ScheduledSignal, SignalTarget, Transport};
pub use link::{Link, Rule, Side};
pub use multipath::{Multipath, Path, PathSet, Spread};
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
