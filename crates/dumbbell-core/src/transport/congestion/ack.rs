//! An acknowledgment as the sender sees it, and the samples that it gives.
use super::sent::Tag;
use crate::units::{Span, Time};

/// The phase of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// No loss is being repaired.
    #[default]
    Open,
    /// Fast recovery.
    Recovery,
    /// Everything outstanding is being sent again, after a timeout or Tahoe's fast retransmit,
    /// until it is acknowledged.
    Loss,
}

/// One acknowledgment as the sender sees it, duplicates included. Later versions may add fields.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default)]
pub struct Ack {
    /// The arrival time.
    pub now: Time,
    /// Bytes that it newly acknowledged cumulatively; 0 for a duplicate.
    pub acked: u64,
    /// Bytes that it newly acknowledged selectively.
    pub sacked: u64,
    /// The next byte that the receiver expects (SND.UNA after this ACK).
    pub una: u64,
    /// The next byte to send (SND.NXT).
    pub nxt: u64,
    /// Bytes on their way before this ACK.
    pub in_flight: u64,
    /// Round-trip sample, if this ACK gives one (Karn, or timestamps).
    pub rtt: Option<Span>,
    /// Smoothed round-trip time before this sample.
    pub srtt: Option<Span>,
    /// Smallest round-trip time of the connection, this sample included.
    pub min_rtt: Option<Span>,
    /// The receiver's clock when it sent this ACK (TSval), unwrapped; with timestamps only.
    pub peer_clock: Option<Time>,
    /// The granularity of that clock; zero: exact.
    pub peer_tick: Span,
    /// Arrival minus `peer_clock`, an offset plus the delay of the reverse path; with timestamps
    /// only.
    pub reverse_delay: Option<Span>,
    /// The receiver's window, bytes.
    pub window: u64,
    /// The tag of the segment that it answers, if that had one.
    pub tag: Tag,
    /// True if it echoes Congestion Experienced.
    pub ece: bool,
    /// True if it reports data beyond a gap, whether that is news or not.
    pub gaps: bool,
    /// Bytes of `acked` and `sacked` that came with Congestion Experienced, as far as the echo
    /// tells: exactly with AccECN, else all of them if `ece`.
    pub marked: u64,
    /// True if the receiver says that it has moved to another point of attachment.
    pub moved: bool,
    /// The delivery rate sample, if the control asked for it ([`super::Capabilities::rates`]);
    /// `None` if this ACK delivered nothing new.
    pub rate: Option<RateSample>,
    /// True if the window was what held the sender back (RFC 7661): else it should not grow.
    pub window_limited: bool,
    /// True if segments leave at a rate, so that a jump of the window makes no burst.
    pub paced: bool,
    /// The phase of the sender.
    pub phase: Phase,
}

/// A delivery rate sample, from the sending of a segment to its acknowledgment
/// (draft-ietf-ccwg-bbr, delivery rate estimation).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateSample {
    /// Bytes delivered within `interval`.
    pub delivered: u64,
    /// The longer of the spans in which they were sent and in which they were acknowledged; zero:
    /// no valid sample.
    pub interval: Span,
    /// Bytes that the connection had delivered when the segment was sent: round trips are counted
    /// by it.
    pub prior_delivered: u64,
    /// Bytes that the connection has delivered now.
    pub total_delivered: u64,
    /// True if the application, not the network, limited what was sent then.
    pub app_limited: bool,
    /// Bytes on their way when the segment was sent, that one included.
    pub in_flight: u64,
    /// Bytes found lost since the segment was sent.
    pub lost: u64,
    /// Bytes that were found lost since the sample before: by the acknowledgment that brought that
    /// one (a control is informed of an acknowledgment before the sender acts on it), or by a
    /// timer.
    pub newly_lost: u64,
    /// The state of the connection when the latest of those was sent.
    pub loss: LossSample,
    /// Bytes that are believed to be in the network now: neither delivered nor found lost.
    pub pipe: u64,
    /// From the sending of the segment until now, exactly; `None` if it was sent more than once.
    pub rtt: Option<Span>,
}

/// A segment that was found lost (draft-ietf-ccwg-bbr section 5.5.10.2); holds while
/// [`RateSample::newly_lost`] is not 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossSample {
    /// Bytes on their way when it was sent, that one included.
    pub in_flight: u64,
    /// Bytes found lost since it was sent, that one included.
    pub lost: u64,
    /// True if the application limited what was sent then.
    pub app_limited: bool,
    /// Ranges of sequence among what was newly lost.
    pub ranges: u32,
}

impl RateSample {
    /// Bytes per second; `None` if the sample is not valid.
    pub fn bytes_per_second(&self) -> Option<f64> {
        (self.interval > Span::ZERO).then(|| self.delivered as f64 / self.interval.seconds())
    }
}
