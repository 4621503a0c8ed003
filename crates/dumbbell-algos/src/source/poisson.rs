//! Poisson arrivals: datagrams that arrive independently of each other, the traffic of queueing
//! theory.
use super::cbr::check_packet;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::rng::Stream;
use dumbbell_core::source::{Burst, Source};
use dumbbell_core::units::{Bytes, Rate, Span, Time};
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The bytes that IPv4 and UDP add to a payload.
const HEADERS: f64 = 28.0;
/// Least and greatest mean payload of exponential sizes: within them neither the shortest nor the
/// longest datagram that there is moves the mean or the second moment of its IP length by 0.1 %
/// (see `clamping_hardly_moves_the_moments`).
const MEANS: std::ops::RangeInclusive<u64> = 650..=7000;

/// The distribution of the datagrams' sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SizeLaw {
    /// All of `packet`: M/D/1 at a link.
    #[default]
    Fixed,
    /// The IP length is exponential, so that times of transmission are (M/M/1), with mean
    /// `packet` + 28 B; rounded to a byte and kept within 29 B and 65535 B.
    Exponential,
}

/// Parameters of [`Poisson`].
#[config]
pub struct PoissonConfig {
    /// Mean rate of the payload: `rate / (8 packet)` datagrams a second.
    #[schemars(extend("x-source" = "our choice, cbr's"))]
    #[config(default = Rate::from_bps(448_000))]
    pub rate: Rate,
    /// Payload of one datagram; its mean if sizes are exponential (then 650 B to 7000 B). The wire
    /// adds 28 B.
    #[schemars(extend("x-source" = "our choice: 1000 B of IP length"))]
    #[config(default = Bytes(972))]
    pub packet: Bytes,
    /// Distribution of the sizes.
    #[schemars(extend("x-source" = "Kleinrock 1975: M/D/1, M/M/1"))]
    #[config(default = SizeLaw::Fixed)]
    pub sizes: SizeLaw,
}

impl Config for PoissonConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.sizes == SizeLaw::Exponential && !MEANS.contains(&self.packet.0) {
            let cause = format!(
                "exponential sizes have a mean of {} B to {} B",
                MEANS.start(),
                MEANS.end()
            );
            return Err(Fault::at("packet", cause).fix("write \"972 B\", and scale the rates"));
        }
        check_packet(self.packet)
    }
}

/// Exponential intervals, sizes of one distribution.
#[derive(Clone, Debug)]
pub struct Poisson {
    config: PoissonConfig,
    mean_s: f64,
}

impl Poisson {
    fn size(&self, rng: &mut Stream) -> u64 {
        let mean = self.config.packet.0;
        match self.config.sizes {
            SizeLaw::Fixed => mean,
            SizeLaw::Exponential => {
                let payload = libm::round(rng.exponential(mean as f64 + HEADERS)) - HEADERS;
                payload.clamp(1.0, super::cbr::MAX_DATAGRAM as f64) as u64
            }
        }
    }
}

impl Algorithm for Poisson {
    type Config = PoissonConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "poisson",
        title: "Poisson arrivals",
        idea: "Datagrams at the instants of a Poisson process, of one size or of exponential \
            sizes.",
        equations: "P(interval > t) = exp(-t rate / (8 packet))\n\
                    exponential: P(IP length > x) = exp(-x / (packet + 28))",
        sources: &["L. Kleinrock, Queueing Systems, volume 1: Theory, 1975"],
        provenance: Provenance::Vectors,
        ..About::PLAIN
    };
    fn new(config: &PoissonConfig, (): &()) -> Self {
        let mean_s = 8.0 * config.packet.0 as f64 / config.rate.bps() as f64;
        Poisson { config: config.clone(), mean_s }
    }
}

