//! ETSW, an enhanced time sliding window marker (W. Lin, R. Zheng, J. Hou, ICNP 1999),
//! reconstructed.
//!
//! The known part: the plain marker for TCP marks everything IN up to a fixed level above the
//! contract; ETSW makes that level depend on the difference between the instantaneous and the
//! long-term average rate. The rest is ours. At the top of an undisturbed sawtooth of mean r that
//! difference is r / 3, so that with the weight 1 the level is the plain marker's 4 r / 3; a smooth
//! flow above the contract has no difference and is policed to it; a flow that recovers from a loss
//! is faster than its average and has credit.
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
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What raises the level above the contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Credit {
    /// By how much the instantaneous rate is above the average.
    #[default]
    Difference,
    /// By how much the average is below the contract.
    Deficit,
}

/// Parameters of [`Etsw`].
#[config]
pub struct EtswConfig {
    /// Contracted rate; default what is reserved for the flow, or for all flows of the aggregate
    /// together.
    #[schemars(extend("x-source" = "Lin, Zheng, Hou 1999: the reserved rate"))]
    pub rate: Option<Rate>,
    /// Window of the instantaneous rate; default the flow's round-trip propagation time, 100 ms
    /// where that is unknown.
    #[schemars(extend("x-source" = "reconstructed"))]
    pub short_window: Option<Span>,
    /// Window of the average rate.
    #[schemars(extend("x-source" = "reconstructed: as tsw2cm's"))]
    #[config(default = Span::from_secs(1))]
    pub window: Span,
    /// What raises the level above the contract.
    #[schemars(
        extend("x-source" = "Lin, Zheng, Hou 1999, as Choi and Kim 2001, section 2, describe it"),
    )]
    #[config(default = Credit::Difference)]
    pub mode: Credit,
    /// How much of that the level rises.
    #[schemars(
        range(min = 0.0),
        extend("x-source" = "reconstructed: 4/3 of the rate at the top of a sawtooth"),
    )]
    #[config(default = 1.0)]
    pub kappa: f64,
    /// The highest level, as a multiple of the rate.
    #[schemars(
        range(min = 1.0, max = 2.0),
        extend("x-source" = "reconstructed: Clark and Fang's 1.33"),
    )]
    #[config(default = 4.0 / 3.0)]
    pub theta_max: f64,
    /// Both estimates before the first packet.
    #[schemars(extend("x-source" = "RFC 2859 section 3: the committed target rate"))]
    #[config(default = Start::Contract)]
    pub start: Start,
}

impl Config for EtswConfig {
    fn check(&self) -> Result<(), Fault> {
        check_window("window", self.window)?;
        match self.short_window {
            Some(short) => check_window("short_window", short),
            None => Ok(()),
        }
    }
}

/// OUT above a level that depends on how the rate changes.
#[derive(Clone, Debug)]
pub struct Etsw {
    instant: Tsw,
    average: Tsw,
    rate: f64,
    /// theta = base + of_inst inst - kappa avg, before it is bounded: in either mode, without
    /// asking which.
    base: f64,
    of_inst: f64,
    kappa: f64,
    most: f64,
}

impl Algorithm for Etsw {
    type Config = EtswConfig;
    type Site = Contract;
    const ABOUT: About = About {
        name: "etsw",
        title: "Enhanced time sliding window marker",
        idea: "All is IN up to a level above the contract that follows the difference of the \
            instantaneous and the average rate.",
        equations: "inst, avg: time sliding windows of short_window and window over the same \
            packets\ntheta = rate + kappa (inst - avg), or in mode deficit rate + kappa (rate - \
            avg),\n\x20       from rate to theta_max rate\ngreen (IN) if inst <= theta; else \
            yellow (OUT) with probability (inst - rate) / inst",
        sources: &[
            "W. Lin, R. Zheng, J. Hou, How to make assured services more assured, ICNP 1999",
            "S. Choi, C. Kim, TCP throughput guarantee using packet buffering, KISS 28(2), 2001, \
                section 2",
        ],
        provenance: Provenance::Reconstruction,
        explained: Explained::by(&[(
            "",
            "its estimate over {window} was above {rate or 'the reserved rate'}, and \
                    chance took this packet, and the edge drops what is out of profile",
        )]),
        ..About::PLAIN
    };
    fn new(c: &EtswConfig, site: &Contract) -> Self {
        let rate = bytes_per_second(committed(c.rate, site));
        let known = site.rtt.filter(|rtt| rtt.ps() > 0).unwrap_or(Span::from_ms(100));
        let start = c.start.of(rate);
        let (base, of_inst) = match c.mode {
            Credit::Difference => (rate, c.kappa),
            Credit::Deficit => (rate + c.kappa * rate, 0.0),
        };
        Etsw {
            instant: Tsw::new(c.short_window.unwrap_or(known), start),
            average: Tsw::new(c.window, start),
            rate,
            base,
            of_inst,
            kappa: c.kappa,
            most: c.theta_max * rate,
        }
    }
}

