//! Headers of IP packets as bytes, versions 4 and 6: pure functions over one packet.
//!
//! The router of the testbed parses each packet once ([`view::PacketView`]), checks its checksums
//! ([`mod@verify`]) and changes only what a router changes: the ECN field and the DSCP
//! ([`rewrite`]), or the header of a fragment ([`mod@fragment`]). It sends packets of its own only
//! as ICMP errors ([`icmp_error`]). Exports build the headers of simulated packets ([`frame`]). No
//! function here panics, whatever bytes it gets.
#![forbid(unsafe_code)]

pub mod address;
pub mod bytes;
pub mod checksum;
pub mod corrupt;
mod extension;
pub mod five_tuple;
pub mod fragment;
pub mod frame;
pub mod icmp_error;
mod options;
pub mod protocol;
pub mod rewrite;
pub mod samples;
pub mod verify;
pub mod view;
