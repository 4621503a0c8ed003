//! The few requests to the kernel's network configuration: devices, addresses, routes.
mod qdisc;

pub use qdisc::ROOT;

use crate::sys;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, OwnedFd};

const NETLINK_ROUTE: i32 = 0;
const RTM_NEWLINK: u16 = 16;
const RTM_NEWADDR: u16 = 20;
const RTM_NEWROUTE: u16 = 24;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_ACK: u16 = 4;
const NLM_F_CREATE: u16 = 0x400;
const NLMSG_ERROR: u16 = 2;

const IFF_UP: u32 = 1;
const IFF_NOARP: u32 = 0x80;
const IFLA_IFNAME: u16 = 3;
const IFLA_MTU: u16 = 4;
const IFLA_NET_NS_FD: u16 = 28;
const IFA_ADDRESS: u16 = 1;
const IFA_LOCAL: u16 = 2;
const RTA_DST: u16 = 1;
const RTA_OIF: u16 = 4;
const RTA_PREFSRC: u16 = 7;
const RTA_METRICS: u16 = 8;
const RTAX_LOCK: u16 = 1;
const RTAX_INITCWND: u16 = 11;
const RTAX_RTO_MIN: u16 = 13;
const RTAX_QUICKACK: u16 = 15;

/// A socket for requests, of the namespace in which it was opened.
pub struct Netlink(OwnedFd);

/// A request that is being written.
struct Request(Vec<u8>);

impl Request {
    fn new(kind: u16, flags: u16) -> Request {
        let mut bytes = vec![0; 16];
        bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
        let flags = flags | NLM_F_REQUEST | NLM_F_ACK;
        bytes[6..8].copy_from_slice(&flags.to_ne_bytes());
        Request(bytes)
    }

    fn bytes(mut self, bytes: &[u8]) -> Request {
        self.0.extend_from_slice(bytes);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }

    fn attribute(mut self, kind: u16, value: &[u8]) -> Request {
        self.0.extend_from_slice(&(4 + value.len() as u16).to_ne_bytes());
        self.0.extend_from_slice(&kind.to_ne_bytes());
        self.bytes(value)
    }
}

/// `struct ifinfomsg`: which device, and flags with those that change.
fn link_header(index: u32, flags: u32, change: u32) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[4..8].copy_from_slice(&index.to_ne_bytes());
    bytes[8..12].copy_from_slice(&flags.to_ne_bytes());
    bytes[12..16].copy_from_slice(&change.to_ne_bytes());
    bytes
}

/// Metrics of a route; 0 leaves one as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Metrics {
    pub initcwnd: u32,
    pub rto_min_ms: u32,
    pub quickack: u32,
}

impl Netlink {
    pub fn open() -> io::Result<Netlink> {
        sys::open(sys::AF_NETLINK, sys::SOCK_RAW, NETLINK_ROUTE, true).map(Netlink)
    }

    fn ask(&self, request: Request) -> io::Result<()> {
        let mut bytes = request.0;
        let len = bytes.len() as u32;
        bytes[..4].copy_from_slice(&len.to_ne_bytes());
        sys::send_to(&self.0, &bytes, 0)?;
        let mut answer = [0; 4096];
        let got = sys::receive(&self.0, &mut answer, 0)?;
        let (kind, error) = (&answer[4..6], &answer[16..20]);
        if got < 20 || kind != NLMSG_ERROR.to_ne_bytes() {
            return Err(io::Error::other("the kernel's answer is no acknowledgment"));
        }
        match i32::from_ne_bytes([error[0], error[1], error[2], error[3]]) {
            0 => Ok(()),
            error => Err(io::Error::from_raw_os_error(-error)),
        }
    }

    /// Moves a device to a namespace, where it has that name.
    pub fn move_to(&self, index: u32, namespace: &impl AsRawFd, name: &str) -> io::Result<()> {
        let mut name = name.as_bytes().to_vec();
        name.push(0);
        self.ask(
            Request::new(RTM_NEWLINK, 0)
                .bytes(&link_header(index, 0, 0))
                .attribute(IFLA_NET_NS_FD, &namespace.as_raw_fd().to_ne_bytes())
                .attribute(IFLA_IFNAME, &name),
        )
    }

    /// Switches a device on: there is one host at its other end, whose address nobody asks for.
    pub fn up(&self, index: u32, mtu: Option<u32>) -> io::Result<()> {
        let flags = IFF_UP | IFF_NOARP;
        let request = Request::new(RTM_NEWLINK, 0).bytes(&link_header(index, flags, flags));
        self.ask(match mtu {
            Some(mtu) => request.attribute(IFLA_MTU, &mtu.to_ne_bytes()),
            None => request,
        })
    }

    /// Gives a device an address with no network around it.
    pub fn address(&self, index: u32, address: Ipv4Addr) -> io::Result<()> {
        let mut header = [sys::AF_INET as u8, 32, 0, 0, 0, 0, 0, 0];
        header[4..8].copy_from_slice(&index.to_ne_bytes());
        self.ask(
            Request::new(RTM_NEWADDR, NLM_F_CREATE)
                .bytes(&header)
                .attribute(IFA_LOCAL, &address.octets())
                .attribute(IFA_ADDRESS, &address.octets()),
        )
    }

    /// A route over a device: to one host, or to all.
    pub fn route(
        &self,
        index: u32,
        to: Option<Ipv4Addr>,
        source: Ipv4Addr,
        metrics: Metrics,
    ) -> io::Result<()> {
        const MAIN: u8 = 254;
        const BOOT: u8 = 3;
        const LINK: u8 = 253;
        const UNICAST: u8 = 1;
        let bits = if to.is_some() { 32 } else { 0 };
        let header = [sys::AF_INET as u8, bits, 0, 0, MAIN, BOOT, LINK, UNICAST, 0, 0, 0, 0];
        let mut request = Request::new(RTM_NEWROUTE, NLM_F_CREATE).bytes(&header);
        if let Some(to) = to {
            request = request.attribute(RTA_DST, &to.octets());
        }
        request = request
            .attribute(RTA_OIF, &index.to_ne_bytes())
            .attribute(RTA_PREFSRC, &source.octets());
        let mut inner = Request(vec![]);
        for (kind, value) in [
            (RTAX_INITCWND, metrics.initcwnd),
            (RTAX_RTO_MIN, metrics.rto_min_ms),
            // The kernel ignores a least timeout that is not locked.
            (RTAX_LOCK, u32::from(metrics.rto_min_ms != 0) << RTAX_RTO_MIN),
            (RTAX_QUICKACK, metrics.quickack),
        ] {
            if value != 0 {
                inner = inner.attribute(kind, &value.to_ne_bytes());
            }
        }
        if !inner.0.is_empty() {
            request = request.attribute(RTA_METRICS, &inner.0);
        }
        self.ask(request)
    }
}
