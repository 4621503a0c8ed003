//! Short forms of networks with many switches, and changes of single links.
use super::network::mtu;
use super::{
    ConditionerChoice, FramingChoice, ImpairmentChoice, QueueChoice, ServiceChoice, SharedBuffer,
};
use dumbbell_core::units::{Bytes, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One switch `hub` with the hosts `h1`, `h2`, ... around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Star {
    /// Number of hosts.
    #[schemars(range(min = 2, max = 10_000))]
    pub hosts: u64,
    /// Links between the hosts and the switch.
    pub link: Cable,
    /// Buffer that all queues of a switch share, for each switch one; default: each queue has its
    /// own.
    pub shared_buffer: Option<SharedBuffer>,
}

/// Two layers of switches: each of `leaf1`, `leaf2`, ... is joined with each of `spine1`, `spine2`,
/// ..., and has the hosts `leaf1/h1`, `leaf1/h2`, ...
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeafSpine {
    /// Number of leaf switches.
    #[schemars(range(min = 1, max = 1000))]
    pub leaves: u64,
    /// Number of spine switches.
    #[schemars(range(min = 1, max = 1000))]
    pub spines: u64,
    /// Number of hosts of each leaf.
    #[schemars(range(min = 1, max = 1000))]
    pub hosts: u64,
    /// Links between leaves and spines, and default of `host_link`.
    pub link: Cable,
    /// Links between hosts and leaves; default: as `link`.
    pub host_link: Option<Cable>,
    /// Buffer that all queues of a switch share, for each switch one; default: each queue has its
    /// own.
    pub shared_buffer: Option<SharedBuffer>,
}

/// Three layers of switches with `k` ports each (Al-Fares, Loukissas, Vahdat, SIGCOMM 2008): k pods
/// of k/2 switches `pod1/edge1`, ... and k/2 switches `pod1/agg1`, ..., (k/2)² switches `core1`,
/// ..., and k³/4 hosts `pod1/edge1/h1`, ... Switch number i of the `agg` of each pod is joined with
/// group i of k/2 cores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FatTree {
    /// Number of ports of a switch: even.
    #[schemars(range(min = 2, max = 32))]
    pub k: u64,
    /// Links between switches, and default of `host_link`.
    pub link: Cable,
    /// Links between hosts and switches; default: as `link`.
    pub host_link: Option<Cable>,
    /// Buffer that all queues of a switch share, for each switch one; default: each queue has its
    /// own.
    pub shared_buffer: Option<SharedBuffer>,
}

/// A wide-area network from a file: a router for each of its nodes, and the hosts `NODE/h1`, ... at
/// each router.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wan {
    /// File of the network, relative to this file: GraphML, as the Topology Zoo has it, or CSV with
    /// the columns `from`, `to` and, where they are known, `rate`, `delay` and `cost`.
    pub file: Option<String>,
    /// Instead of `file`: the CSV text itself.
    pub edges: Option<String>,
    /// Number of hosts of each router; default 1.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1000))]
    pub hosts: u64,
    /// Settings of the links between routers. Rate and delay are those of links for which the file
    /// has none.
    #[serde(default)]
    pub link: WanLink,
    /// Links between hosts and routers; default: ten times the rate of the fastest link of the file
    /// and 10 us.
    pub host_link: Option<Cable>,
    /// Buffer that all queues of a switch share, for each switch one; default: each queue has its
    /// own.
    pub shared_buffer: Option<SharedBuffer>,
}

fn one() -> u64 {
    1
}

/// The links of one kind between two layers of a fabric, both directions alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cable {
    /// Rate of the transmitters; none if their `service` has a rate of its own.
    pub rate: Option<Rate>,
    /// Service of the transmitters; default: the constant `rate`.
    pub service: Option<ServiceChoice>,
    /// Propagation delay, one way.
    pub delay: Span,
    /// Largest IP packet; default 1500 B.
    #[serde(default = "mtu")]
    pub mtu: Bytes,
    /// Bytes that a link adds to each packet; default none.
    pub framing: Option<FramingChoice>,
    /// Queue of each port of a switch; default: the scenario's `queue`. A host's own port has an
    /// unlimited one.
    pub queue: Option<QueueChoice>,
    /// Impairments of each wire, in each direction; default: none.
    #[serde(default)]
    pub impairment: Vec<ImpairmentChoice>,
    /// Cost of the links in routing, a whole number; default 1.
    pub cost: Option<u64>,
}

/// The links between routers of a wide-area network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WanLink {
    /// Rate of a link for which the file has none.
    pub rate: Option<Rate>,
    /// Propagation delay of a link for which the file has neither a delay nor the places of both
    /// ends.
    pub delay: Option<Span>,
    /// Largest IP packet; default 1500 B.
    pub mtu: Option<Bytes>,
    /// Bytes that a link adds to each packet; default none.
    pub framing: Option<FramingChoice>,
    /// Queue of each port of a router; default: the scenario's `queue`.
    pub queue: Option<QueueChoice>,
    /// Impairments of each wire, in each direction; default: none.
    pub impairment: Vec<ImpairmentChoice>,
}

/// What differs in one direction of a link of a network with named hosts, or, under the name
/// `A<->B`, in both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinkChange {
    /// Rate of the transmitter.
    pub rate: Option<Rate>,
    /// Service of the transmitter.
    pub service: Option<ServiceChoice>,
    /// Propagation delay.
    pub delay: Option<Span>,
    /// Queue.
    pub queue: Option<QueueChoice>,
    /// Shaper, marker or list of them (an edge) that packets pass before the queue.
    pub conditioner: Option<ConditionerChoice>,
    /// Impairments of the wire.
    pub impairment: Option<Vec<ImpairmentChoice>>,
    /// Cost of the link in routing.
    pub cost: Option<u64>,
    /// False takes the link out: no path leads over it.
    pub up: Option<bool>,
    /// Times at which the link fails and returns. What is on it then is lost, and paths follow.
    pub down: Vec<DownTime>,
}

/// A time in which a link is down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DownTime {
    /// Instant at which it fails.
    pub from: Span,
    /// Instant at which it returns; default: the end of the run.
    pub to: Option<Span>,
}
