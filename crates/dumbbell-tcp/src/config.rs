//! Every choice that a TCP makes, as a field; a profile is a value of this struct.
mod check;
mod choices;
mod defaults;
mod profiles;
mod sizes;

pub use choices::{
    DelayedAck, Detection, Discovery, Ecn, Exit, PartialAck, Recovery, Reduction, Reentry, Samples,
};
use dumbbell_core::transport::TcpOverrides;
use dumbbell_core::units::{Bytes, Limit, Packets, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub(crate) use sizes::syn_options;
use std::sync::Arc;

/// A TCP, field by field. The defaults are the profile `rfc`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TcpConfig {
    /// Largest payload of a segment, before options: what the sender's end announces, its MTU less
    /// the header; left out: what both ends' MTUs allow.
    #[schemars(extend("x-source" = "RFC 9293 section 3.7.1, RFC 6691"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mss: Option<Bytes>,
    /// The same of the receiver's end, if that differs; segments have the smaller one. Left out:
    /// `mss`.
    #[schemars(extend("x-source" = "RFC 9293 section 3.7.1, RFC 6691"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer_mss: Option<Bytes>,
    /// How the sender learns how large a packet the path carries.
    #[schemars(extend("x-source" = "RFC 1191, RFC 4821, RFC 8899", "x-default" = "known"))]
    #[serde(default = "defaults::known", skip_serializing_if = "defaults::discovery")]
    pub pmtu_discovery: Discovery,
    /// Time from a reduction of the packet size until a larger size is tried again. With
    /// `pmtu_discovery = "icmp"` and `"probe"`.
    #[schemars(
        extend("x-source" = "RFC 1191 section 6.3, RFC 8899 section 5.1.1", "x-default" = "600 s"),
    )]
    #[serde(skip_serializing_if = "defaults::raise_after")]
    pub pmtu_raise_after: Span,
    /// Packet size, with header and options, that a sender falls back to in a black hole, and with
    /// which the search begins. With `pmtu_discovery = "probe"`.
    #[schemars(extend("x-source" = "RFC 4821 section 7.2", "x-default" = "1024 B"))]
    #[serde(skip_serializing_if = "defaults::base")]
    pub pmtu_base: Bytes,
    /// Consecutive timeouts of one segment that indicate a black hole. With `pmtu_discovery =
    /// "probe"`.
    #[schemars(
        range(min = 1, max = 20),
        extend("x-source" = "RFC 4821 section 7.7, RFC 1122 section 4.2.3.5: R1", "x-default" = 3),
    )]
    #[serde(skip_serializing_if = "defaults::black_hole")]
    pub pmtu_black_hole: u32,
    /// The search ends when the largest size known to pass and the smallest known not to are no
    /// further apart. With `pmtu_discovery = "probe"`.
    #[schemars(extend("x-source" = "Linux: tcp_probe_threshold", "x-default" = "8 B"))]
    #[serde(skip_serializing_if = "defaults::step")]
    pub pmtu_step: Bytes,
    /// The least MTU that a path can have: a smaller value from a router is ignored. A flow with
    /// `ip = 6` has 1280 B.
    #[schemars(
        extend("x-source" = "RFC 791 section 3.2, RFC 8201 section 4", "x-default" = "68 B"),
    )]
    #[serde(skip_serializing_if = "defaults::least")]
    pub pmtu_least: Bytes,
    /// IP and TCP header without options.
    #[schemars(extend("x-source" = "RFC 791, RFC 9293: 20 + 20"))]
    pub header: Bytes,
    /// Initial window, in segments.
    #[schemars(extend("x-source" = "RFC 6928"))]
    pub initial_window: Packets,
    /// Bytes that bound an initial window of more than two segments: RFC 6928 has `14600 B`, RFC
    /// 3390 (with `initial_window = "4 pkt"`) has `4380 B`.
    #[schemars(extend("x-source" = "RFC 6928 section 2"))]
    pub initial_window_bytes: Limit,
    /// Initial slow-start threshold; `unlimited` or packets or bytes.
    #[schemars(extend("x-source" = "RFC 5681 section 3.1"))]
    pub initial_ssthresh: Limit,
    /// The receiver's buffer, which bounds the window; `unlimited` (as much as the header can
    /// express: 1 GiB) or packets or bytes.
    #[schemars(extend("x-source" = "a choice"))]
    pub receive_window: Limit,
    /// Window scaling; without it the window is at most 65,535 bytes.
    #[schemars(extend("x-source" = "RFC 7323 section 2"))]
    pub window_scaling: bool,
    /// Open with SYN and SYN-ACK; without it data flows at once.
    #[schemars(extend("x-source" = "RFC 9293 section 3.5"))]
    pub handshake: bool,
    /// Timestamps option: 12 bytes in each segment, a sample from each acknowledgment.
    #[schemars(extend("x-source" = "RFC 7323 section 3"))]
    pub timestamps: bool,
    /// Resolution of the timestamp clock and of round-trip samples; `0 s`: exact (16 ns).
    #[schemars(extend("x-source" = "RFC 7323 section 5.4"))]
    pub clock: Span,
    /// Selective acknowledgments.
    #[schemars(extend("x-source" = "RFC 2018"))]
    pub sack: bool,
    /// Explicit congestion notification.
    #[schemars(extend("x-source" = "RFC 3168"))]
    pub ecn: Ecn,
    /// When data in order is acknowledged.
    #[schemars(extend("x-source" = "RFC 5681 section 4.2"))]
    pub delayed_ack: DelayedAck,
    /// Longest that an acknowledgment is delayed.
    #[schemars(extend("x-source" = "RFC 5681 section 4.2: below 500 ms"))]
    pub delayed_ack_timeout: Span,
    /// Segments at the start of a connection that are acknowledged at once, so that slow start gets
    /// going.
    #[schemars(
        range(max = 1000),
        extend("x-source" = "Linux: tcp(7) TCP_QUICKACK, TCP_MAX_QUICKACKS 16"),
    )]
    pub quick_acks: u32,
    /// Whether the last segment of a burst of two or more, and of all available data, has PSH and
    /// is acknowledged at once. A burst is what a host hands to its network card in one piece: what
    /// it sends in a millisecond at its pacing rate, at least two segments. One of three or more
    /// waits until the window has room for all of it, or for a third of the window.
    #[schemars(
        extend(
            "x-source" = "Linux: tcp_min_tso_segs, tcp_tso_rtt_log, tcp_tso_win_divisor; observed \
                in Linux",
            "x-default" = false
        ),
    )]
    #[serde(skip_serializing_if = "defaults::off")]
    pub push: bool,
    /// Whether segments out of order share acknowledgments: the first three are answered at once,
    /// later ones after 5 % of the round-trip time, at most 1.1 ms. With `delayed_ack = "second"`.
    #[schemars(
        extend("x-source" = "Linux: tcp_comp_sack_delay_ns, tcp_comp_sack_nr", "x-default" = false),
    )]
    #[serde(skip_serializing_if = "defaults::off")]
    pub compressed_sacks: bool,
    /// Nagle's algorithm: a segment that is not full waits while something is unacknowledged. The
    /// last one of a closed connection does not.
    #[schemars(extend("x-source" = "RFC 9293 section 3.7.4"))]
    pub nagle: bool,
    /// Recovery, unless the congestion control's name implies one.
    #[schemars(extend("x-source" = "RFC 6675"))]
    pub recovery: Recovery,
    /// How a lost segment is detected. `rack` with `recovery = "sack"` only; the others count
    /// duplicates.
    #[schemars(extend("x-source" = "RFC 8985 section 6"))]
    pub detection: Detection,
    /// Whether RACK takes a retransmission for delivered only if its timestamp, or a later one, is
    /// echoed. An acknowledgment with a gap echoes an earlier one, so that a lost retransmission
    /// shows later.
    #[schemars(
        extend(
            "x-source" = "RFC 8985 section 6.2 step 2; off: observed in Linux",
            "x-default" = true
        ),
    )]
    #[serde(skip_serializing_if = "defaults::on")]
    pub rack_by_echo: bool,
    /// How long `detection = "dcr"` waits after the first duplicate acknowledgment, in smoothed
    /// round-trip times; always less than the retransmission timeout.
    #[schemars(
        range(min = 0.01, max = 10.0),
        extend("x-source" = "TCP-DCR section 3: tau = 1", "x-default" = 1.0),
    )]
    #[serde(skip_serializing_if = "defaults::dcr_delay")]
    pub dcr_delay: f64,
    /// Whether it waits in slow start, too.
    #[schemars(extend("x-source" = "TCP-DCR section 3", "x-default" = false))]
    #[serde(skip_serializing_if = "defaults::off")]
    pub dcr_in_slow_start: bool,
    /// Whether the wait ends once all but one of a window's segments are answered by duplicates.
    #[schemars(extend("x-source" = "RFC 4653 section 3; reconstructed", "x-default" = false))]
    #[serde(skip_serializing_if = "defaults::off")]
    pub dcr_at_window: bool,
    /// After two round trips of silence a probe, new data or the last segment again, asks for an
    /// acknowledgment that reveals a loss at the tail before the timer expires. With `detection =
    /// "rack"`.
    #[schemars(extend("x-source" = "RFC 8985 section 7"))]
    pub tail_loss_probe: bool,
    /// Time added to a probe's two round trips when a single segment is on its way: the other end's
    /// delayed acknowledgment at worst (TLP.max_ack_delay).
    #[schemars(extend("x-source" = "RFC 8985 section 7.2"))]
    pub probe_ack_delay: Span,
    /// How the flight falls to the new window in a SACK recovery.
    #[schemars(extend("x-source" = "RFC 9937 section 6"))]
    pub reduction: Reduction,
    /// Whether the flight of a recovery without SACK falls so, too: a duplicate acknowledgment
    /// reports a segment delivered, instead of inflating the window by one. With `recovery =
    /// "newreno"`.
    #[schemars(
        extend("x-source" = "RFC 9937 section 6; off: RFC 6582", "x-default" = false),
    )]
    #[serde(skip_serializing_if = "defaults::off")]
    pub prr_without_sack: bool,
    /// Whether a reduction takes its share from the congestion window, instead of from what is in
    /// flight if that is less.
    #[schemars(
        extend("x-source" = "Linux; off: RFC 5681 section 3.1", "x-default" = false),
    )]
    #[serde(skip_serializing_if = "defaults::off")]
    pub reduces_window: bool,
    /// Whether the window grows by what an acknowledgment delivers, data that it acknowledges
    /// selectively included, instead of by what it acknowledges. It must acknowledge something.
    #[schemars(
        extend(
            "x-source" = "observed in Linux; off: RFC 5681 section 3.1, RFC 3465",
            "x-default" = false
        ),
    )]
    #[serde(skip_serializing_if = "defaults::off")]
    pub growth_by_delivered: bool,
    /// Whether the window stays as it is from the answer to an ECN echo until what was outstanding
    /// then is acknowledged.
    #[schemars(
        extend("x-source" = "RFC 3168 section 6.1.2; observed in Linux", "x-default" = false),
    )]
    #[serde(skip_serializing_if = "defaults::off")]
    pub ecn_holds_window: bool,
    /// Whether windows are whole segments: growth waits until it makes one, and a reduction leaves
    /// whole ones. Of `reno`, `newreno`, `sack`, and the controls that steer such a window. Then
    /// PRR counts segments, too.
    #[schemars(
        extend("x-source" = "Linux; off: RFC 5681 section 3.1, bytes", "x-default" = false),
    )]
    #[serde(skip_serializing_if = "defaults::off")]
    pub whole_segments: bool,
    /// Whether a recovery has no new data beyond a send buffer of 1.62 times the largest window and
    /// half of 64 KiB, which is filled again when a sixth of it is free.
    #[schemars(
        extend(
            "x-source" = "Semke, Mahdavi, Mathis, SIGCOMM 1998; observed in Linux",
            "x-default" = false
        ),
    )]
    #[serde(skip_serializing_if = "defaults::off")]
    pub tuned_send_buffer: bool,
    /// Whether a window that limited the sender counts as what limits it, so that it may grow,
    /// until all that was sent by then is acknowledged. In slow start one of less than twice the
    /// largest flight may grow, too. Otherwise the last transmission counts.
    #[schemars(
        extend(
            "x-source" = "observed in Linux; off: RFC 5681 leaves it open",
            "x-default" = false
        ),
    )]
    #[serde(skip_serializing_if = "defaults::off")]
    pub limited_for_a_round: bool,
    /// Whether a recovery that ends while what was lost since its start is being repaired is
    /// followed at once by another, with a reduction of its own.
    #[schemars(
        extend("x-source" = "observed in Linux; off: RFC 6675 section 5", "x-default" = false),
    )]
    #[serde(skip_serializing_if = "defaults::off")]
    pub recovers_again: bool,
    /// F-RTO: after a timeout two new segments show whether it was necessary; if it was not, it is
    /// undone. Both versions: with SACK the enhanced one.
    #[schemars(extend("x-source" = "RFC 5682 sections 2 and 3"))]
    pub frto: bool,
    /// A reduction is undone when the receiver reports every repetition that followed it as a
    /// duplicate.
    #[schemars(extend("x-source" = "RFC 3708, RFC 2883, RFC 4015"))]
    pub dsack_undo: bool,
    /// Eifel: a reduction is undone when the first acknowledgment after it echoes a timestamp from
    /// before the repetition. With `timestamps`.
    #[schemars(extend("x-source" = "RFC 3522, RFC 4015"))]
    pub eifel: bool,
    /// Freeze-TCP: the receiver closes its window while its host says that the path is gone, and
    /// the sender resumes with the window and the round-trip time that it had.
    #[schemars(
        extend("x-source" = "Goff, Moronski, Phatak, Gupta, INFOCOM 2000", "x-default" = false),
    )]
    #[serde(skip_serializing_if = "defaults::off")]
    pub freeze: bool,
    /// Segments leave at a rate instead of as soon as the window allows; a congestion control that
    /// asks for a rate is paced anyway.
    #[schemars(
        extend("x-source" = "Linux: sk_pacing_rate; Aggarwal, Savage, Anderson, INFOCOM 2000"),
    )]
    pub pacing: bool,
    /// The rate in slow start (cwnd below half of ssthresh), in windows per smoothed round-trip
    /// time.
    #[schemars(
        range(min = 0.1, max = 10.0),
        extend("x-source" = "Linux: tcp_pacing_ss_ratio, 200 %"),
    )]
    pub pacing_gain_slow_start: f64,
    /// The rate otherwise, in windows per smoothed round-trip time.
    #[schemars(
        range(min = 0.1, max = 10.0),
        extend("x-source" = "Linux: tcp_pacing_ca_ratio, 120 %"),
    )]
    pub pacing_gain_avoidance: f64,
    /// Segments that pacing releases back to back.
    #[schemars(range(min = 1, max = 64), extend("x-source" = "a choice; 1: evenly"))]
    pub pacing_quantum: u32,
    /// Segments at the start of a connection that pacing does not space.
    #[schemars(
        range(max = 100), extend("x-source" = "observed in Linux; a choice", "x-default" = 0),
    )]
    #[serde(skip_serializing_if = "defaults::zero")]
    pub unpaced_start: u8,
    /// Whether a segment that leaves later than its pacing would let it shortens the wait after it:
    /// by as much, at most by half.
    #[schemars(extend("x-source" = "observed in Linux", "x-default" = false))]
    #[serde(skip_serializing_if = "defaults::off")]
    pub pacing_credit: bool,
    /// Duplicate acknowledgments that indicate a loss (DupThresh).
    #[schemars(range(min = 1, max = 100), extend("x-source" = "RFC 5681 section 3.2"))]
    pub dupack_threshold: u32,
    /// One new segment for each of the first two duplicate acknowledgments.
    #[schemars(extend("x-source" = "RFC 3042"))]
    pub limited_transmit: bool,
    /// NewReno's timer on partial acknowledgments.
    #[schemars(extend("x-source" = "RFC 6582 section 4"))]
    pub partial_ack: PartialAck,
    /// When NewReno's fast retransmit may start again. Tahoe waits until SND.UNA is beyond,
    /// whatever this field says.
    #[schemars(extend("x-source" = "RFC 6582 section 3.2"))]
    pub reentry: Reentry,
    /// When Reno's fast retransmit may start again: by RFC 5681 always; ns-2 has it wait as NewReno
    /// does, after a timeout too.
    #[schemars(
        extend("x-source" = "RFC 5681 section 3.2; ns-2 bugFix_", "x-default" = "always"),
    )]
    #[serde(skip_serializing_if = "defaults::always")]
    pub reno_reentry: Reentry,
    /// NewReno's window at the end of recovery.
    #[schemars(extend("x-source" = "RFC 6582 section 3.2"))]
    pub exit: Exit,
    /// Segments that one acknowledgment may add in slow start (L of appropriate byte counting; 1:
    /// RFC 5681).
    #[schemars(range(min = 1, max = 100), extend("x-source" = "RFC 3465"))]
    pub growth_limit: u32,
    /// Least retransmission timeout.
    #[schemars(extend("x-source" = "RFC 6298 (2.4)"))]
    pub min_rto: Span,
    /// Whether the timeout exceeds the smoothed round-trip time by `min_rto` at least, instead of
    /// being at least `min_rto` as a whole.
    #[schemars(
        extend("x-source" = "Sarolahti and Kuznetsov, USENIX 2002, section 4", "x-default" = false),
    )]
    #[serde(skip_serializing_if = "defaults::off")]
    pub rto_above_srtt: bool,
    /// Whether the timeout goes by the largest mean deviation of a round trip instead of the mean
    /// deviation: it rises at once, and falls by a quarter of the distance after a round trip.
    #[schemars(
        extend("x-source" = "Sarolahti and Kuznetsov, USENIX 2002, section 4", "x-default" = false),
    )]
    #[serde(skip_serializing_if = "defaults::off")]
    pub rto_by_peak: bool,
    /// Where round-trip samples come from.
    #[schemars(
        extend("x-source" = "RFC 7323 section 4.1; RFC 9002 section 5.1", "x-default" = "echo"),
    )]
    #[serde(default = "defaults::echo", skip_serializing_if = "defaults::samples")]
    pub rtt_samples: Samples,
    /// Largest retransmission timeout.
    #[schemars(extend("x-source" = "RFC 6298 (2.5)"))]
    pub max_rto: Span,
    /// Retransmission timeout before the first sample.
    #[schemars(extend("x-source" = "RFC 6298 (2.1)"))]
    pub initial_rto: Span,
    /// The timer fires on multiples of this; `0 s`: exactly.
    #[schemars(extend("x-source" = "RFC 6298 section 4"))]
    pub timer_tick: Span,
    /// Whether the timers of retransmission and of probes fire on ticks that are the coarser the
    /// longer they run: 1 ms below 64 ms, 8 ms below 512 ms, 64 ms below 4.096 s, else 512 ms. A
    /// probe then waits for 2 ms more.
    #[schemars(
        extend(
            "x-source" = "Linux: the timer wheel, with 1000 ticks a second; observed in Linux",
            "x-default" = false
        ),
    )]
    #[serde(skip_serializing_if = "defaults::off")]
    pub timer_wheel: bool,
    /// Start again from the initial window after an idle time longer than the timeout.
    #[schemars(extend("x-source" = "RFC 5681 section 4.1"))]
    pub restart_after_idle: bool,
    /// Each segment leaves the host after a random time, uniform from zero to this, in order:
    /// breaks phase effects.
    #[schemars(extend("x-source" = "ns-2 Agent/TCP overhead_"))]
    pub send_jitter: Span,
}

