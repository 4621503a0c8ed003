//! Floor 1 of Dumbbell: the catalogue. One algorithm, one file, one line in its kind's registry.
#![forbid(unsafe_code)]

#[macro_use]
pub mod suite;

pub mod aqm;
pub mod bucket;
pub mod cc;
pub mod conditioner;
pub mod dscp;
pub mod edge;
pub mod impairment;
pub mod meter;
#[cfg(test)]
mod packet_size;
pub mod qdisc;
pub mod service;
pub mod source;
