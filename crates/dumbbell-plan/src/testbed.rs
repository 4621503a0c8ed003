//! How a plan is run between real hosts. A simulation asks none of it.
use dumbbell_core::units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a run on the testbed is made, and what it must keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Testbed {
    /// The class that a run must reach to be valid; default `loose`. Each run reports the class that it reached.
    pub class: Class,
    /// How the router waits for the next instant; default `hybrid`.
    pub wait: Wait,
    /// How packets come from the hosts to the router; default `auto`.
    pub datapath: Datapath,
    /// Between two looks at each sender's TCP, 1 ms at least; default 10 ms.
    pub sample: Span,
    /// Whether the machine's limits are measured for about a second before the run; default true. Without it a rate that is
    /// beyond them is found out only by the run.
    pub calibrate: bool,
}

impl Default for Testbed {
    fn default() -> Self {
        Testbed {
            class: Class::default(),
            wait: Wait::default(),
            datapath: Datapath::default(),
            sample: Span::from_ms(10),
            calibrate: true,
        }
    }
}

/// How far the router's lateness and stalls may move a run's results; the best class comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Goodput and mean wait within 0.2 %; 99 of 100 packets late by at most one packet time of the bottleneck.
    Exact,
    /// Within 1 %; by at most two packet times.
    Good,
    /// Within 5 %; by at most five packet times.
    #[default]
    Loose,
}

impl Class {
    /// All classes, the best first.
    pub const ALL: [Class; 3] = [Class::Exact, Class::Good, Class::Loose];

    /// Packet times of the bottleneck that 99 of 100 packets may be late by.
    pub fn packets(self) -> u32 {
        match self {
            Class::Exact => 1,
            Class::Good => 2,
            Class::Loose => 5,
        }
    }
    /// The error of goodput and of the mean wait that it permits, as a share of the value.
    pub fn error(self) -> f64 {
        match self {
            Class::Exact => 0.002,
            Class::Good => 0.01,
            Class::Loose => 0.05,
        }
    }
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Class::Exact => "exact",
            Class::Good => "good",
            Class::Loose => "loose",
        }
    }
}

/// How the router waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Wait {
    /// Asleep until shortly before, then awake: exact to a few microseconds, a third of a core at 100 Mbit/s.
    #[default]
    Hybrid,
    /// Asleep: exact to some ten microseconds, an eighth of a core.
    Sleep,
}

/// Where the router gets its packets from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Datapath {
    /// TUN where it can be opened, else AF_PACKET.
    #[default]
    Auto,
    /// A TUN device for each host.
    Tun,
    /// A pair of Ethernet devices for each host, and AF_PACKET rings: no rights are needed outside of a user namespace.
    AfPacket,
}
