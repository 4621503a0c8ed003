//! The time sliding window three color marker (RFC 2859): [`super::tsw2cm`] with a peak target
//! rate, beyond which packets are red.
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

/// Parameters of [`Tsw3Cm`].
#[config]
pub struct Tsw3CmConfig {
    /// Committed target rate; default what is reserved for the flow, or for all flows of the
    /// aggregate together.
    #[schemars(extend("x-source" = "RFC 2859 section 2 leaves it to the contract"))]
    pub rate: Option<Rate>,
    /// Peak target rate, not below `rate`; default twice that.
    #[schemars(extend("x-source" = "ours; RFC 2859 section 2 leaves it to the contract"))]
    pub peak_rate: Option<Rate>,
    /// Window of the estimate, of the order of a round-trip time.
    #[schemars(extend("x-source" = "Clark and Fang 1998, section III: 1 s"))]
    #[config(default = Span::from_secs(1))]
    pub window: Span,
    /// The estimate before the first packet.
    #[schemars(extend("x-source" = "RFC 2859 section 3: the committed target rate"))]
    #[config(default = Start::Contract)]
    pub start: Start,
}

impl Config for Tsw3CmConfig {
    fn check(&self) -> Result<(), Fault> {
        check_window("window", self.window)?;
        match (self.rate, self.peak_rate) {
            (Some(rate), Some(peak)) if peak < rate => {
                let cause = format!("a peak rate of {peak} is below the committed rate of {rate}");
                Err(Fault::at("peak_rate", cause).fix(format!("write \"{rate}\" or more")))
            }
            _ => Ok(()),
        }
    }
}

/// Yellow and red with the probabilities by which the estimate is above two rates.
#[derive(Clone, Debug)]
pub struct Tsw3Cm {
    estimate: Tsw,
    committed: f64,
    peak: f64,
}

impl Algorithm for Tsw3Cm {
    type Config = Tsw3CmConfig;
    type Site = Contract;
    const ABOUT: About = About {
        name: "tsw3cm",
        title: "Time sliding window three color marker",
        idea: "Packets are red, at random, for the part of the estimated rate above a peak rate, \
            and yellow for that above a committed rate.",
        equations: "avg <- (avg W + length) / (dt + W)\n\
                    avg <= rate:  green\n\
                    avg <= peak:  yellow with probability (avg - rate) / avg\n\
                    else:         red with (avg - peak) / avg, yellow with (peak - rate) / avg",
        sources: &[
            "RFC 2859 (A Time Sliding Window Three Color Marker), sections 3 and 4",
            "D. Clark, W. Fang, Explicit allocation of best-effort packet delivery service, ToN \
                6(4), 1998",
        ],
        provenance: Provenance::Vectors,
        explained: Explained::by(&[(
            "",
            "its estimate over {window} was above {rate or 'the reserved rate'}, and \
                    chance took this packet, and the edge drops what is out of profile",
        )]),
        ..About::PLAIN
    };
    fn new(c: &Tsw3CmConfig, site: &Contract) -> Self {
        let rate = committed(c.rate, site);
        let peak = c.peak_rate.unwrap_or(Rate::from_bps(rate.bps().saturating_mul(2))).max(rate);
        let committed = bytes_per_second(rate);
        Tsw3Cm {
            estimate: Tsw::new(c.window, c.start.of(committed)),
            committed,
            peak: bytes_per_second(peak),
        }
    }
}

impl Meter for Tsw3Cm {
    #[inline]
    fn color(&mut self, cx: &mut Cx<'_>, p: &Meta, _: Color) -> Color {
        let avg = self.estimate.update(cx.now, p.ip_len);
        if avg <= self.committed {
            return Color::Green;
        }
        let drawn = draw(cx.rng) * avg;
        if drawn < avg - self.peak {
            Color::Red
        } else if drawn < avg - self.committed {
            Color::Yellow
        } else {
            Color::Green
        }
    }
    fn worst(&self) -> Color {
        Color::Red
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("avg_rate", 8.0 * self.estimate.rate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::meter::{Bench, share};

    /// Green is the committed rate, green and yellow together the peak rate.
    #[test]
    fn each_colour_has_its_rate() {
        let config = Tsw3CmConfig {
            rate: Some(Rate::from_mbps(1)),
            peak_rate: Some(Rate::from_bps(1_500_000)),
            ..Tsw3CmConfig::default()
        };
        for (load, expected) in
            [(0.9, [1.0, 0.0, 0.0]), (1.25, [0.8, 0.2, 0.0]), (4.0, [0.25, 0.125, 0.625])]
        {
            let found = share(&mut Bench::<Tsw3Cm>::new(&config), 1e6 * load, 100_000);
            assert!(
                found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 0.005),
                "load {load}: \
                {found:?}"
            );
        }
    }

    #[test]
    fn a_peak_below_what_is_committed_is_refused() {
        let (rate, peak_rate) = (Some(Rate::from_mbps(2)), Some(Rate::from_mbps(1)));
        assert_eq!(
            Tsw3CmConfig { rate, peak_rate, ..Tsw3CmConfig::default() }.check().unwrap_err().at,
            "peak_rate"
        );
    }
}
