//! A histogram of spans with a relative resolution of one part in 32; fixed size, a few
//! instructions a sample.
use crate::units::Span;

/// Linear steps in each power of two.
const STEPS: u64 = 32;
const STEP_BITS: u32 = STEPS.trailing_zeros();

/// Counts of spans: exact below 32 ps, then 32 buckets for each power of two.
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram {
            counts: vec![0; (STEPS * u64::from(u64::BITS - STEP_BITS + 1)) as usize],
            total: 0,
        }
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
        self.counts[Self::bucket(span.ps())] += 1;
        self.total += 1;
    }

    /// The smallest bucket's upper edge that `q` of the spans do not exceed; zero if there are
    /// none.
    pub fn quantile(&self, q: f64) -> Span {
        let wanted = libm::ceil(self.total as f64 * q) as u64;
        let mut seen = 0;
        for (bucket, n) in self.counts.iter().enumerate() {
            seen += n;
            if *n > 0 && seen >= wanted {
                return Span::from_ps(Self::upper(bucket as u64));
            }
        }
        Span::ZERO
    }

    /// The buckets that hold something, in order: from, to (not included), how many.
    pub fn buckets(&self) -> impl Iterator<Item = (Span, Span, u64)> + '_ {
        let filled = self.counts.iter().enumerate().filter(|(_, n)| **n > 0);
        filled.map(|(bucket, n)| {
            let from = bucket.checked_sub(1).map_or(0, |before| Self::upper(before as u64) + 1);
            (Span::from_ps(from), Span::from_ps(Self::upper(bucket as u64).saturating_add(1)), *n)
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
            mut xs in prop::collection::vec(0u64..1 << 50, 1..300),
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

    #[test]
    fn empty_is_zero() {
        assert_eq!(Histogram::default().quantile(0.5), Span::ZERO);
    }
}
