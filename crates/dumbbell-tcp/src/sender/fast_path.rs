//! The fast path of a sender: an expected acknowledgment of new data while nothing is lost,
//! suspected, marked or timed, answered with full segments. Jacobson's header prediction (1990),
//! for a sender.
//!
//! It does the same as [`super::ack`] in that state, without asking about what cannot
//! be; random networks in the simulator compare the two.
use super::ack::{Sampled, echoed};
use super::{Sender, Stage};
use crate::sender::ack_info::AckInfo;
use dumbbell_core::transport::segment::{Outbox, Segment, flag, timestamp, widen};
use dumbbell_core::transport::{Ack, CongestionControl, Detect, Phase, Recover, Tag};
use dumbbell_core::units::{Span, Time};

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// True if this connection may ever take the fast path: nothing needs to see every
    /// acknowledgment.
    pub(super) fn is_simple(&self) -> bool {
        !self.spaced
            && !self.rated
            && !self.cc.gives_commands()
            && !self.detect.wants_every_ack()
            && (self.by_segments || !self.pushes)
    }

    /// True if the next acknowledgment of new data may take the fast path.
    #[inline]
    pub(super) fn may_take_fast_path(&self) -> bool {
        self.simple
            && self.phase == Phase::Open
            && self.stage == Stage::Established
            && self.dupacks == 0
            && self.spare + self.beyond == 0
            && self.nxt == self.high
            && self.una >= self.held_until
            && self.window == self.open_window
            && self.board.is_empty()
            && !(self.tagged | self.cwr_due | self.frozen | self.probing | self.searching)
    }

    /// Takes a segment the short way, if that is open; false if nothing was done. A caller for
    /// which it did need not call [`Self::on_segment`].
    #[inline(always)]
    pub fn take_expected(&mut self, now: Time, s: &Segment, out: &mut impl Outbox) -> bool {
        if !self.fast_path || s.flags != flag::ACK {
            return false;
        }
        let una = widen(s.seq, self.una);
        if una <= self.una || una > self.high {
            return false;
        }
        self.on_expected(now, s.ts, una, out);
        true
    }

    /// The whole of it: sample, window, timer, new segments.
    #[inline(always)]
    fn on_expected(&mut self, now: Time, ts: u32, una: u64, out: &mut impl Outbox) {
        if self.by_segments {
            return self.on_expected_by_segments(now, ts, una, out);
        }
        let rtt = self.measure(now, ts, una);
        self.take_measured(una, Sampled { control: rtt, timer: rtt }, now);
        if self.attentive {
            return self.attend(now, ts, una, out);
        }
        self.move_on(now, una, out);
    }

    /// The same with samples of segments.
    #[inline(never)]
    fn on_expected_by_segments(&mut self, now: Time, ts: u32, una: u64, out: &mut impl Outbox) {
        let rtt = self.measure_segments(now, ts, una);
        self.take_measured(una, rtt, now);
        self.attend_inline(now, ts, una, out);
    }

    /// Takes the samples of an acknowledgment of everything below `una`; the window opens.
    #[inline(always)]
    fn take_measured(&mut self, una: u64, rtt: Sampled, now: Time) {
        if let Some(r) = rtt.control {
            self.rtt.seen(r);
        }
        if self.cc.wants_samples() {
            self.tell(now, una, rtt.control);
        } else {
            self.cc.on_expected(una - self.una, self.may_grow());
        }
        if let Some(r) = rtt.timer {
            self.take_sample(r, una);
        }
    }

    /// SND.UNA moves, where nothing else is to be attended to.
    #[inline(always)]
    fn move_on(&mut self, now: Time, una: u64, out: &mut impl Outbox) {
        self.una = una;
        if una == self.high {
            self.rto_at = Time::NEVER;
        } else {
            self.arm(now);
        }
        if let Some(segment) = self.next_alone::<false>(now) {
            self.next = self.rto_at;
            return out.send(segment, None);
        }
        self.fill_the_window(now, out);
        self.next = self.rto_at;
    }

    /// The segment, if one full segment of new data is all that the windows have room for, nothing
    /// but the detector is informed of it, and more data waits. This is the most common case. It
    /// does all but send the segment; in other cases it does nothing. Without `ATTENDED` no segment
    /// has PSH, and a sender that informs anything of its segments is another case.
    #[inline(always)]
    fn next_alone<const ATTENDED: bool>(&mut self, now: Time) -> Option<Segment> {
        let edge = self.limit.min(self.una + self.window);
        let allowed = edge.min(self.una + self.cc.cwnd());
        let (from, to) = (self.nxt, self.nxt + self.mss);
        let after = to + self.mss;
        if to > allowed || after <= allowed || after >= self.limit {
            return None;
        }
        let longer_burst = ATTENDED && self.pushes && !self.bursts_are_least();
        if longer_burst || (self.informed && !(ATTENDED && self.detector_knows(now, from, to))) {
            return None;
        }
        (self.nxt, self.high) = (to, to);
        self.filled_to(edge, from);
        self.blocked = false;
        self.stats.sent_packets += 1;
        self.stats.sent_bytes += self.mss;
        self.last_sent = now;
        if self.rto_at == Time::NEVER {
            self.arm(now);
        }
        Some(self.new_data(now, from, to))
    }

    /// The rest of it where a detector knows single segments, and more timers run.
    #[inline(never)]
    fn attend(&mut self, now: Time, ts: u32, una: u64, out: &mut impl Outbox) {
        self.attend_inline(now, ts, una, out);
    }

    /// [`Self::attend`], inlined where it is the rule.
    #[inline(always)]
    fn attend_inline(&mut self, now: Time, ts: u32, una: u64, out: &mut impl Outbox) {
        let acked = una - self.una;
        self.una = una;
        let echo = self.timestamps.then(|| echoed(now, ts));
        if !self.detect.by_segment() || self.detect.on_expected(now, una, self.rtt.srtt(), echo) {
            self.restart_expected(now);
            match self.next_alone::<true>(now) {
                Some(segment) => out.send(segment, None),
                None => self.fill_the_window(now, out),
            }
            self.settle_expected(now);
        } else {
            self.restart_timer(now);
            self.postponed = false;
            self.cold.report.echo = echo;
            self.on_ack_info(now, AckInfo { acked, sacked: 0, delivered: acked }, out);
            self.apply_commands(now, out);
            self.transmit(now, out);
            self.settle(now);
        }
    }

    /// Tells a congestion control that wants to know everything.
    #[inline(never)]
    fn tell(&mut self, now: Time, una: u64, rtt: Option<Span>) {
        let mut ack = Ack::default();
        (ack.acked, ack.window_limited) = (una - self.una, self.may_grow());
        (ack.now, ack.una, ack.nxt, ack.in_flight) = (now, una, self.nxt, self.nxt - self.una);
        (ack.rtt, ack.srtt, ack.min_rtt) = (rtt, self.rtt.srtt(), self.rtt.min_rtt());
        (ack.window, ack.paced) = (self.window, self.paced);
        self.cc.on_ack(&ack);
    }

    /// Full segments of new data, until a window is full. Where the windows have room for all data
    /// that waits, the careful way sends it, since its last burst includes the last segment.
    #[inline(always)]
    fn fill_the_window(&mut self, now: Time, out: &mut impl Outbox) {
        let edge = self.limit.min(self.una + self.window);
        let allowed = edge.min(self.una + self.cc.cwnd());
        if allowed == self.limit {
            return self.send_the_rest(now, out);
        }
        let start = self.nxt;
        if self.pushes && (self.nxt + 2 * self.mss <= allowed || !self.bursts_are_least()) {
            self.fill_in_bursts(now, edge, allowed, out);
        } else if self.has_segment(allowed) {
            // Nearly always it is one segment; so one is in line, and the rest of a burst is not.
            self.send_next(now, 0, out);
            if self.has_segment(allowed) {
                self.send_burst(now, allowed, out);
            }
            self.count_filled(now, start);
        }
        if self.nxt + self.mss < self.limit && self.nxt > self.una {
            self.filled_to(edge, start);
            self.blocked = false;
        } else {
            self.send_the_rest(now, out);
        }
    }

    #[inline(never)]
    fn send_the_rest(&mut self, now: Time, out: &mut impl Outbox) {
        self.transmit(now, out);
        self.fast_path = self.may_take_fast_path();
    }

    /// Counts what was sent from `start` on, but for the packets after the first.
    #[inline(always)]
    fn count_filled(&mut self, now: Time, start: u64) {
        self.stats.sent_packets += 1;
        self.stats.sent_bytes += self.nxt - start;
        self.last_sent = now;
        if self.rto_at == Time::NEVER {
            self.arm(now);
        }
    }

    /// True if a full segment of new data ends at or before `allowed`, which is before the end of
    /// the stream: so it is not the last.
    #[inline(always)]
    fn has_segment(&self, allowed: u64) -> bool {
        self.nxt + self.mss <= allowed
    }

    /// More segments up to `allowed`.
    #[inline(never)]
    fn send_burst(&mut self, now: Time, allowed: u64, out: &mut impl Outbox) {
        while self.has_segment(allowed) {
            self.send_next(now, 0, out);
            self.stats.sent_packets += 1;
        }
    }

    /// Segments up to `allowed`, in whole bursts whose last has PSH.
    #[inline(never)]
    fn fill_in_bursts(&mut self, now: Time, edge: u64, allowed: u64, out: &mut impl Outbox) {
        if !self.has_segment(allowed) {
            return;
        }
        let most = self.burst_segments();
        let allowed = allowed.min(self.end_of_bursts(most, edge));
        if !self.has_segment(allowed) {
            return;
        }
        let (start, mut left) = (self.nxt, (allowed - self.nxt) / self.mss);
        self.stats.sent_packets += left - 1;
        while left > 0 {
            let burst = left.min(most);
            for behind in (0..burst).rev() {
                let last = behind == 0 && burst > 1;
                self.send_next(now, if last { flag::PSH } else { 0 }, out);
            }
            left -= burst;
        }
        self.count_filled(now, start);
    }

    /// Informs the detector of a segment of new data; true if nothing else is to be informed.
    #[inline(always)]
    fn detector_knows(&mut self, now: Time, from: u64, to: u64) -> bool {
        !self.cc.sees_segments() && self.detect.on_sent_new(now, from, to)
    }

    /// A full segment of new data that is not the last. The caller counts it, and arms the timer.
    #[inline(always)]
    fn send_next(&mut self, now: Time, flags: u8, out: &mut impl Outbox) {
        let (from, to) = (self.nxt, self.nxt + self.mss);
        let tag = if self.informed && !self.detector_knows(now, from, to) {
            self.inform(now, (from, to), to, false)
        } else {
            Tag(0)
        };
        let mut extra = None;
        if tag.0 != 0 {
            extra = Some(self.note_tag(from, to, tag, false));
            self.fast_path = false;
        }
        (self.nxt, self.high) = (to, to);
        let segment = self.new_data(now, from, to);
        out.send(Segment { flags, ..segment }, extra);
    }

    /// The segment of a full one of new data, which is timed if none is.
    #[inline(always)]
    fn new_data(&mut self, now: Time, from: u64, to: u64) -> Segment {
        if !self.timestamps && self.timed_end == 0 {
            (self.timed_end, self.timed_at) = (to, now);
        }
        let ts = if self.timestamps { timestamp(self.clock.tick(now)) } else { 0 };
        let ip_len = (u64::from(self.overhead) + self.mss) as u16;
        Segment { seq: from as u32, ts, ip_len, flags: 0, ecn: self.ect }
    }
}
