//! CHOKe, CHOose and Keep for responsive flows, CHOose and Kill for unresponsive ones (Pan,
//! Prabhakar, Psounis, INFOCOM 2000).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | avg | RED's average | low-pass filtered queue length |
//! | min_th, max_th, max_p | the same | RED's curve |
//! | drop candidate | `candidate`, `draws` | waiting packets that an arriving one is compared with |
//!
//! A flow that has more than its share of the queue is more often met there: no state for each flow
//! is kept. Both packets of a match have the reason `evicted`; `early` and `forced` are RED's.
#[cfg(test)]
mod tests;

use super::red::config::check_thresholds;
use super::red::curve::Region;
use super::red::spacing::SpacingLaw;
use super::red::{Dropper, RedConfig, RedState};
use crate::aqm::parts::packet_size::{ByteDrop, check_sizes};
use dumbbell_core::aqm::{
    Aqm, Cx, Hears, Limit, LinkInfo, Needs, QueueView, Reason, Slot, Verdict,
};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Law, Look, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Bytes, Packets};
use dumbbell_macros::config;
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
#[config]
pub struct ChokeConfig {
    /// Average queue length at which packets begin to be compared, and RED's signals begin.
    #[schemars(
        extend("x-source" = "Floyd, Jacobson 1993: 5 packets; the CHOKe paper's examples have 100"),
    )]
    #[config(default = Packets(5.0))]
    pub min_th: Packets,
    /// Average queue length at which the probability has reached `max_p`; from there on all are
    /// dropped.
    #[schemars(extend("x-source" = "Floyd 1997: 3 min_th; the CHOKe paper's examples have 200"))]
    #[config(default = Packets(15.0))]
    pub max_th: Packets,
    /// RED's probability at `max_th`.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Floyd, Jacobson 1993: 0.02"))]
    #[config(default = 0.02)]
    pub max_p: f64,
    /// Weight of the newest sample in the average queue length.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "Floyd, Jacobson 1993, section 6: 0.002")
    )]
    #[config(default = 0.002)]
    pub w_q: f64,
    /// Size of a typical packet: the decay of the average while idle, the unit of `byte_mode` and
    /// of `byte_drop`.
    #[schemars(extend("x-source" = "ns-2 mean_pktsize_ 500"))]
    #[config(default = Bytes(500))]
    pub mean_packet_size: Bytes,
    /// Whether the queue is measured in bytes: thresholds then mean `th * mean_packet_size` bytes.
    #[schemars(extend("x-source" = "Pan et al. 2000: packets"))]
    pub byte_mode: bool,
    /// Whether larger packets are signaled more often. RFC 7141 section 2.2 advises against it.
    #[schemars(extend("x-source" = "as RED: RFC 7141 section 2.2"))]
    #[config(default = ByteDrop::Off)]
    pub byte_drop: ByteDrop,
    /// Which waiting packet an arriving one is compared with.
    #[schemars(extend("x-source" = "Pan et al. 2000, section 2"))]
    #[config(default = Candidate::Random)]
    pub candidate: Candidate,
    /// How many candidates are drawn one after the other, until one matches. (Reconstructed: the
    /// paper would drop all that match; one goes here, and the arriving one.)
    #[schemars(range(min = 1, max = 64), extend("x-source" = "Pan et al. 2000: 1; tc-choke(8)"))]
    #[config(default = 1)]
    pub draws: u32,
    /// Whether RED's part marks ECN-capable packets between the thresholds rather than dropping
    /// them; matches are dropped.
    #[schemars(extend("x-source" = "tc-choke(8): off"))]
    pub ecn: bool,
    /// Whether ECN-capable packets too are dropped at and above `max_th`.
    #[schemars(extend("x-source" = "Pan et al. 2000: all are dropped; RFC 3168 section 7"))]
    #[config(default = true)]
    pub ecn_hard: bool,
    /// How RED's signals are spaced.
    #[schemars(extend("x-source" = "Floyd, Jacobson 1993, section 7, method 2"))]
    #[config(default = SpacingLaw::Uniform)]
    pub spacing: SpacingLaw,
}

impl ChokeConfig {
    /// RED's part.
    fn red(&self) -> RedConfig {
        let &ChokeConfig { min_th, max_th, max_p, w_q, mean_packet_size, .. } = self;
        let &ChokeConfig { byte_mode, byte_drop, ecn, ecn_hard, spacing, .. } = self;
        RedConfig {
            min_th,
            max_th,
            max_p,
            w_q,
            mean_packet_size,
            byte_mode,
            byte_drop,
            ecn,
            ecn_hard,
            spacing,
            min_q_for_drop: Packets(0.0),
            ..RedConfig::default()
        }
    }
}

impl Config for ChokeConfig {
    fn check(&self) -> Result<(), Fault> {
        check_thresholds(self.min_th, self.max_th, self.w_q, self.mean_packet_size)?;
        check_sizes(self.mean_packet_size, self.byte_drop, Some(self.spacing))
    }
}

/// RED with a look at who waits.
#[derive(Clone, Debug)]
pub struct Choke {
    config: ChokeConfig,
    body: RedState,
    dropper: Dropper,
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
        let red = config.red();
        let (body, dropper) = (RedState::new(&red), Dropper::new(&red));
        Choke { body, dropper, matched: false, config: config.clone() }
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
}

impl Aqm for Choke {
    fn needs(&self) -> Needs {
        Needs::Held
    }
    fn hears(&self) -> Hears {
        Hears::IDLE
    }

    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, _: bool) -> Verdict {
        let avg = self.body.observe(cx, q.backlog());
        let region = self.dropper.region(&self.body, avg, q);
        self.matched = false;
        if region != Region::Queueing
            && let Some(slot) = self.meet(cx, q, p)
        {
            self.matched = true;
            self.dropper.p_b = 0.0;
            return Verdict::Evict { slot, reason: Reason::Evicted, arrival_too: true };
        }
        self.dropper.signal(region, 1.0, &self.body, cx, q, p)
    }

    fn overflowed(&mut self, cx: &mut Cx<'_>, limit: Limit) {
        if limit == Limit::Own {
            self.dropper.overflowed(cx.rng);
        }
    }

    fn refused(&mut self, cx: &mut Cx<'_>, _: &Meta, _: Reason) {
        self.body.refused(cx.now);
    }

    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.body.idle_from(cx.now);
    }

    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("avg", self.body.avg());
        out.gauge("matched", f64::from(u8::from(self.matched)));
        self.dropper.probe_signal(out);
    }
}
