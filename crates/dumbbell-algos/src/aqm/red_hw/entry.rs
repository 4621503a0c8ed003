//! The entry of a class of a queue: its thresholds, its slope, and the steps by which Adaptive RED
//! moves the slope.
use super::lfsr::MASK;

/// Fraction bits of an average.
pub const FRACTION: u32 = 10;

pub(crate) const U18: u32 = (1 << 18) - 1;
pub(crate) const U21: u32 = MASK;
/// Thresholds and averages, U12.10.
pub(crate) const U22: u32 = (1 << (12 + FRACTION)) - 1;

/// The region of a queue's average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Region {
    /// Below the lower threshold: none is dropped.
    Queueing = 0,
    /// Between the thresholds.
    Random = 1,
    /// From the upper threshold on: all are dropped.
    Force = 2,
}

/// Registers of the whole core that Adaptive RED goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Step upwards.
    pub alpha: u32,
    /// Slopes above it go down.
    pub least: u32,
    /// Slopes below it go up.
    pub largest: u32,
}

impl Steps {
    /// After a reset.
    pub const RESET: Steps = Steps { alpha: 0, least: 0, largest: U18 };
}

/// Registers of a class of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Lower threshold, U12.10.
    pub min: u32,
    /// Upper threshold.
    pub max: u32,
    /// Slope, U18; with a constant probability that one, U0.21.
    pub slope: u32,
    /// Lower target of Adaptive RED.
    pub lower: u32,
    /// Upper target.
    pub upper: u32,
    /// True if the next packet may step the slope.
    pub due: bool,
}

impl Entry {
    /// Returns the region of an average.
    #[inline]
    pub fn region(&self, avg: u32) -> Region {
        if avg < self.min {
            Region::Queueing
        } else if avg < self.max {
            Region::Random
        } else {
            Region::Force
        }
    }

    /// The probability of a drop in the random region, U0.21.
    #[inline]
    pub fn probability(&self, avg: u32, constant: bool) -> u32 {
        if constant {
            return self.slope;
        }
        let d = avg.wrapping_sub(self.min) & U18;
        ((u64::from(self.slope) * u64::from(d)) >> 12).min(u64::from(U21)) as u32
    }

    /// The step that is due.
    pub fn adapt(&mut self, avg: u32, steps: &Steps, bits: u32) {
        if avg > self.upper && self.slope < steps.largest {
            self.slope = (self.slope + steps.alpha) & bits;
        } else if avg < self.lower && self.slope > steps.least {
            self.slope -= self.slope >> 3;
        }
        self.due = false;
    }
}

impl Entry {
    /// The `max_p` that the slope stands for.
    pub fn max_p(&self, constant: bool) -> f64 {
        let scale = if constant { 1.0 } else { f64::from(self.max - self.min) / 4096.0 };
        f64::from(self.slope) * scale / f64::from(1 << 21)
    }
}
