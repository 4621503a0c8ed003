//! Path MTU discovery of a sender (docs/explanation/path-mtu.md). Sizes here are those of whole IP
//! packets.
//!
//! A sender begins with the largest packet that both ends allow, and has no state here until that
//! proves too large:
//!
//! ```text
//!             a notice (icmp, probe)                 pmtu_raise_after later
//!   largest ------------------------> told size -------------------------------+
//!      |                                                                       |
//!      | pmtu_black_hole timeouts   +------+                                   | icmp:
//!      +--------------------------> | base |<--------------------------------+ | largest again
//!        of one segment (probe)     +------+  probe acknowledged:            | | probe:
//!                                       |     low, mss = size                | | high = most,
//!                                       |     probe lost: high = size - 1    | | search again
//!                                       |                                    | |
//!                                       +--> search between low and high ----+ |
//!                                                    |     ^                   |
//!                                                    |     +-------------------+
//!                                                    +--> high - low < pmtu_step:
//!                                                         complete, until the raise
//! ```
//!
//! `low` is RFC 4821's search_low (RFC 8899: PLPMTU), `high` its search_high. A size that fails in
//! the course is a lost probe or a notice for one; what timed out with other data is inconclusive
//! and tried again. While at `low` timeouts repeat, the size falls to the base, and below that to
//! half of itself (RFC 4821 section 7.7).
pub(crate) mod packet_too_big;
pub(crate) mod probe;
use dumbbell_core::units::Time;

/// The plateaus of RFC 1191 section 7, highest first.
const PLATEAUS: [u32; 11] = [65_535, 32_000, 17_914, 8166, 4352, 2002, 1492, 1006, 508, 296, 68];
/// Sizes that paths are likely to have, ascending: plateaus, and the MTUs of IPv6's least (RFC
/// 8200), of Ethernet, of jumbo frames and of IP over ATM (RFC 2225). They are tried first (RFC
/// 4821 section 7.3).
const LIKELY: [u32; 12] =
    [1006, 1280, 1492, 1500, 2002, 4352, 8166, 9000, 9180, 17_914, 32_000, 65_535];
/// IPv4's least MTU (RFC 791).
const LEAST_V4: u32 = 68;

/// The largest plateau below `size`: what a notice means that says no size.
pub(super) fn plateau_below(size: u32) -> u32 {
    PLATEAUS.into_iter().find(|p| *p < size).unwrap_or(LEAST_V4)
}

/// The counters of path MTU discovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathStats {
    /// Changes of the size of a full segment.
    pub mtu_changes: u32,
    /// Probes: segments larger than the current size.
    pub mtu_probes: u32,
    /// Probes that were lost.
    pub mtu_probes_lost: u32,
    /// Reductions of the size after repeated timeouts (black holes).
    pub black_holes: u32,
    /// ICMP messages that were accepted.
    pub notices: u32,
    /// ICMP messages that were ignored: data not in flight, no smaller size, or discovery by ICMP
    /// is off.
    pub notices_ignored: u32,
}

/// A probe in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MtuProbe {
    /// Its data, `[from, to)`.
    pub from: u64,
    pub to: u64,
    /// Its size.
    pub size: u32,
}

/// The state of a sender whose path MTU differs from the MTU of its ends.
#[derive(Clone, Debug)]
pub(crate) struct PathSize {
    /// The largest size that both ends allow.
    pub most: u32,
    /// The bounds of the search: the largest size known to pass, and the largest not known to fail.
    pub low: u32,
    pub high: u32,
    /// The size that a router named for a probe: tried next.
    pub named: Option<u32>,
    pub trial: Option<MtuProbe>,
    /// The packet of the last notice that named no size, and the end of what was in flight when
    /// that was heeded: what it says of the rest of that flight is the same.
    pub unnamed: (u64, u64),
    /// No probe before everything below is acknowledged.
    pub wait: u64,
    /// The end of a lost probe whose data is on its way again.
    pub mending: u64,
    /// The time at which a larger size is tried again.
    pub raise_at: Time,
    pub stats: PathStats,
}

