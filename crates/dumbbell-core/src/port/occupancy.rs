//! Time-weighted measures of a queue within a window (a run less its warm-up).
use crate::units::{Span, Time};

/// The integral of a queue's length, from the waiting times of its packets: each packet adds the
/// part of its wait that lies in the window. Exact for any port, and needs no event when a packet
/// leaves.
#[derive(Clone, Copy, Debug)]
pub struct Occupancy {
    from: Time,
    to: Time,
    packet_ps: u128,
    max_packets: u32,
}

impl Occupancy {
    /// Measures between `from` and `to`.
    pub fn new(from: Time, to: Time) -> Self {
        Occupancy { from, to, packet_ps: 0, max_packets: 0 }
    }
    /// A packet was in the queue from `entered` to `left`.
    #[inline]
    pub fn stayed(&mut self, entered: Time, left: Time) {
        let inside = left.min(self.to).since(entered.max(self.from));
        self.packet_ps += u128::from(inside.ps());
    }
    /// Packets were in the queue for `packet_ps` picoseconds in all, wholly within the window.
    pub fn adds(&mut self, packet_ps: u128) {
        self.packet_ps += packet_ps;
    }
    /// The queue held `packets` at `now`.
    #[inline]
    pub fn saw(&mut self, now: Time, packets: u32) {
        if packets > self.max_packets && now >= self.from {
            self.max_packets = packets;
        }
    }
    /// Time-weighted mean over the window, packets.
    pub fn mean_packets(&self) -> f64 {
        let window: Span = self.to.since(self.from);
        if window == Span::ZERO { 0.0 } else { self.packet_ps as f64 / window.ps() as f64 }
    }
    /// Largest length in the window, packets.
    pub fn max_packets(&self) -> u32 {
        self.max_packets
    }
}
