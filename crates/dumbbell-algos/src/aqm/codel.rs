//! CoDel, Controlled Delay (Nichols, Jacobson; RFC 8289).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | sojourn | told by the port | how long the packet at the head has waited |
//! | TARGET, INTERVAL | `target`, `interval` | the delay that may stand, and for how long more may |
//! | MAXPACKET | `mtu` | a queue of no more bytes than this is never signaled |
//! | first_above_time | `first_above` | when the delay will have been above target for an interval |
//! | ok_to_drop | answer of `above` | the delay is above target since an interval |
//! | dropping, drop_next, count, lastcount | the same | the control loop; [`law`] has its law |
//!
//! RFC 8289's `dequeue` takes packets in a loop. Here the port takes them and asks about each: what
//! is left to do with the packet that follows a drop is kept in [`Step`].
pub mod law;
#[cfg(test)]
mod tests;

use dumbbell_core::aqm::{Aqm, Cx, Hears, LinkInfo, Needs, QueueView, Reason, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Law, Look, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Bytes, Span, Time};
use dumbbell_macros::config;
use law::{ControlLaw, InverseRoot};

/// Parameters of [`Codel`].
#[config]
pub struct CodelConfig {
    /// The acceptable standing delay in the queue.
    #[schemars(extend("x-source" = "RFC 8289 section 4.4: 5 ms"))]
    #[config(default = Span::from_ms(5))]
    pub target: Span,
    /// For how long the delay may be above `target`: of the order of the largest round-trip time in
    /// common use.
    #[schemars(extend("x-source" = "RFC 8289 section 4.3: 100 ms"))]
    #[config(default = Span::from_ms(100))]
    pub interval: Span,
    /// With at most this much in the queue nothing is signaled.
    #[schemars(extend("x-source" = "RFC 8289 section 5.4: the MTU; ns-3 MinBytes 1500"))]
    #[config(default = Bytes(1500))]
    pub mtu: Bytes,
    /// Whether ECN-capable packets are marked rather than dropped.
    #[schemars(extend("x-source" = "tc-codel(8): noecn"))]
    pub ecn: bool,
    /// In addition, each ECN-capable packet that waited longer than this is marked; `"0 s"`: none.
    /// Needs `ecn`.
    #[schemars(extend("x-source" = "tc-codel(8): off"))]
    #[config(default = Span::ZERO)]
    pub ce_threshold: Span,
    /// How the inverse square root of the control law is taken.
    #[schemars(extend("x-source" = "RFC 8289 section 5.3"))]
    #[config(default = InverseRoot::Exact)]
    pub inverse_root: InverseRoot,
}

impl Config for CodelConfig {
    fn check(&self) -> Result<(), Fault> {
        check_spans(self.target, self.interval)?;
        if self.ce_threshold > Span::ZERO && !self.ecn {
            let cause = "ce_threshold marks packets, and ecn is off";
            return Err(Fault::at("ce_threshold", cause).fix(
                "write ecn = true, or leave \
                ce_threshold out",
            ));
        }
        Ok(())
    }
}

/// A delay to hold and a time to hold it over: both above 0. For CoDel and COBALT.
pub(crate) fn check_spans(target: Span, interval: Span) -> Result<(), Fault> {
    if target == Span::ZERO {
        let cause = "every packet waits at least 0 s: the queue would be signaled whenever it is \
            used";
        return Err(Fault::at("target", cause).fix("write \"5 ms\""));
    }
    if interval == Span::ZERO {
        return Err(Fault::at("interval", "the signals would all come at once").fix(
            "write \"100 \
            ms\"",
        ));
    }
    if interval > Span::from_secs(3600) {
        let cause = format!("{interval} is longer than any round trip; an hour is the most");
        return Err(Fault::at("interval", cause).fix("write \"100 ms\""));
    }
    Ok(())
}

/// The place in RFC 8289's `dequeue` at which the next packet is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// At its begin.
    Begin,
    /// After the drop that began the dropping state: the next packet is sent.
    Entered,
    /// After a drop in the loop.
    Loop,
}

/// The algorithm of RFC 8289, section 5.
#[derive(Clone, Debug)]
pub struct Codel {
    config: CodelConfig,
    law: ControlLaw,
    first_above: Option<Time>,
    drop_next: Time,
    count: u32,
    lastcount: u32,
    dropping: bool,
    step: Step,
    sojourn: Span,
}

