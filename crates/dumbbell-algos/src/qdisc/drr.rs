//! Deficit round robin (Shreedhar, Varghese, IEEE/ACM ToN 4(3), June 1996): bytes shared out in
//! turns, in O(1).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | Quantum_i | `quantum` x the class's weight | bytes that a class may send in a round |
//! | DC_i | deficit | what it saved up: carried over while it is backlogged, lost when it empties |
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
use dumbbell_core::units::{Bytes, Time};
use dumbbell_macros::config;
use std::collections::VecDeque;

/// Deficit round robin with an AQM in each class.
pub type Drr<P> = Scheduled<Rounds, AnyAqm, P>;

/// Parameters of [`Drr`].
#[config]
pub struct DrrConfig {
    /// Weights of the classes, which take turns: a class may send its weight times `quantum` in a
    /// round.
    #[schemars(extend("x-source" = "two classes of the same weight"))]
    #[config(default = vec![1.0, 1.0])]
    pub weights: Vec<f64>,
    /// Bytes that a class of weight 1 may send in a round; at least the link's MTU makes each turn
    /// O(1).
    #[schemars(extend("x-source" = "tc-drr(8): the MTU"))]
    #[config(default = Bytes(1500))]
    pub quantum: Bytes,
    /// The class of each codepoint, as `{ ef = 0 }`.
    #[schemars(extend("x-source" = "expedited forwarding by itself (RFC 3246)"))]
    #[config(default = [("ef".to_string(), 0)].into())]
    pub map: Table,
    /// The class of the other codepoints.
    #[schemars(extend("x-source" = "the last of two"))]
    #[config(default = 1)]
    pub default_class: u32,
    /// When each class signals congestion.
    #[schemars(extend("x-source" = "tc-drr(8): pfifo"))]
    #[config(default = Child::of::<DropTail>())]
    pub aqm: Child,
}

impl Config for DrrConfig {
    fn check(&self) -> Result<(), Fault> {
        let count = self.weights.len() as u32;
        if count == 0 {
            return Err(Fault::at("weights", "there is no class").fix("write weights = [1, 1]"));
        }
        let wrong = |w: &f64| !(*w >= 1e-3 && *w <= 1e6);
        if let Some(i) = self.weights.iter().position(wrong) {
            let fault = Fault::at(
                &format!("weights[{i}]"),
                format!("{} is not a valid weight", self.weights[i]),
            );
            return Err(fault.fix("write a number from 0.001 to 1e6"));
        }
        let least =
            self.weights.iter().fold(f64::INFINITY, |a, w| a.min(*w)) * self.quantum.0 as f64;
        if least < LEAST_QUANTUM {
            let cause = format!(
                "a class may send {least:.0} bytes in a round: a packet takes it a hundred \
                    rounds and more"
            );
            return Err(Fault::at("quantum", cause).fix("raise it, or the smallest weight"));
        }
        if self.default_class >= count {
            let cause =
                format!("class {}, and the last of {count} is {}", self.default_class, count - 1);
            return Err(Fault::at("default_class", cause).fix(
                "add a weight for it, or write a \
                lower class",
            ));
        }
        codepoints::check(&self.map, "map", count)?;
        self.aqm.check("aqm")
    }
}

/// Bytes that a class may at least send in a round: turns without a packet cost time as well.
const LEAST_QUANTUM: f64 = 15.0;

/// The order of turns.
#[derive(Clone, Debug)]
pub struct Rounds {
    of: [u32; 64],
    quantum: Vec<f64>,
    deficit: Vec<f64>,
    /// Classes that hold packets, in the order of their turns; the first has had its quantum if
    /// `begun`.
    active: VecDeque<usize>,
    listed: Vec<bool>,
    begun: bool,
}

