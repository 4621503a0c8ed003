//! The two ends of a flow of datagrams.
use crate::counts::Counts;
use dumbbell_core::packet::Ecn;
use dumbbell_core::transport::segment::{Outbox, Segment, flag, timestamp};
use dumbbell_core::units::Time;
use dumbbell_net::{DelaySummary, OneWay};

/// Datagrams: numbered, counted, never sent again.
pub(crate) struct Udp {
    header: u32,
    ecn: Ecn,
    sent_packets: u64,
    sent_bytes: u64,
    received_packets: u64,
    received_bytes: u64,
    ce_packets: u64,
    /// Delays; of a session's flow, which nobody reads by itself, there are none.
    delays: Option<Box<OneWay>>,
}

impl Udp {
    /// With `header` bytes of IP and UDP header; all its packets have `ecn`.
    pub(crate) fn new(header: u32, ecn: Ecn, delays: Option<OneWay>) -> Self {
        let delays = delays.map(Box::new);
        let (sent_packets, sent_bytes, received_packets, received_bytes, ce_packets) =
            (0, 0, 0, 0, 0);
        Udp {
            header,
            ecn,
            sent_packets,
            sent_bytes,
            received_packets,
            received_bytes,
            ce_packets,
            delays,
        }
    }
    /// The application hands over a datagram.
    pub(crate) fn write(&mut self, now: Time, bytes: u64, out: &mut impl Outbox) {
        let seq = self.sent_packets as u32;
        // The length field limits the datagram: with version 6 to less than sources of version 4
        // may draw.
        let bytes = bytes.min(u64::from(u16::MAX) - u64::from(self.header));
        self.sent_packets += 1;
        self.sent_bytes += bytes;
        if let Some(delays) = &mut self.delays {
            delays.sent(now);
        }
        let ip_len = (bytes + u64::from(self.header)) as u16;
        out.send(
            Segment { seq, ts: timestamp(now), ip_len, flags: flag::UDP, ecn: self.ecn },
            None,
        );
    }
    /// One arrives.
    pub(crate) fn read(&mut self, now: Time, s: &Segment) {
        self.received_packets += 1;
        self.received_bytes += u64::from(u32::from(s.ip_len) - self.header);
        self.ce_packets += u64::from(s.ecn == Ecn::Ce);
        if let Some(delays) = &mut self.delays {
            delays.arrived(now, delays.number(s.seq));
        }
    }
    /// One was dropped.
    pub(crate) fn loses(&mut self, t: Time, seq: u32) {
        if let Some(delays) = &mut self.delays {
            delays.lost(t, delays.number(seq));
        }
    }
    /// The measures of its datagrams.
    pub(crate) fn delays(&self) -> Option<DelaySummary> {
        self.delays.as_ref().map(|delays| delays.summary())
    }
    /// Its counts since the start: nothing is sent again, and everything that arrives goes to the
    /// application.
    pub(crate) fn counts(&self) -> Counts {
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
