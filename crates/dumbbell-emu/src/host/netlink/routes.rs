//! Addresses and routes.
use super::message::{attributes, number};
use super::{Message, Netlink};
use crate::error::{Context, EnvError};
use std::net::IpAddr;

/// Metrics of a route, by their numbers in linux/rtnetlink.h.
const RTAX_LOCK: u16 = 1;
const RTAX_MTU: u16 = 2;
const RTAX_INITCWND: u16 = 11;
const RTAX_RTO_MIN: u16 = 13;
const RTAX_INITRWND: u16 = 14;
const RTAX_QUICKACK: u16 = 15;
const RTAX_CC_ALGO: u16 = 16;

/// Metrics of a route for TCP (ip-route(8)); `None` leaves the kernel's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouteOptions {
    /// The initial congestion window, segments.
    pub initcwnd: Option<u32>,
    /// The initial receive window, segments.
    pub initrwnd: Option<u32>,
    /// The least retransmission timeout, milliseconds; locked, without which it has no effect.
    pub rto_min_ms: Option<u32>,
    /// True: every segment is acknowledged at once.
    pub quickack: bool,
    /// The path's MTU, bytes.
    pub mtu: Option<u32>,
    /// True: the path's MTU stays `mtu` whatever a router says, and packets may be cut (no DF).
    pub mtu_locked: bool,
    /// The congestion control of sockets that ask for none.
    pub congestion_control: Option<String>,
}

/// A route as the kernel tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// The device that it leads to.
    pub device: u32,
    /// True: every destination that nothing else names.
    pub default: bool,
    /// True: of IP version 6.
    pub v6: bool,
    /// Metrics for TCP.
    pub options: RouteOptions,
}

fn family(v6: bool) -> u8 {
    u8::try_from(if v6 { libc::AF_INET6 } else { libc::AF_INET }).expect("families are small")
}

fn octets(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(v4) => v4.octets().to_vec(),
        IpAddr::V6(v6) => v6.octets().to_vec(),
    }
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    let v4 = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    v4.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).ok()
}

/// `struct rtmsg` for a route to everywhere in the main table.
fn rtmsg(v6: bool) -> [u8; 12] {
    let scope = if v6 { libc::RT_SCOPE_UNIVERSE } else { libc::RT_SCOPE_LINK };
    let mut body = [0; 12];
    body[0] = family(v6);
    body[4] = libc::RT_TABLE_MAIN;
    body[5] = libc::RTPROT_STATIC;
    body[6] = scope;
    body[7] = libc::RTN_UNICAST;
    body
}

fn metrics(mut message: Message, options: &RouteOptions) -> Message {
    // The kernel ignores a least timeout that is not locked.
    let locked = u32::from(options.mtu_locked) << RTAX_MTU
        | u32::from(options.rto_min_ms.is_some()) << RTAX_RTO_MIN;
    let numbers = [
        (RTAX_INITCWND, options.initcwnd),
        (RTAX_INITRWND, options.initrwnd),
        (RTAX_RTO_MIN, options.rto_min_ms),
        (RTAX_MTU, options.mtu),
        (RTAX_LOCK, (locked != 0).then_some(locked)),
        (RTAX_QUICKACK, options.quickack.then_some(1)),
    ];
    for (kind, value) in numbers {
        if let Some(value) = value {
            message = message.number(kind, value);
        }
    }
    match &options.congestion_control {
        Some(name) => message.name(RTAX_CC_ALGO, name),
        None => message,
    }
}

fn options(bytes: &[u8]) -> RouteOptions {
    let mut found = RouteOptions::default();
    let mut locked = 0;
    for (kind, value) in attributes(bytes) {
        match kind {
            RTAX_INITCWND => found.initcwnd = Some(number(value)),
            RTAX_INITRWND => found.initrwnd = Some(number(value)),
            RTAX_RTO_MIN => found.rto_min_ms = Some(number(value)),
            RTAX_MTU => found.mtu = Some(number(value)),
            RTAX_LOCK => locked = number(value),
            RTAX_QUICKACK => found.quickack = number(value) == 1,
            RTAX_CC_ALGO => {
                let name = value.strip_suffix(&[0]).unwrap_or(value);
                found.congestion_control = Some(String::from_utf8_lossy(name).into_owned());
            }
            _ => {}
        }
    }
    let is_locked = |metric: u16| locked >> metric & 1 == 1;
    found.mtu_locked = is_locked(RTAX_MTU);
    found.rto_min_ms = found.rto_min_ms.filter(|_| is_locked(RTAX_RTO_MIN));
    found
}

