//! Floor 5 of Dumbbell: RED in hardware, running. The SystemVerilog of `rtl/red/core` is turned into a library by Verilator
//! when it is first wanted, and decides in the model's place ([`brought`]), or beside it, each decision compared ([`lockstep`]).
//!
//! ```text
//! sources + parameters -> verilator -> C++ -> library, kept under a hash ([`compile`]) -> clocks ([`clocked`])
//! ```
//!
//! A machine without Verilator builds and runs everything but this; what needs it says which package is missing
//! ([`fault::Fault::Missing`]). A core of the user's own takes the place of ours by its ports ([`ports`]).
// This floor runs compilers and keeps what they made.
#![allow(clippy::disallowed_methods)]

mod cache;
pub mod compile;
pub mod core_ports;
pub mod fault;
pub mod lockstep;
pub mod plugin;
pub mod rtl_decider;
pub mod sources;
mod sys;
pub mod testing;
mod tools;
pub mod vectors;
pub mod verilated;
