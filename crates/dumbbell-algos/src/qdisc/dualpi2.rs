//! DualPI2, the dual-queue coupled AQM of RFC 9332 (appendix A): low latency for Scalable traffic
//! beside Classic traffic.
//!
//! Two queues: L for packets with ECT(1) or CE (L4S, RFC 9331), C for the others. A controller of
//! the delay moves a pressure p'; C is signaled with its square, L with k times it, so that flows
//! of both kinds get like rates; L marks besides by its own delay.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | target, Tupdate, alpha, beta | the same | the controller, as of [`pi2`](crate::aqm::pi2) |
//! | k | `coupling_factor` | p_CL = k p' |
//! | p', p_C, p_CL | state | pressure, probability of Classic signals, coupled probability of L marks |
//! | p'_L | [`native`] | L's own probability, by the delay of its packet |
//! | minTh, range; step | `l_min_th`, `range`; `step_thresh` | where the ramp begins and how wide it is; where the step is |
//! | Th_len | `th_len` | with no more packets than this in L behind a packet its own delay marks nothing |
//! | tshift; wc | `tshift`; `c_protection` | how much longer L's head counts as having waited; C's share under WRR |
//! | p_Lmax, p_Cmax | 1, 1 / k^2 | from here on there is an overload: ECN no longer saves a packet |
pub mod config;
mod pick;
#[cfg(test)]
mod tests;

pub use config::DualPi2Config;
use config::{Chance, DelayOf, Overload};
use dumbbell_core::aqm::{Cx, LinkInfo, QueueView, Reason};
use dumbbell_core::catalogue::{About, Algorithm, Explained, Kernel, Look, PlotColor, Provenance};
use dumbbell_core::packet::{Ecn, Packet};
use dumbbell_core::probe::Probe;
use dumbbell_core::qdisc::packet_queue::{PacketQueue, Waiting};
use dumbbell_core::qdisc::{Qdisc, Sink};
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Backlog, Capacity, Span, Time};
use pick::{Heads, Picker};

/// The two queues.
pub struct DualPi2<P> {
    l: PacketQueue<P>,
    c: PacketQueue<P>,
    coupled: Coupled,
    picker: Picker,
    capacity: Capacity,
    in_service: Backlog,
    next_tick: Time,
}

/// The controller, and what it makes of a packet.
#[derive(Clone, Debug)]
pub struct Coupled {
    config: DualPi2Config,
    /// The pressure p'.
    p: f64,
    qdelay_old: f64,
    /// The native probability of the L packet that was examined last.
    native: f64,
    coin: f64,
    /// The sums of the recurrences of L and of C.
    sums: [f64; 2],
    /// Bytes of which nothing is signaled when less waits.
    least: u64,
}

/// The fate of a packet at the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is sent.
    Pass,
    /// It is sent with a mark.
    Mark(Reason),
    /// It is dropped.
    Drop(Reason),
}

/// L's own probability of a mark for a packet that waited `sojourn` seconds.
fn native(config: &DualPi2Config, sojourn: Span) -> f64 {
    match config.l_aqm {
        config::LAqm::Step => f64::from(u8::from(sojourn > config.step_thresh)),
        config::LAqm::Ramp => {
            let above = sojourn.seconds() - config.l_min_th.seconds();
            if config.range == Span::ZERO {
                f64::from(u8::from(above > 0.0))
            } else {
                (above / config.range.seconds()).clamp(0.0, 1.0)
            }
        }
    }
}

impl Coupled {
    fn new(config: &DualPi2Config, mtu: u32) -> Self {
        Coupled {
            config: config.clone(),
            p: 0.0,
            qdelay_old: 0.0,
            native: 0.0,
            coin: 1.0,
            sums: [0.0; 2],
            least: 2 * u64::from(mtu),
        }
    }

    /// The pressure after a time `tupdate` at whose end the delay is `qdelay` seconds.
    fn update(&mut self, qdelay: f64) {
        let c = &self.config;
        let step = c.alpha * (qdelay - c.target.seconds()) + c.beta * (qdelay - self.qdelay_old);
        let most = if c.overload == Overload::Mark { 1.0 / c.coupling_factor } else { 1.0 };
        self.p = (self.p + step).clamp(0.0, most);
        self.qdelay_old = qdelay;
    }

    fn p_c(&self) -> f64 {
        self.p * self.p
    }
    fn p_cl(&self) -> f64 {
        self.config.coupling_factor * self.p
    }
    /// The coupled probability is used up.
    fn overloaded(&self) -> bool {
        self.config.overload == Overload::Drop && self.p_cl() >= 1.0
    }

    /// True as often as `p` says, for L or C.
    fn recur(&mut self, queue: usize, p: f64, rng: &mut Stream) -> bool {
        if p <= 0.0 {
            return false;
        }
        match self.config.chance {
            Chance::Random => {
                self.coin = rng.unit();
                self.coin < p
            }
            Chance::Recur => {
                self.sums[queue] += p;
                let due = self.sums[queue] > 1.0;
                if due {
                    self.sums[queue] -= 1.0;
                }
                due
            }
        }
    }