impl PathSize {
    /// Of a sender that has had packets of `most` so far.
    pub fn new(most: u32, base: u32) -> Self {
        PathSize {
            most,
            low: base.min(most),
            high: most,
            named: None,
            trial: None,
            unnamed: (0, 0),
            wait: 0,
            mending: 0,
            raise_at: Time::NEVER,
            stats: PathStats::default(),
        }
    }

    /// True if a notice of the packet at `at` that names no size is one more of a flight whose
    /// first was heeded: notices come in the order of the packets, and what went again began where
    /// that flight did. (RFC 1191 section 5 has the dropped packet's length to go by.)
    pub fn tells_again(&mut self, at: u64, high: u64) -> bool {
        let (last, end) = self.unnamed;
        let again = last < at && at < end;
        self.unnamed = (at, if again { end } else { high });
        again
    }

    /// The size to try next; `None` if the bounds are closer than `step`.
    pub fn next(&self, step: u32) -> Option<u32> {
        let open = |size: &u32| self.low < *size && *size <= self.high;
        let likely = LIKELY.into_iter().chain([self.most]).filter(open).min();
        match self.named.filter(open).or(likely) {
            Some(size) => Some(size),
            None if self.high.saturating_sub(self.low) < step => None,
            None => Some(self.low + (self.high - self.low).div_ceil(2)),
        }
    }

    /// A black hole, found with packets of `present`: the size to go on with (RFC 4821 section
    /// 7.7).
    pub fn fall(&mut self, present: u32, base: u32, least: u32) -> u32 {
        let size = match present {
            _ if present > self.low => self.low,
            _ if present > base => base,
            _ => (present / 2).max(least),
        };
        self.low = self.low.min(size);
        self.stats.black_holes += 1;
        size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 1191 section 7's table.
    #[test]
    fn plateaus() {
        let sizes =
            [65_536, 65_535, 32_000, 9180, 9000, 8166, 4352, 2002, 1500, 1492, 1006, 508, 296, 68];
        let below =
            [65_535, 32_000, 17_914, 8166, 8166, 4352, 2002, 1492, 1492, 1006, 508, 296, 68, 68];
        assert_eq!(sizes.map(plateau_below), below);
    }

    /// The sizes that are tried on a path of `mtu` from `base` on, and the one that is found.
    fn search(mtu: u32, most: u32, base: u32, step: u32) -> (Vec<u32>, u32) {
        let (mut path, mut tried) = (PathSize::new(most, base), vec![]);
        while let Some(size) = path.next(step) {
            assert!(path.low < size && size <= path.high, "{path:?}");
            tried.push(size);
            if size <= mtu { path.low = size } else { path.high = size - 1 }
        }
        (tried, path.low)
    }

    #[test]
    fn likely_sizes_come_first_then_halves() {
        let (tried, found) = search(1500, 9000, 1024, 8);
        assert_eq!((&tried[..4], found), (&[1280, 1492, 1500, 2002][..], 1500));
        assert!(tried.len() <= 4 + 6, "{tried:?}");
        // Nothing is wrong with the path: seven sizes, and the largest exactly.
        assert_eq!(
            search(9000, 9000, 1024, 8),
            (vec![1280, 1492, 1500, 2002, 4352, 8166, 9000], 9000)
        );
        assert_eq!(search(3000, 3000, 1024, 8).1, 3000);
        assert_eq!(search(1024, 1024, 1024, 8), (vec![], 1024));
    }

    /// Whatever the path has, it is found to less than a step, and in few probes.
    #[test]
    fn any_size_is_found() {
        for mtu in (1024..=9180).step_by(7) {
            for step in [1, 8, 32] {
                let (tried, found) = search(mtu, 9180, 1024, step);
                assert!(found <= mtu && mtu - found < step, "{mtu} {found}");
                assert!(tried.len() <= 9 + 13, "{tried:?}");
            }
        }
    }

    /// Section 7.7: to search_low, to its initial value, then halves down to the least.
    #[test]
    fn a_black_hole_leads_down() {
        let mut path = PathSize::new(9000, 1024);
        path.low = 4352;
        let mut present = 9000;
        let mut seen = vec![];
        for _ in 0..8 {
            present = path.fall(present, 1024, LEAST_V4);
            seen.push(present);
        }
        assert_eq!(seen, [4352, 1024, 512, 256, 128, 68, 68, 68]);
        assert_eq!((path.low, path.high), (68, 9000));
    }
}
