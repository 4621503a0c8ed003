//! Queueing disciplines: what holds packets, in which order they leave, and the FIFO that asks an [`Aqm`].
use crate::aqm::{Aqm, Backlog, Cx, Decision, Gone, QueueView, Reason, Verdict};
use crate::packet::{Meta, Packet};
use crate::probe::Probe;
use crate::store::{Store, Waiting};
use crate::units::Time;

/// Where packets go that do not come out of a queue. The simulator counts them, the router frees the buffer.
pub trait Sink<P> {
    /// `p` was dropped, after it had waited since `since` (`None`: it never went in); `saw` tells what the decision saw.
    fn dropped(&mut self, p: P, since: Option<Time>, why: Reason, saw: &dyn Fn(&mut dyn Probe));
    /// `p` was marked and goes on.
    fn marked(&mut self, p: &P, why: Reason, saw: &dyn Fn(&mut dyn Probe));
}

/// A whole queueing discipline: it owns the packets that wait.
pub trait Qdisc<P: Packet> {
    /// A packet arrives.
    fn enqueue(&mut self, cx: &mut Cx<'_>, p: P, sink: &mut impl Sink<P>);
    /// The transmitter is free: the next packet, and since when it waited.
    fn dequeue(&mut self, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) -> Option<Waiting<P>>;
    /// What waits.
    fn backlog(&self) -> Backlog;
    /// The transmitter holds a packet of so many bytes, or none; told where the port counts it.
    fn set_in_service(&mut self, bytes: Option<u32>);
    /// Transmitter and queue are empty since `cx.now`.
    fn idle(&mut self, cx: &mut Cx<'_>);
    /// When `wake` wants to be called next.
    fn next_wakeup(&self) -> Option<Time>;
    /// A due clock of the discipline.
    fn wake(&mut self, cx: &mut Cx<'_>);
    /// Arrival times of the packets that wait, head first.
    fn waiting_since(&self) -> Vec<Time>;
    /// The numbers of its algorithm.
    fn probe(&self, out: &mut dyn Probe);
}

/// First in, first out, with an algorithm that signals congestion.
pub struct Fifo<A, P> {
    aqm: A,
    store: Store<P>,
    next_tick: Option<Time>,
}

impl<A: Aqm, P: Packet> Fifo<A, P> {
    /// An empty queue. A periodic algorithm's first tick is at the start of the run.
    pub fn new(aqm: A) -> Self {
        let next_tick = aqm.ticks().then_some(Time::ZERO);
        Fifo { aqm, store: Store::default(), next_tick }
    }

    /// Evicts until `p` fits, as long as the algorithm names a victim: whether `p` fits now.
    fn make_room(&mut self, cx: &mut Cx<'_>, p: &Meta, sink: &mut impl Sink<P>) -> bool {
        while !fits(cx, &self.store, p) {
            if !self.store.could_hold(cx.link.capacity, p.ip_len) {
                return false;
            }
            match self.aqm.make_room(cx, &self.store, p) {
                Some(slot) if (slot as usize) < self.store.len() => self.evict(slot, Reason::Evicted, sink),
                _ => return false,
            }
        }
        true
    }

    fn evict(&mut self, slot: u32, reason: Reason, sink: &mut impl Sink<P>) {
        if let Some(w) = self.store.remove(slot) {
            self.aqm.gone(&w.packet.meta(), Gone::Evicted);
            let aqm = &self.aqm;
            sink.dropped(w.packet, Some(w.since), reason, &|out| aqm.probe(out));
        }
    }

    fn admit(&mut self, cx: &Cx<'_>, p: P, as_it_arrived: &Meta) {
        self.store.push(cx.now, p);
        self.aqm.admitted(as_it_arrived);
    }
}

fn fits<P: Packet>(cx: &Cx<'_>, store: &Store<P>, p: &Meta) -> bool {
    let b = store.backlog();
    cx.link.capacity.fits(b.packets, b.bytes, p.ip_len)
}

/// Carries a decision out: `Some(reason)` if the packet must go; marks it where it must be marked.
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
    fn enqueue(&mut self, cx: &mut Cx<'_>, mut p: P, sink: &mut impl Sink<P>) {
        let meta = p.meta();
        let fits_now = fits(cx, &self.store, &meta);
        let verdict = self.aqm.arrive(cx, &self.store, &meta, fits_now);
        if let Verdict::Evict { slot, reason, arrival_too } = verdict {
            self.evict(slot, reason, sink);
            if arrival_too {
                let aqm = &self.aqm;
                return sink.dropped(p, None, reason, &|out| aqm.probe(out));
            }
        }
        // Room is made only for a packet that would stay.
        let stays = matches!(verdict.decide(meta.ecn, true), Decision::Admit(_));
        let decision = verdict.decide(meta.ecn, stays && self.make_room(cx, &meta, sink));
        let aqm = &self.aqm;
        let saw = |out: &mut dyn Probe| aqm.probe(out);
        match carry_out(decision, &mut p, sink, &saw) {
            Some(reason) => sink.dropped(p, None, reason, &saw),
            None => self.admit(cx, p, &meta),
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) -> Option<Waiting<P>> {
        while let Some(mut w) = self.store.pop() {
            let meta = w.packet.meta();
            let verdict = self.aqm.depart(cx, &self.store, &meta, cx.now.since(w.since));
            let aqm = &self.aqm;
            let dropped = carry_out(verdict.decide(meta.ecn, true), &mut w.packet, sink, &|out| aqm.probe(out));
            self.aqm.gone(&meta, if dropped.is_some() { Gone::HeadDrop } else { Gone::Sent });
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

    fn backlog(&self) -> Backlog {
        self.store.held()
    }
    fn set_in_service(&mut self, bytes: Option<u32>) {
        self.store.set_in_service(bytes);
    }
    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.aqm.idle(cx);
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
    }
}
