//! Delivery rates (draft-ietf-ccwg-bbr section 4.1, before that
//! draft-cheng-iccrg-delivery-rate-estimation): how fast the network delivered between the sending
//! of a segment and its acknowledgment. Kept for a congestion control that asks for it
//! (`Capabilities::rates`); for others it costs one pointer.
use dumbbell_core::transport::{LossSample, RateSample};
use dumbbell_core::units::{Span, Time};
use std::collections::VecDeque;

mod hooks;

/// The state of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In the network, as far as is known.
    Flying,
    /// Acknowledged, selectively: counted.
    Delivered,
    /// Found lost, and not sent again.
    Lost,
}

/// The draft's per-packet state P: the counters when the segment was last sent.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// The offset after it; it begins where the one before it ends.
    end: u64,
    /// P.send_time.
    sent: Time,
    /// P.first_send_time.
    first_sent: Time,
    /// P.delivered_time.
    delivered_at: Time,
    /// P.delivered.
    delivered: u64,
    /// P.lost.
    lost: u64,
    /// P.tx_in_flight; a window is at most 1 GiB (RFC 7323).
    in_flight: u32,
    state: State,
    /// True if it was sent more than once.
    again: bool,
    /// P.is_app_limited.
    app_limited: bool,
}

/// The rate estimator of one connection.
#[derive(Debug)]
pub(super) struct Rates {
    /// Outstanding segments in order of sequence, without gaps from `start` on.
    segments: VecDeque<Segment>,
    start: u64,
    /// C.delivered and C.delivered_time.
    delivered: u64,
    delivered_at: Time,
    /// C.first_send_time.
    first_sent: Time,
    /// C.lost: everything that was ever found lost.
    lost: u64,
    /// C.inflight.
    flying: u64,
    /// C.lost_out - C.retrans_out: lost, and not sent again.
    unrepaired: u64,
    /// C.app_limited: samples of what is sent until so much is delivered are limited by the
    /// application; 0: none.
    limited_until: u64,
    min_rtt: Span,
    /// The latest-sent segment that the acknowledgment at hand delivers.
    newest: Option<Segment>,
    /// The bytes found lost since the last sample, and the end of their last range.
    newly_lost: u64,
    loss: LossSample,
    lost_end: u64,
    /// The detector's count of losses when it was last asked for them, and room for its answer.
    seen: u64,
    found: Vec<(u64, u64)>,
}

impl Rates {
    /// Of a connection whose first byte is at `start`.
    pub fn new(start: u64) -> Self {
        Rates {
            segments: VecDeque::new(),
            start,
            delivered: 0,
            delivered_at: Time::ZERO,
            first_sent: Time::ZERO,
            lost: 0,
            flying: 0,
            unrepaired: 0,
            limited_until: 0,
            min_rtt: Span::MAX,
            newest: None,
            newly_lost: 0,
            loss: LossSample::default(),
            lost_end: 0,
            seen: 0,
            found: Vec::new(),
        }
    }

