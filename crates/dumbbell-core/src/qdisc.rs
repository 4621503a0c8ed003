//! Queueing disciplines: they hold packets and choose the order in which they leave. Here is the
//! FIFO with an [`Aqm`].
pub mod packet_queue;
use crate::aqm::{Aqm, Cx, Decision, Gone, Hears, Limit, QueueView, Reason, Slot, Verdict};
use crate::packet::{Meta, Packet};
use crate::probe::Probe;
use crate::qdisc::packet_queue::{PacketQueue, Waiting};
use crate::units::{Backlog, Capacity, Time};
use dumbbell_macros::delegate;

/// Receives the packets that a queue drops or marks. The simulator counts them, the router frees
/// the buffer.
#[delegate()]
pub trait Sink<P> {
    /// `p` was dropped after it had waited since `since` (`None`: it was never queued); `saw`
    /// reports the numbers of the decision.
    fn dropped(&mut self, p: P, since: Option<Time>, why: Reason, saw: &dyn Fn(&mut dyn Probe));
    /// `p` was marked and continues.
    fn marked(&mut self, p: &P, why: Reason, saw: &dyn Fn(&mut dyn Probe));
}

#[delegate(**self)]
impl<P, S: Sink<P> + ?Sized> Sink<P> for &mut S {}

/// A whole queueing discipline: it owns the packets that wait.
#[delegate(
    object = DynQdisc: Send,
    names = crate::{
        qdisc::{*, packet_queue::Waiting}, aqm::Cx, probe::Probe, units::{Backlog, Time},
    },
)]
pub trait Qdisc<P: Packet> {
    /// A packet arrives.
    fn enqueue(&mut self, cx: &mut Cx<'_>, p: P, sink: &mut impl Sink<P>);
    /// The transmitter is free: the next packet, and since when it waited.
    fn dequeue(&mut self, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) -> Option<Waiting<P>>;
    /// The backlog.
    fn backlog(&self) -> Backlog;
    /// The transmitter holds a packet of so many bytes, or none. Called only if the port counts
    /// that packet.
    fn set_in_service(&mut self, bytes: Option<u32>);
    /// Nothing is in transmission since `cx.now`, because nothing waits, or because the discipline
    /// holds it back.
    fn idle(&mut self, cx: &mut Cx<'_>);
    /// The time of the next call of `wake`.
    fn next_wakeup(&self) -> Option<Time>;
    /// The clock of the discipline is due.
    fn wake(&mut self, cx: &mut Cx<'_>);
    /// The time before which a discipline that shapes sends nothing, whatever waits; `None`: it
    /// sends while anything waits. The port asks when it got no packet, and asks for one again at
    /// that time.
    fn holds_until(&self) -> Option<Time> {
        None
    }
    /// True if it reads what packets acknowledge ([`Packet::pure_ack`]), which only a simulation
    /// tells.
    fn reads_acks(&self) -> bool {
        false
    }
    /// Arrival times of the packets that wait, head first.
    fn waiting_since(&self) -> Vec<Time>;
    /// Reports the numbers of its algorithm.
    fn probe(&self, out: &mut dyn Probe);
}

/// A discipline whose queues may share a buffer with those of other ports, which limits each of
/// them by what all hold.
#[delegate(
    names = crate::{qdisc::*, aqm::Cx, packet::Meta},
)]
pub trait Sharing<P: Packet>: Qdisc<P> {
    /// The queue that an arriving packet joins, asked once for each.
    fn queue_of(&mut self, cx: &mut Cx<'_>, p: &Meta) -> usize;
    /// Bytes that a queue holds, with a packet of its own in transmission if the port counts it.
    fn held_by(&self, queue: usize) -> u64;
    /// Bytes that all queues hold, with the packet in transmission if the port counts it.
    fn held(&self) -> u64;
    /// A packet arrives at its queue, which may hold at most `most` bytes with it. `None`: as much
    /// as the port's own limit says.
    fn enqueue_in(
        &mut self,
        queue: usize,
        cx: &mut Cx<'_>,
        p: P,
        most: Option<u64>,
        sink: &mut impl Sink<P>,
    );
}

/// First in, first out, with an algorithm that signals congestion.
pub struct Fifo<A, P> {
    aqm: A,
    hears: Hears,
    store: PacketQueue<P>,
    next_tick: Option<Time>,
}

impl<A: Aqm, P> Fifo<A, P> {
    /// An empty queue. A periodic algorithm's first tick is at the start of the run.
    pub fn new(aqm: A) -> Self {
        Fifo::starting(aqm, Time::ZERO)
    }

