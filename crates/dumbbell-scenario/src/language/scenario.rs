//! The scenario language: what a file, or a dictionary with the same words, may say.
//!
//! The doc comments are the documentation that users read, through the JSON Schema.
use dumbbell_core::units::{Bytes, Rate, Span};
use dumbbell_plan::Testbed;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;

mod flow;
mod record;
mod session;
pub use flow::{Direction, Flow, Radio, TransportName};
pub use record::{Followed, Record};
pub use session::{Frequency, Session};

/// A value that the catalogue judges, not serde: its schema is a definition that
/// [`crate::language::schema`] fills in.
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
    /// A queue: the name of an aqm, or a table with `kind`, `limit`, `count_in_service`,
    /// `watch_above` and its parameters.
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
    /// What packets pass before a queue: the name of a conditioner, or a table with `kind` and its
    /// parameters.
    ConditionerChoice, "conditioner"
);
choice!(
    /// How a transmitter takes the wire: the name of a service, or a table with `kind` and its
    /// parameters.
    ServiceChoice, "service"
);
choice!(
    /// A host's processor: the name of a preset, `"none"`, or a table with `preset`, `ring` and the
    /// parameters of the service `host_cpu`.
    CpuChoice, "cpu"
);
choice!(
    /// Fields of TCP that differ from the profile.
    TcpChoice, "tcp"
);
choice!(
    /// When a point has enough runs: a rule such as `"ci95 < 2%"`, or a table with `rule` and
    /// `most`.
    StopChoice, "stop"
);
choice!(
    /// Bytes that a link adds to each packet: `"ethernet"` (38, and 84 on the wire at least),
    /// `"vlan"` (42), `"pppoe"` (46), `"none"`, or a size such as `"26 B"`.
    FramingChoice, "framing"
);

/// A scenario of Dumbbell: a network, its flows, and how long to watch them.
///
/// The network is one of `dumbbell`, `parking_lot`, or hosts, routers and links of its own. Every
/// quantity is written with its unit.
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
    /// A scenario to start from, relative to this file: tables are merged into its tables, lists
    /// replace its lists.
    pub extends: Option<String>,
    /// Files with algorithms of your own, relative to this file: `use = ["mine.py"]`. Those of a
    /// scenario that is extended stay.
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
    /// A row of routers with a bottleneck between each two neighbours; flows enter and leave
    /// anywhere.
    pub parking_lot: Option<ParkingLot>,
    /// The bottleneck's queue (of each bottleneck, in a parking lot), in the forward direction.
    /// Default: `drop_tail` with a limit of 50 packets.
    pub queue: Option<QueueChoice>,
    /// The bottleneck's queue in the other direction. Default: the same as `queue` if a flow sends
    /// data that way, else an unlimited `drop_tail` (only acknowledgements pass it).
    pub queue_reverse: Option<QueueChoice>,
    /// The flows.
    #[serde(default)]
    pub flow: Vec<Flow>,
    /// Groups of short flows that arrive by chance or by a list.
    #[serde(default)]
    pub session: Vec<Session>,
    /// The processor of each host that has none of its own: what packets cost it. Default: they
    /// cost nothing.
    pub cpu: Option<CpuChoice>,
    /// Hosts of a network of its own.
    #[serde(default)]
    pub host: Vec<Station>,
    /// Routers of a network of its own.
    #[serde(default)]
    pub router: Vec<Station>,
    /// Links of a network of its own.
    #[serde(default)]
    pub link: Vec<Link>,
    /// Whether routers tell senders of packets that were too large (ICMP); default true. A
    /// `[[router]]` may say otherwise.
    pub icmp: Option<bool>,
    /// How hosts put datagrams together from their fragments.
    #[serde(default)]
    pub reassembly: Reassembly,
    /// How it is run between real hosts; a simulation asks none of it.
    #[serde(default)]
    pub testbed: Testbed,
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
    /// The congestion control of a flow that names none: the standard window with the profile's
    /// recovery.
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
    /// What packets pass before the queue in the forward direction: a shaper, a marker, or a list
    /// of them (an edge).
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

/// What differs in a link's other direction; rate and delay are the forward ones unless given here.
/// The forward service stays with the forward direction, its mean rate is this one's `rate`.
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
    /// Of a router: whether it tells senders of packets that were too large (ICMP); default true.
    /// One that does not is a black hole of path MTU discovery.
    pub icmp: Option<bool>,
    /// The processor of a host; default the scenario's `cpu`.
    pub cpu: Option<CpuChoice>,
}

/// How hosts put datagrams together from their fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Reassembly {
    /// How long a host waits from a datagram's first fragment on for the others; default 30 s, as
    /// Linux (RFC 791 begins with 15 s, RFC 1122 section 3.3.2 has 60 to 120 s).
    pub timeout: Span,
    /// Payload bytes of fragments that a host keeps at most; what does not fit is discarded.
    /// Default 4 MiB, as Linux.
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
    /// The queue of each direction; default an unlimited `drop_tail`. A queue that is written is
    /// reported.
    pub queue: Option<QueueChoice>,
    /// What packets pass before the queue in the forward direction: a shaper, a marker, or a list
    /// of them (an edge).
    pub conditioner: Option<ConditionerChoice>,
    /// What the wire does to packets in the forward direction.
    #[serde(default)]
    pub impairment: Vec<ImpairmentChoice>,
    /// What differs in the other direction.
    #[serde(default)]
    pub reverse: LinkReverse,
}

/// What differs in a link's other direction; rate, delay and queue are the forward ones unless
/// given here. The forward service stays with the forward direction, its mean rate is this one's
/// `rate`.
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

/// Several points in one scenario. Keys are paths as in `-s`. Given together, every entry of `list`
/// is combined with every step of `zip` and every combination of `grid`.
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

/// The name of `[[flow]]` number `i`, from 0, if it has none of its own.
pub fn default_flow_name(i: usize) -> String {
    format!("flow{}", i + 1)
}
