//! One turn of the router: what was read goes into the network, what comes out of it is written.
use super::doors::Delayed;
use super::network::{Incoming, Network, Outgoing};
use super::slab::Slot;
use super::wire::Wire;
use super::{BATCH, Router};
use crate::inspect::Leak;
use crate::log::Record;
use dumbbell_core::units::{Span, Time};
use std::io;

/// A packet waits this long for a full door, and not longer.
const PATIENCE: Span = Span::from_ms(100);

impl<N: Network, W: Wire> Router<N, W> {
    /// Reads a batch from a door; how many packets there were. All doors were empty at `empty`.
    pub(super) fn read(&mut self, door: usize, empty: Time) -> io::Result<usize> {
        for read in 0..BATCH {
            let Some(slot) = self.slab.take() else {
                return self.read_away(door);
            };
            let arrived = self.doors[door].nic.read(self.slab.buffer(slot));
            let read_at = self.setup.clock.now();
            match arrived {
                Ok(Some(arrived)) => {
                    let t = arrived.at.map_or(read_at, |ns| self.setup.clock.time(ns).min(read_at));
                    if arrived.at.is_some() {
                        self.meters.unread.stamped(t, read_at);
                    } else if read == 0 {
                        self.meters.unread.batch(empty.max(self.doors[door].empty), read_at);
                    }
                    self.arrive(door, (slot, arrived.len), t);
                }
                Ok(None) => {
                    self.slab.give_back(slot);
                    self.doors[door].empty = read_at;
                    return Ok(read);
                }
                Err(cause) => {
                    self.slab.give_back(slot);
                    if cause.kind() != io::ErrorKind::InvalidData {
                        return Err(cause);
                    }
                    self.meters.counts.not_of_the_wire(&cause);
                }
            }
        }
        Ok(BATCH)
    }

    /// There is no memory for packets: what waits at a door is lost, and counted.
    #[cold]
    fn read_away(&mut self, door: usize) -> io::Result<usize> {
        self.scratch.resize(usize::from(u16::MAX), 0);
        let mut lost = 0;
        while lost < BATCH && self.doors[door].nic.read(&mut self.scratch)?.is_some() {
            lost += 1;
            self.meters.counts.no_room += 1;
        }
        Ok(lost)
    }

    /// A packet came at `t`.
    #[inline]
    fn arrive(&mut self, door: usize, (slot, len): (Slot, usize), t: Time) {
        let bytes = self.slab.buffer(slot);
        if len > usize::from(self.setup.largest) {
            self.meters.counts.leak(&Leak::oversized(len, usize::from(self.setup.largest), &bytes[..len]));
            return self.slab.give_back(slot);
        }
        let heard = match self.wire.hear(door, &bytes[..len]) {
            Ok(heard) => heard,
            Err(stranger) => {
                self.meters.counts.stranger(&stranger, &bytes[..len]);
                return self.slab.give_back(slot);
            }
        };
        // The network's time never goes back, whatever the kernel's stamps say.
        self.reached = self.reached.max(t);
        let number = self.slab.enter(slot, len as u16);
        let packet = Incoming {
            socket: heard.socket,
            number,
            ip_len: len as u16,
            payload: heard.payload,
            ecn: heard.ecn,
            dscp: heard.dscp,
            seq: heard.seq,
            flags: heard.flags,
        };
        self.network.send(self.reached, packet);
        self.meters.counts.entered(len);
        let bytes = &self.slab.buffer(slot)[..len];
        self.tape.note_packet(&Record::In { t: self.reached, packet }, packet.socket, bytes);
    }

