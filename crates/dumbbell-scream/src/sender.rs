//! The sending end: network congestion control, transmission control and media rate control.
mod delay;
mod feedback;
mod output;
mod packets;
mod queue;
mod rate;
mod rtt;
mod target;
mod window;

use crate::config::{Ecn, ScreamConfig};
use crate::measures::{Measures, Window};
use crate::wire::{RTP_HEADER, Report};
use delay::QueueDelay;
use dumbbell_core::packet::Ecn as Codepoint;
use dumbbell_core::probe::Probe;
use dumbbell_core::source::Coder;
use dumbbell_core::transport::segment::{Extra, Outbox, Segment};
use dumbbell_core::units::{Rate, Span, Time};
use packets::Packets;
use queue::RtpQueue;
use rate::MediaControl;
use rtt::Rtt;
use std::sync::Arc;
use target::DelayTarget;
use window::CongestionWindow;

/// The counters of a sender, since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStats {
    /// Media packets sent.
    pub sent_packets: u64,
    /// Their payload, bytes.
    pub sent_bytes: u64,
    /// Round-trip samples.
    pub rtt_samples: u64,
    /// Their sum.
    pub rtt_sum: Span,
    /// Packets declared lost.
    pub lost_packets: u64,
    /// Of these, reported as arrived later.
    pub spurious_losses: u64,
    /// Congestion events by loss.
    pub loss_events: u64,
    /// Congestion events by ECN.
    pub ecn_events: u64,
    /// Times that the fast increase began, the first one included.
    pub fast_increases: u64,
    /// Packets sent whatever the window, because no report came.
    pub probes: u64,
    /// Frames that were discarded in the RTP queue.
    pub discarded_frames: u64,
}

/// A sender's state, for time series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderView {
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Smoothed round-trip time.
    pub srtt: Option<Span>,
    /// Its mean deviation.
    pub rttvar: Span,
    /// Bytes in flight.
    pub in_flight: u64,
}

/// What is measured in the window.
#[derive(Clone, Debug)]
pub struct Measured {
    window: Window,
    /// Frames that were captured.
    pub frames: u64,
    /// RTP packets of the coder, bytes.
    coded: u64,
    /// Delay of packets in the RTP queue.
    pub rtp_queue: Measures,
    /// Queue delay of the network, estimated.
    pub qdelay: Measures,
    /// Integral of the target rate, bits, up to an instant.
    target: f64,
    since: Time,
}

/// The names of what [`Sender::probe`] shows.
pub const GAUGES: [&str; 7] = [
    "target_bps",
    "media_bps",
    "qdelay_s",
    "qdelay_target_s",
    "qdelay_trend",
    "rtp_queue_bytes",
    "fast_increase",
];

/// The sending end of a session.
///
/// Call [`Self::on_deadline`] when [`Self::deadline`] has come, and before a packet that arrives
/// later.
#[derive(Debug)]
pub struct Sender {
    config: Arc<ScreamConfig>,
    open: bool,
    closed: bool,
    queue: RtpQueue,
    packets: Packets,
    rtt: Rtt,
    qdelay: QueueDelay,
    target: DelayTarget,
    window: CongestionWindow,
    media: MediaControl,
    /// The latest sample of the queue delay.
    last_qdelay: Span,
    /// Congestion Experienced that was reported.
    ce: u32,
    /// When a loss or a mark was last answered.
    answered: Option<Time>,
    pace_at: Time,
    last_sent: Time,
    last_heard: Time,
    next: Time,
    ect: Codepoint,
    stats: SenderStats,
    measured: Box<Measured>,
}

impl Sender {
    /// A sender of `config` for a coder, measured in `window`.
    pub fn new(config: impl Into<Arc<ScreamConfig>>, coder: Coder, window: Window) -> Self {
        let config = config.into();
        let media = MediaControl::new(&config, &coder);
        Sender {
            open: false,
            closed: false,
            queue: RtpQueue::default(),
            packets: Packets::default(),
            rtt: Rtt::default(),
            qdelay: QueueDelay::new(&config),
            target: DelayTarget::new(&config),
            window: CongestionWindow::new(&config),
            media,
            last_qdelay: Span::ZERO,
            ce: 0,
            answered: None,
            pace_at: Time::ZERO,
            last_sent: Time::ZERO,
            last_heard: Time::ZERO,
            next: Time::NEVER,
            ect: match config.ecn {
                Ecn::Off => Codepoint::NotEct,
                Ecn::Ect0 => Codepoint::Ect0,
            },
            stats: SenderStats { fast_increases: 1, ..SenderStats::default() },
            measured: Box::new(Measured {
                window,
                frames: 0,
                coded: 0,
                rtp_queue: Measures::default(),
                qdelay: Measures::default(),
                target: 0.0,
                since: window.from,
            }),
            config,
        }
    }

