//! Media rate control (RFC 8298 section 4.1.3).
use crate::config::ScreamConfig;
use dumbbell_core::source::Coder;
use dumbbell_core::units::{Rate, Span, Time};
use std::collections::VecDeque;

/// `rate_media_median` is of more than 10 seconds (section 4.1.1.2).
const MEDIAN: Span = Span::from_secs(10);

/// The target rate of the coder.
#[derive(Clone, Debug)]
pub(super) struct MediaControl {
    least: f64,
    most: f64,
    share: f64,
    ramp_up: f64,
    guard: f64,
    queue_factor: f64,
    queue_threshold: f64,
    queue_scale: f64,
    interval: Span,
    target: f64,
    last_max: f64,
    started: Option<Time>,
    adjust_at: Time,
    /// Bytes since the last change: sent, reported as arrived, coded.
    sent: u64,
    acked: u64,
    coded: u64,
    transmit: f64,
    ack: f64,
    media: f64,
    history: VecDeque<f64>,
}

/// What the change of the target rate goes by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Congestion {
    /// `qdelay_trend` and `qdelay_trend_mem`.
    pub trend: f64,
    pub memory: f64,
    pub fast: bool,
    /// Bytes in the RTP queue.
    pub rtp_queue: u64,
}

impl MediaControl {
    pub fn new(config: &ScreamConfig, coder: &Coder) -> Self {
        // The target counts RTP headers (section 5).
        let share = config.payload_share();
        let target = |rate: Rate| rate.bps() as f64 / share;
        MediaControl {
            least: target(coder.least),
            most: target(coder.most),
            share,
            ramp_up: config.ramp_up.bps() as f64,
            guard: config.pre_congestion_guard,
            queue_factor: config.queue_factor,
            queue_threshold: config.rtp_queue_threshold.seconds(),
            queue_scale: config.rtp_queue_scale,
            interval: config.rate_interval,
            target: target(coder.start),
            last_max: 1.0,
            started: None,
            adjust_at: Time::NEVER,
            sent: 0,
            acked: 0,
            coded: 0,
            transmit: 0.0,
            ack: 0.0,
            media: 0.0,
            history: VecDeque::new(),
        }
    }

    /// The session begins.
    pub fn start(&mut self, now: Time) {
        (self.started, self.adjust_at) = (Some(now), now + self.interval);
    }
    /// When it did.
    pub fn started(&self) -> Option<Time> {
        self.started
    }
    /// When the target changes next.
    #[inline]
    pub fn adjust_at(&self) -> Time {
        self.adjust_at
    }
    /// `target_bitrate`, bits per second.
    pub fn target(&self) -> f64 {
        self.target
    }
    /// The target without RTP headers: what the coder is to follow.
    pub fn media_target(&self) -> Rate {
        Rate::from_bps(libm::round(self.target * self.share) as u64)
    }
    /// `rate_media`, bits per second.
    pub fn media_rate(&self) -> f64 {
        self.media
    }
    /// The coder made packets of so many bytes.
    pub fn coded(&mut self, bytes: u64) {
        self.coded += bytes;
    }
    /// So many bytes were sent.
    pub fn sent(&mut self, bytes: u64) {
        self.sent += bytes;
    }
    /// So many bytes were reported as arrived.
    pub fn acked(&mut self, bytes: u64) {
        self.acked += bytes;
    }

    /// Congestion was detected: the target is remembered, as one that was too high. The RFC does
    /// not say what counts: here a loss, a mark, and a trend that ends the fast increase.
    pub fn note_congestion(&mut self) {
        self.last_max = self.target;
    }

    /// A loss or a mark: the target falls to a share.
    pub fn reduce(&mut self, share: f64) {
        self.note_congestion();
        self.target = (self.target * share).max(self.least);
    }

    /// The change at the end of an interval.
    pub fn adjust(&mut self, now: Time, seen: &Congestion) {
        let seconds = self.interval.seconds();
        self.measure(seconds);
        self.adjust_at = now + self.interval;
        let current = self.transmit.max(self.ack);
        let speed = self.ramp_up.min(self.target / 2.0);
        let off = 4.0 * (self.target - self.last_max) / self.last_max;
        let scale = (off * off).clamp(0.2, 1.0);
        if seen.fast {
            self.target += speed * seconds * scale;
        } else {
            let queued = seen.rtp_queue as f64 * 8.0;
            let mut delta = current * (1.0 - self.guard * seen.trend) - self.queue_factor * queued;
            if delta > 0.0 {
                delta = (delta * scale).min(speed * seconds);
            }
            self.target += delta;
            if queued > self.queue_threshold * current {
                self.target *= self.queue_scale;
            }
        }
        let limit = current.max(self.media).max(self.median()) * (2.0 - seen.memory);
        self.target = self.target.min(limit).min(self.most).max(self.least);
    }

