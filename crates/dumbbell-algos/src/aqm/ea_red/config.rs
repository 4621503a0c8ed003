//! ea-RED's parameters, and what of it is reconstructed.
//!
//! Printed: both thresholds follow avg so that it stays between them; they move, too, when curr_q
//! exceeds the buffer; no observation interval; all four steps 0.05, min_lim 5, max_lim 45, first
//! max_th 15. Not printed, and an option here: the form of the step (`step`), where an overflow
//! sends the thresholds (`overflow_dir`) and whether it goes before the average (`overflow_first`),
//! the distance that they keep (`gap`), whether an average at a threshold counts as beyond it
//! (`at_bound`), whether a packet is judged by the moved thresholds (`adapt_after_decision`), the
//! first `min_th`, `max_p`, `w_q`.
use crate::aqm::red::config::RedOptions;
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_core::units::Packets;
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the steps `alpha` and `beta` are multiples of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The threshold: `th (1 + alpha)`, `th (1 - beta)`.
    #[default]
    Mult,
    /// One packet: `th + alpha`, `th - beta`.
    Add,
    /// The distance to the average: `th + alpha |avg - th|`, `th - beta |avg - th|`.
    Prop,
}

/// Which way a packet that does not fit moves the thresholds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OverflowDir {
    /// Down: early signals were too few.
    #[default]
    Lower,
    /// Up, as for an average above `max_th`.
    Raise,
}

/// Parameters of [`EaRed`](super::EaRed). Thresholds are in packets.
#[config]
pub struct EaRedConfig {
    /// First lower threshold. Reconstructed: the paper does not give it.
    #[schemars(
        extend("x-source" = "reconstructed: min_lim, which is RED's min_th in the paper"),
    )]
    #[config(default = Packets(5.0))]
    pub min_th: Packets,
    /// First upper threshold.
    #[schemars(extend("x-source" = "Lim et al., section 3-1: 15"))]
    #[config(default = Packets(15.0))]
    pub max_th: Packets,
    /// Probability `p_b` at `max_th`. Reconstructed: the paper does not give it; 0.02 is the
    /// other common value.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "reconstructed: RED's"))]
    #[config(default = 0.1)]
    pub max_p: f64,
    /// Step of `max_th` upwards.
    #[schemars(
        range(min = 0.0, max = 10.0),
        extend("x-source" = "Lim et al., section 3-1: 0.05"),
    )]
    #[config(default = 0.05)]
    pub alpha_max: f64,
    /// Step of `max_th` downwards; at most 1 unless `step = "add"`.
    #[schemars(
        range(min = 0.0, max = 10.0),
        extend("x-source" = "Lim et al., section 3-1: 0.05"),
    )]
    #[config(default = 0.05)]
    pub beta_max: f64,
    /// Step of `min_th` upwards.
    #[schemars(
        range(min = 0.0, max = 10.0),
        extend("x-source" = "Lim et al., section 3-1: 0.05"),
    )]
    #[config(default = 0.05)]
    pub alpha_min: f64,
    /// Step of `min_th` downwards; at most 1 unless `step = "add"`.
    #[schemars(
        range(min = 0.0, max = 10.0),
        extend("x-source" = "Lim et al., section 3-1: 0.05"),
    )]
    #[config(default = 0.05)]
    pub beta_min: f64,
    /// `min_th` never goes below this.
    #[schemars(extend("x-source" = "Lim et al., section 3-1: 5"))]
    #[config(default = Packets(5.0))]
    pub min_lim: Packets,
    /// `max_th` never goes beyond this.
    #[schemars(
        extend("x-source" = "Lim et al., section 3-1: 45, with the larger buffer too (section \
            3-2)"),
    )]
    #[config(default = Packets(45.0))]
    pub max_lim: Packets,
    /// Least distance between the thresholds. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: min_lim"))]
    #[config(default = Packets(5.0))]
    pub gap: Packets,
    /// What a step is a multiple of. Reconstructed.
    #[schemars(
        extend("x-source" = "reconstructed: fractions, since all four steps are the same for \
            thresholds of any size"),
    )]
    #[config(default = Step::Mult)]
    pub step: Step,
    /// Which way a packet that does not fit moves the thresholds. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: section 4 reports windows leveled down"))]
    #[config(default = OverflowDir::Lower)]
    pub overflow_dir: OverflowDir,
    /// Whether a packet that does not fit counts before an average above `max_th`, or after it.
    /// Reconstructed.
    #[schemars(
        extend("x-source" = "reconstructed: section 2 says that avg alone shows it too late"),
    )]
    #[config(default = true)]
    pub overflow_first: bool,
    /// Whether an average that is exactly at a threshold counts as beyond it. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed"))]
    pub at_bound: bool,
    /// Whether a packet is judged before it moves the thresholds, not after. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: section 2 wants no late reaction"))]
    pub adapt_after_decision: bool,
    /// What the RED family has in common.
    #[config(flatten)]
    pub red: RedOptions,
}

impl EaRedConfig {
    /// `Err` unless `low` is at most `high`; `at` is the field of `high`.
    fn ordered(at: &str, low: (&str, f64), high: (&str, f64)) -> Result<(), Fault> {
        if low.1 <= high.1 {
            return Ok(());
        }
        let cause = format!("{} = {} pkt is below {} = {} pkt", high.0, high.1, low.0, low.1);
        Err(Fault::at(at, cause).fix(format!("write \"{} pkt\", or lower {}", low.1, low.0)))
    }
}

impl Config for EaRedConfig {
    fn check(&self) -> Result<(), Fault> {
        Self::ordered("min_th", ("min_lim", self.min_lim.0), ("min_th", self.min_th.0))?;
        let (low, lowest) = (self.min_th.0 + self.gap.0, self.min_lim.0 + self.gap.0);
        Self::ordered("max_th", ("min_th + gap", low), ("max_th", self.max_th.0))?;
        Self::ordered("max_lim", ("max_th", self.max_th.0), ("max_lim", self.max_lim.0))?;
        Self::ordered("max_lim", ("min_lim + gap", lowest), ("max_lim", self.max_lim.0))?;
        for (name, beta) in [("beta_max", self.beta_max), ("beta_min", self.beta_min)] {
            if self.step != Step::Add && beta > 1.0 {
                let cause = format!(
                    "{name} = {beta} would take a threshold below nothing in one \
                    step"
                );
                return Err(Fault::at(name, cause).fix("write at most 1, or step = \"add\""));
            }
        }
        self.red().with(self.min_th.0, self.max_th.0, self.max_p).check()
    }
}
