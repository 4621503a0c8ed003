//! Wrong bits that no link notices: the packet travels on, and its receiver discards it for its
//! checksum.
use crate::impairment::parts::error_unit::{Hit, Per};
use dumbbell_core::catalogue::{About, Algorithm, Config, Provenance};
use dumbbell_core::impairment::{Impairment, WireEffect};
use dumbbell_core::packet::Meta;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::Time;
use dumbbell_macros::config;

/// Parameters of [`Corrupt`].
#[config]
pub struct CorruptConfig {
    /// Probability that a packet (or a byte, or a bit: see `per`) gets an error.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "tc-netem(8): no corruption unless it is written"),
    )]
    pub rate: f64,
    /// What `rate` counts.
    #[schemars(extend("x-source" = "tc-netem(8), corrupt: a chosen percent of packets"))]
    pub per: Per,
}

impl Config for CorruptConfig {}

/// Gives packets wrong bits, independently.
#[derive(Clone, Debug)]
pub struct Corrupt {
    hit: Hit,
}

impl Algorithm for Corrupt {
    type Config = CorruptConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "corrupt",
        title: "Undetected bit errors",
        idea: "A packet with a wrong bit occupies every later link, and its receiver discards it \
            for its checksum.",
        equations: "corrupted  iff  U < P,  U uniform in [0, 1)\nP = rate (per packet),  1 - (1 - \
            rate)^L (per byte),  1 - (1 - rate)^(8 L) (per bit)\nwhat a link's own checksum finds \
            is lost on that link: see bernoulli and bit_error",
        sources: &[
            "tc-netem(8): corrupt",
            "RFC 9293 section 3.1: a segment whose checksum is \
            wrong is discarded",
        ],
        provenance: Provenance::TwoReadings,
        ..About::PLAIN
    };
    fn new(config: &CorruptConfig, (): &()) -> Self {
        Corrupt { hit: Hit::new(config.rate, config.per) }
    }
}

impl Impairment for Corrupt {
    fn effect(&mut self, _: Time, rng: &mut Stream, p: &Meta) -> WireEffect {
        if rng.coin(self.hit.probability(p.wire_len)) {
            WireEffect::Corrupted
        } else {
            WireEffect::Arrives
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Binomial with `1 - (1 - rate)^units`, within 4.4 standard deviations (two-sided 1e-5).
    #[test]
    fn errors_are_binomial() {
        for (seed, (per, units)) in
            [(Per::Packet, 1.0), (Per::Byte, 400.0), (Per::Bit, 3200.0)].into_iter().enumerate()
        {
            let rate = 3e-4;
            let law = 1.0 - libm::pow(1.0 - rate, units);
            let mut rng = Stream::named(seed as u64, "corrupt");
            let mut link = Corrupt::new(&CorruptConfig { rate, per }, &());
            let (n, p) = (200_000, Meta { wire_len: 400, ..Meta::default() });
            let hit = (0..n)
                .filter(|_| link.effect(Time::ZERO, &mut rng, &p) == WireEffect::Corrupted)
                .count() as f64;
            let n = f64::from(n);
            assert!(
                (hit - n * law).abs() < 4.4 * (n * law * (1.0 - law)).sqrt(),
                "{per:?}: {hit}, \
                {}",
                n * law
            );
        }
    }
}
