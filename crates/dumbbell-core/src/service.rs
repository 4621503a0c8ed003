//! How a transmitter takes the wire: constant rate by default; variable rate, ARQ, outage, half duplex.
use crate::units::{Rate, Time, Transmitter};

/// A transmitter's law. One that depends on nothing but time and its own packets lets its port decide at arrival.
pub trait Service {
    /// When the last bit leaves, of a packet of `wire_bytes` whose first bit could leave at `start`.
    fn finish(&mut self, start: Time, wire_bytes: u32) -> Time;
    /// The nominal rate.
    fn rate(&self) -> Rate;
}

impl Service for Transmitter {
    #[inline]
    fn finish(&mut self, start: Time, wire_bytes: u32) -> Time {
        start + self.span(wire_bytes)
    }
    fn rate(&self) -> Rate {
        Transmitter::rate(self)
    }
}
