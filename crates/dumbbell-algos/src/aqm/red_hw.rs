//! RED in hardware.
pub mod core;
pub mod lfsr;
