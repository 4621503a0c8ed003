//! The packet numbers that a receiver tracks (RFC 9000 section 13.2.3).
use crate::wire::{MAX_RANGES, Ranges};

/// A range is forgotten once so many ACKs have reported it as it is. RFC 9000 section 13.2.4
/// forgets it when an ACK that reports it is acknowledged; a sender of bulk data here acknowledges
/// nothing.
const REPEATED: u32 = 16;

/// A range of numbers, all of which arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    from: u64,
    to: u64,
    /// ACKs that reported it since it last grew.
    told: u32,
}

/// The most recent ranges, ascending, with gaps between them.
#[derive(Clone, Debug, Default)]
pub(super) struct Received {
    ranges: Vec<Range>,
    /// Numbers below are not tracked: such packets are dropped (section 12.3).
    floor: u64,
}

impl Received {
    /// The number after the largest that arrived.
    #[inline]
    pub fn next(&self) -> u64 {
        self.ranges.last().map_or(self.floor, |range| range.to)
    }

    /// A packet arrives; false if it had arrived, or is no longer tracked.
    #[inline]
    pub fn insert(&mut self, number: u64) -> bool {
        match self.ranges.last_mut() {
            Some(last) if last.to == number => {
                (last.to, last.told) = (number + 1, 0);
                true
            }
            _ => self.insert_anywhere(number),
        }
    }

    #[cold]
    fn insert_anywhere(&mut self, number: u64) -> bool {
        // The ranges that end before it, or at it.
        let below = self.ranges.partition_point(|range| range.to < number);
        let inside = self.ranges.get(below).is_some_and(|r| (r.from..r.to).contains(&number));
        if number < self.floor || inside {
            return false;
        }
        let own = Range { from: number, to: number + 1, told: 0 };
        match self.ranges.get_mut(below) {
            Some(range) if range.to == number => {
                *range = Range { to: number + 1, told: 0, ..*range };
                self.join(below);
            }
            Some(range) if range.from == number + 1 => {
                *range = Range { from: number, told: 0, ..*range };
            }
            _ => self.ranges.insert(below, own),
        }
        if self.ranges.len() > MAX_RANGES {
            self.forget();
        }
        true
    }

    /// Joins a range with the next one, if they meet.
    fn join(&mut self, i: usize) {
        if let Some(next) = self.ranges.get(i + 1).copied()
            && next.from == self.ranges[i].to
        {
            self.ranges[i].to = next.to;
            self.ranges.remove(i + 1);
        }
    }

    /// Forgets the lowest range.
    fn forget(&mut self) {
        self.floor = self.ranges.remove(0).to;
    }

    /// What an ACK reports that leaves now.
    pub fn report(&mut self) -> Ranges {
        let mut report = Ranges::default();
        for range in self.ranges.iter_mut().rev() {
            report.push(range.from, range.to);
            range.told += 1;
        }
        while self.ranges.len() > 1 && self.ranges[0].told >= REPEATED {
            self.forget();
        }
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(received: &mut Received) -> Vec<(u64, u64)> {
        received.report().iter().collect()
    }

    #[test]
    fn ranges_grow_join_and_are_forgotten() {
        let mut received = Received::default();
        for number in [0, 1, 5, 3] {
            assert!(received.insert(number));
        }
        assert_eq!(list(&mut received), [(5, 6), (3, 4), (0, 2)]);
        assert!(received.insert(4) && !received.insert(4) && !received.insert(1));
        assert_eq!(list(&mut received), [(3, 6), (0, 2)]);
        for number in [8, 10, 12] {
            assert!(received.insert(number));
        }
        assert_eq!(list(&mut received), [(12, 13), (10, 11), (8, 9), (3, 6)], "four at most");
        assert!(!received.insert(1) && received.insert(2), "0 to 1 are forgotten");
    }

    #[test]
    fn a_range_is_reported_sixteen_times() {
        let mut received = Received::default();
        assert!([0, 1, 3].into_iter().all(|number| received.insert(number)));
        for _ in 0..REPEATED {
            assert_eq!(list(&mut received), [(3, 4), (0, 2)]);
        }
        assert_eq!(list(&mut received), [(3, 4)]);
    }

    proptest! {
        /// A plain set of numbers says the same, as far as the receiver tracks them.
        #[test]
        fn agrees_with_a_set(numbers in prop::collection::vec(0u64..40, 1..80)) {
            let mut received = Received::default();
            let mut set = std::collections::BTreeSet::new();
            for number in numbers {
                let tracked = number >= received.floor;
                prop_assert_eq!(received.insert(number), tracked && !set.contains(&number));
                if tracked {
                    set.insert(number);
                }
                let reported: Vec<u64> =
                    received.ranges.iter().flat_map(|r| r.from..r.to).collect();
                let kept: Vec<u64> = set.range(reported[0]..).copied().collect();
                prop_assert_eq!(reported, kept);
                prop_assert!(received.ranges.windows(2).all(|w| w[0].to < w[1].from));
                prop_assert!(received.ranges.len() <= MAX_RANGES);
            }
        }
    }
}
