//! Counters of the router.
use crate::packet::defects::{Defect, Defective, Findings, describe};
use crate::router::codec::Rejected;
use crate::router::slab::Completed;
use serde::{Deserialize, Serialize};
use std::io;

/// Packets, since the start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Packets that came to the network.
    pub incoming: u64,
    /// Bytes of these packets, IP headers included.
    pub incoming_bytes: u64,
    /// Packets that came to a host, or a copy or a piece of them.
    pub delivered: u64,
    /// Bytes of these packets.
    pub delivered_bytes: u64,
    /// Packets that the network dropped.
    pub dropped: u64,
    /// Packets written: originals, copies, fragments and ICMP errors.
    pub written: u64,
    /// Packets that came out and were not written: ICMP errors that must not be sent, damage that
    /// no checksum would find.
    pub unwritten: u64,
    /// Packets that came out of the network and were not in it.
    pub orphans: u64,
    /// Packets of no flow.
    pub strangers: u64,
    /// Data that is no IP packet.
    pub malformed: u64,
    /// Packets above the MTU.
    pub oversized: u64,
    /// Packets with a wrong checksum.
    pub bad_checksums: u64,
    /// Packets for which there was no memory.
    pub no_room: u64,
    /// Records that the log had no room for.
    pub log_overflow: u64,
    /// Packets whose bytes were to be captured, and that the log had no room for; it has their
    /// records.
    #[serde(default)]
    pub uncaptured: u64,
    /// Rejected packets by reason, with a description of the first of each.
    #[serde(default)]
    pub findings: Findings,
    /// The first error of writing to a host.
    pub first_refusal: Option<String>,
    /// The first error of reading from a NIC.
    pub first_complaint: Option<String>,
}

impl Counts {
    #[inline]
    pub(crate) fn entered(&mut self, len: usize) {
        self.incoming += 1;
        self.incoming_bytes += len as u64;
    }
    #[inline]
    pub(crate) fn ended(&mut self, completed: Completed) {
        if completed.went_out {
            self.delivered += 1;
            self.delivered_bytes += u64::from(completed.len);
        } else {
            self.dropped += 1;
        }
    }
    /// A NIC says that a packet is none of the wire's.
    #[cold]
    pub(crate) fn invalid_read(&mut self, cause: &io::Error) {
        match Defective::of(cause) {
            Some(defective) => self.defective(defective),
            None => {
                self.malformed += 1;
                self.first_complaint.get_or_insert_with(|| cause.to_string());
            }
        }
    }
    /// A packet that is not let in.
    #[cold]
    pub(crate) fn rejected(&mut self, rejected: &Rejected, packet: &[u8]) {
        match *rejected {
            Rejected::NoFlow(why) => {
                self.strangers += 1;
                self.findings
                    .note(why.name(), || format!("{}: {why}", describe(packet, packet.len())));
            }
            Rejected::Malformed(why) => self.defective(&Defective::malformed(why, packet)),
            Rejected::BadChecksum(wrong) => self.defective(&Defective::wrong(wrong, packet)),
        }
    }
    /// A packet that no wire would have.
    #[cold]
    pub(crate) fn defective(&mut self, defective: &Defective) {
        match defective.defect {
            Defect::Oversized => self.oversized += 1,
            Defect::Truncated | Defect::NotIp => self.malformed += 1,
            _ => self.bad_checksums += 1,
        }
        self.findings.note(defective.defect.name(), || defective.message.clone());
        self.first_complaint.get_or_insert_with(|| defective.message.clone());
    }
    #[cold]
    pub(crate) fn write_error(&mut self, cause: &io::Error) {
        self.first_refusal.get_or_insert_with(|| cause.to_string());
    }
}
