//! Floor 4 of Dumbbell: the network between the sockets, in logical time.
//!
//! It has links, ports, queues, edges, wires and what befalls packets on them, and it measures them; it has no sockets and
//! no clock. `dumbbell_sim` puts its own TCP around it and turns the clock as fast as it can; `dumbbell_emu` puts real
//! hosts around it and lets the clock on the wall turn it. Both see the same decisions, because they are made here.
#![forbid(unsafe_code)]

pub mod account;
pub mod acks;
pub mod agenda;
pub mod arrival;
pub mod audit;
pub mod build;
pub mod colours;
pub mod cutting;
pub mod delays;
pub mod discipline;
pub mod drive;
pub mod edges;
pub mod entry;
pub mod exit;
pub mod extras;
pub mod held;
pub mod large;
pub mod legend;
pub mod legs;
pub mod markers;
pub mod measures;
pub mod media;
pub mod net;
pub mod observe;
pub mod parcel;
pub mod peril;
pub mod port;
pub mod ranks;
pub mod reassembly;
pub mod relay;
pub mod report;
pub mod ring;
pub mod station;
pub mod stats;
pub mod waiting;
pub mod wire;
pub mod words;
