//! The settings of a live run: a simulation ignores them.
use dumbbell_core::units::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::fmt;

/// How a run on the testbed is made, and how accurate it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Testbed {
    /// The class that a run must reach to be valid; default `loose`. Each run reports the class
    /// that it reached.
    pub class: Class,
    /// How the router waits for the next instant; default `hybrid`.
    pub wait: Wait,
    /// How packets come from the hosts to the router; default `auto`.
    pub datapath: Datapath,
    /// Time between two samples of each sender's TCP, at least 1 ms; default 10 ms.
    pub sample: Span,
    /// Whether the machine's limits are measured for about a second before the run; default true.
    /// Without it only the run itself shows that a rate exceeds them.
    pub calibrate: bool,
    /// The core that the router's thread runs on: its number, or `isolated` for the last that the
    /// kernel keeps free of other work. Everything else of the run stays off it. Default: the last
    /// core, which others may use too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<Core>,
    /// Bytes of IP that a capture keeps of each packet, where packets are recorded
    /// (`record.packets`); default 120 B, which holds the headers. `65535 B` keeps whole packets.
    #[serde(skip_serializing_if = "is_headers")]
    #[schemars(extend("default" = HEADERS.to_string()))]
    pub snaplen: Bytes,
}

/// The default of [`Testbed::snaplen`]: IPv6 and TCP headers with all options, or 20 bytes of
/// payload behind IPv4's and TCP's longest.
const HEADERS: Bytes = Bytes(120);

/// Scenarios that do not name a snap length have the plan, and its hash, that they had before there
/// was one.
fn is_headers(snaplen: &Bytes) -> bool {
    *snaplen == HEADERS
}

impl Default for Testbed {
    fn default() -> Self {
        Testbed {
            class: Class::default(),
            wait: Wait::default(),
            datapath: Datapath::default(),
            sample: Span::from_ms(10),
            calibrate: true,
            core: None,
            snaplen: HEADERS,
        }
    }
}

/// How far the router's lateness and stalls may move a run's results; the best class comes first.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Goodput and mean wait within 0.2 %; 99 of 100 packets late by at most one packet time of the
    /// bottleneck.
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
    /// Asleep until shortly before, then awake: exact to a few microseconds, a third of a core at
    /// 100 Mbit/s.
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
    /// A pair of Ethernet devices for each host, and AF_PACKET rings: no rights are needed outside
    /// of a user namespace.
    AfPacket,
}

/// The core that the router's thread runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Core {
    /// The core with this number.
    Number(u16),
    /// The last of those that the kernel was told to isolate.
    Isolated,
}

const ISOLATED: &str = "isolated";

impl Serialize for Core {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Core::Number(number) => out.serialize_u16(*number),
            Core::Isolated => out.serialize_str(ISOLATED),
        }
    }
}

impl<'de> Deserialize<'de> for Core {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Core;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the number of a core, or \"isolated\"")
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Core, E> {
                let number = number.try_into();
                number.map(Core::Number).map_err(|_| E::custom("no machine has so many cores"))
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Core, E> {
                match number.try_into() {
                    Ok(number) => self.visit_u64(number),
                    Err(_) => Err(E::invalid_value(de::Unexpected::Signed(number), &self)),
                }
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Core, E> {
                if text == ISOLATED {
                    Ok(Core::Isolated)
                } else {
                    Err(E::invalid_value(de::Unexpected::Str(text), &self))
                }
            }
        }
        from.deserialize_any(Visitor)
    }
}

impl JsonSchema for Core {
    fn schema_name() -> Cow<'static, str> {
        "Core".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "anyOf": [
                { "type": "integer", "minimum": 0, "maximum": u16::MAX },
                { "type": "string", "enum": [ISOLATED] },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_says_what_the_snap_length_is() {
        let schema = serde_json::to_value(schemars::schema_for!(Testbed)).expect("plain data");
        assert_eq!(schema["properties"]["snaplen"]["default"], "120 B");
    }

    /// A plan's hash is of its JSON: what a scenario does not name must not be in it.
    #[test]
    fn what_is_not_named_is_not_in_the_plan() {
        let default = serde_json::to_value(Testbed::default()).expect("plain data");
        assert_eq!(default.get("core"), None);
        assert_eq!(default.get("snaplen"), None);
        for (text, core) in [("3", Core::Number(3)), ("\"isolated\"", Core::Isolated)] {
            let read: Core = serde_json::from_str(text).expect("a core");
            assert_eq!(
                (read, serde_json::to_string(&core).expect("plain data").as_str()),
                (core, text)
            );
        }
        for wrong in ["-1", "70000", "\"last\"", "1.5"] {
            assert!(serde_json::from_str::<Core>(wrong).is_err(), "{wrong}");
        }
    }
}
