//! The scenario language: what a file, or a dictionary with the same words, may say.
//!
//! The doc comments are the documentation that users read, through the JSON Schema.
use crate::language::warnings::WarningCode;
use dumbbell_core::units::Span;
use dumbbell_plan::Testbed;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;

mod fabric;
mod flow;
mod network;
pub mod pattern;
mod record;
pub mod routing;
mod session;
pub use fabric::{Cable, DownTime, FatTree, LeafSpine, LinkChange, Star, Wan, WanLink};
pub use flow::{Direction, Flow, Radio, TransportName};
pub use network::{
    Access, Dumbbell, Link, LinkReverse, ParkingLot, Reassembly, Reverse, SharedBuffer, Station,
    Wire,
};
pub use pattern::{Pattern, PatternKind};
pub use record::{Followed, Record};
pub use routing::{Routing, RoutingKind, SpreadBy};
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
    /// A queue: the name of an aqm, or a table with `kind`, `limit`, `limit_rule`,
    /// `count_in_service`, `watch_above`, `report` and its parameters.
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
    /// How a transmitter uses the wire: the name of a service, or a table with `kind` and its
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
    /// Fields of QUIC that differ from their defaults.
    QuicChoice, "quic"
);
choice!(
    /// Fields of SCReAM that differ from their defaults.
    ScreamChoice, "scream"
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

/// A scenario of Dumbbell: a network, its flows, and how long to run them.
///
/// The network is one of `dumbbell`, `parking_lot`, `star`, `leaf_spine`, `fat_tree`, `wan`, or an
/// explicit network of hosts, routers and links. Every quantity is written with its unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Version of the language; this release reads 1.
    #[serde(default = "one_u64")]
    pub schema: u64,
    /// Name of the scenario; default: the file's name.
    pub name: Option<String>,
    /// What the scenario shows, in a sentence.
    pub title: Option<String>,
    /// A scenario to start from, relative to this file: tables are merged into its tables, lists
    /// replace its lists.
    pub extends: Option<String>,
    /// Files with your algorithms, relative to this file: `use = ["mine.py"]`. Those of the
    /// scenario that this one extends are used, too.
    #[serde(default, rename = "use")]
    pub uses: Vec<String>,
    /// How long a run lasts.
    pub duration: Span,
    /// Time at the start of a run that measurements leave out.
    #[serde(default)]
    pub warmup: Span,
    /// Seed of the first run; the others count up from it.
    #[serde(default = "one_u64")]
    pub seed: u64,
    /// Number of runs, each with a seed of its own.
    #[serde(default = "one_u64")]
    #[schemars(range(min = 1, max = 100_000))]
    pub replications: u64,
    /// Condition for enough runs; `replications` is then the least number of them.
    pub stop: Option<StopChoice>,
    /// Defaults of the flows' TCP; a flow may have another.
    #[serde(default)]
    pub profile: Profile,
    /// TCP settings that override the profile, for all flows.
    pub tcp: Option<TcpChoice>,
    /// QUIC settings that override the defaults, for all flows of QUIC.
    pub quic: Option<QuicChoice>,
    /// SCReAM settings that override the defaults, for all flows of SCReAM.
    pub scream: Option<ScreamChoice>,
    /// Short form of a network: two routers with a bottleneck between them, and a host for each end
    /// of each flow.
    pub dumbbell: Option<Dumbbell>,
    /// Short form of a network: a row of routers with a bottleneck between each two neighbors;
    /// flows enter and leave anywhere.
    pub parking_lot: Option<ParkingLot>,
    /// Queue of the bottleneck (of each bottleneck, in a parking lot) in the forward direction; of
    /// each port of a switch in a `star`, `leaf_spine`, `fat_tree` or `wan`. Default: `drop_tail`
    /// with a limit of 50 packets.
    pub queue: Option<QueueChoice>,
    /// Queue of the bottleneck in the other direction. Default: the same as `queue` if a flow sends
    /// data that way, else an unlimited `drop_tail` (only acknowledgments pass it).
    pub queue_reverse: Option<QueueChoice>,
    /// Short form of a network: one switch with hosts around it.
    pub star: Option<Star>,
    /// Short form of a network: leaf switches with hosts, each joined with every spine switch.
    pub leaf_spine: Option<LeafSpine>,
    /// Short form of a network: three layers of switches with `k` ports each.
    pub fat_tree: Option<FatTree>,
    /// Short form of a network: routers and links from a file.
    pub wan: Option<Wan>,
    /// The flows.
    #[serde(default)]
    pub flow: Vec<Flow>,
    /// Groups of short flows that arrive at random or by a list.
    #[serde(default)]
    pub session: Vec<Session>,
    /// Processor of each host that has no `cpu` of its own. Default: packets cost a host no time.
    pub cpu: Option<CpuChoice>,
    /// Hosts of an explicit network.
    #[serde(default)]
    pub host: Vec<Station>,
    /// Routers of an explicit network.
    #[serde(default)]
    pub router: Vec<Station>,
    /// Links of an explicit network.
    #[serde(default)]
    pub link: Vec<Link>,
    /// Changes of single links of a network with named hosts: by the name of a direction, such as
    /// `"leaf1->spine2"`, or of both, `"leaf1<->spine2"`.
    #[serde(default)]
    pub links: BTreeMap<String, LinkChange>,
    /// How paths are chosen in a network with named hosts; default `shortest`, in a `leaf_spine` or
    /// `fat_tree` `ecmp`.
    pub routing: Option<Routing>,
    /// Whether routers tell senders of packets that were too large (ICMP); default true. A
    /// `[[router]]` may say otherwise.
    pub icmp: Option<bool>,
    /// How hosts reassemble fragmented datagrams.
    #[serde(default)]
    pub reassembly: Reassembly,
    /// Settings of runs between real hosts; a simulation ignores them.
    #[serde(default)]
    pub testbed: Testbed,
    /// What is recorded besides the summary.
    #[serde(default)]
    pub record: Record,
    /// Codes of warnings that are not given, as in `allow = ["W012"]`.
    #[serde(default)]
    pub allow: Vec<WarningCode>,
    /// Points to run instead of the one scenario.
    pub sweep: Option<Sweep>,
}

fn one_u64() -> u64 {
    1
}

/// A set of TCP defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// ns-2.35's one-way TCP with its defaults.
    Ns2,
    /// The RFCs' recommendations.
    #[default]
    Rfc,
    /// The defaults of a Linux host.
    Linux,
}

impl Profile {
    /// The name of the profile in a scenario.
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
    /// Condition for enough runs of a point: another place for the scenario's `stop`.
    pub stop: Option<StopChoice>,
}

/// The default name of flow number `i`, counted from 0.
pub fn default_flow_name(i: usize) -> String {
    format!("flow{}", i + 1)
}
