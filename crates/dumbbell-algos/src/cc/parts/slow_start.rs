//! What watches a slow start, to end it before the queue overflows.
use super::advice::Advice;
use super::hystart::HyStart;
use super::hystart_pp::HyStartPlusPlus;
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::Ack;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the first slow start ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SlowStart {
    /// At the first loss or at ssthresh (RFC 5681).
    #[default]
    #[serde(rename = "none")]
    Standard,
    /// When the round-trip time grows, too (RFC 9406).
    #[serde(rename = "hystart++")]
    HyStartPlusPlus,
    /// When the round-trip time grows, or a train of acknowledgments fills the path (Ha and Rhee
    /// 2011, with Linux's parameters); slow starts after a timeout, too.
    #[serde(rename = "hystart")]
    HyStart,
}

/// The state of a watched slow start.
#[derive(Clone, Copy, Debug)]
pub enum Watch {
    /// RFC 9406.
    PlusPlus(HyStartPlusPlus),
    /// Ha and Rhee.
    HyStart(HyStart),
}

impl Watch {
    /// For segments of `mss` bytes; `None` if nothing watches. In a box, because only some flows
    /// have one, and only in slow start.
    pub fn new(how: SlowStart, mss: u64) -> Option<Box<Self>> {
        match how {
            SlowStart::Standard => None,
            SlowStart::HyStartPlusPlus => {
                Some(Box::new(Watch::PlusPlus(HyStartPlusPlus::new(mss))))
            }
            SlowStart::HyStart => Some(Box::new(Watch::HyStart(HyStart::new(mss)))),
        }
    }
    /// Segments have `mss` bytes from now on.
    pub fn set_mss(&mut self, mss: u64) {
        match self {
            Watch::PlusPlus(watch) => watch.set_mss(mss),
            Watch::HyStart(watch) => watch.set_mss(mss),
        }
    }
    /// An acknowledgment in slow start that acknowledges something new, when the window is `cwnd`
    /// bytes.
    pub fn on_ack(&mut self, ack: &Ack, cwnd: u64) -> Advice {
        match self {
            Watch::PlusPlus(watch) => watch.on_ack(ack),
            Watch::HyStart(watch) => watch.on_ack(ack, cwnd),
        }
    }
    /// What it watches.
    pub fn probe(&self, out: &mut dyn Probe) {
        match self {
            Watch::PlusPlus(watch) => watch.probe(out),
            Watch::HyStart(watch) => watch.probe(out),
        }
    }
}
