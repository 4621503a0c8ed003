//! Sessions of a scenario: many short flows that arrive at random or by a list.
use super::{CcChoice, ConditionerChoice, Direction, Pattern, Profile, TcpChoice};
use crate::language::codepoint::Codepoint;
use dumbbell_core::rng::distribution::Distribution;
use dumbbell_core::units::{Bytes, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// Short flows that arrive one after the other; each opens a connection, transfers a number of
/// bytes and closes. Arrival times and sizes are drawn from the seed and the session's name, or
/// read from a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Session {
    /// Name of the session, unique; its flows are `name.1`, `name.2`, ... Default `session1`,
    /// `session2`, ... by its place in the file.
    pub name: Option<String>,

    // When flows arrive and how large they are.
    /// Mean arrival rate of the flows, such as `"50/s"`; arrivals are a Poisson process.
    pub arrivals: Option<Frequency>,
    /// Offered load, instead of `arrivals`: mean payload rate as a fraction of the rate of the
    /// path's slowest link, such as 0.8. The arrival rate follows from the mean size.
    pub load: Option<f64>,
    /// Size of a transfer: a fixed size, a distribution, or the name of a measured distribution.
    pub size: Option<Distribution<Bytes>>,
    /// Instead of `arrivals`, `load` and `size`: a CSV file of transfers, relative to this file.
    /// Its columns are `start`, `size` and, optionally in an explicit network, `from` and `to`.
    pub list: Option<String>,
    /// Instead of `list`: the CSV text itself.
    pub transfers: Option<String>,
    /// When arrivals begin; the times of a list count from here.
    pub start: Span,
    /// When arrivals end; default: the end of the run. Flows that have begun continue.
    pub stop: Option<Span>,
    /// Maximum number of flows; default: no limit.
    pub most: Option<u64>,

    // Where their data goes.
    /// Name of the sending host; in a network with named hosts.
    pub from: Option<String>,
    /// Name of the receiving host; in a network with named hosts.
    pub to: Option<String>,
    /// Instead of `from` and `to`: between which hosts each arrival sends; in a network with named
    /// hosts. `load` is then a fraction of the rates of the hosts' own links together, or of that
    /// of the receiver that an incast names.
    pub pattern: Option<Pattern>,
    /// Path of the data: the routers between the two hosts, in order.
    pub via: Option<Vec<String>>,
    /// Path of the acknowledgments; default: that of `via`, backward.
    pub via_back: Option<Vec<String>>,
    /// Numbers of the routers where the flows enter and leave, from 0; in a parking lot. Default:
    /// the first and the last.
    pub path: Option<[u64; 2]>,
    /// Direction of the data; in a dumbbell.
    pub direction: Direction,

    // The connections and their packets.
    /// Congestion control; default: as of a flow.
    pub cc: Option<CcChoice>,
    /// Round-trip propagation time; the delay of the access links is raised until it is exact.
    pub rtt: Option<Span>,
    /// Defaults of the flows' TCP; default: the scenario's `profile`.
    pub profile: Option<Profile>,
    /// TCP settings that override the profile and the scenario's `tcp`.
    pub tcp: Option<TcpChoice>,
    /// Shaper, marker or list of them (an edge) that the packets pass where they enter the network;
    /// in a short form.
    pub conditioner: Option<ConditionerChoice>,
    /// DiffServ codepoint of the packets, data and acknowledgments alike; default 0, best effort.
    pub dscp: Option<Codepoint>,
    /// Scheduling weight, for queues that use weights; default 1.
    pub weight: Option<f64>,
}

/// An average number of events per time; written `"50/s"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frequency {
    /// Events per second; finite and greater than zero.
    pub per_s: f64,
}

/// The units of time in which a frequency can be written, with their length in seconds.
const UNITS: [(&str, f64); 4] = [("s", 1.0), ("ms", 1e-3), ("min", 60.0), ("h", 3600.0)];

impl FromStr for Frequency {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let invalid =
            || format!("`{text}` is not a valid arrival rate: write \"50/s\" or \"30/min\"");
        let (number, unit) = text.split_once('/').ok_or_else(invalid)?;
        let number: f64 = number.trim().replace('_', "").parse().map_err(|_| invalid())?;
        let unit = unit.trim();
        let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(invalid)?;
        let per_s = number / seconds;
        if !per_s.is_finite() || per_s <= 0.0 {
            return Err(format!("`{text}`: an arrival rate is above zero: write \"50/s\""));
        }
        Ok(Frequency { per_s })
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/s", self.per_s)
    }
}

impl Serialize for Frequency {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Frequency {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        use serde_json::Value;
        let parsed = match Value::deserialize(d)? {
            Value::String(text) => text.parse(),
            Value::Number(n) => Err(format!(
                "an arrival rate needs its unit: write \"{n}/s\" if that is what you mean"
            )),
            other => Err(format!("{other} is not a valid arrival rate: write \"50/s\"")),
        };
        parsed.map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Frequency {
    fn schema_name() -> Cow<'static, str> {
        "Frequency".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^ *[0-9.eE+_-]+ */ *(s|ms|min|h) *$",
            "x-unit": "arrival rate",
            "examples": ["50/s"],
        })
    }
}
