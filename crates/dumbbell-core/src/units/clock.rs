//! Clock rates of processors.
use super::Span;
use super::text::{self, UnitError, unit_serde};
use std::fmt;
use std::str::FromStr;

/// A clock rate in hertz; never zero when it comes from a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Clock(u64);

impl Clock {
    /// `hz` cycles per second.
    pub const fn from_hz(hz: u64) -> Self {
        Clock(hz)
    }
    /// `mhz` million cycles per second.
    pub const fn from_mhz(mhz: u64) -> Self {
        Clock(mhz * 1_000_000)
    }
    /// Cycles per second.
    pub const fn hz(self) -> u64 {
        self.0
    }
    /// The cycles of `span`.
    pub fn cycles_in(self, span: Span) -> f64 {
        self.0 as f64 * span.ps() as f64 / 1e12
    }
}

const UNITS: &[(&str, f64)] = &[("Hz", 1.0), ("kHz", 1e3), ("MHz", 1e6), ("GHz", 1e9)];
const SHOWN: &[(&str, u64)] =
    &[("GHz", 1_000_000_000), ("MHz", 1_000_000), ("kHz", 1_000), ("Hz", 1)];

impl FromStr for Clock {
    type Err = UnitError;
    fn from_str(s: &str) -> Result<Self, UnitError> {
        match text::parse(s, "clock rate", UNITS, "2.4 GHz")? {
            0 => Err(UnitError("a clock rate must be above zero".into())),
            hz => Ok(Clock(hz)),
        }
    }
}
impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::show(f, self.0, SHOWN)
    }
}
impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
unit_serde!(Clock, "clock rate", "2.4 GHz", "^\\s*[0-9.eE+-]+\\s*(Hz|kHz|MHz|GHz)\\s*$");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_read_with_its_unit_and_written_back() {
        let read = |s: &str| s.parse::<Clock>();
        assert_eq!(read("2.4 GHz"), Ok(Clock::from_mhz(2400)));
        assert_eq!(Clock::from_mhz(2400).to_string(), "2.4 GHz");
        assert!(read("2.4").unwrap_err().0.contains("\"2.4 GHz\""));
        assert!(read("0 Hz").is_err() && read("2.4 Gbps").is_err());
        assert_eq!(Clock::from_mhz(2400).cycles_in(Span::from_us(10)), 24_000.0);
    }
}
