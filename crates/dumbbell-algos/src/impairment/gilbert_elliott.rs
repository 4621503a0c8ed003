//! Loss in bursts: a channel that is good or bad, as a Markov chain with a step for each packet (Gilbert, BSTJ 39,
//! 1960; Elliott, BSTJ 42, 1963).
use dumbbell_core::catalogue::{About, Algorithm, Config, Provenance};
use dumbbell_core::impairment::{Fate, Impairment};
use dumbbell_core::packet::Meta;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of [`GilbertElliott`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GilbertElliottConfig {
    /// Probability that the good channel is bad for the next packet: `p`.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "ours: bad bursts 110 packets apart"))]
    pub to_bad: f64,
    /// Probability that the bad channel is good for the next packet: `r`. A bad burst has `1 / to_good` packets.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "ours: bad bursts of 10 packets"))]
    pub to_good: f64,
    /// Probability of loss while bad: `1 - h`.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "tc-netem(8), loss gemodel: 1-h is 100 %"))]
    pub loss_bad: f64,
    /// Probability of loss while good: `1 - k`.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "tc-netem(8), loss gemodel: 1-k is 0"))]
    pub loss_good: f64,
}

impl Default for GilbertElliottConfig {
    fn default() -> Self {
        GilbertElliottConfig { to_bad: 0.01, to_good: 0.1, loss_bad: 1.0, loss_good: 0.0 }
    }
}

impl Config for GilbertElliottConfig {}

/// A channel with two states. It is good for the first packet.
#[derive(Clone, Debug)]
pub struct GilbertElliott {
    config: GilbertElliottConfig,
    bad: bool,
}

impl Algorithm for GilbertElliott {
    type Config = GilbertElliottConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "gilbert_elliott",
        title: "Gilbert-Elliott loss",
        idea: "The channel is good or bad for a while, and loses packets by its state: losses come in bursts.",
        equations: "good -> bad with p = to_bad,  bad -> good with r = to_good,  one step for each packet\n\
                    P(lost) = (p loss_bad + r loss_good) / (p + r),  bad bursts of 1 / r packets",
        sources: &[
            "Gilbert: Capacity of a burst-noise channel, BSTJ 39, 1960",
            "Elliott: Estimates of error rates for codes on burst-noise channels, BSTJ 42, 1963",
            "tc-netem(8), loss gemodel",
        ],
        provenance: Provenance::TwoReadings,
    };
    fn new(config: &GilbertElliottConfig, (): &()) -> Self {
        GilbertElliott { config: config.clone(), bad: false }
    }
}

impl Impairment for GilbertElliott {
    fn fate(&mut self, _: Time, rng: &mut Stream, _: &Meta) -> Fate {
        let c = &self.config;
        let (loss, change) = if self.bad { (c.loss_bad, c.to_good) } else { (c.loss_good, c.to_bad) };
        let lost = rng.coin(loss);
        self.bad ^= rng.coin(change);
        if lost { Fate::Lost } else { Fate::Arrives }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losses(config: GilbertElliottConfig, n: usize) -> Vec<bool> {
        let (mut channel, mut rng) = (GilbertElliott::new(&config, &()), Stream::named(6, "gilbert"));
        (0..n).map(|_| channel.fate(Time::ZERO, &mut rng, &Meta::default()) == Fate::Lost).collect()
    }

    /// Mean over 100 batches, within 4.4 standard errors of the law.
    fn agrees(lost: &[bool], law: f64) -> bool {
        let batch = lost.len() / 100;
        let means: Vec<f64> =
            lost.chunks(batch).map(|c| c.iter().filter(|l| **l).count() as f64 / batch as f64).collect();
        let mean = means.iter().sum::<f64>() / 100.0;
        let error = (means.iter().map(|m| (m - mean) * (m - mean)).sum::<f64>() / 99.0 / 100.0).sqrt();
        error < 0.02 * law && (mean - law).abs() < 4.4 * error
    }

    /// p = 0.01, r = 0.1, all lost while bad: mean loss 1/11, bursts geometric with mean 10.
    #[test]
    fn losses_come_in_geometric_bursts() {
        let lost = losses(GilbertElliottConfig::default(), 1_000_000);
        assert!(agrees(&lost, 1.0 / 11.0));
        let bursts: Vec<usize> = lost.chunk_by(|a, b| a == b).filter(|c| c[0]).map(<[bool]>::len).collect();
        let n = bursts.len() as f64;
        for k in [1, 5, 10, 30] {
            let (seen, law) = (bursts.iter().filter(|b| **b > k).count() as f64 / n, libm::pow(0.9, k as f64));
            assert!((seen - law).abs() < 4.4 * (law * (1.0 - law) / n).sqrt(), "beyond {k}: {seen}, {law}");
        }
    }

    #[test]
    fn the_mean_is_that_of_both_states() {
        let config = GilbertElliottConfig { to_bad: 0.05, to_good: 0.2, loss_bad: 0.6, loss_good: 0.02 };
        assert!(agrees(&losses(config, 1_000_000), (0.05 * 0.6 + 0.2 * 0.02) / 0.25));
    }

    #[test]
    fn the_first_packet_meets_a_good_channel() {
        let stuck = GilbertElliottConfig { to_bad: 1.0, to_good: 0.0, ..GilbertElliottConfig::default() };
        assert_eq!(losses(stuck, 4), [false, true, true, true]);
    }
}
