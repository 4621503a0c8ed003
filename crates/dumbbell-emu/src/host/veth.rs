//! The other NIC, for users who may not open /dev/net/tun: a veth pair with one end in the host and
//! one in a namespace of the router, whose frames go through a ring (AF_PACKET).
//!
//! All offloads are off: checksums and segmentation. There is no ARP: the host's device has
//! `NOARP`, so frames go to its own address, and the router receives them nevertheless.
use crate::error::{Context, EnvError};
use crate::host::namespace::Namespace;
use crate::host::netlink::{Counters, Netlink, VethEnd};
use crate::host::nic::Losses;
use crate::sys::device::{Offload, switch};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use std::io;
use std::os::fd::AsFd;
use std::sync::{Mutex, PoisonError};

/// The specification of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VethSpec {
    /// Name of the host's end, at most 15 bytes.
    pub host_if: String,
    /// Name of the router's end: unique in its namespace.
    pub router_if: String,
    /// Number of the pair, part of both Ethernet addresses.
    pub number: u16,
    /// The largest IP packet, bytes.
    pub mtu: u32,
    /// Segments that TCP may hand over at once; see [`crate::host::tun::TunSpec`].
    pub segments: u32,
}

/// A pair that stands; the router's end is up, the host's is for whoever configures it.
#[derive(Debug)]
pub struct Veth {
    /// Name of the device in the host.
    pub host_if: String,
    /// Name of the device in [`Veth::router_namespace`].
    pub router_if: String,
    /// The namespace of the router's end.
    pub router_namespace: Namespace,
    /// Ethernet address of the host's end: frames for the host go there.
    pub host_mac: [u8; 6],
    /// Ethernet address of the router's end: frames for the host come from there.
    pub router_mac: [u8; 6],
    /// The largest IP packet, bytes.
    pub mtu: u32,
    /// Number of the device in the host.
    pub host_index: u32,
    /// Number of the device in the router's namespace.
    pub router_index: u32,
    host: Mutex<Netlink>,
    router: Mutex<Netlink>,
}

/// An address that nobody gave to a card (the bit for "locally administered" is set): end 0 is the
/// host's.
fn mac(number: u16, end: u8) -> [u8; 6] {
    let [high, low] = number.to_be_bytes();
    [0x02, 0xdb, 0, end, high, low]
}

impl Veth {
    /// Makes a pair between the namespace of the calling thread and the router's.
    ///
    /// # Errors
    /// The kernel has no veth, a name is taken, or an offload cannot be switched off.
    pub fn open_here(spec: &VethSpec, router: &Namespace) -> Result<Veth, EnvError> {
        let here = VethEnd { name: &spec.host_if, mac: mac(spec.number, 0), mtu: spec.mtu };
        let there = VethEnd { name: &spec.router_if, mac: mac(spec.number, 1), mtu: spec.mtu };
        let mut host = Netlink::open()?;
        host.veth(&here, &there, router.as_fd())?;
        let host_index = host.index(here.name)?;
        plain(here.name)?;
        host.link(host_index).segments(spec.segments).no_arp().apply()?;
        host.no_queue(host_index)?;
        let (netlink, router_index) = router.within(|| {
            let mut netlink = Netlink::open()?;
            let index = netlink.index(there.name)?;
            plain(there.name)?;
            netlink.link(index).no_arp().up().apply()?;
            netlink.no_queue(index)?;
            Ok::<_, EnvError>((netlink, index))
        })??;
        Ok(Veth {
            host_if: spec.host_if.clone(),
            router_if: spec.router_if.clone(),
            router_namespace: router.share()?,
            host_mac: here.mac,
            router_mac: there.mac,
            mtu: spec.mtu,
            host_index,
            router_index,
            host: Mutex::new(host),
            router: Mutex::new(netlink),
        })
    }

    /// Packets that the two devices lost. The ring counts its own.
    ///
    /// # Errors
    /// A device is gone.
    pub fn losses(&self) -> io::Result<Losses> {
        let count = |netlink: &Mutex<Netlink>, index| -> io::Result<Counters> {
            netlink.lock().unwrap_or_else(PoisonError::into_inner).counters(index)
        };
        let (host, router) =
            (count(&self.host, self.host_index)?, count(&self.router, self.router_index)?);
        Ok(Losses {
            sent: host.send_losses + router.receive_losses,
            written: router.send_losses + host.receive_losses,
        })
    }
}

/// Leaves nothing to the device: what crosses it is what would be on a wire.
fn plain(name: &str) -> Result<(), EnvError> {
    offloads(name, false)
}

/// Leaves everything to the device that this namespace has under `name`, or nothing.
///
/// # Errors
/// There is no such device, or it does not let something be changed.
pub fn offloads(name: &str, on: bool) -> Result<(), EnvError> {
    let socket = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)
        .context(
            "open \
            a socket",
        )?;
    let mut all =
        [Offload::Tso, Offload::Gso, Offload::Gro, Offload::SendChecksum, Offload::ReceiveChecksum];
    if on {
        all.reverse(); // Nothing is cut by a device that makes no checksums.
    }
    for offload in all {
        let word = if on { "on" } else { "off" };
        switch(socket.as_fd(), name, offload, on).context(&format!(
            "switch {offload:?} {word} at \
            {name}"
        ))?;
    }
    Ok(())
}
