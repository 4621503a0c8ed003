//! A rate that jumps between two values.
use super::steps::{StepRate, Steps, StepsConfig};
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::service::{Service, Site, Transmitted};
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_macros::config;

/// Parameters of [`Square`].
#[config]
pub struct SquareConfig {
    /// The upper rate, with which each period begins; default: the link's `rate`.
    #[schemars(extend("x-source" = "ours: the link's"))]
    pub rate: Option<Rate>,
    /// The lower rate; 0 bps is an outage.
    #[schemars(extend("x-source" = "none: an example, to be replaced"))]
    #[config(default = StepRate(Rate::from_mbps(1)))]
    pub low: StepRate,
    /// Time from one rise to the next.
    #[schemars(extend("x-source" = "ours: many round-trip times"))]
    #[config(default = Span::from_secs(10))]
    pub period: Span,
    /// Share of the period at the upper rate.
    #[schemars(
        extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0, "x-source" = "ours: a square \
            wave has two like halves")
    )]
    #[config(default = 0.5)]
    pub duty: f64,
}

impl Config for SquareConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.period < Span::from_us(1) {
            let cause = format!("a period of {} is shorter than 1 us", self.period);
            return Err(Fault::at("period", cause).fix("write period = \"10 s\""));
        }
        let high = self.period.scaled(self.duty);
        if high == Span::ZERO || high >= self.period {
            let cause = format!(
                "of a period of {} that leaves no time for one of the two rates",
                self.period
            );
            return Err(Fault::at("duty", cause).fix("write duty = 0.5"));
        }
        Ok(())
    }
}

/// A transmitter at two rates in turn: steps of a simple kind.
#[derive(Clone, Debug)]
pub struct Square(Steps);

impl Algorithm for Square {
    type Config = SquareConfig;
    type Site = Site;
    const ABOUT: About = About {
        name: "square",
        title: "Square wave of rate",
        idea: "The rate jumps between an upper and a lower value, again and again.",
        equations: "r(t) = rate for the first `duty` of each period, then low\nfinish = the first \
            t with W(t) >= W(start) + wire_bytes * 8,  W the integral of r\nnominal rate = duty \
            rate + (1 - duty) low",
        sources: &["Bansal, Balakrishnan, Floyd, Shenker: Dynamic behavior of slowly-responsive \
                congestion control, SIGCOMM 2001"],
        provenance: Provenance::Recollection,
        ..About::PLAIN
    };
    fn new(config: &SquareConfig, site: &Site) -> Self {
        let high = StepRate(config.rate.unwrap_or(site.link.rate));
        let steps = vec![(Span::ZERO, high), (config.period.scaled(config.duty), config.low)];
        Square(Steps::new(&StepsConfig { steps, period: config.period }, site))
    }
}

impl Service for Square {
    fn finish(&mut self, arrived: Time, start: Time, wire_bytes: u32) -> Transmitted {
        self.0.finish(arrived, start, wire_bytes)
    }
    fn rate(&self) -> Rate {
        self.0.rate()
    }
    fn outages(&self, until: Time) -> Vec<(Time, Time)> {
        self.0.outages(until)
    }
    fn watch(&mut self, from: Time, to: Time) {
        self.0.watch(from, to);
    }
    fn utilization(&self) -> Option<f64> {
        self.0.utilization()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::catalogue::read;
    use dumbbell_core::testing::site;
    use serde_json::json;

    fn square(config: serde_json::Value) -> Square {
        Square::new(&read(&config).unwrap(), &site(1))
    }

    /// The closed form: the n-th packet of a saturated transmitter is through when the integral is
    /// n packets. With 8 and 2 Mbps and 4 ms of 10 ms: 4000 B in the first part, 1500 B in the
    /// second.
    #[test]
    fn packets_leave_when_the_integral_of_the_rate_says() {
        let mut s =
            square(json!({ "rate": "8 Mbps", "low": "2 Mbps", "period": "10 ms", "duty": 0.4 }));
        assert_eq!(s.rate(), Rate::from_bps(4_400_000));
        let when = |bytes: u64| {
            let (rounds, within) = (bytes / 5500, bytes % 5500);
            let us = if within <= 4000 { within } else { 4000 + (within - 4000) * 4 };
            // A packet that is through at the very end of a round is through before the next.
            let us = if within == 0 && rounds > 0 { 10_000 * rounds } else { 10_000 * rounds + us };
            Time::ZERO + Span::from_us(us)
        };
        let (mut at, mut bytes) = (Time::ZERO, 0);
        for i in 0..10_000u32 {
            let size = 40 + i * 37 % 1461;
            (at, bytes) = (s.finish(Time::ZERO, at, size).done, bytes + u64::from(size));
            assert_eq!(at, when(bytes), "packet {i}, byte {bytes}");
        }
    }

    #[test]
    fn a_lower_rate_of_zero_is_an_outage() {
        let s = square(json!({ "rate": "8 Mbps", "low": "0 bps", "period": "1 s", "duty": 0.75 }));
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        assert_eq!(
            s.outages(at(2_800)),
            [(at(750), at(1_000)), (at(1_750), at(2_000)), (at(2_750), at(3_000))]
        );
        assert_eq!(square(json!({})).outages(at(99_000)), []);
    }

    #[test]
    fn refuses_what_is_no_wave() {
        let at = |v| read::<SquareConfig>(&v).unwrap_err().at;
        assert_eq!(at(json!({ "period": "0 s" })), "period");
        assert_eq!(at(json!({ "duty": 1.0 })), "duty");
        assert_eq!(at(json!({ "low": "-1 Mbps" })), "low");
        assert_eq!(at(json!({ "period": "1 us", "duty": 1e-9 })), "duty");
    }
}