    /// `[from, to)` goes out: OnPacketSent. `repairing`: what goes again is lost, whether or not a
    /// detector said so.
    pub fn on_sent(&mut self, now: Time, from: u64, to: u64, repairing: bool) {
        if self.flying == 0 {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        let high = self.segments.back().map_or(self.start, |last| last.end);
        if from < high {
            self.repeat(now, from, to.min(high), repairing);
        }
        if to > high {
            self.flying += to - high;
            let segment = self.snapshot(now, to);
            self.segments.push_back(segment);
        }
    }

    /// A segment that goes now; its bytes are among those that fly.
    #[inline]
    fn snapshot(&self, now: Time, end: u64) -> Segment {
        Segment {
            end,
            sent: now,
            first_sent: self.first_sent,
            delivered_at: self.delivered_at,
            delivered: self.delivered,
            lost: self.lost,
            in_flight: self.flying.min(u64::from(u32::MAX)) as u32,
            state: State::Flying,
            again: false,
            app_limited: self.limited_until > 0,
        }
    }

    #[cold]
    fn repeat(&mut self, now: Time, from: u64, to: u64, repairing: bool) {
        for i in self.within(from, to) {
            let (s, bytes) = (self.segments[i], self.bytes(i));
            match s.state {
                State::Delivered => continue,
                State::Flying if repairing => self.lose(i),
                State::Flying | State::Lost => {}
            }
            if self.segments[i].state == State::Lost {
                self.unrepaired -= bytes;
                self.flying += bytes;
            }
            self.segments[i] = Segment { again: true, ..self.snapshot(now, s.end) };
        }
    }

    /// `[from, to)` is selectively acknowledged, for the first time.
    #[cold]
    pub fn on_sacked(&mut self, now: Time, from: u64, to: u64) {
        for i in self.within(from, to) {
            let (s, bytes) = (self.segments[i], self.bytes(i));
            self.deliver(now, s, bytes);
            self.segments[i].state = State::Delivered;
        }
    }

    /// Everything below `una` is acknowledged.
    pub fn on_acked(&mut self, now: Time, una: u64) {
        while let Some(s) = self.segments.front().copied().filter(|_| self.start < una) {
            let end = s.end.min(una);
            self.deliver(now, Segment { end, ..s }, end - self.start);
            self.start = end;
            if end < s.end {
                return;
            }
            self.segments.pop_front();
        }
    }

    /// UpdateRateSample.
    #[inline]
    fn deliver(&mut self, now: Time, s: Segment, bytes: u64) {
        match s.state {
            State::Delivered => return,
            State::Flying => self.flying -= bytes,
            State::Lost => self.unrepaired -= bytes,
        }
        self.delivered += bytes;
        self.delivered_at = now;
        if self.newest.is_none_or(|n| (n.sent, n.end) < (s.sent, s.end)) {
            self.first_sent = s.sent;
            self.newest = Some(s);
        }
    }

    /// GenerateRateSample, after all that an acknowledgment delivers; `None` if that was nothing.
    pub fn sample(&mut self, now: Time) -> Option<RateSample> {
        if self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        let p = self.newest.take()?;
        let rtt = (!p.again).then(|| now.since(p.sent));
        self.min_rtt = self.min_rtt.min(rtt.unwrap_or(Span::MAX));
        let interval = p.sent.since(p.first_sent).max(now.since(p.delivered_at));
        let sample = RateSample {
            delivered: self.delivered - p.delivered,
            interval: if interval < self.min_rtt { Span::ZERO } else { interval },
            prior_delivered: p.delivered,
            total_delivered: self.delivered,
            app_limited: p.app_limited,
            in_flight: u64::from(p.in_flight),
            lost: self.lost - p.lost,
            newly_lost: self.newly_lost,
            loss: self.loss,
            pipe: self.flying,
            rtt,
        };
        if self.newly_lost > 0 {
            (self.newly_lost, self.loss) = (0, LossSample::default());
        }
        Some(sample)
    }

    /// `[from, to)` is lost. A detector that does not know single segments tells it of what was
    /// sent again, too.
    fn on_lost(&mut self, from: u64, to: u64, by_segment: bool) {
        for i in self.within(from, to) {
            let s = &self.segments[i];
            if s.state == State::Flying && (by_segment || !s.again) {
                self.lose(i);
            }
        }
    }

    fn lose(&mut self, i: usize) {
        let bytes = self.bytes(i);
        self.flying -= bytes;
        self.unrepaired += bytes;
        self.lost += bytes;
        self.newly_lost += bytes;
        let s = &mut self.segments[i];
        s.state = State::Lost;
        let gap = self.loss.ranges == 0 || self.lost_end != s.end - bytes;
        self.lost_end = s.end;
        self.loss = LossSample {
            in_flight: u64::from(s.in_flight),
            lost: self.lost - s.lost,
            app_limited: s.app_limited,
            ranges: self.loss.ranges + u32::from(gap),
        };
    }

    /// Marks the part of `[from, to)` in flight in segments of more than `larger` bytes for
    /// retransmission, without counting it as lost.
    fn withdraw(&mut self, from: u64, to: u64, larger: u64) {
        for i in self.within(from, to) {
            let bytes = self.bytes(i);
            if self.segments[i].state == State::Flying && bytes > larger {
                self.segments[i].state = State::Lost;
                self.flying -= bytes;
                self.unrepaired += bytes;
            }
        }
    }

    /// The retransmission timer expired, and everything outstanding is to be sent again.
    fn lose_all(&mut self) {
        self.on_lost(self.start, u64::MAX, true);
    }

    /// Restores segments that were found lost and not sent again: they are in flight after all.
    fn forgive(&mut self) {
        for i in 0..self.segments.len() {
            let bytes = self.bytes(i);
            let s = &mut self.segments[i];
            if s.state == State::Lost && !s.again {
                s.state = State::Flying;
                self.flying += bytes;
                self.unrepaired -= bytes;
            }
        }
    }

    /// CheckIfApplicationLimited, where less than a segment waits to be sent: is it the application
    /// that leaves the window open?
    fn short_of_data(&mut self, cwnd: u64) {
        if self.flying < cwnd && self.unrepaired == 0 {
            self.mark_limited();
        }
    }

    /// Marks later segments as application-limited until the present flight has arrived
    /// (MarkConnectionAppLimited).
    fn mark_limited(&mut self) {
        self.limited_until = (self.delivered + self.flying).max(1);
    }

    /// The place of the segment that holds the byte at `at`, or that follows it.
    fn place(&self, at: u64) -> usize {
        self.segments.partition_point(|s| s.end <= at)
    }
    fn begin(&self, i: usize) -> u64 {
        if i == 0 { self.start } else { self.segments[i - 1].end }
    }
    fn bytes(&self, i: usize) -> u64 {
        self.segments[i].end - self.begin(i)
    }
    /// Makes `at` a boundary between segments.
    fn cut(&mut self, at: u64) {
        let i = self.place(at);
        if i < self.segments.len() && self.begin(i) < at {
            let left = Segment { end: at, ..self.segments[i] };
            self.segments.insert(i, left);
        }
    }
    /// The segments of `[from, to)`, cut to it.
    fn within(&mut self, from: u64, to: u64) -> std::ops::Range<usize> {
        self.cut(from);
        self.cut(to);
        self.place(from)..self.place(to)
    }
}

#[cfg(test)]
mod tests;
