//! Reordering: some packets are late, or ahead of the others, by a fixed time.
use dumbbell_core::catalogue::{About, Algorithm, Config, Provenance};
use dumbbell_core::impairment::{Impairment, WireEffect};
use dumbbell_core::packet::Meta;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Span, Time};
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is done to the packets that are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Chosen {
    /// They are late by `delay`: those behind overtake them.
    #[default]
    Late,
    /// All others are late by `delay`: they overtake those before.
    Ahead,
}

/// Parameters of [`Reorder`].
#[config]
pub struct ReorderConfig {
    /// Probability that a packet is chosen.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "tc-netem(8): reorder 25%, the manual's example"),
    )]
    #[config(default = 0.25)]
    pub share: f64,
    /// Extra delay of the late packets.
    #[schemars(extend("x-source" = "tc-netem(8): delay 10ms reorder 25%, the manual's example"))]
    #[config(default = Span::from_ms(10))]
    pub delay: Span,
    /// What is done to a packet that is chosen.
    #[schemars(extend("x-source" = "ours: a path that is longer for some packets"))]
    #[config(default = Chosen::Late)]
    pub chosen: Chosen,
    /// Least distance, in packets, from one chosen packet to the next; 1: any packet may be chosen.
    #[schemars(
        range(min = 1, max = 1_000_000),
        extend("x-source" = "tc-netem(8): gap 1 unless it is written"),
    )]
    #[config(default = 1)]
    pub gap: u32,
    /// Correlation of the choice of a packet with that of the one before it; the share stays what
    /// it is.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "tc-netem(8): none unless it is written"),
    )]
    #[config(default = 0.0)]
    pub correlation: f64,
}

impl Config for ReorderConfig {}

/// Chooses packets, and sends them late or ahead.
#[derive(Clone, Debug)]
pub struct Reorder {
    config: ReorderConfig,
    /// Packets since the last one chosen.
    since: u32,
    /// The last choice, of those that were made.
    last: Option<bool>,
}

impl Algorithm for Reorder {
    type Config = ReorderConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "reorder",
        title: "Reordering",
        idea: "A share of packets is late by a fixed time, so that those behind overtake them; or \
            ahead of all others.",
        equations: "P(chosen) = share;  after a choice  share + c (1 - share),  after none  share \
            (1 - c),\nc the correlation;  of the first gap - 1 packets behind one chosen, \
            none\nlate: chosen += delay;  ahead: all others += delay\nmean distance of packets \
            chosen = gap - 1 + 1 / share  (c = 0)",
        sources: &["tc-netem(8): delay 10ms reorder 25% 50% gap 5"],
        provenance: Provenance::TwoReadings,
        ..About::PLAIN
    };
    fn new(config: &ReorderConfig, (): &()) -> Self {
        Reorder { config: config.clone(), since: 0, last: None }
    }
}

impl Reorder {
    fn chooses(&mut self, rng: &mut Stream) -> bool {
        let c = &self.config;
        self.since += 1;
        if self.since < c.gap {
            return false;
        }
        let p = match self.last {
            None => c.share,
            Some(true) => c.share + c.correlation * (1.0 - c.share),
            Some(false) => c.share * (1.0 - c.correlation),
        };
        let chosen = rng.coin(p);
        self.last = Some(chosen);
        // Beyond the gap it says nothing.
        self.since = if chosen { 0 } else { c.gap };
        chosen
    }
}