impl<P> Algorithm for Drr<P> {
    type Config = DrrConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "drr",
        title: "Deficit round robin (DRR)",
        idea: "Classes take turns; each may send its quantum of bytes and saves up what it could \
            not use.",
        equations: "at its turn    DC_i <- DC_i + Quantum_i\n\
                    while the head's length L <= DC_i:  send it,  DC_i <- DC_i - L\n\
                    when it is empty    DC_i <- 0",
        sources: &[
            "Shreedhar, Varghese: Efficient Fair Queuing Using Deficit Round-Robin, IEEE/ACM ToN \
                4(3), 1996",
            "tc-drr(8)",
        ],
        provenance: Provenance::TwoReadings,
        rule: "turns between classes, weights",
        family: "classes",
        look: Some(Look::new(PlotColor::Black, 'o', 0)),
        kernel: Kernel::Lacks { why: "tc's drr needs a line for each class and filters", fix: "" },
        explained: Explained::as_story("classes", ""),
        ..About::PLAIN
    };
    fn new(config: &DrrConfig, link: &LinkInfo) -> Self {
        let count = config.weights.len();
        let order = Rounds {
            of: codepoints::classes(&config.map, config.default_class),
            quantum: config.weights.iter().map(|w| w * config.quantum.0 as f64).collect(),
            deficit: vec![0.0; count],
            active: VecDeque::with_capacity(count),
            listed: vec![false; count],
            begun: false,
        };
        Scheduled::of(order, Classes::new(count, link, config.aqm.maker(link)))
    }
}

impl Rounds {
    /// The turn of the first class is over; it comes again after the others if it still holds
    /// packets.
    fn turn(&mut self, stays: bool) {
        self.begun = false;
        let Some(class) = self.active.pop_front() else { return };
        if stays {
            self.active.push_back(class);
        } else {
            (self.listed[class], self.deficit[class]) = (false, 0.0);
        }
    }
}

