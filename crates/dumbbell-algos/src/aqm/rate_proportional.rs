//! Rate-proportional dropping (Yeom, Reddy, ICMCS 1999): RIO whose packets carry the rate that was
//! reserved for their flow; OUT packets are dropped the less, the more was reserved.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | r_i | the flow's reserved rate | what its packets carry |
//! | r_ref | `r_ref` | harmonic mean of the rates of OUT packets, as an EWMA |
//! | nu | the same | exponent; 0: RIO |
//!
//! The primary text was not available. We know that the probability is inversely proportional to
//! the target bandwidth; the mean that it is relative to, and what best effort counts as, are
//! reconstructed, and parameters.
use super::rio::config::{RioConfig, check_weighed};
use crate::aqm::rio::classes::Classes;
use dumbbell_core::aqm::{Aqm, Cx, LinkInfo, QueueView, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Law, Look, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_macros::{config, delegate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How packets of flows without a reservation are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BestEffort {
    /// As if they had the least rate that was seen.
    #[default]
    Least,
    /// As in RIO.
    Plain,
}

/// Parameters of [`RateProportional`]. Thresholds are in packets.
#[config]
pub struct RateProportionalConfig {
    /// Exponent of r_ref / r_i. 1: in inverse proportion; 2: so that the TCP model's share
    /// grows in proportion to r_i; 0: RIO.
    #[schemars(
        range(min = 0.0, max = 4.0),
        extend("x-source" = "Yeom, Reddy 1999: inversely proportional"),
    )]
    #[config(default = 1.0)]
    pub nu: f64,
    /// Weight of the newest packet in r_ref. Reconstructed.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "reconstructed: 0.01"),
    )]
    #[config(default = 0.01)]
    pub gain: f64,
    /// How packets of flows without a reservation are treated. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: the least rate seen"))]
    #[config(default = BestEffort::Least)]
    pub best_effort: BestEffort,
    /// RIO's parameters.
    #[config(flatten)]
    pub rio: RioConfig,
}

impl Config for RateProportionalConfig {
    fn check(&self) -> Result<(), Fault> {
        self.rio().check()?;
        check_weighed(self.spacing)
    }
}

/// RIO by reserved rate.
#[derive(Clone, Debug)]
pub struct RateProportional {
    classes: Classes,
    config: RateProportionalConfig,
    /// The mean of 1 / r of OUT packets, and the least r; bits per second. 0: none came yet.
    inverse: f64,
    least: f64,
    weight: f64,
}

impl Algorithm for RateProportional {
    type Config = RateProportionalConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "rate_proportional",
        title: "Rate-proportional dropping",
        idea: "RIO that drops OUT packets of a flow the less, the more was reserved for it.",
        equations: "OUT:  p_a = RIO's p_a times (r_ref / r_i)^nu\n\
                    1 / r_ref <- (1 - gain) / r_ref + gain / r_i   with each OUT packet\n\
                    best effort: r_i = the least r seen\n\
                    IN:   RIO",
        sources: &[
            "Yeom, Reddy: Realizing Throughput Guarantees in a Differentiated Services Network, \
                ICMCS 1999 (not at hand; as the paper on the data-buffer marker tells of it)",
            "Clark, Fang: Explicit Allocation of Best-Effort Packet Delivery Service, IEEE/ACM ToN \
                6(4), 1998 (RIO)",
        ],
        provenance: Provenance::Reconstruction,
        rule: "RIO's, and what was reserved for the flow",
        family: "in and out of profile",
        look: Some(Look::new(PlotColor::Orange, '^', 5)),
        kernel: Kernel::Lacks { why: "no kernel has it", fix: "" },
        size: Size { measures: "as `rio`", byte_mode: "bytes", signals: SizeLaw::Constant },
        law: Law::Named { law: "rio", remark: "flows of one r" },
        explained: Explained::as_story("rio", ""),
        ..About::PLAIN
    };
    const CHANCE: &'static str = "red";

    fn new(config: &RateProportionalConfig, _: &LinkInfo) -> Self {
        let classes = Classes::new(&config.rio());
        RateProportional { classes, config: config.clone(), inverse: 0.0, least: 0.0, weight: 1.0 }
    }
}

impl RateProportional {
    /// Returns the factor on RIO's probability for an OUT packet that carries the rate `carried`,
    /// bits per second.
    fn weigh(&mut self, carried: Option<f64>) -> f64 {
        let rate = match (carried, self.config.best_effort) {
            (Some(rate), _) => rate,
            (None, BestEffort::Least) if self.least > 0.0 => self.least,
            (None, _) => return 1.0,
        };
        if self.inverse == 0.0 {
            (self.inverse, self.least) = (1.0 / rate, rate);
        }
        self.least = self.least.min(rate);
        self.inverse += self.config.gain * (1.0 / rate - self.inverse);
        libm::pow(1.0 / rate / self.inverse, self.config.nu)
    }
}

