//! A guest's network device, from our side: two rings in the guest's memory (virtio 1.2, section
//! 2.7), one with room for frames to it, one with frames from it.
use crate::vhost::{GuestMemory, Identity, Request, request};
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

/// The ring of frames to the guest.
pub const RECEIVE: usize = 0;
/// The ring of frames from the guest.
pub const TRANSMIT: usize = 1;
/// Bytes before each frame: `struct virtio_net_hdr_v1`.
const HEADER: usize = 12;
/// The header of a whole frame without offloads, in one buffer.
const PLAIN: [u8; HEADER] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0];
/// Bytes of a descriptor.
const DESCRIPTOR: u64 = 16;
/// A descriptor that goes on in another.
const GOES_ON: u16 = 1;
/// Who has this in its part of a ring does not want to be told of buffers.
const QUIET: u16 = 1;
/// A guest answers a call within this time, or others are looked after meanwhile.
const SOON: Duration = Duration::from_millis(100);
/// A frame of a guest is shorter than this, with its header.
const LONGEST: usize = 1 << 17;

/// A ring.
#[derive(Clone, Copy, Default)]
struct Ring {
    entries: u16,
    descriptors: u64,
    available: u64,
    used: u64,
    /// Entries of the available part that were taken.
    taken: u16,
    enabled: bool,
}

/// A frame that the guest gave to its device.
pub struct Sent {
    /// The buffer to give back when it has been sent.
    pub buffer: u16,
    /// From its Ethernet header on.
    pub frame: Vec<u8>,
}

/// A network device.
pub struct Nic {
    /// Where the guest connects.
    pub listener: UnixListener,
    /// The guest's requests.
    pub requests: Option<UnixStream>,
    /// Our calls.
    pub calls: Option<UnixStream>,
    /// Its address and MTU.
    pub identity: Identity,
    memory: GuestMemory,
    rings: [Ring; 2],
    /// Frames for which the guest had no room.
    pub refused: u64,
}

impl Nic {
    /// A device to which the guest has not connected yet.
    pub fn new(listener: UnixListener, identity: Identity) -> Nic {
        Nic {
            listener,
            requests: None,
            calls: None,
            identity,
            memory: GuestMemory::default(),
            rings: [Ring::default(); 2],
            refused: 0,
        }
    }

    /// True once the guest uses it: from now on each of its requests waits for an answer.
    pub fn is_running(&self) -> bool {
        self.rings[TRANSMIT].enabled
    }

    /// Takes a request that sets the device up.
    ///
    /// # Errors
    /// It makes no sense.
    pub fn set_up(&mut self, asked: &mut Request) -> io::Result<()> {
        match asked.kind {
            request::SET_MEM_TABLE => self.memory = GuestMemory::of(asked)?,
            request::SET_SLAVE_REQ_FD => {
                self.calls = asked.fds.pop().map(UnixStream::from);
                if let Some(calls) = &self.calls {
                    calls.set_read_timeout(Some(SOON))?;
                }
            }
            request::SET_VRING_NUM
            | request::SET_VRING_ADDR
            | request::SET_VRING_BASE
            | request::SET_VRING_ENABLE => self.set_ring(asked)?,
            request::GET_FEATURES
            | request::SET_FEATURES
            | request::SET_OWNER
            | request::SET_VRING_KICK
            | request::SET_VRING_CALL
            | request::GET_PROTOCOL_FEATURES
            | request::SET_PROTOCOL_FEATURES
            | request::GET_CONFIG => {}
            kind => return Err(io::Error::other(format!("unknown vhost-user request {kind}"))),
        }
        Ok(())
    }

    fn set_ring(&mut self, asked: &Request) -> io::Result<()> {
        let which = asked.u32(0) as usize;
        // A third ring, for control, is never used.
        let Some(ring) = self.rings.get_mut(which) else { return Ok(()) };
        match asked.kind {
            request::SET_VRING_NUM => ring.entries = asked.u32(4) as u16,
            request::SET_VRING_BASE => ring.taken = asked.u32(4) as u16,
            request::SET_VRING_ENABLE => ring.enabled = asked.u32(4) != 0,
            _ => {
                ring.descriptors = asked.u64(8);
                ring.used = asked.u64(16);
                ring.available = asked.u64(24);
            }
        }
        // Room for frames is looked for when one comes: the guest need not tell of it.
        if which == RECEIVE && self.rings[which].enabled {
            let (mapping, at) = self.memory.find(self.rings[which].used)?;
            mapping.put_u16(at, QUIET)?;
        }
        Ok(())
    }

