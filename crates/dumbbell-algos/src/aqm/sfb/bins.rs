//! Bins of packets, one of each level for each flow: a Bloom filter that counts.
use dumbbell_core::packet::FlowId;
use dumbbell_core::rng::split_mix;
use dumbbell_core::units::{Span, Time};

/// Most levels.
const LEVELS: usize = 16;

/// Bits of one hash.
const BITS: u32 = 16;

/// One bin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bin {
    /// Packets, or bytes.
    qlen: u32,
    p_m: f64,
    /// Before this instant it takes no other step.
    frozen_until: Time,
}

impl Bin {
    /// A packet arrives: BLUE's step.
    #[inline]
    fn step(&mut self, now: Time, steps: &Steps) {
        let full = self.qlen >= steps.target;
        if (self.qlen > 0 && !full) || now < self.frozen_until {
            return;
        }
        self.p_m =
            if full { (self.p_m + steps.up).min(1.0) } else { (self.p_m - steps.down).max(0.0) };
        self.frozen_until = now + steps.freeze;
    }
}

/// BLUE's steps in a bin.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// Packets (or bytes) from which on the probability goes up.
    pub target: u32,
    /// The step up of the probability.
    pub up: f64,
    /// The step down when a packet finds the bin empty.
    pub down: f64,
    /// Least time from one step of a bin to its next.
    pub freeze: Span,
}

/// The values that a packet found in its flow's bins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BinLookup {
    /// The least of their probabilities, after their steps.
    pub p_min: f64,
    /// The least of their lengths.
    pub q_min: u32,
}

/// Levels of bins under one set of hashes.
#[derive(Clone, Debug)]
pub struct Bins {
    seed: u64,
    levels: usize,
    width: u32,
    bins: Vec<Bin>,
    /// Packets in the queue that came before these bins. The queue is first in, first out: they are
    /// the first to go.
    before: u32,
}

impl Bins {
    /// Empty bins with the hashes of `seed`, of a queue that holds `before` packets.
    pub fn new(seed: u64, levels: u32, width: u32, before: u32) -> Self {
        let levels = levels as usize;
        Bins { seed, levels, width, bins: vec![Bin::default(); levels * width as usize], before }
    }

    /// The flow's bin at each level: 16 bits of a hash for each, four levels from one draw of
    /// SplitMix64.
    #[inline]
    fn places(&self, flow: FlowId) -> [usize; LEVELS] {
        let mut places = [0; LEVELS];
        let mut hash = 0;
        for (level, place) in places.iter_mut().enumerate().take(self.levels) {
            if level % 4 == 0 {
                hash = split_mix(self.seed ^ (u64::from(flow.0) | (level as u64) << 32));
            }
            let slice = (hash & 0xffff) as u32;
            hash >>= BITS;
            *place = level * self.width as usize + ((slice * self.width) >> BITS) as usize;
        }
        places
    }

    /// A packet of `flow` arrives: its bins take their steps.
    #[inline]
    pub fn see(&mut self, now: Time, flow: FlowId, steps: &Steps) -> BinLookup {
        let mut seen = BinLookup { p_min: 1.0, q_min: u32::MAX };
        for place in self.places(flow).into_iter().take(self.levels) {
            let bin = &mut self.bins[place];
            bin.step(now, steps);
            seen = BinLookup { p_min: seen.p_min.min(bin.p_m), q_min: seen.q_min.min(bin.qlen) };
        }
        seen
    }

    /// A packet of `flow` went into the queue, which counts for `much`.
    #[inline]
    pub fn admitted(&mut self, flow: FlowId, much: u32) {
        for place in self.places(flow).into_iter().take(self.levels) {
            self.bins[place].qlen += much;
        }
    }

    /// A packet of `flow` left the queue.
    #[inline]
    pub fn gone(&mut self, flow: FlowId, much: u32) {
        if self.before > 0 {
            self.before -= 1;
            return;
        }
        for place in self.places(flow).into_iter().take(self.levels) {
            self.bins[place].qlen = self.bins[place].qlen.saturating_sub(much);
        }
    }

