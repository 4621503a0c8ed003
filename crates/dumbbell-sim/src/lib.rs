//! Floor 4 of Dumbbell: a network in virtual time.
//!
//! [`World::new`] takes a plan, [`World::run`] goes through its agenda, [`World::finish`] says what happened and
//! whether every packet is accounted for. One run is one thread; runs are independent of each other.
#![forbid(unsafe_code)]

mod account;
mod acks;
mod agenda;
mod alone;
mod app;
mod arrival;
mod audit;
mod build;
mod colours;
mod cutting;
mod delays;
mod discipline;
mod drive;
mod edges;
mod entry;
mod exit;
mod extras;
mod flow;
mod held;
mod large;
mod legend;
mod legs;
mod markers;
mod measures;
mod media;
mod net;
mod observe;
mod parcel;
mod peril;
mod port;
mod ranks;
mod reassembly;
mod receipt;
mod report;
mod ring;
mod series;
mod socket;
mod station;
mod stats;
mod udp;
mod waiting;
mod wire;
mod words;
mod world;

pub use acks::{AckArrival, AckEnd, AckPath, AckRow, AckSummary, Spacings};
pub use build::{Options, outages};
pub use colours::{Tint, Tints};
pub use cutting::Cuts;
pub use delays::{DelaySummary, OneWay};
pub use drive::{Arrival, Fate, drive};
pub use markers::{MarkerReport, MarkerRow};
pub use measures::Measures;
pub use observe::{Cause, FlowRow, Observer, QueueRow, Reaction, Signal, Stance, Who};
pub use reassembly::Gathered;
pub use report::{Conservation, FlowReport, Fragmentation, ProcessorReport, QueueReport, Report};
pub use world::World;

/// Parts for the benchmarks in `bench/`; no part of the API.
#[doc(hidden)]
pub mod parts {
    pub use crate::agenda::Agenda;
    pub use crate::entry::Entry;
}
