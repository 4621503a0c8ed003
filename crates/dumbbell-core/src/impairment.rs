//! What a link does to packets besides carrying them: loss, jitter, corruption, duplication.
use crate::packet::Meta;
use crate::rng::Stream;
use crate::units::{Span, Time};

/// What becomes of a packet that has left the transmitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrives after the propagation delay.
    Arrives,
    /// It is lost on the link.
    Lost,
    /// It arrives later by this much, perhaps behind its successors.
    Delayed(Span),
}

/// An impairment of a link, asked once per packet in the order of transmission.
pub trait Impairment {
    /// The fate of the packet whose last bit left at `now`.
    fn fate(&mut self, now: Time, rng: &mut Stream, p: &Meta) -> Fate;
    /// Whether packets can overtake each other; asked once, when the plan is made.
    fn reorders(&self) -> bool {
        false
    }
}
