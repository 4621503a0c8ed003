//! Output: selects and sends the next segment.
use super::{Sender, Stage, flight};
use dumbbell_core::packet::Ecn;
use dumbbell_core::transport::segment::{Extra, Outbox, Segment, Special, flag, timestamp};
use dumbbell_core::transport::{CongestionControl, Detect, Phase, Pick, Recover, Sent, Tag};
use dumbbell_core::units::Time;

/// The segment that a recovery selects.
pub(super) struct Repair {
    pub pick: Pick,
    /// Its first byte.
    pub from: u64,
    /// The byte after its last.
    pub to: u64,
    /// Bytes that may be sent now.
    pub room: u64,
}

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// Sends what the windows, the recovery and the pacing allow.
    #[inline(never)]
    pub(super) fn transmit(&mut self, now: Time, out: &mut impl Outbox) {
        self.transmit_inline(now, out);
    }

    /// [`Self::transmit`], inlined for the hot path.
    #[inline(always)]
    pub(super) fn transmit_inline(&mut self, now: Time, out: &mut impl Outbox) {
        if self.pushes {
            self.transmit_in_bursts(now, out);
        } else {
            self.transmit_all(now, u64::MAX, out);
        }
    }

    /// [`Self::transmit`] without PSH; in order, only what ends at or before `bursts`.
    #[inline(always)]
    pub(super) fn transmit_all(&mut self, now: Time, bursts: u64, out: &mut impl Outbox) {
        if self.frozen || self.stage != Stage::Established {
            return;
        }
        (self.blocked, self.pacing) = (false, false);
        let start = self.nxt;
        if self.phase == Phase::Open && self.spare + self.beyond == 0 && !self.searching {
            // Nearly every call ends here: full segments in order, until a window is full.
            let edge = self.limit.min(self.una + self.window);
            let allowed = edge.min(self.una + self.cc.cwnd()).min(bursts);
            while self.nxt + self.mss <= allowed {
                if self.spaced && !self.released(now) {
                    return;
                }
                self.nxt = self.emit(now, self.nxt, self.nxt + self.mss, Tag(0), out);
            }
            if self.nxt + self.mss <= self.limit && self.nxt > self.una {
                self.filled_to(edge, start);
                return;
            }
        }
        let limited = self.window_limited;
        self.transmit_with_care(now, out);
        if self.by_rounds && !self.window_limited {
            self.ends_short_of_the_window(start, limited);
        }
    }

    /// No further segment fits. It is the congestion window that has no room, unless the receiver's
    /// ends before the segment would, at `edge`. `start` was SND.NXT before.
    #[inline(always)]
    pub(super) fn filled_to(&mut self, edge: u64, start: u64) {
        let limited = self.nxt + self.mss <= edge;
        if limited | !self.by_rounds {
            self.window_limited = limited;
        } else {
            self.ends_short_of_the_window(start, self.window_limited);
        }
    }

    /// The general case: recovery, going back, the last segment, a small window.
    #[cold]
    fn transmit_with_care(&mut self, now: Time, out: &mut impl Outbox) {
        if self.searching && self.try_probe(now, out) {
            // The window opens until a probe has room.
        } else if self.cold.frto.waits() {
            // F-RTO's two new segments decide what goes next.
        } else if self.metered() {
            while let Some(repair) = self.next_repair() {
                if repair.to - repair.from > repair.room || !self.released(now) {
                    break;
                }
                self.send_repair(now, repair, out);
            }
        } else {
            while let Some(to) = self.next_in_order() {
                if !self.released(now) {
                    break;
                }
                let from = self.nxt;
                if self.spare > 0 && self.in_the_window() + (to - from) > self.cc.cwnd() {
                    self.limited_sent += to - from;
                }
                self.nxt = self.send(now, from, to, Tag(0), out);
            }
        }
        if self.blocked && self.rto_at == Time::NEVER {
            self.arm(now);
        }
    }

    /// True if a recovery, or a detector that knows single segments, selects the next segment.
    fn metered(&self) -> bool {
        self.phase == Phase::Recovery || (self.phase == Phase::Loss && self.detect.by_segment())
    }

    /// Sends the data that a recovery picked.
    fn send_repair(
        &mut self,
        now: Time,
        Repair { pick, from, to, .. }: Repair,
        out: &mut impl Outbox,
    ) {
        let after = self.send(now, from, to, Tag(0), out);
        if pick == Pick::New {
            self.nxt = after;
        }
        if self.phase == Phase::Recovery {
            self.recover.on_sent(pick, from, after);
        }
    }

    /// Sends the segment that would go next if the congestion window had room; false if none waits,
    /// or the receiver has no room for it.
    pub(super) fn send_ahead(&mut self, now: Time, out: &mut impl Outbox) -> bool {
        if self.frozen || self.stage != Stage::Established || self.cold.frto.waits() {
            return false;
        }
        if self.metered() {
            let Some(repair) = self.next_repair() else { return false };
            self.send_repair(now, repair, out);
        } else {
            let Some(to) = self.next_for_the_receiver() else { return false };
            self.nxt = self.send(now, self.nxt, to, Tag(0), out);
        }
        true
    }

    /// The end of the segment at SND.NXT, if it may go: slow start, congestion avoidance, going
    /// back.
    fn next_in_order(&mut self) -> Option<u64> {
        let to = self.next_for_the_receiver()?;
        let after = self.in_the_window() + (to - self.nxt);
        if after > self.cc.cwnd() + self.spare {
            self.window_limited = true;
            return None;
        }
        Some(to)
    }

    /// The end of the segment at SND.NXT, whatever the congestion window.
    fn next_for_the_receiver(&mut self) -> Option<u64> {
        let mut hole = u64::MAX;
        if !self.board.is_empty() {
            self.nxt = self.board.skip(self.nxt).unwrap_or(self.nxt);
            hole = self.board.next_start(self.nxt).unwrap_or(u64::MAX);
        }
        let to = self.limit.min(self.nxt + self.mss).min(hole);
        if self.nxt >= to && self.nxt >= self.end() {
            self.window_limited = false;
            return None;
        }
        let (edge, to) = (self.una + self.window, to.max(self.nxt));
        let to = if to <= edge {
            to
        } else if self.nxt == self.una && edge > self.nxt {
            // A window smaller than a segment, and nothing in flight to open it (RFC 9293 section
            // 3.8.6.2.1).
            edge
        } else {
            (self.window_limited, self.blocked) = (false, true);
            return None;
        };
        let short = to < self.nxt + self.mss && self.nxt == self.high;
        if short && self.cold.config.nagle && self.nxt > self.una && !self.closed {
            self.window_limited = false;
            return None;
        }
        Some(to)
    }

    /// Bytes before SND.NXT that count against cwnd: not those sent beyond it, and when everything
    /// is sent again not those that the receiver holds.
    fn in_the_window(&self) -> u64 {
        let held =
            if self.phase == Phase::Loss { self.board.bytes_within(self.una, self.nxt) } else { 0 };
        (self.nxt - self.una).saturating_sub(self.beyond + held)
    }

    /// The next data of the recovery, cut to a segment, and the number of bytes for which there is
    /// room.
    fn next_repair(&mut self) -> Option<Repair> {
        if self.phase == Phase::Loss {
            return self.next_after_timeout();
        }
        let flight = flight!(self);
        let pick = self.recover.next(&flight, &self.detect)?;
        let (from, to) = self.cut(pick)?;
        Some(Repair { pick, from, to, room: self.recover.room(&flight, &self.detect) })
    }

    /// The segment of a pick, if there is one and the receiver has room for it.
    pub(super) fn cut(&self, pick: Pick) -> Option<(u64, u64)> {
        let (from, to) = match pick {
            Pick::New if self.high >= self.end() => return None,
            Pick::New => (self.high, self.limit.min(self.high + self.mss)),
            Pick::Again(from, to) | Pick::Rescue(from, to) => {
                (from, to.min(from + self.mss).min(self.limit.max(from)))
            }
        };
        let edge = (self.una + self.window).min(self.cold.send_buffer.end);
        (pick != Pick::New || to <= edge).then_some((from, to))
    }

    /// Sends the first unacknowledged segment again, whatever the window.
    #[cold]
    pub(super) fn resend_head(&mut self, now: Time, out: &mut impl Outbox) {
        if self.frozen || self.una >= self.high {
            return;
        }
        let (from, end) = match self.detect.next_lost(&self.board, self.una) {
            Some(lost) if self.detect.by_segment() => lost,
            _ => (self.una, u64::MAX),
        };
        let hole = self.board.next_start(from).unwrap_or(u64::MAX).min(end);
        let to = self.limit.min(from + self.mss).min(hole).min(self.high).max(from);
        let after = self.send(now, from, to, Tag(0), out);
        self.recover.on_sent(Pick::Again(from, after), from, after);
    }

    /// [`Self::emit`], out of line: the one copy inside the hot loop is enough.
    #[inline(never)]
    pub(super) fn send(
        &mut self,
        now: Time,
        from: u64,
        to: u64,
        extra_tag: Tag,
        out: &mut impl Outbox,
    ) -> u64 {
        self.emit(now, from, to, extra_tag, out)
    }

    /// One segment with bytes `[from, to)`, and the FIN if they are the last; returns the offset
    /// after it.
    #[inline(always)]
    fn emit(
        &mut self,
        now: Time,
        from: u64,
        to: u64,
        extra_tag: Tag,
        out: &mut impl Outbox,
    ) -> u64 {
        let fin = to == self.limit && self.fin > 0;
        let after = to + u64::from(fin);
        let retransmit = from < self.high;
        let own_tag =
            if self.informed { self.inform(now, (from, to), after, retransmit) } else { Tag(0) };
        let mut flags = if fin { flag::FIN } else { 0 };
        if to == self.limit && self.pushes {
            flags |= flag::PSH;
        }
        let mut ecn = Ecn::NotEct;
        if retransmit {
            flags |= flag::RETRANSMIT;
            if self.ect == Ecn::Ect1 {
                // All of an L4S flow is to go through one queue (RFC 9331 section 4.1).
                ecn = Ecn::Ect1;
            }
            self.stats.retransmits += 1;
            self.timed_end = 0;
            self.cold.episode.note(from, after, self.clock.tick(now));
        } else {
            if self.ecn && to > from {
                ecn = self.ect;
                if self.cwr_due {
                    flags |= flag::CWR;
                    self.cwr_due = false;
                }
            }
            if !self.timestamps && self.timed_end == 0 {
                (self.timed_end, self.timed_at) = (after, now);
            }
        }
        let tag = if extra_tag.0 != 0 { extra_tag } else { own_tag };
        let extra =
            if tag.0 != 0 { Some(self.note_tag(from, after, tag, extra_tag.0 != 0)) } else { None };
        let ts = if self.timestamps { timestamp(self.clock.tick(now)) } else { 0 };
        let ip_len = (u64::from(self.overhead) + (to - from)) as u16;
        if self.spaced {
            self.pace(now, u64::from(ip_len));
        }
        self.high = self.high.max(after);
        self.stats.sent_packets += 1;
        self.stats.sent_bytes += to - from;
        self.last_sent = now;
        if self.rto_at == Time::NEVER {
            self.arm(now);
        }
        out.send(Segment { seq: from as u32, ts, ip_len, flags, ecn }, extra);
        after
    }

    /// Tells the congestion control and the detector of a segment; the tag that the former writes
    /// on it.
    #[inline(never)]
    pub(super) fn inform(
        &mut self,
        now: Time,
        (from, to): (u64, u64),
        after: u64,
        retransmit: bool,
    ) -> Tag {
        let mut sent = Sent::new(now, from, to - from, retransmit, self.nxt - self.una);
        sent.end = after;
        self.detect.on_sent(&sent);
        if self.rated {
            self.rate_sent(now, from, after);
        }
        if self.cc.sees_segments() { self.cc.on_sent(&sent) } else { Tag(0) }
    }

    /// Remembers a tagged segment; new data beyond the window is not counted by the window. A tag
    /// that is a color stays here: the packet has the codepoint, and the receiver is not to answer
    /// it for that.
    #[cold]
    pub(super) fn note_tag(&mut self, from: u64, to: u64, tag: Tag, extra: bool) -> Extra {
        let beyond = extra && from >= self.high;
        if beyond {
            self.beyond += to - from;
        }
        self.tagged = true;
        self.cold.tags.add((from, to), tag, beyond, from < self.high);
        let dscp = self.cc.algorithm().codepoint(tag);
        match dscp {
            Some(dscp) => Extra { special: Special::Color(dscp), ..Extra::default() },
            None => Extra { tag: tag.0, ..Extra::default() },
        }
    }
}