    /// The rates of the interval that ends.
    fn measure(&mut self, seconds: f64) {
        let rate = |bytes: &mut u64| std::mem::take(bytes) as f64 * 8.0 / seconds;
        (self.transmit, self.ack) = (rate(&mut self.sent), rate(&mut self.acked));
        self.media = rate(&mut self.coded);
        self.history.push_back(self.media);
        let kept = (MEDIAN.seconds() / seconds) as usize + 1;
        while self.history.len() > kept {
            self.history.pop_front();
        }
    }

    fn median(&self) -> f64 {
        let mut sorted: Vec<f64> = self.history.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALM: Congestion = Congestion { trend: 0.0, memory: 0.0, fast: false, rtp_queue: 0 };

    /// Rates are of whole packets here.
    fn control(start: u64) -> MediaControl {
        let config = ScreamConfig::default();
        let rate = |bps: u64| Rate::from_bps(bps / 1000 * 988);
        let (least, most, budget) = (rate(100_000), rate(5_000_000), Span::from_ms(150));
        let coder = Coder { least, most, start: rate(start), budget };
        let mut control = MediaControl::new(&config, &coder);
        control.start(Time::ZERO);
        control
    }

    /// One interval in which all that is coded is sent and arrives.
    fn interval(control: &mut MediaControl, bps: u64, seen: &Congestion) -> f64 {
        let bytes = bps / 40;
        control.coded(bytes);
        control.sent(bytes);
        control.acked(bytes);
        let now = control.adjust_at();
        control.adjust(now, seen);
        control.target()
    }

    /// 200 kbps a second in fast increase, a target of at most half of that speed below 400 kbps.
    #[test]
    fn the_target_ramps_up() {
        let fast = Congestion { fast: true, ..CALM };
        assert_eq!(interval(&mut control(1_000_000), 1_000_000, &fast), 1_040_000.0);
        assert_eq!(interval(&mut control(200_000), 200_000, &fast), 220_000.0);
        assert_eq!(interval(&mut control(1_000_000), 1_000_000, &CALM), 1_040_000.0);
    }

    /// Close to the last rate that was too high the target rises at a fifth of the speed; a quarter
    /// away at all of it: (4 x 1/8)^2 = 1/4.
    #[test]
    fn the_increase_is_slow_near_the_last_maximum() {
        let fast = Congestion { fast: true, ..CALM };
        for (last, part) in [(1_000_000.0, 0.2), (8.0e6 / 7.0, 0.25), (4.0e6 / 3.0, 1.0)] {
            let mut control = control(1_000_000);
            control.last_max = last;
            let target = interval(&mut control, 1_000_000, &fast);
            assert!((target - 1_000_000.0 - 40_000.0 * part).abs() < 1e-6, "{last}: {target}");
        }
    }

    /// A tenth less at a loss, never below the least rate; the rate before is remembered.
    #[test]
    fn a_loss_takes_a_tenth() {
        let mut control = control(1_000_000);
        control.reduce(0.9);
        assert_eq!((control.target(), control.last_max), (900_000.0, 1_000_000.0));
        (0..50).for_each(|_| control.reduce(0.9));
        assert_eq!(control.target(), 100_000.0);
    }

    /// More than 20 ms in the RTP queue: the target falls by a twentieth after its increase.
    #[test]
    fn a_queue_of_rtp_packets_lowers_the_target() {
        let (below, above) = (2_499, 2_501); // 20 ms at 1 Mbps are 2500 bytes.
        let of = |rtp_queue| {
            interval(&mut control(1_000_000), 1_000_000, &Congestion { rtp_queue, ..CALM })
        };
        assert_eq!(of(below), 1_040_000.0);
        assert!((of(above) - 1_040_000.0 * 0.95).abs() < 1e-6);
        // 1.1 s of it: the change is negative before that, by what exceeds a second.
        let much = of(137_500);
        assert!((much - (1_000_000.0 - 100_000.0) * 0.95).abs() < 1e-6, "{much}");
    }

    /// The target is at most 2 - qdelay_trend_mem times what is coded or gets through.
    #[test]
    fn the_target_is_held_to_what_is_used() {
        let seen = Congestion { memory: 0.5, ..CALM };
        assert_eq!(interval(&mut control(4_000_000), 1_000_000, &seen), 1_500_000.0);
        assert_eq!(interval(&mut control(4_990_000), 5_000_000, &CALM), 5_000_000.0);
    }
}
