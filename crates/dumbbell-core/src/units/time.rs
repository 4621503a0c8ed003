//! Instants and spans, in picoseconds.
use super::text::{self, UnitError, unit_serde};
use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};
use std::str::FromStr;

/// Picoseconds in a second.
const PS_PER_S: f64 = 1e12;

/// An instant of a run: picoseconds since its start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// Later than every instant: a deadline that is not set.
    pub const NEVER: Time = Time(u64::MAX);

    /// The instant `ps` picoseconds after the start.
    pub const fn from_ps(ps: u64) -> Self {
        Time(ps)
    }
    /// Picoseconds since the start.
    pub const fn ps(self) -> u64 {
        self.0
    }
    /// Seconds since the start; for people and figures, not for arithmetic that decides.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / PS_PER_S
    }
    /// The next instant; [`Time::NEVER`] has none.
    pub const fn next(self) -> Self {
        Time(self.0.saturating_add(1))
    }
    /// The span since `earlier`, or zero if `earlier` is later.
    pub const fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

/// A span of time, in picoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(u64);

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);
    /// Longer than every span.
    pub const MAX: Span = Span(u64::MAX);

    /// `ps` picoseconds.
    pub const fn from_ps(ps: u64) -> Self {
        Span(ps)
    }
    /// `us` microseconds.
    pub const fn from_us(us: u64) -> Self {
        Span(us * 1_000_000)
    }
    /// `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Span(ms * 1_000_000_000)
    }
    /// `s` seconds.
    pub const fn from_secs(s: u64) -> Self {
        Span(s * 1_000_000_000_000)
    }
    /// `s` seconds, rounded to the picosecond; negative and NaN become zero.
    pub fn from_secs_f64(s: f64) -> Self {
        Span(libm::round(s * PS_PER_S) as u64)
    }
    /// Picoseconds.
    pub const fn ps(self) -> u64 {
        self.0
    }
    /// Seconds.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / PS_PER_S
    }
    /// The span times a non-negative factor, rounded to the picosecond.
    pub fn scaled(self, factor: f64) -> Span {
        Span(libm::round(self.0 as f64 * factor) as u64)
    }
    /// Difference, or zero.
    pub const fn saturating_sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

/// Plain addition: 2^64 ps are 213 days, and nothing is added to [`Time::NEVER`]. Tests check for
/// overflow.
impl Add<Span> for Time {
    type Output = Time;
    #[inline]
    fn add(self, d: Span) -> Time {
        Time(self.0 + d.0)
    }
}
impl AddAssign<Span> for Time {
    fn add_assign(&mut self, d: Span) {
        *self = *self + d;
    }
}
impl Add for Span {
    type Output = Span;
    fn add(self, o: Span) -> Span {
        Span(self.0.saturating_add(o.0))
    }
}
impl Sub for Span {
    type Output = Span;
    fn sub(self, o: Span) -> Span {
        Span(self.0 - o.0)
    }
}
impl Mul<u64> for Span {
    type Output = Span;
    fn mul(self, k: u64) -> Span {
        Span(self.0.saturating_mul(k))
    }
}

const UNITS: &[(&str, f64)] = &[
    ("ps", 1.0),
    ("ns", 1e3),
    ("us", 1e6),
    ("µs", 1e6),
    ("ms", 1e9),
    ("s", 1e12),
    ("min", 60e12),
    ("h", 3600e12),
    ("d", 86_400e12),
];
/// The units a span is shown in, largest first; minutes and hours are read but not written.
const SHOWN: &[(&str, u64)] =
    &[("s", 1_000_000_000_000), ("ms", 1_000_000_000), ("us", 1_000_000), ("ns", 1_000), ("ps", 1)];

impl FromStr for Span {
    type Err = UnitError;
    fn from_str(s: &str) -> Result<Self, UnitError> {
        text::parse(s, "time", UNITS, "10 ms").map(Span)
    }
}
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::show(f, self.0, SHOWN)
    }
}
impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Time::NEVER { f.write_str("never") } else { write!(f, "t={}", Span(self.0)) }
    }
}
unit_serde!(Span, "time", "10 ms", "^\\s*[0-9.eE+-]+\\s*(ps|ns|us|µs|ms|s|min|h|d)\\s*$");
