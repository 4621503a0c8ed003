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
pub mod average;
pub mod config;
pub mod curve;
pub mod spacing;
#[cfg(test)]
mod tests;

use average::{Average, AverageRule};
pub use config::{ByteDrop, RedConfig};
use curve::{Curve, Region};
use dumbbell_core::aqm::{Aqm, Backlog, Cx, Decision, LinkInfo, Needs, QueueView, Reason, Slot, Verdict};
use dumbbell_core::catalogue::{About, Algorithm, Provenance};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use spacing::Spacing;

/// The 1993 algorithm with the choices that ns-2, ns-3 and Linux made since.
#[derive(Clone, Debug)]
pub struct Red {
    config: RedConfig,
    mean_size: f64,
    average: Average,
    curve: Curve,
    spacing: Spacing,
    p_b: f64,
}

impl Algorithm for Red {
    type Config = RedConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "red",
        title: "Random Early Detection (RED)",
        idea: "Signal a few packets at random as soon as the average queue grows, before the queue is full.",
        equations: "avg  <- (1 - w_q) avg + w_q q                     at each arrival\n\
                    avg  <- (1 - w_q)^m avg,  m = idle time / s       after an idle period\n\
                    p_b   = max_p (avg - min_th) / (max_th - min_th)  for min_th <= avg < max_th\n\
                    p_a   = p_b / (1 - count p_b)\n\
                    avg < min_th: let in;  avg >= max_th: signal;  else signal with probability p_a",
        sources: &[
            "Floyd, Jacobson: Random Early Detection Gateways for Congestion Avoidance, IEEE/ACM ToN 1(4), 1993",
            "Floyd: Recommendation on using the gentle variant of RED, 2000",
            "RFC 3168 section 7 (ECN)",
            "ns-2 Queue/RED, ns-3 RedQueueDisc (wait, idle decay, minimum queue)",
        ],
        provenance: Provenance::Vectors,
    };

    fn new(config: &RedConfig, _: &LinkInfo) -> Self {
        let rule = AverageRule {
            weight: config.w_q,
            mean_packet_size: config.mean_packet_size,
            idle_style: config.idle_style,
            idle_fraction: config.idle_fraction,
        };
        let curve = Curve {
            min_th: config.min_th.0,
            max_th: config.max_th.0,
            max_p: config.max_p,
            gentle: config.gentle,
            shape: config.curve,
        };
        Red {
            mean_size: config.mean_packet_size.0 as f64,
            average: Average::new(rule),
            curve,
            spacing: Spacing::new(config.spacing),
            p_b: 0.0,
            config: config.clone(),
        }
    }
}

impl Red {
    /// The queue in packets; in byte mode in packets of the mean size, so that thresholds mean `th * mean size` bytes.
    #[inline]
    fn length(&self, q: Backlog) -> f64 {
        if self.config.byte_mode { q.bytes as f64 / self.mean_size } else { f64::from(q.packets) }
    }

    fn decide(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta) -> Verdict {
        let floor = self.config.min_q_for_drop.0;
        let short = floor > 0.0 && f64::from(q.backlog().packets) <= floor;
        match self.curve.at(self.average.value()) {
            Region::Random(p_b) if !short => self.random(cx, p_b, p),
            Region::Forced if !short => self.force(cx, q, p),
            _ => {
                self.p_b = 0.0;
                self.spacing.leave();
                Verdict::Pass
            }
        }
    }

    /// Between the thresholds.
    fn random(&mut self, cx: &mut Cx<'_>, p_b: f64, p: &Meta) -> Verdict {
        let in_means = f64::from(p.ip_len) / self.mean_size;
        let (factor, weight, scale) = match self.config.byte_drop {
            ByteDrop::Off => (1.0, 1.0, 1.0),
            ByteDrop::MeanSize => (in_means, 1.0, 1.0),
            ByteDrop::MaxSize => (f64::from(p.ip_len) / f64::from(cx.link.mtu), 1.0, 1.0),
            ByteDrop::Ns2 => (1.0, in_means, in_means),
        };
        self.p_b = p_b * factor;
        if !self.spacing.test(self.p_b, weight, scale, cx.rng) {
            Verdict::Pass
        } else if self.config.ecn {
            Verdict::Signal(Reason::Early)
        } else {
            Verdict::Drop(Reason::Early)
        }
    }

    /// Beyond the upper threshold.
    fn force(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta) -> Verdict {
        self.p_b = 1.0;
        self.spacing.force(cx.rng);
        if self.config.ecn && !self.config.ecn_hard && p.ecn.capable() {
            return Verdict::Mark(Reason::Forced);
        }
        match self.config.victim.draw(q.waiting(), cx.rng) {
            None => Verdict::Drop(Reason::Forced),
            Some(slot) => Verdict::Evict { slot, reason: Reason::Forced, arrival_too: false },
        }
    }
}

impl Aqm for Red {
    fn needs(&self) -> Needs {
        self.config.victim.needs()
    }

    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        let was_idle = self.average.is_idle();
        let length = self.length(q.backlog());
        self.average.arrive(cx.now, cx.link.rate, length);
        let verdict = self.decide(cx, q, p);
        let fate = verdict.decide(p.ecn, fits);
        if fate == Decision::Drop(Reason::Overflow) {
            self.spacing.restart(cx.rng);
        }
        if was_idle && matches!(fate, Decision::Drop(_)) {
            // The link stays idle; the time until now is in the average already.
            self.average.idle_from(cx.now);
        }
        verdict
    }

    fn make_room(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, _: &Meta) -> Option<Slot> {
        self.config.victim.draw(q.waiting(), cx.rng)
    }

    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.average.idle_from(cx.now);
    }

    fn probe(&self, out: &mut dyn Probe) {
        let saw = self.spacing.saw();
        out.gauge("avg", self.average.value());
        out.gauge("p_b", self.p_b);
        out.gauge("p_a", saw.p_a);
        out.gauge("count", saw.count as f64);
        out.gauge("coin", saw.coin);
        out.gauge("min_th", self.curve.min_th);
        out.gauge("max_th", self.curve.max_th);
    }
}
