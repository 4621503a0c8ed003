//! Links behind ports: the plain wire, what impairments do to packets, and media that two
//! directions share.
pub(crate) mod effects;
pub(crate) mod shared_medium;
pub(crate) mod wire;

use crate::port::Port;
use wire::Wire;

/// One direction of a link.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Element {
    /// Without limit, algorithm, impairment or report: arithmetic.
    Wire(Wire),
    /// Everything else.
    Port(Box<Port>),
}
