//! One step of the router: packets that were read go into the network, packets that come out are
//! written.
use super::network::{Incoming, Network, Outgoing};
use super::slab::Slot;
use super::{BATCH, Router};
use crate::log::Record;
use crate::packet::defects::Defective;
use crate::router::codec::PacketCodec;
use crate::router::nics::Delayed;
use dumbbell_core::units::{Span, Time};
use std::io;

/// A packet waits this long for a full NIC, and not longer.
const PATIENCE: Span = Span::from_ms(100);

impl<N: Network, W: PacketCodec> Router<N, W> {
    /// Reads a batch from a NIC; how many packets there were. All NICs were empty at `empty`.
    pub(super) fn read(&mut self, nic: usize, empty: Time) -> io::Result<usize> {
        for read in 0..BATCH {
            let Some(slot) = self.slab.take() else {
                return self.read_away(nic);
            };
            let arrived = self.nics[nic].device.read(self.slab.buffer(slot));
            let read_at = self.setup.clock.now();
            match arrived {
                Ok(Some(arrived)) => {
                    let t = arrived.at.map_or(read_at, |ns| self.setup.clock.time(ns).min(read_at));
                    if arrived.at.is_some() {
                        self.measures.nic_wait.stamped(t, read_at);
                    } else if read == 0 {
                        self.measures.nic_wait.batch(empty.max(self.nics[nic].empty), read_at);
                    }
                    self.arrive(nic, (slot, arrived.len), t);
                }
                Ok(None) => {
                    self.slab.give_back(slot);
                    self.nics[nic].empty = read_at;
                    return Ok(read);
                }
                Err(cause) => {
                    self.slab.give_back(slot);
                    if cause.kind() != io::ErrorKind::InvalidData {
                        return Err(cause);
                    }
                    self.measures.counts.invalid_read(&cause);
                }
            }
        }
        Ok(BATCH)
    }

    /// There is no memory for packets: what waits at a NIC is lost, and counted.
    #[cold]
    fn read_away(&mut self, nic: usize) -> io::Result<usize> {
        self.scratch.resize(usize::from(u16::MAX), 0);
        let mut lost = 0;
        while lost < BATCH && self.nics[nic].device.read(&mut self.scratch)?.is_some() {
            lost += 1;
            self.measures.counts.no_room += 1;
        }
        Ok(lost)
    }

    /// A packet came at `t`.
    #[inline]
    fn arrive(&mut self, nic: usize, (slot, len): (Slot, usize), t: Time) {
        let bytes = self.slab.buffer(slot);
        if len > usize::from(self.setup.largest) {
            self.measures.counts.defective(&Defective::oversized(
                len,
                usize::from(self.setup.largest),
                &bytes[..len],
            ));
            return self.slab.give_back(slot);
        }
        let info = match self.codec.parse(nic, &bytes[..len]) {
            Ok(info) => info,
            Err(rejected) => {
                self.measures.counts.rejected(&rejected, &bytes[..len]);
                return self.slab.give_back(slot);
            }
        };
        // The network's time never goes back, whatever the kernel's stamps say.
        self.reached = self.reached.max(t);
        let number = self.slab.enter(slot, len as u16);
        let packet = Incoming {
            socket: info.socket,
            number,
            ip_len: len as u16,
            payload: info.payload,
            ecn: info.ecn,
            dscp: info.dscp,
            seq: info.seq,
            flags: info.flags,
        };
        self.network.send(self.reached, packet);
        self.measures.counts.entered(len);
        let bytes = &self.slab.buffer(slot)[..len];
        self.log_ring.note_packet(&Record::In { t: self.reached, packet }, packet.socket, bytes);
    }

    /// The network goes on to now, and what is due is written; how many packets, and whether more
    /// are due.
    pub(super) fn step(&mut self) -> io::Result<(usize, bool)> {
        let now = self.setup.clock.now().min(self.setup.end);
        self.advance(now);
        let retried = self.retry()?;
        let (written, left) = self.write_due(now)?;
        self.flush()?;
        Ok((written + retried, left))
    }

    /// The network goes on, and tells what comes out.
    pub(super) fn advance(&mut self, now: Time) {
        self.reached = self.reached.max(now);
        self.network.run_until(self.reached);
        for out in self.network.outgoing() {
            if self.setup.nic_of.len() > out.socket as usize && self.slab.add_pending(out.number) {
                self.departures.push(out);
            } else {
                self.measures.counts.orphans += 1;
            }
        }
        for number in self.network.gone() {
            if let Some(completed) = self.slab.gone(number) {
                self.measures.counts.ended(completed);
            }
        }
    }

