//! COBALT, the AQM of CAKE: CoDel's control loop with a memory, and BLUE for flows that do not
//! respond (Palmei, Gupta, Imputato, Morton, Tahiliani, Avallone, Täht, LANMAN 2019).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | sojourn | told by the port | how long the packet at the head has waited |
//! | target, interval | the same | as CoDel's |
//! | count, drop_next, dropping | the same | CoDel's loop; `count` decays by the same law by which it grew |
//! | p_drop | `p_drop` | BLUE's probability: up when the queue overflows, down when it is empty |
//!
//! Three things are not CoDel's: signals begin at `drop_next` without an interval's wait if `count`
//! is left from before; `count` is taken down one by one, at the pace of the control law, while the
//! delay is below target; and a queue that overflows nevertheless drops by chance, ECN-capable or
//! not. CoDel's drops have the reason `head`, BLUE's `forced`.
#[cfg(test)]
mod tests;

use super::codel::check_spans;
use super::codel::law::{ControlLaw, InverseRoot};
use dumbbell_core::aqm::{Aqm, Cx, Hears, Limit, LinkInfo, Needs, QueueView, Reason, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Law, Look, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Span, Time};
use dumbbell_macros::config;

/// Parameters of [`Cobalt`].
#[config]
pub struct CobaltConfig {
    /// The acceptable standing delay in the queue; also the least time from one step of `p_drop` to
    /// the next.
    #[schemars(extend("x-source" = "CAKE and ns-3: 5 ms"))]
    #[config(default = Span::from_ms(5))]
    pub target: Span,
    /// Time between the first two signals: of the order of the largest round-trip time in common
    /// use.
    #[schemars(extend("x-source" = "CAKE and ns-3: 100 ms"))]
    #[config(default = Span::from_ms(100))]
    pub interval: Span,
    /// BLUE's step up, at an overflow.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "CAKE and ns-3: 1/256"))]
    #[config(default = 1.0 / 256.0)]
    pub p_inc: f64,
    /// BLUE's step down, at an empty queue.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "CAKE and ns-3: 1/4096"))]
    #[config(default = 1.0 / 4096.0)]
    pub p_dec: f64,
    /// A delay above which `p_drop` steps up, too (ns-3: 400 ms); `"0 s"`: none (CAKE).
    #[schemars(extend("x-source" = "CAKE; ns-3 BlueThreshold 400 ms"))]
    #[config(default = Span::ZERO)]
    pub blue_threshold: Span,
    /// Only a delay of more than so many transmissions of an MTU counts as above target (CAKE: 2
    /// for each bulk flow, at least 4); 0: no such rule (ns-3).
    #[schemars(range(min = 0.0, max = 1000.0), extend("x-source" = "ns-3; CAKE 4"))]
    #[config(default = 0.0)]
    pub mtu_times: f64,
    /// Whether CoDel's part marks ECN-capable packets rather than dropping them; BLUE's part never
    /// does.
    #[schemars(extend("x-source" = "ns-3 UseEcn false; CAKE true"))]
    pub ecn: bool,
    /// How the inverse square root of the control law is taken.
    #[schemars(extend("x-source" = "RFC 8289 section 5.3; CAKE and ns-3 newton16"))]
    #[config(default = InverseRoot::Exact)]
    pub inverse_root: InverseRoot,
}

impl Config for CobaltConfig {
    fn check(&self) -> Result<(), Fault> {
        check_spans(self.target, self.interval)?;
        if self.blue_threshold > Span::ZERO && self.blue_threshold <= self.target {
            let cause = format!(
                "BLUE would set in at {}, and CoDel's target is {}",
                self.blue_threshold, self.target
            );
            return Err(Fault::at("blue_threshold", cause).fix(
                "write \"400 ms\", or \"0 s\" for \
                none",
            ));
        }
        Ok(())
    }
}

/// CoDel and BLUE at one queue.
#[derive(Clone, Debug)]
pub struct Cobalt {
    config: CobaltConfig,
    law: ControlLaw,
    count: u32,
    dropping: bool,
    drop_next: Time,
    p_drop: f64,
    /// The time of the last step of `p_drop`; `None`: never.
    stepped: Option<Time>,
    /// The instant at which the queue was last found empty, so that one end of it counts once.
    emptied: Option<Time>,
    sojourn: Span,
    coin: f64,
}

impl Algorithm for Cobalt {
    type Config = CobaltConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "cobalt",
        title: "CoDel and BLUE Alternate (COBALT)",
        idea: "CoDel that remembers how often it had to signal, and drops by chance where signals \
            do not help.",
        equations: "sojourn > target:   at drop_next signal;  count <- count + 1\nsojourn <= \
            target:  at drop_next          count <- count - 1\neach time:          drop_next <- \
            drop_next + interval / sqrt(count)\noverflow:           p_drop <- p_drop + p_inc,  \
            signal at once  (p_drop: once in target)\nempty:              p_drop <- p_drop - \
            p_dec                   (p_drop: once in target)\neach packet:        drop with \
            probability p_drop, ECN-capable or not",
        sources: &[
            "Palmei et al.: Design and Evaluation of COBALT Queue Discipline, IEEE LANMAN 2019",
            "Hoeiland-Joergensen, Taht, Morton: Piece of CAKE, IEEE LANMAN 2018, and tc-cake(8) \
                (defaults)",
            "ns-3 CobaltQueueDisc (defaults, blue_threshold)",
        ],
        provenance: Provenance::Recollection,
        rule: "CoDel's; BLUE for flows that do not respond",
        family: "CoDel",
        look: Some(Look::new(PlotColor::Blue, 's', 1)),
        kernel: Kernel::Lacks { why: "Linux has COBALT only within cake", fix: "" },
        size: Size {
            measures: "delay; losses and idle times; spares `mtu` bytes",
            byte_mode: "",
            signals: SizeLaw::None,
        },
        law: Law::Named { law: "cobalt", remark: "" },
        explained: Explained::by(&[
            ("reason == 'overflow'", "{full}; it raised BLUE's p_drop to {p_drop}"),
            (
                "reason == 'forced'",
                "BLUE's p_drop was {p_drop}, and the coin, {coin}, fell \
                    below it",
            ),
            (
                "",
                "it had waited {sojourn:time}, and the target is {target}; a signal was due, \
                    with a count of {count}",
            ),
        ]),
        ..About::PLAIN
    };

    fn new(config: &CobaltConfig, _: &LinkInfo) -> Self {
        Cobalt {
            law: ControlLaw::new(config.interval, config.inverse_root),
            config: config.clone(),
            count: 0,
            dropping: false,
            drop_next: Time::ZERO,
            p_drop: 0.0,
            stepped: None,
            emptied: None,
            sojourn: Span::ZERO,
            coin: 1.0,
        }
    }
}

