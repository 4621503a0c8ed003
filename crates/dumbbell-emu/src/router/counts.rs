//! What the router counts.
use super::slab::Fate;
use super::wire::Stranger;
use crate::inspect::{Findings, Flaw, Leak, describe};
use serde::{Deserialize, Serialize};
use std::io;

/// Packets, since the start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Packets that came to the network.
    pub incoming: u64,
    /// Their bytes of IP.
    pub incoming_bytes: u64,
    /// Packets that came to a host, or a copy or a piece of them.
    pub delivered: u64,
    /// Their bytes.
    pub delivered_bytes: u64,
    /// Packets that the network dropped.
    pub dropped: u64,
    /// What was written: packets, copies, pieces and answers.
    pub written: u64,
    /// What came out, but no host was to see: an answer to a packet that must not be answered, damage that none would find.
    pub unwritten: u64,
    /// What came out of the network although it had not come in, or had gone.
    pub orphans: u64,
    /// Packets of no flow.
    pub strangers: u64,
    /// What was no IP packet.
    pub malformed: u64,
    /// Packets above the MTU.
    pub oversized: u64,
    /// Packets with a wrong checksum.
    pub bad_checksums: u64,
    /// Packets for which there was no memory.
    pub no_room: u64,
    /// Records that the log had no room for.
    pub log_overflow: u64,
    /// Packets whose bytes were to be captured, and that the log had no room for; it has their records.
    #[serde(default)]
    pub uncaptured: u64,
    /// Those that were not let in by their reasons, the first of each in words.
    #[serde(default)]
    pub findings: Findings,
    /// Why a host did not take a packet, the first time.
    pub first_refusal: Option<String>,
    /// What a door said of a packet that it did not give, the first time.
    pub first_complaint: Option<String>,
}

impl Counts {
    #[inline]
    pub(super) fn entered(&mut self, len: usize) {
        self.incoming += 1;
        self.incoming_bytes += len as u64;
    }
    #[inline]
    pub(super) fn ended(&mut self, fate: Fate) {
        if fate.went_out {
            self.delivered += 1;
            self.delivered_bytes += u64::from(fate.len);
        } else {
            self.dropped += 1;
        }
    }
    /// A door says that a packet is none of the wire's.
    #[cold]
    pub(super) fn not_of_the_wire(&mut self, cause: &io::Error) {
        match Leak::of(cause) {
            Some(leak) => self.leak(leak),
            None => {
                self.malformed += 1;
                self.first_complaint.get_or_insert_with(|| cause.to_string());
            }
        }
    }
    /// A packet that is not let in.
    #[cold]
    pub(super) fn stranger(&mut self, stranger: &Stranger, packet: &[u8]) {
        match *stranger {
            Stranger::NoFlow(why) => {
                self.strangers += 1;
                self.findings.note(why.name(), || format!("{}: {why}", describe(packet, packet.len())));
            }
            Stranger::Malformed(why) => self.leak(&Leak::malformed(why, packet)),
            Stranger::BadChecksum(wrong) => self.leak(&Leak::wrong(wrong, packet)),
        }
    }
    /// A packet that no wire would have.
    #[cold]
    pub(super) fn leak(&mut self, leak: &Leak) {
        match leak.flaw {
            Flaw::Oversized => self.oversized += 1,
            Flaw::Truncated | Flaw::NotIp => self.malformed += 1,
            _ => self.bad_checksums += 1,
        }
        self.findings.note(leak.flaw.name(), || leak.words.clone());
        self.first_complaint.get_or_insert_with(|| leak.words.clone());
    }
    #[cold]
    pub(super) fn refusal(&mut self, cause: &io::Error) {
        self.first_refusal.get_or_insert_with(|| cause.to_string());
    }
}
