//! CAKE's shaper: a clock that says when the next packet leaves.
use dumbbell_core::units::{Rate, Time, Transmitter};

/// The virtual clock of transmissions. It has no burst: a packet leaves at the clock or later, and
/// takes the clock on by its own time at the bandwidth.
#[derive(Clone, Debug)]
pub struct Shaper {
    clock: Time,
    wire: Transmitter,
}

impl Shaper {
    /// A clock that has not begun.
    pub fn new(bandwidth: Rate) -> Self {
        Shaper { clock: Time::ZERO, wire: Transmitter::new(bandwidth) }
    }

    /// A packet comes to the empty queue: time in which nothing waited is not made up for.
    pub fn begins(&mut self, now: Time) {
        self.clock = self.clock.max(now);
    }

    /// A packet of `bytes` leaves.
    pub fn sends(&mut self, bytes: u32) {
        self.clock += self.wire.span(bytes);
    }

    /// True if no packet may leave yet.
    pub fn holds(&self, now: Time) -> bool {
        now < self.clock
    }

    /// The time at which the next packet may leave.
    pub fn clock(&self) -> Time {
        self.clock
    }

    /// The bandwidth.
    pub fn rate(&self) -> Rate {
        self.wire.rate()
    }
}
