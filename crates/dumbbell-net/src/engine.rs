//! The agenda of events and what its entries carry: packets, ranks, routes cut at merges, host
//! signals.
pub(crate) mod agenda;
pub(crate) mod audit;
pub(crate) mod egress;
pub(crate) mod entry;
pub(crate) mod host_signals;
pub(crate) mod owners;
pub(crate) mod path;
pub(crate) mod path_choice;
pub(crate) mod queued_packet;
pub(crate) mod ranks;
pub(crate) mod sidecar;
pub(crate) mod socket;
