//! Looking on while a network runs. What nobody records costs nothing.
use dumbbell_core::aqm::Reason;
use dumbbell_core::probe::Gauges;
use dumbbell_core::transport::Phase;
use dumbbell_core::units::{Span, Time};

/// A sender at one instant. Counts are since the start of the flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowRow {
    /// Congestion window, bytes.
    pub cwnd_bytes: u64,
    /// Congestion window in segments.
    pub cwnd_packets: f64,
    /// Slow-start threshold, bytes; `None` while there is none.
    pub ssthresh_bytes: Option<u64>,
    /// Smoothed round-trip time.
    pub srtt: Option<Span>,
    /// Retransmission timeout.
    pub rto: Span,
    /// Bytes on their way.
    pub in_flight_bytes: u64,
    /// Distinct bytes handed to the receiving application.
    pub delivered_bytes: u64,
    /// Payload bytes sent, repetitions included.
    pub sent_bytes: u64,
    /// Segments sent again.
    pub retransmits: u64,
    /// Where the sender stands.
    pub phase: Phase,
}

/// A queue at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueRow {
    /// Packets, by the port's convention.
    pub packets: u32,
    /// Bytes of IP length.
    pub bytes: u64,
    /// Drops since the start.
    pub dropped: u64,
    /// What its algorithm shows.
    pub gauges: Gauges,
}

/// One drop or mark, and what the decision saw.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// When.
    pub t: Time,
    /// At which link's queue.
    pub link: usize,
    /// Whose packet.
    pub flow: usize,
    /// Why.
    pub reason: Reason,
    /// Marked (true) or dropped (false).
    pub marked: bool,
    /// The segment's sequence number, low 32 bits.
    pub seq: u32,
    /// Length of the IP packet, bytes.
    pub ip_len: u32,
    /// Whether it was sent before.
    pub retransmit: bool,
    /// Backlog that the packet found, packets.
    pub backlog_packets: u32,
    /// What the algorithm shows after the decision.
    pub gauges: Gauges,
}

/// Receives rows as they are made: in order for each flow and queue, not across them.
pub trait Observer {
    /// A flow at a sampling instant.
    fn flow(&mut self, _t: Time, _flow: usize, _row: &FlowRow) {}
    /// A queue at a sampling instant.
    fn queue(&mut self, _t: Time, _link: usize, _row: &QueueRow) {}
    /// A drop or a mark.
    fn signal(&mut self, _signal: &Signal) {}
}

impl Observer for () {}

/// The instants at which one element is looked at: multiples of a period, and the end of the warm-up.
#[derive(Clone, Copy, Debug)]
pub struct Looks {
    every: Option<Span>,
    sample: Time,
    warm: Time,
}

/// What is due at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The instant.
    pub at: Time,
    /// A row of the series.
    pub sample: bool,
    /// The end of the warm-up: counts start again.
    pub warm: bool,
}

impl Looks {
    /// Samples each `every`, from zero on; the warm-up ends at `warm`.
    pub fn new(every: Option<Span>, warm: Time) -> Self {
        let sample = if every.is_some() { Time::ZERO } else { Time::NEVER };
        Looks { every, sample, warm }
    }
    /// When the next look is due.
    #[inline]
    pub fn next(&self) -> Time {
        self.sample.min(self.warm)
    }
    /// The look that is due at `next()`.
    pub fn take(&mut self) -> Due {
        let at = self.next();
        let due = Due { at, sample: self.sample == at, warm: self.warm == at };
        if due.sample {
            self.sample = self.every.map_or(Time::NEVER, |d| at + d);
        }
        if due.warm {
            self.warm = Time::NEVER;
        }
        due
    }
}
