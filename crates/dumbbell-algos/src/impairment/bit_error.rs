//! Independent bit errors: a packet with any wrong bit is lost, so that long packets are lost more
//! often.
use dumbbell_core::catalogue::{About, Algorithm, Config, Provenance};
use dumbbell_core::impairment::{Impairment, WireEffect};
use dumbbell_core::packet::Meta;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::Time;
use dumbbell_macros::config;

/// Parameters of [`BitError`].
#[config]
pub struct BitErrorConfig {
    /// Probability that a bit is wrong.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "ns-2 ErrorModel: rate_ 0, unit_ bit"),
    )]
    pub rate: f64,
}

impl Config for BitErrorConfig {}

/// Loses a packet of `wire_len` bytes with probability `1 - (1 - rate)^(8 wire_len)`.
#[derive(Clone, Debug)]
pub struct BitError {
    /// `ln(1 - rate)`: the exponent of one bit.
    per_bit: f64,
}

impl BitError {
    /// The probability that a packet of `bytes` has a wrong bit.
    pub fn loss(&self, bytes: u32) -> f64 {
        if bytes == 0 { 0.0 } else { -libm::expm1(8.0 * f64::from(bytes) * self.per_bit) }
    }
}

impl Algorithm for BitError {
    type Config = BitErrorConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "bit_error",
        title: "Bit errors",
        idea: "Every bit is wrong with the same probability, and a packet with a wrong bit is \
            lost.",
        equations: "P(lost) = 1 - (1 - rate)^(8 L),  L the length on the wire in bytes",
        sources: &["ns-2 ErrorModel, unit bit"],
        provenance: Provenance::TwoReadings,
        ..About::PLAIN
    };
    fn new(config: &BitErrorConfig, (): &()) -> Self {
        BitError { per_bit: libm::log1p(-config.rate) }
    }
}

impl Impairment for BitError {
    fn effect(&mut self, _: Time, rng: &mut Stream, p: &Meta) -> WireEffect {
        if rng.coin(self.loss(p.wire_len)) { WireEffect::Lost } else { WireEffect::Arrives }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(rate: f64) -> BitError {
        BitError::new(&BitErrorConfig { rate }, &())
    }

    /// 1500 B at 1e-6: 1 - 0.999999^12000 = 0.0119283; at 1e-12 the first term of the series is the
    /// whole.
    #[test]
    fn longer_packets_are_lost_more_often() {
        assert!((link(1e-6).loss(1500) - 0.011_928_3).abs() < 1e-7);
        assert!((link(1e-12).loss(1500) / 1.2e-8 - 1.0).abs() < 1e-7);
        assert!(link(1e-6).loss(9000) > 5.8 * link(1e-6).loss(1500));
        assert_eq!((link(0.0).loss(1500), link(1.0).loss(1), link(1.0).loss(0)), (0.0, 1.0, 0.0));
    }

    /// The packet survives if each of its bits does: drawn bit by bit, within 4.4 standard
    /// deviations.
    #[test]
    fn is_the_law_of_its_bits() {
        let (rate, bytes, n) = (0.002, 40, 50_000);
        let mut rng = Stream::named(1, "bits");
        let by_bits =
            (0..n).filter(|_| (0..8 * bytes).filter(|_| rng.coin(rate)).count() > 0).count() as f64;
        let p = link(rate).loss(bytes);
        assert!(
            (by_bits - f64::from(n) * p).abs() < 4.4 * (f64::from(n) * p * (1.0 - p)).sqrt(),
            "{by_bits} \
            {p}"
        );
        let mut impairment = link(rate);
        let meta = Meta { wire_len: bytes, ..Meta::default() };
        let lost = (0..n)
            .filter(|_| impairment.effect(Time::ZERO, &mut rng, &meta) == WireEffect::Lost)
            .count() as f64;
        assert!(
            (lost - f64::from(n) * p).abs() < 4.4 * (f64::from(n) * p * (1.0 - p)).sqrt(),
            "{lost} \
            {p}"
        );
    }
}
