//! RED, Random Early Detection (Floyd, Jacobson, IEEE/ACM ToN 1(4), August 1993).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | q | backlog | queue that the arriving packet finds, without it |
//! | avg | [`average`] | low-pass filtered q |
//! | w_q | `w_q` | weight of the newest sample |
//! | min_th, max_th, max_p | the same | the [`curve`] |
//! | p_b, p_a | probability before and after | the [`spacing`] of signals |
//! | count | the same | packets since the last signal, -1 below min_th |
//! | s | from `mean_packet_size` and the link's rate | time of a typical packet, for the decay while idle |
//!
//! The variants of the family are made of the same parts: see [`state`].
pub mod automatic;
pub mod average;
pub mod config;
pub mod curve;
pub mod spacing;
pub mod state;
#[cfg(test)]
pub(crate) mod tests;

pub use config::{ByteDrop, RedConfig};
use dumbbell_core::aqm::{Aqm, Cx, LinkInfo, Needs, QueueView, Slot, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Explained, Kernel, Law, Look, PlotColor, Provenance, Size, SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use state::{Dropper, RedState};

/// The 1993 algorithm with the choices that ns-2, ns-3 and Linux made since.
#[derive(Clone, Debug)]
pub struct Red {
    body: RedState,
    dropper: Dropper,
}

impl Algorithm for Red {
    type Config = RedConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "red",
        title: "Random Early Detection (RED)",
        idea: "Signal a few packets at random as soon as the average queue grows, before the queue \
            is full.",
        equations: "avg  <- (1 - w_q) avg + w_q q                     at each arrival\navg  <- (1 \
            - w_q)^m avg,  m = idle time / s       after an idle period\np_b   = max_p (avg - \
            min_th) / (max_th - min_th)  for min_th <= avg < max_th\np_a   = p_b / (1 - count \
            p_b)\navg < min_th: let in;  avg >= max_th: signal;  else signal with probability p_a",
        sources: &[
            "Floyd, Jacobson: Random Early Detection Gateways for Congestion Avoidance, IEEE/ACM \
                ToN 1(4), 1993",
            "Floyd: Recommendation on using the gentle variant of RED, 2000",
            "RFC 3168 section 7 (ECN)",
            "ns-2 Queue/RED, ns-3 RedQueueDisc (wait, idle decay, minimum queue)",
        ],
        provenance: Provenance::Vectors,
        rule: "an average length between two thresholds, by chance",
        family: "RED family",
        look: Some(Look::new(PlotColor::Vermillion, 'o', 0)),
        kernel: Kernel::Has { name: "red", note: "" },
        size: Size {
            measures: "average length, packets",
            byte_mode: "bytes",
            signals: SizeLaw::Constant,
        },
        law: Law::Named { law: "red", remark: "" },
        explained: Explained::as_story("red", ""),
        ..About::PLAIN
    };

    fn new(config: &RedConfig, link: &LinkInfo) -> Self {
        let config = config.on(link);
        Red { body: RedState::new(&config), dropper: Dropper::new(&config) }
    }
}

impl Aqm for Red {
    fn needs(&self) -> Needs {
        self.body.needs()
    }

    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        let observed = self.body.observe(cx, q.backlog());
        self.dropper.decide(&mut self.body, observed, cx, q, p, fits)
    }

    fn make_room(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, _: &Meta) -> Option<Slot> {
        self.body.make_room(cx, q)
    }

    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.body.idle(cx);
    }

    fn probe(&self, out: &mut dyn Probe) {
        self.dropper.probe(self.body.avg(), out);
    }
}
