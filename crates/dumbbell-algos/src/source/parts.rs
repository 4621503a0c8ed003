//! Building blocks for the tests of traffic sources.
#[cfg(test)]
pub(crate) mod counting;
