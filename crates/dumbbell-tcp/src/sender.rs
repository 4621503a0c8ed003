//! The sending end of a connection.
mod accecn;
mod ack;
mod ack_info;
mod cached_cc;
mod commands;
mod delivery_rate;
mod fast_path;
mod freeze;
mod frto;
mod handshake;
mod init;
mod output;
mod pacing;
mod path_mtu;
mod recovery;
mod tags;
mod tail_probe;
mod timer;
mod undo;
mod window;
use cached_cc::CachedCc;
pub use path_mtu::PathStats;

use crate::config::TcpConfig;
use crate::detect::AnyDetect;
use crate::receiver::Receiver;
use crate::recover::AnyRecover;
use crate::rtt::{Clock, Estimator, Timer};
use dumbbell_core::packet::Ecn as Codepoint;
use dumbbell_core::transport::segment::Outbox;
use dumbbell_core::transport::{CongestionControl, Detect, Phase, Recover, Scoreboard};
use dumbbell_core::units::{Span, Time};
use std::sync::Arc;

/// No stream is longer; leaves room for sums.
const ENDLESS: u64 = 1 << 62;
/// The offset of the first byte of data; 0 is the SYN's.
const FIRST: u64 = 1;

/// The stage of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Not opened, or the SYN is not answered.
    Opening,
    /// Data may flow.
    Established,
}

/// The outstanding data as a recovery sees it; borrows the scoreboard only.
macro_rules! flight {
    ($s:expr) => {
        dumbbell_core::transport::Flight::new(
            $s.mss,
            $s.una,
            $s.nxt,
            $s.cc.cwnd(),
            $s.recover_point,
            $s.end().min($s.una + $s.window).min($s.cold.send_buffer.end).saturating_sub($s.high),
            &$s.board,
        )
    };
}
use flight;

/// The counters of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct SenderStats {
    /// Segments sent: data, SYN, FIN, probes, retransmissions.
    pub sent_packets: u64,
    /// Payload sent, retransmissions included, bytes.
    pub sent_bytes: u64,
    /// Round-trip samples.
    pub rtt_samples: u64,
    /// Their sum.
    pub rtt_sum: Span,
    /// Retransmitted segments.
    pub retransmits: u64,
    /// Expiries of the retransmission timer.
    pub rtos: u64,
    /// Recoveries begun by fast retransmit.
    pub recoveries: u64,
    /// Reductions for an ECN echo.
    pub ecn_reductions: u64,
    /// Retransmissions that the receiver reported as duplicates (D-SACK).
    pub spurious_retransmits: u64,
    /// Zero-window probes.
    pub probes: u64,
    /// Tail loss probes (RFC 8985 section 7).
    pub tail_probes: u64,
    /// Losses that a tail loss probe repaired by itself: each was answered with a reduction.
    pub tail_losses: u64,
    /// Dummy segments (TCP Peach).
    pub dummies: u64,
    /// Spurious timeouts that were undone (F-RTO, Eifel, D-SACK).
    pub spurious_timeouts: u64,
    /// Spurious recoveries that were undone (Eifel, D-SACK).
    pub spurious_recoveries: u64,
    /// Backoffs of the timer that the congestion control commanded before an expiry.
    pub ordered_backoffs: u32,
    /// Resets of the round-trip time that it commanded.
    pub ordered_resets: u32,
}

impl SenderStats {
    /// Spurious reductions that were undone.
    pub fn undone(&self) -> u64 {
        self.spurious_timeouts + self.spurious_recoveries
    }
}

/// A sender's state, for time series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderView {
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Slow-start threshold, bytes; `None`: none yet.
    pub ssthresh: Option<u64>,
    /// Smoothed round-trip time.
    pub srtt: Option<Span>,
    /// Its mean deviation.
    pub rttvar: Span,
    /// Retransmission timeout in force.
    pub rto: Span,
    /// Bytes sent and not acknowledged, neither cumulatively nor selectively.
    pub in_flight: u64,
    /// SND.UNA.
    pub una: u64,
    /// SND.NXT.
    pub nxt: u64,
    /// The phase of the sender.
    pub phase: Phase,
}

