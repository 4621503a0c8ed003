//! Floor 5 of Dumbbell: the testbed. It runs the network of a plan in real time, between hosts
//! whose TCP is Linux's.
//!
//! Each host of the plan is a network namespace with one device, and [`host::nic`] is the router's
//! end of that device. The router is one thread with the simulator's own network code: it feeds
//! each packet to the network when it was read, and writes it to the other host when the network
//! says so. Nothing outside this process sees any of it, and nothing is left when the process ends.
// This floor is about real time: it may read clocks, and it may wait.
#![allow(clippy::disallowed_methods)]

pub mod calibrate;
pub mod clock;
pub mod cpu_cost;
pub mod doctor;
pub mod error;
pub mod host;
pub mod huge_pages;
pub mod live;
pub mod log;
pub mod packet;
pub mod router;
pub mod run_delay;
pub(crate) mod sys;
pub mod traffic;
pub mod validity;
