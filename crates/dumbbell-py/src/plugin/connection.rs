//! The objects that a congestion control in Python reads, and its commands (`Orders` there).
//! Windows are in bytes, times in seconds.
use crate::plugin::views::open;
use dumbbell_core::transport::{
    Ack as CoreAck, Cause, Commands as CoreCommands, Congestion as CoreCongestion,
    Path as CorePath, Phase, RtoCommand, Sent as CoreSent, Tag,
};
use dumbbell_core::units::{Span, Time};
use pyo3::prelude::*;
use std::sync::Mutex;

/// What a congestion control knows when its connection opens.
#[pyclass(frozen, module = "dumbbell")]
pub struct Path(CorePath);

#[pymethods]
impl Path {
    /// Maximum segment size, bytes of payload.
    #[getter]
    fn mss(&self) -> u64 {
        self.0.mss
    }
    /// Initial window, bytes.
    #[getter]
    fn initial_window(&self) -> u64 {
        self.0.initial_window
    }
    /// Initial slow-start threshold, bytes; None: none.
    #[getter]
    fn initial_ssthresh(&self) -> Option<u64> {
        Some(self.0.initial_ssthresh).filter(|s| *s < u64::MAX)
    }
    /// Segments that one acknowledgment may add in slow start (L of RFC 3465; 1: RFC 5681).
    #[getter]
    fn growth_limit(&self) -> u64 {
        self.0.growth_limit
    }
    /// Bytes of IP and TCP headers, options too, of a data segment.
    #[getter]
    fn header(&self) -> u64 {
        self.0.header
    }
    /// The rate that was reserved for the flow, bits a second; None: best effort.
    #[getter]
    fn reserved(&self) -> Option<u64> {
        self.0.reserved.map(|r| r.bps())
    }
    /// The round-trip time of its route without queues, seconds, if that is known.
    #[getter]
    fn rtt(&self) -> Option<f64> {
        seconds(self.0.rtt)
    }
}

impl Path {
    pub fn new(path: CorePath) -> Self {
        Path(path)
    }
}

/// One acknowledgment as the sender sees it, duplicates too. The same object is used again for the
/// next.
#[pyclass(frozen, module = "dumbbell")]
#[derive(Default)]
pub struct Ack(Mutex<CoreAck>);

fn seconds(span: Option<Span>) -> Option<f64> {
    span.map(Span::seconds)
}

#[pymethods]
impl Ack {
    /// When it arrived, seconds.
    #[getter]
    fn now(&self) -> f64 {
        open(&self.0).now.seconds()
    }
    /// When it arrived, picoseconds.
    #[getter]
    fn now_ps(&self) -> u64 {
        open(&self.0).now.ps()
    }
    /// Bytes that it newly acknowledged cumulatively; 0 for a duplicate.
    #[getter]
    fn acked(&self) -> u64 {
        open(&self.0).acked
    }
    /// Bytes that it newly acknowledged selectively.
    #[getter]
    fn sacked(&self) -> u64 {
        open(&self.0).sacked
    }
    /// The next byte that the receiver expects (SND.UNA after this ACK).
    #[getter]
    fn una(&self) -> u64 {
        open(&self.0).una
    }
    /// The next byte to send (SND.NXT).
    #[getter]
    fn nxt(&self) -> u64 {
        open(&self.0).nxt
    }
    /// Bytes on their way before this ACK.
    #[getter]
    fn in_flight(&self) -> u64 {
        open(&self.0).in_flight
    }
    /// Round-trip sample, seconds; None if this ACK gives none.
    #[getter]
    fn rtt(&self) -> Option<f64> {
        seconds(open(&self.0).rtt)
    }
    /// Smoothed round-trip time before this sample, seconds.
    #[getter]
    fn srtt(&self) -> Option<f64> {
        seconds(open(&self.0).srtt)
    }
    /// Smallest round-trip time of the connection, seconds.
    #[getter]
    fn min_rtt(&self) -> Option<f64> {
        seconds(open(&self.0).min_rtt)
    }
    /// The receiver's clock when it sent this ACK, seconds; with timestamps only.
    #[getter]
    fn peer_clock(&self) -> Option<f64> {
        open(&self.0).peer_clock.map(Time::seconds)
    }
    /// Arrival minus `peer_clock`, an offset plus the delay of the reverse path, seconds; with
    /// timestamps only.
    #[getter]
    fn reverse_delay(&self) -> Option<f64> {
        seconds(open(&self.0).reverse_delay)
    }
    /// The receiver's window, bytes.
    #[getter]
    fn window(&self) -> u64 {
        open(&self.0).window
    }
    /// The tag of the segment that it answers; 0: none.
    #[getter]
    fn tag(&self) -> u32 {
        open(&self.0).tag.0
    }
    /// Whether it echoes Congestion Experienced.
    #[getter]
    fn ece(&self) -> bool {
        open(&self.0).ece
    }
    /// Bytes of `acked` and `sacked` that came with Congestion Experienced: exactly with AccECN,
    /// else all if `ece`.
    #[getter]
    fn marked(&self) -> u64 {
        open(&self.0).marked
    }
    /// Whether the receiver says that it has moved to another point of attachment.
    #[getter]
    fn moved(&self) -> bool {
        open(&self.0).moved
    }
    /// How fast the network delivered, bits a second; None if this ACK gives no sample. With
    /// `needs_rates` only.
    #[getter]
    fn delivery_rate(&self) -> Option<f64> {
        open(&self.0).rate.and_then(|r| r.bytes_per_second()).map(|r| 8.0 * r)
    }
    /// Bytes that the connection has delivered; None without `needs_rates`.
    #[getter]
    fn delivered(&self) -> Option<u64> {
        open(&self.0).rate.map(|r| r.total_delivered)
    }
    /// Whether the application, not the network, limited what `delivery_rate` measured.
    #[getter]
    fn app_limited(&self) -> bool {
        open(&self.0).rate.is_some_and(|r| r.app_limited)
    }
    /// Whether the window was what held the sender back (RFC 7661): else it should not grow.
    #[getter]
    fn window_limited(&self) -> bool {
        open(&self.0).window_limited
    }
    /// Where the sender stands: "open", "recovery" or "loss".
    #[getter]
    fn phase(&self) -> &'static str {
        match open(&self.0).phase {
            Phase::Open => "open",
            Phase::Recovery => "recovery",
            Phase::Loss => "loss",
        }
    }
}

