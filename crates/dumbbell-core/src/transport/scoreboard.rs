//! The SACK scoreboard: data that the receiver reported above the cumulative acknowledgment.

/// The selectively acknowledged ranges, sorted, disjoint, above SND.UNA (RFC 6675 section 3).
/// Offsets in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scoreboard {
    ranges: Vec<(u64, u64)>,
    bytes: u64,
}

impl Scoreboard {
    /// True if nothing is selectively acknowledged.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
    /// The ranges, `[from, to)`, ascending.
    pub fn ranges(&self) -> &[(u64, u64)] {
        &self.ranges
    }
    /// Bytes in all ranges.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
    /// The end of the highest range.
    pub fn highest(&self) -> Option<u64> {
        self.ranges.last().map(|r| r.1)
    }

    /// Takes `[from, to)` in; returns how many of its bytes are new.
    pub fn insert(&mut self, from: u64, to: u64) -> u64 {
        if from >= to {
            return 0;
        }
        let first = self.ranges.partition_point(|r| r.1 < from);
        let touched = self.ranges[first..].iter().take_while(|r| r.0 <= to).count();
        let behind = first + touched;
        let known: u64 = self.ranges[first..behind].iter().map(|r| r.1 - r.0).sum();
        let (mut start, mut end) = (from, to);
        if touched == 0 {
            self.ranges.insert(first, (from, to));
        } else {
            (start, end) = (from.min(self.ranges[first].0), to.max(self.ranges[behind - 1].1));
            self.ranges[first] = (start, end);
            self.ranges.drain(first + 1..behind);
        }
        let new = end - start - known;
        self.bytes += new;
        new
    }

    /// Adds to `holes` the parts of `[from, to)` that are not selectively acknowledged.
    pub fn missing(&self, from: u64, to: u64, holes: &mut Vec<(u64, u64)>) {
        let mut start = from;
        let first = self.ranges.partition_point(|r| r.1 <= from);
        for r in self.ranges[first..].iter().take_while(|r| r.0 < to) {
            if start < r.0 {
                holes.push((start, r.0));
            }
            start = r.1;
        }
        if start < to {
            holes.push((start, to));
        }
    }

    /// Forgets what lies below `una`; returns how many of those bytes were selectively
    /// acknowledged.
    pub fn advance(&mut self, una: u64) -> u64 {
        let before = self.bytes;
        let gone = self.ranges.partition_point(|r| r.1 <= una);
        self.bytes -= self.ranges.drain(..gone).map(|r| r.1 - r.0).sum::<u64>();
        if let Some(head) = self.ranges.first_mut()
            && head.0 < una
        {
            self.bytes -= una - head.0;
            head.0 = una;
        }
        before - self.bytes
    }

    /// Forgets everything: the receiver reneged, or the connection started again.
    pub fn clear(&mut self) {
        self.ranges.clear();
        self.bytes = 0;
    }

    /// Bytes of `[from, to)` that are selectively acknowledged.
    pub fn bytes_within(&self, from: u64, to: u64) -> u64 {
        let first = self.ranges.partition_point(|r| r.1 <= from);
        self.ranges[first..]
            .iter()
            .take_while(|r| r.0 < to)
            .map(|r| r.1.min(to) - r.0.max(from))
            .sum()
    }

    /// The first hole that ends at or above `from`, cut to begin there; only holes below
    /// [`Self::highest`].
    pub fn hole(&self, from: u64) -> Option<(u64, u64)> {
        let mut start = from;
        let first = self.ranges.partition_point(|r| r.1 <= from);
        for r in &self.ranges[first..] {
            if start < r.0 {
                return Some((start, r.0));
            }
            start = start.max(r.1);
        }
        None
    }

    /// The end of the range that covers `at`, if one does.
    #[inline]
    pub fn skip(&self, at: u64) -> Option<u64> {
        let r = self.ranges.get(self.ranges.partition_point(|r| r.1 <= at))?;
        (r.0 <= at).then_some(r.1)
    }

    /// The start of the first range above `at`.
    #[inline]
    pub fn next_start(&self, at: u64) -> Option<u64> {
        self.ranges.get(self.ranges.partition_point(|r| r.0 <= at)).map(|r| r.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A plain set of bytes says the same.
        #[test]
        fn agrees_with_a_set(ops in prop::collection::vec((0u64..60, 0u64..12, 0u64..8), 1..40)) {
            let mut board = Scoreboard::default();
            let mut set = std::collections::BTreeSet::new();
            let mut una = 0;
            for (from, len, ack) in ops {
                let from = from.max(una);
                let mut holes = Vec::new();
                board.missing(from, from + len, &mut holes);
                let absent: Vec<u64> = (from..from + len).filter(|b| !set.contains(b)).collect();
                prop_assert_eq!(holes.iter().flat_map(|h| h.0..h.1).collect::<Vec<_>>(), absent);
                let fresh = (from..from + len).filter(|b| set.insert(*b)).count() as u64;
                prop_assert_eq!(board.insert(from, from + len), fresh);
                if ack == 0 {
                    una = from;
                    let kept = set.split_off(&una);
                    prop_assert_eq!(board.advance(una), set.len() as u64);
                    set = kept;
                }
                prop_assert_eq!(board.bytes(), set.len() as u64);
                prop_assert_eq!(board.highest(), set.last().map(|b| b + 1));
                prop_assert_eq!(board.bytes_within(20, 33), set.range(20..33).count() as u64);
                let hole = (una..set.last().copied().unwrap_or(0)).find(|b| !set.contains(b));
                prop_assert_eq!(board.hole(una).map(|h| h.0), hole);
                prop_assert!(board.ranges().windows(2).all(|w| w[0].1 < w[1].0));
                prop_assert_eq!(board.is_empty(), set.is_empty());
                for at in una..75 {
                    let end = (at..).find(|b| !set.contains(b)).filter(|end| *end > at);
                    prop_assert_eq!(board.skip(at), end);
                    let starts =
                        |b: &u64| set.contains(b) && (*b == una || !set.contains(&(b - 1)));
                    prop_assert_eq!(board.next_start(at), (at + 1..75).find(starts));
                    prop_assert_eq!(
                        board.bytes_within(una, at),
                        set.range(una..at).count() as u64
                    );
                }
            }
        }
    }
}
