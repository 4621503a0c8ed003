//! A rate that swings like a sine around its mean.
use crate::service::parts::fluid::{Curve, Fluid};
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::service::{Service, Site, Transmitted};
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_macros::config;
use std::f64::consts::PI;

/// Parameters of [`Sine`].
#[config]
pub struct SineConfig {
    /// Mean rate; default: the link's `rate`.
    #[schemars(extend("x-source" = "ours: the link's"))]
    pub rate: Option<Rate>,
    /// How far the rate swings to each side, as a share of the mean: at 1 it touches zero.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "ours: between half and one and a half times the mean"),
    )]
    #[config(default = 0.5)]
    pub depth: f64,
    /// Time of one swing.
    #[schemars(extend("x-source" = "ours: many round-trip times"))]
    #[config(default = Span::from_secs(10))]
    pub period: Span,
    /// Where the swing stands at the start, in periods: at 0 the rate is at its mean and rises, at
    /// 0.25 it is at its top.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "ours: none"))]
    #[config(default = 0.0)]
    pub phase: f64,
}

impl Config for SineConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.period < Span::from_us(1) {
            return Err(Fault::at(
                "period",
                format!("a swing of {} is shorter than 1 us", self.period),
            )
            .fix("write period = \"10 s\""));
        }
        Ok(())
    }
}

/// The integral of the rate.
#[derive(Clone, Copy, Debug)]
struct Swing {
    bps: u64,
    period: u64,
    depth: f64,
    phase: f64,
}

impl Swing {
    /// Work done `within` a period, which the swing has made more or less than at the mean rate.
    fn of(self, within: u64) -> u128 {
        let turn = |at: f64| libm::cos(2.0 * PI * at);
        let at = within as f64 / self.period as f64;
        let swing = self.depth * self.period as f64 / (2.0 * PI)
            * (turn(self.phase) - turn(self.phase + at));
        (self.bps as f64 * (within as f64 + swing)).max(0.0) as u128
    }
    fn round(self) -> u128 {
        u128::from(self.bps) * u128::from(self.period)
    }
    /// The rate at a time within a period.
    fn slope(self, within: u64) -> f64 {
        let at = self.phase + within as f64 / self.period as f64;
        self.bps as f64 * (1.0 + self.depth * libm::sin(2.0 * PI * at))
    }
}

impl Curve for Swing {
    fn done_by(&self, t: Time) -> u128 {
        let (rounds, within) = (t.ps() / self.period, t.ps() % self.period);
        u128::from(rounds) * self.round() + self.of(within).min(self.round())
    }
    /// Newton's method, held between bounds that halve where it would leave them.
    fn when(&self, work: u128) -> u128 {
        let (rounds, target) = (work / self.round(), work % self.round());
        let (mut low, mut high) = (0, self.period);
        let mut guess = (target / u128::from(self.bps)) as u64;
        while low < high {
            let done = self.of(guess);
            if done < target {
                low = guess + 1
            } else {
                high = guess
            }
            if low == high {
                break;
            }
            let step = (target as f64 - done as f64) / self.slope(guess);
            let next = guess as f64 + step;
            guess = if next.is_finite() { libm::round(next).max(0.0) as u64 } else { high };
            if guess < low || guess >= high {
                // Newton converges from one side: its last step is to the bound itself.
                guess = if guess + 1 == low {
                    low
                } else if guess == high {
                    high - 1
                } else {
                    low + (high - low) / 2
                };
            }
        }
        rounds * u128::from(self.period) + u128::from(low)
    }
}

/// A transmitter whose rate is a sine of time.
#[derive(Clone, Debug)]
pub struct Sine(Fluid<Swing>);

impl Algorithm for Sine {
    type Config = SineConfig;
    type Site = Site;
    const ABOUT: About = About {
        name: "sine",
        title: "Sine of rate",
        idea: "The rate swings around its mean like a sine, as that of a channel that slowly \
            fades.",
        equations: "r(t) = rate (1 + depth sin(2 pi (t / period + phase)))\nW(t) = rate (t + depth \
            period / (2 pi) (cos(2 pi phase) - cos(2 pi (t / period + phase))))\nfinish = the \
            first t with W(t) >= W(start) + wire_bytes * 8;  nominal rate = rate",
        sources: &["Fluid service with a time-varying rate: Chang, Performance Guarantees in \
            Communication Networks"],
        provenance: Provenance::TwoReadings,
        ..About::PLAIN
    };
    fn new(config: &SineConfig, site: &Site) -> Self {
        let rate = config.rate.unwrap_or(site.link.rate);
        let swing = Swing {
            bps: rate.bps().max(1),
            period: config.period.ps(),
            depth: config.depth,
            phase: config.phase,
        };
        Sine(Fluid::new(swing, rate))
    }
}

