//! Building blocks that several link services share.
pub mod fluid;
pub mod outage_windows;
pub mod schedule;
