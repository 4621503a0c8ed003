//! The counters of one port: every packet that arrived left, was dropped for a named reason, or
//! still waits.
use crate::aqm::Reason;
use serde::Serialize;

/// Counts of one port. One code for every port, simulated or real.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PortCounters {
    /// Packets that arrived.
    pub arrivals: u64,
    /// Bytes (IP length) that arrived.
    pub arrived_bytes: u64,
    /// Packets whose transmission ended.
    pub departures: u64,
    /// Bytes (IP length) whose transmission ended.
    pub departed_bytes: u64,
    /// Packets marked Congestion Experienced here.
    pub marks: u64,
    /// Packets dropped, by [`Reason::index`].
    pub drops: [u64; Reason::ALL.len()],
}

impl PortCounters {
    /// The number of drops for all reasons.
    pub fn dropped(&self) -> u64 {
        self.drops.iter().sum()
    }
    /// True if the counters balance with `held` packets that wait or are in transmission.
    pub fn balances(&self, held: u64) -> bool {
        self.arrivals == self.departures + self.dropped() + held
    }
    /// The counts since `earlier`.
    pub fn since(&self, earlier: &PortCounters) -> PortCounters {
        let mut drops = self.drops;
        drops.iter_mut().zip(earlier.drops).for_each(|(now, then)| *now -= then);
        PortCounters {
            arrivals: self.arrivals - earlier.arrivals,
            arrived_bytes: self.arrived_bytes - earlier.arrived_bytes,
            departures: self.departures - earlier.departures,
            departed_bytes: self.departed_bytes - earlier.departed_bytes,
            marks: self.marks - earlier.marks,
            drops,
        }
    }
}
