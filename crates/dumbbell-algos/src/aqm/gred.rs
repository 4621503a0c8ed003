//! GRED, Linux's generalized RED (`tc-gred`): up to 16 virtual queues within one FIFO, each with
//! RED's thresholds, its own backlog and a limit; packets find theirs by the DiffServ codepoint.
//! (RED's "gentle" variant is an option of `red`.)
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | q_i | backlog | what waits of virtual queue i, without the packet in transmission |
//! | avg_i | state | RED's average of q_i; it decays from when the last packet of i began its transmission |
//! | prio_i | `prio` | the lower, the more it is protected |
//!
//! Our choices: the parameters that Linux has for each virtual queue (weight, mean packet size,
//! ECN) are one for all; averages are floating-point numbers; the default is an example.
pub mod config;
#[cfg(test)]
mod tests;

use crate::aqm::red::{Dropper, RedState};
use crate::dscp as codepoints;
pub use config::{GredConfig, GredMode, GredQueue};
use dumbbell_core::aqm::{
    Aqm, Backlog, Cx, Gone, Limit, LinkInfo, Needs, QueueView, Reason, Slot, Verdict,
};
use dumbbell_core::catalogue::{
    About, Algorithm, Explained, Kernel, Law, Look, PlotColor, Provenance, Size, SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Span, Time};

/// RED for each of some virtual queues.
#[derive(Clone, Debug)]
pub struct Gred {
    mode: GredMode,
    of: Box<[u32; 64]>,
    queues: Vec<Virtual>,
    /// The average of the whole queue, of which [`GredMode::Wred`] is.
    whole: RedState,
    now: Time,
    /// The queue of the last packet, and the average that it was judged by.
    last: (usize, f64),
}

/// One virtual queue.
#[derive(Clone, Debug)]
struct Virtual {
    body: RedState,
    dropper: Dropper,
    prio: u32,
    /// Packets; 0: none.
    limit: f64,
    backlog: Backlog,
}

impl Algorithm for Gred {
    type Config = GredConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "gred",
        title: "Generalized RED (GRED)",
        idea: "One FIFO as several virtual queues, each with RED's thresholds, its own average and \
            its own limit.",
        equations: "i = virtual queue of the packet's codepoint;  RED's decision with the \
            thresholds of i and\nseparate:  avg_i, of the backlog of i\ngrio:      avg_i + sum of \
            avg_j, prio_j < prio_i and j not idle\nwred:      avg of the whole queue\ndrop if the \
            backlog of i (wred: the whole one) and the packet are beyond the limit of i",
        sources: &[
            "tc-gred of iproute2, as documented (J. Hadi Salim): virtual queues, grio, WRED mode",
            "Floyd, Jacobson: Random Early Detection Gateways for Congestion Avoidance, IEEE/ACM \
                ToN 1(4), 1993",
            "Clark, Fang: Explicit Allocation of Best-Effort Packet Delivery Service, IEEE/ACM ToN \
                6(4), 1998 (RIO)",
        ],
        provenance: Provenance::Recollection,
        rule: "RED's, with a curve, an average and a limit for each virtual queue",
        family: "RED family",
        look: Some(Look::new(PlotColor::Vermillion, 'D', 2)),
        kernel: Kernel::Lacks {
            why: "tc's gred needs a line for each virtual queue and filters",
            fix: "",
        },
        size: Size {
            measures: "as `red`, of each virtual queue, and its limit",
            byte_mode: "bytes",
            signals: SizeLaw::Constant,
        },
        law: Law::Named { law: "red", remark: "of the packets' virtual queue" },
        explained: Explained::as_story("red", " in virtual queue {vq}"),
        ..About::PLAIN
    };
    const CHANCE: &'static str = "red";

    fn new(config: &GredConfig, _: &LinkInfo) -> Self {
        let of_queue = |q: &GredQueue| {
            let red = config.red().with(q.min_th.0, q.max_th.0, q.max_p);
            let (body, dropper) = (RedState::new(&red), Dropper::new(&red));
            Virtual { body, dropper, prio: q.prio, limit: q.limit.0, backlog: Backlog::default() }
        };
        Gred {
            mode: config.mode,
            of: Box::new(codepoints::classes(&config.map, config.default_queue)),
            queues: config.queues.iter().map(of_queue).collect(),
            whole: RedState::new(&config.red().with(0.0, 0.0, 0.0)),
            now: Time::ZERO,
            last: (0, 0.0),
        }
    }
}

