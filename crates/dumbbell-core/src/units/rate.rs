//! Bit rates, and the exact time a packet takes at one.
use super::Span;
use super::text::{self, UnitError, unit_serde};
use std::fmt;
use std::str::FromStr;

/// Picoseconds that one byte takes at one bit per second.
const PS_BPS_PER_BYTE: u64 = 8_000_000_000_000;

/// A rate in bits per second; never zero when it comes from a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Rate(u64);

impl Rate {
    /// `bps` bits per second.
    pub const fn from_bps(bps: u64) -> Self {
        Rate(bps)
    }
    /// `mbps` megabits per second.
    pub const fn from_mbps(mbps: u64) -> Self {
        Rate(mbps * 1_000_000)
    }
    /// Bits per second.
    pub const fn bps(self) -> u64 {
        self.0
    }
    /// The time that `bytes` take, rounded to the nearest picosecond; for sizing, not for a port's
    /// clock.
    pub fn span_of(self, bytes: u64) -> Span {
        let ps = (u128::from(bytes) * u128::from(PS_BPS_PER_BYTE) + u128::from(self.0 / 2))
            / u128::from(self.0.max(1));
        Span::from_ps(ps.min(u128::from(u64::MAX)) as u64)
    }
    /// The bytes that pass in `span`, rounded down.
    pub fn bytes_in(self, span: Span) -> u64 {
        (u128::from(span.ps()) * u128::from(self.0) / u128::from(PS_BPS_PER_BYTE)) as u64
    }
}

/// A transmitter's clock: how long each packet takes, with the rounding remainder carried on to the
/// next, so that the long-run rate is exact even where 8e12 / rate is not an integer.
#[derive(Clone, Debug)]
pub struct Transmitter {
    bps: u64,
    /// Picoseconds per byte where that is an integer, else 0.
    ps_per_byte: u64,
    remainder: u64,
}

impl Transmitter {
    /// A transmitter at `rate`, which must not be zero.
    pub fn new(rate: Rate) -> Self {
        let bps = rate.0.max(1);
        let exact = PS_BPS_PER_BYTE.is_multiple_of(bps);
        Transmitter {
            bps,
            ps_per_byte: if exact { PS_BPS_PER_BYTE / bps } else { 0 },
            remainder: 0,
        }
    }
    /// The span that the next `wire_bytes` (at most 2^20) take.
    #[inline]
    pub fn span(&mut self, wire_bytes: u32) -> Span {
        if self.ps_per_byte != 0 {
            return Span::from_ps(u64::from(wire_bytes) * self.ps_per_byte);
        }
        let work = u64::from(wire_bytes) * PS_BPS_PER_BYTE + self.remainder;
        self.remainder = work % self.bps;
        Span::from_ps(work / self.bps)
    }
    /// Picoseconds per byte, where that is an integer.
    pub fn ps_per_byte(&self) -> Option<u64> {
        (self.ps_per_byte != 0).then_some(self.ps_per_byte)
    }
    /// The rate.
    pub fn rate(&self) -> Rate {
        Rate(self.bps)
    }
}

const UNITS: &[(&str, f64)] = &[
    ("bps", 1.0),
    ("bit/s", 1.0),
    ("kbps", 1e3),
    ("kbit/s", 1e3),
    ("Mbps", 1e6),
    ("Mbit/s", 1e6),
    ("Gbps", 1e9),
    ("Gbit/s", 1e9),
    ("Tbps", 1e12),
];
const SHOWN: &[(&str, u64)] = &[
    ("Tbps", 1_000_000_000_000),
    ("Gbps", 1_000_000_000),
    ("Mbps", 1_000_000),
    ("kbps", 1_000),
    ("bps", 1),
];

impl FromStr for Rate {
    type Err = UnitError;
    fn from_str(s: &str) -> Result<Self, UnitError> {
        let (digits, unit) = text::split(s);
        if let "mbps" | "gbps" | "tbps" | "Kbps" = unit {
            let capital = format!("{}{}", unit[..1].to_uppercase(), &unit[1..]);
            let capital = if unit == "Kbps" { "kbps".to_string() } else { capital };
            return Err(UnitError(format!(
                "`{unit}` is ambiguous (tc reads `mbps` as megabytes per second): write \"{digits} \
                    {capital}\" for bits, eight times as much for bytes"
            )));
        }
        match text::parse(s, "rate", UNITS, "100 Mbps")? {
            0 => Err(UnitError("a rate must be above zero".into())),
            bps => Ok(Rate(bps)),
        }
    }
}
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As of bytes: nothing at all is shown in the base unit.
        if self.0 == 0 {
            return f.write_str("0 bps");
        }
        text::show(f, self.0, SHOWN)
    }
}
impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
unit_serde!(
    Rate,
    "rate",
    "100 Mbps",
    "^\\s*[0-9.eE+-]+\\s*(bps|kbps|Mbps|Gbps|Tbps|bit/s|kbit/s|Mbit/s|Gbit/s)\\s*$"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainder_keeps_the_long_run_rate_exact() {
        let mut t = Transmitter::new(Rate::from_bps(7_000_003));
        let total: u64 = (0..7_000_003u32).map(|_| t.span(1).ps()).sum();
        assert_eq!(total, PS_BPS_PER_BYTE);
    }

    #[test]
    fn nothing_is_shown_in_the_base_unit() {
        assert_eq!(Rate::from_bps(0).to_string(), "0 bps");
    }

    #[test]
    fn lower_case_mbps_names_both_readings() {
        let e = "100mbps".parse::<Rate>().unwrap_err().0;
        assert!(e.contains("megabytes") && e.contains("100 Mbps"), "{e}");
    }
}
