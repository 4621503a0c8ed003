//! Files of this machine: read safely, written durably, locked between processes.
pub mod durable;
pub mod environment;
pub(crate) mod lock;
pub mod regular;
pub(crate) mod staging;
