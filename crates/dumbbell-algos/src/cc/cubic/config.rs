//! Parameters of CUBIC.
use crate::cc::parts::slow_start::SlowStart;
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the window grows in congestion avoidance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Growth {
    /// RFC 9438: the cubic leads by the smoothed round-trip time; a window that is back where the
    /// last loss was grows as Reno's.
    #[default]
    Rfc9438,
    /// The paper of 2008 and RFC 8312, in whole segments as in Linux. The cubic leads by the
    /// smallest round-trip time. The Reno-friendly region always has the slope 3 (1 - beta) / (1 +
    /// beta). Before the first loss and after a timeout the window grows by a twentieth in a round
    /// trip, at least.
    Linux,
}

/// Parameters of [`Cubic`].
#[config]
pub struct CubicConfig {
    /// How steep the cubic is: larger values are more aggressive against Reno on long fat paths.
    #[schemars(
        range(max = 100.0),
        extend(
            "exclusiveMinimum" = 0, "x-source" = "RFC 9438 section 5.1", "x-unit" = "segments/s^3"
        ),
    )]
    #[config(default = 0.4)]
    pub c: f64,
    /// The share of the window that remains after a loss.
    #[schemars(
        extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1, "x-source" = "RFC 9438 section 4.6"),
    )]
    #[config(default = 0.7)]
    pub beta: f64,
    /// Whether a flow with a loss below W_max gives up more, so that new flows get a share.
    #[schemars(extend("x-source" = "RFC 9438 section 4.7"))]
    #[config(default = true)]
    pub fast_convergence: bool,
    /// Whether the window is at least that of a Reno with the same loss rate.
    #[schemars(extend("x-source" = "RFC 9438 section 4.3"))]
    #[config(default = true)]
    pub tcp_friendliness: bool,
    /// How the first slow start ends.
    #[schemars(extend("x-source" = "RFC 9438 section 4.10, RFC 9406; Ha and Rhee 2011"))]
    #[config(default = SlowStart::HyStartPlusPlus)]
    pub hystart: SlowStart,
    /// The description of the window's growth.
    #[schemars(extend("x-source" = "RFC 9438 section 4; Ha, Rhee and Xu 2008, RFC 8312"))]
    #[config(default = Growth::Rfc9438)]
    pub growth: Growth,
    /// Whether an ECN echo takes less of the window than a loss (alternative backoff with ECN).
    #[schemars(extend("x-source" = "RFC 8511; off: RFC 9438 section 4.6"))]
    pub abe: bool,
    /// The share of the window that remains after an ECN echo, with `abe`.
    #[schemars(
        extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1, "x-source" = "RFC 8511 section 4.2"),
    )]
    #[config(default = 0.85)]
    pub beta_ecn: f64,
}

impl Config for CubicConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.c.is_finite() && self.beta.is_finite() && self.beta_ecn.is_finite() {
            return Ok(());
        }
        Err(Fault::at("c", "c, beta and beta_ecn must be numbers").fix("write c = 0.4, beta = 0.7"))
    }
}
