//! One step of the router: packets that were read go into the network, packets that come out are
//! written.
//!
//! A packet's buffer is allocated from the slab when the packet is read, and the packet enters the
//! network with a number. Each output that the network emits (the packet itself, copies, fragments,
//! an ICMP error) is made from this buffer and waits for its due time. The buffer is free again
//! when the network has let go of the packet and all its outputs are written or refused.
use super::network::{Incoming, Network, Outgoing};
use super::slab::Slot;
use super::{BATCH, Router};
use crate::log::Record;
use crate::packet::defects::Defective;
use crate::router::codec::PacketCodec;
use crate::router::nics::Delayed;
use dumbbell_core::units::{Span, Time};
use std::io;

/// A packet that found its NIC full is refused after this long.
const FULL_NIC_TIMEOUT: Span = Span::from_ms(100);

impl<N: Network, W: PacketCodec> Router<N, W> {
    /// Reads a batch from a NIC. Returns the number of packets. All NICs were last seen empty at
    /// `drained_at`.
    pub(super) fn read(&mut self, nic: usize, drained_at: Time) -> io::Result<usize> {
        for read in 0..BATCH {
            let Some(slot) = self.slab.take() else {
                return self.discard_batch(nic);
            };
            let arrived = self.nics[nic].device.read(self.slab.buffer(slot));
            let read_at = self.setup.clock.now();
            match arrived {
                Ok(Some(arrived)) => {
                    let t = arrived.at.map_or(read_at, |ns| self.setup.clock.time(ns).min(read_at));
                    if arrived.at.is_some() {
                        self.measures.nic_wait.stamped(t, read_at);
                    } else if read == 0 {
                        self.measures
                            .nic_wait
                            .batch(drained_at.max(self.nics[nic].drained_at), read_at);
                    }
                    self.arrive(nic, (slot, arrived.len), t);
                }
                Ok(None) => {
                    self.slab.give_back(slot);
                    self.nics[nic].drained_at = read_at;
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

    /// Reads a batch and discards it, since there is no memory for packets. Returns the number of
    /// packets, which count as lost.
    #[cold]
    fn discard_batch(&mut self, nic: usize) -> io::Result<usize> {
        self.scratch.resize(usize::from(u16::MAX), 0);
        let mut lost = 0;
        while lost < BATCH && self.nics[nic].device.read(&mut self.scratch)?.is_some() {
            lost += 1;
            self.measures.counts.no_room += 1;
        }
        Ok(lost)
    }

    /// A packet was read that arrived at `t`: it is checked, enters the network, and is logged.
    #[inline]
    fn arrive(&mut self, nic: usize, (slot, len): (Slot, usize), t: Time) {
        let bytes = self.slab.buffer(slot);
        if len > usize::from(self.setup.max_ip_len) {
            self.measures.counts.defective(&Defective::oversized(
                len,
                usize::from(self.setup.max_ip_len),
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
        self.network_time = self.network_time.max(t);
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
        self.network.send(self.network_time, packet);
        self.measures.counts.entered(len);
        let bytes = &self.slab.buffer(slot)[..len];
        self.log_ring.note_packet(
            &Record::In { t: self.network_time, packet },
            packet.socket,
            bytes,
        );
    }

    /// Runs the network until now and writes the packets that are due. Returns the number of
    /// packets that were taken up or retried, and true if more may be due.
    pub(super) fn step(&mut self) -> io::Result<(usize, bool)> {
        let now = self.setup.clock.now().min(self.setup.end);
        self.advance(now);
        let retried = self.retry()?;
        let (written, left) = self.write_due(now)?;
        self.flush()?;
        Ok((written + retried, left))
    }

    /// Runs the network until `now`. Its outputs are put among the departures; an output without a
    /// packet in the slab, or without a NIC, counts as an orphan.
    pub(super) fn advance(&mut self, now: Time) {
        self.network_time = self.network_time.max(now);
        self.network.run_until(self.network_time);
        for out in self.network.outgoing() {
            if (out.socket as usize) < self.setup.nic_of.len() && self.slab.add_pending(out.number)
            {
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

    /// Writes up to two batches of the packets that are due by `now`; those that find their NIC
    /// full wait there. Returns their number, and true if more may be due.
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

    /// Retries the packets that wait for a full NIC. Returns how many were written or given up.
    pub(super) fn retry(&mut self) -> io::Result<usize> {
        let mut output_done = 0;
        for nic in 0..self.nics.len() {
            while let Some(Delayed { out, since }) = self.nics[nic].delayed.front().copied() {
                if !self.write(nic, &out)? {
                    if self.setup.clock.now().since(since) < FULL_NIC_TIMEOUT {
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

    /// Gives up an output: the host does not get it.
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

    /// Writes one packet. Returns false if the NIC is full and the packet must be retried; true if
    /// it was written or dropped.
    #[inline]
    fn write(&mut self, nic: usize, out: &Outgoing) -> io::Result<bool> {
        let Some(packet) = self.slab.packet(out.number) else {
            self.measures.counts.orphans += 1;
            return Ok(true);
        };
        let bytes: &[u8] = if out.fragment.is_none() && !out.damaged && out.icmp_error.is_none() {
            self.codec.mark(packet, out.ecn, out.dscp);
            packet
        } else if make_packet(&mut self.codec, packet, out, &mut self.scratch) {
            &self.scratch
        } else {
            // Log it although it was not written: the network emitted it, and a replay will too.
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
                self.measures.counts.write_error(&cause);
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

    /// One output of a packet was written or refused; the packet's buffer is free if nothing else
    /// of it is left.
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

/// Makes a packet that is not written as it came: fragmented, replaced by an ICMP error, or
/// corrupted. Returns false if nothing is to be written.
#[cold]
pub fn make_packet(
    codec: &mut impl PacketCodec,
    packet: &[u8],
    out: &Outgoing,
    into: &mut Vec<u8>,
) -> bool {
    into.clear();
    match (out.icmp_error, out.fragment) {
        (Some(error), _) => return codec.icmp_error(packet, error, into),
        (None, Some(fragment)) if !codec.fragment(packet, fragment, into) => return false,
        (None, Some(_)) => {}
        (None, None) => into.extend_from_slice(packet),
    }
    codec.mark(into, out.ecn, out.dscp);
    !out.damaged || codec.corrupt(into)
}
