//! Measures of queues, delays, acknowledgments, and packets in and out of profile.
pub(crate) mod acks;
pub(crate) mod colors;
pub(crate) mod delays;
pub(crate) mod queue;
