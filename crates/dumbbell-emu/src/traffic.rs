//! Traffic between hosts that are Linux's own: what the flows of a plan ask of the kernel, who sends and receives, and what
//! came of it.
//!
//! [`plan`] makes of each flow a [`Job`], and says what each host must be told ([`HostSettings`]) before sockets are opened in
//! it. What a plan asks for and the kernel has not is refused ([`Unsupported`]), never left out. [`open`] opens all sockets,
//! [`Opened::start`] runs the threads, [`Running::join`] gives an [`Outcome`] for each flow.
pub mod app;
pub mod connection_state;
pub mod cpu;
pub mod datagrams;
pub mod host_settings;
pub mod jobs;
pub mod kernel_config;
pub mod kernel_names;
pub mod outcome;
pub mod poller;
pub mod priority;
pub mod receiver;
pub mod run;
pub mod sampler;
pub mod sender;
pub mod sockets;
pub mod ticks;
pub mod usage;
pub mod watch;

pub use jobs::{Job, Jobs, plan};
pub use outcome::{Outcome, Outcomes};
pub use poller::StopSignal;
pub use run::{ThreadOptions, Opened, Running, SAMPLE_EVERY, open};
pub use sampler::{Means, Sample};
pub use sockets::Within;
pub use host_settings::{Unsupported, RouteMetrics, HostSettings};
