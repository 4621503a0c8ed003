//! A link without a limit, an algorithm or an impairment: pure arithmetic.
use crate::account::Scene;
use crate::observe::Observer;
use crate::parcel::Parcel;
use dumbbell_core::units::{Span, Time, Transmitter};
use dumbbell_plan::Link;

/// One direction of such a link.
pub struct Wire {
    free_at: Time,
    transmitter: Transmitter,
    framing: u32,
    delay: Span,
}

impl Wire {
    /// The wire of `link`.
    pub fn new(link: &Link) -> Self {
        Wire { free_at: Time::ZERO, transmitter: Transmitter::new(link.rate), framing: link.framing, delay: link.delay }
    }
    /// When a packet that comes at `t` to this wire, number `link`, is at the far end.
    #[inline]
    pub fn pass<O: Observer>(&mut self, t: Time, link: u32, parcel: &Parcel, scene: &mut Scene<'_, O>) -> Time {
        let start = self.free_at.max(t);
        self.free_at = start + self.transmitter.span(u32::from(parcel.packet.ip_len) + self.framing);
        let arrives = self.free_at + self.delay;
        if O::FOLLOWS {
            // A wire keeps no list of what waits: nobody is told how much.
            scene.entered(t, parcel, link as usize, 0);
            scene.left(parcel, link as usize, self.free_at, arrives);
        }
        arrives
    }
}
