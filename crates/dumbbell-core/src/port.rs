//! A queueing discipline and its transmitter, driven by a caller's clock: virtual in the simulator,
//! real in the router.
pub mod counters;
pub mod occupancy;
use crate::aqm::Cx;
use crate::impairment::WireEffect;
use crate::packet::Packet;
use crate::qdisc::{Qdisc, Sink};
use crate::service::{Service, Transmitted};
use crate::units::{Backlog, Span, Time};

/// A port that holds its packets. It asks for a call of [`HeldPort::done`] at the instant that
/// `arrive`, `done` or `resume` returned.
pub struct HeldPort<P, Q, S> {
    qdisc: Q,
    service: S,
    /// See [`Service::ps_per_byte`]; 0: ask the service.
    ps_per_byte: u64,
    /// The packet in transmission, and the effect of the transmitter on it.
    sending: Option<(P, WireEffect)>,
    count_in_service: bool,
    /// Buffers that the packet in transmission takes, if the port counts buffers and that packet.
    buffers: u32,
}

/// The start of a transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The arrival of the packet at the port.
    pub arrived: Time,
    /// The time when the last bit leaves.
    pub done: Time,
}

impl<P: Packet, Q: Qdisc<P>, S: Service> HeldPort<P, Q, S> {
    /// An idle port. `count_in_service`: whether backlog and limit include the packet in
    /// transmission (ns-2 and Linux leave it out).
    pub fn new(qdisc: Q, service: S, count_in_service: bool) -> Self {
        HeldPort {
            qdisc,
            ps_per_byte: service.ps_per_byte().unwrap_or(0),
            service,
            sending: None,
            count_in_service,
            buffers: 0,
        }
    }

    /// A packet arrives. If the transmitter was idle, a packet starts at once.
    #[inline(always)]
    pub fn arrive(&mut self, cx: &mut Cx<'_>, p: P, sink: &mut impl Sink<P>) -> Option<Start> {
        self.qdisc.enqueue(cx, p, sink);
        if self.sending.is_some() { None } else { self.start(cx, sink) }
    }

    /// The packet in transmission has left: that packet with its effect, and the start of the next
    /// one.
    ///
    /// # Panics
    /// If nothing is in transmission: the caller's clock is wrong.
    #[inline(always)]
    pub fn done(
        &mut self,
        cx: &mut Cx<'_>,
        sink: &mut impl Sink<P>,
    ) -> ((P, WireEffect), Option<Start>) {
        let (sent, effect) = self.sending.take().expect("done() without a packet in transmission");
        if self.count_in_service {
            self.qdisc.set_in_service(None);
        }
        let next = self.start(cx, sink);
        if next.is_none() {
            self.qdisc.idle(cx);
        }
        ((sent, effect), next)
    }

    /// Sets the effect on the packet in transmission, if it was decided while it was sent.
    pub fn decide(&mut self, effect: WireEffect) {
        if let Some((_, decided)) = &mut self.sending {
            *decided = effect;
        }
    }

    #[inline(always)]
    fn start(&mut self, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) -> Option<Start> {
        let next = self.qdisc.dequeue(cx, sink)?;
        let meta = next.packet.meta();
        let Transmitted { done, effect } = match self.ps_per_byte {
            0 => self.service.finish(next.since, cx.now, meta.wire_len),
            steady => Transmitted::sent(cx.now + Span::from_ps(u64::from(meta.wire_len) * steady)),
        };
        if self.count_in_service {
            self.qdisc.set_in_service(Some(meta.ip_len));
            self.buffers = Backlog::one(meta.ip_len, cx.link.capacity.buffer_size()).buffers;
        }
        self.sending = Some((next.packet, effect));
        Some(Start { arrived: next.since, done })
    }

    /// The time at which the discipline's own clock is due.
    pub fn next_wakeup(&self) -> Option<Time> {
        self.qdisc.next_wakeup()
    }
    /// Wakes the discipline, whose clock is due.
    pub fn wake(&mut self, cx: &mut Cx<'_>) {
        self.qdisc.wake(cx);
    }
    /// The time at which a discipline that shapes may send again, if the transmitter is idle until
    /// then. Asked when a transmission ended and no other started.
    pub fn holds_until(&self, now: Time) -> Option<Time> {
        self.qdisc.holds_until().filter(|at| self.sending.is_none() && *at > now)
    }
    /// The time of [`HeldPort::holds_until`] has come: the start of a transmission, if anything
    /// waits.
    pub fn resume(&mut self, cx: &mut Cx<'_>, sink: &mut impl Sink<P>) -> Option<Start> {
        if self.sending.is_some() || self.qdisc.holds_until().is_none() {
            return None;
        }
        self.start(cx, sink)
    }
    /// The backlog by the port's convention: with the packet in transmission if that is counted.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        let b = self.qdisc.backlog();
        match (self.count_in_service, &self.sending) {
            (true, Some((p, _))) => b.and(Backlog {
                packets: 1,
                bytes: u64::from(p.meta().ip_len),
                buffers: self.buffers,
            }),
            _ => b,
        }
    }
    /// True if backlog and limit include the packet in transmission.
    pub fn counts_service(&self) -> bool {
        self.count_in_service
    }
    /// The arrival times of the waiting packets, head first.
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
