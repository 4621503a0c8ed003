//! Jitter: every packet is late by a random time of its own.
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::impairment::{Impairment, WireEffect};
use dumbbell_core::packet::Meta;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Span, Time};
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the additional delay is distributed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// Uniform in [0, `max`).
    #[default]
    Uniform,
    /// Normal with `mean` and `deviation`; what would be below zero is zero.
    Normal,
    /// Pareto with `mean` and tail exponent `shape`; never below `mean` (`shape` - 1) / `shape`.
    Pareto,
    /// Exponential with `mean`.
    Exponential,
}

/// Parameters of [`Jitter`].
#[config]
pub struct JitterConfig {
    /// Largest additional delay (uniform).
    #[schemars(extend("x-source" = "tc-netem(8): delay 100ms 10ms, the manual's example"))]
    #[config(default = Span::from_ms(10))]
    pub max: Span,
    /// How the additional delay is distributed.
    #[schemars(extend("x-source" = "tc-netem(8), distribution: uniform unless one is written"))]
    #[config(default = Distribution::Uniform)]
    pub distribution: Distribution,
    /// Mean additional delay (normal, pareto, exponential).
    #[schemars(extend("x-source" = "ours: the mean of the manual's example, 10ms"))]
    #[config(default = Span::from_ms(10))]
    pub mean: Span,
    /// Standard deviation of the additional delay (normal).
    #[schemars(extend("x-source" = "ours: a fifth of the mean, so that nothing is below zero"))]
    #[config(default = Span::from_ms(2))]
    pub deviation: Span,
    /// Tail exponent (pareto): P(delay > x) falls as x^-shape. The variance is finite above 2.
    #[schemars(
        range(max = 100.0),
        extend("exclusiveMinimum" = 1.0, "x-source" = "ours: the least whole number with a \
            variance"),
    )]
    #[config(default = 3.0)]
    pub shape: f64,
    /// Whether a packet waits for the one before it, so that none overtakes another.
    #[schemars(extend("x-source" = "tc-netem(8): order is not kept there either"))]
    pub keep_order: bool,
}

impl Config for JitterConfig {
    fn check(&self) -> Result<(), Fault> {
        let default = JitterConfig::default();
        if self.distribution == Distribution::Uniform {
            return match [
                ("mean", self.mean, default.mean),
                ("deviation", self.deviation, default.deviation),
            ]
            .iter()
            .find(|(_, written, default)| written != default)
            {
                Some((name, ..)) => Err(Fault::at(
                    name,
                    format!(
                        "uniform jitter has no {name}: it \
                    goes up to `max`"
                    ),
                )
                .fix("write max, or distribution = \"normal\"")),
                None => Ok(()),
            };
        }
        if self.max != default.max {
            return Err(Fault::at("max", "only uniform jitter has a largest delay").fix(
                "write mean \
                = \"10 ms\"",
            ));
        }
        if self.mean == Span::ZERO && self.distribution != Distribution::Normal {
            return Err(Fault::at("mean", "a mean of 0 s is no delay at all").fix(
                "write mean = \
                \"10 ms\"",
            ));
        }
        Ok(())
    }
}

/// Delays each packet by a time of its own.
#[derive(Clone, Debug)]
pub struct Jitter {
    config: JitterConfig,
    /// The time at which the last packet went on.
    last: Time,
}

impl Algorithm for Jitter {
    type Config = JitterConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "jitter",
        title: "Jitter",
        idea: "Every packet is delayed by its own random time, so that packets close behind each \
            other may change places.",
        equations: "uniform:      delay += U max,  U uniform in [0, 1)\nnormal:       delay += \
            max(0, mean + deviation Z),  Z = sqrt(-2 ln(1 - U)) cos(2 pi V)\npareto:       delay \
            += mean (shape - 1) / shape (1 - U)^(-1 / shape)\nexponential:  delay += -mean ln(1 - \
            U)\nkeep_order:   never before the packet before it",
        sources: &[
            "tc-netem(8): delay with jitter and distribution",
            "Box, Muller: A note on the generation of random normal deviates, Ann. Math. Stat. 29, \
                1958",
        ],
        provenance: Provenance::TwoReadings,
        ..About::PLAIN
    };
    fn new(config: &JitterConfig, (): &()) -> Self {
        Jitter { config: config.clone(), last: Time::ZERO }
    }
}

impl Jitter {
    fn draw(&self, rng: &mut Stream) -> Span {
        let c = &self.config;
        match c.distribution {
            Distribution::Uniform => c.max.scaled(rng.unit()),
            Distribution::Normal => {
                let delay = c.mean.seconds() + c.deviation.seconds() * normal(rng);
                Span::from_secs_f64(delay.max(0.0))
            }
            Distribution::Pareto => Span::from_secs_f64(rng.pareto(c.shape, c.mean.seconds())),
            Distribution::Exponential => Span::from_secs_f64(rng.exponential(c.mean.seconds())),
        }
    }
}

/// A normal deviate: the first of the two that Box and Muller make of two uniform ones.
fn normal(rng: &mut Stream) -> f64 {
    let radius = (-2.0 * libm::log(1.0 - rng.unit())).sqrt();
    radius * libm::cos(2.0 * std::f64::consts::PI * rng.unit())
}

