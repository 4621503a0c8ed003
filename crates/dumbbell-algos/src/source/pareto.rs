//! A Pareto renewal process: datagrams whose intervals are independent and heavy-tailed, so that
//! quiet stretches of every length come between crowded ones. Its counts are long-range dependent
//! with H = (3 - shape) / 2 for shapes from 1 to 2 (S. B. Lowen, M. C. Teich, Fractal renewal
//! processes generate 1/f noise, Physical Review E 47(2), 1993).
use super::cbr::check_packet;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::rng::Stream;
use dumbbell_core::source::{Burst, Source};
use dumbbell_core::units::{Bytes, Rate, Span, Time};
use dumbbell_macros::config;

/// Parameters of [`Pareto`].
#[config]
pub struct ParetoConfig {
    /// Mean rate of the payload: `rate / (8 packet)` datagrams a second.
    #[schemars(extend("x-source" = "our choice, cbr's"))]
    #[config(default = Rate::from_bps(448_000))]
    pub rate: Rate,
    /// Payload of one datagram.
    #[schemars(extend("x-source" = "ns-2 packetSize_ 210"))]
    #[config(default = Bytes(210))]
    pub packet: Bytes,
    /// Pareto's shape; up to 2 the variance of the intervals is infinite.
    #[schemars(
        range(max = 100.0),
        extend("exclusiveMinimum" = 1.0, "x-source" = "ns-2 shape_ 1.5"),
    )]
    #[config(default = 1.5)]
    pub shape: f64,
}

impl Config for ParetoConfig {
    fn check(&self) -> Result<(), Fault> {
        check_packet(self.packet)
    }
}

/// Independent Pareto intervals.
#[derive(Clone, Debug)]
pub struct Pareto {
    bytes: u64,
    shape: f64,
    mean_s: f64,
}

impl Algorithm for Pareto {
    type Config = ParetoConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "pareto",
        title: "Pareto arrivals",
        idea: "Datagrams of one size at independent Pareto intervals: bursts and silences of every \
            length.",
        equations: "P(interval > t) = (scale / t)^shape,  scale = m (shape - 1) / shape,  m = 8 \
            packet / rate\nindex of dispersion of counts: 1 / (shape (shape - 2)) above shape \
            2,\ngrowing as t^(2 - shape) from 1 to 2: H = (3 - shape) / 2",
        sources: &[
            "S. B. Lowen, M. C. Teich: Fractal renewal processes generate 1/f noise, Phys. Rev. E \
                47(2), 1993",
            "V. Paxson, S. Floyd: Wide Area Traffic: The Failure of Poisson Modeling, IEEE/ACM ToN \
                3(3), 1995",
        ],
        provenance: Provenance::TwoReadings,
        ..About::PLAIN
    };
    fn new(config: &ParetoConfig, (): &()) -> Self {
        let mean_s = 8.0 * config.packet.0 as f64 / config.rate.bps() as f64;
        Pareto { bytes: config.packet.0, shape: config.shape, mean_s }
    }
}

impl Source for Pareto {
    fn next(&mut self, _: Time, rng: &mut Stream) -> Option<Burst> {
        Some(Burst::new(Span::from_secs_f64(rng.pareto(self.shape, self.mean_s)), self.bytes))
    }
    fn datagrams(&self) -> bool {
        true
    }
    fn largest(&self) -> Option<u64> {
        Some(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::parts::counting::{dispersion, hurst};

    /// A thousand datagrams a second on average.
    fn source(shape: f64) -> Pareto {
        Pareto::new(
            &ParetoConfig { rate: Rate::from_bps(8_000_000), packet: Bytes(1000), shape },
            &(),
        )
    }

    #[test]
    fn intervals_have_their_law() {
        let n = 100_000;
        for shape in [1.5, 2.5] {
            let (mut source, mut rng) = (source(shape), Stream::named(5, "pareto"));
            let x: Vec<f64> = (0..n)
                .map(|_| source.next(Time::ZERO, &mut rng).unwrap().after.seconds() * 1000.0)
                .collect();
            let scale = (shape - 1.0) / shape;
            for k in [0.5, 1.0, 3.0, 20.0] {
                let p = libm::pow(scale / f64::max(k, scale), shape);
                let seen = x.iter().filter(|v| **v > k).count() as f64 / f64::from(n);
                let most = 4.4 * (p * (1.0 - p) / f64::from(n)).sqrt() + 1e-9;
                assert!((seen - p).abs() <= most, "{shape} beyond {k}: {seen} {p}");
            }
        }
    }

    /// Renewal theory: the variance of counts over their mean tends to the squared coefficient of
    /// variation of the intervals, which for a Pareto distribution is 1 / (a (a - 2)): 1/15 for
    /// shape 5, 1/3 for 3. Mean rate: that of the law of large numbers, within 4.4 standard errors.
    #[test]
    fn dispersion_is_that_of_renewal_theory() {
        for shape in [5.0, 3.0] {
            let law = 1.0 / (shape * (shape - 2.0));
            let found: Vec<(f64, f64)> = (1..=12)
                .map(|seed| dispersion(&mut source(shape), seed, 4000, Span::from_ms(200)))
                .collect();
            let n = found.len() as f64;
            let mean = |f: fn(&(f64, f64)) -> f64| found.iter().map(f).sum::<f64>() / n;
            let (count, index) = (mean(|x| x.0), mean(|x| x.1));
            let spread =
                (found.iter().map(|x| libm::pow(x.1 - index, 2.0)).sum::<f64>() / (n - 1.0) / n)
                    .sqrt();
            assert!(
                (count - 200.0).abs() < 4.4 * (200.0 * law / (n * 4000.0)).sqrt(),
                "{shape}: \
                {count}"
            );
            // A window of 200 intervals is not endless: the fourth central moment of shape 3 does
            // not exist.
            assert!(
                (index - law).abs() < 4.0 * spread + 0.05 * law,
                "{shape}: {index} +- \
                {spread}, {law}"
            );
        }
    }

    /// Long-range dependence: H = (3 - shape) / 2, from the slope of the variance of sums.
    #[test]
    fn counts_are_long_range_dependent() {
        let (h, error) = hurst(&mut || vec![source(1.4)], Span::from_ms(20), 12);
        assert!((h - 0.8).abs() < 4.0 * error + 0.05, "{h} +- {error}");
        let (h, error) = hurst(&mut || vec![source(9.0)], Span::from_ms(20), 12);
        assert!((h - 0.5).abs() < 4.0 * error + 0.03, "{h} +- {error}");
    }
}
