//! The way from a socket into the network: what an endpoint sends is run ahead at once, to its first merge.
use crate::entry::Pkt;
use crate::net::Net;
use crate::observe::Observer;
use dumbbell_core::segment::{Extra, Outbox, Segment};
use dumbbell_core::units::Time;

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

impl<O: Observer> Outbox for Socket<'_, O> {
    #[inline(always)]
    fn send(&mut self, segment: Segment, extra: Option<Extra>) {
        let extra = self.net.extras.put(extra);
        self.net.launch(self.t, self.number, Pkt::new(segment, extra), self.observer);
    }
}
