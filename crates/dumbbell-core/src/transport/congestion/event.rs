//! Congestion events, and signals from the host.
use super::sent::Tag;
use crate::units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The cause of a congestion event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Loss found by duplicate acknowledgments, SACK or time: once per recovery.
    Loss,
    /// ECN echo: once per window of data.
    Ecn,
    /// The retransmission timer expired.
    Timeout {
        /// True if it is the first expiry for this segment (RFC 5681: ssthresh changes only then).
        first: bool,
    },
    /// Further segments found lost in a recovery that has begun; only where they carry tags.
    Further,
    /// The last reduction was spurious: undo it.
    Spurious,
}

/// A congestion event.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Congestion<'a> {
    /// The time of the event.
    pub now: Time,
    /// The cause.
    pub cause: Cause,
    /// FlightSize (RFC 5681), without segments of limited transmit, bytes.
    pub in_flight: u64,
    /// Tags of the segments found lost.
    pub tags: &'a [Tag],
}

impl<'a> Congestion<'a> {
    /// An event.
    pub fn new(now: Time, cause: Cause, in_flight: u64, tags: &'a [Tag]) -> Self {
        Congestion { now, cause, in_flight, tags }
    }
}

/// A signal from the host itself, not from the network: its token bucket, its radio.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "LocalSignal")]
pub enum HostSignal {
    /// The sender's own marker colored a segment out of profile.
    MarkedOut,
    /// The path will vanish.
    PathDown,
    /// The path is back, perhaps another one.
    PathUp,
}
