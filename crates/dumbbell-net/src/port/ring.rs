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
    /// Takes those out that leave by `t`, and gives `left` each.
    #[inline(always)]
    pub(crate) fn drain(&mut self, t: Time, mut left: impl FnMut(Time, u32)) {
        let (mask, mut gone) = (self.slots.len().wrapping_sub(1), self.gone);
        while gone != self.came
            && let Some((leaves, bytes)) = self.slots.get(gone & mask)
            && *leaves <= t
        {
            gone += 1;
            left(*leaves, *bytes);
        }
        self.gone = gone;
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
