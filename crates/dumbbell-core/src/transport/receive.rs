//! A receiver's manners: when it answers, how it echoes congestion, which window it offers.
use super::HostSignal;
use crate::packet::Ecn;
use crate::units::{Span, Time};

/// A data segment as a receiver's policy sees it.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// When.
    pub now: Time,
    /// Payload, bytes.
    pub bytes: u64,
    /// Bytes that are received in order and not yet acknowledged, this segment included.
    pub pending: u64,
    /// A full segment, bytes.
    pub mss: u64,
    /// Whether it was the next one expected, and nothing waits out of order.
    pub in_order: bool,
    /// Whether Congestion Experienced is set.
    pub ce: bool,
    /// The ECN field.
    pub ecn: Ecn,
    /// Whether the sender says that it reduced its window (RFC 3168).
    pub cwr: bool,
}

/// When to acknowledge a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// At once.
    Now,
    /// After this span at the latest.
    Within(Span),
    /// At once, but what came before it apart, with the echo as it was (RFC 8257 section 3.2: two ACKs).
    BeforeThenNow,
}

/// What two ends agreed on in their handshake about ECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NegotiatedEcn {
    /// No ECN.
    Nothing,
    /// An echo by the flag ECE.
    Classic,
    /// Accurate ECN (RFC 9768).
    Accurate,
}

/// A receiver's policy.
pub trait Receive {
    /// Whether it answers every segment at once, echoes nothing, and offers the whole buffer, whatever happens. Then it
    /// is asked only about segments that are not simply the next one.
    fn answers_each(&self) -> bool {
        false
    }
    /// What to do about a segment. Called before its echo is asked for.
    fn on_data(&mut self, a: &Arrival) -> Reply;
    /// The ECN bits ([`crate::transport::segment::flag`]) of an acknowledgement that leaves now. `before`: it answers what
    /// came before the segment of the last `on_data` ([`Reply::BeforeThenNow`]).
    fn echo(&mut self, before: bool) -> u8;
    /// The handshake is over.
    fn on_ecn_negotiated(&mut self, _ecn: NegotiatedEcn) {}
    /// Bytes of data that arrived with ECT(0), CE, ECT(1), each plus what RFC 9768 begins with, for the AccECN option of
    /// every acknowledgement; `None`: there is none.
    fn counters(&self) -> Option<[u64; 3]> {
        None
    }
    /// The window to offer, of a buffer with `free` bytes (Freeze-TCP offers none before a disconnection).
    fn window(&self, free: u64) -> u64 {
        free
    }
    /// A word from the host: how many acknowledgements to send at once (Freeze-TCP: three after a reconnection).
    fn on_host_signal(&mut self, _now: Time, _signal: HostSignal) -> u32 {
        0
    }
}
