//! Observers of a running network. What is not recorded costs nothing.
use crate::edge::report::MarkerRow;
use dumbbell_core::aqm::Reason;
use dumbbell_core::meter::Color;
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::probe::Gauges;
use dumbbell_core::transport::Phase;
use dumbbell_core::transport::segment::{Extra, Segment};
use dumbbell_core::units::{Span, Time};
use dumbbell_macros::delegate;
use dumbbell_tcp::{SenderStats, SenderView};

/// A sender at one instant. Counts are since the start of the flow.
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// Packets sent, repetitions included.
    pub sent_packets: u64,
    /// Of these, those that arrived.
    pub delivered_packets: u64,
    /// Of these, those that were dropped.
    pub lost_packets: u64,
    /// Payload bytes that arrived, in whatever order, repetitions included.
    pub received_bytes: u64,
    /// Segments sent again.
    pub retransmits: u64,
    /// The sender's phase.
    pub phase: Phase,
    /// State of its congestion control.
    pub gauges: Gauges,
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
    /// Bytes of packets that have left since the start and are not lost on the wire.
    pub sent_bytes: u64,
    /// State of its algorithm.
    pub gauges: Gauges,
}

/// Identity of a packet: those of one end of a flow are numbered from 1 in the order in which its
/// socket sent them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketId {
    /// The flow.
    pub flow: usize,
    /// True if the flow's sender sent it (else its receiver).
    pub data: bool,
    /// Its number; 0: it is not followed.
    pub number: u64,
}

/// A sender reacted: its window shrank, or it went from one phase to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Reaction {
    /// The time.
    pub t: Time,
    /// The flow.
    pub flow: usize,
    /// The cause.
    pub cause: Cause,
    /// Its state and counts before.
    pub before: SenderSnapshot,
    /// And after.
    pub after: SenderSnapshot,
}

/// Why a sender reacted, as far as can be told from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Its retransmission timer expired.
    Timeout,
    /// It found a loss by acknowledgments and began a recovery.
    Loss,
    /// The receiver echoed congestion (ECN).
    EcnEcho,
    /// A tail loss probe repaired a loss that nothing else told of.
    TailLoss,
    /// The last reduction proved needless and was taken back.
    Undone,
    /// Everything that was lost is repaired.
    Recovered,
    /// Its control backed the timer off ahead of any expiry.
    BackedOff,
    /// Its control had the round-trip time forgotten.
    Reset,
    /// The control's own doing: a delay, a round that ended, an idle time.
    Own,
}

impl Cause {
    /// Why a sender went from one snapshot to another; `None` if it did not react: its window grew,
    /// or stayed.
    pub fn between(before: &SenderSnapshot, after: &SenderSnapshot) -> Option<Cause> {
        let (b, a) = (&before.view, &after.view);
        if after.stats.rtos > before.stats.rtos {
            Some(Cause::Timeout)
        } else if after.stats.ecn_reductions > before.stats.ecn_reductions {
            Some(Cause::EcnEcho)
        } else if after.stats.recoveries > before.stats.recoveries {
            Some(Cause::Loss)
        } else if after.stats.tail_losses > before.stats.tail_losses {
            Some(Cause::TailLoss)
        } else if after.stats.undone() > before.stats.undone() {
            Some(Cause::Undone)
        } else if b.phase != Phase::Open && a.phase == Phase::Open {
            Some(Cause::Recovered)
        } else if after.stats.ordered_backoffs > before.stats.ordered_backoffs {
            Some(Cause::BackedOff)
        } else if after.stats.ordered_resets > before.stats.ordered_resets {
            Some(Cause::Reset)
        } else if a.cwnd < b.cwnd && b.phase == Phase::Open
            || a.phase != b.phase
            || a.ssthresh != b.ssthresh
        {
            Some(Cause::Own)
        } else {
            None
        }
    }
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Cause::Timeout => "timeout",
            Cause::Loss => "loss",
            Cause::EcnEcho => "ecn_echo",
            Cause::TailLoss => "tail_loss",
            Cause::Undone => "undone",
            Cause::Recovered => "recovered",
            Cause::BackedOff => "rto_backed_off",
            Cause::Reset => "rtt_reset",
            Cause::Own => "own",
        }
    }
}

/// State and counts of a TCP sender at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct SenderSnapshot {
    /// Its state.
    pub view: SenderView,
    /// Its counts.
    pub stats: SenderStats,
    /// State of its congestion control; only with a reaction.
    pub gauges: Gauges,
}

/// One drop or mark, and what the decision saw.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// The time.
    pub t: Time,
    /// The link of the queue.
    pub link: usize,
    /// The flow of the packet.
    pub flow: usize,
    /// True if the flow's sender sent it.
    pub data: bool,
    /// The packet's number, if it is followed; else 0.
    pub number: u64,
    /// The cause.
    pub reason: Reason,
    /// Marked (true) or dropped (false).
    pub marked: bool,
    /// The segment's sequence number, low 32 bits.
    pub seq: u32,
    /// Length of the IP packet, bytes.
    pub ip_len: u32,
    /// True if it was sent before.
    pub retransmit: bool,
    /// Backlog that the packet found, packets.
    pub backlog_packets: u32,
    /// State of the algorithm after the decision.
    pub gauges: Gauges,
}

