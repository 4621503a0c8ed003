//! Loss detection: duplicate acknowledgments, or time.
mod dcr;
mod dupacks;
mod rack;
mod segments;
mod train;

use crate::config::{Detection, Recovery, TcpConfig};
pub use dcr::Dcr;
use dumbbell_core::transport::Detect;
use dumbbell_macros::delegate;
pub use dupacks::DupAcks;
pub use rack::Rack;

/// The detection that a profile chose. RACK's state is apart: who does not use it does not carry
/// it.
#[derive(Clone, Debug)]
pub enum AnyDetect {
    /// `dupack`.
    DupAcks(DupAcks),
    /// `rack`.
    Rack(Box<Rack>),
    /// `dcr`.
    Dcr(Box<Dcr>),
}

impl AnyDetect {
    /// The detection of `config`: RACK where it has SACK to tell it single segments.
    pub fn new(config: &TcpConfig) -> Self {
        let rack =
            config.detection == Detection::Rack && config.sack && config.recovery == Recovery::Sack;
        if rack {
            AnyDetect::Rack(Box::new(Rack::new(config)))
        } else if config.detection == Detection::Dcr {
            AnyDetect::Dcr(Box::new(Dcr::new(config)))
        } else {
            AnyDetect::DupAcks(DupAcks::new(
                config.dupack_threshold,
                config.limited_transmit,
                config.segment_bytes(),
            ))
        }
    }
}

#[delegate(match self { DupAcks, Rack, Dcr })]
impl Detect for AnyDetect {
    fn sack_refused(&mut self) {
        if let AnyDetect::Rack(rack) = self {
            *self = AnyDetect::DupAcks(rack.without_sack());
        }
    }
}
