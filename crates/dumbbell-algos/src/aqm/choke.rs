//! CHOKe, CHOose and Keep for responsive flows, CHOose and Kill for unresponsive ones (Pan,
//! Prabhakar, Psounis, INFOCOM 2000).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | avg | RED's [`Average`] | low-pass filtered queue length |
//! | min_th, max_th, max_p | the same | RED's [`Curve`] |
//! | drop candidate | `candidate`, `draws` | waiting packets that an arriving one is compared with |
//!
//! A flow that has more than its share of the queue is more often met there: no state for each flow
//! is kept. Both packets of a match have the reason `evicted`; `early` and `forced` are RED's.
#[cfg(test)]
mod tests;

use super::red::average::{Average, AverageRule, IdleFraction, IdleStyle};
use super::red::config::check_thresholds;
use super::red::curve::{Curve, Region};
use super::red::spacing::{Spacing, SpacingLaw};
use crate::aqm::parts::packet_size::{ByteDrop, Part, SizePolicy, check_sizes};
use dumbbell_core::aqm::{Aqm, Cx, Decision, LinkInfo, Needs, QueueView, Reason, Slot, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Law, Look, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Bytes, Packets};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which waiting packet an arriving one is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Candidate {
    /// One drawn at random.
    #[default]
    Random,
    /// The head of the queue ("front CHOKe").
    Front,
    /// The tail of the queue ("back CHOKe").
    Back,
}

/// Parameters of [`Choke`]. Thresholds are in packets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChokeConfig {
    /// Average queue length at which packets begin to be compared, and RED's signals begin.
    #[schemars(
        extend("x-source" = "Floyd, Jacobson 1993: 5 packets; the CHOKe paper's examples have 100"),
    )]
    pub min_th: Packets,
    /// Average queue length at which the probability has reached `max_p`; from there on all are
    /// dropped.
    #[schemars(extend("x-source" = "Floyd 1997: 3 min_th; the CHOKe paper's examples have 200"))]
    pub max_th: Packets,
    /// RED's probability at `max_th`.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Floyd, Jacobson 1993: 0.02"))]
    pub max_p: f64,
    /// Weight of the newest sample in the average queue length.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "Floyd, Jacobson 1993, section 6: 0.002")
    )]
    pub w_q: f64,
    /// Size of a typical packet: the decay of the average while idle, the unit of `byte_mode` and
    /// of `byte_drop`.
    #[schemars(extend("x-source" = "ns-2 mean_pktsize_ 500"))]
    pub mean_packet_size: Bytes,
    /// Whether the queue is measured in bytes: thresholds then mean `th * mean_packet_size` bytes.
    #[schemars(extend("x-source" = "Pan et al. 2000: packets"))]
    pub byte_mode: bool,
    /// Whether larger packets are signalled more often. RFC 7141 section 2.2 advises against it.
    #[schemars(extend("x-source" = "as RED: RFC 7141 section 2.2"))]
    pub byte_drop: ByteDrop,
    /// Which waiting packet an arriving one is compared with.
    #[schemars(extend("x-source" = "Pan et al. 2000, section 2"))]
    pub candidate: Candidate,
    /// How many candidates are drawn one after the other, until one matches. (Reconstructed: the
    /// paper would drop all that match; one goes here, and the arriving one.)
    #[schemars(range(min = 1, max = 64), extend("x-source" = "Pan et al. 2000: 1; tc-choke(8)"))]
    pub draws: u32,
    /// Whether RED's part marks ECN-capable packets between the thresholds rather than dropping
    /// them; matches are dropped.
    #[schemars(extend("x-source" = "tc-choke(8): off"))]
    pub ecn: bool,
    /// Whether ECN-capable packets too are dropped at and above `max_th`.
    #[schemars(extend("x-source" = "Pan et al. 2000: all are dropped; RFC 3168 section 7"))]
    pub ecn_hard: bool,
    /// How RED's signals are spaced.
    #[schemars(extend("x-source" = "Floyd, Jacobson 1993, section 7, method 2"))]
    pub spacing: SpacingLaw,
}

impl Default for ChokeConfig {
    fn default() -> Self {
        ChokeConfig {
            min_th: Packets(5.0),
            max_th: Packets(15.0),
            max_p: 0.02,
            w_q: 0.002,
            mean_packet_size: Bytes(500),
            byte_mode: false,
            byte_drop: ByteDrop::Off,
            candidate: Candidate::Random,
            draws: 1,
            ecn: false,
            ecn_hard: true,
            spacing: SpacingLaw::Uniform,
        }
    }
}

impl Config for ChokeConfig {
    fn check(&self) -> Result<(), Fault> {
        check_thresholds((self.min_th, self.max_th), self.w_q, self.mean_packet_size)?;
        check_sizes(self.mean_packet_size, self.byte_drop, Some(self.spacing))
    }
}

