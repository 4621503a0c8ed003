//! (r, RTT)-adaptive dropping (Lin, Zheng, Hou, ICNP 1999): RIO that knows each flow's reservation
//! and round-trip time, and drops its OUT packets with the probability at which TCP, by its model,
//! gets its target.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | r_i, RTT_i | the flow's, or 0 and `rtt` | what was reserved, and its round-trip time as told |
//! | n | `flows` | active flows: those of which a packet came in this `window` or the one before |
//! | C | the link's rate | bits per second |
//! | S | `spare` | each flow's part of what is not reserved, (C - sum r) / n |
//! | t_i | target | r_i + S |
//!
//! By the model TCP with loss rate p sends t = k MSS / (RTT sqrt(p)). Only OUT packets are dropped,
//! a share S / t of them all, each with p_out = p t / S; so that t is the target where p_out = (k
//! MSS)^2 / (RTT^2 t S). Of this RIO's curve gives the height, and the flows their ratios
//! (`weight`); or with `exact` it is taken as it is.
//!
//! The primary text was not available. We know that drop probabilities follow analytically from r
//! and RTT, and that it needs to know each flow; all else is reconstructed, and a parameter.
mod active;
#[cfg(test)]
mod tests;

use super::red::spacing::SpacingLaw;
use super::rio::config::{RioConfig, check_weighed};
use crate::aqm::rio::classes::Classes;
use active::{Active, Terms};
use dumbbell_core::aqm::{Aqm, Cx, LinkInfo, QueueView, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Law, Look, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::Span;
use dumbbell_macros::{config, delegate};

/// Parameters of [`RRttAdaptive`]. Thresholds are in packets.
#[config]
pub struct RRttAdaptiveConfig {
    /// Round-trip time of flows for which none is known.
    #[schemars(extend("x-source" = "reconstructed: the source takes it from each flow"))]
    #[config(default = Span::from_ms(100))]
    pub rtt: Span,
    /// How long a flow counts as active after a packet, up to twice this. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: 1 s"))]
    #[config(default = Span::from_secs(1))]
    pub window: Span,
    /// Least part of the spare rate for each flow, as a share of C / n, where more is reserved than
    /// the link has. Reconstructed.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "reconstructed: 0.01"),
    )]
    #[config(default = 0.01)]
    pub spare_floor: f64,
    /// Whether the probability is that of the model, at most `max_p_out`, rather than RIO's in
    /// the model's ratios. Signals are then not spaced: `spacing = "bernoulli"`. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: RIO's, in the model's ratios"))]
    pub exact: bool,
    /// Constant of the TCP model: 1.22 = sqrt(3/2), 0.87 with delayed acknowledgments. Used
    /// with `exact`.
    #[schemars(
        extend("exclusiveMinimum" = 0.0, "x-source" = "Mathis and others 1997, Table 1"),
    )]
    #[config(default = 1.22)]
    pub k: f64,
    /// RIO's parameters.
    #[config(flatten)]
    pub rio: RioConfig,
}

impl Config for RRttAdaptiveConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.rtt == Span::ZERO {
            return Err(Fault::at("rtt", "no round trip takes no time").fix("write \"100 ms\""));
        }
        if self.window == Span::ZERO {
            return Err(
                Fault::at("window", "within no time no flow is active").fix("write \"1 s\"")
            );
        }
        if self.exact && self.spacing != SpacingLaw::Bernoulli {
            let cause = "the model gives the probability of each packet, and spaced signals come \
                with another";
            return Err(Fault::at("exact", cause).fix("write spacing = \"bernoulli\" too"));
        }
        self.rio().check()?;
        check_weighed(self.spacing)
    }
}

/// RIO by reservation and round-trip time.
#[derive(Clone, Debug)]
pub struct RRttAdaptive {
    classes: Classes,
    config: RRttAdaptiveConfig,
    active: Active,
    weight: f64,
}

impl Algorithm for RRttAdaptive {
    type Config = RRttAdaptiveConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "r_rtt_adaptive",
        title: "(r, RTT)-adaptive dropping",
        idea: "RIO that drops each flow's OUT packets with the probability at which TCP, by its \
            model, sends what was reserved and a fair part of the rest, whatever its round-trip \
            time.",
        equations: "S = (C - sum r) / n, over active flows, at least spare_floor C / n\nw_i = 1 / \
            (RTT_i^2 (r_i + S)), relative to the mean of active flows\nOUT:    p_a = RIO's p_a \
            times w_i\nexact:  p = (k MSS)^2 / (RTT_i^2 (r_i + S) S), at most max_p_out, from avg \
            = min_out on\nIN:     RIO",
        sources: &[
            "Lin, Zheng, Hou: Enhancing TCP Throughput over Differentiated Services, ICNP 1999 \
                (not at hand; as the paper on the data-buffer marker tells of it)",
            "Mathis, Semke, Mahdavi, Ott: The Macroscopic Behavior of the TCP Congestion Avoidance \
                Algorithm, CCR 27(3), 1997",
            "Clark, Fang: Explicit Allocation of Best-Effort Packet Delivery Service, IEEE/ACM ToN \
                6(4), 1998 (RIO)",
        ],
        provenance: Provenance::Reconstruction,
        rule: "RIO's, and what was reserved for the flow, its round trip, TCP's model",
        family: "in and out of profile",
        look: Some(Look::new(PlotColor::Orange, 'o', 3)),
        kernel: Kernel::Lacks { why: "no kernel has it", fix: "" },
        size: Size { measures: "as `rio`", byte_mode: "bytes", signals: SizeLaw::Constant },
        law: Law::Named { law: "rio", remark: "flows of one r and RTT" },
        explained: Explained::as_story("rio", ""),
        ..About::PLAIN
    };
    const CHANCE: &'static str = "red";

    fn new(config: &RRttAdaptiveConfig, _: &LinkInfo) -> Self {
        let classes = Classes::new(&config.rio());
        RRttAdaptive { classes, config: config.clone(), active: Active::default(), weight: 1.0 }
    }
}

impl RRttAdaptive {
    /// Returns the terms of a packet's flow.
    fn terms(&self, cx: &Cx<'_>, p: &Meta) -> Terms {
        let known = cx.flows.get(p.flow);
        let rtt = known.rtt.filter(|rtt| *rtt > Span::ZERO).unwrap_or(self.config.rtt);
        Terms { reserved: known.reserved.map_or(0, |r| r.bps()), rtt }
    }

    /// The model's probability for an OUT packet.
    fn model(&self, terms: Terms, spare: f64, p: &Meta) -> f64 {
        let root = 8.0 * f64::from(p.ip_len) * self.config.k / terms.rtt.seconds();
        (root * root / (terms.target(spare) * spare)).min(self.config.max_p_out)
    }
}

#[delegate(self.classes)]
impl Aqm for RRttAdaptive {
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        let terms = self.terms(cx, p);
        self.active.see(p.flow, terms, cx.now.ps() / self.config.window.ps().max(1));
        if self.classes.is_in(p) {
            return self.classes.arrive(cx, q, p, fits);
        }
        let shares = self.active.shares(cx.link.rate, self.config.spare_floor);
        let weight = if self.config.exact { 1.0 } else { shares.weight(terms) };
        let model = if self.config.exact { Some(self.model(terms, shares.spare, p)) } else { None };
        self.weight = weight;
        self.classes.arrive_weighed(cx, q, p, weight, model)
    }
    fn probe(&self, out: &mut dyn Probe) {
        self.classes.probe(out);
        out.gauge("weight", self.weight);
        out.gauge("flows", f64::from(self.active.len()));
        out.gauge("spare", self.active.spare());
    }
}
