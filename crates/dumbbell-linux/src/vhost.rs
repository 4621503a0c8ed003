//! The vhost-user protocol, as far as a user-mode Linux speaks it (arch/um/drivers/vhost_user.h):
//! how it tells us where the rings of a device are, and that there is something in them.
use crate::sys::memory::Mapping;
use crate::sys::socket;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

/// What a device tells its guest of itself.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    /// Its address.
    pub mac: [u8; 6],
    /// Its largest packet, bytes.
    pub mtu: u16,
}

impl Identity {
    fn features(&self) -> u64 {
        FEATURES | if self.mtu > ETHERNET { MTU } else { 0 }
    }

    /// The beginning of the device's configuration: address, status, pairs of rings, MTU.
    fn config(&self) -> [u8; 12] {
        let ([a, b, c, d, e, f], [low, high]) = (self.mac, self.mtu.to_le_bytes());
        [a, b, c, d, e, f, 0, 0, 0, 0, low, high]
    }
}

/// The requests of a guest.
pub mod request {
    #![allow(missing_docs)] // The protocol's names.
    pub const GET_FEATURES: u32 = 1;
    pub const SET_FEATURES: u32 = 2;
    pub const SET_OWNER: u32 = 3;
    pub const SET_MEM_TABLE: u32 = 5;
    pub const SET_VRING_NUM: u32 = 8;
    pub const SET_VRING_ADDR: u32 = 9;
    pub const SET_VRING_BASE: u32 = 10;
    pub const SET_VRING_KICK: u32 = 12;
    pub const SET_VRING_CALL: u32 = 13;
    pub const GET_PROTOCOL_FEATURES: u32 = 15;
    pub const SET_PROTOCOL_FEATURES: u32 = 16;
    pub const SET_VRING_ENABLE: u32 = 18;
    pub const SET_SLAVE_REQ_FD: u32 = 21;
    pub const GET_CONFIG: u32 = 24;
    pub const VRING_KICK: u32 = 35;
}

/// Our one request to a guest: look at a ring.
const VRING_CALL: u32 = 4;
const VERSION: u32 = 1;
const IS_REPLY: u32 = 4;
const WANTS_REPLY: u32 = 8;
/// Payloads are not longer than this.
const LONGEST: usize = 1024;

/// Whole frames with checksums, and an address of ours: VERSION_1, PROTOCOL_FEATURES, MAC.
const FEATURES: u64 = 1 << 32 | 1 << 30 | 1 << 5;
/// MTU: the device names its own. A guest gives room for frames beyond Ethernet's to no other.
const MTU: u64 = 1 << 3;
/// The largest packet for which a guest has room in any case.
const ETHERNET: u16 = 1500;
/// REPLY_ACK, SLAVE_REQ, CONFIG, INBAND_NOTIFICATIONS: kicks and calls are messages with answers,
/// so that nothing happens beside them.
const PROTOCOL_FEATURES: u64 = 1 << 3 | 1 << 5 | 1 << 9 | 1 << 14;

/// A request.
pub struct Request {
    /// See [`request`].
    pub kind: u32,
    flags: u32,
    payload: Vec<u8>,
    /// Descriptors that came with it.
    pub fds: Vec<OwnedFd>,
}

impl Request {
    /// Reads one; `None` if the guest has closed. `alone`: the guest sends nothing more before it
    /// has an answer, so what has come is this one and no other.
    ///
    /// # Errors
    /// The connection broke, or speaks another protocol.
    pub fn read(from: &UnixStream, alone: bool) -> io::Result<Option<Request>> {
        const HEADER: usize = 12;
        const KICK: usize = 20;
        let mut bytes = [0; KICK];
        let most = if alone { KICK } else { HEADER };
        let Some((mut got, fds)) = socket::receive_some(from, &mut bytes[..most])? else {
            return Ok(None);
        };
        let mut rest = from;
        if got < HEADER {
            rest.read_exact(&mut bytes[got..HEADER])?;
            got = HEADER;
        }
        let word = |at: usize| u32::from_ne_bytes([0, 1, 2, 3].map(|i| bytes[at + i]));
        let (kind, flags, size) = (word(0), word(4), word(8) as usize);
        let here = got - HEADER;
        if size > LONGEST || here > size {
            return Err(io::Error::other("a guest's message has another length than it says"));
        }
        let mut payload = vec![0; size];
        payload[..here].copy_from_slice(&bytes[HEADER..got]);
        rest.read_exact(&mut payload[here..])?;
        Ok(Some(Request { kind, flags, payload, fds }))
    }

