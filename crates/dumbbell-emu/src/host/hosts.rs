//! The hosts of a testbed: namespaces, each with one device, its addresses, routes and sysctls.
use crate::error::EnvError;
use crate::host::namespace::Namespace;
use crate::host::netlink::{Netlink, RouteOptions, VethEnd};
use crate::host::nic::Nic;
use crate::host::packet_ring::PacketRing;
use crate::host::sysctl;
use crate::host::tun::{DEVICE, Tun, TunSpec};
use crate::host::veth;
use crate::host::veth::{Veth, VethSpec};
pub use dumbbell_plan::Datapath;
use std::fs::OpenOptions;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::AsFd;
use std::thread;

/// Name of the one device of each host.
pub const DEVICE_NAME: &str = "eth0";

/// The specification of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostSpec {
    /// Name, for messages.
    pub name: String,
    /// The largest IP packet of its device, bytes: 68 to 65535, 1280 at least with IP version 6.
    pub mtu: u32,
    /// IPv4 address.
    pub v4: Ipv4Addr,
    /// IPv6 address; without one the host sends no IPv6 packet.
    pub v6: Option<Ipv6Addr>,
    /// Settings of its kernel beside [`sysctl::BASE`], by name and value; one that the kernel
    /// refuses is an error. A `net.ipv4.tcp_congestion_control` that the machine keeps from
    /// namespaces becomes the route's: then it is that of every connection that the host begins,
    /// also of sockets that ask for another.
    pub sysctls: Vec<(String, String)>,
    /// Metrics of the default route.
    pub route: RouteOptions,
    /// Metrics of the routes to single peers.
    pub routes: Vec<(IpAddr, RouteOptions)>,
    /// Packets that wait for the router before some get lost; only of [`Datapath::Tun`].
    pub queue: u32,
    /// Segments that TCP hands over at once: 1 is as on a wire.
    pub segments: u32,
}

impl HostSpec {
    /// The `number`-th host with everything at its default, and an address of the testbed's plan.
    pub fn numbered(number: u16, name: impl Into<String>) -> HostSpec {
        HostSpec {
            name: name.into(),
            mtu: 1500,
            v4: v4(number),
            v6: None,
            sysctls: vec![],
            route: RouteOptions::default(),
            routes: vec![],
            queue: 2000,
            segments: 1,
        }
    }
}

/// Address of the `number`-th host: 10.77.0.1 and up. Nobody outside a testbed's namespaces ever
/// sees it.
pub fn v4(number: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits(Ipv4Addr::new(10, 77, 0, 1).to_bits() + u32::from(number))
}

/// Address of the `number`-th host, version 6: fd77::1 and up.
pub fn v6(number: u16) -> Ipv6Addr {
    Ipv6Addr::from_bits((0xfd77 << 112) + 1 + u128::from(number))
}

/// The datapath that is taken where `wanted` leaves it open: TUN where it can be opened, else a
/// pair of Ethernet devices.
#[must_use]
pub fn resolve(wanted: Datapath) -> Datapath {
    match wanted {
        Datapath::Auto if OpenOptions::new().read(true).write(true).open(DEVICE).is_ok() => {
            Datapath::Tun
        }
        Datapath::Auto => Datapath::AfPacket,
        chosen => chosen,
    }
}

/// The router's side of a host's device.
#[derive(Debug)]
pub enum PendingNic {
    /// Ready to read and write.
    Tun(Tun),
    /// A ring is to be opened at the router's end.
    Veth(Veth),
}

impl PendingNic {
    /// Opens it.
    ///
    /// # Errors
    /// There is no ring to be had at the router's end of the pair.
    pub fn open(self) -> Result<Box<dyn Nic>, EnvError> {
        Ok(match self {
            PendingNic::Tun(tun) => Box::new(tun),
            PendingNic::Veth(veth) => Box::new(PacketRing::open(veth)?),
        })
    }
}

/// A host that is up.
#[derive(Debug)]
pub struct Host {
    /// Name.
    pub name: String,
    /// The network namespace of its sockets and programs.
    pub namespace: Namespace,
    /// Names of [`sysctl::BASE`] that this kernel has not, or not with that value.
    pub absent: Vec<String>,
}

/// The hosts of one testbed. All of it is gone when it is dropped, and when the process ends,
/// however it does.
#[derive(Debug)]
pub struct Hosts {
    /// In the order in which they were asked for.
    pub hosts: Vec<Host>,
    /// The NIC of each; whoever takes them to a router gives them to [`close`] afterward.
    pub nics: Vec<PendingNic>,
    /// The datapath in use, never `Auto`.
    pub datapath: Datapath,
}

impl Hosts {
    /// Brings hosts up, side by side.
    ///
    /// # Errors
    /// This machine refuses something; the error has the host's name, and no host is left.
    pub fn up(specs: &[HostSpec], datapath: Datapath) -> Result<Hosts, EnvError> {
        let datapath = resolve(datapath);
        let router = match datapath {
            Datapath::AfPacket => {
                Some(Namespace::with(|| sysctl::write_all(sysctl::WITHOUT_V6))?.0)
            }
            _ => None,
        };
        let router = router.as_ref();
        let hosts = thread::scope(|scope| {
            let threads: Vec<_> = (0..)
                .zip(specs)
                .map(|(n, spec)| scope.spawn(move || up(n, spec, router)))
                .collect();
            // Every thread is waited for before the first error is told: those that came up are
            // taken down again.
            let all: Vec<_> =
                threads.into_iter().map(|thread| thread.join().expect("no panic")).collect();
            all.into_iter().collect::<Result<Vec<(Host, PendingNic)>, EnvError>>()
        })?;
        let (hosts, nics) = hosts.into_iter().unzip();
        Ok(Hosts { hosts, nics, datapath })
    }
}

