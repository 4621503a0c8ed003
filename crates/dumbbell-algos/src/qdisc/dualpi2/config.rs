//! DualPI2's parameters.
use crate::aqm::pie::config::check_times;
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_core::units::Span;
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::aqm::pi2::Overload;

/// Which queue's packet is next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scheduler {
    /// Weighted round robin: L goes first, and C has `c_protection` of the bytes while both are
    /// backlogged (Linux).
    #[default]
    Wrr,
    /// A FIFO in which L's packets count as having waited for `tshift` longer (RFC 9332 section
    /// 4.1.1).
    TimeShifted,
}

/// How L marks by its own delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LAqm {
    /// With a probability that rises from `l_min_th` on, over `range` (RFC 9332 appendix A).
    #[default]
    Ramp,
    /// Each packet that waited longer than `step_thresh` (Linux).
    Step,
}

/// Which delay the controller acts on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DelayOf {
    /// The larger of the two heads' (RFC 9332 appendix A.2, Linux).
    #[default]
    Both,
    /// That of C's head (RFC 9332 appendix A.1).
    Classic,
}

/// How a probability becomes decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Chance {
    /// By a draw for each packet (Linux).
    #[default]
    Random,
    /// By adding up probabilities, a signal for each whole one: evenly spaced (RFC 9332 appendix A,
    /// `recur`).
    Recur,
}

/// Parameters of [`DualPi2`](super::DualPi2). The port's limit is that of both queues (RFC 9332:
/// 250 ms of the link's rate).
#[config]
pub struct DualPi2Config {
    /// Queueing delay that the controller steers to.
    #[schemars(extend("x-source" = "RFC 9332 appendix A.1: 15 ms"))]
    #[config(default = Span::from_ms(15))]
    pub target: Span,
    /// Time between two updates of the pressure.
    #[schemars(extend("x-source" = "RFC 9332 appendix A.1: 16 ms"))]
    #[config(default = Span::from_ms(16))]
    pub tupdate: Span,
    /// Gain of the distance from the target, in 1/s.
    #[schemars(
        range(min = 0.0),
        extend("x-source" = "RFC 9332 appendix A.1: 0.1 Tupdate / RTT_max^2"),
    )]
    #[config(default = 0.16)]
    pub alpha: f64,
    /// Gain of the delay's growth, in 1/s.
    #[schemars(
        range(min = 0.0),
        extend("x-source" = "Linux sch_dualpi2: 3.2; RFC 9332: 0.3 / RTT_max"),
    )]
    #[config(default = 3.2)]
    pub beta: f64,
    /// The coupling factor k: L is marked with k p', C signaled with p'^2.
    #[schemars(range(min = 1.0, max = 20.0), extend("x-source" = "RFC 9332 section 2.1: 2"))]
    #[config(default = 2.0)]
    pub coupling_factor: f64,
    /// Which delay the controller acts on.
    #[schemars(extend("x-source" = "RFC 9332 appendix A.2; Linux"))]
    #[config(default = DelayOf::Both)]
    pub delay_of: DelayOf,
    /// How L marks by its own delay.
    #[schemars(extend("x-source" = "RFC 9332 appendix A.1"))]
    #[config(default = LAqm::Ramp)]
    pub l_aqm: LAqm,
    /// Delay at which L's ramp begins.
    #[schemars(extend("x-source" = "RFC 9332 appendix A.1: minTh 800 us"))]
    #[config(default = Span::from_us(800))]
    pub l_min_th: Span,
    /// Width of L's ramp.
    #[schemars(extend("x-source" = "RFC 9332 appendix A.1: 400 us"))]
    #[config(default = Span::from_us(400))]
    pub range: Span,
    /// Delay above which L's step marks.
    #[schemars(extend("x-source" = "Linux sch_dualpi2: 1 ms"))]
    #[config(default = Span::from_ms(1))]
    pub step_thresh: Span,
    /// A packet with at most this many packets behind it in L is not marked for its delay.
    #[schemars(range(max = 1000), extend("x-source" = "RFC 9332 appendix A.1: Th_len 1"))]
    #[config(default = 1)]
    pub th_len: u32,
    /// Which queue's packet is next.
    #[schemars(extend("x-source" = "Linux sch_dualpi2: WRR"))]
    #[config(default = Scheduler::Wrr)]
    pub scheduler: Scheduler,
    /// Under `wrr`, C's share of the bytes while both queues are backlogged.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Linux sch_dualpi2: 10 %"))]
    #[config(default = 0.1)]
    pub c_protection: f64,
    /// Under `time_shifted`, the extra time for which L's packets count as having waited. RFC 9332
    /// leaves it open; reconstructed.
    #[schemars(extend("x-source" = "reconstructed: 50 ms"))]
    #[config(default = Span::from_ms(50))]
    pub tshift: Span,
    /// How a probability becomes decisions.
    #[schemars(extend("x-source" = "Linux sch_dualpi2; RFC 9332 appendix A has recur"))]
    #[config(default = Chance::Random)]
    pub chance: Chance,
    /// What happens to ECN-capable packets when `p'` is at least `1 / coupling_factor`.
    #[schemars(extend("x-source" = "RFC 9332 section 4.2.3"))]
    #[config(default = Overload::Drop)]
    pub overload: Overload,
}

impl Config for DualPi2Config {
    fn check(&self) -> Result<(), Fault> {
        check_times(self.target, self.tupdate)?;
        if self.l_aqm == LAqm::Step && self.step_thresh == Span::ZERO {
            return Err(Fault::at("step_thresh", "each packet that waits at all would be marked")
                .fix(
                    "write \
                \"1 ms\"",
                ));
        }
        if self.l_aqm == LAqm::Ramp && self.l_min_th >= self.target {
            let cause = format!(
                "L would begin to mark at {}, and C's target is {}",
                self.l_min_th, self.target
            );
            return Err(Fault::at("l_min_th", cause).fix("write \"800 us\", or raise `target`"));
        }
        Ok(())
    }
}
