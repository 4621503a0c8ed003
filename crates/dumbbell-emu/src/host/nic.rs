//! The router's end of a host's network device.
use std::io;
use std::os::fd::BorrowedFd;

/// Bytes of the largest IP packet.
pub const LARGEST: usize = 65_535;

/// A packet that a host sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// Bytes of the IP packet, as many as were written to the caller's buffer.
    pub len: usize,
    /// Arrival, nanoseconds of CLOCK_MONOTONIC: the kernel's timestamp; `None` where it gives none,
    /// so that the time of the read counts.
    pub at: Option<u64>,
}

/// Packets that got lost between a host's kernel and the router, and that nobody else reports;
/// since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Sent by the host, never read: the ring was full.
    pub sent: u64,
    /// Written by the router, never taken by the host: its kernel refused them, or its buffer was
    /// full.
    pub written: u64,
}

/// One NIC. It never blocks.
pub trait Nic: Send {
    /// The descriptor that the router polls.
    fn fd(&self) -> BorrowedFd<'_>;
    /// The next IP packet that the host sent, if one waits, without a link header.
    ///
    /// # Errors
    /// The device is gone; or the packet is none of the wire's ([`io::ErrorKind::InvalidData`],
    /// with the cause): larger than the MTU because segmentation was left to the card, or with a
    /// checksum that is still to be made.
    fn read(&mut self, into: &mut [u8]) -> io::Result<Option<Arrived>>;
    /// Gives the host a whole IP packet; false if its buffer is full just now.
    ///
    /// # Errors
    /// The device is gone, or refuses the packet.
    fn write(&mut self, packet: &[u8]) -> io::Result<bool>;
    /// Hands over what was only put into a ring; NICs without one have nothing to do.
    ///
    /// # Errors
    /// The device is gone.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
    /// Packets lost so far.
    ///
    /// # Errors
    /// The counters cannot be read.
    fn losses(&self) -> io::Result<Losses>;
}
