//! Floor 5 of Dumbbell: a network in virtual time.
//!
//! [`World::new`] takes a plan, [`World::run`] goes through its agenda, [`World::finish`] says what
//! happened and whether every packet is accounted for. Runs are independent of each other. A long
//! one may be divided among threads ([`World::part`]). What lies between the sockets is
//! `dumbbell_net`'s, which knows no clock of its own.
#![forbid(unsafe_code)]

mod app;
mod build;
mod completion;
mod counts;
mod divided;
mod flow;
mod observed;
mod report;
mod series;
mod socket;
mod udp;
mod unobserved;
mod world;

pub use dumbbell_net::FragmentationCounts;
pub use dumbbell_net::Measures;
pub use dumbbell_net::ReassemblyCounts;
pub use dumbbell_net::partition;
pub use dumbbell_net::{AckArrival, AckEnd, AckPath, AckRow, AckSummary, Spacings};
pub use dumbbell_net::{Arrival, PacketOutcome, drive};
pub use dumbbell_net::{
    Cause, FlowRow, Observer, PacketId, QueueRow, Reaction, SenderSnapshot, Signal,
};
pub use dumbbell_net::{ColorCounts, ProfileCounts};
pub use dumbbell_net::{
    Conservation, FlowReport, Fragmentation, ProcessorReport, QueueReport, Report,
    SHARED_BUFFER_GAUGES, SharedBufferReport,
};
pub use dumbbell_net::{DelaySummary, OneWay};
pub use dumbbell_net::{MarkerReport, MarkerRow};
pub use dumbbell_net::{Options, outages};
pub use world::World;

/// Parts for the benchmarks in `bench/`; no part of the API.
#[doc(hidden)]
pub mod parts {
    pub use dumbbell_net::Agenda;
    pub use dumbbell_net::Entry;
}
