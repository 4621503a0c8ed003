//! Network devices: made, found, changed, read back.
use super::message::{attributes, number};
use super::{Message, Netlink};
use crate::error::{Context, EnvError};
use std::os::fd::{AsRawFd, BorrowedFd};

/// VETH_INFO_PEER of linux/veth.h.
const VETH_INFO_PEER: u16 = 1;
/// Bytes of `struct ifinfomsg`.
pub(crate) const IFINFO: usize = 16;

/// `struct ifinfomsg` for a device, with the flags to set among those that `change` names.
pub(crate) fn ifinfo(index: u32, flags: u32, change: u32) -> [u8; IFINFO] {
    let mut body = [0; IFINFO];
    body[4..8].copy_from_slice(&index.to_ne_bytes());
    body[8..12].copy_from_slice(&flags.to_ne_bytes());
    body[12..16].copy_from_slice(&change.to_ne_bytes());
    body
}

/// A flag of a device as the kernel's message has it.
fn flag(of: i32) -> u32 {
    of.cast_unsigned()
}

/// Changes of a device, collected until [`LinkChange::apply`].
#[derive(Debug)]
pub struct LinkChange<'n> {
    netlink: &'n mut Netlink,
    index: u32,
    flags: u32,
    mask: u32,
    attributes: Vec<(u16, u32)>,
}

impl LinkChange<'_> {
    fn set(mut self, kind: u16, value: u32) -> Self {
        self.attributes.push((kind, value));
        self
    }

    /// Takes packets from now on.
    #[must_use]
    pub fn up(mut self) -> Self {
        self.flags |= flag(libc::IFF_UP);
        self.mask |= flag(libc::IFF_UP);
        self
    }

    /// Asks nobody for a neighbor's address, and tells no group of multicast: what the host sends
    /// is what its sockets say.
    #[must_use]
    pub fn no_arp(mut self) -> Self {
        self.flags |= flag(libc::IFF_NOARP);
        self.mask |= flag(libc::IFF_NOARP) | flag(libc::IFF_MULTICAST);
        self
    }

    /// The largest IP packet, bytes.
    #[must_use]
    pub fn mtu(self, bytes: u32) -> Self {
        self.set(libc::IFLA_MTU, bytes)
    }

    /// Packets that wait between the host and its reader: the size of a TUN device's ring.
    #[must_use]
    pub fn queue(self, packets: u32) -> Self {
        self.set(libc::IFLA_TXQLEN, packets)
    }

    /// The most segments that leave TCP as one piece.
    #[must_use]
    pub fn segments(self, at_most: u32) -> Self {
        self.set(libc::IFLA_GSO_MAX_SEGS, at_most)
    }

    /// Does it.
    ///
    /// # Errors
    /// The kernel refuses one of the changes.
    pub fn apply(self) -> Result<(), EnvError> {
        let body = ifinfo(self.index, self.flags, self.mask);
        let mut message = Message::new(libc::RTM_NEWLINK, 0).body(&body);
        for (kind, value) in self.attributes {
            message = message.number(kind, value);
        }
        self.netlink.request("change a network device", message)
    }
}

/// A device as the kernel describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Index within its namespace.
    pub index: u32,
    /// Name.
    pub name: String,
    /// IFF_... of netdevice(7).
    pub flags: u32,
    /// The largest IP packet, bytes.
    pub mtu: u32,
    /// Packets that its transmit queue takes.
    pub queue: u32,
    /// Segments that TCP may hand over as one piece.
    pub segments: u32,
    /// Address of an Ethernet device.
    pub mac: Option<[u8; 6]>,
    /// Name of the queueing discipline at its root.
    pub qdisc: String,
}

fn text(value: &[u8]) -> String {
    String::from_utf8_lossy(value.strip_suffix(&[0]).unwrap_or(value)).into_owned()
}