impl Impairment for Reorder {
    fn effect(&mut self, _: Time, rng: &mut Stream, _: &Meta) -> WireEffect {
        let late = self.chooses(rng) == (self.config.chosen == Chosen::Late);
        if late { WireEffect::Delayed(self.config.delay) } else { WireEffect::Arrives }
    }
    fn reorders(&self) -> bool {
        let c = &self.config;
        let all_alike = c.gap == 1 && (c.share == 1.0 || c.correlation == 1.0);
        c.delay > Span::ZERO && c.share > 0.0 && !all_alike
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::catalogue::read;
    use serde_json::{Value, json};

    /// Returns true for each packet that is late.
    fn late(v: Value, n: usize) -> Vec<bool> {
        let (mut link, mut rng) =
            (Reorder::new(&read(&v).unwrap(), &()), Stream::named(4, "reorder"));
        (0..n)
            .map(|_| link.effect(Time::ZERO, &mut rng, &Meta::default()) != WireEffect::Arrives)
            .collect()
    }

    /// A probability, counted: within 4.4 standard deviations (two-sided 1e-5).
    fn within(seen: usize, n: usize, p: f64) -> bool {
        let n = n as f64;
        (seen as f64 - n * p).abs() < 4.4 * (n * p * (1.0 - p)).sqrt()
    }

    #[test]
    fn a_share_is_late_independently() {
        let all = late(json!({}), 200_000);
        assert!(within(all.iter().filter(|l| **l).count(), 200_000, 0.25));
        assert!(within(all.chunks_exact(2).filter(|w| w[0] && w[1]).count(), 100_000, 0.0625));
        let ahead = late(json!({ "chosen": "ahead" }), 200_000);
        assert!(
            all.iter().zip(&ahead).all(|(late, others)| late != others),
            "the same choice, the \
            other way round"
        );
    }

    /// The correlation is that of successive choices, and the share stays: P(1 | 1) = 0.2 + 0.5 x
    /// 0.8 = 0.6, P(1 | 0) = 0.1.
    #[test]
    fn choices_are_correlated_as_written() {
        let all = late(json!({ "share": 0.2, "correlation": 0.5 }), 400_000);
        for (before, p) in [(true, 0.6), (false, 0.1)] {
            let next: Vec<bool> = all.windows(2).filter(|w| w[0] == before).map(|w| w[1]).collect();
            assert!(within(next.iter().filter(|l| **l).count(), next.len(), p), "after {before}");
        }
        // The variance of the mean of a chain with correlation c is (1 + c) / (1 - c) times the
        // binomial's.
        let (n, seen) = (400_000.0, all.iter().filter(|l| **l).count() as f64);
        assert!((seen - 0.2 * n).abs() < 4.4 * (3.0 * n * 0.2 * 0.8f64).sqrt(), "{seen}");
    }

    /// Each fifth packet (netem's `reorder 100% gap 5`); and at a share of one half, distances of 4
    /// and a geometric number, with a mean of 6 and a variance of (1 - p) / p^2 = 2.
    #[test]
    fn a_gap_lies_between_choices() {
        let fifth = late(json!({ "share": 1.0, "gap": 5 }), 100);
        assert!(fifth.iter().enumerate().all(|(i, late)| *late == (i % 5 == 4)));
        let half = late(json!({ "share": 0.5, "gap": 5 }), 600_000);
        let places: Vec<usize> =
            half.iter().enumerate().filter(|(_, late)| **late).map(|(i, _)| i).collect();
        let distances: Vec<f64> = places.windows(2).map(|w| (w[1] - w[0]) as f64).collect();
        let (n, mean) =
            (distances.len() as f64, distances.iter().sum::<f64>() / distances.len() as f64);
        assert!(distances.iter().all(|d| *d >= 5.0));
        assert!((mean - 6.0).abs() < 4.4 * (2.0 / n).sqrt(), "{mean}");
    }

    #[test]
    fn says_when_nothing_overtakes() {
        let reorders = |v: Value| Reorder::new(&read(&v).unwrap(), &()).reorders();
        assert!(reorders(json!({})) && reorders(json!({ "share": 1.0, "gap": 2 })));
        for v in [json!({ "delay": "0 s" }), json!({ "share": 0.0 }), json!({ "share": 1.0 })] {
            assert!(!reorders(v.clone()), "{v}");
        }
    }
}
