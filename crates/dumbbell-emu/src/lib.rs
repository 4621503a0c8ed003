//! Floor 5 of Dumbbell: the testbed. The network of a plan in real time, between hosts that are Linux's own.
//!
//! Each host of the plan is a network namespace of its own with one [`nic`], the door through which its packets come to
//! the router. The router is one thread that has the network of the plan in it, the very code of the
//! simulator: it gives every packet to it at the instant at which it was read, and hands it to the other
//! host when the network says so. Nothing outside this process knows of any of it, and nothing is left when it ends.
// This floor is about real time: it may read clocks, and it may wait.
#![allow(clippy::disallowed_methods)]

pub mod calibrate;
pub mod clock;
pub mod cpu_cost;
pub mod doctor;
pub mod error;
pub mod header;
pub mod host;
pub mod live;
pub mod log;
pub mod packet;
pub mod router;
pub mod sys;
pub mod traffic;
pub mod validity;