    /// Returns the fate of the head of L, behind which `behind` packets of L wait, with `all` bytes
    /// in both queues.
    fn low(&mut self, sojourn: Span, behind: u32, all: u64, rng: &mut Stream) -> Fate {
        let few = all < self.least;
        if self.overloaded() && !few {
            if self.recur(0, self.p_c(), rng) {
                return Fate::Drop(Reason::Forced);
            }
            return if self.recur(0, self.p_cl().min(1.0), rng) {
                Fate::Mark(Reason::Forced)
            } else {
                Fate::Pass
            };
        }
        self.native = if behind > self.config.th_len { native(&self.config, sojourn) } else { 0.0 };
        let coupled = if few { 0.0 } else { self.p_cl() };
        let reason = if self.native > coupled { Reason::Head } else { Reason::Early };
        let p = self.native.max(coupled).min(1.0);
        if self.recur(0, p, rng) { Fate::Mark(reason) } else { Fate::Pass }
    }

    /// Returns the fate of the head of C.
    fn classic(&mut self, ecn: Ecn, all: u64, rng: &mut Stream) -> Fate {
        if all < self.least || !self.recur(1, self.p_c(), rng) {
            return Fate::Pass;
        }
        match (ecn.capable(), self.overloaded()) {
            (true, false) => Fate::Mark(Reason::Early),
            (true, true) => Fate::Drop(Reason::Forced),
            (false, _) => Fate::Drop(Reason::Early),
        }
    }

    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("p", self.p);
        out.gauge("p_c", self.p_c());
        out.gauge("p_cl", self.p_cl().min(1.0));
        out.gauge("p_l", self.native);
        out.gauge("qdelay", self.qdelay_old);
        out.gauge("coin", self.coin);
    }
}

impl<P> Algorithm for DualPi2<P> {
    type Config = DualPi2Config;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "dualpi2",
        title: "Dual-queue coupled PI2 (DualPI2, L4S)",
        idea: "Scalable traffic has its own queue with almost no delay, and is marked so that it \
            takes no more than its share.",
        equations: "p' <- min(1, max(0, p' + alpha (qdelay - target) + beta (qdelay - \
            qdelay_old)))  every tupdate\nC:  p_C = p'^2        drop, or mark what is \
            ECN-capable\nL:  p_L = max(p'_L, p_CL)  mark;  p_CL = k p'\nramp:  p'_L = (sojourn - \
            l_min_th) / range in [0, 1];   step:  p'_L = 1 iff sojourn > step_thresh\np_CL >= 1:  \
            L is dropped with p_C, the rest marked; C is dropped, ECN-capable or \
            not\nwrr:           L iff C is empty or credit <= 0;\n\x20              L sends: \
            credit += wc L;  C sends: credit -= (1 - wc) L\ntime_shifted:  L iff age of its head + \
            tshift >= age of C's head",
        sources: &[
            "RFC 9332: Dual-Queue Coupled Active Queue Management (AQM), 2023, section 2 and \
                appendix A",
            "De Schepper, Bondarenko, Tsang, Briscoe: PI2, CoNEXT 2016",
            "Linux sch_dualpi2's description (WRR by credit, step)",
        ],
        provenance: Provenance::Vectors,
        rule: "PI2 for Classic traffic; a queue with almost no delay for Scalable",
        family: "classes",
        look: Some(Look::new(PlotColor::Green, '^', 4)),
        kernel: Kernel::Has { name: "dualpi2", note: "" },
        explained: Explained::by(&[
            (
                "reason == 'overflow'",
                "{full}; p' was {p}, the delay was last {qdelay:time}, its \
                    target is {target}",
            ),
            (
                "reason == 'head'",
                "it is Scalable and its queue's own ramp stood at {p_l}, above \
                    k p' = {p_cl}; the delay was last {qdelay:time}, its target is {target}",
            ),
            (
                "reason == 'forced'",
                "p' was {p}, where k p' = {p_cl} means overload and ECN does \
                    not spare a packet; the delay was last {qdelay:time}, its target is \
                    {target}",
            ),
            (
                "marked and chance == 'recur'",
                "p' was {p}, so Scalable packets are marked with k \
                    p' = {p_cl}, Classic ones with p'^2 = {p_c}, and what that had added up to \
                    passed 1; the delay was last {qdelay:time}, its target is {target}",
            ),
            (
                "marked",
                "p' was {p}, so Scalable packets are marked with k p' = {p_cl}, Classic \
                    ones with p'^2 = {p_c}; the coin was {coin}; the delay was last \
                    {qdelay:time}, its target is {target}",
            ),
            (
                "chance == 'recur'",
                "p' was {p}, so Classic packets are dropped with p'^2 = \
                    {p_c}, and what that had added up to passed 1; the delay was last \
                    {qdelay:time}, its target is {target}",
            ),
            (
                "",
                "p' was {p}, so Classic packets are dropped with p'^2 = {p_c}; the coin was \
                    {coin}; the delay was last {qdelay:time}, its target is {target}",
            ),
        ]),
        ..About::PLAIN
    };
    fn new(config: &DualPi2Config, link: &LinkInfo) -> Self {
        let size = link.capacity.buffer_size();
        DualPi2 {
            l: PacketQueue::counting(size),
            c: PacketQueue::counting(size),
            coupled: Coupled::new(config, link.mtu),
            picker: Picker::new(config, link.mtu),
            capacity: link.capacity,
            in_service: Backlog::default(),
            next_tick: Time::ZERO,
        }
    }
}

