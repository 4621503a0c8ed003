//! Floor 0 of Dumbbell: the traits of all kinds of algorithms, and the units, packets and random
//! streams that they use.
//!
//! Nothing here reads a clock, opens a file, starts a thread or owns a global: time and random
//! numbers are passed in. The simulator, the testbed's router and the hardware's model all drive
//! the same code through these traits.
#![forbid(unsafe_code)]

pub mod aqm;
pub mod catalogue;
pub mod conditioner;
pub mod histogram;
pub mod impairment;
pub mod meter;
pub mod packet;
pub mod plugin;
pub mod port;
pub mod probe;
pub mod qdisc;
pub mod registry;
pub mod rng;
pub mod service;
pub mod source;
pub mod testing;
pub mod transport;
pub mod units;
