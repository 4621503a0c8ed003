//! The interface from an endpoint to the network: what it sends is run ahead at once, to its first
//! merge.
use dumbbell_core::packet::Dscp;
use dumbbell_core::transport::segment::{Extra, Outbox, Segment};
use dumbbell_core::units::Time;
use dumbbell_net::Net;
use dumbbell_net::Observer;
use dumbbell_net::{NO_SIDECAR, Pkt};

/// The codepoint of lower effort (RFC 8622).
const LOWER_EFFORT: Dscp = Dscp(1);

/// Takes what one end of a flow sends at one instant.
pub(crate) struct Socket<'a, O> {
    /// The instant.
    pub t: Time,
    /// Its number: 2 x flow + end.
    pub number: u32,
    /// The network.
    pub net: &'a mut Net,
    /// The observer of the run.
    pub observer: &'a mut O,
}

impl<O> Socket<'_, O> {
    /// The packet with what it carries besides; a dummy is of the lower-effort class, and a segment
    /// that its congestion control colored has that color, whatever their flow is of.
    #[inline(never)]
    fn special(&mut self, packet: Pkt, extra: Extra) -> Pkt {
        let mut packet = self.net.with_extra(packet, extra);
        if let Some(own) = if extra.dummy { Some(LOWER_EFFORT) } else { extra.color() } {
            // The egress adds its own codepoint bit by bit: this leaves the packet's.
            packet.put_dscp(Dscp(own.0 ^ self.net.dscp(self.number).0));
        }
        packet
    }
}

impl<O: Observer> Outbox for Socket<'_, O> {
    #[inline(always)]
    fn send(&mut self, segment: Segment, extra: Option<Extra>) {
        let mut packet = Pkt::new(segment, NO_SIDECAR);
        if let Some(extra) = extra {
            packet = self.special(packet, extra);
        }
        self.net.launch(self.t, self.number, packet, self.observer);
    }
}
