//! The log of a run: its plan, every packet into the router, and everything out of it.
//!
//! Anybody can replay the run from it, packet by packet. Records are grouped in blocks, each with a
//! hash of itself and of all before it (BLAKE3), so that an altered or truncated log is found, with
//! the place.
//!
//! ```text
//! "DUMBBELL" version:u32 length:u32 header:JSON              hash:32
//! count:u32 (1 to 4096) count x 32 bytes                     hash:32    ... blocks
//! 0:u32 records in:u64 out:u64 lost:u64                      hash:32    the end
//! ```
//!
//! Version 2 also has entries with the first bytes of packets ([`captured_bytes`]), each before the
//! record of its packet. It is written only if packets are captured.
//!
//! Numbers are little-endian. A hash covers the hash before it and all bytes since.
pub mod captured_bytes;
mod read;
mod record;
mod write;

pub use read::{LogFault, Reader};
pub use record::{ENTRY, Entry, Record};
pub use write::Writer;

use dumbbell_plan::Plan;
use serde::{Deserialize, Serialize};

/// The first bytes of a log.
const MAGIC: &[u8; 8] = b"DUMBBELL";
/// The version of all that follows: without bytes of packets, and with them.
const VERSIONS: [u32; 2] = [1, 2];
/// Records in a block, at most.
const BLOCK: usize = 4096;
/// Bytes of a header, at most.
const LONGEST_HEADER: u32 = 1 << 30;

/// The header of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version of Dumbbell that made it.
    pub made_by: String,
    /// The run.
    pub plan: Plan,
    /// The nanosecond of CLOCK_MONOTONIC at which it began.
    pub epoch_ns: u64,
    /// The hosts with a NIC, in the order of their NICs.
    pub hosts: Vec<String>,
    /// The captured bytes of packets; `None` if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<Capture>,
}

/// Captured bytes, of packets of the flows whose packets the plan records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture {
    /// Bytes of IP kept of each packet, at most.
    pub snaplen: u32,
    /// CLOCK_REALTIME when the run began, nanoseconds since 1970.
    pub realtime_ns: u64,
}

/// Totals at the end of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Packets that came in.
    pub incoming: u64,
    /// Packets that went out.
    pub outgoing: u64,
    /// Records for which the collector had no room in time: it is not the whole run.
    pub lost: u64,
}

#[cfg(test)]
mod tests;
