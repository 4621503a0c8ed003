//! The options that Reno, NewReno and SACK share.
use super::slow_start::SlowStart;
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_macros::config;

/// Options of the classics; the defaults are RFC 5681 and RFC 3168.
#[config]
pub struct ClassicConfig {
    /// How the first slow start ends.
    #[schemars(extend("x-source" = "RFC 5681 section 3.1; RFC 9406"))]
    #[config(default = SlowStart::Standard)]
    pub hystart: SlowStart,
    /// Whether an ECN echo takes less of the window than a loss (alternative backoff with ECN).
    #[schemars(extend("x-source" = "RFC 8511; off: RFC 3168 section 6.1.2"))]
    pub abe: bool,
    /// The share of the window that remains after an ECN echo, with `abe`.
    #[schemars(
        extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1, "x-source" = "RFC 8511 section 3"),
    )]
    #[config(default = 0.8)]
    pub beta_ecn: f64,
}

impl Config for ClassicConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.beta_ecn.is_finite() {
            return Ok(());
        }
        Err(Fault::at("beta_ecn", "beta_ecn must be a number").fix("write beta_ecn = 0.8"))
    }
}
