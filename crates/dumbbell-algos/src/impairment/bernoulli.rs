//! Independent loss: every packet is lost with the same probability, whatever became of the others.
use dumbbell_core::catalogue::{About, Algorithm, Config, Provenance};
use dumbbell_core::impairment::{Fate, Impairment};
use dumbbell_core::packet::Meta;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of [`Bernoulli`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BernoulliConfig {
    /// Probability that a packet is lost.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "ns-2 ErrorModel: rate_ 0, unit_ pkt"))]
    pub loss: f64,
}

impl Config for BernoulliConfig {}

/// Loses each packet with probability `loss`, independently.
#[derive(Clone, Debug)]
pub struct Bernoulli {
    loss: f64,
}

impl Algorithm for Bernoulli {
    type Config = BernoulliConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "bernoulli",
        title: "Bernoulli loss",
        idea: "Every packet is lost with the same probability, independently of all others.",
        equations: "lost  iff  U < loss,  U uniform in [0, 1)",
        sources: &["ns-2 ErrorModel, unit pkt", "tc-netem(8): loss random"],
        provenance: Provenance::TwoReadings,
    };
    fn new(config: &BernoulliConfig, (): &()) -> Self {
        Bernoulli { loss: config.loss }
    }
}

impl Impairment for Bernoulli {
    fn fate(&mut self, _: Time, rng: &mut Stream, _: &Meta) -> Fate {
        if rng.coin(self.loss) { Fate::Lost } else { Fate::Arrives }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The losses of 200 000 packets.
    fn fates(loss: f64, seed: u64) -> Vec<bool> {
        let mut rng = Stream::named(seed, "bernoulli");
        let mut link = Bernoulli::new(&BernoulliConfig { loss }, &());
        (0..200_000).map(|_| link.fate(Time::ZERO, &mut rng, &Meta::default()) == Fate::Lost).collect()
    }

    /// Count of losses is binomial: within 4.4 standard deviations (two-sided 1e-5) of n p.
    #[test]
    fn losses_are_binomial() {
        for (seed, loss) in [0.01, 0.05, 0.5, 0.9].into_iter().enumerate() {
            let lost = fates(loss, seed as u64);
            let n = lost.len() as f64;
            let seen = lost.iter().filter(|l| **l).count() as f64;
            assert!((seen - n * loss).abs() < 4.4 * (n * loss * (1.0 - loss)).sqrt(), "{loss}: {seen}");
        }
    }

    /// Pairs of successive losses come with probability p^2: no memory, as the Gilbert-Elliott model would have.
    #[test]
    fn losses_are_independent() {
        let loss = 0.2;
        let lost = fates(loss, 9);
        let pairs = lost.chunks_exact(2).filter(|w| w[0] && w[1]).count() as f64;
        let (n, p) = ((lost.len() / 2) as f64, loss * loss);
        assert!((pairs - n * p).abs() < 4.4 * (n * p * (1.0 - p)).sqrt(), "{pairs}");
    }

    #[test]
    fn none_and_all() {
        assert!(fates(0.0, 1).iter().all(|lost| !lost));
        assert!(fates(1.0, 1).iter().all(|lost| *lost));
    }
}
