//! The spacing of signals of a given probability over the arriving packets of the RED family.
use dumbbell_core::rng::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The distribution of the number of packets from one signal to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpacingLaw {
    /// Geometric: each packet on its own with `p_b` (method 1 of the 1993 paper; a plain comparator
    /// in hardware).
    Bernoulli,
    /// Uniform on 1 .. `1/p_b - 1`: `p_a = p_b / (1 - count p_b)` (method 2, Fig. 2).
    #[default]
    Uniform,
    /// Uniform on `1/p_b` .. `2/p_b - 1`: ns-2's and ns-3's `wait`.
    UniformWait,
    /// Uniform on 1 .. `1/p_b` with one random number for each signal: Fig. 17's efficient form.
    UniformStored,
}

/// The numbers of the last decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LastDecision {
    /// Packets since the last signal, the present one included; -1 outside the random region.
    pub count: i64,
    /// The probability used; of [`SpacingLaw::UniformStored`], which has none, 0 or 1.
    pub p_a: f64,
    /// The random number used; 0 if none was.
    pub coin: f64,
}

/// Counts the packets since the last signal and draws the next one.
#[derive(Clone, Debug)]
pub struct Spacing {
    law: SpacingLaw,
    /// Packets since the last signal; -1 outside the random region.
    count: i64,
    /// True if no packet came in the random region since the average was last below it (ns-2's
    /// `old`, inverted).
    outside: bool,
    /// The same as `count`, in packets, or in bytes where a typical packet has `mean` of them.
    since: f64,
    /// Bytes of a typical packet where bytes are counted, which the law is told in whole typical
    /// packets; else 1.
    mean: f64,
    /// [`SpacingLaw::UniformStored`]: the random number that decides the next signal.
    stored: f64,
    saw: LastDecision,
}

impl Spacing {
    /// Outside the random region.
    pub fn new(law: SpacingLaw) -> Self {
        Spacing::in_bytes(law, 1.0)
    }

    /// The same, of one that is told bytes as weights; ns-2 divides them by `mean`, a typical
    /// packet, as whole numbers.
    pub fn in_bytes(law: SpacingLaw, mean: f64) -> Self {
        let saw = LastDecision { count: -1, p_a: 0.0, coin: 0.0 };
        Spacing { law, count: -1, outside: true, since: 0.0, mean, stored: 0.0, saw }
    }

    /// The numbers of the last decision.
    pub fn saw(&self) -> LastDecision {
        self.saw
    }

    /// The average is below the random region.
    #[inline]
    pub fn leave(&mut self) {
        (self.count, self.outside) = (-1, true);
        self.saw = LastDecision { count: -1, p_a: 0.0, coin: 0.0 };
    }

    /// A packet in the random region that may not get the signal, and does not count.
    pub fn skip(&mut self) {
        self.saw = LastDecision { count: self.count, p_a: 0.0, coin: 0.0 };
    }

    /// The average is above the random region: the packet gets the signal.
    pub fn force(&mut self, rng: &mut Stream) {
        self.saw = LastDecision { count: self.count, p_a: 1.0, coin: 0.0 };
        self.restart(rng);
    }

    /// A signal was given: the count starts again.
    pub fn restart(&mut self, rng: &mut Stream) {
        (self.count, self.since) = (0, 0.0);
        if self.law == SpacingLaw::UniformStored {
            self.stored = rng.unit();
        }
    }

    /// Counts a packet in the random region as `weight` packets (or as that many bytes). True if it
    /// may get the signal: with [`SpacingLaw::UniformWait`] and [`SpacingLaw::UniformStored`] the
    /// first packet in the region may not.
    #[inline]
    pub fn count(&mut self, weight: f64, rng: &mut Stream) -> bool {
        // ns-2 knows an entry by its own flag: a forced drop or an overflow on the way does not
        // count as one.
        let enters =
            if self.law == SpacingLaw::UniformWait { self.outside } else { self.count < 0 };
        self.outside = false;
        let tested = if enters {
            self.enter(weight, rng)
        } else {
            self.count += 1;
            self.since += weight;
            true
        };
        self.saw = LastDecision { count: self.count, p_a: 0.0, coin: 0.0 };
        tested
    }

    /// The first packet in the random region. True if it may get the signal.
    fn enter(&mut self, weight: f64, rng: &mut Stream) -> bool {
        self.restart(rng);
        if self.law == SpacingLaw::UniformWait {
            (self.count, self.since) = (1, weight); // ns-2 counts it and does not test it
        }
        matches!(self.law, SpacingLaw::Bernoulli | SpacingLaw::Uniform)
    }

    /// The probability of a signal for the packet that was counted last. `p_b` is the curve's; the
    /// spaced one is multiplied by `scale`.
    #[inline]
    pub fn p_a(&mut self, p_b: f64, scale: f64) -> f64 {
        self.saw.p_a = if self.law == SpacingLaw::UniformStored {
            f64::from(u8::from(self.since >= self.stored / p_b))
        } else {
            let whole = self.mean > 1.0;
            let since = if whole { libm::floor(self.since / self.mean) } else { self.since };
            let p = spaced(self.law, p_b, since);
            if p < 1.0 { (p * scale).min(1.0) } else { 1.0 }
        };
        self.saw.p_a
    }

    /// The random number in [0, 1) that decides about the packet that was counted last: it gets the
    /// signal if the number is below [`Spacing::p_a`].
    #[inline]
    pub fn coin(&mut self, rng: &mut Stream) -> f64 {
        let stored = self.law == SpacingLaw::UniformStored;
        self.saw.coin = if stored { self.stored } else { rng.unit() };
        self.saw.coin
    }
}

