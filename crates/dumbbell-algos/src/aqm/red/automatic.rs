//! Settings that follow from the link (S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED", August
//! 2001, section 6; ns-2's `thresh_ 0`, `maxthresh_ 0` and `q_weight_ 0`, `-1`, `-2`). `C` is the
//! number of typical packets that the link sends in a second.
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::units::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the weight follows from the link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutoWeight {
    /// Not at all: the weight is `w_q`.
    Off,
    /// `1 - exp(-1 / C)`: the average forgets in a second (the paper; ns-2 `q_weight_ 0`).
    #[default]
    Second,
    /// `1 - exp(-1 / (10 rtt C))`, `rtt = max(100 ms, 3 (delay + 1 / C))`: in ten round-trip times
    /// (ns-2 `q_weight_ -1`).
    TenRtt,
    /// `1 - exp(-10 / C)`: in a tenth of a second (ns-2 `q_weight_ -2`).
    TenthSecond,
}

/// `C`, typical packets of `size` that the link sends in a second.
pub fn packets_per_second(link: &LinkInfo, size: Bytes) -> f64 {
    link.rate.bps() as f64 / (8.0 * size.0 as f64)
}

/// The lower threshold, typical packets: `max(5, target_delay C / 2)`. The upper one is three times
/// that.
pub fn lower_threshold(link: &LinkInfo, size: Bytes, target_delay: Span) -> f64 {
    (target_delay.seconds() * packets_per_second(link, size) / 2.0).max(5.0)
}

impl AutoWeight {
    /// The weight on a link; `given` where it does not follow from it.
    pub fn on(self, link: &LinkInfo, size: Bytes, given: f64) -> f64 {
        let c = packets_per_second(link, size);
        let forgets_in = |packets: f64| -libm::expm1(-1.0 / packets);
        match self {
            AutoWeight::Off => given,
            AutoWeight::Second => forgets_in(c),
            AutoWeight::TenRtt => {
                forgets_in(10.0 * (3.0 * (link.delay.seconds() + 1.0 / c)).max(0.1) * c)
            }
            AutoWeight::TenthSecond => forgets_in(c / 10.0),
        }
    }
}
