//! What a link does to packets besides carrying them: loss, delay, corruption, duplication.
use crate::packet::Meta;
use crate::rng::Stream;
use crate::units::{Span, Time};

/// What becomes of a packet that has left the transmitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireEffect {
    /// It arrives after the propagation delay.
    Arrives,
    /// It is lost on the link.
    Lost,
    /// It arrives later by this much, perhaps behind its successors.
    Delayed(Span),
    /// It travels on with a wrong bit, which nothing on its way sees: its receiver discards it for its checksum.
    Corrupted,
    /// It arrives, and a copy right behind it. What the wire does next it does to each.
    Duplicated,
}

/// An impairment of a link, asked once per packet in the order of transmission.
pub trait Impairment {
    /// The fate of the packet that comes to this impairment at `now`: when its last bit left, later by what the
    /// impairments before this one delayed it.
    fn effect(&mut self, now: Time, rng: &mut Stream, p: &Meta) -> WireEffect;
    /// Whether packets can overtake each other; asked once, when the plan is made.
    fn reorders(&self) -> bool {
        false
    }
}
