//! Congestion control: the window and the pacing rate of a sender. Windows are in bytes.
use crate::packet::Dscp;
use crate::probe::Probe;
use crate::units::{Rate, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The parameters of a connection, given to a congestion control when it is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Sender's maximum segment size, bytes of payload.
    pub mss: u64,
    /// Initial window, bytes (RFC 6928, RFC 3390).
    pub initial_window: u64,
    /// Initial slow-start threshold, bytes; `u64::MAX`: none.
    pub initial_ssthresh: u64,
    /// Segments that one acknowledgement may add in slow start (L of RFC 3465; 1: RFC 5681).
    pub growth_limit: u64,
    /// Bytes of IP and TCP headers, options too, of a data segment: a reservation counts whole
    /// packets.
    pub header: u64,
    /// The rate that was reserved for the flow, IP bytes; `None`: best effort.
    pub reserved: Option<Rate>,
    /// The round-trip time of its route without queues, if that is known.
    pub rtt: Option<Span>,
}

impl Path {
    /// A path without any information, and a connection that begins with one segment of 1460 bytes.
    pub const PLAIN: Path = Path {
        mss: 1460,
        initial_window: 1460,
        initial_ssthresh: u64::MAX,
        growth_limit: 1,
        header: 40,
        reserved: None,
        rtt: None,
    };
}

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

/// One acknowledgement as the sender sees it, duplicates included. Later versions may add fields.
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
    /// Bytes of `acked` and `sacked` that came with Congestion Experienced, as far as the echo
    /// tells: exactly with AccECN, else all of them if `ece`.
    pub marked: u64,
    /// True if the receiver says that it has moved to another point of attachment.
    pub moved: bool,
    /// The delivery rate sample, if the control asked for it ([`Capabilities::rates`]); `None` if
    /// this ACK delivered nothing new.
    pub rate: Option<RateSample>,
    /// True if the window was what held the sender back (RFC 7661): else it should not grow.
    pub window_limited: bool,
    /// True if segments leave at a rate, so that a jump of the window makes no burst.
    pub paced: bool,
    /// The phase of the sender.
    pub phase: Phase,
}

/// A delivery rate sample, from the sending of a segment to its acknowledgement
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
    /// Bytes that were found lost since the sample before: by the acknowledgement that brought that
    /// one (a control is told of an acknowledgement before the sender acts on it), or by a timer.
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

/// The cause of a congestion event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Loss found by duplicate acknowledgements, SACK or time: once per recovery.
    Loss,
    /// ECN echo: once per window of data.
    Ecn,
    /// The retransmission timer expired.
    Timeout {
        /// True if it is the first expiry for this segment (RFC 5681: ssthresh changes only then).
        first: bool,
    },
    /// Further segments found lost in a recovery that has begun; only where they carry tags.
    Further,
    /// The last reduction was spurious: undo it.
    Spurious,
}

/// A congestion event.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Congestion<'a> {
    /// The time of the event.
    pub now: Time,
    /// The cause.
    pub cause: Cause,
    /// FlightSize (RFC 5681), without segments of limited transmit, bytes.
    pub in_flight: u64,
    /// Tags of the segments found lost.
    pub tags: &'a [Tag],
}

impl<'a> Congestion<'a> {
    /// An event.
    pub fn new(now: Time, cause: Cause, in_flight: u64, tags: &'a [Tag]) -> Self {
        Congestion { now, cause, in_flight, tags }
    }
}

/// A segment that was sent.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// The time.
    pub now: Time,
    /// Its first byte.
    pub seq: u64,
    /// Its payload, bytes.
    pub bytes: u64,
    /// True if it was sent before.
    pub retransmit: bool,
    /// Bytes on their way before it.
    pub in_flight: u64,
    /// The offset after it: its payload, and the FIN if it carries that.
    pub end: u64,
}

impl Sent {
    /// A segment without FIN.
    pub fn new(now: Time, seq: u64, bytes: u64, retransmit: bool, in_flight: u64) -> Self {
        Sent { now, seq, bytes, retransmit, in_flight, end: seq + bytes }
    }
}

/// A number that a congestion control writes on a segment and gets back when it is lost. 0: no tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tag(pub u32);

/// A word from the host itself, not from the network: a token bucket, a mobile's radio.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "LocalSignal")]
pub enum HostSignal {
    /// The sender's own marker coloured a segment out of profile.
    MarkedOut,
    /// The path will vanish.
    PathDown,
    /// The path is back, perhaps another one.
    PathUp,
}

