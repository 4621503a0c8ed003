//! Repetition on the link: a transmission that fails is made again, and the packets behind it wait.
use dumbbell_core::catalogue::{About, Algorithm, Config, Provenance};
use dumbbell_core::rng::Stream;
use dumbbell_core::service::{Service, Site, Transmitted};
use dumbbell_core::units::{Rate, Span, Time, Transmitter};
use dumbbell_macros::config;

/// Parameters of [`Arq`].
#[config]
pub struct ArqConfig {
    /// Rate of one transmission; default: the link's `rate`.
    #[schemars(extend("x-source" = "ours: the link's"))]
    pub rate: Option<Rate>,
    /// Probability that a transmission fails.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "ours: a channel that 1 % loss would cripple TCP on"),
    )]
    #[config(default = 0.1)]
    pub loss: f64,
    /// Time until a failure is known: from the end of a transmission to the next one of the same
    /// packet.
    #[schemars(extend("x-source" = "ours: a link of a few hundred kilometers, or a slow card"))]
    #[config(default = Span::from_ms(1))]
    pub turnaround: Span,
    /// Most transmissions of a packet; a packet that fails in all of them is lost.
    #[schemars(
        range(min = 1, max = 1000),
        extend("x-source" = "IEEE 802.11: dot11LongRetryLimit 4, dot11ShortRetryLimit 7"),
    )]
    #[config(default = 7)]
    pub limit: u32,
}

impl Config for ArqConfig {}

/// Sends each packet until it is through, then the next.
#[derive(Clone, Debug)]
pub struct Arq {
    config: ArqConfig,
    clock: Transmitter,
    nominal: Rate,
    chance: Stream,
}

impl Algorithm for Arq {
    type Config = ArqConfig;
    type Site = Site;
    const ABOUT: About = About {
        name: "arq",
        title: "Automatic repeat request",
        idea: "A failed transmission is repeated, up to a limit; the packets behind it wait, so \
            that order is kept.",
        equations: "P(N transmissions) = p^(N-1) (1 - p)  for N < n,  p^(n-1)  for N = n;  p = \
            loss, n = limit\nE[N] = (1 - p^n) / (1 - p),  P(lost) = p^n\nfinish = start + N \
            wire_bytes * 8 / rate + (N - 1) turnaround\nnominal rate = 8 MTU / (E[N] 8 MTU / rate \
            + (E[N] - 1) turnaround)",
        sources: &[
            "Bertsekas, Gallager: Data Networks, 2nd ed., section 2.4.1 (stop and wait)",
            "RFC 3366: Advice to link designers on link Automatic Repeat reQuest, sections 2 and 3",
        ],
        provenance: Provenance::TwoReadings,
        ..About::PLAIN
    };
    fn new(config: &ArqConfig, site: &Site) -> Self {
        let rate = config.rate.unwrap_or(site.link.rate);
        let clock = Transmitter::new(rate);
        let once = rate.span_of(u64::from(site.link.mtu)).seconds();
        let mean = config.mean_transmissions();
        let time = mean * once + (mean - 1.0) * config.turnaround.seconds();
        let nominal =
            Rate::from_bps(libm::round(8.0 * f64::from(site.link.mtu) / time).max(1.0) as u64);
        Arq { config: config.clone(), clock, nominal, chance: site.chance.clone() }
    }
}

impl ArqConfig {
    /// Mean number of transmissions of a packet.
    pub fn mean_transmissions(&self) -> f64 {
        let (p, n) = (self.loss, f64::from(self.limit));
        if p == 1.0 { n } else { (1.0 - libm::pow(p, n)) / (1.0 - p) }
    }
}

