//! Floor 6 of Dumbbell: Linux itself in virtual time. It runs the network of a plan between kernels
//! whose clock and whose network are ours.
//!
//! Each guest is a user-mode Linux, a process of this machine. It runs only when we let it run, it
//! reads the time that we give it, and its network devices end in our memory. One party runs at a
//! time, and ties are decided by a fixed rule, so a run has one history, however busy the machine
//! is. The network is the simulator's.
pub mod between;
pub mod control;
pub mod cpio;
pub mod due;
pub mod guest;
pub mod network;
pub mod nic;
pub mod orders;
pub mod patience;
pub mod programs;
pub mod qdisc;
pub mod records;
pub mod run;
pub(crate) mod sys;
pub mod timing;
pub mod vhost;

/// The agent, a static program; empty where there is none for this machine.
#[cfg(agent)]
pub const AGENT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/agent"));
/// The agent, a static program; empty where there is none for this machine.
#[cfg(not(agent))]
pub const AGENT: &[u8] = &[];
