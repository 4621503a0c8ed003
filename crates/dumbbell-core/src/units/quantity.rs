//! Amounts of data: bytes and packets.
use super::text::{self, Number, UnitError, unit_serde};
use std::fmt;
use std::str::FromStr;

/// An amount of data in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub u64);

pub(super) const BYTE_UNITS: &[(&str, f64)] = &[
    ("B", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
];
const BYTES_SHOWN: &[(&str, u64)] =
    &[("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000), ("B", 1)];

impl FromStr for Bytes {
    type Err = UnitError;
    fn from_str(s: &str) -> Result<Self, UnitError> {
        text::parse(s, "size", BYTE_UNITS, "1500 B").map(Bytes)
    }
}
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Nothing at all is shown in the base unit, not in the largest.
        if self.0 == 0 {
            return f.write_str("0 B");
        }
        text::show(f, self.0, BYTES_SHOWN)
    }
}
impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
unit_serde!(Bytes, "size", "1500 B", "^\\s*[0-9.eE+-]+\\s*(B|kB|MB|GB|TB|KiB|MiB|GiB)\\s*$");

/// A number of packets; fractions are allowed, because averages and thresholds have them.
#[derive(Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Packets(pub f64);

pub(super) const PACKET_UNITS: &[&str] = &["pkt", "pkts", "packet", "packets"];

impl FromStr for Packets {
    type Err = UnitError;
    fn from_str(s: &str) -> Result<Self, UnitError> {
        let (digits, unit) = text::split(s);
        let value = text::number(digits, s, "number of packets", "36 pkt")?;
        match unit {
            "" => Err(UnitError(text::bare("number of packets", digits, "36 pkt"))),
            u if PACKET_UNITS.contains(&u) => Ok(Packets(value)),
            u => Err(UnitError(format!("`{u}` is not a unit of packets; write \"{digits} pkt\""))),
        }
    }
}
impl fmt::Display for Packets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} pkt", Number(self.0))
    }
}
impl fmt::Debug for Packets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
unit_serde!(
    Packets,
    "number of packets",
    "36 pkt",
    "^\\s*[0-9.eE+-]+\\s*(pkt|pkts|packet|packets)\\s*$"
);
