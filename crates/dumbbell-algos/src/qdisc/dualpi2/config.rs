//! DualPI2's parameters.
use crate::aqm::pie::config::check_times;
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_core::units::Span;
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DualPi2Config {
    /// Queueing delay that the controller steers to.
    #[schemars(extend("x-source" = "RFC 9332 appendix A.1: 15 ms"))]
    pub target: Span,
    /// Time between two updates of the pressure.
    #[schemars(extend("x-source" = "RFC 9332 appendix A.1: 16 ms"))]
    pub tupdate: Span,
    /// Gain of the distance from the target, in 1/s.
    #[schemars(
        range(min = 0.0),
        extend("x-source" = "RFC 9332 appendix A.1: 0.1 Tupdate / RTT_max^2"),
    )]
    pub alpha: f64,
    /// Gain of the delay's growth, in 1/s.
    #[schemars(
        range(min = 0.0),
        extend("x-source" = "Linux sch_dualpi2: 3.2; RFC 9332: 0.3 / RTT_max"),
    )]
    pub beta: f64,
    /// The coupling factor k: L is marked with k p', C signaled with p'^2.
    #[schemars(range(min = 1.0, max = 20.0), extend("x-source" = "RFC 9332 section 2.1: 2"))]
    pub coupling_factor: f64,
    /// Which delay the controller acts on.
    #[schemars(extend("x-source" = "RFC 9332 appendix A.2; Linux"))]
    pub delay_of: DelayOf,
    /// How L marks by its own delay.
    #[schemars(extend("x-source" = "RFC 9332 appendix A.1"))]
    pub l_aqm: LAqm,
    /// Delay at which L's ramp begins.
    #[schemars(extend("x-source" = "RFC 9332 appendix A.1: minTh 800 us"))]
    pub l_min_th: Span,
    /// Width of L's ramp.
    #[schemars(extend("x-source" = "RFC 9332 appendix A.1: 400 us"))]
    pub range: Span,
    /// Delay above which L's step marks.
    #[schemars(extend("x-source" = "Linux sch_dualpi2: 1 ms"))]
    pub step_thresh: Span,
    /// With no more packets than this behind it in L a packet is not marked for its delay.
    #[schemars(range(max = 1000), extend("x-source" = "RFC 9332 appendix A.1: Th_len 1"))]
    pub th_len: u32,
    /// Which queue's packet is next.
    #[schemars(extend("x-source" = "Linux sch_dualpi2: WRR"))]
    pub scheduler: Scheduler,
    /// Under `wrr`, C's share of the bytes while both queues are backlogged.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Linux sch_dualpi2: 10 %"))]
    pub c_protection: f64,
    /// Under `time_shifted`, for how much longer L's packets count as having waited. RFC 9332
    /// leaves it open; reconstructed.
    #[schemars(extend("x-source" = "reconstructed: 50 ms"))]
    pub tshift: Span,
    /// How a probability becomes decisions.
    #[schemars(extend("x-source" = "Linux sch_dualpi2; RFC 9332 appendix A has recur"))]
    pub chance: Chance,
    /// What happens to ECN-capable packets when `p'` is at least `1 / coupling_factor`.
    #[schemars(extend("x-source" = "RFC 9332 section 4.2.3"))]
    pub overload: Overload,
}

impl Default for DualPi2Config {
    fn default() -> Self {
        DualPi2Config {
            target: Span::from_ms(15),
            tupdate: Span::from_ms(16),
            alpha: 0.16,
            beta: 3.2,
            coupling_factor: 2.0,
            delay_of: DelayOf::Both,
            l_aqm: LAqm::Ramp,
            l_min_th: Span::from_us(800),
            range: Span::from_us(400),
            step_thresh: Span::from_ms(1),
            th_len: 1,
            scheduler: Scheduler::Wrr,
            c_protection: 0.1,
            tshift: Span::from_ms(50),
            chance: Chance::Random,
            overload: Overload::Drop,
        }
    }
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
