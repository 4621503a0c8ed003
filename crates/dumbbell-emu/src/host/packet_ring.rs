//! The NIC for users who may not open /dev/net/tun: frames of an Ethernet device, read and written
//! through rings in memory that is shared with the kernel ([`crate::sys::packet_socket`]).
//!
//! The kernel stamps a host's packets with CLOCK_REALTIME, and the router uses CLOCK_MONOTONIC.
//! Their difference is measured again every [`OFFSET_EVERY`]. If it moved by more than the
//! measurement's error (the clock was set), that packet has no timestamp. Both clocks run at the
//! same pace, so between such steps the difference is constant.
use crate::error::{Context, EnvError};
use crate::host::namespace::Namespace;
use crate::host::nic::{Arrived, Losses, Nic};
use crate::host::veth::Veth;
use crate::packet::defects::Defective;
use crate::sys::packet_socket::{Frame, Rings, Sizes};
use nix::time::{ClockId, clock_gettime};
use std::cell::Cell;
use std::ffi::CString;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};

/// Bytes of Ethernet's header.
const HEADER: usize = 14;
/// Approximate size of both rings together, bytes.
const MEMORY: usize = 16 << 20;
/// The most slots of a ring.
const MOST_SLOTS: usize = 4096;
/// The fewest slots of a ring.
const FEWEST_SLOTS: usize = 128;
/// Frames that are put into the ring before the kernel is told, if nobody flushes.
const BATCH: usize = 32;
/// Calls in vain after which `flush` leaves frames to the next turn. They wait for another
/// processor, which takes microseconds.
const PATIENCE: u32 = 16;
/// Interval between measurements of the offset of the clocks, nanoseconds.
const OFFSET_EVERY: u64 = 10_000_000;
/// The largest difference of two measured offsets without a step of a clock, nanoseconds:
/// scheduling delays between two readings.
const OFFSET_ERROR: u64 = 1_000_000;

const IPV4: [u8; 2] = [0x08, 0x00];
const IPV6: [u8; 2] = [0x86, 0xdd];

/// The offset of CLOCK_REALTIME from CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug)]
struct Offset {
    /// Nanoseconds.
    ahead: u64,
    /// When it was measured, by CLOCK_REALTIME.
    at: u64,
}

/// An Ethernet device with one host behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EthernetLink {
    /// Device name.
    pub device: String,
    /// The host's Ethernet address: frames for it go there.
    pub host: [u8; 6],
    /// The router's Ethernet address: the source of these frames.
    pub router: [u8; 6],
    /// The largest IP packet, bytes.
    pub mtu: u32,
}

/// The NIC.
#[derive(Debug)]
pub struct PacketRing {
    rings: Rings,
    /// The pair under it, if it is one of ours: its losses count with those of the rings.
    veth: Option<Veth>,
    mtu: usize,
    /// The Ethernet header of frames for the host; the type is set for each frame.
    header: [u8; HEADER],
    /// The next slot to read.
    next_read: usize,
    /// The next slot to write.
    next_write: usize,
    /// Frames written since the kernel last took all of them.
    waiting: usize,
    /// True if the last flush ended before the kernel had taken every frame; `read` flushes again.
    unsent: bool,
    offset: Offset,
    /// Frames that found the ring full.
    dropped: Cell<u64>,
    /// Frames that were not IP packets.
    foreign: u64,
}

impl PacketRing {
    /// Opens the NIC at the router's end of a pair.
    ///
    /// # Errors
    /// This process may not open packet sockets in the router's namespace, or there is no memory
    /// for the rings.
    pub fn open(veth: Veth) -> Result<PacketRing, EnvError> {
        let &Veth { host_mac: host, router_mac: router, mtu, .. } = &veth;
        let wire = EthernetLink { device: veth.router_if.clone(), host, router, mtu };
        let ring = PacketRing::at(&veth.router_namespace, &wire)?;
        Ok(PacketRing { veth: Some(veth), ..ring })
    }