fn link(body: &[u8]) -> Link {
    let mut link = Link { index: number(&body[4..]), flags: number(&body[8..]), ..Link::default() };
    for (kind, value) in attributes(&body[IFINFO..]) {
        match kind {
            libc::IFLA_IFNAME => link.name = text(value),
            libc::IFLA_MTU => link.mtu = number(value),
            libc::IFLA_TXQLEN => link.queue = number(value),
            libc::IFLA_GSO_MAX_SEGS => link.segments = number(value),
            libc::IFLA_ADDRESS => link.mac = value.try_into().ok(),
            libc::IFLA_QDISC => link.qdisc = text(value),
            _ => {}
        }
    }
    link
}

impl Netlink {
    /// The device of a name.
    ///
    /// # Errors
    /// There is none.
    pub fn find(&mut self, name: &str) -> Result<Link, EnvError> {
        let message =
            Message::new(libc::RTM_GETLINK, 0).body(&ifinfo(0, 0, 0)).name(libc::IFLA_IFNAME, name);
        let mut found = Link::default();
        self.ask(message, |_, body| found = link(body)).context(&format!(
            "find the network device \
            {name}"
        ))?;
        Ok(found)
    }

    /// The number of a device.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn index(&mut self, name: &str) -> Result<u32, EnvError> {
        self.find(name).map(|link| link.index)
    }

    /// Every device of the namespace.
    ///
    /// # Errors
    /// The kernel does not answer.
    pub fn links(&mut self) -> Result<Vec<Link>, EnvError> {
        let mut all = vec![];
        let message = Message::new(libc::RTM_GETLINK, libc::NLM_F_DUMP).body(&ifinfo(0, 0, 0));
        self.ask(message, |_, body| all.push(link(body))).context("list the network devices")?;
        Ok(all)
    }

    /// Begins to change a device.
    #[must_use]
    pub fn link(&mut self, index: u32) -> LinkChange<'_> {
        LinkChange { netlink: self, index, flags: 0, mask: 0, attributes: vec![] }
    }

    /// No queue of the kernel's between the host and its device, whatever the machine's default is:
    /// TCP paces itself, and what does not fit into the device's ring is counted by the device.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn no_queue(&mut self, index: u32) -> Result<(), EnvError> {
        let mut body = [0; 20]; // struct tcmsg, with TC_H_ROOT as its parent
        body[4..8].copy_from_slice(&index.to_ne_bytes());
        body[12..16].copy_from_slice(&u32::MAX.to_ne_bytes());
        let message = Message::new(libc::RTM_NEWQDISC, libc::NLM_F_CREATE | libc::NLM_F_REPLACE)
            .body(&body)
            .name(libc::TCA_KIND, "noqueue");
        self.request("take the queueing discipline off a network device", message)
    }

    /// Makes a pair of Ethernet devices, `here` in this namespace and `there` in another, each with
    /// an address that says which it is and nothing of this machine.
    ///
    /// # Errors
    /// The kernel has no veth, or a name is taken.
    pub fn veth(
        &mut self,
        here: &VethEnd,
        there: &VethEnd,
        namespace: BorrowedFd<'_>,
    ) -> Result<(), EnvError> {
        let target = namespace.as_raw_fd().cast_unsigned();
        let ends = |message: Message, end: &VethEnd| {
            message
                .name(libc::IFLA_IFNAME, end.name)
                .with(libc::IFLA_ADDRESS, &end.mac)
                .number(libc::IFLA_MTU, end.mtu)
        };
        let message = ends(
            Message::new(libc::RTM_NEWLINK, libc::NLM_F_CREATE | libc::NLM_F_EXCL)
                .body(&ifinfo(0, 0, 0)),
            here,
        )
        .nest(libc::IFLA_LINKINFO, |message| {
            message.name(libc::IFLA_INFO_KIND, "veth").nest(libc::IFLA_INFO_DATA, |message| {
                message.nest(VETH_INFO_PEER, |message| {
                    ends(message.body(&ifinfo(0, 0, 0)), there).number(libc::IFLA_NET_NS_FD, target)
                })
            })
        });
        self.request("make a pair of Ethernet devices (veth)", message)
    }
}

/// One end of a veth pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VethEnd<'a> {
    /// Name of the device, at most 15 bytes.
    pub name: &'a str,
    /// Ethernet address.
    pub mac: [u8; 6],
    /// The largest IP packet, bytes.
    pub mtu: u32,
}
