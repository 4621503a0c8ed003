//! Packets that leave for another part of the network, or come from one.
use super::{Delivery, Net, Tally};
use crate::engine::entry::{NO_SIDECAR, Pkt};
use crate::engine::path::Border;
use crate::partition::{Crossing, Mail};
use dumbbell_core::units::Time;

impl Net {
    /// A packet comes to a border, and is in the other part at `at`.
    #[inline(never)]
    pub(super) fn leave(&mut self, at: Time, border: u32, packet: Pkt) {
        let part = self.paths.borders[border as usize].part as usize;
        let sidecar = self.sidecars.hand_over(packet.sidecar());
        let packet = packet.with_sidecar(NO_SIDECAR);
        self.outboxes[part].post(Crossing { at, border, packet }, sidecar);
    }

    /// The packets that have left, by the part that they go to.
    pub fn outboxes(&mut self) -> &mut [Mail] {
        &mut self.outboxes
    }

    /// The first arrival of a packet that has left.
    pub fn earliest_crossing(&self) -> Option<Time> {
        self.outboxes.iter().filter_map(Mail::earliest).min()
    }

    /// Packet `i` of what comes from another part; its delivery, if a socket is behind the border.
    pub fn enter_part(&mut self, mail: &Mail, i: usize) -> Option<Delivery> {
        let Crossing { at, border, packet } = mail.crossings[i];
        let sidecar = (packet.sidecar() as usize).checked_sub(1).map(|place| mail.sidecars[place]);
        let packet = packet.with_sidecar(self.sidecars.take_over(sidecar));
        let Border { socket, run_ahead, .. } = self.paths.borders[border as usize];
        self.advance(at, run_ahead, socket, packet, &mut ())
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
