//! Places for the flows of one queue: of the many flows of a plan a port sees few.

/// No flow has this number.
const NONE: u32 = u32::MAX;

/// Flows in the order in which they came first: a hash table with open addressing.
#[derive(Debug, Default)]
pub(crate) struct FlowIndex {
    /// The flow of each place.
    flows: Vec<u32>,
    /// A flow and its place, a power of two of them, at most half of them taken.
    slots: Vec<(u32, u32)>,
}

impl FlowIndex {
    /// The place of `flow`, a new one if it has none.
    pub(crate) fn place(&mut self, flow: u32) -> usize {
        if self.slots.len() <= 2 * self.flows.len() {
            self.grow();
        }
        let slot = self.slot(flow);
        if self.slots[slot].0 == NONE {
            self.slots[slot] = (flow, self.flows.len() as u32);
            self.flows.push(flow);
        }
        self.slots[slot].1 as usize
    }

    /// The place of `flow`, if it has one.
    pub(crate) fn find(&self, flow: u32) -> Option<usize> {
        let (known, place) = *self.slots.get(self.slot(flow))?;
        (known == flow).then_some(place as usize)
    }

    /// All places, by the numbers of their flows.
    pub(crate) fn in_order(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.flows.len()).collect();
        places.sort_unstable_by_key(|place| self.flows[*place]);
        places
    }

    /// The slot of `flow`, or the free one where it would be.
    fn slot(&self, flow: u32) -> usize {
        let mask = self.slots.len().wrapping_sub(1);
        // Fibonacci hashing (Knuth, volume 3, section 6.4).
        let mut at = flow.wrapping_mul(0x9e37_79b9) as usize;
        at = (at ^ at >> 15) & mask;
        while self.slots.get(at).is_some_and(|(known, _)| *known != flow && *known != NONE) {
            at = (at + 1) & mask;
        }
        at
    }

    #[cold]
    fn grow(&mut self) {
        self.slots = vec![(NONE, 0); (4 * self.flows.len()).next_power_of_two().max(8)];
        for place in 0..self.flows.len() {
            let slot = self.slot(self.flows[place]);
            self.slots[slot] = (self.flows[place], place as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_one_another() {
        let mut index = FlowIndex::default();
        assert_eq!(index.find(7), None);
        let flows = || (0..1000u32).map(|i| i.wrapping_mul(0x1234_5671) >> 3);
        for _ in 0..2 {
            let places: Vec<usize> = flows().map(|flow| index.place(flow)).collect();
            assert!(places.into_iter().eq(0..1000));
        }
        assert!(flows().zip(0..).all(|(flow, place)| index.find(flow) == Some(place)));
        assert_eq!(index.find(4), None);
        let mut ordered: Vec<u32> = flows().collect();
        ordered.sort_unstable();
        assert!(index.in_order().into_iter().map(|place| index.flows[place]).eq(ordered));
    }
}
