//! Records for the controller: collected in Ethernet frames of a kind of their own, sent over the
//! control device, which no host has.
//!
//! A record is `length:u16 kind:u8 flow:u32 at:u64 body`, little-endian; `length` counts all of it,
//! `at` is nanoseconds from the run's zero. The controller's `records` module reads them.
use crate::netlink::Netlink;
use crate::sys;
use std::os::fd::OwnedFd;

/// The kind of these frames (IEEE 802 local experimental).
const ETHERTYPE: u16 = 0x88b5;
/// Bytes of an Ethernet header.
const HEADER: usize = 14;
/// Bytes of a record before its body.
const HEAD: usize = 15;

/// What a record tells.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum Kind {
    Opened = 1,
    Established = 2,
    Sample = 3,
    Count = 4,
    Sent = 5,
    Complete = 6,
    Failure = 7,
    Control = 8,
    Acknowledged = 9,
    End = 10,
    Started = 11,
    Output = 12,
    Exited = 13,
    Lack = 14,
    Queue = 15,
}

/// A flow number for what is no flow's.
pub const NO_FLOW: u32 = u32::MAX;

/// The way to the controller.
pub struct Report {
    socket: OwnedFd,
    frame: Vec<u8>,
    room: usize,
}

impl Report {
    /// Opens the control device.
    pub fn open(device: &str, mtu: u32) -> Result<Report, String> {
        let said = |what: &'static str| move |e| format!("could not {what}: {e}");
        let index = sys::device(device).map_err(said("find the control device"))?;
        let netlink = Netlink::open().map_err(said("open a netlink socket"))?;
        netlink.up(index, None).map_err(said("switch the control device on"))?;
        let socket = sys::open(sys::AF_PACKET, sys::SOCK_RAW, 0, true)
            .map_err(said("open a packet socket"))?;
        sys::bind_to_device(&socket, index, ETHERTYPE).map_err(said("bind a packet socket"))?;
        let mut report = Report { socket, frame: vec![], room: HEADER + mtu as usize };
        report.begin();
        Ok(report)
    }

    fn begin(&mut self) {
        self.frame.clear();
        self.frame.resize(HEADER - 2, 0);
        self.frame.extend_from_slice(&ETHERTYPE.to_be_bytes());
    }

    /// Sends what has been collected.
    pub fn flush(&mut self) {
        if self.frame.len() > HEADER {
            // A frame that is lost is missed by the controller, which waits for the end.
            let _ = sys::send_to(&self.socket, &self.frame, 0);
            self.begin();
        }
    }

    /// Adds a record.
    pub fn add(&mut self, kind: Kind, flow: u32, at: u64, body: &[&[u8]]) {
        let length = HEAD + body.iter().map(|part| part.len()).sum::<usize>();
        if self.frame.len() + length > self.room {
            self.flush();
        }
        self.frame.extend_from_slice(&(length as u16).to_le_bytes());
        self.frame.push(kind as u8);
        self.frame.extend_from_slice(&flow.to_le_bytes());
        self.frame.extend_from_slice(&at.to_le_bytes());
        body.iter().for_each(|part| self.frame.extend_from_slice(part));
    }

    /// The run cannot be.
    pub fn failure(&mut self, cause: &str) {
        let cause = &cause.as_bytes()[..cause.len().min(1000)];
        self.add(Kind::Failure, NO_FLOW, 0, &[cause]);
    }

    /// Everything has been told.
    pub fn end(&mut self) {
        self.add(Kind::End, NO_FLOW, 0, &[]);
        self.flush();
    }
}