    /// The network goes on to now, and what is due is written; how many packets, and whether more are due.
    pub(super) fn turn(&mut self) -> io::Result<(usize, bool)> {
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
            if self.setup.door_of.len() > out.socket as usize && self.slab.awaits(out.number) {
                self.departures.push(out);
            } else {
                self.meters.counts.orphans += 1;
            }
        }
        for number in self.network.gone() {
            if let Some(fate) = self.slab.gone(number) {
                self.meters.counts.ended(fate);
            }
        }
    }

    /// Writes a batch of what is due by `now`; how many, and whether more are.
    #[inline]
    pub(super) fn write_due(&mut self, now: Time) -> io::Result<(usize, bool)> {
        let mut written = 0;
        while let Some(out) = self.departures.due(now) {
            let door = usize::from(self.setup.door_of[out.socket as usize]);
            let at = self.setup.clock.now();
            if !self.doors[door].delayed.is_empty() || !self.write(door, &out)? {
                self.delay(door, out, at);
            }
            written += 1;
            if written == 2 * BATCH {
                return Ok((written, true));
            }
        }
        Ok((written, false))
    }

    /// Tries again at doors that were full; how many packets went or were given up.
    pub(super) fn retry(&mut self) -> io::Result<usize> {
        let mut done = 0;
        for door in 0..self.doors.len() {
            while let Some(Delayed { out, since }) = self.doors[door].delayed.front().copied() {
                if !self.write(door, &out)? {
                    if self.setup.clock.now().since(since) < PATIENCE {
                        break;
                    }
                    self.refuse(door, &out);
                }
                self.doors[door].delayed.pop_front();
                done += 1;
            }
        }
        Ok(done)
    }

    #[cold]
    fn delay(&mut self, door: usize, out: Outgoing, since: Time) {
        self.doors[door].full += 1;
        if self.doors[door].has_patience() {
            self.doors[door].delayed.push_back(Delayed { out, since });
        } else {
            self.refuse(door, &out);
        }
    }

    /// The host does not get it.
    #[cold]
    fn refuse(&mut self, door: usize, out: &Outgoing) {
        self.doors[door].refused += 1;
        self.note_refused(out);
        self.done(out.number);
    }

    #[cold]
    fn note_refused(&mut self, out: &Outgoing) {
        let late = Record::lateness(self.setup.clock.now().since(out.at));
        self.tape.note(&Record::Out { out: *out, late, refused: true });
    }

    /// Writes one packet; false if the door is full.
    #[inline]
    fn write(&mut self, door: usize, out: &Outgoing) -> io::Result<bool> {
        let Some(packet) = self.slab.packet(out.number) else {
            self.meters.counts.orphans += 1;
            return Ok(true);
        };
        let bytes: &[u8] = if out.piece.is_none() && !out.damaged && out.notice.is_none() {
            self.wire.mark(packet, out.ecn, out.dscp);
            packet
        } else if make(&mut self.wire, packet, out, &mut self.scratch) {
            &self.scratch
        } else {
            // It came out of the network all the same: a replay has it.
            self.meters.counts.unwritten += 1;
            self.note_refused(out);
            self.done(out.number);
            return Ok(true);
        };
        let len = bytes.len() as u32;
        let at = self.setup.clock.now();
        self.doors[door].touched = true;
        match self.doors[door].nic.write(bytes) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(cause) => {
                self.meters.counts.refusal(&cause);
                self.refuse(door, out);
                return Ok(true);
            }
        }
        let late = self.meters.written(out, len, at);
        let record = Record::Out { out: *out, late: Record::lateness(late), refused: false };
        self.tape.note_packet(&record, out.socket, bytes);
        self.done(out.number);
        Ok(true)
    }

    /// One thing less of a packet waits.
    #[inline]
    fn done(&mut self, number: u64) {
        if let Some(fate) = self.slab.written(number) {
            self.meters.counts.ended(fate);
        }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        for door in self.doors.iter_mut().filter(|door| door.touched) {
            door.touched = false;
            door.nic.flush()?;
        }
        Ok(())
    }
}

/// A packet that is not written as it came: cut, answered, or damaged. False if nothing is to be written.
#[cold]
fn make(wire: &mut impl Wire, packet: &[u8], out: &Outgoing, into: &mut Vec<u8>) -> bool {
    into.clear();
    match (out.notice, out.piece) {
        (Some(notice), _) => return wire.answer(packet, notice, into),
        (None, Some(piece)) if !wire.cut(packet, piece, into) => return false,
        (None, Some(_)) => {}
        (None, None) => into.extend_from_slice(packet),
    }
    wire.mark(into, out.ecn, out.dscp);
    !out.damaged || wire.damage(into)
}