/// Brings one host up.
fn up(
    number: u16,
    spec: &HostSpec,
    router: Option<&Namespace>,
) -> Result<(Host, PendingNic), EnvError> {
    let made = Namespace::with(|| {
        let (absent, control) = apply_settings(spec)?;
        let route = with_control(&spec.route, control);
        let (nic, index) = nic(number, spec, router)?;
        let mut netlink = Netlink::open()?;
        netlink.link(index).up().apply()?;
        for address in [Some(IpAddr::V4(spec.v4)), spec.v6.map(IpAddr::V6)].into_iter().flatten() {
            netlink.add_address(index, address)?;
            netlink.add_default_route(index, address, &route)?;
        }
        for (peer, options) in &spec.routes {
            netlink.add_route(index, *peer, options)?;
        }
        Ok((nic, absent))
    });
    match made {
        Ok((namespace, (nic, absent))) => {
            Ok((Host { name: spec.name.clone(), namespace, absent }, nic))
        }
        Err(failure) => {
            Err(EnvError { cause: format!("host {}: {}", spec.name, failure.cause), ..failure })
        }
    }
}

/// Brings two hosts up that a pair of Ethernet devices joins, with nothing between them.
/// `offloads`: what a card can do in a host's place is left to the devices; else nothing is. Gone
/// when both namespaces are.
///
/// # Errors
/// This machine refuses something.
pub fn connected_pair(specs: [&HostSpec; 2], offloads: bool) -> Result<[Namespace; 2], EnvError> {
    let [here, there] = specs;
    // Both ends have one address and ask nobody for one: a frame goes to its device's own, which is
    // the other's, too.
    let end = |spec: &HostSpec| VethEnd {
        name: DEVICE_NAME,
        mac: [0x02, 0xdb, 0, 2, 0, 0],
        mtu: spec.mtu,
    };
    let configured = |spec: &HostSpec, control: Option<String>| {
        let mut netlink = Netlink::open()?;
        let index = netlink.index(DEVICE_NAME)?;
        veth::offloads(DEVICE_NAME, offloads)?;
        netlink.link(index).segments(spec.segments).no_arp().up().apply()?;
        netlink.no_queue(index)?;
        netlink.add_address(index, spec.v4.into())?;
        netlink.add_default_route(index, spec.v4.into(), &with_control(&spec.route, control))?;
        spec.routes.iter().try_for_each(|(peer, options)| netlink.add_route(index, *peer, options))
    };
    let (far, far_control) = Namespace::with(|| apply_settings(there).map(|(_, control)| control))?;
    let (near, near_control) = Namespace::with(|| {
        let (_, control) = apply_settings(here)?;
        Netlink::open()?.veth(&end(here), &end(there), far.as_fd())?;
        Ok(control)
    })?;
    near.within(|| configured(here, near_control))??;
    far.within(|| configured(there, far_control))??;
    Ok([near, far])
}

/// A route's options, with a congestion control that the machine keeps from being the namespace's.
fn with_control(route: &RouteOptions, control: Option<String>) -> RouteOptions {
    let mut route = route.clone();
    route.congestion_control = route.congestion_control.or(control);
    route
}

fn nic(
    number: u16,
    spec: &HostSpec,
    router: Option<&Namespace>,
) -> Result<(PendingNic, u32), EnvError> {
    let &HostSpec { mtu, queue, segments, .. } = spec;
    if let Some(router) = router {
        let router_if = format!("host{number}");
        let spec = VethSpec { host_if: DEVICE_NAME.to_owned(), router_if, number, mtu, segments };
        let veth = Veth::open_here(&spec, router)?;
        let index = veth.host_index;
        Ok((PendingNic::Veth(veth), index))
    } else {
        let tun = Tun::open_here(&TunSpec { name: DEVICE_NAME.to_owned(), mtu, queue, segments })?;
        let index = tun.index();
        Ok((PendingNic::Tun(tun), index))
    }
}

/// Writes the settings of a host's kernel, before it has a device to say anything through: those
/// that are absent, and a congestion control that has to be the route's.
fn apply_settings(spec: &HostSpec) -> Result<(Vec<String>, Option<String>), EnvError> {
    if spec.v6.is_some() && spec.mtu < 1280 {
        return Err(EnvError::new(
            format!("an MTU of {} bytes is too small for IP version 6", spec.mtu),
            "choose 1280 or more (RFC 8200, section 5), or leave version 6 out",
        ));
    }
    let mut absent = sysctl::write_all(sysctl::BASE)?;
    // A kernel without version 6 keeps quiet, too.
    match spec.v6 {
        Some(_) => absent.extend(sysctl::write_all(sysctl::WITH_V6)?),
        None => drop(sysctl::write_all(sysctl::WITHOUT_V6)?),
    }
    let mut control = None;
    for (name, value) in &spec.sysctls {
        match sysctl::write(name, value) {
            // The machine keeps it from being a namespace's default; a route may name it all the
            // same.
            Err(_) if sysctl::is_kept_from_hosts(name, value) => control = Some(value.clone()),
            result => result?,
        }
    }
    Ok((absent, control))
}

/// Lets go of NICs side by side: the kernel waits for its readers (RCU) before a TUN device is
/// gone, and none needs to wait for another.
pub fn close<T: Send>(nics: impl IntoIterator<Item = T>) {
    thread::scope(|scope| {
        for nic in nics {
            scope.spawn(|| drop(nic));
        }
    });
}

impl Drop for Hosts {
    fn drop(&mut self) {
        close(self.nics.drain(..));
    }
}
