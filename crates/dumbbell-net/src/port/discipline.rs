//! The queues of a held port: one FIFO with an AQM, in a buffer of its own or in one that the ports
//! of a switch share, or a discipline of several queues.
use crate::engine::queued_packet::QueuedPacket;
use crate::port::shared_buffer::SharingQueue;
use dumbbell_algos::aqm::AnyAqm;
use dumbbell_algos::qdisc::AnyQdisc;
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_macros::delegate;

/// The queues of a held port.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Discipline {
    /// One queue.
    Fifo(Fifo<AnyAqm, QueuedPacket>),
    /// A rarer kind.
    Other(Box<Other>),
}

/// The rarer kinds of queues of a held port. They are apart, because each variant that a FIFO's
/// packets could be of costs them instructions.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Other {
    /// Several.
    Several(AnyQdisc<QueuedPacket>),
    /// One queue of a shared buffer.
    Sharing(SharingQueue),
}

#[delegate(match self { Fifo, Other })]
impl Qdisc<QueuedPacket> for Discipline {}

#[delegate(match self { Several, Sharing })]
impl Qdisc<QueuedPacket> for Other {}
