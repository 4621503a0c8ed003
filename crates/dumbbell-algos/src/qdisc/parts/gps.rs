//! Generalized processor sharing: a fluid that serves all flows at once, by weight (Parekh,
//! Gallager 1993, section II).
use dumbbell_core::units::{Rate, Time};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A virtual time that belongs to a class; of equal ones that of the lower class is the lesser.
#[derive(Clone, Copy, Debug)]
pub struct Tag {
    /// The virtual time.
    pub at: f64,
    /// The class.
    pub class: u32,
}

impl Ord for Tag {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at.total_cmp(&other.at).then(self.class.cmp(&other.class))
    }
}
impl PartialOrd for Tag {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Tag {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Tag {}

/// A flow in the fluid.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    /// The virtual time at which its last packet will have been served.
    last: f64,
    weight: f64,
    /// True if the fluid still serves it.
    served: bool,
}

/// The fluid, and its virtual time: bytes that a flow of weight 1 would have been sent.
#[derive(Clone, Debug, Default)]
pub struct Fluid {
    v: f64,
    /// The time at which the virtual time was `v`.
    at: Time,
    /// Of the flows that it serves.
    weights: f64,
    shares: Vec<Share>,
    /// The virtual times at which flows will have been served, the earliest first. An entry that is
    /// not its flow's `last` is stale.
    ends: BinaryHeap<Reverse<Tag>>,
}

impl Fluid {
    /// The virtual time at the instant `now`, on a link of `rate` since it was asked last.
    pub fn at(&mut self, now: Time, rate: Rate) -> f64 {
        let mut bytes = now.since(self.at).seconds() * rate.bps() as f64 / 8.0;
        self.at = now;
        while let Some(Reverse(end)) = self.ends.peek().copied() {
            let share = self.shares[end.class as usize];
            if share.served && share.last == end.at {
                let until = (end.at - self.v) * self.weights;
                if until > bytes {
                    self.v += bytes / self.weights;
                    break;
                }
                bytes -= until.max(0.0);
                self.v = self.v.max(end.at);
                self.leaves(end.class as usize);
            }
            self.ends.pop();
        }
        self.v
    }

    fn leaves(&mut self, class: usize) {
        let share = &mut self.shares[class];
        share.served = false;
        self.weights -= share.weight;
    }

    /// A packet of `bytes` comes to a flow of `weight`, at the instant for which [`Fluid::at`] was
    /// asked. A flow's weight is that of the packet with which its service began.
    pub fn takes(&mut self, class: usize, bytes: f64, weight: f64) {
        if self.shares.len() <= class {
            self.shares.resize_with(class + 1, Share::default);
        }
        let v = self.v;
        let share = &mut self.shares[class];
        if !share.served {
            (share.served, share.weight) = (true, weight);
            // Sums of weights are not exact: nobody is left with a rest of them.
            self.weights = if self.ends.is_empty() { weight } else { self.weights + weight };
        }
        share.last = share.last.max(v) + bytes / weight;
        self.ends.push(Reverse(Tag { at: share.last, class: class as u32 }));
    }

    /// Removes the rest of a flow from the fluid.
    pub fn forgets(&mut self, class: usize) {
        if self.shares.get(class).is_some_and(|share| share.served) {
            self.leaves(class);
            self.shares[class].last = self.v;
        }
    }

    /// The link is idle, and so is the fluid: what rounding and dropped packets left in it has been
    /// served.
    pub fn rests(&mut self, now: Time) {
        while let Some(Reverse(end)) = self.ends.pop() {
            self.v = self.v.max(end.at);
            self.shares[end.class as usize].served = false;
        }
        (self.weights, self.at) = (0.0, now);
    }

    /// The virtual time when it was asked last.
    pub fn last(&self) -> f64 {
        self.v
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::units::Span;

    /// Two flows alike, of 1000 B each: at 4 ms, when each has got 250 B, one is forgotten, and the
    /// other has the link for itself; what the first brings then begins with it. A flow that has
    /// nothing, or never had, is nothing to forget.
    #[test]
    fn a_flow_that_is_forgotten_takes_nothing_more() {
        let (mut fluid, rate) = (Fluid::default(), Rate::from_mbps(1));
        let ms = |n| Time::ZERO + Span::from_ms(n);
        [0, 1].into_iter().for_each(|class| fluid.takes(class, 1000.0, 1.0));
        assert_eq!(fluid.at(ms(4), rate), 250.0);
        [0, 0, 7].into_iter().for_each(|class| fluid.forgets(class));
        assert_eq!(fluid.at(ms(6), rate), 500.0);
        fluid.takes(0, 100.0, 1.0);
        assert_eq!(fluid.shares[0].last, 600.0);
        assert!((fluid.at(ms(7), rate) - 562.5).abs() < 1e-9);
    }

    /// 1 Mbps is 125 B in a millisecond. Flow 0 (weight 1) brings 1000 B at 0, flow 1 (weight 3)
    /// 750 B at 2 ms. Alone, flow 0 has got 250 B by then; after it V grows by a fourth of the
    /// bytes: flow 1 ends when V = 500, 1000 B later, at 10 ms; flow 0 has 500 B left for itself,
    /// and ends at 14 ms.
    #[test]
    fn the_virtual_time_of_two_flows_by_hand() {
        let (mut fluid, rate) = (Fluid::default(), Rate::from_mbps(1));
        let ms = |n| Time::ZERO + Span::from_ms(n);
        fluid.takes(0, 1000.0, 1.0);
        assert_eq!(fluid.at(ms(2), rate), 250.0);
        fluid.takes(1, 750.0, 3.0);
        let want = [(6, 375.0), (10, 500.0), (12, 750.0), (14, 1000.0), (20, 1000.0)];
        for (at, v) in want {
            assert!((fluid.at(ms(at), rate) - v).abs() < 1e-9, "at {at} ms");
        }
    }
}
