//! What the router knows of a packet: the flow that it belongs to, and what is wrong with it.
pub mod classify;
pub mod defects;
