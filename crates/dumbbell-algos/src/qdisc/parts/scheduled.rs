//! A discipline made of an [`Order`], which says whose turn it is, and of queues that share one
//! buffer.
use super::classes::{ClassView, Classes};
use crate::qdisc::parts::flow_hash::Hash;
use dumbbell_core::aqm::{Aqm, Cx};
use dumbbell_core::packet::{Dscp, Meta, Packet};
use dumbbell_core::probe::Probe;
use dumbbell_core::qdisc::packet_queue::Waiting;
use dumbbell_core::qdisc::{Qdisc, Sharing, Sink};
use dumbbell_core::units::{Backlog, Capacity, Time};

/// The packets that give way when the buffer is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropPolicy {
    /// The arriving packet, or one of its own class if the algorithm of that class names one.
    Arrival,
    /// Packets of the longest class.
    Longest(TrimPolicy),
}

/// The way to cut down the longest class; of equally long classes, the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrimPolicy {
    /// True if the length of a class is in bytes, else in packets.
    pub in_bytes: bool,
    /// True if packets are dropped from its head; else from its tail.
    pub head: bool,
    /// The most packets dropped for one arrival; also at most half of the class, rounded up (RFC
    /// 8290 section 4.1).
    pub batch: u32,
    /// Bytes that may wait beside the port's limit.
    pub memory: u64,
    /// The capacity of one class.
    pub own: Capacity,
}

