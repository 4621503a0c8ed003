//! A histogram of spans with a relative resolution of one part in 32; a few instructions a sample.
use crate::units::Span;

/// Linear steps in each power of two.
const STEPS: u64 = 32;
const STEP_BITS: u32 = STEPS.trailing_zeros();
/// Groups of as many buckets: one for each power of two from 32 ps up, and one for what is below.
const GROUPS: usize = (u64::BITS - STEP_BITS + 1) as usize;

/// Counts of spans: exact below 32 ps, then 32 buckets for each power of two.
///
/// Only groups of buckets that hold something take memory: the waiting times of a queue lie within
/// about ten powers of two. The fields stand in the order of use.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Histogram {
    /// Spans of zero: packets that do not wait are often most of them, and need one count.
    zeros: u64,
    counts: Vec<[u64; STEPS as usize]>,
    /// For each group its place in `counts`, plus one; 0: it is empty.
    places: [u8; GROUPS],
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { zeros: 0, counts: Vec::new(), places: [0; GROUPS] }
    }
}

impl Histogram {
    /// The bucket of `ps`: its power of two, and the bits behind its first one.
    #[inline]
    fn bucket(ps: u64) -> usize {
        let shift = (u64::BITS - STEP_BITS - 1).saturating_sub(ps.leading_zeros());
        (u64::from(shift) * STEPS + (ps >> shift)) as usize
    }

    /// One span.
    #[inline]
    pub fn record(&mut self, span: Span) {
        if span == Span::ZERO {
            self.zeros += 1;
            return;
        }
        let bucket = Self::bucket(span.ps());
        let (group, step) = (bucket / STEPS as usize, bucket % STEPS as usize);
        let place = usize::from(self.places[group]).wrapping_sub(1);
        match self.counts.get_mut(place) {
            Some(counts) => counts[step] += 1,
            None => self.open(group)[step] += 1,
        }
    }

    /// The counts of a group that was empty.
    #[cold]
    fn open(&mut self, group: usize) -> &mut [u64; STEPS as usize] {
        let place = self.counts.len();
        self.places[group] = place as u8 + 1;
        self.counts.push([0; STEPS as usize]);
        &mut self.counts[place]
    }

    /// The buckets that hold something, in order, and how many spans each holds.
    fn filled(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let groups = self.places.iter().enumerate().filter(|(_, place)| **place > 0);
        let others = groups.flat_map(|(group, place)| {
            let counts = self.counts[usize::from(*place) - 1].iter().enumerate();
            counts.map(move |(step, n)| (group as u64 * STEPS + step as u64, *n))
        });
        std::iter::once((0, self.zeros)).chain(others).filter(|(_, n)| *n > 0)
    }

    /// The smallest bucket's upper edge that `q` of the spans do not exceed; zero if there are
    /// none.
    pub fn quantile(&self, q: f64) -> Span {
        let total = self.zeros + self.counts.iter().flatten().sum::<u64>();
        let wanted = libm::ceil(total as f64 * q) as u64;
        let mut seen = 0;
        for (bucket, n) in self.filled() {
            seen += n;
            if seen >= wanted {
                return Span::from_ps(Self::upper(bucket));
            }
        }
        Span::ZERO
    }

    /// The buckets that hold something, in order: from, to (not included), how many.
    pub fn buckets(&self) -> impl Iterator<Item = (Span, Span, u64)> + '_ {
        self.filled().map(|(bucket, n)| {
            let from = bucket.checked_sub(1).map_or(0, |before| Self::upper(before) + 1);
            (Span::from_ps(from), Span::from_ps(Self::upper(bucket).saturating_add(1)), n)
        })
    }

    /// The largest value in `bucket`.
    fn upper(bucket: u64) -> u64 {
        let shift = (bucket / STEPS).saturating_sub(1);
        let first = if bucket < STEPS { bucket } else { bucket % STEPS + STEPS };
        (first << shift) | ((1 << shift) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_sorted_list(
            mut xs in prop::collection::vec(prop_oneof![0u64..200, 0u64..1 << 50], 1..300),
            q in 0.01f64..1.0,
        ) {
            let mut h = Histogram::default();
            xs.iter().for_each(|x| h.record(Span::from_ps(*x)));
            xs.sort_unstable();
            let exact = xs[(xs.len() as f64 * q).ceil() as usize - 1];
            let got = h.quantile(q).ps();
            prop_assert!(got >= exact && got <= exact + exact / STEPS + 1, "{got} for {exact}");
        }
    }

    /// A bucket has from one to the next, and every span lies in its own: no gap, none twice.
    #[test]
    fn buckets_have_edges() {
        let mut h = Histogram::default();
        for (ps, from, to) in [
            (0, 0, 1),
            (1, 1, 2),
            (31, 31, 32),
            (32, 32, 33),
            (63, 63, 64),
            (64, 64, 66),
            (65, 64, 66),
            (126, 126, 128),
            (128, 128, 132),
            (1 << 50, 1 << 50, (1 << 50) + (1 << 45)),
        ] {
            let mut one = Histogram::default();
            one.record(Span::from_ps(ps));
            h.record(Span::from_ps(ps));
            let edges = (Span::from_ps(from), Span::from_ps(to), 1);
            assert_eq!(one.buckets().collect::<Vec<_>>(), [edges], "{ps}");
            assert_eq!(one.quantile(0.0), one.quantile(1.0));
            assert_eq!(one.quantile(1.0), Span::from_ps(to - 1), "{ps}");
        }
        let all: Vec<_> = h.buckets().collect();
        assert!(all.windows(2).all(|w| w[0].1 <= w[1].0), "{all:?}");
        assert_eq!(all.iter().map(|b| b.2).sum::<u64>(), 10);
        // The median of ten is the fifth.
        assert_eq!(h.quantile(0.5), Span::from_ps(63));
    }

    #[test]
    fn empty_is_zero() {
        assert_eq!(Histogram::default().quantile(0.5), Span::ZERO);
    }
}
