//! A link before which the kernel has a queue: packets that arrive at one device leave through
//! another, which has room for one.
use crate::netlink::{Metrics, Netlink, ROOT};
use crate::orders::{Discipline, LinkOrders, Orders};
use crate::report::{Kind, Report};
use crate::sys;
use std::fs;
use std::io;
use std::net::Ipv4Addr;

/// The kind of frames that the device keeps for good (IEEE 802 local experimental).
const FILL: u16 = 0x88b6;
/// Entries of a device's ring; below so many free ones, the kernel gives it no further packet
/// (one for a packet's head, one for each fragment, one more).
const ENTRIES: usize = 256;
const SPARE: usize = 19;
/// Bytes of a frame that fills an entry, and of memory for all of them.
const FRAME: usize = 60;
const MEMORY: u32 = 4 << 20;
const ADDRESS: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);

/// Makes the link and its queue, waits for the end of the run, and tells what the queue counted.
pub fn run(orders: &Orders<'_>, link: &LinkOrders<'_>, report: &mut Report) -> Result<(), String> {
    let said = |what: &'static str| move |e: io::Error| format!("could not {what}: {e}");
    let netlink = Netlink::open().map_err(said("open a netlink socket"))?;
    let [from, to] = [link.from, link.to].map(sys::device);
    let (from, to) = (from.map_err(said("find a device"))?, to.map_err(said("find a device"))?);
    for device in [from, to] {
        netlink.up(device, Some(link.mtu)).map_err(said("switch a device on"))?;
    }
    netlink.address(to, ADDRESS).map_err(said("give a device an address"))?;
    netlink.route(to, None, ADDRESS, Metrics::default()).map_err(said("make a route"))?;
    fs::write("/proc/sys/net/ipv4/ip_forward", "1").map_err(said("let packets be forwarded"))?;
    fill(to).map_err(said("fill a device"))?;
    let mut poller = sys::Poller::new().map_err(said("make a timer"))?;
    let mut wait = |at: u64| poller.wait(at, &mut vec![]).map_err(said("wait"));
    wait(link.made)?;
    // What a class is of, or the next queue below; its first class has the number 1.
    let mut above = None;
    for (place, Discipline { class, kind, options }) in link.disciplines.iter().enumerate() {
        let (own, parent) = match above {
            Some(queue) if *class => (queue | 1, queue),
            Some(queue) => ((place as u32 + 1) << 16, queue | 1),
            None => (1 << 16, ROOT),
        };
        let made = match class {
            true => netlink.class(to, (own, parent), kind, options),
            false => netlink.queue(to, (own, parent), kind, options),
        };
        made.map_err(|e| format!("the kernel refuses {kind}: {e}"))?;
        above = Some(own & !0xffff);
    }
    wait(orders.zero + orders.end)?;
    let (dropped, held) = netlink.queue_counts(to).map_err(said("count packets"))?;
    report.add(Kind::Queue, 0, orders.end, &[&dropped.to_le_bytes(), &held.to_le_bytes()]);
    Ok(())
}

/// Gives a device frames that it keeps, until it has room for one.
fn fill(device: u32) -> io::Result<()> {
    let socket = sys::open(sys::AF_PACKET, sys::SOCK_RAW, 0, true)?;
    sys::set_number(&socket, sys::SOL_SOCKET, sys::SO_SNDBUFFORCE, MEMORY)?;
    sys::bind_to_device(&socket, device, FILL)?;
    let mut frame = [0; FRAME];
    frame[12..14].copy_from_slice(&FILL.to_be_bytes());
    for _ in 0..ENTRIES - SPARE {
        sys::send_to(&socket, &frame, 0)?;
    }
    Ok(())
}
