//! The sending end of a connection.
//!
//! What a congestion control sees is counted as RFC 9002 counts it: a packet is its UDP payload,
//! `mss` is `max_datagram_size`, `una` is what was delivered so far and `nxt` that and what is in
//! flight. A control that counts round trips by them sees a number that nothing goes back on.
mod ack;
mod commands;
mod control;
mod loss;
mod output;
mod pacing;
mod packets;
mod rates;
mod stream;
mod timer;

use crate::config::{Ecn, Handshake, QuicConfig};
use crate::receiver::Receiver;
use crate::rtt::Estimator;
use control::Control;
use dumbbell_core::packet::Ecn as Codepoint;
use dumbbell_core::transport::segment::{Extra, Outbox, Segment, flag};
use dumbbell_core::transport::{CongestionControl, HostSignal, Path, Phase, Tag};
use dumbbell_core::units::{Span, Time};
use packets::Packets;
use std::sync::Arc;
use stream::Stream;

/// The stage of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Not opened.
    Closed,
    /// The Initial is not answered, and data has to wait for that.
    Opening,
    /// Data may flow.
    Established,
}

/// The counters of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStats {
    /// Packets sent: Initials, data, probes.
    pub sent_packets: u64,
    /// Payload of the stream sent, repetitions included, bytes.
    pub sent_bytes: u64,
    /// Round-trip samples.
    pub rtt_samples: u64,
    /// Their sum.
    pub rtt_sum: Span,
    /// Packets with data that had been sent before.
    pub retransmits: u64,
    /// Expiries of the probe timeout.
    pub ptos: u64,
    /// Packets declared lost.
    pub lost_packets: u64,
    /// Of these, acknowledged later.
    pub spurious_losses: u64,
    /// Congestion events by loss.
    pub recoveries: u64,
    /// Congestion events by ECN.
    pub ecn_reductions: u64,
    /// Times that persistent congestion was found.
    pub persistent_congestions: u64,
    /// Backoffs of the probe timeout that the congestion control commanded.
    pub ordered_backoffs: u32,
    /// Resets of the round-trip time that it commanded.
    pub ordered_resets: u32,
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
    /// Probe timeout in force, backoff included.
    pub pto: Span,
    /// Bytes in flight.
    pub in_flight: u64,
    /// Everything below this offset of the stream is acknowledged.
    pub una: u64,
    /// The next new byte of the stream.
    pub nxt: u64,
    /// The phase of the sender.
    pub phase: Phase,
}

/// The sending end, generic over its congestion control.
///
/// Call [`Self::on_deadline`] when [`Self::deadline`] has come, and before a packet that arrives
/// later.
#[derive(Debug)]
pub struct Sender<C> {
    config: Arc<QuicConfig>,
    stage: Stage,
    stream: Stream,
    packets: Packets,
    rtt: Estimator,
    /// Largest UDP payload, bytes.
    datagram: u64,
    next: Time,
    /// When the loss of a packet shows by time (`loss_time`), else when the probe timeout expires.
    loss_at: Time,
    pto_at: Time,
    pto_count: u32,
    /// `time_of_last_ack_eliciting_packet`.
    last_sent: Time,
    /// When the first sample was taken: persistent congestion is about later packets only.
    first_sample: Option<Time>,
    phase: Phase,
    /// `congestion_recovery_start_time`, and the same of ECN alone for a scalable control.
    recovery_start: Option<Time>,
    ecn_start: Option<Time>,
    /// True if the control answers marks in proportion (RFC 8257, RFC 9331), so that a mark does
    /// not hold its window for a round trip.
    scalable: bool,
    /// One packet may leave beyond the window, when that was just reduced (section 7.3.2).
    spare: bool,
    /// True if cwnd or the pacing stopped the last transmission, not a lack of data.
    window_limited: bool,
    /// True if a packet waits for its release by pacing.
    pacing: bool,
    paced: bool,
    frozen: bool,
    pace_at: Time,
    ect: Codepoint,
    /// Packets that the receiver reported with CE.
    ce: u32,
    cc: Control<C>,
    rates: Option<Box<rates::Rates>>,
    /// Tags and numbers of packets found lost, and ranges of numbers; kept to reuse their memory.
    lost_tags: Vec<Tag>,
    newly_lost: Vec<u64>,
    fresh: Vec<(u64, u64)>,
    stats: SenderStats,
}

impl<C: CongestionControl> Sender<C> {
    /// A sender of `config`; `make` builds its congestion control, whose name may imply an ECN mode
    /// ([`QuicConfig::with_overrides`]).
    pub fn new(config: impl Into<Arc<QuicConfig>>, make: impl FnOnce(&Path) -> C) -> Self {
        let config = config.into();
        let cc = make(&Self::path(&config));
        let overrides = cc.tcp_overrides();
        let config = match config.with_overrides(overrides) {
            with if with == *config => config,
            with => Arc::new(with),
        };
        let (least_window, rated) =
            (config.in_bytes(config.minimum_window), cc.capabilities().rates);
        Sender {
            stage: Stage::Closed,
            stream: Stream::default(),
            packets: Packets::default(),
            rtt: Estimator::new(&config),
            datagram: config.datagram_bytes(),
            next: Time::NEVER,
            loss_at: Time::NEVER,
            pto_at: Time::NEVER,
            pto_count: 0,
            last_sent: Time::ZERO,
            first_sample: None,
            phase: Phase::Open,
            recovery_start: None,
            ecn_start: None,
            scalable: matches!(overrides.ecn, Some("dctcp" | "l4s")),
            spare: false,
            window_limited: false,
            pacing: false,
            paced: config.pacing || cc.capabilities().paces,
            frozen: false,
            pace_at: Time::ZERO,
            ect: match config.ecn {
                Ecn::Off => Codepoint::NotEct,
                Ecn::Ect0 => Codepoint::Ect0,
                Ecn::L4s => Codepoint::Ect1,
            },
            ce: 0,
            cc: Control::new(cc, least_window),
            rates: rated.then(Box::default),
            lost_tags: Vec::new(),
            newly_lost: Vec::new(),
            fresh: Vec::new(),
            stats: SenderStats::default(),
            config,
        }
    }