    /// Opens the NIC at any Ethernet device of a namespace, which is up.
    ///
    /// # Errors
    /// As [`PacketRing::open`]; or there is no such device.
    pub fn at(namespace: &Namespace, wire: &EthernetLink) -> Result<PacketRing, EnvError> {
        let mtu = wire.mtu as usize;
        let frame = HEADER + mtu;
        let slots = (MEMORY / 2 / frame).clamp(FEWEST_SLOTS, MOST_SLOTS);
        let name =
            CString::new(wire.device.as_str()).map_err(io::Error::from).context("name a device")?;
        let sizes = Sizes { frame, receive: slots, send: slots };
        let rings = namespace.within(|| Rings::open(&name, sizes))?;
        let rings = rings.context(&format!("open a packet socket at device {}", wire.device))?;
        let mut header = [0; HEADER];
        header[..6].copy_from_slice(&wire.host);
        header[6..12].copy_from_slice(&wire.router);
        Ok(PacketRing {
            rings,
            veth: None,
            mtu,
            header,
            next_read: 0,
            next_write: 0,
            waiting: 0,
            unsent: false,
            offset: measured_offset().context("read the clocks")?,
            dropped: Cell::new(0),
            foreign: 0,
        })
    }

    /// Frames that were not IP packets, and were skipped.
    pub fn foreign(&self) -> u64 {
        self.foreign
    }

    /// A stamp of the kernel on the router's clock; `None` if a clock was set meanwhile.
    fn monotonic(&mut self, at: u64) -> io::Result<Option<u64>> {
        if at.abs_diff(self.offset.at) >= OFFSET_EVERY {
            let before = std::mem::replace(&mut self.offset, measured_offset()?);
            if before.ahead.abs_diff(self.offset.ahead) > OFFSET_ERROR {
                return Ok(None);
            }
        }
        Ok(at.checked_sub(self.offset.ahead))
    }
}

/// The offset of the clocks, from a reading of one between two of the other.
fn measured_offset() -> io::Result<Offset> {
    let read = |clock| -> io::Result<u64> {
        let now = clock_gettime(clock)?;
        Ok(now.tv_sec().cast_unsigned() * 1_000_000_000 + now.tv_nsec().cast_unsigned())
    };
    let (before, real, after) = (
        read(ClockId::CLOCK_MONOTONIC)?,
        read(ClockId::CLOCK_REALTIME)?,
        read(ClockId::CLOCK_MONOTONIC)?,
    );
    let between = before + after.saturating_sub(before) / 2;
    Ok(Offset { ahead: real.saturating_sub(between), at: real })
}

/// The IP packet in a frame, or what is wrong with it; `None` if the frame is not IP.
fn ip_packet<'a>(frame: &Frame<'a>, mtu: usize) -> io::Result<Option<&'a [u8]>> {
    let payload = frame.bytes.get(HEADER..).unwrap_or(&[]);
    if frame.len > HEADER + mtu {
        return Err(Defective::oversized(frame.len - HEADER, mtu, payload).into());
    }
    if frame.unsummed {
        return Err(Defective::unsummed(payload).into());
    }
    let Some((header, packet)) = frame.bytes.split_at_checked(HEADER) else { return Ok(None) };
    let ip = [IPV4, IPV6].iter().any(|kind| header.ends_with(kind));
    Ok((ip && !frame.tagged).then_some(packet))
}

impl Nic for PacketRing {
    fn fd(&self) -> BorrowedFd<'_> {
        self.rings.as_fd()
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<Option<Arrived>> {
        if self.unsent {
            self.flush()?;
        }
        loop {
            let slot = self.next_read;
            let Some(frame) = self.rings.received(slot) else { return Ok(None) };
            let (stamp, found) = (frame.at, ip_packet(&frame, self.mtu));
            let copied = found.map(|p| {
                p.map(|p| (p.len(), into.get_mut(..p.len()).map(|to| to.copy_from_slice(p))))
            });
            self.rings.release(slot);
            self.next_read = (slot + 1) % self.rings.receive_slots();
            match copied? {
                None => self.foreign += 1,
                Some((len, Some(()))) => {
                    return Ok(Some(Arrived { len, at: self.monotonic(stamp)? }));
                }
                Some((len, None)) => {
                    let what = format!("a packet of {len} bytes, and a buffer of {}", into.len());
                    return Err(io::Error::new(ErrorKind::InvalidInput, what));
                }
            }
        }
    }