/// Rarely used fields, in a box of their own.
#[derive(Debug)]
struct Cold {
    config: Arc<TcpConfig>,
    tags: tags::Tags,
    /// Congestion and zero-window state that only events change.
    rto_una: u64,
    /// Timeouts of it, one after the other.
    stuck: u8,
    syn_resent: bool,
    /// True if the data that is sent again was not lost, only too large for the path.
    refitting: bool,
    opened_at: Time,
    /// The report and the echo of the current acknowledgment.
    report: ack_info::AckReport,
    /// The ranges that it reports selectively for the first time; kept to reuse its memory.
    fresh: Vec<(u64, u64)>,
    frto: frto::Frto,
    accurate: Option<Box<accecn::AccEcn>>,
    freeze: freeze::Freeze,
    /// The number of times that the receiver reported a move.
    moves: u8,
    /// Events since the last reduction, to tell whether it was spurious.
    episode: undo::Episode,
    probe: tail_probe::TailProbe,
    /// Delivery rates, if the congestion control asked for them.
    rates: Option<Box<delivery_rate::Rates>>,
    /// The state of path MTU discovery, once the path MTU proved smaller than the MTU of the ends.
    path: Option<Box<path_mtu::PathSize>>,
    /// Retransmissions lost when the window was last reduced for one, and the end of that round
    /// trip.
    lost_again: (u64, u64),
    send_buffer: window::SendBuffer,
    /// Once the window did not limit it, where that counts for a round trip.
    window_use: Option<Box<window::WindowUse>>,
}

