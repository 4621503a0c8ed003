//! Flows of a scenario, and what their hosts know.
use super::{CcChoice, ConditionerChoice, CpuChoice, Profile, SourceChoice, TcpChoice};
use crate::language::codepoint::Codepoint;
use dumbbell_core::packet::Ecn;
use dumbbell_core::units::{Rate, Span};
use dumbbell_plan::{ScheduledSignal, SignalTarget};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A flow, or `count` flows that are alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Flow {
    /// Its name, unique; default `flow1`, `flow2`, ... by its place in the file.
    pub name: Option<String>,
    /// This many flows, named `name.1`, `name.2`, ...; 0 leaves it out.
    pub count: Option<u64>,
    /// The sending host, in a network of its own.
    pub from: Option<String>,
    /// The receiving host, in a network of its own.
    pub to: Option<String>,
    /// Routers where it enters and leaves, in a parking lot; default the first and the last.
    pub path: Option<[u64; 2]>,
    /// Which way its data goes, in a dumbbell.
    pub direction: Direction,
    /// Congestion control; default `sack`, with the profile `ns2` `newreno`.
    pub cc: Option<CcChoice>,
    /// Round-trip propagation time, realised on its access links.
    pub rtt: Option<Span>,
    /// What its application sends; default `bulk`.
    pub source: Option<SourceChoice>,
    /// When it starts.
    pub start: Span,
    /// Each further one of `count` starts this much later than the one before.
    pub start_step: Span,
    /// It starts later by a random time, uniform from zero to this, drawn by its name and the seed.
    pub start_spread: Span,
    /// When its application stops; default at the end.
    pub stop: Option<Span>,
    /// Default: what its source is made for.
    pub transport: Option<TransportName>,
    /// The processor of its sending host, in a short form; default the scenario's `cpu`.
    pub sender_cpu: Option<CpuChoice>,
    /// The processor of its receiving host, in a short form; default the scenario's `cpu`.
    pub receiver_cpu: Option<CpuChoice>,
    /// Its TCP; default the scenario's.
    pub profile: Option<Profile>,
    /// Fields of TCP that differ from the profile and from the scenario's `tcp`.
    pub tcp: Option<TcpChoice>,
    /// What its packets pass where they enter a short form's network: a shaper, a marker, or a list
    /// of them (an edge).
    pub conditioner: Option<ConditionerChoice>,
    /// The version of IP, 4 (default) or 6: headers of 20 or 40 bytes; with 6 only hosts cut
    /// packets, and no link of its path may carry less than 1280 B.
    #[schemars(schema_with = "versions")]
    pub ip: Option<u64>,
    /// Whether routers must not cut its datagrams (the DF bit of IPv4); default false. Of a TCP
    /// `tcp.pmtu_discovery` says it.
    pub df: Option<bool>,
    /// DiffServ codepoint of its packets, both ways: a name as `"ef"` or `"af41"`, or a number;
    /// default 0, best effort.
    pub dscp: Option<Codepoint>,
    /// ECN field of its datagrams; default `not_ect`. TCP has its own field `ecn`.
    pub ecn: Option<Ecn>,
    /// Reserved rate, for queues, markers and congestion controls that ask for it.
    pub reserved: Option<Rate>,
    /// Scheduling weight, for queues that ask for it; default 1.
    pub weight: Option<f64>,
    /// What its hosts tell the two ends of its connection, such as a radio that is about to be out
    /// of reach.
    pub words: Vec<ScheduledSignal>,
    /// The link whose outages one of its hosts foresees: a word ahead of each, and one when it is
    /// over.
    pub radio: Option<Radio>,
}

/// A host that knows when a link is down, from a service that says so beforehand (`outage`,
/// `handoff`, `steps`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Radio {
    /// The name of the link's direction.
    pub link: String,
    /// How long ahead of an outage its host says `path_down`; default when it begins.
    #[serde(default)]
    pub warning: Span,
    /// Which end hears it; default the receiver.
    #[serde(default)]
    pub to: SignalTarget,
}

/// Which way data goes through a dumbbell.
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
    /// A connection.
    Tcp,
    /// Datagrams.
    Udp,
}

/// The versions of IP that there are.
fn versions(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "enum": [4, 6] })
}