    /// An empty queue that is made in the course of a run; a periodic algorithm's first tick is at
    /// `first`.
    pub fn starting(aqm: A, first: Time) -> Self {
        let next_tick = aqm.ticks().then_some(first);
        Fifo { hears: aqm.hears(), aqm, store: PacketQueue::default(), next_tick }
    }

    /// This queue, still empty, counting buffers of `size` bytes if its limit is a number of them.
    pub fn counting(self, size: Option<u32>) -> Self {
        Fifo { store: PacketQueue::counting(size), ..self }
    }

    /// The time at which its algorithm's clock is due.
    pub fn next_tick(&self) -> Option<Time> {
        self.next_tick
    }
}

impl<A: Aqm, P: Packet> Fifo<A, P> {
    /// A packet arrives at a queue that may hold as much as `own`: the buffer, or what others leave
    /// of it. True if it was admitted.
    #[inline(always)]
    pub fn offer(
        &mut self,
        cx: &mut Cx<'_>,
        mut p: P,
        own: Capacity,
        sink: &mut impl Sink<P>,
    ) -> bool {
        let meta = p.meta();
        let fits_now = fits(own, &self.store, &meta);
        if fits_now && !self.hears.fitting {
            self.admit(cx.now, p, &meta);
            return true;
        }
        let verdict = self.aqm.arrive(cx, &self.store, &meta, fits_now);
        if let Verdict::Evict { slot, reason, arrival_too } = verdict {
            self.push_out(slot, reason, sink);
            if arrival_too {
                self.refuse(cx, p, &meta, reason, sink);
                return false;
            }
        }
        let has_room =
            fits_now || (verdict.admits(meta.ecn) && self.overflow(cx, &meta, own, sink));
        let aqm = &self.aqm;
        let saw = |out: &mut dyn Probe| aqm.probe(out);
        match carry_out(verdict.decide(meta.ecn, has_room), &mut p, sink, &saw) {
            Some(reason) => {
                self.refuse(cx, p, &meta, reason, sink);
                false
            }
            None => {
                self.admit(cx.now, p, &meta);
                true
            }
        }
    }

    /// Handles a packet that may go in and does not fit: evicts packets until it fits, as long as
    /// the algorithm names a victim. True if `p` fits now.
    #[cold]
    fn overflow(
        &mut self,
        cx: &mut Cx<'_>,
        p: &Meta,
        own: Capacity,
        sink: &mut impl Sink<P>,
    ) -> bool {
        self.aqm.overflowed(cx, Limit::Own);
        while !fits(own, &self.store, p) {
            if !self.store.could_hold(own, p.ip_len) {
                return false;
            }
            match self.aqm.make_room(cx, &self.store, p) {
                Some(slot) if (slot as usize) < self.store.len() => {
                    self.push_out(slot, Reason::Evicted, sink)
                }
                _ => return false,
            }
        }
        true
    }

    /// Drops the arriving packet `p`.
    #[cold]
    fn refuse(
        &mut self,
        cx: &mut Cx<'_>,
        p: P,
        meta: &Meta,
        reason: Reason,
        sink: &mut impl Sink<P>,
    ) {
        let aqm = &self.aqm;
        sink.dropped(p, None, reason, &|out| aqm.probe(out));
        self.aqm.refused(cx, meta, reason);
    }

    /// The packets that wait, head first.
    pub fn packets(&self) -> impl Iterator<Item = &P> {
        self.store.iter().map(|w| &w.packet)
    }

    /// Drops the waiting packet at `slot`, if there is one.
    pub fn push_out(&mut self, slot: Slot, reason: Reason, sink: &mut impl Sink<P>) {
        if let Some(w) = self.store.remove(slot) {
            self.gone(&w.packet.meta(), Gone::Evicted);
            let aqm = &self.aqm;
            sink.dropped(w.packet, Some(w.since), reason, &|out| aqm.probe(out));
        }
    }

    /// The packet at the head, and its arrival time.
    pub fn head(&self) -> Option<(Time, Meta)> {
        self.store.iter().next().map(|w| (w.since, w.packet.meta()))
    }

    /// The shared buffer is full, and this queue has to make room.
    pub fn overflowed(&mut self, cx: &mut Cx<'_>) {
        self.aqm.overflowed(cx, Limit::Shared);
    }

    /// The backlog, with the packet in transmission if that is counted.
    #[inline]
    pub fn counted(&self) -> Backlog {
        QueueView::backlog(&self.store)
    }