/// The requests of a congestion control to its sender, apart from the window; carried out after
/// each call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commands {
    /// The retransmission timer.
    pub rto: Option<RtoCommand>,
    /// Stop (true) or resume (false) sending, timers included.
    pub freeze: Option<bool>,
    /// Send the first unacknowledged segment again, now.
    pub retransmit: bool,
    /// Segments to send that the window does not count, in this order: see [`Commands::extra`],
    /// [`Commands::dummy`].
    pub uncounted: Vec<Uncounted>,
    /// Segments to send now whatever the congestion window: as many as this, each the one that
    /// would go next if the window had room. It counts them like all others. None beyond the
    /// receiver's window, and none if nothing waits.
    pub ahead: u32,
}

/// A segment that a congestion control asks for and that its window does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncounted {
    /// See [`Commands::extra`].
    Extra(Tag),
    /// See [`Commands::dummy`].
    Dummy(Tag),
}

/// A request about the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoCommand {
    /// Double it now, as Karn's rule would after an expiry.
    BackOff {
        /// True if it stays doubled until `Reset`, whatever samples come; else the next valid one
        /// ends it (Karn's rule).
        held: bool,
        /// True if the timer that runs is to expire one such timeout from now; else one from its
        /// start.
        from_now: bool,
    },
    /// Forget srtt, rttvar and the backoff: the next sample starts afresh.
    Reset,
}

impl RtoCommand {
    /// A backoff that stays until `Reset`, and counts from the start of the timer that runs.
    pub const BACK_OFF: RtoCommand = RtoCommand::BackOff { held: true, from_now: false };
}

impl Commands {
    /// True if there is no request.
    pub fn is_empty(&self) -> bool {
        self.rto.is_none()
            && self.freeze.is_none()
            && !self.retransmit
            && self.uncounted.is_empty()
            && self.ahead == 0
    }
    /// Sends a segment beyond the window, with its tag: new data, or a retransmission if there is
    /// none.
    pub fn extra(&mut self, tag: Tag) {
        self.uncounted.push(Uncounted::Extra(tag));
    }
    /// Sends a dummy segment with its tag, outside the window: it carries no new data, has low
    /// priority, is never retransmitted and not counted as lost. If it arrives, the tag comes back
    /// as [`Ack::tag`].
    pub fn dummy(&mut self, tag: Tag) {
        self.uncounted.push(Uncounted::Dummy(tag));
    }
}

/// The capabilities of a congestion control beside setting a window. Asked once, so that unused
/// ones cost nothing per packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Its [`CongestionControl::pacing`] may be a rate.
    pub paces: bool,
    /// Its [`CongestionControl::next_timer`] may be an instant.
    pub timer: bool,
    /// Its [`CongestionControl::on_sent`] does something.
    pub segments: bool,
    /// It may give [`Commands`].
    pub commands: bool,
    /// It reads more of an [`Ack`] than `acked`, `window_limited`, `ece` and `phase`.
    pub samples: bool,
    /// It reads [`Ack::rate`], which costs the sender an account of every segment.
    pub rates: bool,
    /// It does not take every loss or mark as congestion (Jersey asks the routers, BBR its model of
    /// the path); its own tests check its reaction.
    pub discriminates: bool,
}

impl Capabilities {
    /// A window and nothing else.
    pub const WINDOW: Capabilities = Capabilities {
        paces: false,
        timer: false,
        segments: false,
        commands: false,
        samples: false,
        rates: false,
        discriminates: false,
    };
    /// Everything except delivery rate samples and discrimination of losses.
    pub const ALL: Capabilities = Capabilities {
        paces: true,
        timer: true,
        segments: true,
        commands: true,
        samples: true,
        ..Capabilities::WINDOW
    };
    /// True if a call may change anything beside the window.
    #[inline]
    pub fn any(self) -> bool {
        self.paces | self.timer | self.commands
    }
}

/// Settings of the surrounding TCP that the name of a congestion control implies. `None`: as in the
/// configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpOverrides {
    /// The recovery: `tahoe`, `reno`, `newreno`, `sack`.
    pub recovery: Option<&'static str>,
    /// The loss detection: `dcr`.
    pub detection: Option<&'static str>,
    /// The ECN marking and echo: `per_packet`, `dctcp`, `accecn`, `l4s`.
    pub ecn: Option<&'static str>,
    /// True if it needs timestamps, and the receiver's clock on every acknowledgement.
    pub timestamps: bool,
    /// True if the receiver closes its window while its host says that the path is gone
    /// (Freeze-TCP).
    pub freeze: bool,
    /// True if its window applies throughout a recovery, without PRR (RFC 9937).
    pub meters: bool,
}

