//! The two ends of a flow of datagrams.
use crate::flow::Counts;
use dumbbell_core::packet::Ecn;
use dumbbell_core::segment::{Outbox, Segment, flag, timestamp};
use dumbbell_core::units::Time;

/// Datagrams: numbered, counted, never sent again.
#[derive(Default)]
pub struct Udp {
    header: u32,
    ecn: Ecn,
    sent_packets: u64,
    sent_bytes: u64,
    received_packets: u64,
    received_bytes: u64,
    ce_packets: u64,
}

impl Udp {
    /// With `header` bytes of IP and UDP header; all its packets have `ecn`.
    pub fn new(header: u32, ecn: Ecn) -> Self {
        Udp { header, ecn, ..Udp::default() }
    }
    /// The application hands over a datagram.
    pub fn write(&mut self, now: Time, bytes: u64, out: &mut impl Outbox) {
        let seq = self.sent_packets as u32;
        self.sent_packets += 1;
        self.sent_bytes += bytes;
        let ip_len = (bytes + u64::from(self.header)) as u16;
        out.send(Segment { seq, ts: timestamp(now), ip_len, flags: flag::UDP, ecn: self.ecn }, None);
    }
    /// One arrives.
    pub fn read(&mut self, s: &Segment) {
        self.received_packets += 1;
        self.received_bytes += u64::from(u32::from(s.ip_len) - self.header);
        self.ce_packets += u64::from(s.ecn == Ecn::Ce);
    }
    /// Its counts since the start: nothing is sent again, and everything that arrives goes to the application.
    pub fn counts(&self) -> Counts {
        Counts {
            sent_packets: self.sent_packets,
            sent_bytes: self.sent_bytes,
            delivered_packets: self.received_packets,
            received_bytes: self.received_bytes,
            delivered_bytes: self.received_bytes,
            marks: self.ce_packets,
            ..Counts::default()
        }
    }
}