/// The sending end, generic over its congestion control, its loss detection and its recovery.
///
/// Call [`Self::on_deadline`] when [`Self::deadline`] has come, and before a segment that arrives
/// later. The fields stand in the order of use: what each acknowledgment touches comes first.
#[repr(C)]
pub struct Sender<C, D = AnyDetect, R = AnyRecover> {
    una: u64,
    nxt: u64,
    /// Highest byte sent, plus one (SND.MAX): SND.NXT goes back after a timeout, this does not.
    high: u64,
    /// End of what the application has written.
    limit: u64,
    /// The receiver's window now, and the window where a segment carries none, bytes.
    window: u64,
    open_window: u64,
    mss: u64,
    /// The next deadline, see `postponed`.
    next: Time,
    rto_at: Time,
    rto_started: Time,
    last_sent: Time,
    pace_at: Time,
    /// End of the segment being timed (0: none), and when it was sent; without timestamps only.
    timed_end: u64,
    timed_at: Time,
    /// Bytes that may be sent beyond cwnd while a loss is suspected (limited transmit).
    spare: u64,
    /// Bytes outstanding that a congestion control sent beyond its window.
    beyond: u64,
    /// The time of the next tail loss probe.
    probe_due: Time,
    /// Header and options of a data segment.
    overhead: u32,
    dupacks: u32,
    /// See [`Self::bursts_are_least`].
    burst_time: u64,
    phase: Phase,
    stage: Stage,
    timestamps: bool,
    /// True if round-trip samples are those of segments.
    by_segments: bool,
    ecn: bool,
    /// The ECN field of new data.
    ect: Codepoint,
    /// True if the receiver echoes until it is informed of a reduction (RFC 3168).
    latched: bool,
    /// True if it counts marked packets and bytes (RFC 9768).
    accurate: bool,
    cwr_due: bool,
    tagged: bool,
    frozen: bool,
    /// True if cwnd stopped the last transmission, or counts as what limits the sender.
    window_limited: bool,
    /// True if it counts as that for a round trip.
    by_rounds: bool,
    /// True if the receiver's window stopped it.
    blocked: bool,
    /// True if a segment waits for its release by pacing.
    pacing: bool,
    sack: bool,
    closed: bool,
    /// True if acknowledgments need more work than cumulative progress, or more timers run
    /// (RACK-TLP, undo).
    attentive: bool,
    /// True if tail loss probes are sent, and whether one waits for its answer.
    tail_probes: bool,
    probing: bool,
    /// True if the last segment of a burst, and of the available data, has PSH.
    pushes: bool,
    /// True if segments may be spaced at all, by the profile or by the congestion control.
    spaced: bool,
    /// True if the congestion control, the detector or the account of rates is informed of each
    /// segment.
    informed: bool,
    /// True if there is an account of delivery rates.
    rated: bool,
    /// True if the profile paces; segments that may still leave back to back, and how many do at
    /// once.
    paced: bool,
    /// True if the connection may use the fast path, and if the next acknowledgment may.
    simple: bool,
    fast_path: bool,
    /// True if `next`, `rto_at` and `probe_due` are still to be computed from `rto_started`:
    /// `next` is then a lower bound, and `rto_at` only tells whether the timer runs.
    postponed: bool,
    burst: u8,
    quantum: u8,
    /// Bytes of the FIN: 1 after a close that sends one.
    fin: u8,
    /// True if larger segments are tried, and whether a time is set at which they will be.
    searching: bool,
    raising: bool,
    clock: Clock,
    timer: Timer,
    rtt: Estimator,
    cc: CachedCc<C>,
    stats: SenderStats,
    board: Scoreboard,
    detect: D,
    recover: R,
    recover_point: u64,
    /// ECN echoes of data below this have been answered.
    ecn_point: u64,
    /// The window does not grow before this is acknowledged, because an ECN echo was answered.
    held_until: u64,
    /// The bytes of `spare` that were sent.
    limited_sent: u64,
    cold: Box<Cold>,
}

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// Disables the fast path. It changes nothing but the running time.
    pub fn disable_fast_path(&mut self) {
        (self.simple, self.fast_path) = (false, false);
    }

    /// The application hands over `bytes`; [`u64::MAX`]: more than can ever be sent.
    pub fn write(&mut self, now: Time, bytes: u64, out: &mut impl Outbox) {
        self.settle_timers();
        self.restart_after_idle(now);
        if self.rated {
            self.rate_check();
        }
        self.limit = self.limit.saturating_add(bytes).min(ENDLESS);
        self.transmit(now, out);
        self.settle(now);
    }

    /// Nothing more will be written: a FIN follows the data, if there was a handshake.
    pub fn close(&mut self, now: Time, out: &mut impl Outbox) {
        self.settle_timers();
        self.closed = true;
        self.fin = u8::from(self.cold.config.handshake);
        self.transmit(now, out);
        self.settle(now);
    }

    /// Stops an application that writes without end: data that was not sent by now never will be.
    pub fn stop(&mut self, now: Time, out: &mut impl Outbox) {
        self.limit = self.limit.min(self.high.max(FIRST));
        self.close(now, out);
    }

    /// Bytes that the application has handed over so far.
    #[inline]
    pub fn written(&self) -> u64 {
        self.limit - FIRST
    }

    /// True if all of it was acknowledged.
    #[inline]
    pub fn all_acknowledged(&self) -> bool {
        self.una >= self.limit
    }

    /// The time of the next [`Self::on_deadline`]; [`Time::NEVER`] if there is none.
    #[inline]
    pub fn deadline(&self) -> Time {
        if self.postponed { self.postponed_timers().2 } else { self.next }
    }
    /// The same; `None` if it is not computed: then it is not before the last one that was.
    #[inline]
    pub fn settled_deadline(&self) -> Option<Time> {
        (!self.postponed).then_some(self.next)
    }
    /// The congestion control.
    pub fn cc(&self) -> &C {
        self.cc.algorithm()
    }
    /// The congestion window, bytes.
    #[inline]
    pub fn cwnd(&self) -> u64 {
        self.cc.cwnd()
    }
    /// The counters.
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }
    /// True if the receiver should put its clock on every acknowledgment
    /// ([`crate::receiver::Receiver::report_clock`]).
    pub fn wants_peer_clock(&self) -> bool {
        self.timestamps && self.cc.algorithm().tcp_overrides().timestamps
    }
    /// A matching receiver: the same configuration with the overrides of the congestion control,
    /// and its clock on every acknowledgment if that is wanted.
    pub fn receiver(&self) -> Receiver {
        let mut receiver = Receiver::new(Arc::clone(&self.cold.config));
        receiver.report_clock(self.wants_peer_clock());
        receiver
    }
    /// True if everything written is acknowledged, and the connection is closed.
    pub fn finished(&self) -> bool {
        self.closed && self.una >= self.end()
    }

    /// The state, for time series.
    pub fn view(&self) -> SenderView {
        SenderView {
            cwnd: self.cc.cwnd(),
            ssthresh: self.cc.ssthresh().filter(|s| *s != u64::MAX),
            srtt: self.rtt.srtt(),
            rttvar: self.rtt.rttvar(),
            rto: self.rtt.rto(),
            in_flight: self.nxt - self.una - self.board.bytes_within(self.una, self.nxt),
            una: self.una,
            nxt: self.nxt,
            phase: self.phase,
        }
    }

    /// The end of the stream: the written data and the FIN.
    #[inline]
    fn end(&self) -> u64 {
        self.limit + u64::from(self.fin)
    }

    /// RFC 5681 section 4.1.
    fn restart_after_idle(&mut self, now: Time) {
        let idle = self.una == self.high
            && self.stats.sent_bytes > 0
            && now.since(self.last_sent) > self.rtt.rto();
        if idle && self.cold.config.restart_after_idle {
            self.cc.on_idle(self.cold.config.initial_window_for(self.mss));
        }
    }

    /// Schedules a tail loss probe. If its time has passed already, it waits for new data or for an
    /// acknowledgment that moves SND.UNA (RFC 8985 section 7.2).
    #[inline]
    fn settle_probe(&mut self, now: Time) {
        if self.tail_probes {
            self.probe_due = Some(self.probe_at()).filter(|at| *at >= now).unwrap_or(Time::NEVER);
        }
    }

    /// Works out the next deadline; last in every public call.
    #[inline]
    fn settle(&mut self, now: Time) {
        let mut next = self.rto_at.min(self.cc.timer());
        if self.pacing {
            next = next.min(self.pace_at);
        }
        if self.attentive {
            next = next.min(self.detect.deadline());
            self.settle_probe(now);
            next = next.min(self.probe_due);
        }
        if self.raising {
            next = next.min(self.raise_at());
        }
        self.next = next;
        debug_assert!(!self.postponed);
        self.fast_path = self.may_take_fast_path();
    }
}
