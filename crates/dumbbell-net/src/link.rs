//! Links behind ports: the plain wire, what impairments do to packets, and media that two
//! directions share.
pub(crate) mod effects;
pub(crate) mod shared_medium;
pub(crate) mod wire;

use crate::port::Port;
use dumbbell_core::units::Transmitter;
use dumbbell_plan::Link;
use wire::{UnevenWire, Wire};

/// One direction of a link.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Element {
    /// Without limit, algorithm, impairment or report: arithmetic.
    Wire(Wire),
    /// The same, with a remainder to carry.
    UnevenWire(Box<UnevenWire>),
    /// Everything else.
    Port(Box<Port>),
}

impl Element {
    /// The wire of `link`.
    pub(crate) fn wire(link: &Link) -> Self {
        let transmitter = Transmitter::new(link.rate);
        match transmitter.ps_per_byte() {
            Some(ps_per_byte) => Element::Wire(Wire::new(link, ps_per_byte)),
            None => Element::UnevenWire(Box::new(UnevenWire::new(link, transmitter))),
        }
    }
}
