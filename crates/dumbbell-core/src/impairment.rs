//! Impairments of a link: loss, delay, corruption, duplication, reordering.
use crate::packet::Meta;
use crate::rng::Stream;
use crate::units::{Span, Time};
use dumbbell_macros::delegate;

/// The effect of the wire on a packet that has left the transmitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireEffect {
    /// It arrives after the propagation delay.
    Arrives,
    /// It is lost on the link.
    Lost,
    /// It arrives later by this much, perhaps behind its successors.
    Delayed(Span),
    /// It travels on with a bit error that no router notices; the receiver discards it because of
    /// its checksum.
    Corrupted,
    /// It arrives with a copy right behind it. Later impairments act on each of the two.
    Duplicated,
}

/// An impairment of a link, asked once per packet in the order of transmission.
#[delegate(names = crate::{impairment::*, packet::Meta, rng::Stream, units::Time})]
pub trait Impairment {
    /// The effect on the packet that reaches this impairment at `now`: the time when its last bit
    /// left, plus the delays by the impairments before this one.
    #[inline]
    fn effect(&mut self, now: Time, rng: &mut Stream, p: &Meta) -> WireEffect;
    /// True if packets can overtake each other; asked once, when the plan is made.
    fn reorders(&self) -> bool {
        false
    }
}