impl<P: Packet> DualPi2<P> {
    fn held(&self) -> Backlog {
        self.l.held().and(self.c.held())
    }

    /// The times for which the heads have waited.
    fn heads(&self, now: Time) -> Heads {
        let age = |store: &PacketQueue<P>| store.iter().next().map(|w| now.since(w.since));
        Heads { l: age(&self.l), c: age(&self.c) }
    }

    /// The delay that the controller acts on, in seconds.
    fn qdelay(&self, now: Time) -> f64 {
        let Heads { l, c } = self.heads(now);
        let (l, c) = (l.unwrap_or_default(), c.unwrap_or_default());
        let delay = if self.coupled.config.delay_of == DelayOf::Classic { c } else { c.max(l) };
        delay.seconds()
    }

    /// The packet whose turn it is, and what happens to it.
    fn next(&mut self, cx: &mut Cx<'_>) -> Option<(Waiting<P>, Fate)> {
        let all = self.held().bytes;
        let low = self.picker.pick(self.heads(cx.now))?;
        let w = if low { self.l.pop()? } else { self.c.pop()? };
        let meta = w.packet.meta();
        let fate = if low {
            self.coupled.low(cx.now.since(w.since), self.l.waiting(), all, cx.rng)
        } else {
            self.coupled.classic(meta.ecn, all, cx.rng)
        };
        if !matches!(fate, Fate::Drop(_)) {
            // A dropped packet takes nothing of its queue's share.
            self.picker.sends(low, meta.ip_len, if low { self.c.len() } else { self.l.len() } > 0);
        }
        Some((w, fate))
    }
}

impl<P: Packet> Qdisc<P> for DualPi2<P> {
    fn enqueue(&mut self, cx: &mut Cx<'_>, p: P, sink: &mut impl Sink<P>) {
        let meta = p.meta();
        if !self.capacity.fits(self.held().and(self.in_service), meta.ip_len) {
            let coupled = &self.coupled;
            return sink.dropped(p, None, Reason::Overflow, &|out| coupled.probe(out));
        }
        let low = matches!(meta.ecn, Ecn::Ect1 | Ecn::Ce);
        (if low { &mut self.l } else { &mut self.c }).push(cx.now, p);
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) -> Option<Waiting<P>> {
        while let Some((mut w, fate)) = self.next(cx) {
            let coupled = &self.coupled;
            match fate {
                Fate::Drop(why) => {
                    sink.dropped(w.packet, Some(w.since), why, &|out| coupled.probe(out));
                    continue;
                }
                Fate::Mark(why) => {
                    w.packet.set_ce();
                    sink.marked(&w.packet, why, &|out| coupled.probe(out));
                }
                Fate::Pass => {}
            }
            return Some(w);
        }
        self.picker.reset();
        None
    }

    fn backlog(&self) -> Backlog {
        self.held()
    }
    fn set_in_service(&mut self, bytes: Option<u32>) {
        let size = self.capacity.buffer_size();
        self.in_service = bytes.map_or(Backlog::default(), |b| Backlog::one(b, size));
    }
    fn idle(&mut self, _: &mut Cx<'_>) {}
    fn next_wakeup(&self) -> Option<Time> {
        Some(self.next_tick)
    }
    fn wake(&mut self, cx: &mut Cx<'_>) {
        if self.next_tick <= cx.now {
            self.coupled.update(self.qdelay(cx.now));
            self.next_tick = cx.now + self.coupled.config.tupdate;
        }
    }
    fn waiting_since(&self) -> Vec<Time> {
        self.l.iter().chain(self.c.iter()).map(|w| w.since).collect()
    }
    fn probe(&self, out: &mut dyn Probe) {
        self.coupled.probe(out);
        out.gauge("l_backlog", f64::from(self.l.held().packets));
        out.gauge("c_backlog", f64::from(self.c.held().packets));
        if self.capacity.buffer_size().is_some() {
            out.gauge("buffers", f64::from(self.held().and(self.in_service).buffers));
        }
    }
}
