//! The common part of RIO and its variants: classes of packets within one FIFO, an average and a
//! curve for each.
//!
//! An average is of the packets that wait of some classes, by the port's convention with the one in
//! transmission. Which class that one is of is known from its departure; that it has left, from the
//! next departure or when the link is idle.
use super::config::{ClassIdle, RioConfig, RioMode};
use crate::aqm::drop_tail::Victim;
use crate::aqm::red::state::{ClassProbability, Dropper, Observed, RedState};
use dumbbell_core::aqm::{Cx, Decision, Gone, QueueView, Slot, Verdict};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Backlog, Time};

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
    observed: Observed,
}

impl Classes {
    /// Empty.
    pub fn new(config: &RioConfig) -> Self {
        let (classes, of) = config.table();
        let classes = classes.iter().map(|c| {
            let red = config.red(c.min_th.0, c.max_th.0, c.max_p);
            let (held, observed) = (Backlog::default(), Observed::default());
            Class { body: RedState::new(&red), dropper: Dropper::new(&red), held, observed }
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

    /// A packet that `fits` or does not arrives. `weigh` changes the probability of its class's
    /// curve.
    #[inline]
    pub fn arrive(
        &mut self,
        cx: &mut Cx<'_>,
        q: &impl QueueView,
        (p, fits): (&Meta, bool),
        weigh: impl FnOnce(f64) -> ClassProbability,
    ) -> Verdict {
        let class = self.class_of(p);
        (self.now, self.last) = (cx.now, class);
        let served = self.served.filter(|_| q.backlog().packets > q.waiting());
        for i in self.averages_of(class) {
            let found = self.found(i, served);
            let of = &mut self.classes[i];
            of.observed = of.body.observe(cx, found);
        }
        let Class { body, dropper, observed, .. } = &mut self.classes[class];
        let verdict = dropper.decide_weighed(body, *observed, cx, q, (p, fits), weigh);
        if matches!(verdict.decide(p.ecn, fits), Decision::Drop(_)) {
            for i in self.averages_of(class) {
                let Class { body, observed, .. } = &mut self.classes[i];
                body.refused(*observed, cx.now);
            }
        }
        verdict
    }

    /// Returns the waiting packet that goes for one that does not fit.
    #[cold]
    pub fn make_room(&self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta) -> Option<Slot> {
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

    /// A packet went in.
    pub fn admitted(&mut self, p: &Meta) {
        let class = self.class_of(p);
        let held = &mut self.classes[class].held;
        *held = held.and(Backlog::one(p.ip_len, None));
        for i in self.averages_of(class) {
            self.classes[i].body.busy();
        }
    }

    /// A packet is about to be sent: the one before it has left.
    pub fn depart(&mut self, cx: &Cx<'_>) {
        self.left(cx.now);
    }

    /// A packet is gone from those that wait.
    pub fn gone(&mut self, p: &Meta, how: Gone) {
        let class = self.class_of(p);
        let held = &mut self.classes[class].held;
        *held = held.without(Backlog::one(p.ip_len, None));
        if how == Gone::Sent {
            self.served = Some((class, p.ip_len));
        } else {
            self.rest(class, self.now);
        }
    }

    /// The link has nothing to send.
    pub fn idle(&mut self, cx: &Cx<'_>) {
        self.left(cx.now);
        if self.idle == ClassIdle::Whole {
            self.classes.iter_mut().for_each(|c| c.body.idle_from(cx.now));
        }
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

    /// Reports the values of the last decision.
    pub fn probe(&self, out: &mut dyn Probe) {
        let last = &self.classes[self.last];
        last.dropper.probe(last.body.avg(), out);
        out.gauge("max_p", last.dropper.curve.max_p);
        out.gauge("class", self.last as f64);
        out.gauge("avg_in", self.classes[0].body.avg());
        out.gauge("q_in", f64::from(self.classes[0].held.packets));
    }
}

/// The methods of `Aqm` other than the arrival's, for an AQM that has its [`Classes`] in the field
/// `classes`.
macro_rules! told_to_classes {
    () => {
        fn needs(&self) -> dumbbell_core::aqm::Needs {
            // The backlog of a class is known by its packets' coming and going.
            dumbbell_core::aqm::Needs::Held
        }
        fn make_room(
            &mut self,
            cx: &mut dumbbell_core::aqm::Cx<'_>,
            q: &impl dumbbell_core::aqm::QueueView,
            p: &dumbbell_core::packet::Meta,
        ) -> Option<dumbbell_core::aqm::Slot> {
            self.classes.make_room(cx, q, p)
        }
        fn admitted(&mut self, p: &dumbbell_core::packet::Meta) {
            self.classes.admitted(p);
        }
        fn depart(
            &mut self,
            cx: &mut dumbbell_core::aqm::Cx<'_>,
            _: &impl dumbbell_core::aqm::QueueView,
            _: &dumbbell_core::packet::Meta,
            _: dumbbell_core::units::Span,
        ) -> dumbbell_core::aqm::Verdict {
            self.classes.depart(cx);
            dumbbell_core::aqm::Verdict::Pass
        }
        fn gone(&mut self, p: &dumbbell_core::packet::Meta, how: dumbbell_core::aqm::Gone) {
            self.classes.gone(p, how);
        }
        fn idle(&mut self, cx: &mut dumbbell_core::aqm::Cx<'_>) {
            self.classes.idle(cx);
        }
    };
}
pub(crate) use told_to_classes;
