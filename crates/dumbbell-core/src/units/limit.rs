//! The size of a buffer: as a user writes it, and as a port counts it.
use super::quantity::{BYTE_UNITS, PACKET_UNITS};
use super::text::{self, Number, UnitError, unit_serde};
use super::{Bytes, Packets, Rate, Span};
use crate::units::backlog::{Backlog, taken};
use std::fmt;
use std::str::FromStr;

/// A buffer's size as written: `"36 pkt"`, `"64 kB"`, `"64 x 2048 B"` (buffers of one size),
/// `"10 ms"` (of the link's rate), `"1 BDP"`, `"unlimited"`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Limit {
    /// A number of packets, whatever their size.
    Packets(Packets),
    /// A number of bytes.
    Bytes(Bytes),
    /// A number of buffers of one size, of which a packet takes as many as it needs, whole.
    Buffers(u32, Bytes),
    /// The bytes that the link sends in this time.
    Time(Span),
    /// A multiple of link rate times the base round-trip time, in bytes.
    Bdp(f64),
    /// No limit.
    Unlimited,
}

impl Limit {
    /// The cause and the fix for a limit that counts packets and has a part of one.
    pub fn part_of_packet(self) -> Option<(String, String)> {
        let Limit::Packets(Packets(n)) = self else { return None };
        let cause = format!("{self} is not a whole number of packets");
        (n.fract() != 0.0).then(|| (cause, format!("write \"{}\"", Packets(n.trunc().max(1.0)))))
    }
    /// The capacity on a link of `rate`; `base_rtt` is the round-trip time that a `BDP` refers to.
    pub fn resolve(self, rate: Rate, base_rtt: Span) -> Capacity {
        match self {
            Limit::Packets(p) => Capacity::Packets(p.0 as u32),
            Limit::Bytes(b) => Capacity::Bytes(b.0),
            Limit::Buffers(count, size) => Capacity::Buffers { count, size: size.0 as u32 },
            Limit::Time(t) => Capacity::Bytes(rate.bytes_in(t)),
            Limit::Bdp(k) => Capacity::Bytes(rate.bytes_in(base_rtt.scaled(k))),
            Limit::Unlimited => Capacity::Unlimited,
        }
    }
}

const BUFFERS: &str = "64 x 2048 B";

/// `count` buffers of `size`.
fn buffers(count: &str, size: &str, whole: &str) -> Result<Limit, UnitError> {
    let wrong = |cause: String| {
        UnitError(format!(
            "{cause}: write a number and a size, as in \
        \"{BUFFERS}\""
        ))
    };
    let number: u32 = count.replace('_', "").parse().map_err(|_| {
        wrong(format!(
            "`{whole}` is not a number of buffers of one size: `{count}` is not a whole number up \
                to {}",
            u32::MAX
        ))
    })?;
    let size: Bytes = size.trim().parse().map_err(|UnitError(e)| {
        wrong(format!(
            "the size of the buffers in \
            `{whole}`: {e}"
        ))
    })?;
    if size.0 == 0 || size.0 > u64::from(u32::MAX) {
        return Err(wrong(format!("`{whole}`: a buffer has from 1 to {} bytes", u32::MAX)));
    }
    Ok(Limit::Buffers(number, size))
}

