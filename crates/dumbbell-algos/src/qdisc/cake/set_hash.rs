//! A set-associative hash: a flow is hashed onto a set of queues, and takes one that is free.
use dumbbell_core::rng::{Stream, split_mix};
use std::collections::BTreeMap;

/// Queues in sets of `ways`.
#[derive(Clone, Debug)]
pub struct SetHash {
    /// Drawn when the first packet comes.
    salt: Option<u64>,
    sets: u32,
    ways: u32,
    /// The key of the flow that had each queue last.
    tags: Vec<Option<u64>>,
    /// Flows that share a queue with the flow that has it, because their set was full. They stay
    /// there until the queue is free, so that their packets keep their order.
    guests: BTreeMap<u64, usize>,
    collisions: u64,
}

impl SetHash {
    /// `queues` free queues; `ways` divides them.
    pub fn new(queues: u32, ways: u32) -> Self {
        SetHash {
            salt: None,
            sets: queues / ways,
            ways,
            tags: vec![None; queues as usize],
            guests: BTreeMap::new(),
            collisions: 0,
        }
    }

    /// The queue of the flow with this key: the one that it has, else a free one of its set, else
    /// the one of its set that the hash names. `taken` says which queues have a flow now.
    pub fn place(&mut self, key: u64, rng: &mut Stream, taken: impl Fn(usize) -> bool) -> usize {
        let salt = *self.salt.get_or_insert_with(|| rng.bits64());
        let bits = split_mix(salt ^ key);
        let set = ((bits >> 32) * u64::from(self.sets)) >> 32;
        let first = set as usize * self.ways as usize;
        let named = (bits as u32 % self.ways) as usize;
        let ways = self.ways as usize;
        let way = |i: usize| first + (named + i) % ways;
        if let Some(queue) = self.guests.get(&key) {
            return *queue;
        }
        if let Some(queue) = (0..ways).map(way).find(|queue| self.tags[*queue] == Some(key)) {
            return queue;
        }
        if let Some(queue) = (0..ways).map(way).find(|queue| !taken(*queue)) {
            self.tags[queue] = Some(key);
            return queue;
        }
        self.collisions += 1;
        self.guests.insert(key, way(0));
        way(0)
    }

    /// A queue has no flow any more.
    #[inline]
    pub fn freed(&mut self, queue: usize) {
        if !self.guests.is_empty() {
            self.guests.retain(|_, shared| *shared != queue);
        }
    }

