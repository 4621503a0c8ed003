//! Building blocks that several queueing disciplines share.
pub mod child_aqm;
pub mod classes;
pub mod deficit_rounds;
pub mod flow_hash;
pub mod flow_queues;
pub mod gps;
pub mod scheduled;
#[cfg(test)]
pub(crate) mod test_qdisc;