impl FromStr for Limit {
    type Err = UnitError;
    fn from_str(s: &str) -> Result<Self, UnitError> {
        const EXAMPLE: &str = "36 pkt";
        let (digits, unit) = text::split(s);
        if let Some(size) = unit.strip_prefix(['x', '×']) {
            return buffers(digits, size, s);
        }
        if digits.is_empty() && unit != "unlimited" {
            text::number(digits, s, "buffer limit", EXAMPLE)?;
        }
        match unit {
            "unlimited" => Ok(Limit::Unlimited),
            "" => Err(UnitError(text::bare("buffer limit", digits, EXAMPLE))),
            "BDP" => text::number(digits, s, "buffer limit", "1 BDP").map(Limit::Bdp),
            u if PACKET_UNITS.contains(&u) => s.parse().map(Limit::Packets),
            u if BYTE_UNITS.iter().any(|(n, _)| *n == u) => s.parse().map(Limit::Bytes),
            u => s.parse().map(Limit::Time).map_err(|_| {
                UnitError(format!(
                    "`{u}` is not a unit of a buffer limit; write pkt, B, kB, MB, ms, s or BDP, as \
                        in \"{EXAMPLE}\", or buffers of one size, as in \"{BUFFERS}\""
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
            Limit::Buffers(count, size) => write!(f, "{count} x {} B", size.0),
            Limit::Time(x) => fmt::Display::fmt(x, f),
            Limit::Bdp(x) => write!(f, "{} BDP", Number(*x)),
            Limit::Unlimited => f.write_str("unlimited"),
        }
    }
}
unit_serde!(
    Limit,
    "buffer limit",
    "36 pkt",
    "^\\s*([0-9.eE+-]+\\s*(pkt|pkts|packet|packets|B|kB|MB|GB|TB|KiB|MiB|GiB|ps|ns|us|µs|ms|s|\
        BDP)|[0-9_]+\\s*[x×]\\s*[0-9.eE+-]+\\s*(B|kB|MB|GB|TB|KiB|MiB|\
        GiB)|unlimited)\\s*$"
);

/// A buffer's size as a port counts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capacity {
    /// At most this many packets wait.
    Packets(u32),
    /// At most this many bytes wait.
    Bytes(u64),
    /// A packet comes in while fewer bytes than this wait: the last one may go beyond it.
    Reached(u64),
    /// At most this many buffers are in use, of which each packet takes as many as it needs, whole.
    Buffers {
        /// The number of buffers.
        count: u32,
        /// Bytes of each, at least 1.
        size: u32,
    },
    /// Everything fits.
    Unlimited,
}

impl Capacity {
    /// True if a packet of `bytes` fits beside a backlog, whose buffers are counted if this counts
    /// them.
    #[inline]
    pub fn fits(self, waits: Backlog, bytes: u32) -> bool {
        match self {
            Capacity::Packets(n) => waits.packets < n,
            Capacity::Bytes(n) => waits.bytes + u64::from(bytes) <= n,
            Capacity::Reached(n) => waits.bytes < n,
            Capacity::Unlimited => true,
            Capacity::Buffers { count, size } => {
                taken(size, bytes) <= count.saturating_sub(waits.buffers)
            }
        }
    }
    /// The limit in packets of `size` bytes, rounded down; `None` if there is none.
    pub fn in_packets(self, size: u32) -> Option<f64> {
        match self {
            Capacity::Packets(n) => Some(f64::from(n)),
            Capacity::Bytes(n) => Some(n as f64 / f64::from(size.max(1))),
            Capacity::Reached(n) => Some(n.div_ceil(u64::from(size.max(1))) as f64),
            Capacity::Buffers { count, size: page } => {
                Some(f64::from(count / taken(page, size).max(1)))
            }
            Capacity::Unlimited => None,
        }
    }
    /// The use of the buffer by a backlog, in the unit of the limit: (backlog, limit); `None` if
    /// there is no limit.
    pub fn filled(self, waits: Backlog) -> Option<(f64, f64)> {
        match self {
            Capacity::Packets(n) => Some((f64::from(waits.packets), f64::from(n))),
            Capacity::Bytes(n) | Capacity::Reached(n) => Some((waits.bytes as f64, n as f64)),
            Capacity::Buffers { count, .. } => Some((f64::from(waits.buffers), f64::from(count))),
            Capacity::Unlimited => None,
        }
    }
    /// Bytes of each buffer; `None` where no buffers are counted.
    #[inline]
    pub fn buffer_size(self) -> Option<u32> {
        match self {
            Capacity::Buffers { size, .. } => Some(size),
            _ => None,
        }
    }
    /// The capacity that a backlog leaves.
    pub fn less(self, waits: Backlog) -> Capacity {
        match self {
            Capacity::Packets(n) => Capacity::Packets(n.saturating_sub(waits.packets)),
            Capacity::Bytes(n) => Capacity::Bytes(n.saturating_sub(waits.bytes)),
            Capacity::Reached(n) => Capacity::Reached(n.saturating_sub(waits.bytes)),
            Capacity::Buffers { count, size } => {
                Capacity::Buffers { count: count.saturating_sub(waits.buffers), size }
            }
            Capacity::Unlimited => Capacity::Unlimited,
        }
    }
    /// The same size, full once it is reached; `None` where buffers are counted, of which a packet
    /// takes whole ones.
    pub fn until_reached(self) -> Option<Capacity> {
        match self {
            Capacity::Bytes(n) => Some(Capacity::Reached(n)),
            Capacity::Buffers { .. } => None,
            other => Some(other),
        }
    }
    /// True if a backlog exceeds it; of [`Capacity::Reached`], true if no other packet comes in.
    pub fn exceeded(self, waits: Backlog) -> bool {
        match self {
            Capacity::Packets(n) => waits.packets > n,
            Capacity::Bytes(n) => waits.bytes > n,
            Capacity::Reached(n) => waits.bytes >= n,
            Capacity::Buffers { count, .. } => waits.buffers > count,
            Capacity::Unlimited => false,
        }
    }
}
