//! Building blocks that several congestion controls share.
pub mod advice;
pub mod classic_config;
pub mod delay_history;
pub mod delivered;
pub mod hystart;
pub mod hystart_pp;
pub mod mark_fraction;
pub mod path_model;
pub mod rounds;
pub mod self_marking;
pub mod slow_start;
#[cfg(test)]
pub(crate) mod test_connection;
pub mod window;
pub mod windowed_filter;
