//! System calls that need `unsafe`: memory shared with guests, descriptors in messages, and what a
//! guest's process gets before it starts.
pub mod futex;
pub mod memory;
pub mod process;
pub mod socket;
