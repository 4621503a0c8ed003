//! Building blocks that several queueing disciplines share.
pub mod child_aqm;
pub(crate) mod classes;
pub(crate) mod deficit_rounds;
pub(crate) mod flow_hash;
pub(crate) mod flow_queues;
pub(crate) mod gps;
pub(crate) mod scheduled;
#[cfg(test)]
pub(crate) mod test_qdisc;
