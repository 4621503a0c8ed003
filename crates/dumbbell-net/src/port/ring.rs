//! Departure times of a backlog: a ring whose size is a power of two, so that a slot is found with
//! one mask.
use dumbbell_core::units::Time;

/// (When a packet leaves the backlog, its length in bytes), first in, first out.
///
/// The first is not in the ring: a port where hardly anything waits touches no other memory.
#[derive(Default)]
pub(crate) struct Ring {
    first: Time,
    first_bytes: u32,
    /// The number of packets, with the first.
    held: u32,
    /// The numbers of those in `slots` that come next: to be taken out, and to be put in.
    next: usize,
    free: usize,
    slots: Vec<(Time, u32)>,
}

impl Ring {
    /// Takes those out that leave by `t`, and gives `left` each.
    #[inline(always)]
    pub(crate) fn drain(&mut self, t: Time, mut left: impl FnMut(Time, u32)) {
        while self.held > 0 && self.first <= t {
            let (leaves, bytes) = (self.first, self.first_bytes);
            self.held -= 1;
            let mask = self.slots.len().wrapping_sub(1);
            if self.held > 0
                && let Some(slot) = self.slots.get(self.next & mask)
            {
                (self.first, self.first_bytes) = *slot;
                self.next += 1;
            }
            left(leaves, bytes);
        }
    }
    /// Another one, not before those that are in.
    #[inline]
    pub(crate) fn push(&mut self, leaves: Time, bytes: u32) {
        self.held += 1;
        if self.held == 1 {
            (self.first, self.first_bytes) = (leaves, bytes);
            (self.next, self.free) = (0, 0);
            return;
        }
        if self.free - self.next == self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        if let Some(slot) = self.slots.get_mut(self.free & mask) {
            *slot = (leaves, bytes);
        }
        self.free += 1;
    }

    #[cold]
    fn grow(&mut self) {
        let (behind, size) = (self.free - self.next, self.slots.len());
        let mut larger: Vec<_> =
            (0..behind).map(|i| self.slots[(self.next + i) & (size - 1)]).collect();
        larger.resize((2 * size).max(16), (Time::ZERO, 0));
        (self.slots, self.next, self.free) = (larger, 0, behind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        /// Against the queue of the standard library, through growth and many turns.
        #[test]
        fn is_a_queue(steps in prop::collection::vec((any::<bool>(), 0u64..3), 0..600)) {
            let (mut ring, mut model, mut now) = (Ring::default(), VecDeque::new(), 0);
            for (i, (push, wait)) in steps.into_iter().enumerate() {
                if push {
                    ring.push(Time::from_ps(i as u64), i as u32);
                    model.push_back((Time::from_ps(i as u64), i as u32));
                } else {
                    now += wait;
                    let mut left = Vec::new();
                    ring.drain(Time::from_ps(now), |leaves, bytes| left.push((leaves, bytes)));
                    let rest = model.split_off(model.partition_point(|(t, _)| t.ps() <= now));
                    prop_assert_eq!(left, Vec::from(std::mem::replace(&mut model, rest)));
                }
            }
        }
    }
}