/// Receives rows as they are made: in order for each flow and queue, not across them.
///
/// A packet that is followed is seen at its socket ([`Observer::sent`]), at each link
/// ([`Observer::entered`], then [`Observer::left`] or a drop's [`Observer::signal`]) and where it
/// arrives ([`Observer::delivered`]). Links are run ahead, so the instants of one packet come in
/// order, but those of several may not, and may lie beyond the end.
#[delegate(object = DynObserver)]
pub trait Observer {
    /// True if it may ask for packets or reactions; without that, nothing of the kind is compiled.
    const FOLLOWS: bool = false;
    /// True if it looks at nothing at all: then the engine without an observer runs.
    const SILENT: bool = false;

    /// The number of the next packet of one end of `flow`, from 1; 0: it is not followed. Called
    /// once for each packet.
    fn follow(&mut self, _flow: usize, _data: bool) -> u64 {
        0
    }
    /// A socket handed a packet to its host.
    fn sent(&mut self, _t: Time, _packet: PacketId, _segment: &Segment, _extra: Option<&Extra>) {}
    /// A packet came to a link, where `backlog` packets wait.
    fn entered(&mut self, _t: Time, _packet: PacketId, _link: usize, _backlog: u32) {}
    /// The edge before a link lets it on at `t` with a codepoint, and a color if it was judged; it
    /// enters that link's queue next.
    fn released(
        &mut self,
        _t: Time,
        _packet: PacketId,
        _link: usize,
        _dscp: Dscp,
        _colour: Option<Color>,
    ) {
    }
    /// Its last bit left at `done`, and will be at the link's far end at `arrives`.
    fn left(&mut self, _packet: PacketId, _link: usize, _done: Time, _arrives: Time) {}
    /// A packet arrived at a socket, with `ecn` in its header.
    fn delivered(&mut self, _t: Time, _packet: PacketId, _ecn: Ecn) {}
    /// A packet came to a socket, which discarded it, because `link` had given it a wrong bit.
    fn discarded(&mut self, _t: Time, _packet: PacketId, _link: usize) {}
    /// True if it wants to know of reactions.
    fn wants_reactions(&self) -> bool {
        false
    }
    /// A sender reacted.
    fn reacted(&mut self, _reaction: &Reaction) {}
    /// A flow at a sampling instant.
    fn flow(&mut self, _t: Time, _flow: usize, _row: &FlowRow) {}
    /// A queue at a sampling instant.
    fn queue(&mut self, _t: Time, _link: usize, _row: &QueueRow) {}
    /// A place of the edge before a link at a sampling instant.
    fn marker(&mut self, _t: Time, _link: usize, _row: &MarkerRow) {}
    /// A drop or a mark.
    fn signal(&mut self, _signal: &Signal) {}
}

impl Observer for () {
    const SILENT: bool = true;
}

/// An observer that follows packets, behind a pointer. The engine is generic over its observer and
/// large: each type of observer would compile it once more. With this and [`Sampling`] it is
/// compiled once for all that follow packets, and once for the rest.
pub struct Following<'a>(pub &'a mut dyn DynObserver);

#[delegate(self.0)]
impl Observer for Following<'_> {
    const FOLLOWS: bool = true;
}

/// An observer that follows no packets, behind a pointer: only its rows and signals are passed on.
pub struct Sampling<'a>(pub &'a mut dyn DynObserver);

#[delegate(self.0: flow, queue, marker, signal)]
impl Observer for Sampling<'_> {}

/// The times at which one element is sampled: multiples of a period, and the end of the warm-up.
#[derive(Clone, Debug)]
pub struct SampleTimes {
    next: Time,
    /// `None` where there is no series: then the end of the warm-up is the only one.
    series: Option<Box<SeriesTimes>>,
}

/// The times of a series, and the end of the warm-up.
#[derive(Clone, Debug)]
struct SeriesTimes {
    every: Span,
    sample: Time,
    /// `NEVER` once the warm-up is over.
    warm: Time,
}

/// The samples that are due at one sample time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The instant.
    pub at: Time,
    /// A row of the series.
    pub sample: bool,
    /// The end of the warm-up: counts start again.
    pub warm: bool,
    /// True if it is in the window, whose beginning is.
    pub window: bool,
}

impl SampleTimes {
    /// Samples each `every`, from zero on; the warm-up ends at `warm`.
    pub fn new(every: Option<Span>, warm: Time) -> Self {
        let sample = Time::ZERO;
        let series = every.map(|every| Box::new(SeriesTimes { every, sample, warm }));
        SampleTimes { next: if series.is_some() { sample } else { warm }, series }
    }
    /// The period of the series; zero where there is none.
    pub fn every(&self) -> Span {
        self.series.as_ref().map_or(Span::ZERO, |series| series.every)
    }
    /// The next sample time.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }
    /// The look that is due at `next()`.
    pub fn take(&mut self) -> Due {
        let at = self.next();
        let Some(series) = &mut self.series else {
            self.next = Time::NEVER;
            return Due { at, sample: false, warm: true, window: true };
        };
        let (sample, warm) = (series.sample == at, series.warm == at);
        let due = Due { at, sample, warm, window: warm || series.warm == Time::NEVER };
        if due.sample {
            let last = series.every == Span::ZERO;
            series.sample = if last { Time::NEVER } else { at + series.every };
        }
        if due.warm {
            series.warm = Time::NEVER;
        }
        self.next = series.sample.min(series.warm);
        due
    }
}