    /// The session begins.
    pub fn open(&mut self, now: Time) {
        self.open = true;
        self.last_heard = now;
        self.media.start(now);
        self.measured.since = self.measured.since.max(now);
        self.settle(now);
    }

    /// The coder hands over a frame of `bytes`, captured now.
    pub fn write(&mut self, now: Time, bytes: u64, out: &mut impl Outbox) {
        // First what is due: a queue that is measured now does not have this frame.
        if self.media.adjust_at() <= now {
            self.adjust_rate(now);
        }
        let most = self.config.mss.0 - RTP_HEADER;
        let coded = self.queue.push(now, bytes.max(1), most);
        self.media.coded(coded);
        if self.measured.window.counts(now) {
            self.measured.frames += 1;
        }
        if now >= self.measured.window.from {
            self.measured.coded += coded;
        }
        self.act(now, out);
    }

    /// No frame comes any more.
    pub fn close(&mut self, now: Time, out: &mut impl Outbox) {
        self.closed = true;
        self.act(now, out);
    }

    /// A report arrives.
    pub fn on_segment(&mut self, now: Time, s: &Segment, x: Option<&Extra>, out: &mut impl Outbox) {
        if let Some(report) = x.and_then(|x| Report::read(s, x, self.packets.next())) {
            self.on_report(now, &report);
            self.act(now, out);
        }
    }

    /// The time of the next [`Self::on_deadline`]; [`Time::NEVER`] if there is none.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.next
    }

    /// What is due is done: a change of the target rate, a loss that shows by time, a packet that
    /// waited for its release.
    pub fn on_deadline(&mut self, now: Time, out: &mut impl Outbox) {
        if self.media.adjust_at() <= now {
            self.adjust_rate(now);
        }
        if self.packets.loss_at() <= now {
            self.detect_losses(now);
        }
        self.act(now, out);
    }

    fn act(&mut self, now: Time, out: &mut impl Outbox) {
        self.transmit(now, out);
        self.settle(now);
    }

    /// Sets the next deadline.
    fn settle(&mut self, now: Time) {
        let mut next = self.packets.loss_at();
        if !self.queue.is_empty() {
            next = next.min(self.release_at(now));
        }
        let idle = self.closed && self.queue.is_empty();
        if self.open && !idle {
            next = next.min(self.media.adjust_at());
        }
        self.next = next;
    }

    /// The rate that the coder is to follow: the target, which counts RTP headers (section 5),
    /// without them.
    pub fn media_rate(&self) -> Rate {
        self.media.media_target()
    }
    /// The congestion window, bytes.
    #[inline]
    pub fn cwnd(&self) -> u64 {
        self.window.bytes()
    }
    /// The target of the queue delay.
    pub fn qdelay_target(&self) -> Span {
        self.target.span()
    }
    /// The counters.
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }
    /// What is measured in the window.
    pub fn measured(&self) -> &Measured {
        &self.measured
    }
    /// Mean of the target rate over the part of the window since the start, bits per second.
    pub fn mean_target(&self) -> Option<f64> {
        let m = &self.measured;
        let begun = m.window.from.max(self.media.started()?);
        let rest = m.window.end.since(m.since).seconds();
        let whole = m.window.end.since(begun).seconds();
        (whole > 0.0).then(|| (m.target + self.media.target() * rest) / whole)
    }
    /// Rate of the coder's packets over the same time, bits per second.
    pub fn mean_coded(&self) -> Option<f64> {
        let m = &self.measured;
        let begun = m.window.from.max(self.media.started()?);
        let whole = m.window.end.since(begun).seconds();
        (whole > 0.0).then(|| m.coded as f64 * 8.0 / whole)
    }

    /// The state, for time series.
    pub fn view(&self) -> SenderView {
        SenderView {
            cwnd: self.cwnd(),
            srtt: self.rtt.srtt(),
            rttvar: self.rtt.var(),
            in_flight: self.packets.in_flight(),
        }
    }

    /// The values that series show beside the window.
    pub fn probe(&self, out: &mut dyn Probe) {
        let values = [
            self.media.target(),
            self.media.media_rate(),
            self.last_qdelay.seconds(),
            self.target.span().seconds(),
            self.qdelay.trend(),
            self.queue.bytes() as f64,
            f64::from(u8::from(self.window.in_fast_increase())),
        ];
        GAUGES.iter().zip(values).for_each(|(name, value)| out.gauge(name, value));
    }

    /// Adds the target rate since the last change to its integral; before each change.
    fn integrate_target(&mut self, now: Time) {
        let m = &mut self.measured;
        if now > m.since {
            m.target += self.media.target() * now.min(m.window.end).since(m.since).seconds();
            m.since = now;
        }
    }
}
