//! PIE, Proportional Integral controller Enhanced (Pan and others, HPSR 2013; RFC 8033).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | QDELAY_REF, T_UPDATE | `target`, `tupdate` | delay to steer to, time between two updates |
//! | alpha, beta | the same | gains, in 1/s |
//! | drop_prob | state | probability of a signal |
//! | current_qdelay, qdelay_old | [`delay`] | delay at this and at the last update |
//! | accu_prob | state | sum of the probabilities since the last signal |
//! | burst_allowance | state | how long bursts still pass |
//!
//! Of the optional parts of RFC 8033 (section 5) each has a parameter. Left out is Linux's addition
//! of 2 % beyond a delay of 250 ms.
pub mod config;
pub mod delay;
#[cfg(test)]
mod tests;

pub use config::{Decay, PieConfig};
use delay::Delay;
use dumbbell_core::aqm::{Aqm, Cx, Hears, LinkInfo, Needs, QueueView, Reason, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Explained, Kernel, Law, Look, PlotColor, Provenance, Size, SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Backlog, Capacity, Span};

/// Below which probability the controller's step is divided by how much (RFC 8033 section 4.2).
const SCALES: [(f64, f64); 6] =
    [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];

/// A proportional integral controller of the queueing delay.
#[derive(Clone, Debug)]
pub struct Pie {
    config: PieConfig,
    target: f64,
    delay: Delay,
    active: bool,
    qdelay_old: f64,
    drop_prob: f64,
    accu_prob: f64,
    burst_allowance: Span,
    coin: f64,
}

impl Algorithm for Pie {
    type Config = PieConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "pie",
        title: "Proportional Integral controller Enhanced (PIE)",
        idea: "A controller moves the probability of a signal until the queueing delay is at its \
            target.",
        equations: "p = alpha (qdelay - target) + beta (qdelay - qdelay_old)       every \
            tupdate\np <- p / 2048, 512, 128, 32, 8, 2, 1   by the decade of drop_prob, from below \
            1e-6 on\ndrop_prob <- min(1, max(0, drop_prob + p))\na packet that arrives is \
            signaled with probability drop_prob, but not\nin a burst, with two packets or less \
            waiting, or with qdelay_old < target / 2\nand drop_prob < 0.2",
        sources: &[
            "RFC 8033: Proportional Integral Controller Enhanced (PIE), 2017",
            "Pan and others: PIE: A Lightweight Control Scheme to Address the Bufferbloat Problem, \
                HPSR 2013",
            "tc-pie(8)",
        ],
        provenance: Provenance::Vectors,
        rule: "the delay: the same, in steps that depend on the probability",
        family: "controllers",
        look: Some(Look::new(PlotColor::Purple, 'v', 4)),
        kernel: Kernel::Has { name: "pie", note: "" },
        size: Size {
            measures: "delay; spares two typical packets, bytes",
            byte_mode: "",
            signals: SizeLaw::Constant,
        },
        law: Law::Named { law: "pie", remark: "" },
        explained: Explained::by(&[
            (
                "reason == 'overflow' and burst_allowance > 0",
                "{full}; PIE's drop_prob was {drop_prob}, the delay was last {qdelay:time}, \
                    its target is {target}; it let a burst pass for another \
                    {burst_allowance:time}",
            ),
            (
                "reason == 'overflow'",
                "{full}; PIE's drop_prob was {drop_prob}, the delay was \
                    last {qdelay:time}, its target is {target}",
            ),
            (
                "reason == 'forced'",
                "drop_prob was {drop_prob}, above mark_ecnth {mark_ecnth}, \
                    where ECN does not spare a packet; the delay was last {qdelay:time}, its \
                    target is {target}",
            ),
            (
                "coin < drop_prob",
                "drop_prob was {drop_prob} and the coin, {coin}, fell below \
                    it; the delay was last {qdelay:time}, its target is {target}",
            ),
            (
                "",
                "drop_prob was {drop_prob} and what it had been since the last signal had \
                    added up; the delay was last {qdelay:time}, its target is {target}",
            ),
        ]),
        ..About::PLAIN
    };

    fn new(config: &PieConfig, _: &LinkInfo) -> Self {
        Pie {
            target: config.target.seconds(),
            delay: Delay::new(config.delay, config.dq_threshold),
            active: config.activate == 0.0,
            qdelay_old: 0.0,
            drop_prob: 0.0,
            accu_prob: 0.0,
            burst_allowance: config.max_burst,
            coin: 1.0,
            config: config.clone(),
        }
    }
}

