//! Bursts and silences: constant bit rate while on, nothing while off, both of random length
//! (ns-2's `Exponential` and `Pareto` traffic). Many Pareto sources together are self-similar with
//! H = (3 - shape) / 2 (Willinger, Taqqu, Sherman, Wilson, IEEE/ACM ToN 5(1), 1997).
use super::cbr::check_packet;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::rng::Stream;
use dumbbell_core::source::{Burst, Source};
use dumbbell_core::units::{Bytes, Rate, Span, Time, Transmitter};
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The distribution of the lengths of both periods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PeriodLaw {
    /// Without memory.
    #[default]
    Exponential,
    /// Heavy-tailed, with `shape`.
    Pareto,
    /// Always the mean.
    Constant,
}

/// Parameters of [`OnOff`].
#[config]
pub struct OnOffConfig {
    /// Mean length of a burst.
    #[schemars(extend("x-source" = "ns-2 burst_time_ 500ms"))]
    #[config(default = Span::from_ms(500))]
    pub on_mean: Span,
    /// Mean length of a silence.
    #[schemars(extend("x-source" = "ns-2 idle_time_ 500ms"))]
    #[config(default = Span::from_ms(500))]
    pub off_mean: Span,
    /// Distribution of both lengths.
    #[schemars(extend("x-source" = "ns-2 Application/Traffic/Exponential"))]
    #[config(default = PeriodLaw::Exponential)]
    pub distribution: PeriodLaw,
    /// Pareto's shape; from 1 to 2 the variance is infinite.
    #[schemars(
        range(max = 100.0),
        extend("exclusiveMinimum" = 1.0, "x-source" = "ns-2 shape_ 1.5"),
    )]
    #[config(default = 1.5)]
    pub shape: f64,
    /// Rate of the payload while on.
    #[schemars(extend("x-source" = "ns-2 rate_ 64Kb"))]
    #[config(default = Rate::from_bps(64_000))]
    pub rate: Rate,
    /// Payload of one datagram.
    #[schemars(extend("x-source" = "ns-2 packetSize_ 210"))]
    #[config(default = Bytes(210))]
    pub packet: Bytes,
}

impl Config for OnOffConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.on_mean < Span::from_us(1) {
            return Err(Fault::at("on_mean", "a burst lasts at least 1 us").fix("write \"500 ms\""));
        }
        check_packet(self.packet)
    }
}

/// Sends at `rate` on a clock that stands still during silences, so that the long-run rate is
/// exactly the rate times the share of time that is on, however many datagrams a burst has.
#[derive(Clone, Debug)]
pub struct OnOff {
    /// Boxed, so that the enum of all sources stays small for flows with other sources.
    config: Box<OnOffConfig>,
    clock: Transmitter,
    started: bool,
    on_left: Span,
}

impl OnOff {
    fn period(&self, mean: Span, rng: &mut Stream) -> Span {
        match self.config.distribution {
            PeriodLaw::Exponential => Span::from_secs_f64(rng.exponential(mean.seconds())),
            PeriodLaw::Pareto => Span::from_secs_f64(rng.pareto(self.config.shape, mean.seconds())),
            PeriodLaw::Constant => mean,
        }
    }
}

impl Algorithm for OnOff {
    type Config = OnOffConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "on_off",
        title: "On-off traffic",
        idea: "Bursts at a constant rate and silences, each of random length.",
        equations: "mean rate = rate * on_mean / (on_mean + off_mean)\n\
                    exponential: P(X > x) = exp(-x / mean)\n\
                    pareto:      P(X > x) = (scale / x)^shape,  scale = mean (shape - 1) / shape",
        sources: &[
            "ns-2 Application/Traffic/Exponential, Application/Traffic/Pareto",
            "Willinger, Taqqu, Sherman, Wilson: Self-Similarity Through High-Variability, IEEE/ACM \
                ToN 5(1), 1997",
        ],
        provenance: Provenance::TwoReadings,
        ..About::PLAIN
    };
    fn new(config: &OnOffConfig, (): &()) -> Self {
        OnOff {
            clock: Transmitter::new(config.rate),
            config: Box::new(config.clone()),
            started: false,
            on_left: Span::ZERO,
        }
    }
}