    /// The seed of its hashes.
    #[cfg(test)]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Packets in all bins of one level.
    #[cfg(test)]
    pub fn inside(&self, level: usize) -> u32 {
        self.bins
            .chunks(self.width as usize)
            .nth(level)
            .into_iter()
            .flatten()
            .map(|bin| bin.qlen)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of M flows that do not respond another shares a bin at every level with (1 - (1 - 1/N)^M)^L
    /// (Feng et al. 2001, section III): within 4 % of it over 400 sets of hashes.
    #[test]
    fn false_positives_are_as_many_as_the_formula_has() {
        for (levels, width, m) in [(2u32, 23u32, 10u32), (8, 16, 40), (4, 16, 20), (1, 16, 1)] {
            let (mut hits, mut all) = (0u32, 0u32);
            for seed in 0..400 {
                let bins = Bins::new(split_mix(seed), levels, width, 0);
                let of = |flow: u32| {
                    bins.places(FlowId(flow)).into_iter().take(levels as usize).collect::<Vec<_>>()
                };
                let mut taken = vec![false; (levels * width) as usize];
                (0..m).flat_map(of).for_each(|place| taken[place] = true);
                for flow in m..m + 400 {
                    hits += u32::from(of(flow).iter().all(|place| taken[*place]));
                    all += 1;
                }
            }
            let one = 1.0 - libm::pow(1.0 - 1.0 / f64::from(width), f64::from(m));
            let (expected, found) =
                (libm::pow(one, f64::from(levels)), f64::from(hits) / f64::from(all));
            assert!(
                (found / expected - 1.0).abs() < 0.04,
                "L {levels}, N {width}, M {m}: {found}, \
                {expected}"
            );
        }
    }

    /// Each bin of a level is as likely as another: chi-square with 15 degrees of freedom is below
    /// 44.3 but once in 10 000. And two levels, or two seeds, do not go together.
    #[test]
    fn hashes_are_even_and_independent() {
        let statistic = |counts: &[f64]| {
            let expected = counts.iter().sum::<f64>() / counts.len() as f64;
            counts.iter().map(|n| (n - expected) * (n - expected) / expected).sum::<f64>()
        };
        let (a, b) = (Bins::new(1, 8, 16, 0), Bins::new(2, 8, 16, 0));
        for (x, y) in [(0, 1), (3, 4), (2, 6), (7, 0)] {
            let (mut single, mut levels, mut seeds) =
                (vec![0.0; 16], vec![0.0; 256], vec![0.0; 256]);
            for flow in 0..51_200 {
                let (pa, pb) = (a.places(FlowId(flow)), b.places(FlowId(flow)));
                let (i, j, k) = (pa[x] - 16 * x, pa[y] - 16 * y, pb[x] - 16 * x);
                single[i] += 1.0;
                levels[16 * i + j] += 1.0;
                seeds[16 * i + k] += 1.0;
            }
            assert!(statistic(&single) < 44.3, "level {x}: {}", statistic(&single));
            // 255 degrees of freedom: below 346 but once in 10 000.
            assert!(statistic(&levels) < 346.0 && statistic(&seeds) < 346.0, "{x}, {y}");
        }
    }

    #[test]
    fn packets_of_before_do_not_count() {
        let mut bins = Bins::new(9, 8, 16, 2);
        (0..3).for_each(|flow| bins.admitted(FlowId(flow), 1));
        (10..12).for_each(|flow| bins.gone(FlowId(flow), 1));
        assert!((0..8).all(|level| bins.inside(level) == 3));
        (0..3).for_each(|flow| bins.gone(FlowId(flow), 1));
        assert!(bins.bins.iter().all(|bin| bin.qlen == 0));
    }

    #[test]
    fn a_bin_steps_up_when_full_and_down_when_empty() {
        let steps = Steps { target: 2, up: 0.4, down: 0.1, freeze: Span::ZERO };
        let (mut bins, flow) = (Bins::new(9, 3, 16, 0), FlowId(7));
        let p = |bins: &mut Bins| (bins.see(Time::ZERO, flow, &steps).p_min * 10.0).round();
        assert_eq!(p(&mut bins), 0.0);
        bins.admitted(flow, 1);
        assert_eq!(p(&mut bins), 0.0);
        bins.admitted(flow, 1);
        assert_eq!([p(&mut bins), p(&mut bins), p(&mut bins)], [4.0, 8.0, 10.0]);
        bins.gone(flow, 1);
        assert_eq!(p(&mut bins), 10.0);
        bins.gone(flow, 1);
        assert_eq!([p(&mut bins), p(&mut bins)], [9.0, 8.0]);
        assert_eq!(bins.see(Time::ZERO, flow, &steps).q_min, 0);
    }

    /// At most one step in `freeze`, up or down.
    #[test]
    fn a_frozen_bin_takes_no_step() {
        let steps = Steps { target: 1, up: 0.25, down: 0.25, freeze: Span::from_ms(10) };
        let (mut bins, flow) = (Bins::new(9, 3, 16, 0), FlowId(7));
        bins.admitted(flow, 1);
        let p =
            |ms: u64, bins: &mut Bins| bins.see(Time::ZERO + Span::from_ms(ms), flow, &steps).p_min;
        assert_eq!([0, 9, 10, 15, 20].map(|ms| p(ms, &mut bins)), [0.25, 0.25, 0.5, 0.5, 0.75]);
        bins.gone(flow, 1);
        assert_eq!([29, 30, 39, 40].map(|ms| p(ms, &mut bins)), [0.75, 0.5, 0.5, 0.25]);
    }
}
