//! The way from a socket into the network: what an endpoint sends is run ahead at once, to its first merge.
use dumbbell_core::packet::Dscp;
use dumbbell_core::segment::{Extra, Outbox, Segment};
use dumbbell_core::units::Time;
use dumbbell_net::entry::{NONE, Pkt};
use dumbbell_net::net::Net;
use dumbbell_net::observe::Observer;

/// The codepoint of lower effort (RFC 8622).
const LOWER_EFFORT: Dscp = Dscp(1);

/// Takes what one end of a flow sends at one instant.
pub struct Socket<'a, O> {
    /// The instant.
    pub t: Time,
    /// Its number: 2 x flow + end.
    pub number: u32,
    /// The network.
    pub net: &'a mut Net,
    /// Who looks on.
    pub observer: &'a mut O,
}

impl<O> Socket<'_, O> {
    /// The packet with what it carries besides; a dummy is of the lower-effort class, and a segment that its congestion
    /// control coloured has that colour, whatever their flow is of.
    #[inline(never)]
    fn special(&mut self, packet: Pkt, extra: Extra) -> Pkt {
        let mut packet = packet.with_extra(self.net.extras.put(Some(extra)));
        if let Some(own) = if extra.dummy { Some(LOWER_EFFORT) } else { extra.dscp } {
            // The exit adds its own codepoint bit by bit: this leaves the packet's.
            packet.put_dscp(Dscp(own.0 ^ self.net.exits[self.number as usize].dscp.0));
        }
        packet
    }
}

impl<O: Observer> Outbox for Socket<'_, O> {
    #[inline(always)]
    fn send(&mut self, segment: Segment, extra: Option<Extra>) {
        let mut packet = Pkt::new(segment, NONE);
        if let Some(extra) = extra {
            packet = self.special(packet, extra);
        }
        self.net.launch(self.t, self.number, packet, self.observer);
    }
}
