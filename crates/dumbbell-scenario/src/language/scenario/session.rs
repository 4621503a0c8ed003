//! Sessions of a scenario: many short flows that arrive by chance or by a list.
use super::{CcChoice, ConditionerChoice, Direction, Profile, TcpChoice};
use crate::language::codepoint::Codepoint;
use dumbbell_core::rng::distribution::Distribution;
use dumbbell_core::units::{Bytes, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// Flows that arrive one after the other, each a connection of its own that transfers so many bytes
/// and closes. When they arrive and how large they are is drawn from the seed and the session's
/// name, or read from a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Session {
    /// Its name, unique; its flows are `name.1`, `name.2`, ... Default `session1`, `session2`, ...
    pub name: Option<String>,
    /// Mean rate of a Poisson process of arrivals, as in `"50/s"`.
    pub arrivals: Option<Frequency>,
    /// Instead of `arrivals`: the rate at which the mean size offers so much of the slowest link of
    /// the path, counted in payload.
    pub load: Option<f64>,
    /// Size of a transfer: a size, a law, or the name of a measured distribution.
    pub size: Option<Distribution<Bytes>>,
    /// Instead of all these: a file of transfers, relative to this one: CSV with the columns
    /// `start`, `size` and, in a network of its own, perhaps `from` and `to`.
    pub list: Option<String>,
    /// What such a file says, here.
    pub transfers: Option<String>,
    /// When arrivals begin; the times of a list count from here.
    pub start: Span,
    /// When arrivals end; default at the end of the run. Flows that have begun go on.
    pub stop: Option<Span>,
    /// At most so many flows; default as many as arrive.
    pub most: Option<u64>,
    /// The sending host, in a network of its own.
    pub from: Option<String>,
    /// The receiving host, in a network of its own.
    pub to: Option<String>,
    /// Routers where they enter and leave, in a parking lot; default the first and the last.
    pub path: Option<[u64; 2]>,
    /// Which way their data goes, in a dumbbell.
    pub direction: Direction,
    /// Congestion control; default as a flow's.
    pub cc: Option<CcChoice>,
    /// Round-trip propagation time, realised on their access links.
    pub rtt: Option<Span>,
    /// Their TCP; default the scenario's.
    pub profile: Option<Profile>,
    /// Fields of TCP that differ from the profile and from the scenario's `tcp`.
    pub tcp: Option<TcpChoice>,
    /// What their packets pass where they enter a short form's network.
    pub conditioner: Option<ConditionerChoice>,
    /// DiffServ codepoint of their packets, both ways.
    pub dscp: Option<Codepoint>,
    /// Scheduling weight, for queues that ask for it; default 1.
    pub weight: Option<f64>,
}

/// The average frequency of an event: `"50/s"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frequency {
    /// Times in a second; above zero.
    pub per_s: f64,
}

/// Its units, in seconds.
const UNITS: [(&str, f64); 4] = [("s", 1.0), ("ms", 1e-3), ("min", 60.0), ("h", 3600.0)];

impl FromStr for Frequency {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no rate of arrivals: write \"50/s\" or \"30/min\"");
        let (number, unit) = text.split_once('/').ok_or_else(wrong)?;
        let number: f64 = number.trim().replace('_', "").parse().map_err(|_| wrong())?;
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == unit.trim()).ok_or_else(wrong)?;
        match number / unit {
            per_s if per_s.is_finite() && per_s > 0.0 => Ok(Frequency { per_s }),
            _ => Err(format!("`{text}`: a rate of arrivals is above zero: write \"50/s\"")),
        }
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
        let value = serde_json::Value::deserialize(d)?;
        let said = match &value {
            serde_json::Value::String(text) => text.parse(),
            other => Err(format!(
                "a rate of arrivals needs its unit: write \"{other}/s\" if that \
                is what you mean"
            )),
        };
        said.map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Frequency {
    fn schema_name() -> Cow<'static, str> {
        "Frequency".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "type": "string", "pattern": "^ *[0-9.eE+_-]+ */ *(s|ms|min|h) *$", "x-unit": "rate of \
                arrivals",
            "examples": ["50/s"],
        })
    }
}
