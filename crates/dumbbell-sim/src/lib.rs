//! Floor 5 of Dumbbell: a network in virtual time.
//!
//! [`World::new`] takes a plan, [`World::run`] goes through its agenda, [`World::finish`] says what happened and
//! whether every packet is accounted for. One run is one thread; runs are independent of each other. What lies between
//! the sockets is `dumbbell_net`'s, which knows no clock of its own.
#![forbid(unsafe_code)]

mod alone;
mod app;
mod build;
mod flow;
mod receipt;
mod report;
mod series;
mod socket;
mod udp;
mod world;

pub use dumbbell_net::acks::{AckArrival, AckEnd, AckPath, AckRow, AckSummary, Spacings};
pub use dumbbell_net::build::{Options, outages};
pub use dumbbell_net::colours::{Tint, Tints};
pub use dumbbell_net::cutting::Cuts;
pub use dumbbell_net::delays::{DelaySummary, OneWay};
pub use dumbbell_net::drive::{Arrival, Fate, drive};
pub use dumbbell_net::markers::{MarkerReport, MarkerRow};
pub use dumbbell_net::measures::Measures;
pub use dumbbell_net::observe::{Cause, FlowRow, Observer, QueueRow, Reaction, Signal, Stance, Who};
pub use dumbbell_net::reassembly::Gathered;
pub use dumbbell_net::report::{Conservation, FlowReport, Fragmentation, ProcessorReport, QueueReport, Report};
pub use world::World;

/// Parts for the benchmarks in `bench/`; no part of the API.
#[doc(hidden)]
pub mod parts {
    pub use dumbbell_net::agenda::Agenda;
    pub use dumbbell_net::entry::Entry;
}
