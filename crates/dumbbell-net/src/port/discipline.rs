//! The queues of a held port: one FIFO with an AQM, or a discipline of several queues.
use crate::engine::queued_packet::QueuedPacket;
use dumbbell_algos::aqm::AnyAqm;
use dumbbell_algos::qdisc::AnyQdisc;
use dumbbell_core::aqm::Cx;
use dumbbell_core::probe::Probe;
use dumbbell_core::qdisc::packet_queue::Waiting;
use dumbbell_core::qdisc::{Fifo, Qdisc, Sink};
use dumbbell_core::units::{Backlog, Time};

/// The queues of a held port.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Discipline {
    /// One queue.
    Fifo(Fifo<AnyAqm, QueuedPacket>),
    /// Several.
    Several(Box<AnyQdisc<QueuedPacket>>),
}

/// Calls the same of either.
macro_rules! either {
    ($self:expr, $q:ident => $call:expr) => {
        match $self {
            Discipline::Fifo($q) => $call,
            Discipline::Several($q) => $call,
        }
    };
}

impl Qdisc<QueuedPacket> for Discipline {
    #[inline]
    fn enqueue(&mut self, cx: &mut Cx<'_>, p: QueuedPacket, sink: &mut impl Sink<QueuedPacket>) {
        either!(self, q => q.enqueue(cx, p, sink));
    }
    #[inline]
    fn dequeue(
        &mut self,
        cx: &mut Cx<'_>,
        sink: &mut impl Sink<QueuedPacket>,
    ) -> Option<Waiting<QueuedPacket>> {
        either!(self, q => q.dequeue(cx, sink))
    }
    fn backlog(&self) -> Backlog {
        either!(self, q => q.backlog())
    }
    fn set_in_service(&mut self, bytes: Option<u32>) {
        either!(self, q => q.set_in_service(bytes));
    }
    fn idle(&mut self, cx: &mut Cx<'_>) {
        either!(self, q => q.idle(cx));
    }
    fn next_wakeup(&self) -> Option<Time> {
        either!(self, q => q.next_wakeup())
    }
    fn wake(&mut self, cx: &mut Cx<'_>) {
        either!(self, q => q.wake(cx));
    }
    fn waiting_since(&self) -> Vec<Time> {
        either!(self, q => q.waiting_since())
    }
    fn probe(&self, out: &mut dyn Probe) {
        either!(self, q => q.probe(out));
    }
}
