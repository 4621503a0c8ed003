//! A link without a limit, an algorithm or an impairment: pure arithmetic.
use crate::engine::queued_packet::QueuedPacket;
use crate::observe::Observer;
use crate::port::account::PortCtx;
use dumbbell_core::packet::Framing;
use dumbbell_core::units::{Span, Time, Transmitter};
use dumbbell_plan::Link;

/// One direction of such a link, at a rate at which a byte takes a whole number of picoseconds. Its
/// framing is the time that it takes.
pub(crate) struct Wire {
    free_at: Time,
    ps_per_byte: u64,
    /// The time that the link's framing takes, and the least that a frame takes.
    framing: u64,
    least: u64,
    delay: Span,
}

impl Wire {
    /// The wire of `link`, where a byte takes `ps_per_byte`.
    pub(crate) fn new(link: &Link, ps_per_byte: u64) -> Self {
        let framing = link.framing();
        Wire {
            free_at: Time::ZERO,
            ps_per_byte,
            framing: u64::from(framing.bytes) * ps_per_byte,
            least: u64::from(framing.least) * ps_per_byte,
            delay: link.delay,
        }
    }
    /// Its propagation delay.
    pub(crate) fn delay(&self) -> Span {
        self.delay
    }
    /// The arrival time at the far end of a packet of `ip_len` bytes that comes at `t`.
    #[inline(always)]
    pub(crate) fn pass(&mut self, t: Time, ip_len: u16) -> Time {
        let frame = (u64::from(ip_len) * self.ps_per_byte + self.framing).max(self.least);
        self.transmit(t, Span::from_ps(frame))
    }

    #[inline(always)]
    fn transmit(&mut self, t: Time, frame: Span) -> Time {
        self.free_at = self.free_at.max(t) + frame;
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

/// A wire at a rate at which a byte takes a fraction of a picosecond: it carries a remainder.
pub(crate) struct UnevenWire {
    wire: Wire,
    transmitter: Transmitter,
    framing: Framing,
}

impl UnevenWire {
    /// The wire of `link`, which has this transmitter.
    pub(crate) fn new(link: &Link, transmitter: Transmitter) -> Self {
        UnevenWire { wire: Wire::new(link, 0), transmitter, framing: link.framing() }
    }
    /// See [`Wire::pass`].
    pub(crate) fn pass(&mut self, t: Time, ip_len: u16) -> Time {
        let frame = self.transmitter.span(self.framing.wire_len(u32::from(ip_len)));
        self.wire.transmit(t, frame)
    }
    /// What else a wire has.
    pub(crate) fn wire(&self) -> &Wire {
        &self.wire
    }
}
