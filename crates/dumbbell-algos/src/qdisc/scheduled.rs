//! A discipline made of an [`Order`], which says whose turn it is, and of queues that share one buffer.
use super::classes::{Classes, Lines};
use dumbbell_core::aqm::{Aqm, Backlog, Cx};
use dumbbell_core::packet::{Meta, Packet};
use dumbbell_core::probe::Probe;
use dumbbell_core::qdisc::{Qdisc, Sink};
use dumbbell_core::store::Waiting;
use dumbbell_core::units::Time;

/// Who gives way when the buffer is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// The arriving packet.
    Arrival,
    /// Packets at the head of the class that holds the most bytes: at most so many of them, and at most half of them
    /// (RFC 8290 section 4.1), rounded up.
    Longest(u32),
}

/// Which class sends next. It keeps no packets.
pub trait Order {
    /// The class of an arriving packet.
    fn classify(&mut self, cx: &mut Cx<'_>, p: &Meta) -> usize;
    /// A packet went into `class`; `q` counts it.
    fn joined(&mut self, _class: usize, _p: &Meta, _q: &impl Lines) {}
    /// Whose turn it is: a class that holds a packet, if any does.
    fn next(&mut self, q: &impl Lines) -> Option<usize>;
    /// The class whose turn it was sends `p`; `q` no longer counts it.
    fn sends(&mut self, _class: usize, _p: &Meta, _q: &impl Lines) {}
    /// The class whose turn it was has nothing to send after all: its algorithm dropped what it held.
    fn ran_dry(&mut self, _class: usize, _q: &impl Lines) {}
    /// Who gives way when the buffer is full.
    fn full(&self) -> Full {
        Full::Arrival
    }
    /// Its inner values: deficits, virtual time.
    fn probe(&self, _out: &mut dyn Probe) {}
}

/// The discipline.
pub struct Scheduled<O, A, P> {
    order: O,
    classes: Classes<A, P>,
}

impl<O: Order, A: Aqm, P> Scheduled<O, A, P> {
    /// Empty.
    pub fn new(order: O, classes: Classes<A, P>) -> Self {
        Scheduled { order, classes }
    }
}

impl<O: Order, A: Aqm, P: Packet> Scheduled<O, A, P> {
    /// Drops from the longest class until what waits fits again.
    fn trim(&mut self, batch: u32, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) {
        while self.classes.overfull() {
            let classes = 0..self.classes.count();
            // Of classes that are as long as each other the first.
            let Some(longest) = classes.rev().max_by_key(|c| self.classes.backlog(*c).bytes) else { return };
            let waiting = self.classes.backlog(longest).packets;
            if waiting == 0 {
                return;
            }
            for _ in 0..batch.min(waiting.div_ceil(2)) {
                self.classes.push_out(longest, cx, sink);
            }
        }
    }
}

impl<O: Order, A: Aqm, P: Packet> Qdisc<P> for Scheduled<O, A, P> {
    fn enqueue(&mut self, cx: &mut Cx<'_>, p: P, sink: &mut impl Sink<P>) {
        let meta = p.meta();
        let class = self.order.classify(cx, &meta);
        let full = self.order.full();
        let room = full != Full::Arrival || self.classes.has_room(meta.ip_len);
        if self.classes.offer(class, cx, p, room, sink) {
            self.order.joined(class, &meta, &self.classes);
        }
        if let Full::Longest(batch) = full {
            self.trim(batch, cx, sink);
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) -> Option<Waiting<P>> {
        self.classes.transmitted(cx);
        while let Some(class) = self.order.next(&self.classes) {
            match self.classes.take(class, cx, sink) {
                Some(w) => {
                    self.order.sends(class, &w.packet.meta(), &self.classes);
                    return Some(w);
                }
                None => self.order.ran_dry(class, &self.classes),
            }
        }
        None
    }

    fn backlog(&self) -> Backlog {
        self.classes.total()
    }
    fn set_in_service(&mut self, bytes: Option<u32>) {
        self.classes.set_in_service(bytes);
    }
    /// Each class was told when its own last packet had left.
    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.classes.transmitted(cx);
    }
    fn next_wakeup(&self) -> Option<Time> {
        self.classes.next_wakeup()
    }
    fn wake(&mut self, cx: &mut Cx<'_>) {
        self.classes.wake(cx);
    }
    fn waiting_since(&self) -> Vec<Time> {
        self.classes.waiting_since()
    }
    fn probe(&self, out: &mut dyn Probe) {
        self.order.probe(out);
    }
}
