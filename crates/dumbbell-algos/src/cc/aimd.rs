//! Additive increase, multiplicative decrease, and its binomial generalization.
use crate::cc::parts::window::{Law, Window};
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::transport::{CongestionControl, Path};
use dumbbell_macros::{config, delegate};

/// Parameters of [`Aimd`]. The TCP-friendly line is a = 3 b / (2 - b); a binomial control is
/// TCP-friendly only if k + l = 1.
#[config]
pub struct AimdConfig {
    /// Increase: segments per round trip.
    #[schemars(
        range(max = 100.0),
        extend("exclusiveMinimum" = 0, "x-source" = "RFC 5681 section 3.1", "x-unit" = "segments"),
    )]
    #[config(default = 1.0)]
    pub a: f64,
    /// Decrease: the share of the window that a congestion event takes.
    #[schemars(
        extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1, "x-source" = "RFC 5681 section 3.1"),
    )]
    #[config(default = 0.5)]
    pub b: f64,
    /// Exponent of the increase: w += a / w^(k+1) per segment acknowledged. 0: AIMD; 0.5: SQRT; 1:
    /// IIAD.
    #[schemars(
        range(min = 0.0, max = 2.0),
        extend("x-source" = "Bansal and Balakrishnan, INFOCOM 2001"),
    )]
    #[config(default = 0.0)]
    pub k: f64,
    /// Exponent of the decrease: w -= b w^l. 1: AIMD; 0.5: SQRT; 0: IIAD.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "Bansal and Balakrishnan, INFOCOM 2001"),
    )]
    #[config(default = 1.0)]
    pub l: f64,
}

impl Config for AimdConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.a.is_finite() && self.b.is_finite() && self.k.is_finite() && self.l.is_finite() {
            return Ok(());
        }
        Err(Fault::at("a", "a, b, k and l must be numbers").fix(
            "write a = 1.0, b = 0.5, k = 0.0, \
            l = 1.0",
        ))
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Aimd(Window);

impl Algorithm for Aimd {
    type Config = AimdConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "aimd",
        title: "AIMD(a, b) and binomial congestion control",
        idea: "Probe for bandwidth by a small step each round trip, give back a share of the \
            window on congestion.",
        equations: "w: cwnd in segments (of SMSS bytes)\nslow start (cwnd < ssthresh), per ACK of \
            N bytes:  cwnd += min(N, L SMSS)\navoidance, per segment acknowledged:               w \
            += a / w^(k+1)\nloss:     w = min(FlightSize, cwnd) / SMSS;  ssthresh = max(w - b w^l, \
            2);  cwnd = ssthresh\nECN echo: the same, from cwnd\ntimeout:  ssthresh as for a loss \
            (first expiry only);  cwnd = 1",
        sources: &[
            "Chiu and Jain: Analysis of the increase and decrease algorithms for congestion \
                avoidance, 1989",
            "Bansal and Balakrishnan: Binomial congestion control algorithms, INFOCOM 2001",
            "RFC 5681 section 3.1",
            "RFC 3465 (appropriate byte counting)",
        ],
        provenance: Provenance::TwoReadings,
        rule: "losses; steps and shares of your choice",
        family: "classics",
        ..About::PLAIN
    };
    fn new(config: &AimdConfig, path: &Path) -> Self {
        let AimdConfig { a, b, k, l } = *config;
        Aimd(Window::new(Law { a, b, k, l }, path))
    }
}

#[delegate(self.0)]
impl CongestionControl for Aimd {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parameter_is_a_number() {
        let plain = AimdConfig::default();
        let wrong = [
            AimdConfig { a: f64::NAN, ..plain.clone() },
            AimdConfig { b: f64::INFINITY, ..plain.clone() },
            AimdConfig { k: f64::NAN, ..plain.clone() },
            AimdConfig { l: f64::NAN, ..plain.clone() },
        ];
        assert!(plain.check().is_ok() && wrong.iter().all(|config| config.check().is_err()));
    }
}