impl Cobalt {
    /// True if `p_drop` may step again; if so it is about to.
    fn may_step(&mut self, now: Time) -> bool {
        let may = self.stepped.is_none_or(|at| now.since(at) > self.config.target);
        if may {
            self.stepped = Some(now);
        }
        may
    }

    fn step_up(&mut self, now: Time) {
        if self.may_step(now) {
            self.p_drop = (self.p_drop + self.config.p_inc).min(1.0);
        }
    }

    fn step_down(&mut self, now: Time) {
        if self.p_drop > 0.0 && self.may_step(now) {
            self.p_drop = (self.p_drop - self.config.p_dec).max(0.0);
        }
    }

    /// The queue overflows: the next packet at the head gets a signal.
    fn full(&mut self, now: Time) {
        self.step_up(now);
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// Tells that nothing waits and nothing is sent: fewer packets are signaled from now on.
    fn empty(&mut self, now: Time) {
        if self.emptied.replace(now) == Some(now) {
            return;
        }
        self.step_down(now);
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.recount(self.count - 1, self.drop_next);
        }
    }

    /// `count` is another, and the next signal (or step down of it) is due after `from`.
    fn recount(&mut self, count: u32, from: Time) {
        self.count = count;
        self.law.set(count);
        self.drop_next = self.law.after(from, count);
    }

    fn is_over(&self, cx: &Cx<'_>, sojourn: Span) -> bool {
        let long = self.config.mtu_times == 0.0
            || sojourn > cx.link.rate.span_of(u64::from(cx.link.mtu)).scaled(self.config.mtu_times);
        sojourn > self.config.target && long
    }

    /// CoDel's part: whether a signal is due.
    fn loops(&mut self, now: Time, over: bool) -> bool {
        let was_due = self.count > 0 && now >= self.drop_next;
        if over {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = self.law.after(now, self.count);
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        if was_due && self.dropping {
            self.recount(self.count.saturating_add(1), self.drop_next);
            return true;
        }
        while was_due && self.count > 0 && now >= self.drop_next {
            self.recount(self.count - 1, self.drop_next);
        }
        false
    }

    /// BLUE's part: whether chance drops the packet.
    fn chance(&mut self, cx: &mut Cx<'_>) -> bool {
        if self.p_drop == 0.0 {
            return false;
        }
        self.coin = cx.rng.unit();
        self.coin < self.p_drop
    }
}

impl Aqm for Cobalt {
    fn needs(&self) -> Needs {
        Needs::Held
    }
    fn hears(&self) -> Hears {
        Hears { depart: true, idle: true, ..Hears::NOTHING }
    }

    #[inline]
    fn arrive(&mut self, _: &mut Cx<'_>, _: &impl QueueView, _: &Meta, _: bool) -> Verdict {
        Verdict::Pass
    }

    fn depart(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, sojourn: Span) -> Verdict {
        self.sojourn = sojourn;
        let over = self.is_over(cx, sojourn);
        let signal = self.loops(cx.now, over);
        if self.config.blue_threshold > Span::ZERO && sojourn > self.config.blue_threshold {
            self.step_up(cx.now);
        }
        let chance = self.chance(cx);
        let marked = self.config.ecn && p.ecn.capable();
        let verdict = match (signal, chance) {
            (true, _) if !marked => Verdict::Drop(Reason::Head),
            (_, true) => Verdict::Drop(Reason::Forced),
            (true, false) => Verdict::Mark(Reason::Head),
            (false, false) => Verdict::Pass,
        };
        // Without a count `drop_next` is when the memory ends; behind its time it is not made up
        // for later.
        if self.count == 0 {
            self.drop_next = cx.now + self.config.interval;
        } else if cx.now > self.drop_next && !matches!(verdict, Verdict::Drop(_)) {
            self.drop_next = cx.now;
        }
        if matches!(verdict, Verdict::Drop(_)) && q.waiting() == 0 {
            // The link asks for another packet in vain. On an idle link no transmission ends that
            // would tell so, and a probability near 1 would keep it idle.
            self.empty(cx.now);
        }
        verdict
    }

    fn overflowed(&mut self, cx: &mut Cx<'_>, _: Limit) {
        self.full(cx.now);
    }

    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.empty(cx.now);
    }

    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("sojourn", self.sojourn.seconds());
        out.gauge("count", f64::from(self.count));
        out.gauge("dropping", f64::from(u8::from(self.dropping)));
        out.gauge("drop_next", self.drop_next.seconds());
        out.gauge("p_drop", self.p_drop);
        out.gauge("coin", self.coin);
    }
}
