//! Independent loss: every packet, byte or bit is hit with the same probability, independently of
//! the others.
use crate::impairment::parts::error_unit::{Hit, Per};
use dumbbell_core::catalogue::{About, Algorithm, Config, Provenance};
use dumbbell_core::impairment::{Impairment, WireEffect};
use dumbbell_core::packet::Meta;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::Time;
use dumbbell_macros::config;

/// Parameters of [`Bernoulli`].
#[config]
pub struct BernoulliConfig {
    /// Probability that a packet (or a byte, or a bit: see `per`) is hit.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "ns-2 ErrorModel: rate_ 0, unit_ pkt"),
    )]
    pub loss: f64,
    /// What `loss` counts; a packet with one byte or bit that is hit is lost.
    #[schemars(extend("x-source" = "ns-2 ErrorModel: unit_ pkt"))]
    pub per: Per,
}

impl Config for BernoulliConfig {}

/// Loses each packet independently.
#[derive(Clone, Debug)]
pub struct Bernoulli {
    hit: Hit,
}

impl Algorithm for Bernoulli {
    type Config = BernoulliConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "bernoulli",
        title: "Bernoulli loss",
        idea: "Every packet (or byte, or bit) is hit with the same probability, independently of \
            all others.",
        equations: "lost  iff  U < P,  U uniform in [0, 1)\nP = loss (per packet),  1 - (1 - \
            loss)^L (per byte),  1 - (1 - loss)^(8 L) (per bit)\nL the length on the wire in bytes",
        sources: &["ns-2 ErrorModel, units pkt, byte and bit", "tc-netem(8): loss random"],
        provenance: Provenance::TwoReadings,
        ..About::PLAIN
    };
    fn new(config: &BernoulliConfig, (): &()) -> Self {
        Bernoulli { hit: Hit::new(config.loss, config.per) }
    }
}

impl Impairment for Bernoulli {
    fn effect(&mut self, _: Time, rng: &mut Stream, p: &Meta) -> WireEffect {
        if rng.coin(self.hit.probability(p.wire_len)) {
            WireEffect::Lost
        } else {
            WireEffect::Arrives
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The losses of 200 000 packets of `bytes`.
    fn losses(loss: f64, per: Per, bytes: u32, seed: u64) -> Vec<bool> {
        let mut rng = Stream::named(seed, "bernoulli");
        let mut link = Bernoulli::new(&BernoulliConfig { loss, per }, &());
        let p = Meta { wire_len: bytes, ..Meta::default() };
        (0..200_000).map(|_| link.effect(Time::ZERO, &mut rng, &p) == WireEffect::Lost).collect()
    }

    fn effects(loss: f64, seed: u64) -> Vec<bool> {
        losses(loss, Per::Packet, 1500, seed)
    }

    /// A packet of 1000 B survives if each of its bytes, or bits, does: binomial with 1 - (1 -
    /// loss)^L.
    #[test]
    fn a_longer_packet_has_more_to_lose() {
        let law = |loss: f64, units: f64| 1.0 - libm::pow(1.0 - loss, units);
        for (seed, (loss, per, p)) in
            [(1e-4, Per::Byte, law(1e-4, 1000.0)), (1e-4, Per::Bit, law(1e-4, 8000.0))]
                .into_iter()
                .enumerate()
        {
            let lost = losses(loss, per, 1000, seed as u64);
            let (n, seen) = (lost.len() as f64, lost.iter().filter(|l| **l).count() as f64);
            assert!(
                (seen - n * p).abs() < 4.4 * (n * p * (1.0 - p)).sqrt(),
                "{per:?}: {seen}, {}",
                n * p
            );
        }
    }

    /// Count of losses is binomial: within 4.4 standard deviations (two-sided 1e-5) of n p.
    #[test]
    fn losses_are_binomial() {
        for (seed, loss) in [0.01, 0.05, 0.5, 0.9].into_iter().enumerate() {
            let lost = effects(loss, seed as u64);
            let n = lost.len() as f64;
            let seen = lost.iter().filter(|l| **l).count() as f64;
            assert!(
                (seen - n * loss).abs() < 4.4 * (n * loss * (1.0 - loss)).sqrt(),
                "{loss}: \
                {seen}"
            );
        }
    }

    /// Pairs of successive losses come with probability p^2: no memory, as the Gilbert-Elliott
    /// model would have.
    #[test]
    fn losses_are_independent() {
        let loss = 0.2;
        let lost = effects(loss, 9);
        let pairs = lost.chunks_exact(2).filter(|w| w[0] && w[1]).count() as f64;
        let (n, p) = ((lost.len() / 2) as f64, loss * loss);
        assert!((pairs - n * p).abs() < 4.4 * (n * p * (1.0 - p)).sqrt(), "{pairs}");
    }

    #[test]
    fn none_and_all() {
        assert!(effects(0.0, 1).iter().all(|lost| !lost));
        assert!(effects(1.0, 1).iter().all(|lost| *lost));
    }
}
