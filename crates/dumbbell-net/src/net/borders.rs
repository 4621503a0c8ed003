//! Packets that leave for another part of the network, or come from one.
use super::{Delivery, Net, Tally};
use crate::engine::entry::Pkt;
use crate::engine::path::Border;
use crate::partition::Crossing;
use dumbbell_core::units::Time;

impl Net {
    /// A packet comes to a border, and is in the other part at `at`.
    #[inline(never)]
    pub(super) fn leave(&mut self, at: Time, border: u32, packet: Pkt) {
        let part = self.paths.borders[border as usize].part;
        let sidecar = self.sidecars.hand_over(packet.sidecar());
        self.crossings.push(Crossing { part, at, border, packet, sidecar });
    }

    /// The packets that have left and were not taken.
    pub fn crossings(&self) -> impl Iterator<Item = &Crossing> {
        self.crossings.iter()
    }

    /// Takes the packets that have left.
    pub fn take_crossings(&mut self) -> impl Iterator<Item = Crossing> + '_ {
        self.crossings.drain(..)
    }

    /// A packet comes from another part; its delivery, if a socket is behind the border.
    pub fn enter_part(&mut self, crossing: Crossing) -> Option<Delivery> {
        let Border { socket, run_ahead, .. } = self.paths.borders[crossing.border as usize];
        let packet = crossing.packet.with_sidecar(self.sidecars.take_over(crossing.sidecar));
        self.advance(crossing.at, &run_ahead, socket, packet, &mut ())
    }

    /// The time of the next entry of the agenda; none: there is none.
    pub fn next_entry(&self) -> Option<Time> {
        self.agenda.next().map(Time::from_ps)
    }

    /// True if a socket is of this part of the network, or there is one part.
    pub fn owns_socket(&self, socket: usize) -> bool {
        self.owners.as_ref().is_none_or(|owners| owners.owns_socket(socket))
    }

    /// True if a link is of this part of the network, or there is one part.
    pub(crate) fn owns_link(&self, link: usize) -> bool {
        self.owners.as_ref().is_none_or(|owners| owners.owns_link(link))
    }

    /// Takes what `other` knows of its own links and sockets, at the end of the run.
    pub fn absorb(&mut self, other: &mut Net) {
        let Some(owners) = other.owners.take() else { return };
        for link in (0..self.elements.len()).filter(|link| owners.owns_link(*link)) {
            std::mem::swap(&mut self.elements[link], &mut other.elements[link]);
        }
        for socket in (0..self.egresses.len()).filter(|socket| owners.owns_socket(*socket)) {
            std::mem::swap(&mut self.egresses[socket], &mut other.egresses[socket]);
        }
        self.tally.add(&other.tally);
        self.sidecars.absorb(&other.sidecars);
    }
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.events += other.events;
        self.packet_hops += other.packet_hops;
        self.sent += other.sent;
        self.delivered += other.delivered;
        self.dropped += other.dropped;
        self.beyond_end += other.beyond_end;
        self.copied += other.copied;
        self.discarded += other.discarded;
    }
}
