//! The treatment of an arriving packet that is common to the RED family, in two steps:
//! [`RedState::observe`] takes the average, [`Dropper::decide`] compares it with a curve. An
//! adaptive discipline may move its thresholds between them.
use super::average::{Average, AverageRule};
use super::config::RedConfig;
use super::curve::{Curve, Region};
use super::spacing::Spacing;
use crate::aqm::drop_tail::Victim;
use crate::aqm::parts::packet_size::{Part, SizePolicy};
use dumbbell_core::aqm::{Cx, Decision, Needs, QueueView, Reason, Slot, Verdict};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Backlog, Time};

/// The state of RED that is common to all packets of a queue: its average queue length and options.
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
    p_b: f64,
}

/// A curve's probability for one packet, by an algorithm that tells packets of one class apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassProbability {
    /// Probability before the spacing.
    pub p_b: f64,
    /// The factor on the probability after the spacing, so that at any count a packet of twice the
    /// weight is signaled twice as often; 1: RED. With 0 the packet is let in and not counted.
    pub weight: f64,
}

impl ClassProbability {
    /// As RED: a packet is a packet.
    pub fn plain(p_b: f64) -> Self {
        ClassProbability { p_b, weight: 1.0 }
    }
}

/// The result of [`RedState::observe`], for the decision about the same packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Observed {
    /// The average that the curve is asked about.
    pub avg: f64,
    was_idle: bool,
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

    /// A packet finds a backlog: takes the average.
    #[inline]
    pub fn observe(&mut self, cx: &Cx<'_>, found: Backlog) -> Observed {
        let was_idle = self.average.is_idle();
        let length = self.length(found);
        self.average.arrive(cx.now, cx.link.rate, length);
        Observed { avg: self.average.value(), was_idle }
    }

    /// Its needs of its port: see [`Aqm::needs`](dumbbell_core::aqm::Aqm::needs).
    pub fn needs(&self) -> Needs {
        self.victim.needs()
    }

    /// Returns the waiting packet that goes for one that does not fit; `None`: the new one goes.
    pub fn make_room(&self, cx: &mut Cx<'_>, q: &impl QueueView) -> Option<Slot> {
        self.victim.draw(q.waiting(), cx.rng)
    }

    /// The link is idle since `cx.now`.
    pub fn idle(&mut self, cx: &Cx<'_>) {
        self.average.idle_from(cx.now);
    }

    /// Records that nothing of this queue waits since `now`.
    pub fn idle_from(&mut self, now: Time) {
        self.average.idle_from(now);
    }

    /// True if nothing came since it was told to be idle.
    pub fn is_idle(&self) -> bool {
        self.average.is_idle()
    }

    /// A packet went in without being observed, or after all: it is not idle.
    pub fn busy(&mut self) {
        self.average.busy();
    }

    /// The packet of which `observed` was taken was dropped: an idle link stays idle. The time
    /// until now is in the average already.
    #[inline]
    pub fn refused(&mut self, observed: Observed, now: Time) {
        if observed.was_idle {
            self.average.idle_from(now);
        }
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
        let spacing = sizes.spacing(config.spacing);
        Dropper { curve, spacing, p_b: 0.0 }
    }

    /// Decides about the packet of which `observed` was taken. It is always inlined: the compiler
    /// does not inline a function with many callers, although each of them gains from it.
    #[inline(always)]
    pub fn decide(
        &mut self,
        body: &mut RedState,
        observed: Observed,
        cx: &mut Cx<'_>,
        q: &impl QueueView,
        p: &Meta,
        fits: bool,
    ) -> Verdict {
        self.decide_weighed(body, observed, cx, q, (p, fits), ClassProbability::plain)
    }

    /// The same, for a packet that `fits` or does not, of which `weigh` changes the curve's
    /// probability.
    #[inline(always)]
    pub fn decide_weighed(
        &mut self,
        body: &mut RedState,
        observed: Observed,
        cx: &mut Cx<'_>,
        q: &impl QueueView,
        (p, fits): (&Meta, bool),
        weigh: impl FnOnce(f64) -> ClassProbability,
    ) -> Verdict {
        let verdict = self.verdict(body, observed.avg, cx, q, p, weigh);
        let fate = verdict.decide(p.ecn, fits);
        if fate == Decision::Drop(Reason::Overflow) {
            self.spacing.restart(cx.rng);
        }
        if matches!(fate, Decision::Drop(_)) {
            body.refused(observed, cx.now);
        }
        verdict
    }

    #[inline(always)]
    fn verdict(
        &mut self,
        body: &RedState,
        avg: f64,
        cx: &mut Cx<'_>,
        q: &impl QueueView,
        p: &Meta,
        weigh: impl FnOnce(f64) -> ClassProbability,
    ) -> Verdict {
        let floor = body.min_q_for_drop;
        let short = floor > 0.0 && f64::from(q.backlog().packets) <= floor;
        match self.curve.at(avg) {
            Region::Random(p_b) if !short => self.random(body, cx, weigh(p_b), p),
            Region::Forced if !short => self.force(body, cx, q, p),
            _ => {
                self.p_b = 0.0;
                self.spacing.leave();
                Verdict::Pass
            }
        }
    }

    /// Between the thresholds.
    #[inline(always)]
    fn random(
        &mut self,
        body: &RedState,
        cx: &mut Cx<'_>,
        weighed: ClassProbability,
        p: &Meta,
    ) -> Verdict {
        if weighed.weight <= 0.0 {
            self.p_b = 0.0;
            self.spacing.skip();
            return Verdict::Pass;
        }
        let Part { factor, weight, scale } = body.sizes.part(p.ip_len, cx.link.mtu);
        self.p_b = weighed.p_b * factor;
        Verdict::early(
            self.spacing.test(self.p_b, weight, scale * weighed.weight, cx.rng),
            body.ecn,
        )
    }

    /// Beyond the upper threshold.
    fn force(&mut self, body: &RedState, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta) -> Verdict {
        self.p_b = 1.0;
        self.spacing.force(cx.rng);
        if body.ecn && !body.ecn_hard && p.ecn.capable() {
            return Verdict::Mark(Reason::Forced);
        }
        match body.victim.draw(q.waiting(), cx.rng) {
            None => Verdict::Drop(Reason::Forced),
            Some(slot) => Verdict::Evict { slot, reason: Reason::Forced, arrival_too: false },
        }
    }

    /// Reports the average `avg`, the values of the last decision and the present thresholds.
    pub fn probe(&self, avg: f64, out: &mut dyn Probe) {
        let saw = self.spacing.saw();
        out.gauge("avg", avg);
        out.gauge("p_b", self.p_b);
        out.gauge("p_a", saw.p_a);
        out.gauge("count", saw.count as f64);
        out.gauge("coin", saw.coin);
        out.gauge("min_th", self.curve.min_th);
        out.gauge("max_th", self.curve.max_th);
    }
}
