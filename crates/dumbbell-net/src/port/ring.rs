//! Departure times of a backlog: a ring whose size is a power of two, so that a slot is found with
//! one mask.
use dumbbell_core::units::Time;

/// (When a packet leaves the backlog, its length in bytes), first in, first out.
#[derive(Default)]
pub(crate) struct Ring {
    slots: Vec<(Time, u32)>,
    /// Number of packets that came, and that left.
    came: usize,
    gone: usize,
}

impl Ring {
    /// The one that leaves first.
    #[inline]
    pub(crate) fn front(&self) -> Option<(Time, u32)> {
        if self.came == self.gone {
            return None;
        }
        self.slots.get(self.gone & (self.slots.len() - 1)).copied()
    }
    /// It left.
    #[inline]
    pub(crate) fn pop(&mut self) {
        self.gone += 1;
    }
    /// Another one, not before those that are in.
    #[inline]
    pub(crate) fn push(&mut self, leaves: Time, bytes: u32) {
        if self.came - self.gone == self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        if let Some(slot) = self.slots.get_mut(self.came & mask) {
            *slot = (leaves, bytes);
        }
        self.came += 1;
    }

    #[cold]
    fn grow(&mut self) {
        let (held, size) = (self.came - self.gone, self.slots.len());
        let mut larger: Vec<_> =
            (0..held).map(|i| self.slots[(self.gone + i) & (size - 1)]).collect();
        larger.resize((2 * size).max(16), (Time::ZERO, 0));
        (self.slots, self.gone, self.came) = (larger, 0, held);
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
        fn is_a_queue(steps in prop::collection::vec(any::<bool>(), 0..600)) {
            let (mut ring, mut model) = (Ring::default(), VecDeque::new());
            for (i, push) in steps.into_iter().enumerate() {
                if push {
                    ring.push(Time::from_ps(i as u64), i as u32);
                    model.push_back((Time::from_ps(i as u64), i as u32));
                } else if model.pop_front().is_some() {
                    ring.pop();
                }
                prop_assert_eq!(ring.front(), model.front().copied());
            }
        }
    }
}
