//! How a transmitter takes the wire: constant rate by default; a link trace, steps of rate, outages.
use crate::units::{Rate, Time, Transmitter};

/// The latest instant that a service names, 30 days before the clock's end: what would leave later leaves never.
pub const LATEST: Time = Time::from_ps(u64::MAX - 30 * 86_400 * 1_000_000_000_000);

/// A transmitter's law. It depends on nothing but time and its own packets, and so lets its port decide at arrival.
pub trait Service {
    /// When the last bit leaves, of a packet of `wire_bytes` that came at `arrived` and whose first bit could leave
    /// at `start`: its arrival, or the end of the packet before it. Asked once for each packet, in the order in
    /// which they leave.
    ///
    /// Not before `start`, and always after `arrived`: nothing passes a port in no time, or the order of what
    /// happens at one instant would depend on the order of asking.
    fn finish(&mut self, arrived: Time, start: Time, wire_bytes: u32) -> Time;
    /// The nominal rate: the long-run mean while there is always a packet. Queues, limits in BDP and limits in time
    /// go by it.
    fn rate(&self) -> Rate;
    /// Picoseconds that each byte takes, if that is a whole number and always the same, and nothing else is to be known:
    /// then [`Service::finish`] need not be asked.
    fn ps_per_byte(&self) -> Option<u64> {
        None
    }
    /// Asked before the first packet: [`Service::utilization`] will be about the time after `from`, until `to`.
    fn watch(&mut self, _from: Time, _to: Time) {}
    /// Bits sent over bits that could have been sent in the watched window. `None`: its port is to take the share of
    /// time in which a packet was in transmission, which is the same at a constant rate.
    fn utilization(&self) -> Option<f64> {
        None
    }
}

impl Service for Transmitter {
    #[inline]
    fn finish(&mut self, _arrived: Time, start: Time, wire_bytes: u32) -> Time {
        start + self.span(wire_bytes)
    }
    fn rate(&self) -> Rate {
        Transmitter::rate(self)
    }
}
