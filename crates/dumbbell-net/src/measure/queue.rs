//! Measures of a reported queue beyond counts and means; docs/reference/queue-measures.md defines
//! each one.
//!
//! A measure is a small state of its own that is told what happens at the queue, in the order of
//! time; [`QueueMonitor`] has one of each. A queue that nobody reads has none.
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
