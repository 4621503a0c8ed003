//! The scenario language: what a file, or a dictionary with the same words, may say.
//!
//! The doc comments are the documentation that users read, through the JSON Schema.
use crate::codepoint::Codepoint;
use dumbbell_core::packet::Ecn;
use dumbbell_core::units::{Bytes, Rate, Span};
use dumbbell_plan::{Listener, Word};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;

mod session;
pub use session::{Frequency, Session};

/// A value that the catalogue judges, not serde: its schema is a definition that [`crate::schema`] fills in.
macro_rules! choice {
    ($(#[$doc:meta])* $Name:ident, $definition:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $Name(pub Value);
        impl JsonSchema for $Name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                $definition.into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                schemars::json_schema!({ "$ref": concat!("#/$defs/", $definition) })
            }
        }
    };
}

choice!(
    /// A queue: the name of an aqm, or a table with `kind`, `limit`, `count_in_service`, `watch_above` and its parameters.
    QueueChoice, "queue"
);
choice!(
    /// A congestion control: its name, or a table with `kind` and its parameters.
    CcChoice, "cc"
);
choice!(
    /// A traffic source: its name, or a table with `kind` and its parameters.
    SourceChoice, "source"
);
choice!(
    /// An impairment of a link: its name, or a table with `kind` and its parameters.
    ImpairmentChoice, "impairment"
);
choice!(
    /// What packets pass before a queue: the name of a conditioner, or a table with `kind` and its parameters.
    ConditionerChoice, "conditioner"
);
choice!(
    /// How a transmitter takes the wire: the name of a service, or a table with `kind` and its parameters.
    ServiceChoice, "service"
);
choice!(
    /// Fields of TCP that differ from the profile.
    TcpChoice, "tcp"
);
choice!(
    /// When a point has enough runs: a rule such as `"ci95 < 2%"`, or a table with `rule` and `most`.
    StopChoice, "stop"
);
choice!(
    /// Bytes that a link adds to each packet: `"ethernet"` (38), `"none"`, or a size such as `"26 B"`.
    FramingChoice, "framing"
);

/// A scenario of Dumbbell: a network, its flows, and how long to watch them.
///
/// The network is one of `dumbbell`, `parking_lot`, or hosts, routers and links of its own. Every quantity is
/// written with its unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Version of the language; this release reads 1.
    #[serde(default = "one_u64")]
    pub schema: u64,
    /// Name of the scenario; default: the file's.
    pub name: Option<String>,
    /// What it shows, in a sentence.
    pub title: Option<String>,
    /// A scenario to start from, relative to this file: tables are laid over its tables, lists replace its lists.
    pub extends: Option<String>,
    /// Files with algorithms of your own, relative to this file: `use = ["mine.py"]`. Those of a scenario that is
    /// extended stay.
    #[serde(default, rename = "use")]
    pub uses: Vec<String>,
    /// How long a run lasts.
    pub duration: Span,
    /// How much of its start is left out of means.
    #[serde(default)]
    pub warmup: Span,
    /// Seed of the first run; the others count up from it.
    #[serde(default = "one_u64")]
    pub seed: u64,
    /// How many runs, each with its own seed.
    #[serde(default = "one_u64")]
    #[schemars(range(min = 1, max = 100_000))]
    pub replications: u64,
    /// When there are enough runs, if `replications` is only the least number of them.
    pub stop: Option<StopChoice>,
    /// The TCP that flows use unless they say otherwise.
    #[serde(default)]
    pub profile: Profile,
    /// Fields of TCP that differ from the profile, for all flows.
    pub tcp: Option<TcpChoice>,
    /// Two routers, a bottleneck between them, a host of its own for each end of each flow.
    pub dumbbell: Option<Dumbbell>,
    /// A row of routers with a bottleneck between each two neighbours; flows enter and leave anywhere.
    pub parking_lot: Option<ParkingLot>,
    /// The bottleneck's queue (of each bottleneck, in a parking lot), in the forward direction. Default: `drop_tail`
    /// with a limit of 50 packets.
    pub queue: Option<QueueChoice>,
    /// The bottleneck's queue in the other direction. Default: the same as `queue` if a flow sends data that way,
    /// else an unlimited `drop_tail` (only acknowledgements pass it).
    pub queue_reverse: Option<QueueChoice>,
    /// The flows.
    #[serde(default)]
    pub flow: Vec<Flow>,
    /// Groups of short flows that arrive by chance or by a list.
    #[serde(default)]
    pub session: Vec<Session>,
    /// Hosts of a network of its own.
    #[serde(default)]
    pub host: Vec<Station>,
    /// Routers of a network of its own.
    #[serde(default)]
    pub router: Vec<Station>,
    /// Links of a network of its own.
    #[serde(default)]
    pub link: Vec<Link>,
    /// What is recorded besides the summary.
    #[serde(default)]
    pub record: Record,
    /// Several points in one scenario.
    pub sweep: Option<Sweep>,
}