impl TcpConfig {
    /// This configuration with the overrides of a congestion control: the recovery `sack`
    /// negotiates SACK, `tahoe`, `reno` and `newreno` do without it. Both ends of a connection need
    /// the same answer.
    pub fn with_overrides(&self, overrides: TcpOverrides) -> Self {
        let (recovery, sack) = match overrides.recovery {
            Some("tahoe") => (Recovery::Tahoe, false),
            Some("reno") => (Recovery::Reno, false),
            Some("newreno") => (Recovery::Newreno, false),
            Some("sack") => (Recovery::Sack, true),
            _ => (self.recovery, self.sack),
        };
        let detection = match overrides.detection {
            Some("dcr") => Detection::Dcr,
            _ => self.detection,
        };
        let ecn = match overrides.ecn {
            Some("per_packet") => Ecn::PerPacket,
            Some("dctcp") => Ecn::Dctcp,
            Some("accecn") => Ecn::Accecn,
            Some("l4s") => Ecn::L4s,
            _ => self.ecn,
        };
        let reduction = if overrides.meters { Reduction::Rfc6675 } else { self.reduction };
        let (timestamps, freeze) =
            (self.timestamps || overrides.timestamps, self.freeze || overrides.freeze);
        TcpConfig { recovery, sack, detection, ecn, reduction, timestamps, freeze, ..self.clone() }
    }
    /// [`Self::with_overrides`] for a shared configuration: copied only if something changes.
    pub(crate) fn overrides(config: Arc<Self>, overrides: TcpOverrides) -> Arc<Self> {
        let with = config.with_overrides(overrides);
        if with == *config { config } else { Arc::new(with) }
    }
}

/// For a connection that shares its configuration with no other.
impl From<&TcpConfig> for Arc<TcpConfig> {
    fn from(config: &TcpConfig) -> Self {
        Arc::new(config.clone())
    }
}
