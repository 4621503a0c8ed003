//! Pacing: segments leave at a rate, the congestion control's or the profile's. Bursts: what a host
//! hands to its network card in one piece.
use super::Sender;
use crate::config::TcpConfig;
use dumbbell_core::transport::segment::{Extra, Outbox, Segment, flag};
use dumbbell_core::transport::{CongestionControl, Detect, Phase, Recover};
use dumbbell_core::units::{Rate, Span, Time};

/// A burst is what is sent in about this time at the pacing rate: 1/1024 s.
const TIME: Span = Span::from_ps(1_000_000_000_000 / 1024);
/// It has at least so many segments (tcp_min_tso_segs of Linux), and at most so many bytes.
const LEAST: u64 = 2;
const MOST_BYTES: u64 = 65_535;
/// The part of the congestion window that it does not exceed where it waits for room
/// (tcp_tso_win_divisor of Linux).
const SHARE: u64 = 3;
/// On short paths it may be larger: by 64 kB, halved for each of these in the least round-trip time
/// (tcp_tso_rtt_log of Linux: 2^9 us).
const HALVING: Span = Span::from_us(512);
/// From this round-trip time on it is no larger: nothing is left of [`MOST_BYTES`].
const NOT_LARGER: Span = Span::from_us(512 * 16);

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// True if pacing lets a segment go now: a quantum at once, then nothing until it would have
    /// been sent at the rate.
    #[inline]
    pub(super) fn released(&mut self, now: Time) -> bool {
        self.pacing = now < self.pace_at && self.burst == 0 && self.pacing_rate().is_some();
        !self.pacing
    }

    /// A segment of `bytes` went. A delivery rate counts payload, and so does the pacing of a
    /// control that goes by it.
    #[inline]
    pub(super) fn pace(&mut self, now: Time, bytes: u64) {
        if let Some(rate) = self.pacing_rate() {
            let bytes = if self.rated { bytes - u64::from(self.overhead) } else { bytes };
            if self.stats.sent_packets + 1 < u64::from(self.cold.config.unpaced_start) {
                return;
            }
            let credit = self.cold.config.pacing_credit;
            let mut wait = rate.span_of(bytes);
            // A credit may leave no wait within a quantum.
            let goes_on = credit && now == self.pace_at && self.burst > 0;
            if now >= self.pace_at && !goes_on {
                self.burst = self.quantum;
                if credit {
                    let late = now.since(self.pace_at);
                    let whole = wait * u64::from(self.quantum);
                    wait = wait.saturating_sub(late.min(whole.scaled(0.5)));
                }
            }
            self.pace_at = now.max(self.pace_at) + wait;
            self.burst = self.burst.saturating_sub(1);
        }
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        match self.cc.rate() {
            None if self.paced => self.own_rate(),
            asked => asked,
        }
    }

    /// The profile's rate: windows per smoothed round trip, more of them in slow start. None before
    /// a sample.
    #[cold]
    pub(super) fn own_rate(&self) -> Option<Rate> {
        let (srtt, cwnd, config) = (self.rtt.srtt()?, self.cc.cwnd(), &self.cold.config);
        let slow_start = self.in_slow_start();
        let info =
            if slow_start { config.pacing_gain_slow_start } else { config.pacing_gain_avoidance };
        let bps = info * cwnd as f64 * 8.0 / srtt.seconds();
        (srtt.ps() > 0).then(|| Rate::from_bps((bps as u64).max(1)))
    }

    /// The number of segments of a burst.
    #[inline]
    pub(super) fn burst_segments(&self) -> u64 {
        if self.bursts_are_least() { LEAST } else { self.counted_burst() }
    }

    /// True only if a burst has [`LEAST`] segments: by products, since nearly every acknowledgment
    /// asks.
    #[inline(always)]
    pub(super) fn bursts_are_least(&self) -> bool {
        let (Some(srtt), Some(least)) = (self.rtt.srtt(), self.rtt.min_rtt()) else { return false };
        let enough = u128::from(self.mss) * u128::from(srtt.ps());
        let sent = |time| u128::from(time) * u128::from(self.cc.cwnd());
        let few = sent(self.burst_time) < enough
            || !self.in_slow_start() && sent(self.burst_time_in_avoidance()) < enough;
        least >= NOT_LARGER && few && self.cc.rate().is_none()
    }

    /// True if pacing counts the window as in slow start.
    #[cold]
    fn in_slow_start(&self) -> bool {
        self.cc.ssthresh().is_some_and(|ssthresh| self.cc.cwnd() < ssthresh / 2)
    }

    /// A burst is longer than [`LEAST`] only if this many picoseconds, times the window in bytes,
    /// exceed the segment size times the smoothed round-trip time: [`TIME`] at the highest gain,
    /// for each segment of the shortest such burst. A thousandth more, for what rounds.
    pub(super) fn burst_time(config: &TcpConfig) -> u64 {
        shortest(config.pacing_gain_slow_start.max(config.pacing_gain_avoidance))
    }
    /// The same outside of slow start.
    fn burst_time_in_avoidance(&self) -> u64 {
        shortest(self.cold.config.pacing_gain_avoidance)
    }

    #[inline(never)]
    fn counted_burst(&self) -> u64 {
        let Some(rate) = self.cc.rate().or_else(|| self.own_rate()) else { return LEAST };
        let halvings = self.rtt.min_rtt().map_or(u64::MAX, |rtt| rtt.ps() / HALVING.ps());
        let bytes = rate.bytes_in(TIME) + (MOST_BYTES >> halvings.min(63));
        (bytes / self.mss).min(MOST_BYTES / self.mss).max(LEAST)
    }

    /// [`Self::transmit`] with PSH on the last segment of each burst.
    #[inline(never)]
    pub(super) fn transmit_in_bursts(&mut self, now: Time, out: &mut impl Outbox) {
        let most = self.burst_segments();
        let mut bursts = Bursts { out, waiting: None, sent: 0, most };
        let end = self.end_of_bursts(most, self.limit.min(self.una + self.window));
        self.transmit_all(now, end, &mut bursts);
        bursts.end();
    }

    /// The end of the last whole burst of up to `most` segments for which the congestion window has
    /// room; the rest waits for acknowledgments. [`u64::MAX`] if nothing waits: where there are
    /// none to come, where `edge`, the end of the data or of the receiver's window, is near, and
    /// where a burst has but two segments. With pacing, the rate decides.
    pub(super) fn end_of_bursts(&self, most: u64, edge: u64) -> u64 {
        if most == LEAST {
            return u64::MAX;
        }
        let cwnd = self.cc.cwnd();
        let burst = most.min(cwnd / self.mss / SHARE);
        let end = self.una + cwnd;
        let waits = burst > LEAST && self.phase == Phase::Open && self.nxt > self.una;
        if !waits || self.spaced || self.spare + self.beyond > 0 || edge <= end {
            return u64::MAX;
        }
        self.nxt + end.saturating_sub(self.nxt) / (burst * self.mss) * (burst * self.mss)
    }
}

/// See [`Sender::burst_time`].
fn shortest(gain: f64) -> u64 {
    (gain * TIME.ps() as f64 / (LEAST + 1) as f64 / 0.999) as u64
}

/// Passes segments on, one behind: whether one is the last of its burst shows when the next one
/// comes.
struct Bursts<'a, O> {
    out: &'a mut O,
    waiting: Option<Segment>,
    /// Segments of this burst, the one that waits included.
    sent: u64,
    most: u64,
}

impl<O: Outbox> Bursts<'_, O> {
    /// Ends the burst.
    fn end(&mut self) {
        if let Some(mut last) = self.waiting.take() {
            last.flags |= if self.sent >= LEAST { flag::PSH } else { 0 };
            self.out.send(last, None);
        }
        self.sent = 0;
    }
}

impl<O: Outbox> Outbox for Bursts<'_, O> {
    fn send(&mut self, segment: Segment, extra: Option<Extra>) {
        if extra.is_some() {
            self.end();
            return self.out.send(segment, extra);
        }
        if self.sent == self.most {
            self.end();
        }
        if let Some(before) = self.waiting.replace(segment) {
            self.out.send(before, None);
        }
        self.sent += 1;
    }
}
