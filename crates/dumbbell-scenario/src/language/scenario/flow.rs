//! Flows of a scenario, and what their hosts know.
use super::{
    CcChoice, ConditionerChoice, CpuChoice, Pattern, Profile, QuicChoice, ScreamChoice,
    SourceChoice, TcpChoice,
};
use crate::language::codepoint::Codepoint;
use dumbbell_core::packet::Ecn;
use dumbbell_core::units::{Rate, Span};
use dumbbell_plan::{ScheduledSignal, SignalTarget};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A flow, or `count` equal flows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Flow {
    /// Name of the flow, unique; default `flow1`, `flow2`, ... by its place in the file.
    pub name: Option<String>,
    /// Number of flows, which are then named `name.1`, `name.2`, ...; 0: none.
    pub count: Option<u64>,
    /// Name of the sending host; in a network with named hosts.
    pub from: Option<String>,
    /// Name of the receiving host; in a network with named hosts.
    pub to: Option<String>,
    /// Instead of `from` and `to`: which hosts send to which; in a network with named hosts.
    pub pattern: Option<Pattern>,
    /// Path of the data: the routers between the two hosts, in order. Of parallel links the name of
    /// one says which.
    pub via: Option<Vec<String>>,
    /// Path of the acknowledgments; default: that of `via`, backward.
    pub via_back: Option<Vec<String>>,
    /// Numbers of the routers where the flow enters and leaves, from 0; in a parking lot. Default:
    /// the first and the last.
    pub path: Option<[u64; 2]>,
    /// Direction of the data; in a dumbbell.
    pub direction: Direction,
    /// Congestion control; default `sack`, with the profile `ns2` and for QUIC `newreno`.
    pub cc: Option<CcChoice>,
    /// Round-trip propagation time; the delay of the access links is raised until it is exact.
    pub rtt: Option<Span>,
    /// Application that produces the data; default `bulk`, for SCReAM `camera`.
    pub source: Option<SourceChoice>,
    /// Start of the flow.
    pub start: Span,
    /// Time from the start of one of `count` flows to the start of the next.
    pub start_step: Span,
    /// Range of a random time by which the flow starts later: uniform from zero to this, drawn from
    /// the flow's name and the seed.
    pub start_spread: Span,
    /// When the application stops; default: the end of the run.
    pub stop: Option<Span>,
    /// Transport protocol; default: the one that the source is made for.
    pub transport: Option<TransportName>,
    /// Processor of the sending host; in a short form. Default: the scenario's `cpu`.
    pub sender_cpu: Option<CpuChoice>,
    /// Processor of the receiving host; in a short form. Default: the scenario's `cpu`.
    pub receiver_cpu: Option<CpuChoice>,
    /// Defaults of the flow's TCP; default: the scenario's `profile`.
    pub profile: Option<Profile>,
    /// TCP settings that override the profile and the scenario's `tcp`.
    pub tcp: Option<TcpChoice>,
    /// QUIC settings that override the scenario's `quic`; with `transport = "quic"`.
    pub quic: Option<QuicChoice>,
    /// SCReAM settings that override the scenario's `scream`; with `transport = "scream"`.
    pub scream: Option<ScreamChoice>,
    /// Shaper, marker or list of them (an edge) that the packets pass where they enter the network;
    /// in a short form.
    pub conditioner: Option<ConditionerChoice>,
    /// Version of IP, 4 (default) or 6: headers of 20 or 40 bytes. With 6 only hosts fragment
    /// packets, and each link of the path must carry at least 1280 B.
    #[schemars(schema_with = "versions")]
    pub ip: Option<u64>,
    /// Whether routers must not fragment the flow's datagrams (the DF bit of IPv4); default false.
    /// For TCP, `tcp.pmtu_discovery` sets it.
    pub df: Option<bool>,
    /// DiffServ codepoint of the packets, data and acknowledgments alike: a name such as `"ef"` or
    /// `"af41"`, or a number; default 0, best effort.
    pub dscp: Option<Codepoint>,
    /// ECN field of the flow's datagrams; default `not_ect`. For TCP, `tcp.ecn` sets it.
    pub ecn: Option<Ecn>,
    /// Reserved rate, for queues, markers and congestion controls that use it.
    pub reserved: Option<Rate>,
    /// Scheduling weight, for queues that use weights; default 1.
    pub weight: Option<f64>,
    /// Signals from the hosts to the two ends of the connection, such as from a radio that is about
    /// to be out of reach.
    pub words: Vec<ScheduledSignal>,
    /// Link whose outages one of the hosts foresees: it signals `path_down` ahead of each, and
    /// `path_up` when it is over.
    pub radio: Option<Radio>,
}

/// A host that knows in advance when a link is down, from a service with a schedule (`outage`,
/// `handoff`, `steps`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Radio {
    /// Name of the link's direction.
    pub link: String,
    /// Time from the host's signal `path_down` to the outage; default 0: they coincide.
    #[serde(default)]
    pub warning: Span,
    /// End of the connection that the host signals to; default: the receiver.
    #[serde(default)]
    pub to: SignalTarget,
}

/// The direction of data through a dumbbell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From left to right.
    #[default]
    Forward,
    /// From right to left.
    Reverse,
}

/// A transport protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TransportName {
    /// TCP: a connection.
    Tcp,
    /// UDP: datagrams.
    Udp,
    /// QUIC: a connection over UDP.
    Quic,
    /// SCReAM: live media over UDP.
    Scream,
}

/// The schema of a version of IP.
fn versions(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "enum": [4, 6] })
}
