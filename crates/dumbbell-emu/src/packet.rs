//! The router's knowledge of a packet: the flow that it belongs to, and its defects.
pub mod classify;
pub mod defects;
