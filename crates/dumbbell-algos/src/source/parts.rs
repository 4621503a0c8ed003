//! Building blocks of traffic sources, and of their tests.
pub(crate) mod client;
#[cfg(test)]
pub(crate) mod counting;
pub(crate) mod ladder;
pub(crate) mod times;
