//! Strict priority: of the bands that hold a packet the first sends (RFC 2475's simplest scheduler,
//! tc-prio(8)).
use crate::aqm::AnyAqm;
use crate::aqm::drop_tail::DropTail;
use crate::dscp as codepoints;
use crate::dscp::Table;
use crate::qdisc::parts::child_aqm::Child;
use crate::qdisc::parts::classes::{ClassView, Classes};
use crate::qdisc::parts::scheduled::{Order, Scheduled};
use dumbbell_core::aqm::{Cx, LinkInfo};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Look, PlotColor, Provenance,
};
use dumbbell_core::packet::Meta;
use dumbbell_macros::config;

/// Strict priority with an AQM in each band.
pub type Prio<P> = Scheduled<Bands, AnyAqm, P>;

/// Parameters of [`Prio`].
#[config]
pub struct PrioConfig {
    /// Number of bands; band 0 goes first.
    #[schemars(range(min = 1, max = 16), extend("x-source" = "tc-prio(8): 3, at most 16"))]
    #[config(default = 3)]
    pub bands: u32,
    /// The band of each codepoint, as `{ ef = 0, af41 = 1, cs1 = 2 }`.
    #[schemars(
        extend("x-source" = "RFC 4594: expedited forwarding and network control first, CS1 and LE \
            last"),
    )]
    #[config(default = by_service())]
    pub map: Table,
    /// The band of the other codepoints.
    #[schemars(extend("x-source" = "tc-prio(8): best effort is in band 1"))]
    #[config(default = 1)]
    pub default_band: u32,
    /// When each band signals congestion.
    #[schemars(extend("x-source" = "tc-prio(8): pfifo"))]
    #[config(default = Child::of::<DropTail>())]
    pub aqm: Child,
}

/// Three bands after the services of RFC 4594: the first two, and the background.
fn by_service() -> Table {
    let map = [("ef", 0), ("va", 0), ("cs6", 0), ("cs7", 0), ("cs1", 2), ("le", 2)];
    map.map(|(name, band)| (name.to_string(), band)).into()
}

impl Config for PrioConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.default_band >= self.bands {
            let cause = format!(
                "band {}, and the last of {} is {}",
                self.default_band,
                self.bands,
                self.bands - 1
            );
            return Err(
                Fault::at("default_band", cause).fix("raise `bands`, or write a lower band")
            );
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

impl Bands {
    /// The bands of the 64 codepoints.
    pub fn of(of: [u32; 64]) -> Self {
        Bands { of }
    }
}

impl<P> Algorithm for Prio<P> {
    type Config = PrioConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "prio",
        title: "Strict priority (PRIO)",
        idea: "Of the bands that hold a packet the first always sends; later bands get what is \
            left.",
        equations: "next  =  min { band : backlog(band) > 0 }",
        sources: &["tc-prio(8)", "RFC 4594 (which codepoint goes first)"],
        provenance: Provenance::TwoReadings,
        rule: "bands, the first one always before the next",
        family: "classes",
        look: Some(Look::new(PlotColor::Black, 'v', 4)),
        kernel: Kernel::Lacks {
            why: "tc's prio goes by the priority of a host's packets, and by \
                filters",
            fix: "",
        },
        explained: Explained::as_story("classes", ""),
        ..About::PLAIN
    };
    fn new(config: &PrioConfig, link: &LinkInfo) -> Self {
        let classes = Classes::new(config.bands as usize, link, config.aqm.maker(link));
        Scheduled::of(Bands::of(codepoints::classes(&config.map, config.default_band)), classes)
    }
}

impl Order for Bands {
    fn classify(&mut self, _: &mut Cx<'_>, p: &Meta) -> usize {
        self.of[usize::from(p.dscp.0 & 63)] as usize
    }
    fn next(&mut self, _: &Cx<'_>, q: &impl ClassView) -> Option<usize> {
        (0..q.count()).find(|band| q.backlog(*band).packets > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qdisc::parts::test_qdisc::{TestQdisc, numbers};
    use dumbbell_core::testing::{Numbered, link};
    use dumbbell_core::units::Capacity;
    use serde_json::json;

    fn deck(config: serde_json::Value, capacity: Capacity) -> TestQdisc<Prio<Numbered>> {
        TestQdisc::new(
            |site| Prio::new(&dumbbell_core::catalogue::read(&config).unwrap(), site),
            link(capacity),
        )
    }

    #[test]
    fn the_first_band_that_holds_a_packet_sends() {
        let mut d = deck(json!({}), Capacity::Unlimited);
        // CS1 is in band 2, EF and CS6 in band 0, the others in band 1.
        for dscp in [8, 0, 46, 10, 8, 48, 0] {
            d.put(0, dscp, 100);
        }
        assert_eq!([d.take().unwrap().id, d.take().unwrap().id], [2, 5]);
        // One that comes later goes before all that wait in later bands.
        d.put(0, 46, 100);
        assert_eq!(numbers(&mut d), [7, 1, 3, 6, 0, 4]);
    }

    /// A band gets only what earlier ones leave: nothing, while they have enough.
    #[test]
    fn a_later_band_starves() {
        let mut d = deck(json!({"bands": 2, "map": {"ef": 0}}), Capacity::Unlimited);
        d.put(0, 0, 100);
        for _ in 0..1000 {
            d.put(0, 46, 1500);
            assert_eq!(d.take().unwrap().meta.dscp.0, 46);
        }
        assert_eq!(numbers(&mut d), [0]);
    }

    #[test]
    fn bands_share_one_buffer() {
        let mut d = deck(json!({}), Capacity::Bytes(1000));
        for (dscp, bytes) in [(0, 600), (46, 600), (46, 400), (8, 1)] {
            d.put(0, dscp, bytes);
        }
        assert_eq!(d.dropped(), [(1, "overflow"), (3, "overflow")]);
    }

    /// An algorithm that pushes packets out does so in its own band, and never more than it needs.
    #[test]
    fn a_band_makes_room_among_its_own() {
        let mut d =
            deck(json!({"aqm": {"kind": "drop_tail", "victim": "front"}}), Capacity::Packets(3));
        for dscp in [0, 0, 46, 46, 0, 8] {
            d.put(0, dscp, 100);
        }
        assert_eq!(d.dropped(), [(2, "evicted"), (0, "evicted"), (5, "overflow")]);
        assert_eq!(numbers(&mut d), [3, 1, 4]);
    }

    #[test]
    fn what_cannot_be_is_said() {
        let fault = |v| dumbbell_core::catalogue::read::<PrioConfig>(&v).unwrap_err();
        for (config, at) in [
            (json!({"bands": 0}), "bands"),
            (json!({"bands": 17}), "bands"),
            (json!({"bands": 1}), "default_band"),
            (json!({"bands": 2}), "map.cs1"),
            (json!({"default_band": 3}), "default_band"),
            (json!({"map": {"ef": 3}}), "map.ef"),
            (json!({"aqm": "codle"}), "aqm.kind"),
        ] {
            let fault = fault(config);
            assert!(fault.at == at && fault.fix.is_some(), "{fault:?}");
        }
    }
}
