//! The queues of a held port: one FIFO with an AQM, or a discipline of several queues.
use crate::engine::queued_packet::QueuedPacket;
use dumbbell_algos::aqm::AnyAqm;
use dumbbell_algos::qdisc::AnyQdisc;
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_macros::delegate;

/// The queues of a held port.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Discipline {
    /// One queue.
    Fifo(Fifo<AnyAqm, QueuedPacket>),
    /// Several.
    Several(Box<AnyQdisc<QueuedPacket>>),
}

#[delegate(match self { Fifo, Several })]
impl Qdisc<QueuedPacket> for Discipline {}
