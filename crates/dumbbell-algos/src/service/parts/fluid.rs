//! A transmitter whose rate varies with time: what is exact about it, whatever the curve.
use dumbbell_core::service::LATEST;
use dumbbell_core::units::{Rate, Time};

/// Work of one byte: picoseconds at one bit per second.
pub const PER_BYTE: u128 = 8_000_000_000_000;

/// The work that can be done by a time: bits per second times picoseconds.
pub trait Curve {
    /// W(t), which never falls.
    fn done_by(&self, t: Time) -> u128;
    /// The first picosecond by which `work` is done.
    fn when(&self, work: u128) -> u128;
}

/// A transmitter on such a curve. What rounding to a picosecond does too much is taken off the next
/// packet.
#[derive(Clone, Debug)]
pub struct Fluid<C> {
    curve: C,
    nominal: Rate,
    /// The time at which the last packet was through, and the work that it took until then, to the
    /// bit.
    free: Time,
    exact: u128,
    window: (Time, Time),
    used: u128,
}

impl<C: Curve> Fluid<C> {
    /// An idle transmitter.
    pub fn new(curve: C, nominal: Rate) -> Self {
        Fluid {
            curve,
            nominal,
            free: Time::ZERO,
            exact: 0,
            window: (Time::ZERO, Time::ZERO),
            used: 0,
        }
    }

    /// Returns the time at which the last bit of a packet that starts at `start` is through.
    pub fn finish(&mut self, start: Time, wire_bytes: u32) -> Time {
        let from = if start == self.free { self.exact } else { self.curve.done_by(start) };
        self.exact = from + u128::from(wire_bytes) * PER_BYTE;
        let ps = self.curve.when(self.exact);
        let done = u64::try_from(ps).map_or(LATEST, |ps| Time::from_ps(ps).min(LATEST)).max(start);
        self.free = done;
        let (from, to) = (start.max(self.window.0), done.min(self.window.1));
        if from < to {
            self.used += self.curve.done_by(to) - self.curve.done_by(from);
        }
        done
    }

    /// See [`dumbbell_core::service::Service::rate`].
    pub fn nominal(&self) -> Rate {
        self.nominal
    }
    /// See [`dumbbell_core::service::Service::watch`].
    pub fn watch(&mut self, from: Time, to: Time) {
        self.window = (from, to);
    }
    /// Work done over work that could have been done in the watched window.
    pub fn utilization(&self) -> f64 {
        let offered = self.curve.done_by(self.window.1) - self.curve.done_by(self.window.0);
        if offered == 0 { 0.0 } else { self.used as f64 / offered as f64 }
    }
}
