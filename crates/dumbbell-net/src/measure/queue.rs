//! Measures of a reported queue beyond counts and means; docs/reference/queue-measures.md defines
//! each one.
//!
//! Each measure has a small state, which the events at the queue update in the order of time.
//! [`QueueMonitor`] has one of each. A queue that is not reported has none.
mod above;
mod colors;
mod flow_index;
mod levels;
mod monitor;
mod shares;
mod standing;
mod synchrony;
mod volume;

pub use monitor::Measures;
pub(crate) use monitor::{MonitorConfig, QueueMonitor, Threshold, Transit};
