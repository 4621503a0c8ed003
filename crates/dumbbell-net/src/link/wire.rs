//! A link without a limit, an algorithm or an impairment: pure arithmetic.
use crate::engine::queued_packet::QueuedPacket;
use crate::observe::Observer;
use crate::port::account::PortCtx;
use dumbbell_core::packet::Framing;
use dumbbell_core::units::{Span, Time, Transmitter};
use dumbbell_plan::Link;

/// One direction of such a link.
pub(crate) struct Wire {
    free_at: Time,
    transmitter: Transmitter,
    framing: Framing,
    delay: Span,
}

impl Wire {
    /// The wire of `link`.
    pub(crate) fn new(link: &Link) -> Self {
        Wire {
            free_at: Time::ZERO,
            transmitter: Transmitter::new(link.rate),
            framing: link.framing(),
            delay: link.delay,
        }
    }
    /// Its propagation delay.
    pub(crate) fn delay(&self) -> Span {
        self.delay
    }
    /// The arrival time at the far end of a packet of `ip_len` bytes that comes at `t`.
    #[inline]
    pub(crate) fn pass(&mut self, t: Time, ip_len: u16) -> Time {
        let start = self.free_at.max(t);
        self.free_at = start + self.transmitter.span(self.framing.wire_len(u32::from(ip_len)));
        self.free_at + self.delay
    }

    /// Reports the packet that came to this wire, number `link`, at `came`, and passed last. A wire
    /// keeps no list of what waits: nobody is told how much.
    #[inline]
    pub(crate) fn tell<O: Observer>(
        &self,
        came: Time,
        link: u32,
        queued: &QueuedPacket,
        ctx: &mut PortCtx<'_, O>,
    ) {
        ctx.entered(came, queued, link as usize, 0);
        ctx.left(queued, link as usize, self.free_at, self.free_at + self.delay);
    }
}
