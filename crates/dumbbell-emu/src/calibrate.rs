//! Calibration before each run: how many packets a second the router forwards through the run's own
//! NICs without any link in between, and the round-trip time through it.
mod demand;
mod throughput;
mod wakeup_delays;

pub use demand::{Demand, Overload, check, demand};
pub use throughput::{ProbeHosts, measure};
pub use wakeup_delays::{OutOfReach, WakeupDelays};

#[cfg(test)]
mod tests;

use dumbbell_plan::Class;
use serde::{Deserialize, Serialize};

/// The share of the ceiling that a plan may use: the rest is for the hosts and other work.
pub const SHARE: f64 = 0.5;

/// Results of the calibration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Packets that the router forwarded in a second.
    pub ceiling_packets_per_s: u64,
    /// Bits of these packets a second, IP headers included.
    pub ceiling_bps: u64,
    /// There and back with nothing in the way: half of the probes took no longer, microseconds.
    pub rtt_p50_us: f64,
    /// 99 of 100 took no longer.
    pub rtt_p99_us: f64,
    /// The share of the time in which a thread like the router's stood still for longer than a
    /// packet of the bottleneck takes.
    #[serde(default)]
    pub stalled_share: f64,
    /// The longest of these stalls, milliseconds.
    #[serde(default)]
    pub longest_stall_ms: f64,
    /// The best class that a run can expect with such stalls; `None`: none, or the plan has no
    /// bottleneck.
    #[serde(default)]
    pub expected_class: Option<Class>,
}
