//! Routers, hosts, links and what they share.
use super::{
    ConditionerChoice, CpuChoice, FramingChoice, ImpairmentChoice, QueueChoice, ServiceChoice,
};
use dumbbell_core::units::{Bytes, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Two routers and a bottleneck.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dumbbell {
    /// The link that the flows share.
    pub bottleneck: Wire,
    /// The links between hosts and routers.
    #[serde(default)]
    pub access: Access,
}

/// A row of routers `r0`, `r1`, ...
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParkingLot {
    /// Number of bottlenecks, `hop1` from `r0` to `r1` and so on.
    #[schemars(range(min = 1, max = 1000))]
    pub hops: u64,
    /// Settings of each bottleneck.
    pub bottleneck: Wire,
    /// The links between hosts and routers.
    #[serde(default)]
    pub access: Access,
}

/// A link of a short form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wire {
    /// Rate of the transmitter; none if its `service` has a rate of its own.
    pub rate: Option<Rate>,
    /// Service of the transmitter in the forward direction; default: the constant `rate`.
    pub service: Option<ServiceChoice>,
    /// Propagation delay, one way.
    pub delay: Span,
    /// Largest IP packet; default 1500 B.
    #[serde(default = "mtu")]
    pub mtu: Bytes,
    /// Bytes that the link adds to each packet; default none.
    pub framing: Option<FramingChoice>,
    /// Shaper, marker or list of them (an edge) that packets pass before the queue in the forward
    /// direction.
    pub conditioner: Option<ConditionerChoice>,
    /// Impairments of the wire in the forward direction; default: none.
    #[serde(default)]
    pub impairment: Vec<ImpairmentChoice>,
    /// Settings of the other direction that differ.
    #[serde(default)]
    pub reverse: Reverse,
}

pub(super) fn mtu() -> Bytes {
    Bytes(1500)
}

/// Settings of a link's other direction. Rate and delay default to the forward direction's; a
/// service does not, and its mean rate is then the default of `rate`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Reverse {
    /// Rate of the transmitter.
    pub rate: Option<Rate>,
    /// Service of the transmitter; default: the constant `rate`.
    pub service: Option<ServiceChoice>,
    /// Propagation delay; default: the forward direction's.
    pub delay: Option<Span>,
    /// Impairments of the wire; default: none.
    pub impairment: Vec<ImpairmentChoice>,
}

/// The links between hosts and routers, both directions alike; their queues are unlimited.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Access {
    /// Rate; default ten times the bottleneck's.
    pub rate: Option<Rate>,
    /// Propagation delay, one way; default 1 ms. A flow's `rtt` replaces it.
    pub delay: Option<Span>,
    /// Largest IP packet; default the bottleneck's.
    pub mtu: Option<Bytes>,
    /// Bytes that the link adds to each packet; default the bottleneck's.
    pub framing: Option<FramingChoice>,
}

/// A host or a router.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Station {
    /// Name, unique among hosts and routers.
    pub name: String,
    /// Whether a router tells senders of packets that were too large (ICMP); default true. A router
    /// that does not is a black hole of path MTU discovery.
    pub icmp: Option<bool>,
    /// Processor of a host; default: the scenario's `cpu`.
    pub cpu: Option<CpuChoice>,
    /// Buffer that all queues of a router share; default: each queue has its own.
    pub shared_buffer: Option<SharedBuffer>,
}

/// A buffer that the queues of a switch share. Each queue may hold at most `alpha` times what is
/// free of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedBuffer {
    /// Size; the IP packets that wait count.
    pub size: Bytes,
    /// The most that a queue may hold, over what is free; default 1.
    #[serde(default = "unity")]
    #[schemars(range(min = 0.0001, max = 10000))]
    pub alpha: f64,
}

fn unity() -> f64 {
    1.0
}

/// How hosts reassemble fragmented datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Reassembly {
    /// The longest that a host waits for the other fragments after the first; default 30 s, as
    /// Linux (RFC 791 starts with 15 s, RFC 1122 section 3.3.2 recommends 60 to 120 s).
    pub timeout: Span,
    /// Most payload of fragments that a host keeps; it discards fragments beyond that. Default
    /// 4 MiB, as Linux.
    pub memory: Bytes,
}

impl Default for Reassembly {
    fn default() -> Self {
        let plan = dumbbell_plan::Reassembly::default();
        Reassembly { timeout: plan.timeout, memory: plan.memory }
    }
}

/// A link, both directions, each with a port and a queue of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Names of the two nodes; the forward direction is from the first to the second.
    pub between: [String; 2],
    /// Name of the forward direction; the other one's gets `_reverse`. Default `a->b` and `b->a`.
    pub name: Option<String>,
    /// Rate of the transmitters; none if their `service` has a rate of its own.
    pub rate: Option<Rate>,
    /// Service of the transmitter in the forward direction; default: the constant `rate`.
    pub service: Option<ServiceChoice>,
    /// Propagation delay, one way.
    pub delay: Span,
    /// Largest IP packet; default 1500 B.
    #[serde(default = "mtu")]
    pub mtu: Bytes,
    /// Bytes that the link adds to each packet; default none.
    pub framing: Option<FramingChoice>,
    /// Queue of each direction; default: an unlimited `drop_tail`. A run reports a queue only if it
    /// is given here.
    pub queue: Option<QueueChoice>,
    /// Shaper, marker or list of them (an edge) that packets pass before the queue in the forward
    /// direction.
    pub conditioner: Option<ConditionerChoice>,
    /// Impairments of the wire in the forward direction; default: none.
    #[serde(default)]
    pub impairment: Vec<ImpairmentChoice>,
    /// Cost of the link in routing, a whole number; default 1.
    pub cost: Option<u64>,
    /// Settings of the other direction that differ.
    #[serde(default)]
    pub reverse: LinkReverse,
}

/// Settings of a link's other direction. Rate, delay and queue default to the forward direction's;
/// a service does not, and its mean rate is then the default of `rate`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinkReverse {
    /// Rate of the transmitter.
    pub rate: Option<Rate>,
    /// Service of the transmitter; default: the constant `rate`.
    pub service: Option<ServiceChoice>,
    /// Propagation delay; default: the forward direction's.
    pub delay: Option<Span>,
    /// Queue; default: the forward direction's.
    pub queue: Option<QueueChoice>,
    /// Shaper, marker or list of them (an edge) that packets pass before the queue; default: none.
    pub conditioner: Option<ConditionerChoice>,
    /// Impairments of the wire; default: none.
    pub impairment: Vec<ImpairmentChoice>,
}
