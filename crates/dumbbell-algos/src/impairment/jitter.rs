//! Jitter: every packet is late by a random time of its own, so that some overtake others.
use dumbbell_core::catalogue::{About, Algorithm, Config, Provenance};
use dumbbell_core::impairment::{Fate, Impairment};
use dumbbell_core::packet::Meta;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of [`Jitter`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JitterConfig {
    /// Largest additional delay.
    #[schemars(extend("x-source" = "tc-netem(8): delay 100ms 10ms, the manual's example"))]
    pub max: Span,
}

impl Default for JitterConfig {
    fn default() -> Self {
        JitterConfig { max: Span::from_ms(10) }
    }
}

impl Config for JitterConfig {}

/// Delays each packet by a time uniform in [0, `max`).
#[derive(Clone, Debug)]
pub struct Jitter {
    max: Span,
}

impl Algorithm for Jitter {
    type Config = JitterConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "jitter",
        title: "Uniform jitter",
        idea: "Every packet is late by a random time of its own, so that packets close behind each other may change places.",
        equations: "delay += U max,  U uniform in [0, 1)",
        sources: &["tc-netem(8): delay with jitter; order is not kept there either"],
        provenance: Provenance::TwoReadings,
    };
    fn new(config: &JitterConfig, (): &()) -> Self {
        Jitter { max: config.max }
    }
}

impl Impairment for Jitter {
    fn fate(&mut self, _: Time, rng: &mut Stream, _: &Meta) -> Fate {
        Fate::Delayed(self.max.scaled(rng.unit()))
    }
    fn reorders(&self) -> bool {
        self.max > Span::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and variance of a uniform: m/2 and m^2/12, within 5 standard errors of 100 000 draws.
    #[test]
    fn delays_are_uniform() {
        let (mut rng, n) = (Stream::named(1, "jitter"), 100_000);
        let mut link = Jitter::new(&JitterConfig { max: Span::from_ms(10) }, &());
        let delays: Vec<f64> = (0..n)
            .map(|_| match link.fate(Time::ZERO, &mut rng, &Meta::default()) {
                Fate::Delayed(d) => d.seconds() * 1e3,
                other => panic!("{other:?}"),
            })
            .collect();
        let mean = delays.iter().sum::<f64>() / f64::from(n);
        let variance = delays.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / f64::from(n);
        assert!(delays.iter().all(|d| (0.0..10.0).contains(d)));
        assert!((mean - 5.0).abs() < 5.0 * (100.0f64 / 12.0 / f64::from(n)).sqrt(), "{mean}");
        // The fourth central moment is m^4/80, so the variance's own variance is (1/80 - 1/144) m^4 / n.
        assert!((variance - 100.0 / 12.0).abs() < 5.0 * (1e4 * (1.0 / 80.0 - 1.0 / 144.0) / f64::from(n)).sqrt());
    }
}
