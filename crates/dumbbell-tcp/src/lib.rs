//! Floor 2 of Dumbbell: TCP without I/O. `now` is passed in, segments and deadlines come out.
#![forbid(unsafe_code)]

mod config;

pub use config::{DelayedAck, Ecn, Exit, PartialAck, Recovery, Reentry, TcpConfig};
