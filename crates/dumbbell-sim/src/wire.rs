//! A link without a limit, an algorithm or an impairment: pure arithmetic.
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
    /// When a packet that comes at `t` is at the far end.
    #[inline]
    pub fn pass(&mut self, t: Time, ip_len: u32) -> Time {
        let start = self.free_at.max(t);
        self.free_at = start + self.transmitter.span(ip_len + self.framing);
        self.free_at + self.delay
    }
}
