//! What is due on our side of the devices, in the order of time; of one instant, in the order in
//! which it became known.
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::BinaryHeap;

/// Things that are due at nanoseconds.
pub struct Due<T> {
    heap: BinaryHeap<Reverse<(u64, u64)>>,
    things: BTreeMap<u64, T>,
    next: u64,
}

impl<T> Default for Due<T> {
    fn default() -> Self {
        Due { heap: BinaryHeap::new(), things: BTreeMap::new(), next: 0 }
    }
}

impl<T> Due<T> {
    /// Adds a thing.
    pub fn push(&mut self, at: u64, thing: T) {
        self.heap.push(Reverse((at, self.next)));
        self.things.insert(self.next, thing);
        self.next += 1;
    }

    /// When the first is due.
    pub fn first(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((at, _))| *at)
    }

    /// Takes the first, if it is due by `now`.
    pub fn take(&mut self, now: u64) -> Option<T> {
        let Reverse((at, number)) = *self.heap.peek()?;
        if at > now {
            return None;
        }
        self.heap.pop();
        self.things.remove(&number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_one_instant_the_first_known_comes_first() {
        let mut due = Due::default();
        for (at, thing) in [(5, 'c'), (3, 'a'), (3, 'b'), (9, 'd')] {
            due.push(at, thing);
        }
        assert_eq!(due.first(), Some(3));
        let taken: String = std::iter::from_fn(|| due.take(5)).collect();
        assert_eq!((taken.as_str(), due.first()), ("abc", Some(9)));
    }
}
