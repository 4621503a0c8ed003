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
//! [`RedState`] has the average, [`Dropper`] the curve, the count and the decision. The variants of
//! the family are made of both: they move thresholds between the average and the decision, or have
//! several curves.
pub mod automatic;
pub mod average;
pub mod config;
pub mod curve;
pub mod spacing;
#[cfg(test)]
pub(crate) mod tests;

use crate::aqm::drop_tail::Victim;
use crate::aqm::parts::packet_size::SizePolicy;
use average::{Average, AverageRule};
pub use config::{ByteDrop, RedConfig};
use curve::{Curve, Region};
use dumbbell_core::aqm::{
    Aqm, Cx, Hears, Limit, LinkInfo, Needs, QueueView, Reason, Slot, Verdict,
};
use dumbbell_core::catalogue::{
    About, Algorithm, Explained, Kernel, Law, Look, PlotColor, Provenance, Size, SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Backlog, Time};
use spacing::Spacing;

/// The 1993 algorithm with the choices that ns-2, ns-3 and Linux made since. Variants that move the
/// thresholds of the one curve own it.
#[derive(Clone, Debug)]
pub struct Red {
    pub(super) body: RedState,
    pub(super) dropper: Dropper,
}

/// The state that is common to all packets of a queue: the average queue length and the options.
#[derive(Clone, Debug)]
pub struct RedState {
    average: Average,
    sizes: SizePolicy,
    min_q_for_drop: f64,
    ecn: bool,
    ecn_hard: bool,
    victim: Victim,
}

/// One curve and the count of packets since its last signal: RED has one, WRED one for each class.
#[derive(Clone, Debug)]
pub struct Dropper {
    /// The curve; its thresholds may be moved between two decisions.
    pub curve: Curve,
    spacing: Spacing,
    /// The probability before the spacing at the last decision.
    pub p_b: f64,
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
        Red::given(&config.on(link))
    }
}

impl Red {
    /// With thresholds and a weight that do not follow from the link.
    pub(super) fn given(config: &RedConfig) -> Self {
        Red { body: RedState::new(config), dropper: Dropper::new(config) }
    }
}

impl Aqm for Red {
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, _: bool) -> Verdict {
        let avg = self.body.observe(cx, q.backlog());
        self.dropper.decide(&self.body, avg, cx, q, p)
    }

    fn needs(&self) -> Needs {
        self.body.needs()
    }
    fn hears(&self) -> Hears {
        Hears::IDLE
    }
    fn overflowed(&mut self, cx: &mut Cx<'_>, limit: Limit) {
        if limit == Limit::Own {
            self.dropper.overflowed(cx.rng);
        }
    }
    fn make_room(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, _: &Meta) -> Option<Slot> {
        self.body.make_room(cx, q)
    }
    fn refused(&mut self, cx: &mut Cx<'_>, _: &Meta, _: Reason) {
        self.body.refused(cx.now);
    }
    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.body.idle_from(cx.now);
    }
    fn probe(&self, out: &mut dyn Probe) {
        self.dropper.probe(self.body.avg(), out);
    }
}

impl Dropper {
    /// One that gave no signal yet, with the thresholds and `max_p` of `config`.
    pub fn new(config: &RedConfig) -> Self {
        let curve = Curve {
            min_th: config.min_th.0,
            max_th: config.max_th.0,
            max_p: config.max_p,
            gentle: config.gentle,
            shape: config.curve,
        };
        let sizes = SizePolicy::new(config.mean_packet_size, config.byte_mode, config.byte_drop);
        Dropper { curve, spacing: sizes.spacing(config.spacing), p_b: 0.0 }
    }

    /// Decides about a packet that found the average `avg`. It is always inlined: the compiler does
    /// not inline a function with many callers, although each of them gains from it.
    #[inline(always)]
    pub fn decide(
        &mut self,
        body: &RedState,
        avg: f64,
        cx: &mut Cx<'_>,
        q: &impl QueueView,
        p: &Meta,
    ) -> Verdict {
        self.signal(self.region(body, avg, q), 1.0, body, cx, q, p)
    }

    /// The region of the average `avg`; [`Region::Queueing`] if the queue is too short for a
    /// signal.
    #[inline(always)]
    pub fn region(&self, body: &RedState, avg: f64, q: &impl QueueView) -> Region {
        match self.curve.at(avg) {
            Region::Random(_) | Region::Forced if body.spares(q) => Region::Queueing,
            region => region,
        }
    }

