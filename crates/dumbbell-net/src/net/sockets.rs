//! The interface for sockets that live outside of this crate, as those of the simulator do.
use crate::engine::entry::{Entry, Pkt};
use crate::engine::ranks::Clock;
use crate::engine::sidecar::Fragment;
use crate::fragment::reassembly::Reassembler;
use crate::net::{Delivery, Net, Tally};
use dumbbell_core::packet::Dscp;
use dumbbell_core::transport::HostSignal;
use dumbbell_core::transport::segment::{Extra, PacketTooBig};
use dumbbell_core::units::Time;

impl Net {
    /// Removes the next entry of the agenda, if it is due by `end`, and counts it as an event.
    #[inline(always)]
    pub fn next_event(&mut self, end: Time) -> Option<Entry> {
        let entry = *self.agenda.pop(end.ps())?;
        self.tally.events += 1;
        Some(entry)
    }

    /// The clock that an entry with this rank belongs to.
    #[inline(always)]
    pub fn clock(&self, rank: u32) -> Clock {
        self.ranks.clock(rank)
    }

    /// Adds an entry for the clock of `socket` at `t`.
    #[inline(always)]
    pub fn wake_socket(&mut self, t: Time, socket: u32) {
        self.agenda.push(Entry::clock(t.ps(), self.ranks.socket(socket)));
    }

    /// Adds an entry for each host signal of the plan.
    pub fn arm_host_signals(&mut self) {
        for (at, socket) in self.host_signals.all() {
            self.agenda.push(Entry::clock(at.ps(), self.ranks.socket(socket)));
        }
    }

    /// True if some socket is still to be given a host signal.
    #[inline(always)]
    pub fn has_host_signals(&self) -> bool {
        !self.host_signals.is_empty()
    }

    /// Removes the host signals for `socket` at `now`.
    pub fn take_host_signals(&mut self, now: Time, socket: u32) -> Vec<HostSignal> {
        self.host_signals.take(now, socket)
    }

    /// True if packets wait in the list of deliveries.
    #[inline(always)]
    pub fn has_deliveries(&self) -> bool {
        !self.deliveries.is_empty()
    }

    /// Number `i` of the deliveries; handling one may add others.
    #[inline(always)]
    pub fn delivery(&self, i: usize) -> Option<Delivery> {
        self.deliveries.get(i).copied()
    }

    /// Empties the list of deliveries.
    pub fn clear_deliveries(&mut self) {
        self.deliveries.clear();
    }

    /// True if drops wait for [`Net::account_drops`].
    #[inline(always)]
    pub fn has_drops(&self) -> bool {
        !self.drops.is_empty()
    }

    /// The codepoint of all packets that leave `socket`.
    #[inline]
    pub fn dscp(&self, socket: u32) -> Dscp {
        self.egresses[socket as usize].dscp
    }

    /// Puts `extra` beside a packet that has no sidecar.
    #[inline]
    pub fn with_extra(&mut self, packet: Pkt, extra: Extra) -> Pkt {
        packet.with_sidecar(self.sidecars.put(Some(extra)))
    }

    /// Removes the sidecar of a packet that arrived: what its sender put there.
    #[inline]
    pub fn take_extra(&mut self, packet: &Pkt) -> Option<Extra> {
        self.sidecars.take(packet.sidecar())
    }

    /// The link that gave the packet a wrong bit.
    #[inline]
    pub fn corrupted_by(&self, packet: &Pkt) -> Option<usize> {
        self.sidecars.corrupted(packet.sidecar())
    }

    /// The part of a datagram that the packet is; `None` for a whole one.
    #[inline]
    pub fn fragment_of(&self, packet: &Pkt) -> Option<Fragment> {
        self.sidecars.fragment(packet.sidecar())
    }

    /// The packet's number for its observer; 0 if nobody follows it.
    #[inline]
    pub fn followed_number(&self, packet: &Pkt) -> u64 {
        self.sidecars.number(packet.sidecar())
    }

    /// Counts a packet that arrived at its socket.
    #[inline(always)]
    pub fn count_delivered(&mut self) {
        self.tally.delivered += 1;
    }

    /// Enters the arrival of a packet into the audit, if there is one.
    #[inline]
    pub fn audit_delivered(&mut self, packet: &Pkt) {
        if let Some(audit) = &mut self.audit {
            audit.delivered(self.sidecars.audit(packet.sidecar()));
        }
    }

    /// Takes a packet with a wrong bit out of the network. True if this is the first loss of its
    /// datagram, within the window or before it.
    pub fn discard(&mut self, packet: &Pkt, in_window: bool) -> bool {
        self.tally.dropped += 1;
        self.tally.discarded += 1;
        if let Some(audit) = &mut self.audit {
            audit.dropped(self.sidecars.audit(packet.sidecar()));
        }
        let first = self.sidecars.loses(packet.sidecar(), in_window);
        self.sidecars.take(packet.sidecar());
        first
    }

    /// Gives a fragment from socket `from` to the buffers of its host: the whole packet, if nothing
    /// is missing now.
    pub fn reassemble(
        &mut self,
        buffers: &mut Reassembler,
        t: Time,
        from: u32,
        packet: Pkt,
        fragment: Fragment,
    ) -> Option<Pkt> {
        let number = self.sidecars.audit(packet.sidecar());
        let whole = buffers.takes(t, from, packet, fragment, &mut self.sidecars);
        if whole.is_none() {
            self.tally.delivered += 1;
            self.audit.iter_mut().for_each(|audit| audit.delivered(number));
        }
        whole
    }

    /// Ends reassembly with the run.
    pub fn close_reassembly(&mut self, buffers: &mut Reassembler) {
        buffers.close(self.end, &mut self.sidecars);
    }

    /// Tells the host of a socket of datagrams the path MTU of an ICMP message.
    pub fn learn_path_mtu(&mut self, socket: u32, notice: PacketTooBig) {
        if let Some(oversize) = &mut self.oversize {
            oversize.learns(socket, notice);
        }
    }

    /// True if some packets may be too large for a link.
    pub fn may_fragment(&self) -> bool {
        self.oversize.is_some()
    }

    /// The counts of packets.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}