impl Ack {
    pub fn fill(&self, ack: &CoreAck) {
        *open(&self.0) = *ack;
    }
}

/// A congestion event.
#[pyclass(frozen, get_all, module = "dumbbell")]
pub struct Congestion {
    /// When it was noticed, seconds.
    now: f64,
    /// What was noticed: "loss" (once per recovery), "ecn" (once per window), "timeout", "further"
    /// (losses in a recovery that has begun, where segments carry tags) or "spurious" (the last
    /// reduction was not due).
    cause: &'static str,
    /// Of a timeout: whether it is the first for this segment (RFC 5681: ssthresh changes only
    /// then).
    first: bool,
    /// FlightSize (RFC 5681), bytes.
    in_flight: u64,
    /// Tags of the segments found lost.
    tags: Vec<u32>,
}

impl Congestion {
    pub fn new(event: &CoreCongestion<'_>) -> Self {
        let (cause, first) = match event.cause {
            Cause::Loss => ("loss", false),
            Cause::Ecn => ("ecn", false),
            Cause::Timeout { first } => ("timeout", first),
            Cause::Further => ("further", false),
            Cause::Spurious => ("spurious", false),
        };
        let tags = event.tags.iter().map(|t| t.0).collect();
        Congestion { now: event.now.seconds(), cause, first, in_flight: event.in_flight, tags }
    }
}

/// One segment handed to the network.
#[pyclass(frozen, get_all, module = "dumbbell")]
pub struct Sent {
    /// When, seconds.
    now: f64,
    /// Its first byte.
    seq: u64,
    /// Its payload, bytes.
    bytes: u64,
    /// Whether it was sent before.
    retransmit: bool,
    /// Bytes on their way before it.
    in_flight: u64,
}

impl Sent {
    pub fn new(sent: &CoreSent) -> Self {
        let CoreSent { now, seq, bytes, retransmit, in_flight, .. } = *sent;
        Sent { now: now.seconds(), seq, bytes, retransmit, in_flight }
    }
}

/// What a congestion control asks of its sender beside the window.
#[pyclass(frozen, module = "dumbbell")]
#[derive(Default)]
pub struct Orders(Mutex<CoreCommands>);

#[pymethods]
impl Orders {
    /// Double the retransmission timer now, and keep it so until `reset_timer`.
    fn back_off_timer(&self) {
        open(&self.0).rto = Some(RtoCommand::BACK_OFF);
    }
    /// Forget srtt, rttvar and the backoff: the next sample starts afresh.
    fn reset_timer(&self) {
        open(&self.0).rto = Some(RtoCommand::Reset);
    }
    /// Stop sending, timers included.
    fn freeze(&self) {
        open(&self.0).freeze = Some(true);
    }
    /// Send again.
    fn resume(&self) {
        open(&self.0).freeze = Some(false);
    }
    /// Send the first unacknowledged segment again, now.
    fn retransmit(&self) {
        open(&self.0).retransmit = true;
    }
    /// Send a segment beyond the window with this tag: new data, or a repetition if there is none.
    fn extra(&self, tag: u32) {
        open(&self.0).extra(Tag(tag));
    }
    /// Send this many segments whatever the window, which counts them: what would go next if it had
    /// room.
    fn ahead(&self, segments: u32) {
        open(&self.0).ahead += segments;
    }
    /// Send a segment that brings nothing new, at low priority, with this tag; its answer bears the
    /// tag.
    fn dummy(&self, tag: u32) {
        open(&self.0).dummy(Tag(tag));
    }
}

impl Orders {
    /// Adds what was ordered to the sender's.
    pub fn hand_over(&self, to: &mut CoreCommands) {
        let mut mine = open(&self.0);
        if mine.is_empty() {
            return;
        }
        let CoreCommands { rto, freeze, retransmit, uncounted, ahead } = std::mem::take(&mut *mine);
        to.rto = rto.or(to.rto);
        to.freeze = freeze.or(to.freeze);
        to.retransmit |= retransmit;
        to.uncounted.extend(uncounted);
        to.ahead += ahead;
    }
}