    /// Decides about a packet in `region`. `weight` is the factor on the spaced probability, so
    /// that at any count a packet of twice the weight is signaled twice as often; 1: RED. With 0
    /// the packet is let in and not counted.
    #[inline(always)]
    pub fn signal(
        &mut self,
        region: Region,
        weight: f64,
        body: &RedState,
        cx: &mut Cx<'_>,
        q: &impl QueueView,
        p: &Meta,
    ) -> Verdict {
        match region {
            Region::Queueing => {
                // avg < min_th: let in, count <- -1
                self.p_b = 0.0;
                self.spacing.leave();
                Verdict::Pass
            }
            Region::Random(_) if weight <= 0.0 => {
                self.p_b = 0.0;
                self.spacing.skip();
                Verdict::Pass
            }
            Region::Random(p_b) => {
                // min_th <= avg < max_th: count <- count + 1, p_a = p_b / (1 - count p_b)
                let size = body.sizes.part(p.ip_len, cx.link.mtu);
                self.p_b = p_b * size.factor;
                if !self.spacing.count(size.weight, cx.rng) {
                    return Verdict::Pass;
                }
                let p_a = self.spacing.p_a(self.p_b, size.scale * weight);
                let due = self.spacing.coin(cx.rng) < p_a;
                if due {
                    self.spacing.restart(cx.rng); // count <- 0
                }
                Verdict::early(due, body.ecn)
            }
            Region::Forced => {
                // max_th <= avg: signal, count <- 0
                self.p_b = 1.0;
                self.spacing.force(cx.rng);
                body.force(cx.rng, q, p)
            }
        }
    }

    /// A packet does not fit, which counts as a signal: the count starts again.
    pub fn overflowed(&mut self, rng: &mut Stream) {
        self.spacing.restart(rng);
    }

    /// Reports the average `avg`, the values of the last decision and the present thresholds.
    pub fn probe(&self, avg: f64, out: &mut dyn Probe) {
        out.gauge("avg", avg);
        self.probe_signal(out);
        out.gauge("min_th", self.curve.min_th);
        out.gauge("max_th", self.curve.max_th);
    }

    /// Reports the probabilities, the count and the coin of the last decision.
    pub fn probe_signal(&self, out: &mut dyn Probe) {
        let saw = self.spacing.saw();
        out.gauge("p_b", self.p_b);
        out.gauge("p_a", saw.p_a);
        out.gauge("count", saw.count as f64);
        out.gauge("coin", saw.coin);
    }
}

impl RedState {
    /// An idle queue.
    pub fn new(config: &RedConfig) -> Self {
        let rule = AverageRule {
            weight: config.w_q,
            mean_packet_size: config.mean_packet_size,
            idle_style: config.idle_style,
            idle_fraction: config.idle_fraction,
        };
        let &RedConfig { mean_packet_size, byte_mode, byte_drop, ecn, ecn_hard, victim, .. } =
            config;
        let (sizes, min_q_for_drop) =
            (SizePolicy::new(mean_packet_size, byte_mode, byte_drop), config.min_q_for_drop.0);
        RedState { average: Average::new(rule), sizes, min_q_for_drop, ecn, ecn_hard, victim }
    }

    /// The average queue length, packets.
    #[inline]
    pub fn avg(&self) -> f64 {
        self.average.value()
    }

    /// The queue in packets; in byte mode in packets of the mean size, so that thresholds mean
    /// `th * mean size` bytes.
    #[inline]
    pub fn length(&self, q: Backlog) -> f64 {
        self.sizes.length(q)
    }

    /// A packet finds a backlog. Returns the average that this makes.
    #[inline]
    pub fn observe(&mut self, cx: &Cx<'_>, found: Backlog) -> f64 {
        self.average.arrive(cx.now, cx.link.rate, self.sizes.length(found));
        self.average.value()
    }

    /// True if the queue is too short for a signal: ns-2's rule, whatever the average.
    #[inline(always)]
    fn spares(&self, q: &impl QueueView) -> bool {
        self.min_q_for_drop > 0.0 && f64::from(q.backlog().packets) <= self.min_q_for_drop
    }

    /// The signal beyond the upper threshold: a mark, a drop, or the drop of a waiting packet.
    fn force(&self, rng: &mut Stream, q: &impl QueueView, p: &Meta) -> Verdict {
        if self.ecn && !self.ecn_hard && p.ecn.capable() {
            return Verdict::Mark(Reason::Forced);
        }
        match self.victim.draw(q.waiting(), rng) {
            None => Verdict::Drop(Reason::Forced),
            Some(slot) => Verdict::Evict { slot, reason: Reason::Forced, arrival_too: false },
        }
    }

    /// Its needs of its port: see [`Aqm::needs`].
    pub fn needs(&self) -> Needs {
        self.victim.needs()
    }

    /// Returns the waiting packet that goes for one that does not fit; `None`: the new one goes.
    pub fn make_room(&self, cx: &mut Cx<'_>, q: &impl QueueView) -> Option<Slot> {
        self.victim.draw(q.waiting(), cx.rng)
    }

    /// A packet went in after others had left, or without being observed: the queue is not idle.
    pub fn admitted(&mut self) {
        self.average.admitted();
    }

    /// The packet that was observed last is dropped at `now`.
    pub fn refused(&mut self, now: Time) {
        self.average.refused(now);
    }

    /// Nothing of this queue waits since `now`.
    pub fn idle_from(&mut self, now: Time) {
        self.average.idle_from(now);
    }

    /// True if no packet was observed since the queue became idle.
    pub fn is_idle(&self) -> bool {
        self.average.is_idle()
    }
}
