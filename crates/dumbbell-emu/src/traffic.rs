//! Traffic between hosts that are Linux's own: what the flows of a plan ask of the kernel, who sends and receives, and what
//! came of it.
//!
//! [`plan`] makes of each flow a [`Job`], and says what each host must be told ([`Wanted`]) before sockets are opened in
//! it. What a plan asks for and the kernel has not is refused ([`Refusal`]), never left out. [`open`] opens all sockets,
//! [`Opened::start`] runs the threads, [`Running::join`] gives an [`Outcome`] for each flow.
pub mod app;
pub mod cpu;
pub mod datagrams;
pub mod jobs;
pub mod names;
pub mod outcome;
pub mod poller;
pub mod prompt;
pub mod receiving;
pub mod run;
pub mod sampler;
pub mod sending;
pub mod shared;
pub mod sockets;
pub mod ticks;
pub mod usage;
pub mod wanted;
pub mod watch;
pub mod wish;

pub use jobs::{Job, Jobs, plan};
pub use outcome::{Outcome, Outcomes};
pub use poller::Halt;
pub use run::{Manner, Opened, Running, SAMPLE_EVERY, open};
pub use sampler::{Means, Sample};
pub use sockets::Within;
pub use wanted::{Refusal, Route, Wanted};
