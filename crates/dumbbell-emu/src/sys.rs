//! Calls of the kernel that no crate offers safely: the only files of this crate with `unsafe`, one theme each, each call with a
//! safe face and the reason why it is sound.
#![allow(unsafe_code)]
pub mod child;
pub mod datagrams;
pub mod device;
pub mod packet_socket;
pub mod sched;
pub mod tcp;