    fn write(&mut self, packet: &[u8]) -> io::Result<bool> {
        let kind = match packet.first().map(|b| b >> 4) {
            Some(4) => IPV4,
            Some(6) => IPV6,
            _ => {
                let what = "what is to be written is not an IP packet";
                return Err(io::Error::new(ErrorKind::InvalidInput, what));
            }
        };
        self.header[12..].copy_from_slice(&kind);
        let slot = self.next_write;
        if !self.rings.place(slot, &self.header, packet)? {
            self.flush()?;
            return Ok(false);
        }
        self.next_write = (slot + 1) % self.rings.send_slots();
        self.waiting += 1;
        if self.waiting >= BATCH {
            self.flush()?;
        }
        Ok(true)
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut patience = PATIENCE;
        let slots = self.rings.send_slots();
        let last = (self.next_write + slots - 1) % slots;
        while self.waiting > 0 {
            match self.rings.send() {
                // The kernel takes frames in order: once it has the last one, it has all.
                Ok(_) if !self.rings.waits(last) => self.waiting = 0,
                Ok(0) => break,
                Ok(_) => {}
                // The kernel has no memory just now, or too many frames are on their way to the
                // host: the rest waits for the next call.
                Err(e)
                    if matches!(
                        e.raw_os_error(),
                        Some(libc::ENOBUFS | libc::EAGAIN | libc::ENOMEM)
                    ) =>
                {
                    patience -= 1;
                    if patience == 0 {
                        break;
                    }
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        self.unsent = self.waiting > 0;
        Ok(())
    }

    fn losses(&self) -> io::Result<Losses> {
        self.dropped.set(self.dropped.get() + self.rings.take_drops()?);
        let devices = self.veth.as_ref().map_or(Ok(Losses::default()), Veth::losses)?;
        let untaken = if self.unsent {
            (0..self.rings.send_slots()).filter(|slot| self.rings.waits(*slot)).count()
        } else {
            0
        };
        Ok(Losses {
            sent: devices.sent + self.dropped.get(),
            written: devices.written + untaken as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: [u8; 2], len: usize) -> Vec<u8> {
        let mut bytes = vec![0; HEADER];
        bytes[12..].copy_from_slice(&kind);
        bytes.resize(len.min(HEADER + 1500), 0x45);
        bytes
    }

    fn look(
        bytes: &[u8],
        len: usize,
        unsummed: bool,
        tagged: bool,
    ) -> Result<Option<usize>, String> {
        let frame = Frame { bytes, len, at: 0, unsummed, tagged };
        ip_packet(&frame, 1500).map(|p| p.map(<[u8]>::len)).map_err(|e| {
            assert_eq!(e.kind(), ErrorKind::InvalidData);
            e.to_string()
        })
    }

    #[test]
    fn a_frame_is_a_packet_or_says_what_is_wrong() {
        let ip = frame(IPV4, 1514);
        assert_eq!(look(&ip, 1514, false, false), Ok(Some(1500)));
        assert_eq!(look(&frame(IPV6, 60), 60, false, false), Ok(Some(46)));
        assert_eq!(look(&frame([8, 6], 60), 60, false, false), Ok(None), "ARP");
        assert_eq!(look(&ip, 1514, false, true), Ok(None), "VLAN");
        assert_eq!(look(&ip[..10], 10, false, false), Ok(None));
        assert!(look(&ip, 1515, false, false).unwrap_err().contains("tso off gso off"));
        assert!(look(&ip, 60, true, false).unwrap_err().contains("tx off"));
    }

    #[test]
    fn two_measured_offsets_agree() {
        let (one, two) = (measured_offset().unwrap(), measured_offset().unwrap());
        assert!(one.ahead.abs_diff(two.ahead) < 1_000_000_000, "{one:?} {two:?}");
        assert!(one.at <= two.at);
    }
}