impl Impairment for Jitter {
    fn effect(&mut self, now: Time, rng: &mut Stream, _: &Meta) -> WireEffect {
        let mut delay = self.draw(rng);
        if self.config.keep_order {
            self.last = self.last.max(now + delay);
            delay = self.last.since(now);
        }
        WireEffect::Delayed(delay)
    }
    fn reorders(&self) -> bool {
        let c = &self.config;
        let varies = match c.distribution {
            Distribution::Uniform => c.max > Span::ZERO,
            Distribution::Normal => c.deviation > Span::ZERO,
            Distribution::Pareto | Distribution::Exponential => true,
        };
        varies && !c.keep_order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::catalogue::read;
    use serde_json::{Value, json};

    const DRAWS: usize = 100_000;

    fn config(v: Value) -> JitterConfig {
        read(&v).unwrap()
    }

    /// Delays in milliseconds of packets that are far apart.
    fn delays(v: Value) -> Vec<f64> {
        let (mut rng, mut link) = (Stream::named(1, "jitter"), Jitter::new(&config(v), &()));
        let one = |i| match link.effect(
            Time::ZERO + Span::from_secs(100 * i),
            &mut rng,
            &Meta::default(),
        ) {
            WireEffect::Delayed(d) => d.seconds() * 1e3,
            other => panic!("{other:?}"),
        };
        (0..DRAWS as u64).map(one).collect()
    }

    /// Mean and variance of a uniform: m/2 and m^2/12, within 5 standard errors of 100 000 draws.
    #[test]
    fn delays_are_uniform() {
        let (delays, n) = (delays(json!({ "max": "10 ms" })), DRAWS as f64);
        let mean = delays.iter().sum::<f64>() / n;
        let variance = delays.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / n;
        assert!(delays.iter().all(|d| (0.0..10.0).contains(d)));
        assert!((mean - 5.0).abs() < 5.0 * (100.0f64 / 12.0 / n).sqrt(), "{mean}");
        // The fourth central moment is m^4/80, so the variance's own variance is (1/80 - 1/144) m^4
        // / n.
        assert!(
            (variance - 100.0 / 12.0).abs() < 5.0 * (1e4 * (1.0 / 80.0 - 1.0 / 144.0) / n).sqrt()
        );
    }

    /// The distribution function of each, in milliseconds.
    fn law(distribution: &str, x: f64) -> f64 {
        match distribution {
            "uniform" => x / 10.0,
            "normal" => 0.5 * libm::erfc(-(x - 10.0) / (2.0 * std::f64::consts::SQRT_2)),
            "pareto" => 1.0 - libm::pow((10.0 * 2.0 / 3.0 / x).min(1.0), 3.0),
            _ => 1.0 - libm::exp(-x / 10.0),
        }
    }

    /// Through its own distribution function each is uniform: chi-square of twenty equal bins. 57.4
    /// is exceeded with probability 1e-5 at 19 degrees of freedom.
    #[test]
    fn delays_have_the_law_that_they_name() {
        for distribution in ["uniform", "normal", "pareto", "exponential"] {
            let mut bins = [0.0f64; 20];
            for delay in delays(json!({ "distribution": distribution })) {
                bins[((law(distribution, delay) * 20.0) as usize).min(19)] += 1.0;
            }
            let expected = DRAWS as f64 / 20.0;
            let chi: f64 =
                bins.iter().map(|seen| (seen - expected) * (seen - expected) / expected).sum();
            assert!(chi < 57.4, "{distribution}: {chi}");
        }
    }

    /// A normal delay with a deviation as large as its mean is cut at zero: for 15.87 % of packets,
    /// the normal's tail.
    #[test]
    fn no_packet_arrives_before_it_was_sent() {
        let all = delays(json!({ "distribution": "normal", "mean": "1 ms", "deviation": "1 ms" }));
        let (tail, n) = (0.5 * libm::erfc(1.0 / std::f64::consts::SQRT_2), DRAWS as f64);
        let cut = all.iter().filter(|d| **d == 0.0).count() as f64;
        assert!((cut - n * tail).abs() < 4.4 * (n * tail * (1.0 - tail)).sqrt(), "{cut}");
    }

    /// Packets a millisecond apart, delayed by 10 ms in the mean: in order, each as late as its own
    /// draw or behind the one before it.
    #[test]
    fn order_is_kept_where_it_is_asked_for() {
        let plain = json!({ "distribution": "exponential" });
        let (mut free, mut kept) = (config(plain.clone()), config(plain));
        (free.keep_order, kept.keep_order) = (false, true);
        let arrivals = |config: &JitterConfig| -> Vec<Time> {
            let (mut link, mut rng) = (Jitter::new(config, &()), Stream::named(2, "order"));
            (0..10_000)
                .map(|i| {
                    match link.effect(Time::ZERO + Span::from_ms(i), &mut rng, &Meta::default()) {
                        WireEffect::Delayed(d) => Time::ZERO + Span::from_ms(i) + d,
                        other => panic!("{other:?}"),
                    }
                })
                .collect()
        };
        let (free, kept) = (arrivals(&free), arrivals(&kept));
        assert!(!free.is_sorted() && kept.is_sorted());
        let latest = free.iter().scan(Time::ZERO, |last, at| {
            *last = (*last).max(*at);
            Some(*last)
        });
        assert!(latest.eq(kept.iter().copied()));
    }

    #[test]
    fn refuses_what_does_not_apply() {
        let at = |v: Value| read::<JitterConfig>(&v).unwrap_err().at;
        assert_eq!(at(json!({ "mean": "3 ms" })), "mean");
        assert_eq!(at(json!({ "distribution": "normal", "max": "3 ms" })), "max");
        assert_eq!(at(json!({ "distribution": "exponential", "mean": "0 s" })), "mean");
        assert_eq!(at(json!({ "distribution": "pareto", "shape": 1.0 })), "shape");
    }
}