    /// The number at a place of the payload; 0 beyond its end.
    pub fn u32(&self, at: usize) -> u32 {
        self.payload
            .get(at..at + 4)
            .map_or(0, |bytes| u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// See [`Self::u32`].
    pub fn u64(&self, at: usize) -> u64 {
        u64::from(self.u32(at)) | u64::from(self.u32(at + 4)) << 32
    }

    /// Answers it: with what it asks for, or that it was done.
    ///
    /// # Errors
    /// The guest has closed.
    pub fn answer(&self, to: &UnixStream, identity: &Identity) -> io::Result<()> {
        let payload = match self.kind {
            request::GET_FEATURES => identity.features().to_ne_bytes().to_vec(),
            request::GET_PROTOCOL_FEATURES => PROTOCOL_FEATURES.to_ne_bytes().to_vec(),
            request::GET_CONFIG => self.config(&identity.config()),
            _ if self.flags & WANTS_REPLY != 0 => vec![0; 8],
            _ => return Ok(()),
        };
        write(to, self.kind, IS_REPLY, &payload)
    }

    /// The bytes that it asks for of the device's configuration.
    fn config(&self, of_device: &[u8]) -> Vec<u8> {
        const HEAD: usize = 12;
        let (offset, size) = (self.u32(0) as usize, self.u32(4) as usize);
        let mut payload = self.payload.clone();
        for i in 0..size.min(payload.len().saturating_sub(HEAD)) {
            payload[HEAD + i] = of_device.get(offset + i).copied().unwrap_or(0);
        }
        payload
    }
}

fn write(mut to: &UnixStream, kind: u32, flags: u32, payload: &[u8]) -> io::Result<()> {
    let mut bytes = vec![];
    for word in [kind, VERSION | flags, payload.len() as u32] {
        bytes.extend_from_slice(&word.to_ne_bytes());
    }
    bytes.extend_from_slice(payload);
    to.write_all(&bytes)
}

/// Has the guest look at ring `ring`; it answers with [`called`].
///
/// # Errors
/// The guest has closed.
pub fn call(to: &UnixStream, ring: u32) -> io::Result<()> {
    let mut payload = ring.to_ne_bytes().to_vec();
    payload.extend_from_slice(&[0; 4]);
    write(to, VRING_CALL, WANTS_REPLY, &payload)
}

/// Reads the answer to a [`call`].
///
/// # Errors
/// The guest has closed.
pub fn called(mut from: &UnixStream) -> io::Result<()> {
    from.read_exact(&mut [0; 20])
}

/// Reads the answer to a [`call`]; false: there is none yet, for as long as the connection waits.
///
/// # Errors
/// The guest has closed.
pub fn called_soon(from: &UnixStream) -> io::Result<bool> {
    match called(from) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(e) => Err(e),
    }
}

/// A part of a guest's memory.
struct Region {
    address: u64,
    mapping: Mapping,
}

/// A guest's memory, by the addresses that its rings use.
#[derive(Default)]
pub struct GuestMemory(Vec<Region>);

impl GuestMemory {
    /// The memory that a SET_MEM_TABLE request names.
    ///
    /// # Errors
    /// It has fewer descriptors than parts, or one cannot be mapped.
    pub fn of(request: &Request) -> io::Result<GuestMemory> {
        const ENTRY: usize = 32;
        let mut regions = vec![];
        for i in 0..request.u32(0) as usize {
            let entry = 8 + ENTRY * i;
            let fd = request.fds.get(i).ok_or_else(|| io::Error::other("memory without a file"))?;
            let (address, len) = (request.u64(entry), request.u64(entry + 8));
            let mapping = Mapping::of(fd, request.u64(entry + 24), len as usize)?;
            regions.push(Region { address, mapping });
        }
        Ok(GuestMemory(regions))
    }

    /// The mapping with an address, and where in it.
    ///
    /// # Errors
    /// The guest does not have it.
    pub fn find(&self, address: u64) -> io::Result<(&Mapping, usize)> {
        let within = |region: &&Region| {
            address.checked_sub(region.address).is_some_and(|at| at < region.mapping.len() as u64)
        };
        self.0.iter().find(within).map_or_else(
            || Err(io::Error::other("a guest named an address that it does not have")),
            |region| Ok((&region.mapping, (address - region.address) as usize)),
        )
    }
}