/// RED with a look at who waits.
#[derive(Clone, Debug)]
pub struct Choke {
    config: ChokeConfig,
    sizes: SizePolicy,
    average: Average,
    curve: Curve,
    spacing: Spacing,
    p_b: f64,
    matched: bool,
}

impl Algorithm for Choke {
    type Config = ChokeConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "choke",
        title: "CHOose and Keep/Kill (CHOKe)",
        idea: "Compare each arriving packet with one drawn from the queue: two of one flow are \
            both dropped.",
        equations: "avg < min_th:  let in\nelse draw a waiting packet:\n\x20  of the arriving \
            packet's flow:  drop both\n\x20  else avg < max_th:  RED's signal with probability \
            p_a;  avg >= max_th:  drop",
        sources: &[
            "Pan, Prabhakar, Psounis: CHOKe, a stateless active queue management scheme for \
                approximating fair bandwidth allocation, IEEE INFOCOM 2000",
            "Tang, Wang, Low: Understanding CHOKe, IEEE INFOCOM 2003 (the bound of an unresponsive \
                flow's share)",
            "tc-choke(8)",
        ],
        provenance: Provenance::Vectors,
        rule: "RED's, and whether a packet drawn from the queue is of the same flow",
        family: "RED with an eye on flows",
        look: Some(Look::new(PlotColor::Orange, 'v', 1)),
        kernel: Kernel::Has { name: "choke", note: "" },
        size: Size {
            measures: "average length, packets",
            byte_mode: "bytes",
            signals: SizeLaw::Constant,
        },
        law: Law::Named { law: "choke", remark: "" },
        explained: Explained::as_story("choke", ""),
        ..About::PLAIN
    };

    fn new(config: &ChokeConfig, _: &LinkInfo) -> Self {
        let sizes = SizePolicy::new(config.mean_packet_size, config.byte_mode, config.byte_drop);
        Choke {
            sizes,
            average: Average::new(AverageRule {
                weight: config.w_q,
                mean_packet_size: config.mean_packet_size,
                idle_style: IdleStyle::Ns2,
                idle_fraction: IdleFraction::Floor,
            }),
            curve: Curve::classic(config.min_th.0, config.max_th.0, config.max_p),
            spacing: sizes.spacing(config.spacing),
            p_b: 0.0,
            matched: false,
            config: config.clone(),
        }
    }
}

impl Choke {
    /// A candidate of the flow of `p`, if one is met.
    fn meet(&self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta) -> Option<Slot> {
        let waiting = q.waiting();
        let mut candidates = (0..self.config.draws).map_while(|_| {
            let last = waiting.checked_sub(1)?;
            Some(match self.config.candidate {
                Candidate::Random => cx.rng.below(waiting),
                Candidate::Front => 0,
                Candidate::Back => last,
            })
        });
        candidates.find(|slot| q.meta(*slot).is_some_and(|m| m.flow == p.flow))
    }

    fn decide(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta) -> Verdict {
        let region = self.curve.at(self.average.value());
        (self.matched, self.p_b) = (false, 0.0);
        if region == Region::Queueing {
            self.spacing.leave();
            return Verdict::Pass;
        }
        if let Some(slot) = self.meet(cx, q, p) {
            self.matched = true;
            return Verdict::Evict { slot, reason: Reason::Evicted, arrival_too: true };
        }
        let Region::Random(p_b) = region else {
            self.p_b = 1.0;
            self.spacing.force(cx.rng);
            let soft = self.config.ecn && !self.config.ecn_hard;
            return if soft {
                Verdict::Signal(Reason::Forced)
            } else {
                Verdict::Drop(Reason::Forced)
            };
        };
        let Part { factor, weight, scale } = self.sizes.part(p.ip_len, cx.link.mtu);
        self.p_b = p_b * factor;
        Verdict::early(self.spacing.test(self.p_b, weight, scale, cx.rng), self.config.ecn)
    }
}

impl Aqm for Choke {
    fn needs(&self) -> Needs {
        Needs::Held
    }

    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        let was_idle = self.average.is_idle();
        self.average.arrive(cx.now, cx.link.rate, self.sizes.length(q.backlog()));
        let verdict = self.decide(cx, q, p);
        if let Decision::Drop(reason) = verdict.decide(p.ecn, fits) {
            if reason == Reason::Overflow && !self.matched {
                self.spacing.restart(cx.rng);
            }
            if was_idle {
                // The link stays idle; the time until now is in the average already.
                self.average.idle_from(cx.now);
            }
        }
        verdict
    }

    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.average.idle_from(cx.now);
    }

    fn probe(&self, out: &mut dyn Probe) {
        let saw = self.spacing.saw();
        out.gauge("avg", self.average.value());
        out.gauge("matched", f64::from(u8::from(self.matched)));
        out.gauge("p_b", self.p_b);
        out.gauge("p_a", saw.p_a);
        out.gauge("count", saw.count as f64);
        out.gauge("coin", saw.coin);
    }
}
