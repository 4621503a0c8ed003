//! Packets to be written, in the order of their due times.
use super::network::Outgoing;
use dumbbell_core::units::Time;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A packet to write, and its rank among those of the same instant.
#[derive(Clone, Copy, Debug)]
struct Entry {
    order: u64,
    out: Outgoing,
}

impl Entry {
    fn key(&self) -> (Time, u64) {
        (self.out.at, self.order)
    }
}
impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// A priority queue of packets to be written.
#[derive(Default)]
pub struct Departures {
    heap: BinaryHeap<Reverse<Entry>>,
    count: u64,
}

impl Departures {
    /// Room for some thousands before anything is allocated.
    pub fn new() -> Self {
        Departures { heap: BinaryHeap::with_capacity(1 << 14), count: 0 }
    }
    /// Adds a packet; packets of one instant leave in the order in which they were added.
    #[inline]
    pub fn push(&mut self, out: Outgoing) {
        self.count += 1;
        self.heap.push(Reverse(Entry { order: self.count, out }));
    }
    /// Due time of the first packet.
    #[inline]
    pub fn next(&self) -> Option<Time> {
        self.heap.peek().map(|Reverse(entry)| entry.out.at)
    }
    /// The first, if it is due by `now`.
    #[inline]
    pub fn due(&mut self, now: Time) -> Option<Outgoing> {
        if self.next()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse(entry)| entry.out)
    }
    /// True if none waits.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::packet::{Dscp, Ecn};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_leave_when_they_are_due_and_in_their_order(
            dues in prop::collection::vec(0u64..50, 0..100),
            step in 1u64..60,
        ) {
            let mut departures = Departures::new();
            for (number, due) in dues.iter().enumerate() {
                departures.push(Outgoing {
                    at: Time::from_ps(*due),
                    socket: 0,
                    number: number as u64,
                    ecn: Ecn::NotEct,
                    dscp: Dscp(0),
                    fragment: None,
                    damaged: false,
                    icmp_error: None,
                });
            }
            prop_assert_eq!(departures.next().map(Time::ps), dues.iter().min().copied());
            let (mut left, mut now) = (vec![], 0);
            while !departures.is_empty() {
                while let Some(out) = departures.due(Time::from_ps(now)) {
                    prop_assert!(out.at.ps() <= now && now - out.at.ps() < step, "not before its \
                        time, and not after a step");
                    left.push((out.at.ps(), out.number));
                }
                now += step;
            }
            prop_assert_eq!(left.len(), dues.len());
            prop_assert!(left.is_sorted());
        }
    }
}
