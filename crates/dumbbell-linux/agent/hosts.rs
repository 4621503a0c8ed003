//! Hosts: network namespaces of the guest's kernel, each with one device.
use crate::netlink::{Metrics, Netlink};
use crate::orders::{Host, Orders};
use crate::sys;
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;

/// The name of the one device of each host.
const DEVICE: &str = "eth0";
const LOOPBACK: &str = "lo";
const NAMESPACE: &str = "/proc/self/ns/net";

/// A host that is up.
pub struct Namespace(File);

impl Namespace {
    /// From now on sockets are this host's.
    pub fn enter(&self) -> io::Result<()> {
        sys::enter_network(&self.0)
    }

    /// Another descriptor of it.
    pub fn descriptor(&self) -> io::Result<OwnedFd> {
        self.0.try_clone().map(OwnedFd::from)
    }
}

/// Brings all hosts up.
pub fn up(orders: &Orders<'_>) -> Result<Vec<Namespace>, String> {
    let programs = orders.client.is_some();
    if programs {
        allow_controls().map_err(|e| format!("could not allow congestion controls: {e}"))?;
    }
    let first = Namespace(File::open(NAMESPACE).map_err(|e| format!("{NAMESPACE}: {e}"))?);
    let netlink = Netlink::open().map_err(|e| format!("could not open a netlink socket: {e}"))?;
    let mut all = vec![];
    for host in &orders.hosts {
        let index = sys::device(host.device)
            .map_err(|e| format!("there is no device {}: {e}", host.device))?;
        all.push(
            one(host, index, &netlink, programs)
                .map_err(|e| format!("host {}: {e}", host.address))?,
        );
        first.enter().map_err(|e| format!("could not leave a namespace: {e}"))?;
    }
    Ok(all)
}

/// Any host may have any congestion control as that of sockets that ask for none.
fn allow_controls() -> io::Result<()> {
    const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";
    const ALLOWED: &str = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";
    fs::write(ALLOWED, fs::read(AVAILABLE)?)
}

/// Brings a host up. `programs`: programs of others live in it, which may speak with themselves.
fn one(
    host: &Host<'_>,
    index: u32,
    netlink: &Netlink,
    programs: bool,
) -> Result<Namespace, String> {
    let said = |what: &'static str| move |e: io::Error| format!("could not {what}: {e}");
    sys::new_network().map_err(said("make a namespace"))?;
    let namespace = Namespace(File::open(NAMESPACE).map_err(said("open a namespace"))?);
    netlink.move_to(index, &namespace.0, DEVICE).map_err(said("move its device"))?;
    for (key, value, must) in &host.sysctls {
        let file = format!("/proc/sys/{}", key.replace('.', "/"));
        if let (Err(e), true) = (fs::write(file, value), must) {
            return Err(format!("this kernel refuses {key} = {value}: {e}"));
        }
    }
    let own = Netlink::open().map_err(said("open a netlink socket"))?;
    if programs {
        let itself = sys::device(LOOPBACK).map_err(said("find its loopback device"))?;
        own.up(itself, None).map_err(said("switch its loopback device on"))?;
    }
    let index = sys::device(DEVICE).map_err(said("find its device"))?;
    own.up(index, Some(host.mtu)).map_err(said("switch its device on"))?;
    own.address(index, host.address).map_err(said("give it an address"))?;
    own.route(index, None, host.address, Metrics::default()).map_err(said("give it a route"))?;
    for (to, metrics) in &host.routes {
        own.route(index, Some(*to), host.address, *metrics).map_err(said("give it a route"))?;
    }
    Ok(namespace)
}