impl Source for Poisson {
    fn next(&mut self, _: Time, rng: &mut Stream) -> Option<Burst> {
        let after = Span::from_secs_f64(rng.exponential(self.mean_s));
        Some(Burst::new(after, self.size(rng)))
    }
    fn datagrams(&self) -> bool {
        true
    }
    fn largest(&self) -> Option<u64> {
        Some(match self.config.sizes {
            SizeLaw::Fixed => self.config.packet.0,
            SizeLaw::Exponential => super::cbr::MAX_DATAGRAM,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::parts::counting::{dispersion, hurst};

    const N: usize = 400_000;

    fn config(packet: u64, sizes: SizeLaw) -> PoissonConfig {
        PoissonConfig { rate: Rate::from_bps(8_000 * packet), packet: Bytes(packet), sizes }
    }

    fn draws(config: &PoissonConfig) -> Vec<Burst> {
        let (mut source, mut rng) = (Poisson::new(config, &()), Stream::named(4, "poisson"));
        (0..N).map(|_| source.next(Time::ZERO, &mut rng).unwrap()).collect()
    }

    /// Mean of `x^k` in units of the mean's k-th power, which for an exponential is k!, with 4.4
    /// standard errors of it.
    fn moment(x: impl Iterator<Item = f64>, k: i32) -> f64 {
        x.map(|v| libm::pow(v, f64::from(k))).sum::<f64>() / N as f64
    }

    fn is_exponential(x: &[f64]) {
        for (k, law, variance) in [(1, 1.0, 1.0), (2, 2.0, 20.0), (3, 6.0, 684.0)] {
            let seen = moment(x.iter().copied(), k);
            // Variance of x^k: (2k)! - k!^2.
            assert!(
                (seen - law).abs() < 4.4 * (variance / N as f64).sqrt() + 2e-3 * law,
                "{k}: \
                {seen}"
            );
        }
        let beyond = |t: f64| x.iter().filter(|v| **v > t).count() as f64 / N as f64;
        for t in [0.1, 0.7, 2.0, 5.0] {
            let p = libm::exp(-t);
            assert!(
                (beyond(t) - p).abs() < 4.4 * (p * (1.0 - p) / N as f64).sqrt() + 1e-3 * p,
                "beyond \
                {t}"
            );
        }
    }

    #[test]
    fn intervals_are_exponential_and_independent() {
        for sizes in [SizeLaw::Fixed, SizeLaw::Exponential] {
            let x: Vec<f64> =
                draws(&config(1000, sizes)).iter().map(|b| b.after.seconds() * 1000.0).collect();
            is_exponential(&x);
            let together =
                x.windows(2).map(|w| (w[0] - 1.0) * (w[1] - 1.0)).sum::<f64>() / N as f64;
            assert!(
                together.abs() < 4.4 / (N as f64).sqrt(),
                "neighbors are correlated: \
                {together}"
            );
        }
    }

    /// Counts of a Poisson process have the variance of their mean, in windows of every width, and
    /// no memory.
    #[test]
    fn counts_have_the_dispersion_of_a_poisson_process() {
        for (width_ms, seed) in [(2, 1), (20, 2), (200, 3)] {
            let n = 8000;
            let mut source = Poisson::new(&config(1000, SizeLaw::Fixed), &());
            let (mean, index) = dispersion(&mut source, seed, n, Span::from_ms(width_ms));
            assert!(
                (mean - width_ms as f64).abs() < 4.4 * (width_ms as f64 / n as f64).sqrt(),
                "{mean}"
            );
            // The variance of an index of dispersion from n counts: (2 + 1 / mean) / n.
            assert!(
                (index - 1.0).abs() < 4.4 * ((2.0 + 1.0 / mean) / n as f64).sqrt(),
                "{width_ms} \
                ms: {index}"
            );
        }
        let (h, error) = hurst(
            &mut || vec![Poisson::new(&config(1000, SizeLaw::Fixed), &())],
            Span::from_ms(20),
            12,
        );
        assert!((h - 0.5).abs() < 4.0 * error + 0.02, "{h} +- {error}");
    }

    #[test]
    fn lengths_are_exponential_on_the_wire() {
        for packet in [972, 5000] {
            let mean = packet as f64 + HEADERS;
            let all = draws(&config(packet, SizeLaw::Exponential));
            is_exponential(
                &all.iter().map(|b| (b.bytes as f64 + HEADERS) / mean).collect::<Vec<_>>(),
            );
        }
        assert!(draws(&config(972, SizeLaw::Fixed)).iter().all(|b| b.bytes == 972));
    }

    /// The moments of round(X) kept within [29, 65535], summed over all lengths, against those of
    /// X.
    #[test]
    fn clamping_hardly_moves_the_moments() {
        for packet in [*MEANS.start(), 972, 5000, *MEANS.end()] {
            let mean = packet as f64 + HEADERS;
            let survival = |x: f64| libm::exp(-x / mean);
            let p = |n: u32| match n {
                29 => 1.0 - survival(29.5),
                65_535 => survival(65_534.5),
                n => survival(f64::from(n) - 0.5) - survival(f64::from(n) + 0.5),
            };
            let moment = |k: i32| {
                (29..=65_535)
                    .map(|n| p(n) * libm::pow(f64::from(n) / mean, f64::from(k)))
                    .sum::<f64>()
            };
            assert!((moment(1) - 1.0).abs() < 1e-3, "{packet}: {}", moment(1));
            assert!((moment(2) / 2.0 - 1.0).abs() < 1e-3, "{packet}: {}", moment(2));
        }
    }

    #[test]
    fn means_of_exponential_sizes_have_limits() {
        for (packet, ok) in [(649, false), (650, true), (7000, true), (7001, false)] {
            assert_eq!(config(packet, SizeLaw::Exponential).check().is_ok(), ok, "{packet}");
        }
        assert!(config(100, SizeLaw::Fixed).check().is_ok());
        assert!(config(65_508, SizeLaw::Fixed).check().is_err());
    }
}