impl Service for Sine {
    fn finish(&mut self, _arrived: Time, start: Time, wire_bytes: u32) -> Transmitted {
        Transmitted::sent(self.0.finish(start, wire_bytes))
    }
    fn rate(&self) -> Rate {
        self.0.nominal()
    }
    fn watch(&mut self, from: Time, to: Time) {
        self.0.watch(from, to);
    }
    fn utilization(&self) -> Option<f64> {
        Some(self.0.utilization())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::catalogue::read;
    use dumbbell_core::testing::site;
    use dumbbell_core::units::Transmitter;
    use serde_json::json;

    fn sine(config: serde_json::Value) -> Sine {
        Sine::new(&read(&config).unwrap(), &site(1))
    }

    /// The closed form: a saturated transmitter is through with its n-th packet when the integral
    /// of the rate is n packets, to a picosecond in which a rate of 15 Mbps sends 1.5e-5 bits. Over
    /// 300 swings; no error adds up.
    #[test]
    fn packets_leave_when_the_integral_of_the_rate_says() {
        for (depth, phase) in [(0.5, 0.0), (1.0, 0.0), (0.9, 0.6)] {
            let (rate, period) = (10e6, 0.1);
            let mut s = sine(
                json!({ "rate": "10 Mbps", "depth": depth, "period": "100 ms", "phase": phase }),
            );
            let (mut at, mut bits) = (Time::ZERO, 0.0);
            for i in 0..25_000u32 {
                let bytes = 40 + i * 37 % 1461;
                let next = s.finish(Time::ZERO, at, bytes).done;
                assert!(next > at);
                (at, bits) = (next, bits + 8.0 * f64::from(bytes));
                let t = at.seconds();
                let swing = |x: f64| libm::cos(2.0 * PI * (x / period + phase));
                let integral = rate * (t + depth * period / (2.0 * PI) * (swing(0.0) - swing(t)));
                assert!(
                    (integral - bits).abs() < 1e-3,
                    "packet {i} at {t} s: {integral} of {bits} \
                    bits"
                );
            }
        }
    }

    /// From the bottom of the swing, where hardly anything passes, and after pauses.
    #[test]
    fn what_is_not_used_is_lost() {
        let mut s = sine(json!({ "rate": "8 Mbps", "depth": 1.0, "period": "1 s", "phase": 0.75 }));
        // r = 8e6 (1 - cos(2 pi t)): W(t) = 8e6 (t - sin(2 pi t) / (2 pi)); a byte is through when
        // 1e-6 s = W / 8e6.
        let first = s.finish(Time::ZERO, Time::ZERO, 1).done.seconds();
        assert!((first - libm::sin(2.0 * PI * first) / (2.0 * PI) - 1e-6).abs() < 1e-12, "{first}");
        let start = Time::ZERO + Span::from_secs(7);
        let again = s.finish(start, start, 1).done.since(start).seconds();
        assert!((again - first).abs() < 2e-12, "{again} {first}");
    }

    #[test]
    fn without_depth_it_is_a_transmitter() {
        let mut s = sine(json!({ "rate": "7000003 bps", "depth": 0.0 }));
        let (mut t, mut at, mut other) =
            (Transmitter::new(Rate::from_bps(7_000_003)), Time::ZERO, Time::ZERO);
        for bytes in (0..2_000).map(|i| 40 + i * 37 % 1461) {
            at += t.span(bytes);
            other = s.finish(Time::ZERO, other, bytes).done;
            assert!(other.ps().abs_diff(at.ps()) <= 2, "{} {}", other.ps(), at.ps());
        }
    }

    #[test]
    fn refuses_no_swing() {
        let at = |v| read::<SineConfig>(&v).unwrap_err().at;
        assert_eq!(at(json!({ "period": "0 s" })), "period");
        assert_eq!(at(json!({ "depth": 1.5 })), "depth");
        assert_eq!(at(json!({ "rate": "0 bps" })), "rate");
    }
}
