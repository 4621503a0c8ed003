//! Packets that arrive twice.
use dumbbell_core::catalogue::{About, Algorithm, Config, Provenance};
use dumbbell_core::impairment::{Impairment, WireEffect};
use dumbbell_core::packet::Meta;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::Time;
use dumbbell_macros::config;

/// Parameters of [`Duplicate`].
#[config]
pub struct DuplicateConfig {
    /// Share of packets that arrive twice.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "tc-netem(8): no duplicate unless it is written"),
    )]
    pub share: f64,
}

impl Config for DuplicateConfig {}

/// Doubles packets, independently.
#[derive(Clone, Debug)]
pub struct Duplicate {
    share: f64,
}

impl Algorithm for Duplicate {
    type Config = DuplicateConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "duplicate",
        title: "Duplication",
        idea: "A share of packets arrives twice: the copy right behind the original, a packet like \
            every other from then on.",
        equations: "doubled  iff  U < share,  U uniform in [0, 1)\n\
                    impairments that come later on the link see both, one after the other",
        sources: &["tc-netem(8): duplicate", "RFC 2883: a receiver tells of it by D-SACK"],
        provenance: Provenance::TwoReadings,
        ..About::PLAIN
    };
    fn new(config: &DuplicateConfig, (): &()) -> Self {
        Duplicate { share: config.share }
    }
}

impl Impairment for Duplicate {
    fn effect(&mut self, _: Time, rng: &mut Stream, _: &Meta) -> WireEffect {
        if rng.coin(self.share) { WireEffect::Duplicated } else { WireEffect::Arrives }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Binomial: within 4.4 standard deviations (two-sided 1e-5) of n p; independent: pairs of
    /// successive ones by p^2.
    #[test]
    fn copies_are_binomial_and_independent() {
        let (mut rng, mut link) =
            (Stream::named(3, "duplicate"), Duplicate::new(&DuplicateConfig { share: 0.1 }, &()));
        let twice: Vec<bool> = (0..200_000)
            .map(|_| link.effect(Time::ZERO, &mut rng, &Meta::default()) == WireEffect::Duplicated)
            .collect();
        let within = |seen: usize, n: f64, p: f64| {
            (seen as f64 - n * p).abs() < 4.4 * (n * p * (1.0 - p)).sqrt()
        };
        assert!(within(twice.iter().filter(|t| **t).count(), 200_000.0, 0.1));
        assert!(within(twice.chunks_exact(2).filter(|t| t[0] && t[1]).count(), 100_000.0, 0.01));
    }
}
