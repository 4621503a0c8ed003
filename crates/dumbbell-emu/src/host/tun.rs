//! The usual NIC: a TUN device, whose other end is an open file. The kernel segments packets and
//! computes checksums before they arrive there, as on a wire. The device is gone when the file is
//! closed.
use crate::error::{Context, EnvError};
use crate::host::namespace::Namespace;
use crate::host::netlink::{Counters, Netlink};
use crate::host::nic::{Arrived, Losses, Nic};
use crate::packet::defects::Defective;
use crate::sys::device::make_tun;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The device file that makes TUN devices.
pub const DEVICE: &str = "/dev/net/tun";

/// The specification of a TUN device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TunSpec {
    /// Name within the host, at most 15 bytes.
    pub name: String,
    /// The largest IP packet, bytes: 68 to 65535.
    pub mtu: u32,
    /// Packets that wait for the reader. When they are too many the kernel drops them, and
    /// [`Nic::losses`] tells.
    pub queue: u32,
    /// Segments that TCP may hand over at once: 1 is as on a wire, more is cheaper and comes in
    /// bursts.
    pub segments: u32,
}

impl Default for TunSpec {
    fn default() -> TunSpec {
        TunSpec { name: "eth0".to_owned(), mtu: 1500, queue: 2000, segments: 1 }
    }
}

/// An open TUN device. It is made down: whoever configures the host brings it up.
#[derive(Debug)]
pub struct Tun {
    file: File,
    mtu: usize,
    index: u32,
    /// Speaks of the host's namespace, wherever the thread is that asks.
    netlink: Mutex<Netlink>,
}

impl Tun {
    /// Makes a device in a namespace.
    ///
    /// # Errors
    /// There is no /dev/net/tun, it may not be opened, or the namespace takes no device of this
    /// name or size.
    pub fn open(namespace: &Namespace, spec: &TunSpec) -> Result<Tun, EnvError> {
        namespace.within(|| Tun::open_here(spec))?
    }

    /// Opens a device as [`Tun::open`], in the namespace of the calling thread.
    ///
    /// # Errors
    /// As there.
    pub fn open_here(spec: &TunSpec) -> Result<Tun, EnvError> {
        if !(68..=65_535).contains(&spec.mtu) {
            return Err(EnvError::new(
                format!("an MTU of {} bytes is none of an IP host", spec.mtu),
                "choose 68 to 65535 bytes",
            ));
        }
        let file =
            OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(DEVICE);
        let file = file.map_err(|e| open_error(&e))?;
        make_tun(file.as_fd(), &spec.name).context("make a TUN device")?;
        let mut netlink = Netlink::open()?;
        let index = netlink.index(&spec.name)?;
        // The ring is remade by this, so it comes before the first packet.
        netlink
            .link(index)
            .mtu(spec.mtu)
            .queue(spec.queue)
            .segments(spec.segments)
            .no_arp()
            .apply()?;
        netlink.no_queue(index)?;
        Ok(Tun { file, mtu: spec.mtu as usize, index, netlink: Mutex::new(netlink) })
    }

    /// The number of the device within its host.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Counters of the device.
    ///
    /// # Errors
    /// The device is gone.
    pub fn counters(&self) -> io::Result<Counters> {
        self.netlink.lock().unwrap_or_else(PoisonError::into_inner).counters(self.index)
    }
}

/// The error for a /dev/net/tun that does not open, with advice.
fn open_error(error: &io::Error) -> EnvError {
    let fix = match error.kind() {
        ErrorKind::NotFound if Path::new("/.dockerenv").exists() => {
            "start the container with \
            --device /dev/net/tun"
        }
        ErrorKind::NotFound => "load the driver: modprobe tun",
        ErrorKind::PermissionDenied => {
            "run as root, or permit it to all, as most distributions do: chmod 0666 /dev/net/tun"
        }
        _ => "look what the kernel says of it: dmesg | tail",
    };
    EnvError::new(format!("could not open {DEVICE}: {error}"), fix)
}

impl Nic for Tun {
    fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<Option<Arrived>> {
        if into.len() <= self.mtu && into.len() < crate::host::nic::LARGEST {
            return Err(io::Error::new(
                ErrorKind::InvalidInput,
                "a buffer that cannot show that a packet is too large",
            ));
        }
        match self.file.read(into) {
            Ok(len) if len > self.mtu => {
                Err(Defective::oversized(len, self.mtu, &into[..len]).into())
            }
            Ok(len) => Ok(Some(Arrived { len, at: None })),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }

    fn write(&mut self, packet: &[u8]) -> io::Result<bool> {
        match self.file.write(packet) {
            Ok(_) => Ok(true),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                Ok(false)
            }
            Err(e) if matches!(e.raw_os_error(), Some(libc::ENOBUFS | libc::ENOMEM)) => Ok(false),
            Err(e) => Err(e),
        }
    }

    fn losses(&self) -> io::Result<Losses> {
        let counters = self.counters()?;
        Ok(Losses { sent: counters.send_losses, written: counters.receive_losses })
    }
}