    fn u16(&self, address: u64) -> io::Result<u16> {
        let (mapping, at) = self.memory.find(address)?;
        mapping.u16(at)
    }

    /// The next buffer that the guest has put into a ring.
    fn take(&mut self, which: usize) -> io::Result<Option<u16>> {
        let ring = self.rings[which];
        if !ring.enabled || ring.entries == 0 || self.u16(ring.available + 2)? == ring.taken {
            return Ok(None);
        }
        let place = ring.available + 4 + 2 * u64::from(ring.taken % ring.entries);
        self.rings[which].taken = ring.taken.wrapping_add(1);
        self.u16(place).map(Some)
    }

    /// Gives a buffer back, with so many bytes written to it.
    ///
    /// # Errors
    /// The guest's ring is not where it said.
    pub fn give_back(&self, which: usize, buffer: u16, written: u32) -> io::Result<()> {
        let ring = &self.rings[which];
        let (mapping, at) = self.memory.find(ring.used)?;
        let used = mapping.u16(at + 2)?;
        let entry = at + 4 + 8 * usize::from(used % ring.entries.max(1));
        mapping.put_u32(entry, u32::from(buffer))?;
        mapping.put_u32(entry + 4, written)?;
        mapping.put_u16(at + 2, used.wrapping_add(1))
    }

    /// True if the guest wants to be told of used buffers.
    ///
    /// # Errors
    /// The guest's ring is not where it said.
    pub fn listens(&self, which: usize) -> io::Result<bool> {
        Ok(self.calls.is_some() && self.u16(self.rings[which].available)? & QUIET == 0)
    }

    /// A descriptor: address, length, and the next one.
    fn descriptor(&self, which: usize, number: u16) -> io::Result<(u64, usize, Option<u16>)> {
        let place = self.rings[which].descriptors + DESCRIPTOR * u64::from(number);
        let (mapping, at) = self.memory.find(place)?;
        let next = mapping.u16(at + 14)?;
        let goes_on = mapping.u16(at + 12)? & GOES_ON != 0;
        Ok((mapping.u64(at)?, mapping.u32(at + 8)? as usize, goes_on.then_some(next)))
    }

    /// Takes the next frame that the guest has sent, before index `upto` of its ring if one is
    /// named.
    ///
    /// # Errors
    /// The guest's ring makes no sense.
    pub fn sent(&mut self, upto: Option<u16>) -> io::Result<Option<Sent>> {
        if upto == Some(self.rings[TRANSMIT].taken) {
            return Ok(None);
        }
        let Some(buffer) = self.take(TRANSMIT)? else { return Ok(None) };
        let (mut bytes, mut number) = (Vec::with_capacity(2048), Some(buffer));
        while let Some(here) = number {
            let (address, len, next) = self.descriptor(TRANSMIT, here)?;
            if bytes.len() + len > LONGEST {
                return Err(io::Error::other("a guest's frame has no end"));
            }
            let (mapping, at) = self.memory.find(address)?;
            mapping.read(at, len, &mut bytes)?;
            number = next;
        }
        bytes.drain(..HEADER.min(bytes.len()));
        Ok(Some(Sent { buffer, frame: bytes }))
    }

    /// Puts a frame into the guest's ring; false if there is no room.
    ///
    /// # Errors
    /// The guest's ring makes no sense.
    pub fn deliver(&mut self, frame: &[u8]) -> io::Result<bool> {
        let Some(buffer) = self.take(RECEIVE)? else {
            self.refused += 1;
            return Ok(false);
        };
        let whole = [&PLAIN[..], frame].concat();
        let (mut rest, mut number) = (&whole[..], Some(buffer));
        while let Some(here) = number.filter(|_| !rest.is_empty()) {
            let (address, len, next) = self.descriptor(RECEIVE, here)?;
            let (mapping, at) = self.memory.find(address)?;
            let (now, later) = rest.split_at(len.min(rest.len()));
            mapping.write(at, now)?;
            (rest, number) = (later, next);
        }
        if !rest.is_empty() {
            // The guest's buffers are for smaller frames. The buffer is still there.
            self.rings[RECEIVE].taken = self.rings[RECEIVE].taken.wrapping_sub(1);
            self.refused += 1;
            return Ok(false);
        }
        self.give_back(RECEIVE, buffer, whole.len() as u32)?;
        Ok(true)
    }
}