impl TcpOverrides {
    /// Overrides the recovery only.
    pub const fn recovery(name: &'static str) -> Self {
        TcpOverrides { recovery: Some(name), ..TcpOverrides::NOTHING }
    }
    /// No overrides.
    pub const NOTHING: TcpOverrides = TcpOverrides {
        recovery: None,
        detection: None,
        ecn: None,
        timestamps: false,
        freeze: false,
        meters: false,
    };
}

/// A congestion control: how many bytes may be in flight, and at which rate they leave.
pub trait CongestionControl {
    /// The settings of the surrounding TCP that its name implies.
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides::NOTHING
    }

    /// Its capabilities beside setting a window; asked once. The sender never uses the others.
    fn capabilities(&self) -> Capabilities {
        Capabilities::ALL
    }

    /// The connection is open: the round-trip time of its handshake, if there was one, and the
    /// receiver's window, bytes.
    fn on_open(&mut self, _now: Time, _rtt: Option<Span>, _window: u64, _commands: &mut Commands) {}
    /// An acknowledgement arrived: each one, duplicates too, before the sender acts on it.
    fn on_ack(&mut self, ack: &Ack, commands: &mut Commands);
    /// The common case of [`Self::on_ack`]: `acked` bytes, cumulatively, while no loss is being
    /// repaired and no congestion echoed. Only where [`Capabilities::samples`] is false, and it
    /// does then what `on_ack` does. The window after it.
    fn on_expected(&mut self, acked: u64, window_limited: bool) -> u64 {
        let ack = Ack { acked, window_limited, ..Ack::default() };
        self.on_ack(&ack, &mut Commands::default());
        self.cwnd()
    }
    /// Seeds the random numbers of this connection, from the run's seed and the flow's name. Called
    /// once, before all else; the default seed is 0.
    fn seed(&mut self, _seed: u64) {}
    /// A congestion event.
    fn on_congestion(&mut self, event: &Congestion<'_>, commands: &mut Commands);
    /// Recovery ended. The window may be at most `bound` (RFC 6582: max(FlightSize, SMSS) + SMSS,
    /// lest a burst follow); [`u64::MAX`]: no bound.
    fn on_recovered(&mut self, _now: Time, _bound: u64) {}
    /// A segment is about to be sent; returns the tag to write on it.
    fn on_sent(&mut self, _sent: &Sent) -> Tag {
        Tag(0)
    }
    /// The DiffServ codepoint of a segment with this tag, which is not 0; `None`: the flow's. A
    /// control that colors its segments tags them, and learns from [`Congestion::tags`] which
    /// colors were lost; the tag of a colored segment does not come back with its acknowledgement,
    /// so that the receiver need not answer each of them at once.
    fn codepoint(&self, _tag: Tag) -> Option<Dscp> {
        None
    }
    /// The connection was idle for longer than a retransmission timeout (RFC 5681 section 4.1), or
    /// its SYN was lost (section 3.1): the window may be at most this.
    fn on_idle(&mut self, _restart_window: u64) {}
    /// The path MTU changed: from now on a segment carries at most `mss` bytes, never more than
    /// [`Path::mss`]. That is no congestion: window and threshold stay as many bytes (the window is
    /// at least a segment), and what is counted in segments goes by the new size.
    fn on_mss(&mut self, _mss: u64) {}
    /// Its own timer expired.
    fn on_timer(&mut self, _now: Time, _commands: &mut Commands) {}
    /// The expiry of its own timer; [`Time::NEVER`] if none is set.
    fn next_timer(&self) -> Time {
        Time::NEVER
    }
    /// A signal from the host.
    fn on_host_signal(&mut self, _signal: HostSignal, _commands: &mut Commands) {}

    /// The congestion window, bytes.
    fn cwnd(&self) -> u64;
    /// The slow-start threshold, bytes; `None` if it has none.
    fn ssthresh(&self) -> Option<u64> {
        None
    }
    /// The rate at which segments leave, headers counted, or of payload if it reads delivery rates
    /// ([`Capabilities::rates`]); `None`: as fast as the window lets them.
    fn pacing(&self) -> Option<Rate> {
        None
    }
    /// Reports its inner values.
    fn probe(&self, _out: &mut dyn Probe) {}
}
