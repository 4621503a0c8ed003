//! Packets that were lost in a row.
use std::collections::VecDeque;

/// Runs that may still grow: several links report losses, one of them earlier than another.
const OPEN: usize = 64;

/// Runs of lost packets by number: the loss periods of RFC 3357, section 4.
#[derive(Default)]
pub(crate) struct Runs {
    /// First and last of each, in order, apart from each other.
    open: VecDeque<(u64, u64)>,
    longest: u64,
}

impl Runs {
    /// One more was lost; a second word of the same one changes nothing.
    pub(crate) fn add(&mut self, number: u64) {
        // The first run that does not end before its neighbor.
        let at = self.open.partition_point(|run| run.1 + 1 < number);
        let (mut from, mut to) = (number, number);
        while let Some(run) = self.open.get(at).filter(|run| run.0 <= to + 1) {
            (from, to) = (from.min(run.0), to.max(run.1));
            self.open.remove(at);
        }
        self.open.insert(at, (from, to));
        self.longest = self.longest.max(to - from + 1);
        if self.open.len() > OPEN {
            self.open.pop_front();
        }
    }
    /// The longest so far, packets.
    pub(crate) fn longest(&self) -> u64 {
        self.longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn longest(lost: &[u64]) -> u64 {
        let mut runs = Runs::default();
        lost.iter().for_each(|n| runs.add(*n));
        runs.longest()
    }

    #[test]
    fn by_hand() {
        assert_eq!(longest(&[]), 0);
        assert_eq!(longest(&[3, 4, 9]), 2);
        assert_eq!(longest(&[3, 5, 4, 4]), 3, "told in another order, and twice");
    }

    proptest! {
        /// Against marks in a row of truths, told in any order within so many runs.
        #[test]
        fn as_by_marks(lost in prop::collection::vec(0u64..100, 0..60)) {
            let mut best = 0;
            let mut now = 0;
            for n in 0..100 {
                now = if lost.contains(&n) { now + 1 } else { 0 };
                best = best.max(now);
            }
            prop_assert_eq!(longest(&lost), best);
        }
    }
}
