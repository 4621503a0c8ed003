//! The policy of a receiver: when it acknowledges, how it echoes congestion, which window it
//! offers.
use super::HostSignal;
use crate::packet::Ecn;
use crate::units::{Span, Time};

/// A data segment as a receiver's policy sees it.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// The arrival time.
    pub now: Time,
    /// Payload, bytes.
    pub bytes: u64,
    /// Bytes that are received in order and not yet acknowledged, this segment included.
    pub pending: u64,
    /// A full segment, bytes.
    pub mss: u64,
    /// True if it was the next one expected, and nothing waits out of order.
    pub in_order: bool,
    /// True if Congestion Experienced is set.
    pub ce: bool,
    /// The ECN field.
    pub ecn: Ecn,
    /// True if the sender says that it reduced its window (RFC 3168).
    pub cwr: bool,
}

/// The time at which a segment is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// At once.
    Now,
    /// After this span at the latest.
    Within(Span),
    /// At once, with an ACK of its own for the data before it, which has the previous echo (RFC
    /// 8257 section 3.2: two ACKs).
    BeforeThenNow,
}

/// The ECN mode that the two ends negotiated in their handshake.
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
    /// True if it answers every segment at once, echoes nothing, and offers the whole buffer,
    /// whatever happens. Then it is asked only about segments that are not simply the next one.
    fn answers_each(&self) -> bool {
        false
    }
    /// Decides when to acknowledge a segment. Called before [`Self::echo`].
    fn on_data(&mut self, a: &Arrival) -> Reply;
    /// The ECN bits ([`crate::transport::segment::flag`]) of an acknowledgement that leaves now.
    /// `before`: it answers what came before the segment of the last `on_data`
    /// ([`Reply::BeforeThenNow`]).
    fn echo(&mut self, before: bool) -> u8;
    /// The handshake is over.
    fn on_ecn_negotiated(&mut self, _ecn: NegotiatedEcn) {}
    /// Bytes of data that arrived with ECT(0), CE, ECT(1), each plus what RFC 9768 begins with, for
    /// the AccECN option of every acknowledgement; `None`: there is none.
    fn counters(&self) -> Option<[u64; 3]> {
        None
    }
    /// The window to offer, of a buffer with `free` bytes (Freeze-TCP offers none before a
    /// disconnection).
    fn window(&self, free: u64) -> u64 {
        free
    }
    /// A signal from the host; returns the number of acknowledgements to send at once (Freeze-TCP:
    /// three after a reconnection).
    fn on_host_signal(&mut self, _now: Time, _signal: HostSignal) -> u32 {
        0
    }
}