impl Pie {
    /// RFC 8033 section 4.2: the probability after a time `tupdate` at whose end the delay is
    /// `qdelay` seconds.
    fn update(&mut self, qdelay: f64) {
        let (alpha, beta) = (self.config.alpha, self.config.beta);
        let mut p = alpha * (qdelay - self.target) + beta * (qdelay - self.qdelay_old);
        if let Some((_, scale)) = SCALES.iter().find(|(below, _)| self.drop_prob < *below) {
            p /= scale;
        } else if self.config.cap_drop_adjustment {
            p = p.min(0.02);
        }
        self.drop_prob += p;
        let low = qdelay.max(self.qdelay_old);
        let decays = match self.config.decay {
            Decay::NoDelay => low == 0.0,
            Decay::LowDelay => low < self.target / 2.0,
        };
        if decays {
            self.drop_prob *= 0.98;
        }
        self.drop_prob = self.drop_prob.clamp(0.0, 1.0);
        self.qdelay_old = qdelay;
        // Section 4.4: without congestion the next burst may be a whole one.
        self.burst_allowance = if self.drop_prob == 0.0 && low < self.target / 2.0 {
            self.config.max_burst
        } else {
            self.burst_allowance.saturating_sub(self.config.tupdate)
        };
        // Section 5.3; a delay that is not measured yet is no delay of zero.
        let over = self.drop_prob == 0.0 && low == 0.0 && self.delay.is_known();
        self.active = self.config.activate == 0.0 || !over;
    }

    /// Section 5.3: from a share of the limit on. A queue without a limit has no share.
    fn begins(&self, b: Backlog, capacity: Capacity) -> bool {
        capacity.filled(b).is_none_or(|(length, limit)| length >= self.config.activate * limit)
    }

    fn begin(&mut self) {
        self.active = true;
        self.qdelay_old = 0.0;
        self.drop_prob = 0.0;
        self.accu_prob = 0.0;
        self.burst_allowance = self.config.max_burst;
        self.delay.restart();
    }

    /// Sections 4.1 and 5.4: whether this packet is signaled.
    fn drop_early(&mut self, waiting: u64, bytes: u32, rng: &mut Stream) -> bool {
        let calm = self.qdelay_old < self.target / 2.0 && self.drop_prob < 0.2;
        if calm || waiting <= 2 * self.config.mean_packet_size.0 {
            return false;
        }
        let share = if self.config.bytemode {
            f64::from(bytes) / self.config.mean_packet_size.0 as f64
        } else {
            1.0
        };
        let p = (self.drop_prob * share).min(1.0);
        if self.config.derandomize {
            self.accu_prob = if self.drop_prob == 0.0 { 0.0 } else { self.accu_prob + p };
            if self.accu_prob < 0.85 {
                return false;
            }
            if self.accu_prob >= 8.5 {
                return true;
            }
        }
        self.coin = rng.unit();
        self.coin < p
    }
}

impl Aqm for Pie {
    fn needs(&self) -> Needs {
        self.delay.needs()
    }
    fn hears(&self) -> Hears {
        Hears { depart: true, ..Hears::ARRIVALS }
    }

    #[inline]
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        if !fits {
            self.accu_prob = 0.0;
            return Verdict::Pass;
        }
        if !self.active {
            if self.begins(q.backlog(), cx.link.capacity) {
                self.begin();
            }
            return Verdict::Pass;
        }
        if self.burst_allowance > Span::ZERO
            || !self.drop_early(q.backlog().bytes, p.ip_len, cx.rng)
        {
            return Verdict::Pass;
        }
        self.accu_prob = 0.0;
        match self.config.ecn && p.ecn.capable() {
            false => Verdict::Drop(Reason::Early),
            true if self.drop_prob < self.config.mark_ecnth => Verdict::Mark(Reason::Early),
            true => Verdict::Drop(Reason::Forced),
        }
    }

    fn depart(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, sojourn: Span) -> Verdict {
        self.delay.depart(cx.now, q, p, sojourn);
        Verdict::Pass
    }

    fn tick(&mut self, cx: &mut Cx<'_>, q: &impl QueueView) -> Option<Span> {
        if self.active {
            self.update(self.delay.seconds(cx, q));
        }
        Some(self.config.tupdate)
    }

    fn ticks(&self) -> bool {
        true
    }

    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("drop_prob", self.drop_prob);
        out.gauge("qdelay", self.qdelay_old);
        out.gauge("accu_prob", self.accu_prob);
        out.gauge("burst_allowance", self.burst_allowance.seconds());
        out.gauge("coin", self.coin);
        out.gauge("dq_rate", self.delay.rate());
    }
}
