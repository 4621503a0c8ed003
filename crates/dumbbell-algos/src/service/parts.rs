//! Building blocks that several link services share.
pub(crate) mod fluid;
pub(crate) mod outage_windows;
pub mod schedule;
