//! Packets that are larger than a link's MTU: who may fragment them, and how hosts reassemble them.
pub(crate) mod oversize;
pub(crate) mod reassembly;
