//! What sockets hand to their hosts, before it goes on its way.
use crate::entry::Pkt;
use crate::extras::Extras;
use dumbbell_core::segment::{Extra, Outbox, Segment};
use dumbbell_core::units::Time;

/// A packet that a socket hands to its host.
#[derive(Clone, Copy)]
pub struct Emission {
    /// When.
    pub t: Time,
    /// Whose it is.
    pub flow: u32,
    /// Which end of the flow sends it.
    pub end: u8,
    /// The packet.
    pub packet: Pkt,
}

/// Takes what one end of a flow sends at one instant.
pub struct Socket<'a> {
    /// The instant.
    pub t: Time,
    /// The flow.
    pub flow: u32,
    /// Its end.
    pub end: u8,
    /// Where the packets wait.
    pub emissions: &'a mut Vec<Emission>,
    /// Where the extras of the packets are.
    pub extras: &'a mut Extras,
}

impl Outbox for Socket<'_> {
    #[inline]
    fn send(&mut self, segment: Segment, extra: Option<Extra>) {
        let packet = Pkt::of(segment, self.extras.put(extra));
        self.emissions.push(Emission { t: self.t, flow: self.flow, end: self.end, packet });
    }
}
