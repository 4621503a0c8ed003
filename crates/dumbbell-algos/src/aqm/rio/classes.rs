//! The common part of RIO and its variants: classes of packets within one FIFO, an average and a
//! curve for each.
//!
//! An average is of the packets that wait of some classes, by the port's convention with the one in
//! transmission. Which class that one is of is known from its departure; that it has left, from the
//! next departure or when the link is idle.
use super::config::{ClassIdle, RioConfig, RioMode};
use crate::aqm::drop_tail::Victim;
use crate::aqm::red::curve::Region;
use crate::aqm::red::{Dropper, RedState};
use dumbbell_core::aqm::{Aqm, Cx, Gone, Limit, Needs, QueueView, Reason, Slot, Verdict};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Backlog, Span, Time};

/// The classes of a FIFO, best protected first.
#[derive(Clone, Debug)]
pub struct Classes {
    mode: RioMode,
    idle: ClassIdle,
    pushout: bool,
    victim: Victim,
    of: Box<[u32; 64]>,
    classes: Vec<Class>,
    /// The packet in transmission: its class and bytes.
    served: Option<(usize, u32)>,
    now: Time,
    /// The class of the last packet.
    last: usize,
}

/// One class, and the average that its packets are judged by.
#[derive(Clone, Debug)]
struct Class {
    body: RedState,
    dropper: Dropper,
    /// The waiting packets of this class.
    held: Backlog,
}

impl Classes {
    /// Empty.
    pub fn new(config: &RioConfig) -> Self {
        let (classes, of) = config.table();
        let classes = classes.iter().map(|c| {
            let red = config.red().with(c.min_th.0, c.max_th.0, c.max_p);
            let (body, dropper) = (RedState::new(&red), Dropper::new(&red));
            Class { body, dropper, held: Backlog::default() }
        });
        Classes {
            mode: config.mode,
            idle: config.class_idle,
            pushout: config.pushout,
            victim: config.victim,
            of: Box::new(of),
            classes: classes.collect(),
            served: None,
            now: Time::ZERO,
            last: 0,
        }
    }

    /// The class of a packet; 0 is IN.
    #[inline]
    pub fn class_of(&self, p: &Meta) -> usize {
        self.of[usize::from(p.dscp.0 & 63)] as usize
    }

    /// True if a packet is of the best protected class.
    #[inline]
    pub fn is_in(&self, p: &Meta) -> bool {
        self.class_of(p) == 0
    }

    /// The numbers of the averages that packets of a class are in.
    #[inline]
    fn averages_of(&self, class: usize) -> std::ops::Range<usize> {
        match self.mode {
            RioMode::Coupled => class..self.classes.len(),
            RioMode::Decoupled => class..class + 1,
        }
    }

    /// The numbers of the classes that an average is of.
    #[inline]
    fn within(&self, average: usize) -> std::ops::Range<usize> {
        match self.mode {
            RioMode::Coupled => 0..average + 1,
            RioMode::Decoupled => average..average + 1,
        }
    }

    /// Returns the backlog of which an average is taken. `served`: the packet in transmission, if
    /// it counts.
    #[inline]
    fn found(&self, average: usize, served: Option<(usize, u32)>) -> Backlog {
        let within = self.within(average);
        let mut found = Backlog::default();
        for class in &self.classes[within.clone()] {
            found.packets += class.held.packets;
            found.bytes += class.held.bytes;
        }
        if let Some((class, bytes)) = served
            && within.contains(&class)
        {
            found.packets += 1;
            found.bytes += u64::from(bytes);
        }
        found
    }

    /// A packet arrives that is told apart from others of its class: by the factor `weight` on the
    /// spaced probability, and by `p_b` in place of the curve's probability, if given.
    #[inline]
    pub fn arrive_weighed(
        &mut self,
        cx: &mut Cx<'_>,
        q: &impl QueueView,
        p: &Meta,
        weight: f64,
        p_b: Option<f64>,
    ) -> Verdict {
        let class = self.class_of(p);
        self.now = cx.now;
        self.last = class;
        let served = self.served.filter(|_| q.backlog().packets > q.waiting());
        for i in self.averages_of(class) {
            let found = self.found(i, served);
            self.classes[i].body.observe(cx, found);
        }
        let Class { body, dropper, .. } = &mut self.classes[class];
        let mut region = dropper.region(body, body.avg(), q);
        if let (Region::Random(of_curve), Some(p_b)) = (&mut region, p_b) {
            *of_curve = p_b;
        }
        dropper.signal(region, weight, body, cx, q, p)
    }

    /// The packet in transmission has left.
    fn left(&mut self, now: Time) {
        self.now = now;
        if let Some((class, _)) = self.served.take() {
            self.rest(class, now);
        }
    }

    /// One packet less of a class: those of its averages that are of nothing now are idle.
    fn rest(&mut self, class: usize, now: Time) {
        if self.idle == ClassIdle::Whole {
            return;
        }
        for i in self.averages_of(class) {
            if self.found(i, self.served).packets == 0 {
                self.classes[i].body.idle_from(now);
            }
        }
    }
}

impl Aqm for Classes {
    fn needs(&self) -> Needs {
        // The backlog of a class is known by its packets' coming and going.
        Needs::Held
    }
    #[inline]
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, _: bool) -> Verdict {
        self.arrive_weighed(cx, q, p, 1.0, None)
    }
    fn overflowed(&mut self, cx: &mut Cx<'_>, limit: Limit) {
        if limit == Limit::Own {
            self.classes[self.last].dropper.overflowed(cx.rng);
        }
    }
    #[cold]
    fn make_room(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta) -> Option<Slot> {
        let least = (self.class_of(p) + 1..self.classes.len())
            .rev()
            .find(|i| self.classes[*i].held.packets > 0);
        match least.filter(|_| self.pushout) {
            Some(class) => (0..q.waiting())
                .rev()
                .find(|slot| q.meta(*slot).is_some_and(|m| self.class_of(&m) == class)),
            None => self.victim.draw(q.waiting(), cx.rng),
        }
    }
    fn admitted(&mut self, p: &Meta) {
        let class = self.class_of(p);
        let held = &mut self.classes[class].held;
        *held = held.and(Backlog::one(p.ip_len, None));
        for i in self.averages_of(class) {
            self.classes[i].body.admitted();
        }
    }
    fn refused(&mut self, cx: &mut Cx<'_>, _: &Meta, _: Reason) {
        for i in self.averages_of(self.last) {
            self.classes[i].body.refused(cx.now);
        }
    }
    fn depart(&mut self, cx: &mut Cx<'_>, _: &impl QueueView, _: &Meta, _: Span) -> Verdict {
        // The packet before it has left.
        self.left(cx.now);
        Verdict::Pass
    }
    fn gone(&mut self, p: &Meta, how: Gone) {
        let class = self.class_of(p);
        let held = &mut self.classes[class].held;
        *held = held.without(Backlog::one(p.ip_len, None));
        if how == Gone::Sent {
            self.served = Some((class, p.ip_len));
        } else {
            self.rest(class, self.now);
        }
    }
    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.left(cx.now);
        if self.idle == ClassIdle::Whole {
            self.classes.iter_mut().for_each(|c| c.body.idle_from(cx.now));
        }
    }
    fn probe(&self, out: &mut dyn Probe) {
        let last = &self.classes[self.last];
        last.dropper.probe(last.body.avg(), out);
        out.gauge("max_p", last.dropper.curve.max_p);
        out.gauge("class", self.last as f64);
        out.gauge("avg_in", self.classes[0].body.avg());
        out.gauge("q_in", f64::from(self.classes[0].held.packets));
    }
}
