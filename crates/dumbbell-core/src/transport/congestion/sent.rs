//! A segment as it is sent, and the tag that it carries.
use crate::units::Time;

/// A segment that was sent.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// The time.
    pub now: Time,
    /// Its first byte.
    pub seq: u64,
    /// Its payload, bytes.
    pub bytes: u64,
    /// True if it was sent before.
    pub retransmit: bool,
    /// Bytes on their way before it.
    pub in_flight: u64,
    /// The offset after it: its payload, and the FIN if it carries that.
    pub end: u64,
}

impl Sent {
    /// A segment without FIN.
    pub fn new(now: Time, seq: u64, bytes: u64, retransmit: bool, in_flight: u64) -> Self {
        Sent { now, seq, bytes, retransmit, in_flight, end: seq + bytes }
    }
}

/// A number that a congestion control writes on a segment and gets back when it is lost. 0: no tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tag(pub u32);
