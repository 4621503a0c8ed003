//! A queueing discipline and its transmitter, driven by a caller's clock: virtual in the simulator, real in the router.
pub mod counters;
pub mod occupancy;
pub mod packet_queue;
use crate::aqm::{Backlog, Cx, Reason};
use crate::impairment::WireEffect;
use crate::port::counters::PortCounters;
use crate::packet::Packet;
use crate::probe::Probe;
use crate::qdisc::{Qdisc, Sink};
use crate::service::{Service, Transmitted};
use crate::units::Time;

/// A port that holds its packets. It asks for a call of [`HeldPort::done`] at the instant that `arrive` or `done` returned.
pub struct HeldPort<P, Q, S> {
    qdisc: Q,
    service: S,
    /// In transmission, and what will become of it.
    sending: Option<(P, WireEffect)>,
    count_in_service: bool,
    /// Buffers that the packet in transmission takes, where they and it are counted.
    buffers: u32,
    counters: PortCounters,
}

/// A packet that starts its transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// When it arrived at the port.
    pub arrived: Time,
    /// When its last bit leaves.
    pub done: Time,
}

/// Counts what passes to the caller's sink.
struct Counted<'a, K> {
    counters: &'a mut PortCounters,
    sink: &'a mut K,
}

impl<P, K: Sink<P>> Sink<P> for Counted<'_, K> {
    fn dropped(&mut self, p: P, since: Option<Time>, why: Reason, saw: &dyn Fn(&mut dyn Probe)) {
        self.counters.drops[why.index()] += 1;
        self.sink.dropped(p, since, why, saw);
    }
    fn marked(&mut self, p: &P, why: Reason, saw: &dyn Fn(&mut dyn Probe)) {
        self.counters.marks += 1;
        self.sink.marked(p, why, saw);
    }
}

impl<P: Packet, Q: Qdisc<P>, S: Service> HeldPort<P, Q, S> {
    /// An idle port. `count_in_service`: whether backlog and limit include the packet in transmission
    /// (ns-2 and Linux leave it out).
    pub fn new(qdisc: Q, service: S, count_in_service: bool) -> Self {
        HeldPort { qdisc, service, sending: None, count_in_service, buffers: 0, counters: PortCounters::default() }
    }

    /// A packet arrives. If the transmitter was idle, a packet starts at once.
    pub fn arrive(&mut self, cx: &mut Cx<'_>, p: P, sink: &mut impl Sink<P>) -> Option<Start> {
        self.counters.arrivals += 1;
        self.counters.arrived_bytes += u64::from(p.meta().ip_len);
        self.qdisc.enqueue(cx, p, &mut Counted { counters: &mut self.counters, sink });
        if self.sending.is_some() { None } else { self.start(cx, sink) }
    }

    /// The packet in transmission has left: that packet with its fate, and the one that starts now.
    ///
    /// # Panics
    /// If nothing is in transmission: the caller's clock is wrong.
    pub fn done(&mut self, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) -> ((P, WireEffect), Option<Start>) {
        let (sent, effect) = self.sending.take().expect("done() without a packet in transmission");
        self.counters.departures += 1;
        self.counters.departed_bytes += u64::from(sent.meta().ip_len);
        if self.count_in_service {
            self.qdisc.set_in_service(None);
        }
        let next = self.start(cx, sink);
        if next.is_none() {
            self.qdisc.idle(cx);
        }
        ((sent, effect), next)
    }

    /// What becomes of the packet in transmission was decided while it was sent.
    pub fn decide(&mut self, effect: WireEffect) {
        if let Some((_, decided)) = &mut self.sending {
            *decided = effect;
        }
    }

    fn start(&mut self, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) -> Option<Start> {
        let next = self.qdisc.dequeue(cx, &mut Counted { counters: &mut self.counters, sink })?;
        let meta = next.packet.meta();
        let Transmitted { done, effect } = self.service.finish(next.since, cx.now, meta.wire_len);
        if self.count_in_service {
            self.qdisc.set_in_service(Some(meta.ip_len));
            self.buffers = Backlog::one(meta.ip_len, cx.link.capacity.buffer_size()).buffers;
        }
        self.sending = Some((next.packet, effect));
        Some(Start { arrived: next.since, done })
    }

    /// When the discipline's own clock is due.
    pub fn next_wakeup(&self) -> Option<Time> {
        self.qdisc.next_wakeup()
    }
    /// Calls the discipline's due clock. Never starts a transmission: a discipline that shapes is a conditioner.
    pub fn wake(&mut self, cx: &mut Cx<'_>) {
        self.qdisc.wake(cx);
    }
    /// The account.
    pub fn counters(&self) -> &PortCounters {
        &self.counters
    }
    /// What waits, by the port's convention: with the packet in transmission if that is counted.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        let b = self.qdisc.backlog();
        match (self.count_in_service, &self.sending) {
            (true, Some((p, _))) => {
                b.and(Backlog { packets: 1, bytes: u64::from(p.meta().ip_len), buffers: self.buffers })
            }
            _ => b,
        }
    }
    /// Whether backlog and limit include the packet in transmission.
    pub fn counts_service(&self) -> bool {
        self.count_in_service
    }
    /// Those that wait, head first, with the time since when.
    pub fn waiting_since(&self) -> Vec<Time> {
        self.qdisc.waiting_since()
    }
    /// Packets waiting or in transmission.
    pub fn held(&self) -> u64 {
        u64::from(self.qdisc.backlog().packets) + u64::from(self.sending.is_some())
    }
    /// The transmitter.
    pub fn service(&self) -> &S {
        &self.service
    }
    /// The discipline.
    pub fn qdisc(&self) -> &Q {
        &self.qdisc
    }
}