fn one_u64() -> u64 {
    1
}

/// A set of TCP's choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// ns-2.35's one-way TCP with its defaults.
    Ns2,
    /// What the RFCs recommend.
    #[default]
    Rfc,
    /// A Linux host's.
    Linux,
}

impl Profile {
    /// Its name.
    pub fn name(self) -> &'static str {
        ["ns2", "rfc", "linux"][self as usize]
    }
    /// The congestion control of a flow that names none: the standard window with the profile's recovery.
    pub fn default_cc(self) -> &'static str {
        match self {
            Profile::Ns2 => "newreno",
            Profile::Rfc => "sack",
            Profile::Linux => "cubic",
        }
    }
}

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
    /// Each of them.
    pub bottleneck: Wire,
    /// The links between hosts and routers.
    #[serde(default)]
    pub access: Access,
}

/// A link of a short form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wire {
    /// Rate of the transmitter; not where its `service` has a rate of its own.
    pub rate: Option<Rate>,
    /// How the transmitter takes the wire in the forward direction; default at the constant `rate`.
    pub service: Option<ServiceChoice>,
    /// Propagation delay, one way.
    pub delay: Span,
    /// Largest IP packet; default 1500 B.
    #[serde(default = "mtu")]
    pub mtu: Bytes,
    /// Bytes that the link adds to each packet; default none.
    pub framing: Option<FramingChoice>,
    /// What packets pass before the queue in the forward direction: a shaper, a marker, or a list of them (an edge).
    pub conditioner: Option<ConditionerChoice>,
    /// What the wire does to packets in the forward direction.
    #[serde(default)]
    pub impairment: Vec<ImpairmentChoice>,
    /// What differs in the other direction.
    #[serde(default)]
    pub reverse: Reverse,
}

fn mtu() -> Bytes {
    Bytes(1500)
}

/// What differs in a link's other direction; rate and delay are the forward ones unless given here. The forward service
/// stays with the forward direction, its mean rate is this one's `rate`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Reverse {
    /// Rate of the transmitter.
    pub rate: Option<Rate>,
    /// How the transmitter takes the wire; default at the constant `rate`.
    pub service: Option<ServiceChoice>,
    /// Propagation delay.
    pub delay: Option<Span>,
    /// What the wire does to packets; default nothing.
    pub impairment: Vec<ImpairmentChoice>,
}

/// The links between hosts and routers, both directions alike; their queues are unlimited.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Access {
    /// Rate; default ten times the bottleneck's.
    pub rate: Option<Rate>,
    /// Propagation delay, one way; default 1 ms. A flow's `rtt` takes its place.
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
    /// Its name, unique.
    pub name: String,
}

/// A link, both directions, each with a port and a queue of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The nodes that it joins; forward is from the first to the second.
    pub between: [String; 2],
    /// Name of the forward direction, the other gets `_reverse`; default `a->b` and `b->a`.
    pub name: Option<String>,
    /// Rate of the transmitters; not where their `service` has a rate of its own.
    pub rate: Option<Rate>,
    /// How the transmitter takes the wire in the forward direction; default at the constant `rate`.
    pub service: Option<ServiceChoice>,
    /// Propagation delay, one way.
    pub delay: Span,
    /// Largest IP packet; default 1500 B.
    #[serde(default = "mtu")]
    pub mtu: Bytes,
    /// Bytes that the link adds to each packet; default none.
    pub framing: Option<FramingChoice>,
    /// The queue of each direction; default an unlimited `drop_tail`. A queue that is written is reported.
    pub queue: Option<QueueChoice>,
    /// What packets pass before the queue in the forward direction: a shaper, a marker, or a list of them (an edge).
    pub conditioner: Option<ConditionerChoice>,
    /// What the wire does to packets in the forward direction.
    #[serde(default)]
    pub impairment: Vec<ImpairmentChoice>,
    /// What differs in the other direction.
    #[serde(default)]
    pub reverse: LinkReverse,
}