impl Service for Arq {
    fn finish(&mut self, _arrived: Time, start: Time, wire_bytes: u32) -> Transmitted {
        let mut done = start + self.clock.span(wire_bytes);
        for _ in 1..self.config.limit {
            if !self.chance.coin(self.config.loss) {
                return Transmitted::sent(done);
            }
            done += self.config.turnaround + self.clock.span(wire_bytes);
        }
        if self.chance.coin(self.config.loss) {
            Transmitted::lost(done)
        } else {
            Transmitted::sent(done)
        }
    }
    fn rate(&self) -> Rate {
        self.nominal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::impairment::WireEffect;
    use dumbbell_core::testing::site;

    const PACKETS: u32 = 200_000;

    /// Transmissions of each packet of 1000 B at 8 Mbps, 1 ms each, and whether it is lost; one a
    /// second, with a turn-around of 3 ms.
    fn transmissions(loss: f64, limit: u32, seed: u64) -> Vec<(u32, bool)> {
        let config =
            ArqConfig { rate: Some(Rate::from_mbps(8)), loss, turnaround: Span::from_ms(3), limit };
        let mut arq = Arq::new(&config, &site(seed));
        let mut one = |i: u32| {
            let start = Time::ZERO + Span::from_secs(u64::from(i));
            let Transmitted { done, effect } = arq.finish(start, start, 1000);
            let ms = done.since(start).ps() / Span::from_ms(1).ps();
            assert_eq!(
                (ms % 4, done.since(start)),
                (1, Span::from_ms(ms)),
                "one is 1 ms, each \
                further one 4 ms"
            );
            (ms as u32 / 4 + 1, effect == WireEffect::Lost)
        };
        (0..PACKETS).map(&mut one).collect()
    }

    /// The number of transmissions is geometric, cut at the limit: chi-square over its values (35.0
    /// is exceeded with probability 1e-5 at 6 degrees of freedom); its mean is (1 - p^n) / (1 - p)
    /// and the residual loss p^n, each within 4.4 standard deviations.
    #[test]
    fn transmissions_are_geometric_up_to_the_limit() {
        let (p, limit, n) = (0.3f64, 7, f64::from(PACKETS));
        let all = transmissions(p, limit, 1);
        let law = |k: u32| libm::pow(p, f64::from(k - 1)) * if k < limit { 1.0 - p } else { 1.0 };
        let chi: f64 = (1..=limit)
            .map(|k| {
                let seen = all.iter().filter(|(times, _)| *times == k).count() as f64;
                libm::pow(seen - n * law(k), 2.0) / (n * law(k))
            })
            .sum();
        assert!(chi < 35.0, "{chi}");
        let mean = all.iter().map(|(times, _)| f64::from(*times)).sum::<f64>() / n;
        let expected = (1.0 - libm::pow(p, 7.0)) / (1.0 - p);
        let variance =
            (1..=limit).map(|k| libm::pow(f64::from(k) - expected, 2.0) * law(k)).sum::<f64>();
        assert!((mean - expected).abs() < 4.4 * (variance / n).sqrt(), "{mean} {expected}");
        let (lost, residual) =
            (all.iter().filter(|(_, lost)| *lost).count() as f64, libm::pow(p, 7.0));
        assert!(
            (lost - n * residual).abs() < 4.4 * (n * residual * (1.0 - residual)).sqrt(),
            "{lost}"
        );
        assert!(all.iter().all(|(times, lost)| !lost || *times == limit), "lost before the limit");
    }

    #[test]
    fn a_limit_of_one_is_a_lossy_wire() {
        let all = transmissions(0.2, 1, 2);
        let (lost, n) = (all.iter().filter(|(_, lost)| *lost).count() as f64, f64::from(PACKETS));
        assert!(all.iter().all(|(times, _)| *times == 1));
        assert!((lost - 0.2 * n).abs() < 4.4 * (0.2 * 0.8 * n).sqrt(), "{lost}");
    }

    #[test]
    fn a_perfect_channel_is_a_constant_rate_and_a_dead_one_sends_nothing() {
        assert!(transmissions(0.0, 7, 3).iter().all(|sent| *sent == (1, false)));
        assert!(transmissions(1.0, 7, 3).iter().all(|sent| *sent == (7, true)));
    }

    /// 1500 B at 12 Mbps are 1 ms; half of the transmissions fail, up to two: 1.5 transmissions and
    /// half a turn-around of 1 ms in the mean, 2 ms.
    #[test]
    fn the_nominal_rate_is_that_of_full_packets() {
        let config = ArqConfig {
            rate: Some(Rate::from_mbps(12)),
            loss: 0.5,
            turnaround: Span::from_ms(1),
            limit: 2,
        };
        assert_eq!(Arq::new(&config, &site(1)).rate(), Rate::from_mbps(6));
    }
}
