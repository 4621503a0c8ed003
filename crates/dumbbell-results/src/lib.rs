//! Floor 6 of Dumbbell: the results of a run, without files, threads or clocks.
//!
//! [`run_json`] is the report of a run as JSON. [`series`] has the rows of flows and queues over
//! time. [`pack`] makes tables of them that a page reads. The lab uses all of it on this machine,
//! and the laboratory in the browser where there is no operating system.
#![forbid(unsafe_code)]
// Powers serve pages here; no result of a simulation depends on their last bit.
#![allow(clippy::disallowed_methods)]

pub mod pack;
pub mod run_json;
pub mod series;