impl Algorithm for Codel {
    type Config = CodelConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "codel",
        title: "Controlled Delay (CoDel)",
        idea: "Drop at the head once the delay was above a target for a whole interval, then ever \
            more often until it is below.",
        equations: "sojourn < target  or  bytes waiting <= mtu:  no signal, leave the dropping \
            state\nsojourn >= target for an interval:           signal, enter the dropping \
            state\nwhile dropping:  signal at drop_next;  count <- count + 1\n\x20                \
            drop_next <- drop_next + interval / sqrt(count)\nentering within 16 intervals of the \
            last signal:  count <- count - lastcount,  else 1",
        sources: &[
            "RFC 8289 (Nichols, Jacobson, McGregor, Iyengar: Controlled Delay Active Queue \
                Management), section 5",
            "Nichols, Jacobson: Controlling Queue Delay, ACM Queue 10(5), 2012",
            "tc-codel(8) (ecn, ce_threshold)",
        ],
        provenance: Provenance::Vectors,
        rule: "a delay above a target for an interval; at the head",
        family: "CoDel",
        look: Some(Look::new(PlotColor::Blue, '^', 0)),
        kernel: Kernel::Has { name: "codel", note: "" },
        size: Size { measures: "delay; spares `mtu` bytes", byte_mode: "", signals: SizeLaw::None },
        law: Law::Named { law: "codel", remark: "" },
        explained: Explained::by(&[
            (
                "reason == 'overflow' and dropping",
                "{full}; CoDel was dropping; the packet that left last had waited \
                    {sojourn:time}, the target is {target}",
            ),
            (
                "reason == 'overflow'",
                "{full}; CoDel was not dropping yet: the delay must stand \
                    for an interval first; the packet that left last had waited \
                    {sojourn:time}, the target is {target}",
            ),
            (
                "not dropping",
                "it had waited {sojourn:time}, longer than ce_threshold \
                    {ce_threshold}",
            ),
            (
                "marked and ce_threshold != '0 s'",
                "it had waited {sojourn:time}; target is {target}, ce_threshold {ce_threshold}",
            ),
            (
                "count == lastcount and count > 1",
                "no packet had waited less than target, {target}, for a whole interval of \
                    {interval}, so CoDel began to signal, and at a count of {count}, since it \
                    had done so shortly before",
            ),
            (
                "count == lastcount",
                "no packet had waited less than target, {target}, for a \
                    whole interval of {interval}, so CoDel began to signal",
            ),
            (
                "",
                "it had waited {sojourn:time}, and no packet less than target, {target}, since \
                    CoDel began to signal; the next signal is due {interval} / sqrt({count}) = \
                    {seconds(interval) / sqrt(count):time} after the time at which this one \
                    was",
            ),
        ]),
        ..About::PLAIN
    };

    fn new(config: &CodelConfig, _: &LinkInfo) -> Self {
        Codel {
            law: ControlLaw::new(config.interval, config.inverse_root),
            config: config.clone(),
            first_above: None,
            drop_next: Time::ZERO,
            count: 0,
            lastcount: 0,
            dropping: false,
            step: Step::Begin,
            sojourn: Span::ZERO,
        }
    }
}

impl Codel {
    /// RFC 8289's `dodequeue`, after it took a packet that waited `sojourn` and left `q`:
    /// `ok_to_drop`.
    #[inline]
    fn above(&mut self, now: Time, q: &impl QueueView, sojourn: Span) -> bool {
        if sojourn < self.config.target || q.backlog().bytes <= self.config.mtu.0 {
            self.first_above = None;
            return false;
        }
        match self.first_above {
            Some(at) => now >= at,
            None => {
                self.first_above = Some(now + self.config.interval);
                false
            }
        }
    }

    /// The delay is above target since an interval, and was not before.
    fn enter(&mut self, now: Time, mark: bool) -> Verdict {
        let delta = self.count.saturating_sub(self.lastcount);
        let lately = now.since(self.drop_next) < self.config.interval * 16;
        self.count = if delta > 1 && lately { delta } else { 1 };
        self.lastcount = self.count;
        self.dropping = true;
        self.law.set(self.count);
        self.drop_next = self.law.after(now, self.count);
        self.signal(mark, Step::Entered)
    }

    /// In the dropping state.
    fn go_on(&mut self, now: Time, mark: bool) -> Verdict {
        if now < self.drop_next {
            return Verdict::Pass;
        }
        self.count = self.count.saturating_add(1);
        self.law.set(self.count);
        if mark {
            self.drop_next = self.law.after(self.drop_next, self.count);
        }
        self.signal(mark, Step::Loop)
    }

    /// A packet that is marked is sent; after one that is dropped the port takes another.
    fn signal(&mut self, mark: bool, then: Step) -> Verdict {
        if mark {
            return Verdict::Mark(Reason::Head);
        }
        self.step = then;
        Verdict::Drop(Reason::Head)
    }

    fn decide(&mut self, now: Time, ok_to_drop: bool, mark: bool) -> Verdict {
        let step = core::mem::replace(&mut self.step, Step::Begin);
        if step == Step::Entered {
            return Verdict::Pass;
        }
        if !ok_to_drop {
            self.dropping = false;
            return Verdict::Pass;
        }
        if !self.dropping {
            return self.enter(now, mark);
        }
        if step == Step::Loop {
            self.drop_next = self.law.after(self.drop_next, self.count);
        }
        self.go_on(now, mark)
    }

    /// RFC 8289's `dodequeue` found no packet.
    fn emptied(&mut self) {
        (self.first_above, self.dropping, self.step) = (None, false, Step::Begin);
    }
}

impl Aqm for Codel {
    fn needs(&self) -> Needs {
        Needs::Held
    }
    fn hears(&self) -> Hears {
        Hears { depart: true, idle: true, ..Hears::NOTHING }
    }

    #[inline]
    fn arrive(&mut self, _: &mut Cx<'_>, _: &impl QueueView, _: &Meta, _fits: bool) -> Verdict {
        Verdict::Pass
    }

    #[inline]
    fn depart(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, sojourn: Span) -> Verdict {
        self.sojourn = sojourn;
        let capable = self.config.ecn && p.ecn.capable();
        let ok_to_drop = self.above(cx.now, q, sojourn);
        let verdict = self.decide(cx.now, ok_to_drop, capable);
        match verdict {
            Verdict::Drop(_) if q.waiting() == 0 => self.emptied(),
            Verdict::Pass
                if capable
                    && self.config.ce_threshold > Span::ZERO
                    && sojourn > self.config.ce_threshold =>
            {
                return Verdict::Mark(Reason::Head);
            }
            _ => {}
        }
        verdict
    }

    fn idle(&mut self, _: &mut Cx<'_>) {
        self.emptied();
    }

    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("sojourn", self.sojourn.seconds());
        out.gauge("count", f64::from(self.count));
        out.gauge("lastcount", f64::from(self.lastcount));
        out.gauge("dropping", f64::from(u8::from(self.dropping)));
        out.gauge("drop_next", self.drop_next.seconds());
        out.gauge("first_above_time", self.first_above.map_or(0.0, Time::seconds));
    }
}
