//! The receiving end: reports which packets arrived (RFC 8298 section 4.2), and measures frames.
mod frames;

use crate::config::ScreamConfig;
use crate::measures::Window;
use crate::wire::{Arrived, LONGEST, RTP_HEADER, Report};
use dumbbell_core::packet::Ecn as Codepoint;
use dumbbell_core::transport::segment::{Outbox, Segment, timestamp, widen};
use dumbbell_core::units::{Span, Time};
pub use frames::Frames;
use std::sync::Arc;

/// The counters of a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Packets of the sender that arrived, copies included.
    pub received_packets: u64,
    /// Their payload, bytes.
    pub received_bytes: u64,
    /// Payload of packets that arrived for the first time, bytes.
    pub delivered_bytes: u64,
    /// Packets that arrived with Congestion Experienced.
    pub ce_packets: u64,
    /// Reports that were sent.
    pub reports: u64,
}

/// The receiving end of a session.
#[derive(Debug)]
pub struct Receiver {
    config: Arc<ScreamConfig>,
    arrived: Arrived,
    /// One more than the highest number that arrived, and the timestamp of its arrival.
    end: u64,
    arrival: u32,
    /// `end` in the last report and in the one before: a report repeats what the one before told.
    told: [u64; 2],
    last_report: Option<Time>,
    report_at: Time,
    /// Packets that no report has told of, and the lowest number of them.
    untold: u64,
    lowest: u64,
    rate: MediaRate,
    frames: Frames,
    stats: ReceiverStats,
}

/// The rate of the media, measured over [`MediaRate::EVERY`].
#[derive(Debug, Default)]
struct MediaRate {
    since: Option<Time>,
    bytes: u64,
    bps: Option<f64>,
}

impl MediaRate {
    const EVERY: Span = Span::from_ms(200);

    fn add(&mut self, now: Time, bytes: u64) {
        let since = *self.since.get_or_insert(now);
        let span = now.since(since);
        if span >= Self::EVERY {
            self.bps = Some(self.bytes as f64 * 8.0 / span.seconds());
            (self.since, self.bytes) = (Some(now), 0);
        }
        self.bytes += bytes;
    }
}

impl Receiver {
    /// A receiver of `config`; both ends have the same.
    pub fn new(config: impl Into<Arc<ScreamConfig>>, window: Window) -> Self {
        Receiver {
            config: config.into(),
            arrived: Arrived::default(),
            end: 0,
            arrival: 0,
            told: [0; 2],
            last_report: None,
            report_at: Time::NEVER,
            untold: 0,
            lowest: u64::MAX,
            rate: MediaRate::default(),
            frames: Frames::new(window),
            stats: ReceiverStats::default(),
        }
    }

    /// A packet of the sender's arrives.
    pub fn on_segment(&mut self, now: Time, s: &Segment, out: &mut impl Outbox) {
        let size = u64::from(s.ip_len).saturating_sub(self.config.header.0);
        let payload = size.saturating_sub(RTP_HEADER);
        self.stats.received_packets += 1;
        self.stats.received_bytes += payload;
        self.stats.ce_packets += u64::from(s.ecn == Codepoint::Ce);
        let number = widen(s.seq, self.end);
        if !self.note(now, number) {
            return;
        }
        self.stats.delivered_bytes += payload;
        self.rate.add(now, size);
        self.frames.add(now, number, s);
        (self.untold, self.lowest) = (self.untold + 1, self.lowest.min(number));
        let due = self.last_report.map_or(now, |last| last + self.interval()).max(now);
        self.report_at = self.report_at.min(due);
        // A report has a limit, and repeats the one before.
        if self.report_at <= now || self.untold >= LONGEST / 2 {
            self.report(now, out);
        }
    }

    /// Notes that a packet arrived; false if it had before, or is too old to be told of.
    fn note(&mut self, now: Time, number: u64) -> bool {
        if number >= self.end {
            self.arrived.advance(number + 1 - self.end);
            self.arrived.set(0);
            (self.end, self.arrival) = (number + 1, timestamp(now));
            return true;
        }
        let back = self.end - 1 - number;
        let new = back < LONGEST && !self.arrived.has(back);
        self.arrived.set(back);
        new
    }

    /// Time between reports (section 4.2.2): 1 / min(50, max(2.5, rate / 10000)). The shortest
    /// until a rate is known.
    fn interval(&self) -> Span {
        let (least, most) = (self.config.report_least, self.config.report_most);
        self.rate.bps.map_or(least, |bps| {
            Span::from_secs_f64((10_000.0 / bps.max(1.0)).min(10.0)).clamp(least, most)
        })
    }

    fn report(&mut self, now: Time, out: &mut impl Outbox) {
        let from = self.told[1].min(self.lowest).min(self.end - 1);
        let from = from.max(self.end.saturating_sub(LONGEST));
        let report = Report {
            from,
            end: self.end,
            arrival: self.arrival,
            arrived: self.arrived,
            ce: self.stats.ce_packets as u32,
        };
        self.told = [self.end, self.told[0]];
        (self.last_report, self.report_at) = (Some(now), Time::NEVER);
        (self.untold, self.lowest) = (0, u64::MAX);
        self.stats.reports += 1;
        let (segment, extra) = report.segment(self.config.header.0);
        out.send(segment, Some(extra));
    }

    /// The time of the next [`Self::on_deadline`]; [`Time::NEVER`] if there is none.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.report_at
    }
    /// A report is due.
    pub fn on_deadline(&mut self, now: Time, out: &mut impl Outbox) {
        if self.report_at <= now {
            self.report(now, out);
        }
    }
    /// The counters.
    pub fn stats(&self) -> &ReceiverStats {
        &self.stats
    }
    /// The frames.
    pub fn frames(&self) -> &Frames {
        &self.frames
    }
}
