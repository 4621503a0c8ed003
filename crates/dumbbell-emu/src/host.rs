//! Hosts on this machine: network namespaces with a device each, and what runs in them.
pub mod hosts;
pub mod namespace;
pub mod netlink;
pub mod nic;
pub mod packet_ring;
pub mod program;
pub mod rootless;
pub mod sysctl;
pub mod testing;
pub mod tun;
pub(crate) mod veth;