    /// The number of flows that found no queue of their own.
    pub fn collisions(&self) -> u64 {
        self.collisions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hash with `flows` flows that stay, and how many of them collided.
    fn filled(queues: u32, ways: u32, flows: u64, rng: &mut Stream) -> (SetHash, Vec<bool>) {
        let mut hash = SetHash::new(queues, ways);
        let mut taken = vec![false; queues as usize];
        for key in 0..flows {
            let queue = hash.place(key, rng, |queue| taken[queue]);
            taken[queue] = true;
        }
        (hash, taken)
    }

    /// The probability that at least `ways` of `flows` flows are in one of `sets` sets: binomial.
    fn full(flows: u64, sets: f64, ways: u32) -> f64 {
        let (p, q) = (1.0 / sets, 1.0 - 1.0 / sets);
        let mut term = libm::pow(q, flows as f64);
        let mut below = 0.0;
        for k in 0..ways {
            below += term;
            term *= (flows - u64::from(k)) as f64 / f64::from(k + 1) * p / q;
        }
        1.0 - below
    }

    /// A guest stays with its host until the queue is free, and then has one of its own like any
    /// other flow.
    #[test]
    fn a_guest_leaves_with_its_host() {
        let mut rng = Stream::named(3, "guests");
        let (mut hash, taken) = filled(2, 2, 2, &mut rng);
        assert_eq!((taken, hash.collisions()), (vec![true; 2], 0));
        let shared = hash.place(9, &mut rng, |_| true);
        assert_eq!((hash.place(9, &mut rng, |_| false), hash.collisions()), (shared, 1));
        hash.freed(1 - shared);
        assert_eq!(hash.place(9, &mut rng, |_| false), shared, "another queue was freed");
        hash.freed(shared);
        assert_eq!(hash.place(9, &mut rng, |queue| queue == shared), 1 - shared);
        assert_eq!(hash.collisions(), 1);
    }

    /// A flow that comes to `flows` others collides if its set is full: the curves of the paper's
    /// figure on 1024 queues, for a plain hash (1 way) and for CAKE's (8 ways), within 4 standard
    /// deviations.
    #[test]
    fn a_new_flow_collides_when_its_set_is_full() {
        const DRAWS: u32 = 2000;
        for (ways, flows) in [(1, 100), (1, 500), (2, 300), (8, 500), (8, 800), (8, 1024)] {
            let mut rng = Stream::named(7, "sets");
            let collided = |_: &u32| {
                let (mut hash, taken) = filled(1024, ways, flows, &mut rng);
                let before = hash.collisions();
                hash.place(u64::MAX, &mut rng, |queue| taken[queue]);
                hash.collisions() > before
            };
            let found = (0..DRAWS).filter(collided).count() as f64;
            let p = full(flows, 1024.0 / f64::from(ways), ways);
            let expected = f64::from(DRAWS) * p;
            let deviation = libm::sqrt(expected * (1.0 - p));
            assert!(
                (found - expected).abs() <= 4.0 * deviation + 0.5,
                "{ways} ways, {flows} flows: {found} of {DRAWS} collide, expected {expected}"
            );
        }
    }

    /// The closed form by hand: one of 1024 queues is taken, and of eight in a set all must be.
    #[test]
    fn the_closed_form_is_that_of_a_plain_hash_with_one_way() {
        assert!((full(1, 1024.0, 1) - 1.0 / 1024.0).abs() < 1e-15);
        let plain = 1.0 - libm::pow(1023.0 / 1024.0, 100.0);
        assert!((full(100, 1024.0, 1) - plain).abs() < 1e-12);
        assert!(full(7, 128.0, 8).abs() < 1e-15);
        assert!((full(8, 128.0, 8) - libm::pow(1.0 / 128.0, 8.0)).abs() < 1e-15);
    }

    /// As many flows as a set has ways never collide, and one more always does where there is one
    /// set.
    #[test]
    fn a_set_holds_as_many_flows_as_it_has_ways() {
        for seed in 0..50 {
            let mut rng = Stream::named(seed, "sets");
            let (mut hash, taken) = filled(8, 8, 8, &mut rng);
            assert_eq!((hash.collisions(), taken), (0, vec![true; 8]));
            hash.place(8, &mut rng, |_| true);
            assert_eq!(hash.collisions(), 1);
        }
    }

    /// A flow keeps its queue while it has it and after a pause; one that collided stays with its
    /// host until that queue is free.
    #[test]
    fn a_flow_keeps_its_queue() {
        let mut rng = Stream::named(1, "sets");
        let mut hash = SetHash::new(2, 2);
        let mut taken = [false; 2];
        let mut place = |hash: &mut SetHash, key, taken: &mut [bool; 2]| {
            let queue = hash.place(key, &mut rng, |queue| taken[queue]);
            taken[queue] = true;
            queue
        };
        let (a, b) = (place(&mut hash, 1, &mut taken), place(&mut hash, 2, &mut taken));
        assert_ne!(a, b);
        let c = place(&mut hash, 3, &mut taken);
        // The other queue becomes free: the third flow has packets in the first one, and stays.
        taken[1 - c] = false;
        hash.freed(1 - c);
        assert_eq!(place(&mut hash, 3, &mut taken), c);
        taken = [false; 2];
        hash.freed(c);
        assert_eq!((place(&mut hash, 2, &mut taken), place(&mut hash, 1, &mut taken)), (b, a));
    }
}