impl Etsw {
    /// The level above the contract, if it is there; else something below that.
    #[inline]
    fn level(&self, inst: f64, avg: f64) -> f64 {
        self.base + self.of_inst * inst - self.kappa * avg
    }
}

impl Meter for Etsw {
    #[inline]
    fn color(&mut self, cx: &mut Cx<'_>, p: &Meta, _: Color) -> Color {
        let pause = self.instant.pause(cx.now);
        let (inst, avg) =
            (self.instant.after(pause, p.ip_len), self.average.after(pause, p.ip_len));
        // A rate that is not above the contract is not above theta, which is never below the
        // contract.
        let above = inst > self.rate && (inst > self.most || inst > self.level(inst, avg));
        if above && draw(cx.rng) * inst < inst - self.rate { Color::Yellow } else { Color::Green }
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("inst_rate", 8.0 * self.instant.rate);
        out.gauge("avg_rate", 8.0 * self.average.rate);
        let level = self.level(self.instant.rate, self.average.rate);
        out.gauge("theta", 8.0 * level.min(self.most).max(self.rate));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::meter::{Bench, sawtooth, share};

    fn bench(mode: Credit, theta_max: f64) -> Bench<Etsw> {
        Bench::new(&EtswConfig {
            rate: Some(Rate::from_mbps(1)),
            mode,
            theta_max,
            ..EtswConfig::default()
        })
    }

    /// A constant rate up to the contract is all IN; a smooth flow above it has no credit, and IN
    /// is the contract.
    #[test]
    fn a_constant_rate_is_policed_to_the_contract() {
        for mode in [Credit::Difference, Credit::Deficit] {
            for (load, expected) in [(0.9, 1.0), (1.25, 0.8), (3.0, 1.0 / 3.0)] {
                let green = share(&mut bench(mode, 4.0 / 3.0), 1e6 * load, 100_000)[0];
                assert!((green - expected).abs() < 0.005, "{mode:?}, load {load}: {green}");
            }
        }
    }

    /// TCP's traffic around its contract is nearly all IN: 1 Mbps over 100 ms are windows of 8 to
    /// 17 packets of 1000 bytes, a sawtooth of 0.8 s. With kappa = 1 a packet is OUT only while
    /// both rates are above the contract, so that the gain over no credit at all is the lag of the
    /// average; a long sawtooth is followed.
    #[test]
    fn a_sawtooth_around_the_contract_is_in() {
        let green = |most, period| sawtooth(&mut bench(Credit::Difference, most), 1e6, period);
        let (short, long, without) =
            (green(4.0 / 3.0, 0.8), green(4.0 / 3.0, 4.0), green(1.0, 0.8));
        assert!(
            short >= 0.95 && long < short - 0.01 && without < short - 0.005,
            "{short}, {long}, \
            {without}"
        );
    }

    /// Whatever comes, IN is at most theta_max times the contract, but for what comes before the
    /// estimate follows.
    #[test]
    fn in_never_exceeds_the_highest_level() {
        for most in [1.0, 4.0 / 3.0, 2.0] {
            for load in [1.0, 1.2, 1.5, 2.0, 3.0] {
                let green = sawtooth(&mut bench(Credit::Difference, most), 1e6 * load, 1.0);
                assert!(green * load <= 1.03 * most, "load {load}: {green} of it IN, above {most}");
            }
        }
    }
}
