//! What is measured of a queue that results report, beyond counts and means; docs/results.md defines each measure.
//!
//! A measure is a small state of its own that is told what happens at the queue, in the order of time; [`QueueMonitor`] has one of
//! each. A queue that nobody reads has none.
mod above;
mod attach;
mod hues;
mod levels;
mod shares;
mod standing;
mod synchrony;
mod volume;
mod watch;

pub use attach::attach;
pub use watch::{MonitorConfig, Measures, Threshold, QueueMonitor};
