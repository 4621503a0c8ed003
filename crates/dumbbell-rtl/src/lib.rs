//! Floor 5 of Dumbbell: RED in hardware, running. Verilator turns the SystemVerilog of
//! `rtl/red/core` into a library when it is first needed. It decides as a queue's algorithm
//! ([`plugin`]), or next to the model with each decision compared ([`lockstep`]).
//!
//! ```text
//! sources + parameters -> verilator -> C++ -> library, kept under a hash (`compile`)
//!                      -> clocks (`verilated`)
//! ```
//!
//! A machine without Verilator builds and runs everything else; [`fault::Fault::Missing`] names the
//! missing package. A user's core can replace ours if it has the same ports ([`core_ports`]).
// This floor runs compilers and keeps what they made.
#![allow(clippy::disallowed_methods)]

mod cache;
pub mod compile;
pub mod core_ports;
pub mod fault;
pub mod lockstep;
pub mod plugin;
pub(crate) mod rtl_decider;
pub mod signals;
pub mod sources;
mod sys;
pub mod testing;
mod tools;
pub mod vectors;
pub mod verilated;