/// `p_a` of a packet that is the `since`-th after the last signal; in [0, 1].
fn spaced(law: SpacingLaw, p_b: f64, since: f64) -> f64 {
    let x = since * p_b;
    match law {
        SpacingLaw::Bernoulli | SpacingLaw::UniformStored => p_b.min(1.0),
        SpacingLaw::Uniform if x < 1.0 => (p_b / (1.0 - x)).min(1.0),
        SpacingLaw::UniformWait if x < 1.0 => 0.0,
        SpacingLaw::UniformWait if x < 2.0 => (p_b / (2.0 - x)).min(1.0),
        SpacingLaw::Uniform | SpacingLaw::UniformWait => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNALS: usize = 60_000;

    /// True if a packet gets the signal at `p_b`, as RED decides.
    fn test(s: &mut Spacing, p_b: f64, rng: &mut Stream) -> bool {
        let signal = s.count(1.0, rng) && {
            let p_a = s.p_a(p_b, 1.0);
            s.coin(rng) < p_a
        };
        if signal {
            s.restart(rng);
        }
        signal
    }

    /// Spacings at constant `p_b`, after the first signal.
    fn spacings(law: SpacingLaw, p_b: f64) -> Vec<usize> {
        let mut rng = Stream::named(3, "spacing");
        let mut s = Spacing::new(law);
        let mut next = || (1..).find(|_| test(&mut s, p_b, &mut rng)).unwrap();
        next();
        (0..SIGNALS).map(|_| next()).collect()
    }

    /// Pearson's statistic against the uniform law on `from..=to`, or `None` if a spacing lies
    /// outside.
    fn chi_square(spacings: &[usize], from: usize, to: usize) -> Option<f64> {
        let mut bins = vec![0.0; to - from + 1];
        for s in spacings {
            *s.checked_sub(from).and_then(|i| bins.get_mut(i))? += 1.0;
        }
        let expected = spacings.len() as f64 / bins.len() as f64;
        Some(bins.iter().map(|n: &f64| (n - expected) * (n - expected) / expected).sum())
    }

    /// A law passes if its statistic is below the 99.99 % point of chi-square (Wilson, Hilferty).
    fn is_uniform(spacings: &[usize], from: usize, to: usize) -> bool {
        let k = (to - from) as f64;
        let point = k * libm::pow(1.0 - 2.0 / (9.0 * k) + 3.719 * libm::sqrt(2.0 / (9.0 * k)), 3.0);
        chi_square(spacings, from, to).is_some_and(|x| x < point)
    }

    fn mean(spacings: &[usize]) -> f64 {
        spacings.iter().sum::<usize>() as f64 / spacings.len() as f64
    }

    #[test]
    fn uniform_has_its_law_and_no_other() {
        let s = spacings(SpacingLaw::Uniform, 0.02);
        assert!(is_uniform(&s, 1, 49), "{:?}", chi_square(&s, 1, 49));
        assert!((mean(&s) - 25.0).abs() < 0.25, "{}", mean(&s));
        assert!(!is_uniform(&s, 1, 50));
    }

    #[test]
    fn the_first_signal_in_the_region_is_uniform_from_one_to_the_inverse() {
        let mut rng = Stream::named(4, "first");
        let first: Vec<usize> = (0..SIGNALS)
            .map(|_| {
                let mut s = Spacing::new(SpacingLaw::Uniform);
                (1..).find(|_| test(&mut s, 0.02, &mut rng)).unwrap()
            })
            .collect();
        assert!(is_uniform(&first, 1, 50));
    }

    #[test]
    fn wait_has_its_law() {
        let s = spacings(SpacingLaw::UniformWait, 0.02);
        assert!(is_uniform(&s, 50, 99), "{:?}", chi_square(&s, 50, 99));
        assert!((mean(&s) - 74.5).abs() < 0.25);
    }

    #[test]
    fn stored_has_the_law_of_the_paper() {
        let s = spacings(SpacingLaw::UniformStored, 0.02);
        assert!(is_uniform(&s, 1, 50), "{:?}", chi_square(&s, 1, 50));
        assert!((mean(&s) - 25.5).abs() < 0.25);
    }

    /// Geometric: mean 1/p, the share beyond k packets is (1 - p)^k. The uniform laws are rejected.
    #[test]
    fn bernoulli_is_geometric() {
        let s = spacings(SpacingLaw::Bernoulli, 0.02);
        assert!((mean(&s) - 50.0).abs() < 1.0);
        for k in [10, 50, 150, 250] {
            let tail = s.iter().filter(|x| **x > k).count() as f64 / s.len() as f64;
            let law = libm::pow(0.98, k as f64);
            assert!(
                (tail - law).abs() < 4.4 * (law * (1.0 - law) / s.len() as f64).sqrt(),
                "beyond \
                {k}: {tail}"
            );
        }
        assert!(!is_uniform(&s, 1, 49) && !is_uniform(&s, 50, 99) && !is_uniform(&s, 1, 300));
    }

    #[test]
    fn probabilities_stay_in_range() {
        for law in [SpacingLaw::Bernoulli, SpacingLaw::Uniform, SpacingLaw::UniformWait] {
            for p_b in [0.0, 1e-9, 0.3, 0.5, 1.0, 3.0] {
                for since in 0..200 {
                    let p = spaced(law, p_b, f64::from(since));
                    assert!((0.0..=1.0).contains(&p), "{law:?} {p_b} {since}: {p}");
                }
            }
        }
    }
}
