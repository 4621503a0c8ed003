//! Links behind ports: the plain wire, what impairments do to packets, and media that two directions share.
pub(crate) mod effects;
pub(crate) mod shared_medium;
pub(crate) mod wire;