    /// Takes the head out without asking the algorithm, to move it to another queue.
    pub fn move_out(&mut self) -> Option<Waiting<P>> {
        let w = self.store.pop()?;
        self.gone(&w.packet.meta(), Gone::Evicted);
        Some(w)
    }

    /// Appends a packet from another queue without asking the algorithm.
    pub fn move_in(&mut self, w: Waiting<P>) {
        let meta = w.packet.meta();
        self.admit(w.since, w.packet, &meta);
    }

    #[inline]
    fn admit(&mut self, since: Time, p: P, as_it_arrived: &Meta) {
        self.store.push(since, p);
        if self.hears.admitted {
            self.aqm.admitted(as_it_arrived);
        }
    }

    #[inline]
    fn gone(&mut self, p: &Meta, how: Gone) {
        if self.hears.gone {
            self.aqm.gone(p, how);
        }
    }
}

#[inline]
fn fits<P: Packet>(own: Capacity, store: &PacketQueue<P>, p: &Meta) -> bool {
    own.fits(store.backlog(), p.ip_len)
}

/// Carries out a decision: marks the packet if needed; `Some(reason)` if it must be dropped.
#[inline]
fn carry_out<P: Packet>(
    d: Decision,
    p: &mut P,
    sink: &mut impl Sink<P>,
    saw: &dyn Fn(&mut dyn Probe),
) -> Option<Reason> {
    match d {
        Decision::Drop(reason) => return Some(reason),
        Decision::Admit(Some(reason)) => {
            p.set_ce();
            sink.marked(p, reason, saw);
        }
        Decision::Admit(None) => {}
    }
    None
}

impl<A: Aqm, P: Packet> Qdisc<P> for Fifo<A, P> {
    #[inline(always)]
    fn enqueue(&mut self, cx: &mut Cx<'_>, p: P, sink: &mut impl Sink<P>) {
        let own = cx.link.capacity;
        if let Some(size) = own.buffer_size() {
            self.store.count_buffers(Some(size));
        }
        self.offer(cx, p, own, sink);
    }

    #[inline(always)]
    fn dequeue(&mut self, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) -> Option<Waiting<P>> {
        while let Some(mut w) = self.store.pop() {
            if !self.hears.depart {
                self.gone(&w.packet.meta(), Gone::Sent);
                return Some(w);
            }
            let meta = w.packet.meta();
            let verdict = self.aqm.depart(cx, &self.store, &meta, cx.now.since(w.since));
            let aqm = &self.aqm;
            let dropped = carry_out(verdict.decide(meta.ecn, true), &mut w.packet, sink, &|out| {
                aqm.probe(out)
            });
            self.gone(&meta, if dropped.is_some() { Gone::HeadDrop } else { Gone::Sent });
            match dropped {
                None => return Some(w),
                Some(reason) => {
                    let aqm = &self.aqm;
                    sink.dropped(w.packet, Some(w.since), reason, &|out| aqm.probe(out));
                }
            }
        }
        None
    }

    #[inline(always)]
    fn backlog(&self) -> Backlog {
        self.store.held()
    }
    fn set_in_service(&mut self, bytes: Option<u32>) {
        self.store.set_in_service(bytes);
    }
    fn idle(&mut self, cx: &mut Cx<'_>) {
        if self.hears.idle {
            self.aqm.idle(cx);
        }
    }
    fn next_wakeup(&self) -> Option<Time> {
        self.next_tick
    }
    fn wake(&mut self, cx: &mut Cx<'_>) {
        self.next_tick = self.aqm.tick(cx, &self.store).map(|d| cx.now + d);
    }
    fn waiting_since(&self) -> Vec<Time> {
        self.store.iter().map(|w| w.since).collect()
    }
    fn probe(&self, out: &mut dyn Probe) {
        self.aqm.probe(out);
        if self.store.buffer_size().is_some() {
            out.gauge("buffers", f64::from(self.counted().buffers));
        }
    }
}

impl<A: Aqm, P: Packet> Sharing<P> for Fifo<A, P> {
    fn queue_of(&mut self, _: &mut Cx<'_>, _: &Meta) -> usize {
        0
    }
    fn held_by(&self, _: usize) -> u64 {
        self.counted().bytes
    }
    fn held(&self) -> u64 {
        self.counted().bytes
    }
    fn enqueue_in(
        &mut self,
        _: usize,
        cx: &mut Cx<'_>,
        p: P,
        most: Option<u64>,
        sink: &mut impl Sink<P>,
    ) {
        let own = most.map_or(cx.link.capacity, Capacity::Bytes);
        self.offer(cx, p, own, sink);
    }
}
