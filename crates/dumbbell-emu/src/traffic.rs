//! Traffic between real hosts: from the flows of a plan to kernel sockets, threads and outcomes.
//!
//! [`plan`] makes a [`Job`] of each flow, and [`HostSettings`] for each host, to be made before its
//! sockets are opened. A feature of the plan that the kernel does not have is refused
//! ([`Unsupported`]), never left out. [`open`] opens all sockets, [`Opened::start`] runs the
//! threads, and [`Running::join`] gives an [`Outcome`] for each flow.
pub mod app;
pub(crate) mod connection_state;
pub mod control_state;
pub mod cpu;
pub(crate) mod datagrams;
pub(crate) mod host_settings;
pub mod job;
pub(crate) mod jobs;
pub(crate) mod kernel_config;
pub(crate) mod kernel_names;
pub mod outcome;
pub(crate) mod poller;
pub(crate) mod priority;
pub mod receiver;
pub(crate) mod run;
pub mod sampler;
pub(crate) mod sender;
pub mod sockets;
pub(crate) mod ticks;
pub(crate) mod usage;

pub use host_settings::{HostSettings, RouteMetrics, Unsupported};
pub use job::Job;
pub use jobs::{Jobs, plan};
pub use outcome::{Outcome, Outcomes};
pub use poller::StopSignal;
pub use run::{Opened, Running, SAMPLE_EVERY, ThreadOptions, open};
pub use sampler::{Means, Sample};
pub use sockets::Within;