impl Netlink {
    /// Gives a device an address of its own, alone in its network (/32, /128); of version 6 without
    /// asking whether somebody else has it, so that it serves at once.
    ///
    /// # Errors
    /// The kernel refuses: the family is switched off, or the MTU is too small for it.
    pub fn add_address(&mut self, index: u32, address: IpAddr) -> Result<(), EnvError> {
        let value = octets(address);
        let bits = if address.is_ipv6() { 128 } else { 32 };
        let nodad =
            if address.is_ipv6() { u8::try_from(libc::IFA_F_NODAD).expect("one bit") } else { 0 };
        let mut body = [family(address.is_ipv6()), bits, nodad, 0, 0, 0, 0, 0];
        body[4..8].copy_from_slice(&index.to_ne_bytes());
        let message = Message::new(libc::RTM_NEWADDR, libc::NLM_F_CREATE | libc::NLM_F_EXCL)
            .body(&body)
            .with(libc::IFA_LOCAL, &value)
            .with(libc::IFA_ADDRESS, &value);
        self.request(&format!("give a network device the address {address}"), message)
    }

    /// The addresses of a device.
    ///
    /// # Errors
    /// The kernel does not answer.
    pub fn addresses(&mut self, index: u32) -> Result<Vec<IpAddr>, EnvError> {
        let mut found = vec![];
        let message = Message::new(libc::RTM_GETADDR, libc::NLM_F_DUMP).body(&[0; 8]);
        self.ask(message, |_, body| {
            if number(&body[4..]) == index {
                let value = attributes(&body[8..]).find(|(kind, _)| *kind == libc::IFA_ADDRESS);
                found.extend(value.and_then(|(_, bytes)| address(bytes)));
            }
        })
        .context("list the addresses of a network device")?;
        Ok(found)
    }

    /// Sends everything out of one device, from `source` where a socket does not choose.
    ///
    /// # Errors
    /// The kernel refuses: the device is down, or an option is unknown.
    pub fn add_default_route(
        &mut self,
        index: u32,
        source: IpAddr,
        options: &RouteOptions,
    ) -> Result<(), EnvError> {
        let message = Message::new(libc::RTM_NEWROUTE, libc::NLM_F_CREATE | libc::NLM_F_EXCL)
            .body(&rtmsg(source.is_ipv6()))
            .number(libc::RTA_OIF, index)
            .with(libc::RTA_PREFSRC, &octets(source))
            .nest(libc::RTA_METRICS, |message| metrics(message, options));
        self.request("add a default route", message)
    }

    /// Adds a route to one host, which goes before the default route.
    ///
    /// # Errors
    /// As [`Self::add_default_route`].
    pub fn add_route(
        &mut self,
        index: u32,
        peer: IpAddr,
        options: &RouteOptions,
    ) -> Result<(), EnvError> {
        let mut body = rtmsg(peer.is_ipv6());
        body[1] = if peer.is_ipv6() { 128 } else { 32 };
        let message = Message::new(libc::RTM_NEWROUTE, libc::NLM_F_CREATE | libc::NLM_F_EXCL)
            .body(&body)
            .with(libc::RTA_DST, &octets(peer))
            .number(libc::RTA_OIF, index)
            .nest(libc::RTA_METRICS, |message| metrics(message, options));
        self.request(&format!("add a route to {peer}"), message)
    }

    /// The routes of the main table.
    ///
    /// # Errors
    /// The kernel does not answer.
    pub fn routes(&mut self) -> Result<Vec<Route>, EnvError> {
        let mut found = vec![];
        for v6 in [false, true] {
            let mut body = [0; 12];
            body[0] = family(v6);
            let message = Message::new(libc::RTM_GETROUTE, libc::NLM_F_DUMP).body(&body);
            self.ask(message, |_, body| {
                if body[4] != libc::RT_TABLE_MAIN || body[7] != libc::RTN_UNICAST {
                    return;
                }
                let mut route = Route { default: body[1] == 0, v6, ..Route::default() };
                for (kind, value) in attributes(&body[12..]) {
                    match kind {
                        libc::RTA_OIF => route.device = number(value),
                        libc::RTA_METRICS => route.options = options(value),
                        _ => {}
                    }
                }
                found.push(route);
            })
            .context("list the routes")?;
        }
        Ok(found)
    }
}