/// Chooses the class that sends next. It keeps no packets.
pub trait Order {
    /// The class of an arriving packet.
    fn classify(&mut self, cx: &mut Cx<'_>, p: &Meta) -> usize;
    /// A packet went into `class`; `q` counts it.
    fn joined(&mut self, _cx: &Cx<'_>, _class: usize, _p: &Meta, _q: &impl ClassView) {}
    /// Returns the class whose turn it is, if any: best one that holds a packet. A class that does
    /// not is told that it ran dry.
    fn next(&mut self, cx: &Cx<'_>, q: &impl ClassView) -> Option<usize>;
    /// The class whose turn it was sends `p`, which came at `since`; `q` no longer counts it.
    fn sends(&mut self, _class: usize, _since: Time, _p: &Meta, _q: &impl ClassView) {}
    /// The class whose turn it was has nothing to send after all.
    fn ran_dry(&mut self, _class: usize, _q: &impl ClassView) {}
    /// Transmitter and queues are empty.
    fn idle(&mut self, _cx: &Cx<'_>) {}
    /// The packets that give way when the buffer is full.
    fn full(&self) -> DropPolicy {
        DropPolicy::Arrival
    }
    /// The time at which it wants to distribute flows over classes again.
    fn next_stir(&self) -> Option<Time> {
        None
    }
    /// Distributes flows again; returns the hash that says where their packets belong from now on.
    fn stir(&mut self, _cx: &mut Cx<'_>) -> Option<Hash> {
        None
    }
    /// The number of acknowledgments that a filter leaves to a flow in its class; `None`: there is
    /// no filter.
    fn keeps_acks(&self) -> Option<usize> {
        None
    }
    /// True if packets leave without a codepoint.
    fn washes(&self) -> bool {
        false
    }
    /// The time before which it lets no packet go; `None`: it does not shape. See
    /// [`Qdisc::holds_until`].
    fn holds_until(&self) -> Option<Time> {
        None
    }
    /// The packets that wait have been moved.
    fn stirred(&mut self, _q: &impl ClassView) {}
    /// Its inner values: deficits, virtual time.
    fn probe(&self, _out: &mut dyn Probe) {}
}

/// The discipline.
pub struct Scheduled<O, A, P> {
    order: O,
    classes: Classes<A, P>,
    /// Acknowledgments that the filter took out.
    filtered: u64,
}

impl<O: Order, A: Aqm, P> Scheduled<O, A, P> {
    /// Empty.
    pub fn of(order: O, classes: Classes<A, P>) -> Self {
        Scheduled { order, classes, filtered: 0 }
    }
    /// The order of the classes.
    pub fn order(&self) -> &O {
        &self.order
    }
    /// The queues.
    pub fn classes(&self) -> &Classes<A, P> {
        &self.classes
    }
}

impl<O: Order, A: Aqm, P: Packet> Scheduled<O, A, P> {
    fn overfull(&self, trim: TrimPolicy) -> bool {
        self.classes.overfull() || self.classes.total().bytes > trim.memory
    }

    /// Drops from the longest class until what waits fits again.
    #[cold]
    fn trim(&mut self, trim: TrimPolicy, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) {
        while self.overfull(trim) {
            let length = |class: &u32| {
                let b = self.classes.backlog(*class as usize);
                let length = if trim.in_bytes { b.bytes } else { u64::from(b.packets) };
                (length, std::cmp::Reverse(*class))
            };
            let Some(longest) = self.classes.busy().iter().copied().max_by_key(length) else {
                return;
            };
            let longest = longest as usize;
            let waiting = self.classes.backlog(longest).packets;
            self.classes.overflowed(longest, cx);
            for dropped in 0..trim.batch.min(waiting.div_ceil(2)) {
                let slot = if trim.head { 0 } else { waiting - 1 - dropped };
                self.classes.push_out(longest, slot, cx, sink);
            }
        }
    }

    /// An acknowledgment may have come to the tail of a class: drops the oldest one of its flow
    /// that it makes redundant, if `keep` of them stay, itself included.
    fn filter_acks(&mut self, class: usize, keep: usize, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) {
        let waiting = self.classes.backlog(class).packets as usize;
        let Some((newest, Some(ack))) =
            self.classes.packets(class).last().map(|p| (p.meta(), p.pure_ack()))
        else {
            return;
        };
        let (mut oldest, mut redundant) = (None, 0);
        for (slot, p) in self.classes.packets(class).take(waiting - 1).enumerate() {
            let (meta, Some(old)) = (p.meta(), p.pure_ack()) else { continue };
            if (meta.flow, meta.back) != (newest.flow, newest.back) {
                continue;
            }
            let alike = (meta.ecn, meta.dscp) == (newest.ecn, newest.dscp);
            if alike && old.is_redundant_beside(&ack) {
                oldest = oldest.or(Some(slot as u32));
                redundant += 1;
            } else if old.echo != ack.echo {
                // What was acknowledged before another echo is not told by what comes after it.
                (oldest, redundant) = (None, 0);
            }
        }
        if let Some(slot) = oldest.filter(|_| redundant >= keep) {
            self.filtered += 1;
            self.classes.push_out(class, slot, cx, sink);
        }
    }

    /// Makes room in a class that holds as much as it alone may.
    fn cut(
        &mut self,
        class: usize,
        trim: TrimPolicy,
        bytes: u32,
        cx: &mut Cx<'_>,
        sink: &mut impl Sink<P>,
    ) {
        if trim.head && !trim.own.fits(self.classes.counted_by(class), bytes) {
            self.classes.push_out(class, 0, cx, sink);
        }
    }
}

impl<O: Order, A: Aqm, P: Packet> Qdisc<P> for Scheduled<O, A, P> {
    #[inline]
    fn enqueue(&mut self, cx: &mut Cx<'_>, p: P, sink: &mut impl Sink<P>) {
        let class = self.order.classify(cx, &p.meta());
        self.enqueue_in(class, cx, p, None, sink);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) -> Option<Waiting<P>> {
        self.classes.transmitted(cx);
        while let Some(class) = self.order.next(cx, &self.classes) {
            match self.classes.take(class, cx, sink) {
                Some(mut w) => {
                    self.order.sends(class, w.since, &w.packet.meta(), &self.classes);
                    if self.order.washes() {
                        w.packet.set_dscp(Dscp::default());
                    }
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
        self.order.idle(cx);
    }
    fn next_wakeup(&self) -> Option<Time> {
        [self.classes.next_wakeup(), self.order.next_stir()].into_iter().flatten().min()
    }
    fn wake(&mut self, cx: &mut Cx<'_>) {
        if self.order.next_stir().is_some_and(|due| due <= cx.now)
            && let Some(hash) = self.order.stir(cx)
        {
            self.classes.rearrange(cx, |p| hash.of(p.flow));
            self.order.stirred(&self.classes);
        }
        if self.classes.next_wakeup().is_some_and(|due| due <= cx.now) {
            self.classes.wake(cx);
        }
    }
    fn holds_until(&self) -> Option<Time> {
        self.order.holds_until()
    }
    fn reads_acks(&self) -> bool {
        self.order.keeps_acks().is_some()
    }
    fn waiting_since(&self) -> Vec<Time> {
        self.classes.waiting_since()
    }
    fn probe(&self, out: &mut dyn Probe) {
        self.order.probe(out);
        if self.order.keeps_acks().is_some() {
            out.gauge("acks_filtered", self.filtered as f64);
        }
        if let Some(buffers) = self.classes.buffers() {
            out.gauge("buffers", f64::from(buffers));
        }
    }
}

impl<O: Order, A: Aqm, P: Packet> Sharing<P> for Scheduled<O, A, P> {
    fn queue_of(&mut self, cx: &mut Cx<'_>, p: &Meta) -> usize {
        self.order.classify(cx, p)
    }
    fn held_by(&self, class: usize) -> u64 {
        self.classes.counted_by(class).bytes
    }
    fn held(&self) -> u64 {
        self.classes.counted().bytes
    }
    #[inline]
    fn enqueue_in(
        &mut self,
        class: usize,
        cx: &mut Cx<'_>,
        p: P,
        most: Option<u64>,
        sink: &mut impl Sink<P>,
    ) {
        let meta = p.meta();
        let full = self.order.full();
        let left = match full {
            DropPolicy::Arrival => self.classes.left_for(class),
            DropPolicy::Longest(trim) => {
                self.cut(class, trim, meta.ip_len, cx, sink);
                trim.own
            }
        };
        let own = match (most, left) {
            (None, left) => left,
            (Some(most), Capacity::Bytes(left)) => Capacity::Bytes(most.min(left)),
            (Some(most), left) if left.fits(self.classes.counted_by(class), meta.ip_len) => {
                Capacity::Bytes(most)
            }
            (Some(_), left) => left,
        };
        if self.classes.offer(class, cx, p, own, sink) {
            self.order.joined(cx, class, &meta, &self.classes);
            if let Some(keep) = self.order.keeps_acks() {
                self.filter_acks(class, keep, cx, sink);
            }
        }
        if let DropPolicy::Longest(trim) = full
            && self.overfull(trim)
        {
            self.trim(trim, cx, sink);
        }
    }
}