impl Source for OnOff {
    fn next(&mut self, _: Time, rng: &mut Stream) -> Option<Burst> {
        let bytes = self.config.packet.0;
        if !std::mem::replace(&mut self.started, true) {
            self.on_left = self.period(self.config.on_mean, rng);
            return Some(Burst::new(Span::ZERO, bytes));
        }
        let mut due = self.clock.span(bytes as u32);
        let mut after = due;
        while self.on_left < due {
            due = due - self.on_left;
            after = after + self.period(self.config.off_mean, rng);
            self.on_left = self.period(self.config.on_mean, rng);
        }
        self.on_left = self.on_left - due;
        Some(Burst::new(after, bytes))
    }
    fn datagrams(&self) -> bool {
        true
    }
    fn largest(&self) -> Option<u64> {
        Some(self.config.packet.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::parts::counting::hurst;

    /// 1000 B at 8 Mbps: one datagram a millisecond while on.
    fn config(on_ms: u64, off_ms: u64, distribution: PeriodLaw) -> OnOffConfig {
        OnOffConfig {
            on_mean: Span::from_ms(on_ms),
            off_mean: Span::from_ms(off_ms),
            distribution,
            shape: 1.5,
            rate: Rate::from_mbps(8),
            packet: Bytes(1000),
        }
    }

    fn intervals(config: &OnOffConfig, n: usize) -> Vec<f64> {
        let (mut source, mut rng) = (OnOff::new(config, &()), Stream::named(2, "on_off"));
        source.next(Time::ZERO, &mut rng);
        (0..n).map(|_| source.next(Time::ZERO, &mut rng).unwrap().after.seconds()).collect()
    }

    #[test]
    fn constant_periods_repeat_exactly() {
        // On 4 ms, off 6 ms: four datagrams in 10 ms. The one that is due as the burst ends still
        // belongs to it.
        let x = intervals(&config(4, 6, PeriodLaw::Constant), 9);
        let expected = [1, 1, 1, 1, 7, 1, 1, 1, 7].map(|ms| f64::from(ms) / 1000.0);
        assert!(x.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{x:?}");
    }

    /// Exponential silences: the sum of n intervals is n ms on-time plus the silences in between.
    /// Each burst of mean 20 ms is followed by a silence of mean 30 ms; per datagram 1.5 ms of
    /// silence with variance (1/20) * 2 * 30^2 = 90 ms^2.
    #[test]
    fn exponential_has_its_long_run_rate() {
        let n = 400_000;
        let mean =
            intervals(&config(20, 30, PeriodLaw::Exponential), n).iter().sum::<f64>() / n as f64;
        assert!((mean - 0.0025).abs() < 4.4 * 1e-3 * (90.0 / n as f64).sqrt(), "{mean}");
    }

    /// Survival functions at multiples of the mean, from the periods themselves.
    #[test]
    fn periods_have_their_laws() {
        let n = 100_000;
        for (law, survival) in [
            (PeriodLaw::Exponential, (|k| libm::exp(-k)) as fn(f64) -> f64),
            (PeriodLaw::Pareto, |k| libm::pow((1.0 / 3.0) / k, 1.5)),
        ] {
            let (source, mut rng) =
                (OnOff::new(&config(500, 500, law), &()), Stream::named(3, "periods"));
            let x: Vec<f64> = (0..n)
                .map(|_| source.period(Span::from_ms(500), &mut rng).seconds() / 0.5)
                .collect();
            for k in [0.4, 1.0, 3.0, 8.0] {
                let seen = x.iter().filter(|v| **v > k).count() as f64 / f64::from(n);
                let p = survival(k);
                assert!(
                    (seen - p).abs() < 4.4 * (p * (1.0 - p) / f64::from(n)).sqrt(),
                    "{law:?} beyond {k}: {seen} {p}"
                );
            }
            assert!(law == PeriodLaw::Exponential || x.iter().all(|v| *v > 1.0 / 3.0 - 1e-9));
        }
    }

    /// The sum of forty Pareto sources is self-similar with H = (3 - shape) / 2; of exponential
    /// ones, beyond their periods, without memory.
    #[test]
    fn the_sum_of_pareto_sources_is_self_similar() {
        let sum = |law, shape| {
            let one = || OnOff::new(&OnOffConfig { shape, ..config(20, 20, law) }, &());
            hurst(&mut || (0..40).map(|_| one()).collect(), Span::from_ms(10), 8)
        };
        for (law, shape, h) in [(PeriodLaw::Pareto, 1.4, 0.8), (PeriodLaw::Exponential, 1.5, 0.5)] {
            let (found, error) = sum(law, shape);
            assert!((found - h).abs() < 4.0 * error + 0.05, "{law:?}: {found} +- {error}");
        }
    }

    #[test]
    fn a_burst_without_length_is_refused() {
        let none = OnOffConfig { on_mean: Span::ZERO, ..OnOffConfig::default() };
        assert_eq!(none.check().unwrap_err().at, "on_mean");
        let never_off = OnOffConfig { off_mean: Span::ZERO, ..OnOffConfig::default() };
        assert!(never_off.check().is_ok());
    }
}
