//! System calls that no crate offers safely: the only files of this crate with `unsafe`, one theme
//! a file. Each call has a safe wrapper and the reason why it is sound.
#![allow(unsafe_code)]
pub(crate) mod child;
pub(crate) mod datagrams;
pub(crate) mod device;
pub(crate) mod memory;
pub(crate) mod packet_socket;
pub(crate) mod sched;
pub(crate) mod tcp;