/// What differs in a link's other direction; rate, delay and queue are the forward ones unless given here. The forward
/// service stays with the forward direction, its mean rate is this one's `rate`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinkReverse {
    /// Rate of the transmitter.
    pub rate: Option<Rate>,
    /// How the transmitter takes the wire; default at the constant `rate`.
    pub service: Option<ServiceChoice>,
    /// Propagation delay.
    pub delay: Option<Span>,
    /// The queue.
    pub queue: Option<QueueChoice>,
    /// What packets pass before the queue; default nothing.
    pub conditioner: Option<ConditionerChoice>,
    /// What the wire does to packets; default nothing.
    pub impairment: Vec<ImpairmentChoice>,
}

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
    /// Its TCP; default the scenario's.
    pub profile: Option<Profile>,
    /// Fields of TCP that differ from the profile and from the scenario's `tcp`.
    pub tcp: Option<TcpChoice>,
    /// What its packets pass where they enter a short form's network: a shaper, a marker, or a list of them (an edge).
    pub conditioner: Option<ConditionerChoice>,
    /// DiffServ codepoint of its packets, both ways: a name as `"ef"` or `"af41"`, or a number; default 0, best effort.
    pub dscp: Option<Codepoint>,
    /// ECN field of its datagrams; default `not_ect`. TCP has its own field `ecn`.
    pub ecn: Option<Ecn>,
    /// Reserved rate, for queues, markers and congestion controls that ask for it.
    pub reserved: Option<Rate>,
    /// Scheduling weight, for queues that ask for it; default 1.
    pub weight: Option<f64>,
    /// What its hosts tell the two ends of its connection, such as a radio that is about to be out of reach.
    pub words: Vec<Word>,
    /// The link whose outages one of its hosts foresees: a word ahead of each, and one when it is over.
    pub radio: Option<Radio>,
}

/// A host that knows when a link is down, from a service that says so beforehand (`outage`, `handoff`, `steps`).
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
    pub to: Listener,
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

/// What is recorded besides the summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// Period of the time series; without it there are none.
    pub every: Option<Span>,
    /// Whether flows have series; default true.
    pub flows: bool,
    /// Whether reported queues have series; default true.
    pub queues: bool,
    /// Whether each drop and each mark is recorded, with what its decision saw, and each reaction of a sender;
    /// default false.
    pub drops: bool,
    /// Whether packets are recorded one by one: false (default), true, or a list of names of flows. Also records
    /// drops, marks and reactions.
    pub packets: Followed,
    /// Whether each flow of the sessions is recorded, with its start, its size and its completion time; default false.
    pub completions: bool,
    /// Whether acknowledgements are recorded one by one, when each left the receiver and when it came to the sender, and
    /// measured in the results: false (default), true for every TCP flow, or a list of names of flows.
    pub acks: Followed,
    /// Whether markers and other conditioners have series, with `every`; default false.
    pub markers: bool,
}

/// Which flows' packets, or acknowledgements, are recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Followed {
    /// Those of every flow, or of none.
    All(bool),
    /// Those of the flows with these names.
    Of(Vec<String>),
}

impl Default for Record {
    fn default() -> Self {
        Record {
            every: None,
            flows: true,
            queues: true,
            drops: false,
            packets: Followed::All(false),
            completions: false,
            acks: Followed::All(false),
            markers: false,
        }
    }
}

/// Several points in one scenario. Keys are paths as in `-s`. Given together, every entry of `list` is
/// combined with every step of `zip` and every combination of `grid`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sweep {
    /// Lists of values; every combination is a point, the last key changes fastest.
    #[schemars(extend("additionalProperties" = json!({ "type": "array" })))]
    pub grid: serde_json::Map<String, Value>,
    /// Lists of values of one length, taken in step.
    #[schemars(extend("additionalProperties" = json!({ "type": "array" })))]
    pub zip: serde_json::Map<String, Value>,
    /// Tables of overrides.
    pub list: Vec<serde_json::Map<String, Value>>,
    /// When each point has enough runs: the scenario's `stop`, said here.
    pub stop: Option<StopChoice>,
}