    /// The parameters of a connection of `config` for its congestion control.
    pub fn path(config: &QuicConfig) -> Path {
        Path {
            mss: config.datagram_bytes(),
            initial_window: config.initial_window_bytes(),
            // Section 7.3.1: slow start grows by all that is acknowledged.
            growth_limit: 1 << 20,
            header: config.header.0,
            ..Path::PLAIN
        }
    }

    /// Opens the connection: an Initial, or nothing if there is no handshake. Data follows at once
    /// unless the handshake takes a round trip.
    pub fn open(&mut self, now: Time, out: &mut impl Outbox) {
        self.stage = Stage::Established;
        if self.config.handshake != Handshake::None {
            self.send_initial(now, out);
        }
        if self.config.handshake == Handshake::OneRtt {
            self.stage = Stage::Opening;
        } else {
            self.cc.on_open(now, None, self.config.window.0);
            self.act(now, out);
        }
        self.settle(now);
    }

    /// The application hands over `bytes`; [`u64::MAX`]: more than can ever be sent.
    pub fn write(&mut self, now: Time, bytes: u64, out: &mut impl Outbox) {
        self.check_supply();
        self.stream.write(bytes);
        self.act(now, out);
        self.settle(now);
    }

    /// Nothing more will be written: the FIN goes with the last data, or follows it.
    pub fn close(&mut self, now: Time, out: &mut impl Outbox) {
        self.stream.close();
        self.act(now, out);
        self.settle(now);
    }

    /// Stops an application that writes without end: data that was not sent by now never will be.
    pub fn stop(&mut self, now: Time, out: &mut impl Outbox) {
        self.stream.cut();
        self.close(now, out);
    }

    /// A packet of the receiver's arrives.
    pub fn on_segment(&mut self, now: Time, s: &Segment, x: Option<&Extra>, out: &mut impl Outbox) {
        if s.flags & flag::ACK != 0 {
            if s.flags & flag::SYN != 0 && self.stage == Stage::Opening {
                self.establish(now, s, x);
            } else {
                self.on_ack(now, s, x);
            }
            self.act(now, out);
            self.settle(now);
        }
    }

    /// A signal from the host.
    pub fn local(&mut self, now: Time, signal: HostSignal, out: &mut impl Outbox) {
        self.cc.on_host_signal(signal);
        self.act(now, out);
        self.settle(now);
    }

    /// The time of the next [`Self::on_deadline`]; [`Time::NEVER`] if there is none.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.next
    }
    /// Bytes that the application has handed over so far.
    #[inline]
    pub fn written(&self) -> u64 {
        self.stream.limit()
    }
    /// True if all of it was acknowledged.
    #[inline]
    pub fn all_acknowledged(&self) -> bool {
        self.stream.una() >= self.stream.limit()
    }
    /// True if everything written is acknowledged, and the stream is closed.
    pub fn finished(&self) -> bool {
        self.stream.finished()
    }
    /// The congestion control.
    pub fn cc(&self) -> &C {
        self.cc.algorithm()
    }
    /// The congestion window, bytes: the control's, at least `minimum_window`.
    #[inline]
    pub fn cwnd(&self) -> u64 {
        self.cc.cwnd()
    }
    /// The counters.
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }
    /// A matching receiver: the same configuration, with what the congestion control implies.
    pub fn receiver(&self) -> Receiver {
        Receiver::new(Arc::clone(&self.config))
    }

    /// The state, for time series.
    pub fn view(&self) -> SenderView {
        SenderView {
            cwnd: self.cc.cwnd(),
            ssthresh: self.cc.algorithm().ssthresh().filter(|s| *s != u64::MAX),
            srtt: self.rtt.srtt(),
            rttvar: self.rtt.var(),
            pto: self.pto(),
            in_flight: self.packets.in_flight(),
            una: self.stream.una(),
            nxt: self.stream.high(),
            phase: self.phase,
        }
    }

    /// Carries out the congestion control's commands, and sends what may go.
    fn act(&mut self, now: Time, out: &mut impl Outbox) {
        self.apply_commands(now, out);
        self.transmit(now, out);
    }

    /// Works out the next deadline; last in every public call.
    fn settle(&mut self, now: Time) {
        self.set_timer(now);
        let loss = if self.loss_at < Time::NEVER { self.loss_at } else { self.pto_at };
        self.next = loss.min(self.cc.timer());
        if self.pacing {
            self.next = self.next.min(self.release_at());
        }
    }
}
