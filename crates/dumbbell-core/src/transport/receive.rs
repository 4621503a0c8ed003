//! The policy of a receiver: when it acknowledges, which ECN feedback it gives, which window it
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
    /// The payload of a full segment, bytes.
    pub mss: u64,
    /// True if it was the next one expected, and nothing waits out of order.
    pub in_order: bool,
    /// True if it is not the next one expected: it leaves a gap, or is a duplicate.
    pub out_of_order: bool,
    /// The next byte expected.
    pub expected: u64,
    /// The ECN field.
    pub ecn: Ecn,
    /// True if the sender says that it reduced its window (RFC 3168).
    pub cwr: bool,
    /// True if it carries PSH.
    pub push: bool,
}

impl Arrival {
    /// True if Congestion Experienced is set.
    #[inline]
    pub fn ce(&self) -> bool {
        self.ecn == Ecn::Ce
    }
}

/// The time at which a segment is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// At once.
    Now,
    /// After this span at the latest. Data that fills a gap, or that had arrived before, is
    /// acknowledged at once nevertheless.
    Within(Span),
    /// At once; the data that is pending before it gets an ACK of its own first, with the feedback
    /// of that time. DCTCP so keeps segments with and without CE apart (RFC 8257 section 3.2).
    PendingThenNow,
}

/// The ECN mode that the two ends negotiated in their handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NegotiatedEcn {
    /// No ECN.
    Nothing,
    /// Feedback by the flag ECE (RFC 3168).
    Classic,
    /// Accurate ECN (RFC 9768).
    Accurate,
}

/// A receiver's policy.
pub trait Receive {
    /// True if it acknowledges every segment at once, gives no ECN feedback, and offers the whole
    /// buffer, whatever happens. Then it is asked only about segments that are not simply the next
    /// one.
    fn is_plain(&self) -> bool {
        false
    }
    /// Decides when to acknowledge a segment. Called before [`Self::echo`].
    fn on_data(&mut self, a: &Arrival) -> Reply;
    /// The ECN bits ([`crate::transport::segment::flag`]) of an acknowledgment that leaves now.
    /// `pending_only`: it is the first of the two of [`Reply::PendingThenNow`], and covers only the
    /// data before the segment of the last `on_data`.
    fn echo(&mut self, pending_only: bool) -> u8;
    /// Called when a SYN is answered.
    fn on_syn(&mut self, _now: Time) {}
    /// Called when the handshake is over.
    fn on_ecn_negotiated(&mut self, _negotiated: NegotiatedEcn) {}
    /// Bytes of data that arrived with ECT(0), CE, ECT(1), each plus its initial value (RFC 9768
    /// section 3.2.1), for the AccECN option of every acknowledgment; `None`: no option.
    fn counters(&self) -> Option<[u64; 3]> {
        None
    }
    /// The window to offer, of a buffer with `free` bytes (Freeze-TCP offers none before a
    /// disconnection).
    fn window(&self, free: u64) -> u64 {
        free
    }
    /// Takes a signal from the host. Returns the number of acknowledgments to send at once
    /// (Freeze-TCP: three after a reconnection).
    fn on_host_signal(&mut self, _now: Time, _signal: HostSignal) -> u32 {
        0
    }
}
