//! The one place that loads a library and calls into it: all of this crate's `unsafe`.
mod library;

pub use library::{Core, Library};

/// The C++ between a verilated core and [`Library`].
pub const SHIM: &str = include_str!("sys/shim.cpp");