    /// Writes a batch of what is due by `now`; how many, and whether more are.
    #[inline]
    pub(super) fn write_due(&mut self, now: Time) -> io::Result<(usize, bool)> {
        let mut written = 0;
        while let Some(out) = self.departures.due(now) {
            let nic = usize::from(self.setup.nic_of[out.socket as usize]);
            let at = self.setup.clock.now();
            if !self.nics[nic].delayed.is_empty() || !self.write(nic, &out)? {
                self.delay(nic, out, at);
            }
            written += 1;
            if written == 2 * BATCH {
                return Ok((written, true));
            }
        }
        Ok((written, false))
    }

    /// Tries again at NICs that were full; how many packets went or were given up.
    pub(super) fn retry(&mut self) -> io::Result<usize> {
        let mut output_done = 0;
        for nic in 0..self.nics.len() {
            while let Some(Delayed { out, since }) = self.nics[nic].delayed.front().copied() {
                if !self.write(nic, &out)? {
                    if self.setup.clock.now().since(since) < PATIENCE {
                        break;
                    }
                    self.refuse(nic, &out);
                }
                self.nics[nic].delayed.pop_front();
                output_done += 1;
            }
        }
        Ok(output_done)
    }

    #[cold]
    fn delay(&mut self, nic: usize, out: Outgoing, since: Time) {
        self.nics[nic].full += 1;
        if self.nics[nic].can_queue() {
            self.nics[nic].delayed.push_back(Delayed { out, since });
        } else {
            self.refuse(nic, &out);
        }
    }

    /// The host does not get it.
    #[cold]
    fn refuse(&mut self, nic: usize, out: &Outgoing) {
        self.nics[nic].refused += 1;
        self.note_refused(out);
        self.output_done(out.number);
    }

    #[cold]
    fn note_refused(&mut self, out: &Outgoing) {
        let late = Record::lateness(self.setup.clock.now().since(out.at));
        self.log_ring.note(&Record::Out { out: *out, late, refused: true });
    }

    /// Writes one packet; false if the NIC is full.
    #[inline]
    fn write(&mut self, nic: usize, out: &Outgoing) -> io::Result<bool> {
        let Some(packet) = self.slab.packet(out.number) else {
            self.measures.counts.orphans += 1;
            return Ok(true);
        };
        let bytes: &[u8] = if out.piece.is_none() && !out.damaged && out.notice.is_none() {
            self.codec.mark(packet, out.ecn, out.dscp);
            packet
        } else if make_packet(&mut self.codec, packet, out, &mut self.scratch) {
            &self.scratch
        } else {
            // It came out of the network all the same: a replay has it.
            self.measures.counts.unwritten += 1;
            self.note_refused(out);
            self.output_done(out.number);
            return Ok(true);
        };
        let len = bytes.len() as u32;
        let at = self.setup.clock.now();
        self.nics[nic].unflushed = true;
        match self.nics[nic].device.write(bytes) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(cause) => {
                self.measures.counts.refusal(&cause);
                self.refuse(nic, out);
                return Ok(true);
            }
        }
        let late = self.measures.written(out, len, at);
        let record = Record::Out { out: *out, late: Record::lateness(late), refused: false };
        self.log_ring.note_packet(&record, out.socket, bytes);
        self.output_done(out.number);
        Ok(true)
    }

    /// One output of a packet is done.
    #[inline]
    fn output_done(&mut self, number: u64) {
        if let Some(completed) = self.slab.written(number) {
            self.measures.counts.ended(completed);
        }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        for nic in self.nics.iter_mut().filter(|nic| nic.unflushed) {
            nic.unflushed = false;
            nic.device.flush()?;
        }
        Ok(())
    }
}

/// A packet that is not written as it came: cut, answered, or damaged. False if nothing is to be
/// written.
#[cold]
fn make_packet(
    codec: &mut impl PacketCodec,
    packet: &[u8],
    out: &Outgoing,
    into: &mut Vec<u8>,
) -> bool {
    into.clear();
    match (out.notice, out.piece) {
        (Some(notice), _) => return codec.icmp_error(packet, notice, into),
        (None, Some(piece)) if !codec.fragment(packet, piece, into) => return false,
        (None, Some(_)) => {}
        (None, None) => into.extend_from_slice(packet),
    }
    codec.mark(into, out.ecn, out.dscp);
    !out.damaged || codec.corrupt(into)
}
