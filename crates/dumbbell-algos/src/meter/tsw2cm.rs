//! The time sliding window two color marker: above the contracted rate, packets are OUT by chance,
//! as many as are too many. Chance spreads them, where a token bucket puts them side by side into
//! one window of TCP.
use crate::bucket::config::committed;
use crate::meter::parts::tsw::{Start, Tsw, bytes_per_second, draw};
use dumbbell_core::aqm::Cx;
use dumbbell_core::catalogue::{About, Algorithm, Config, Explained, Fault, Provenance};
use dumbbell_core::meter::{Color, Contract, Meter};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Rate, Span};
use dumbbell_macros::config;

/// Parameters of [`Tsw2Cm`].
#[config]
pub struct Tsw2CmConfig {
    /// Committed target rate; default what is reserved for the flow, or for all flows of the
    /// aggregate together.
    #[schemars(extend("x-source" = "Clark and Fang 1998, section III: the service profile"))]
    pub rate: Option<Rate>,
    /// Window of the estimate, of the order of a round-trip time.
    #[schemars(extend("x-source" = "Clark and Fang 1998, section III: 1 s"))]
    #[config(default = Span::from_secs(1))]
    pub window: Span,
    /// The estimate before the first packet.
    #[schemars(extend("x-source" = "RFC 2859 section 3: the committed target rate"))]
    #[config(default = Start::Contract)]
    pub start: Start,
}

impl Config for Tsw2CmConfig {
    fn check(&self) -> Result<(), Fault> {
        check_window("window", self.window)
    }
}

/// A window has a length.
pub fn check_window(name: &str, window: Span) -> Result<(), Fault> {
    match window.ps() {
        0 => {
            Err(Fault::at(name, "no packet comes within a window of no time").fix("write \"1 s\""))
        }
        _ => Ok(()),
    }
}

/// OUT with the probability by which the estimate is too high.
#[derive(Clone, Debug)]
pub struct Tsw2Cm {
    estimate: Tsw,
    target: f64,
}

impl Algorithm for Tsw2Cm {
    type Config = Tsw2CmConfig;
    type Site = Contract;
    const ABOUT: About = About {
        name: "tsw2cm",
        title: "Time sliding window two color marker",
        idea: "While the estimated rate is above the contract, each packet is OUT with the \
            probability that leaves the contract IN.",
        equations: "avg <- (avg W + length) / (dt + W)\n\
                    green (IN) if avg <= rate; else yellow (OUT) with probability 1 - rate / avg\n\
                    in the long run IN is the rate; packets of L every d have avg = L / d",
        sources: &[
            "D. Clark, W. Fang, Explicit allocation of best-effort packet delivery service, ToN \
                6(4), 1998, section III",
            "RFC 2859 (A Time Sliding Window Three Color Marker), sections 3 and 4",
        ],
        provenance: Provenance::Vectors,
        explained: Explained::by(&[(
            "",
            "its estimate over {window} was above {rate or 'the reserved rate'}, and \
                    chance took this packet, and the edge drops what is out of profile",
        )]),
        ..About::PLAIN
    };
    fn new(c: &Tsw2CmConfig, site: &Contract) -> Self {
        let target = bytes_per_second(committed(c.rate, site));
        Tsw2Cm { estimate: Tsw::new(c.window, c.start.of(target)), target }
    }
}

impl Meter for Tsw2Cm {
    #[inline]
    fn color(&mut self, cx: &mut Cx<'_>, p: &Meta, _: Color) -> Color {
        let avg = self.estimate.update(cx.now, p.ip_len);
        // A coin that is below 1 - rate / avg, without the division.
        if avg > self.target && draw(cx.rng) * avg < avg - self.target {
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
    use crate::suite::meter::{Bench, share};

    /// At a constant rate below the contract all is IN; above it, IN is the contract, however far
    /// above.
    #[test]
    fn in_is_the_contract_in_the_long_run() {
        let config = Tsw2CmConfig { rate: Some(Rate::from_mbps(1)), ..Tsw2CmConfig::default() };
        for (load, expected) in [(0.5, 1.0), (1.25, 0.8), (2.0, 0.5), (8.0, 0.125)] {
            let mut bench = Bench::<Tsw2Cm>::new(&config);
            let green = share(&mut bench, 1e6 * load, 100_000)[0];
            assert!((green - expected).abs() < 0.005, "load {load}: {green}");
        }
    }

    #[test]
    fn a_window_of_no_time_is_refused() {
        assert_eq!(
            Tsw2CmConfig { window: Span::ZERO, ..Tsw2CmConfig::default() }.check().unwrap_err().at,
            "window"
        );
    }
}