impl Gred {
    fn index(&self, p: &Meta) -> usize {
        self.of[usize::from(p.dscp.0 & 63)] as usize
    }

    /// Takes the average that a packet of queue `i` is judged by.
    fn observe(&mut self, i: usize, cx: &Cx<'_>, q: &impl QueueView) -> f64 {
        if self.mode == GredMode::Wred {
            return self.whole.observe(cx, q.backlog());
        }
        let own = &mut self.queues[i];
        let avg = own.body.observe(cx, own.backlog);
        if self.mode == GredMode::Separate {
            return avg;
        }
        let prio = own.prio;
        let above = self.queues.iter().filter(|v| v.prio < prio && !v.body.is_idle());
        avg + above.map(|v| v.body.avg()).sum::<f64>()
    }

    /// True if the packet is too much for its virtual queue.
    fn beyond_limit(&self, i: usize, q: &impl QueueView, p: &Meta) -> bool {
        let own = &self.queues[i];
        let found = if self.mode == GredMode::Wred { q.backlog() } else { own.backlog };
        let with = found.and(Backlog::one(p.ip_len, None));
        own.limit > 0.0 && own.body.length(with) > own.limit
    }
}

impl Aqm for Gred {
    fn needs(&self) -> Needs {
        // Of the whole queue the backlog is known at arrival; of a virtual one only by its packets'
        // coming and going.
        if self.mode == GredMode::Wred { self.whole.needs() } else { Needs::Held }
    }

    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, _: bool) -> Verdict {
        self.now = cx.now;
        let i = self.index(p);
        let avg = self.observe(i, cx, q);
        self.last = (i, avg);
        let beyond = self.beyond_limit(i, q, p);
        let own = &mut self.queues[i];
        let body = if self.mode == GredMode::Wred { &self.whole } else { &own.body };
        let verdict = own.dropper.decide(body, avg, cx, q, p);
        if beyond && verdict.admits(p.ecn) {
            // No other packet makes room in a virtual queue, though it might in the FIFO.
            own.dropper.overflowed(cx.rng);
            return Verdict::Drop(Reason::Overflow);
        }
        verdict
    }

    fn overflowed(&mut self, cx: &mut Cx<'_>, limit: Limit) {
        if limit == Limit::Own {
            let (i, _) = self.last;
            self.queues[i].dropper.overflowed(cx.rng);
        }
    }

    fn make_room(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, _: &Meta) -> Option<Slot> {
        self.whole.make_room(cx, q)
    }

    fn admitted(&mut self, p: &Meta) {
        if self.mode != GredMode::Wred {
            let i = self.index(p);
            let Virtual { backlog, body, .. } = &mut self.queues[i];
            *backlog = backlog.and(Backlog::one(p.ip_len, None));
            body.admitted(); // It may have become idle when the last of its packets made room.
        }
    }

    fn refused(&mut self, cx: &mut Cx<'_>, p: &Meta, _: Reason) {
        match self.mode {
            GredMode::Wred => self.whole.refused(cx.now),
            _ => {
                let i = self.index(p);
                self.queues[i].body.refused(cx.now);
            }
        }
    }

    fn depart(&mut self, cx: &mut Cx<'_>, _: &impl QueueView, _: &Meta, _: Span) -> Verdict {
        self.now = cx.now;
        Verdict::Pass
    }

    fn gone(&mut self, p: &Meta, _: Gone) {
        if self.mode == GredMode::Wred {
            return;
        }
        let i = self.index(p);
        let Virtual { backlog, body, .. } = &mut self.queues[i];
        *backlog = backlog.without(Backlog::one(p.ip_len, None));
        if backlog.packets == 0 {
            body.idle_from(self.now);
        }
    }

    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.whole.idle_from(cx.now);
    }

    fn probe(&self, out: &mut dyn Probe) {
        let (i, avg) = self.last;
        let own = &self.queues[i];
        own.dropper.probe(avg, out);
        out.gauge("max_p", own.dropper.curve.max_p);
        out.gauge("vq", i as f64);
        if self.mode != GredMode::Wred {
            out.gauge("backlog", f64::from(own.backlog.packets));
        }
    }
}
