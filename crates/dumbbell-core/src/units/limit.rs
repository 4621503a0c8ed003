//! How much a buffer holds: as a user writes it, and as a port counts it.
use super::quantity::{BYTE_UNITS, PACKET_UNITS};
use super::text::{self, UnitError, unit_serde};
use super::{Bytes, Packets, Rate, Span};
use std::fmt;
use std::str::FromStr;

/// A buffer's size as written: `"36 pkt"`, `"64 kB"`, `"10 ms"` (of the link's rate), `"1 BDP"`, `"unlimited"`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Limit {
    /// A number of packets, whatever their size.
    Packets(Packets),
    /// A number of bytes.
    Bytes(Bytes),
    /// What the link sends in this time, in bytes.
    Time(Span),
    /// A multiple of link rate times the base round-trip time, in bytes.
    Bdp(f64),
    /// No limit.
    Unlimited,
}

impl Limit {
    /// The capacity on a link of `rate`; `base_rtt` is the round-trip time that a `BDP` refers to.
    pub fn resolve(self, rate: Rate, base_rtt: Span) -> Capacity {
        match self {
            Limit::Packets(p) => Capacity::Packets(p.0 as u32),
            Limit::Bytes(b) => Capacity::Bytes(b.0),
            Limit::Time(t) => Capacity::Bytes(rate.bytes_in(t)),
            Limit::Bdp(k) => Capacity::Bytes(rate.bytes_in(base_rtt.scaled(k))),
            Limit::Unlimited => Capacity::Unlimited,
        }
    }
}

impl FromStr for Limit {
    type Err = UnitError;
    fn from_str(s: &str) -> Result<Self, UnitError> {
        const EXAMPLE: &str = "36 pkt";
        let (digits, unit) = text::split(s);
        match unit {
            "unlimited" if digits.is_empty() => Ok(Limit::Unlimited),
            "" => Err(UnitError(text::bare("buffer limit", digits, EXAMPLE))),
            "BDP" => text::number(digits, s, "buffer limit", "1 BDP").map(Limit::Bdp),
            u if PACKET_UNITS.contains(&u) => s.parse().map(Limit::Packets),
            u if BYTE_UNITS.iter().any(|(n, _)| *n == u) => s.parse().map(Limit::Bytes),
            u => s.parse().map(Limit::Time).map_err(|_| {
                UnitError(format!(
                    "`{u}` is not a unit of a buffer limit; write pkt, B, kB, MB, ms, s or BDP, as in \"{EXAMPLE}\""
                ))
            }),
        }
    }
}
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Packets(x) => x.fmt(f),
            Limit::Bytes(x) => x.fmt(f),
            Limit::Time(x) => fmt::Display::fmt(x, f),
            Limit::Bdp(x) => write!(f, "{x} BDP"),
            Limit::Unlimited => f.write_str("unlimited"),
        }
    }
}
unit_serde!(
    Limit,
    "buffer limit",
    "36 pkt",
    "^\\s*([0-9.eE+-]+\\s*(pkt|pkts|packet|packets|B|kB|MB|GB|TB|KiB|MiB|GiB|ps|ns|us|µs|ms|s|BDP)|unlimited)\\s*$"
);

/// A buffer's size as a port counts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capacity {
    /// At most this many packets wait.
    Packets(u32),
    /// At most this many bytes wait.
    Bytes(u64),
    /// Everything fits.
    Unlimited,
}

impl Capacity {
    /// Whether a packet of `bytes` fits beside a backlog of (`packets`, `backlog_bytes`).
    #[inline]
    pub fn fits(self, packets: u32, backlog_bytes: u64, bytes: u32) -> bool {
        match self {
            Capacity::Packets(n) => packets < n,
            Capacity::Bytes(n) => backlog_bytes + u64::from(bytes) <= n,
            Capacity::Unlimited => true,
        }
    }
    /// The limit in packets of `size` bytes, rounded down; `None` if there is none.
    pub fn in_packets(self, size: u32) -> Option<f64> {
        match self {
            Capacity::Packets(n) => Some(f64::from(n)),
            Capacity::Bytes(n) => Some(n as f64 / f64::from(size.max(1))),
            Capacity::Unlimited => None,
        }
    }
}
