//! Strict priority: of the bands that hold a packet the first sends (RFC 2475's simplest scheduler, tc-prio(8)).
use super::child::Child;
use super::classes::{Classes, Lines};
use super::codepoints::{self, Table};
use super::scheduled::{Order, Scheduled};
use crate::aqm::AnyAqm;
use crate::aqm::drop_tail::DropTail;
use dumbbell_core::aqm::{Cx, LinkInfo};
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::packet::Meta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Strict priority with an AQM in each band.
pub type Prio<P> = Scheduled<Bands, AnyAqm, P>;

/// Parameters of [`Prio`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PrioConfig {
    /// Number of bands; band 0 goes first.
    #[schemars(range(min = 1, max = 16), extend("x-source" = "tc-prio(8): 3, at most 16"))]
    pub bands: u32,
    /// The band of each codepoint, as `{ ef = 0, af41 = 1, cs1 = 2 }`.
    #[schemars(extend("x-source" = "RFC 4594: expedited forwarding and network control first, CS1 and LE last"))]
    pub map: Table,
    /// The band of the other codepoints.
    #[schemars(extend("x-source" = "tc-prio(8): best effort is in band 1"))]
    pub default_band: u32,
    /// When each band signals congestion.
    #[schemars(extend("x-source" = "tc-prio(8): pfifo"))]
    pub aqm: Child,
}

impl Default for PrioConfig {
    fn default() -> Self {
        let map = [("ef", 0), ("va", 0), ("cs6", 0), ("cs7", 0), ("cs1", 2), ("le", 2)];
        PrioConfig {
            bands: 3,
            map: map.map(|(name, band)| (name.to_string(), band)).into(),
            default_band: 1,
            aqm: Child::of::<DropTail>(),
        }
    }
}

impl Config for PrioConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.default_band >= self.bands {
            let cause = format!("band {}, and the last of {} is {}", self.default_band, self.bands, self.bands - 1);
            return Err(Fault::at("default_band", cause).fix("raise `bands`, or write a lower band"));
        }
        codepoints::check(&self.map, "map", self.bands)?;
        self.aqm.check("aqm")
    }
}

/// The order of bands.
#[derive(Clone, Debug)]
pub struct Bands {
    of: [u32; 64],
}

impl<P> Algorithm for Prio<P> {
    type Config = PrioConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "prio",
        title: "Strict priority (PRIO)",
        idea: "Of the bands that hold a packet the first always sends; later bands get what is left.",
        equations: "next  =  min { band : backlog(band) > 0 }",
        sources: &["tc-prio(8)", "RFC 4594 (which codepoint goes first)"],
        provenance: Provenance::TwoReadings,
    };
    fn new(config: &PrioConfig, link: &LinkInfo) -> Self {
        let classes = Classes::new(config.bands as usize, link, |_| config.aqm.build(link));
        Scheduled::new(Bands { of: codepoints::classes(&config.map, config.default_band) }, classes)
    }
}

impl Order for Bands {
    fn classify(&mut self, _: &mut Cx<'_>, p: &Meta) -> usize {
        self.of[usize::from(p.dscp.0 & 63)] as usize
    }
    fn next(&mut self, q: &impl Lines) -> Option<usize> {
        (0..q.count()).find(|band| q.backlog(*band).packets > 0)
    }
}
