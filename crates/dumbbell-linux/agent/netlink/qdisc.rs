//! Requests about queues: their message begins with `struct tcmsg`.
use super::{NLM_F_CREATE, NLM_F_REQUEST, Netlink, Request};
use crate::sys;
use std::io;

const RTM_NEWQDISC: u16 = 36;
const RTM_GETQDISC: u16 = 38;
const RTM_NEWTCLASS: u16 = 40;
const NLM_F_REPLACE: u16 = 0x100;
/// The kernel sends what it tells of a queue to whoever asked, too, and not only to listeners.
const NLM_F_ECHO: u16 = 8;
const TCA_KIND: u16 = 1;
const TCA_OPTIONS: u16 = 2;
/// Kinds whose options must say that they are attributes; others may be structs.
const NESTED_KINDS: [&str; 1] = ["fq_pie"];
const NLA_F_NESTED: u16 = 1 << 15;
const TCA_STATS2: u16 = 7;
const TCA_STAB: u16 = 8;
const TCA_STAB_BASE: u16 = 1;
const TCA_STATS_QUEUE: u16 = 3;
/// The place of a queue that has none above it.
pub const ROOT: u32 = u32::MAX;
/// Bytes of the header, and of the message's own.
const HEADERS: usize = 16 + 20;
/// `struct tc_sizespec` without a table, that takes the Ethernet header from the length of frames.
const IP_LENGTH: [u8; 24] = {
    let mut bytes = [0; 24];
    let overhead = (-14i32).to_ne_bytes();
    (bytes[4], bytes[5], bytes[6], bytes[7]) = (overhead[0], overhead[1], overhead[2], overhead[3]);
    bytes
};

fn header(device: u32, handle: u32, parent: u32) -> [u8; 20] {
    let mut bytes = [0; 20];
    bytes[4..8].copy_from_slice(&device.to_ne_bytes());
    bytes[8..12].copy_from_slice(&handle.to_ne_bytes());
    bytes[12..16].copy_from_slice(&parent.to_ne_bytes());
    bytes
}

/// The value of an attribute.
fn find(mut attributes: &[u8], kind: u16) -> Option<&[u8]> {
    while attributes.len() >= 4 {
        let word = |at: usize| u16::from_ne_bytes([attributes[at], attributes[at + 1]]);
        let len = usize::from(word(0));
        if len < 4 {
            return None;
        }
        // The two upper bits are flags.
        if word(2) & 0x3fff == kind {
            return attributes.get(4..len);
        }
        attributes = attributes.get(len.next_multiple_of(4)..)?;
    }
    None
}

fn with_options(request: Request, kind: &str, options: &[u8]) -> Request {
    let nested = if NESTED_KINDS.contains(&kind) { NLA_F_NESTED } else { 0 };
    match options {
        [] => request,
        _ => request.attribute(TCA_OPTIONS | nested, options),
    }
}

impl Netlink {
    /// Puts a queue before a device, or below another queue. At the root, packets count with the
    /// length of their IP packet.
    pub fn queue(
        &self,
        device: u32,
        (handle, parent): (u32, u32),
        kind: &str,
        options: &[u8],
    ) -> io::Result<()> {
        let name = [kind.as_bytes(), &[0]].concat();
        let mut request = Request::new(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE)
            .bytes(&header(device, handle, parent))
            .attribute(TCA_KIND, &name);
        if parent == ROOT {
            let table = Request(vec![]).attribute(TCA_STAB_BASE, &IP_LENGTH);
            request = request.attribute(TCA_STAB, &table.0);
        }
        self.ask(with_options(request, kind, options))
    }

    /// Makes a class of a queue.
    pub fn class(
        &self,
        device: u32,
        (id, parent): (u32, u32),
        kind: &str,
        options: &[u8],
    ) -> io::Result<()> {
        let name = [kind.as_bytes(), &[0]].concat();
        let request = Request::new(RTM_NEWTCLASS, NLM_F_CREATE)
            .bytes(&header(device, id, parent))
            .attribute(TCA_KIND, &name);
        self.ask(with_options(request, kind, options))
    }

    /// Packets that the queue at the root of a device has dropped, and those that it holds.
    pub fn queue_counts(&self, device: u32) -> io::Result<(u32, u32)> {
        let mut bytes = Request::new(RTM_GETQDISC, 0).bytes(&header(device, 0, ROOT)).0;
        let len = bytes.len() as u32;
        bytes[..4].copy_from_slice(&len.to_ne_bytes());
        bytes[6..8].copy_from_slice(&(NLM_F_REQUEST | NLM_F_ECHO).to_ne_bytes());
        sys::send_to(&self.0, &bytes, 0)?;
        let mut answer = [0; 8192];
        let got = sys::receive(&self.0, &mut answer, 0)?;
        let queue = answer[..got]
            .get(HEADERS..)
            .and_then(|attributes| find(attributes, TCA_STATS2))
            .and_then(|stats| find(stats, TCA_STATS_QUEUE))
            .ok_or_else(|| io::Error::other("the kernel's answer counts nothing"))?;
        // struct gnet_stats_queue: qlen, backlog, drops, requeues, overlimits.
        let number = |at: usize| {
            queue.get(at..at + 4).map_or(0, |b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]))
        };
        Ok((number(8), number(0)))
    }
}