impl Order for Rounds {
    fn classify(&mut self, _: &mut Cx<'_>, p: &Meta) -> usize {
        self.of[usize::from(p.dscp.0 & 63)] as usize
    }
    fn joined(&mut self, _: &Cx<'_>, class: usize, _: &Meta, _: &impl ClassView) {
        if !std::mem::replace(&mut self.listed[class], true) {
            self.active.push_back(class);
        }
    }
    fn next(&mut self, _: &Cx<'_>, q: &impl ClassView) -> Option<usize> {
        loop {
            let class = *self.active.front()?;
            let Some((_, head)) = q.head(class) else {
                self.turn(false);
                continue;
            };
            if !self.begun {
                self.begun = true;
                self.deficit[class] += self.quantum[class];
            }
            if f64::from(head.ip_len) <= self.deficit[class] {
                return Some(class);
            }
            self.turn(true);
        }
    }
    fn sends(&mut self, class: usize, _: Time, p: &Meta, q: &impl ClassView) {
        self.deficit[class] -= f64::from(p.ip_len);
        if q.head(class).is_none() {
            self.turn(false);
        }
    }
    fn ran_dry(&mut self, _: usize, _: &impl ClassView) {
        self.turn(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qdisc::parts::test_qdisc::{TestQdisc, numbers};
    use dumbbell_core::rng::Stream;
    use dumbbell_core::testing::{Numbered, link};
    use dumbbell_core::units::Capacity;
    use serde_json::json;

    fn deck(config: serde_json::Value, capacity: Capacity) -> TestQdisc<Drr<Numbered>> {
        TestQdisc::new(
            |site| Drr::new(&dumbbell_core::catalogue::read(&config).unwrap(), site),
            link(capacity),
        )
    }

    /// By hand, after the example of the paper's figures 2 and 3 (quantum 500):
    /// round 1 leaves deficits of 300, 0, 300 and 450; in round 2 each sends all that it has.
    #[test]
    fn a_round_adds_a_quantum_and_saves_what_is_too_little() {
        let mut d = deck(
            json!({
                "weights": [1, 1, 1, 1], "quantum": "500 B",
                "map": {"0": 0, "1": 1, "2": 2, "3": 3}, "default_class": 0,
            }),
            Capacity::Unlimited,
        );
        for (class, sizes) in
            [(0, [200, 750, 20]), (1, [500, 500, 0]), (2, [200, 600, 100]), (3, [50, 700, 180])]
        {
            for bytes in sizes.into_iter().filter(|b| *b > 0) {
                d.put(0, class, bytes);
            }
        }
        let sizes: Vec<u32> = std::iter::from_fn(|| d.take()).map(|p| p.meta.ip_len).collect();
        assert_eq!(sizes, [200, 500, 200, 50, 750, 20, 500, 600, 100, 700, 180]);
    }

    /// While both are backlogged, S_i / w_i of two classes differ by at most Q + L (1 / w_i + 1 /
    /// w_j): each has had the same number of turns but one, and its deficit stays within one packet
    /// (Shreedhar, Varghese, lemma 2 and theorem 4).
    #[test]
    fn bytes_are_shared_by_weight_whatever_the_packets_sizes() {
        let weights = [1.0, 2.5, 4.0];
        let map = json!({"0": 0, "1": 1, "2": 2});
        let config =
            json!({"weights": weights, "quantum": "1500 B", "map": map, "default_class": 0});
        let mut d = deck(config, Capacity::Unlimited);
        let mut rng = Stream::named(1, "sizes");
        let sizes = [(40, 200), (1400, 1500), (40, 1500)];
        for _ in 0..2000 {
            for (class, (low, high)) in sizes.iter().enumerate() {
                d.put(class as u32, class as u8, low + rng.below(high - low + 1));
            }
        }
        let mut served = [0.0f64; 3];
        while d.qdisc.classes().busy().len() == 3 {
            let p = d.take().unwrap();
            served[usize::from(p.meta.dscp.0)] += f64::from(p.meta.ip_len);
            for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                let apart = (served[i] / weights[i] - served[j] / weights[j]).abs();
                assert!(apart <= 1500.0 + 1500.0 / weights[i] + 1500.0 / weights[j], "{served:?}");
            }
        }
        assert!(served[0] > 100_000.0, "{served:?}");
    }

    /// A class that empties loses its deficit: after its pause it begins with one quantum, not with
    /// what it had saved.
    #[test]
    fn a_class_that_empties_saves_nothing() {
        let mut d = deck(
            json!({
                "weights": [1, 1], "quantum": "1000 B", "map": {"0": 0, "1": 1}, "default_class": 0,
            }),
            Capacity::Unlimited,
        );
        d.put(0, 0, 100);
        assert_eq!(d.take().unwrap().meta.ip_len, 100);
        for bytes in [1000, 500] {
            d.put(0, 0, bytes);
            d.put(1, 1, bytes);
        }
        // With 900 B saved class 0 would send both.
        assert_eq!(numbers(&mut d), [1, 2, 3, 4]);
    }

    #[test]
    fn classes_share_one_buffer() {
        let mut d = deck(json!({"map": {"ef": 0}}), Capacity::Packets(3));
        for dscp in [0, 46, 0, 46, 0] {
            d.put(0, dscp, 100);
        }
        assert_eq!(d.dropped(), [(3, "overflow"), (4, "overflow")]);
        assert_eq!(numbers(&mut d), [0, 2, 1]);
    }

    #[test]
    fn what_cannot_be_is_said() {
        let fault = |v| dumbbell_core::catalogue::read::<DrrConfig>(&v).unwrap_err();
        for (config, at) in [
            (json!({"weights": []}), "weights"),
            (json!({"weights": [1, 0]}), "weights[1]"),
            (json!({"weights": [1, -2]}), "weights[1]"),
            (json!({"quantum": "0 B"}), "quantum"),
            (json!({"weights": [1, 0.001]}), "quantum"),
            (json!({"default_class": 2}), "default_class"),
            (json!({"map": {"ef": 7}}), "map.ef"),
            (json!({"map": {"af99": 0}}), "map.af99"),
            (json!({"aqm": {"kind": "red", "min_th": "20 pkt"}}), "aqm.max_th"),
        ] {
            let fault = fault(config);
            assert!(fault.at == at && fault.fix.is_some(), "{fault:?}");
        }
    }
}
