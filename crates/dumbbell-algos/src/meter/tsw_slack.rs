//! The time sliding window marker for TCP (Clark and Fang 1998): nothing is OUT until the estimate
//! is a third above the contract, because a TCP whose window is halved there has the contract on
//! average.
use super::tsw2cm::check_window;
use crate::bucket::config::committed;
use crate::meter::parts::tsw::{Start, Tsw, bytes_per_second, draw};
use dumbbell_core::aqm::Cx;
use dumbbell_core::catalogue::{About, Algorithm, Config, Explained, Fault, Provenance};
use dumbbell_core::meter::{Color, Contract, Meter};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Rate, Span};
use dumbbell_macros::config;

/// Parameters of [`TswSlack`].
#[config]
pub struct TswSlackConfig {
    /// Contracted rate; default what is reserved for the flow, or for all flows of the aggregate
    /// together.
    #[schemars(extend("x-source" = "Clark and Fang 1998, section III: the service profile"))]
    pub rate: Option<Rate>,
    /// How many times the rate the estimate must be before a packet is OUT.
    #[schemars(
        range(min = 1.0),
        extend("x-source" = "Clark and Fang 1998, section III: 1.33, the top of a sawtooth of mean \
            1")
    )]
    #[config(default = 4.0 / 3.0)]
    pub beta: f64,
    /// Window of the estimate: long, so that it sees the mean of TCP's sawtooth.
    #[schemars(extend("x-source" = "Clark and Fang 1998, section III: 1 s"))]
    #[config(default = Span::from_secs(1))]
    pub window: Span,
    /// The estimate before the first packet.
    #[schemars(extend("x-source" = "RFC 2859 section 3: the committed target rate"))]
    #[config(default = Start::Contract)]
    pub start: Start,
}

impl Config for TswSlackConfig {
    fn check(&self) -> Result<(), Fault> {
        check_window("window", self.window)
    }
}

/// OUT only well above the contract, and then what is above the contract.
#[derive(Clone, Debug)]
pub struct TswSlack {
    estimate: Tsw,
    rate: f64,
    slack: f64,
}

impl Algorithm for TswSlack {
    type Config = TswSlackConfig;
    type Site = Contract;
    const ABOUT: About = About {
        name: "tsw_slack",
        title: "Time sliding window marker with slack for TCP",
        idea: "Nothing is OUT until the estimated rate is a third above the contract; then packets \
            are OUT at random, in the share that is above it.",
        equations: "avg <- (avg W + length) / (dt + W)\ngreen (IN) if avg <= beta rate; else \
            yellow (OUT) with probability (avg - rate) / avg\na sawtooth between 2/3 and 4/3 of \
            the rate has the rate as its mean and is all IN",
        sources: &[
            "D. Clark, W. Fang, Explicit allocation of best-effort packet delivery service, ToN \
                6(4), 1998, section III",
        ],
        provenance: Provenance::TwoReadings,
        explained: Explained::by(&[(
            "",
            "its estimate over {window} was above {rate or 'the reserved rate'}, and \
                    chance took this packet, and the edge drops what is out of profile",
        )]),
        ..About::PLAIN
    };
    fn new(c: &TswSlackConfig, site: &Contract) -> Self {
        let rate = bytes_per_second(committed(c.rate, site));
        TswSlack { estimate: Tsw::new(c.window, c.start.of(rate)), rate, slack: c.beta * rate }
    }
}

impl Meter for TswSlack {
    #[inline]
    fn color(&mut self, cx: &mut Cx<'_>, p: &Meta, _: Color) -> Color {
        let avg = self.estimate.update(cx.now, p.ip_len);
        if avg > self.slack && draw(cx.rng) * avg < avg - self.rate {
            Color::Yellow
        } else {
            Color::Green
        }
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("avg_rate", 8.0 * self.estimate.rate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::meter::{Bench, sawtooth, share};

    fn bench() -> Bench<TswSlack> {
        Bench::new(&TswSlackConfig { rate: Some(Rate::from_mbps(1)), ..TswSlackConfig::default() })
    }

    /// A constant rate within the slack is all IN; beyond it, IN is the contract.
    #[test]
    fn a_constant_rate_has_the_slack_or_the_contract() {
        for (load, expected) in [(1.3, 1.0), (1.4, 1.0 / 1.4), (4.0, 0.25)] {
            let green = share(&mut bench(), 1e6 * load, 100_000)[0];
            assert!((green - expected).abs() < 0.005, "load {load}: {green}");
        }
    }

    #[test]
    fn an_undisturbed_sawtooth_is_in() {
        assert_eq!(sawtooth(&mut bench(), 1e6, 4.0), 1.0);
    }
}