#[delegate(self.classes)]
impl Aqm for RateProportional {
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        if self.classes.is_in(p) {
            return self.classes.arrive(cx, q, p, fits);
        }
        let reserved = cx.flows.get(p.flow).reserved.map(|r| r.bps()).filter(|bps| *bps > 0);
        let weight = self.weigh(reserved.map(|bps| bps as f64));
        self.weight = weight;
        self.classes.arrive_weighed(cx, q, p, weight, None)
    }
    fn probe(&self, out: &mut dyn Probe) {
        self.classes.probe(out);
        out.gauge("weight", self.weight);
        out.gauge("r_ref", if self.inverse > 0.0 { 1.0 / self.inverse } else { 0.0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aqm::red::spacing::SpacingLaw;
    use crate::aqm::rio::tests::{events_knowing, known, marked_shares, narrow};
    use crate::aqm::rio::{Rio, RioConfig};
    use dumbbell_core::catalogue::read;
    use dumbbell_core::packet::flow::FlowInfo;
    use dumbbell_core::probe::Gauges;
    use dumbbell_core::testing::link;
    use dumbbell_core::units::Capacity;
    use serde_json::json;

    type Set = RateProportionalConfig;

    fn like_narrow(changes: Set) -> Set {
        let RioConfig { w_q, min_in, max_in, max_p_in, min_mid, max_mid, min_out, max_out, .. } =
            narrow();
        Set { w_q, min_in, max_in, max_p_in, min_mid, max_mid, min_out, max_out, ..changes }
    }

    /// With nu = 0, with no reservation, and with the same for all, it is RIO packet by packet;
    /// else not.
    #[test]
    fn where_all_are_alike_it_is_rio() {
        let events = |config: Set, flows: &[FlowInfo]| {
            events_knowing(
                move |site| RateProportional::new(&like_narrow(config.clone()), site),
                flows,
            )
        };
        let flows = [known(500, 10), known(2000, 20), FlowInfo::default(), known(100, 10)];
        let rio = events_knowing(|site| Rio::new(&narrow(), site), &flows);
        assert_eq!(events(Set { nu: 0.0, ..Set::default() }, &flows), rio);
        assert_eq!(events(Set::default(), &[]), rio);
        assert_eq!(events(Set::default(), &[known(300, 10); 4]), rio);
        assert_ne!(events(Set::default(), &flows), rio);
    }

    /// r = 1, 2, 4 Mbps in turn: 1 / r_ref = (1 + 1/2 + 1/4) / 3, and of RIO's 0.1 the flows have
    /// 12/7, 6/7 and 3/7; with nu = 2 the squares. Best effort counts as the least, or as it is.
    #[test]
    fn the_more_is_reserved_the_less_is_dropped() {
        let shares = |config: Set, flows: [FlowInfo; 3]| {
            let config =
                Set { w_q: 1.0, ecn: true, spacing: SpacingLaw::Bernoulli, gain: 0.001, ..config };
            marked_shares(|site| RateProportional::new(&config, site), &flows, 20, |n| n as u32 % 3)
        };
        let near = |shares: Vec<f64>, sevenths: [f64; 3]| {
            let close = |(share, n): (&f64, f64)| {
                let p = 0.1 * n / 7.0;
                (share - p).abs() < 4.0 * (p * (1.0 - p) / 20_000.0).sqrt()
            };
            assert!(
                shares.iter().zip(sevenths).all(close),
                "{shares:?} and not 0.1 of \
                {sevenths:?} sevenths"
            );
        };
        let flows = [known(1000, 10), known(2000, 10), known(4000, 10)];
        near(shares(Set::default(), flows), [12.0, 6.0, 3.0]);
        near(
            shares(Set { nu: 2.0, ..Set::default() }, flows),
            [12.0, 6.0, 3.0].map(|n| n * n / 7.0),
        );
        let one_is_best_effort = [FlowInfo::default(), known(2000, 10), known(1000, 10)];
        near(shares(Set::default(), one_is_best_effort), [8.4, 4.2, 8.4]);
        let plain = Set { best_effort: BestEffort::Plain, ..Set::default() };
        near(shares(plain, one_is_best_effort), [7.0, 7.0 * 2.0 / 3.0, 7.0 * 4.0 / 3.0]);
    }

    /// The mean follows by its gain, from the first rate on.
    #[test]
    fn the_mean_is_harmonic() {
        let config = Set { gain: 0.25, ..Set::default() };
        let mut aqm = RateProportional::new(&config, &link(Capacity::Unlimited));
        let shown = |aqm: &RateProportional| {
            let mut seen = Gauges::default();
            aqm.probe(&mut seen);
            seen.get("r_ref").unwrap()
        };
        assert_eq!((aqm.weigh(None), shown(&aqm)), (1.0, 0.0), "nothing is known");
        assert_eq!((aqm.weigh(Some(1e6)), shown(&aqm)), (1.0, 1e6));
        // 1 / r_ref = 0.75 + 0.25 / 2 of a millionth.
        assert!((aqm.weigh(Some(2e6)) - 0.5 / 0.875).abs() < 1e-12);
        let inverse = 0.75 * 0.875 + 0.25;
        assert!(
            (aqm.weigh(None) - 1.0 / inverse).abs() < 1e-12,
            "best effort as the least, 1 Mbps"
        );
    }

    #[test]
    fn contradictions_are_refused() {
        let fault = |json| read::<Set>(&json).unwrap_err();
        assert_eq!(fault(json!({"spacing": "uniform_stored"})).at, "spacing");
        assert_eq!(fault(json!({"min_in": "90 pkt"})).at, "max_in");
        assert_eq!(fault(json!({"gain": 0})).at, "gain");
        assert_eq!(fault(json!({"nu": 5})).at, "nu");
    }
}
