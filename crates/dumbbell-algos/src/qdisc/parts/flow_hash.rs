//! Salted hashing of flows onto a fixed number of queues.
use dumbbell_core::packet::FlowId;
use dumbbell_core::rng::{Stream, split_mix};

/// A salted hash onto `count` queues. Where the kernel hashes five fields of a packet, a plan knows
/// the flow's number.
#[derive(Clone, Copy, Debug)]
pub struct Hash {
    salt: u64,
    count: u32,
}

impl Hash {
    /// One of all hashes, drawn at random: two flows collide in one of `count` draws.
    pub fn drawn(rng: &mut Stream, count: u32) -> Self {
        Hash { salt: rng.bits64(), count }
    }
    /// The queue of a flow.
    #[inline]
    pub fn of(&self, flow: FlowId) -> usize {
        let bits = split_mix(self.salt ^ u64::from(flow.0)) >> 32;
        ((bits * u64::from(self.count)) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of 16 queues gets its share of flows (chi-square, 15 degrees of freedom, is below 44.3
    /// but once in 10 000), and two flows meet in one of 16 draws (within 4 standard deviations).
    #[test]
    fn flows_are_spread_and_collide_by_chance() {
        let mut rng = Stream::named(1, "hash");
        let hash = Hash::drawn(&mut rng, 16);
        let mut load = [0.0f64; 16];
        for flow in 0..16_000 {
            load[hash.of(FlowId(flow))] += 1.0;
        }
        let chi_square: f64 = load.iter().map(|n| (n - 1000.0) * (n - 1000.0) / 1000.0).sum();
        assert!(chi_square < 44.3, "{load:?}");
        let meet = |_: &i32| {
            let hash = Hash::drawn(&mut rng, 16);
            hash.of(FlowId(3)) == hash.of(FlowId(4))
        };
        let met = (0..16_000).filter(meet).count() as f64;
        let deviation = libm::sqrt(16_000.0 / 16.0 * 15.0 / 16.0);
        assert!((met - 1000.0).abs() < 4.0 * deviation, "{met}");
    }
}
