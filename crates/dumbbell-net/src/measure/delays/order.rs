//! Reordering (RFC 4737).
use std::collections::VecDeque;

/// Gaps that are remembered. A packet that comes behind so many others is late by at least as much
/// as the oldest of them tells.
const GAPS: usize = 256;

/// Numbers that had not come when a later one did.
struct Gap {
    /// The end of these numbers; where they begin is of no matter, for none below was missing.
    to: u64,
    /// The number of the arrival that opened the gap.
    arrival: u64,
}

/// The order of arrival of one flow's packets, each once.
#[derive(Default)]
pub(crate) struct Order {
    /// One more than the largest number that came: NextExp of RFC 4737, section 3.3.
    next_expected: u64,
    arrivals: u64,
    gaps: VecDeque<Gap>,
    reordered: u64,
    extent_max: u64,
}

impl Order {
    /// A packet comes; whether it is reordered, by the RFC's definition: its number is smaller than
    /// one that came before it.
    #[inline]
    pub(crate) fn came(&mut self, number: u64, counts: bool) -> bool {
        self.arrivals += 1;
        if number == self.next_expected {
            self.next_expected += 1;
            return false;
        }
        self.came_with_care(number, counts)
    }

    #[cold]
    fn came_with_care(&mut self, number: u64, counts: bool) -> bool {
        if number > self.next_expected {
            if self.gaps.len() == GAPS {
                self.gaps.pop_front();
            }
            self.gaps.push_back(Gap { to: number, arrival: self.arrivals });
            self.next_expected = number + 1;
            return false;
        }
        if counts {
            self.reordered += 1;
            self.extent_max = self.extent_max.max(self.extent(number));
        }
        true
    }

    /// The reordering extent of the packet that comes now (section 4.2.1): how many arrivals ago
    /// the first with a larger number came. That one opened the gap in which the late one's number
    /// lies.
    fn extent(&self, number: u64) -> u64 {
        let gap = self.gaps.get(self.gaps.partition_point(|gap| gap.to <= number));
        gap.map_or(0, |gap| self.arrivals - gap.arrival)
    }

    /// Packets that were reordered.
    pub(crate) fn reordered(&self) -> u64 {
        self.reordered
    }
    /// Largest extent.
    pub(crate) fn extent_max(&self) -> u64 {
        self.extent_max
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// RFC 4737, sections 3.3 and 4.2.1, word by word over the whole list, which says nothing of
    /// gaps: a packet i is reordered if s[i] < NextExp; its extent is i - j for the smallest j with
    /// s[j] > s[i].
    fn by_the_rfc(arrived: &[u64]) -> (u64, u64) {
        let (mut next_exp, mut reordered, mut most) = (0, 0, 0);
        for (i, s) in arrived.iter().enumerate() {
            if *s >= next_exp {
                next_exp = s + 1;
            } else {
                reordered += 1;
                let j = arrived[..i].iter().position(|other| other > s).unwrap();
                most = most.max((i - j) as u64);
            }
        }
        (reordered, most)
    }

    fn by_ours(arrived: &[u64]) -> (u64, u64) {
        let mut order = Order::default();
        arrived.iter().for_each(|s| {
            order.came(*s, true);
        });
        (order.reordered(), order.extent_max())
    }

    #[test]
    fn one_packet_late_by_three() {
        let arrived = [1, 2, 3, 5, 6, 7, 4, 8, 9, 10];
        assert_eq!(by_ours(&arrived), (1, 3));
        assert_eq!(by_the_rfc(&arrived), (1, 3));
    }

    proptest! {
        #[test]
        fn as_the_rfc_says(keys in prop::collection::vec((any::<bool>(), 0u64..40), 1..300)) {
            // Some are lost, and each is late by some places.
            let mut order: Vec<(u64, u64)> = (0..)
                .zip(&keys)
                .filter(|(_, (there, _))| *there)
                .map(|(i, (_, late))| (i + late, i))
                .collect();
            order.sort_unstable();
            let arrived: Vec<u64> = order.into_iter().map(|(_, i)| i).collect();
            prop_assert_eq!(by_ours(&arrived), by_the_rfc(&arrived));
        }
    }
}
