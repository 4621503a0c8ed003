//! Processing of acknowledgments.
use super::{Sender, Stage};
use crate::sender::ack_info::{AckInfo, AckReport};
use dumbbell_core::transport::segment::{
    Extra, Outbox, Segment, TS_UNIT_SHIFT, flag, since_timestamp, widen,
};
use dumbbell_core::transport::{
    Ack, Cause, Congestion, CongestionControl, Detect, Phase, Recover, Tag,
};
use dumbbell_core::units::{Span, Time};

/// The round-trip times that an acknowledgment tells.
#[derive(Clone, Copy, Default)]
pub(super) struct Sampled {
    /// For the congestion control, and for the smallest time of the connection.
    pub control: Option<Span>,
    /// For the timeout.
    pub timer: Option<Span>,
}

/// The information in an acknowledgment beside its number.
#[derive(Clone, Copy, Default)]
struct News {
    sacked: u64,
    window_changed: bool,
    /// True if it reports a duplicate (RFC 2883).
    duplicate: bool,
    tag: Tag,
    /// True if it answers a dummy segment, and says nothing about other segments.
    dummy: bool,
    peer_clock: Option<Time>,
    /// True if the receiver says that it has moved, for the first time.
    moved: bool,
}

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// A segment of the receiver's arrives.
    #[inline]
    pub fn on_segment(&mut self, now: Time, s: &Segment, x: Option<&Extra>, out: &mut impl Outbox) {
        if x.is_some() || !self.take_expected(now, s, out) {
            self.on_special(now, *s, x, out);
        }
    }

    /// A segment that cannot take the fast path. It comes by value, so that the fast path need not
    /// have it in memory.
    #[inline(never)]
    fn on_special(&mut self, now: Time, s: Segment, x: Option<&Extra>, out: &mut impl Outbox) {
        let s = &s;
        self.settle_timers();
        if s.flags & flag::SYN != 0 {
            self.on_syn_ack(now, s, x.unwrap_or(&Extra::default()), out);
        } else if self.stage == Stage::Established && s.flags & flag::ACK != 0 {
            self.on_ack(now, s, x, out);
        }
        self.settle(now);
    }

    #[inline]
    fn on_ack(&mut self, now: Time, s: &Segment, x: Option<&Extra>, out: &mut impl Outbox) {
        let una = widen(s.seq, self.una);
        if una < self.una || una > self.high {
            return;
        }
        if self.rated {
            self.rate_check();
        }
        let acked = una - self.una;
        let in_flight = self.nxt.max(una) - self.una;
        let news = match x {
            None if self.window == self.open_window => News::default(),
            None => News { window_changed: self.set_window(self.open_window), ..News::default() },
            Some(x) => self.read_extra(now, una, x),
        };
        if self.attentive {
            self.cold.report.echo = self.timestamps.then(|| echoed(now, s.ts));
        }
        let thaws = self.cold.freeze.thaws;
        // The acknowledgment that thaws a connection waited for the path, so it gives no round-trip
        // time.
        let rtt = if thaws {
            Sampled::default()
        } else if self.by_segments {
            self.measure_segments(now, s.ts, una)
        } else {
            let one = if acked > 0 { self.measure(now, s.ts, una) } else { None };
            Sampled { control: one, timer: one }
        };
        if let Some(r) = rtt.control {
            self.rtt.seen(r);
        }

        let mut ack = Ack::default();
        (ack.now, ack.acked, ack.sacked) = (now, acked, news.sacked);
        if acked > 0 && !self.board.is_empty() && self.cold.config.growth_by_delivered {
            ack.acked += news.sacked;
            ack.acked -= self.board.bytes_within(self.una, una);
        }
        (ack.una, ack.nxt, ack.in_flight) = (una, self.nxt.max(una), in_flight);
        (ack.rtt, ack.srtt, ack.min_rtt) = (rtt.control, self.rtt.srtt(), self.rtt.min_rtt());
        (ack.window, ack.tag) = (self.window, news.tag);
        ack.gaps = x.is_some_and(|x| x.blocks > u8::from(news.duplicate));
        (ack.ece, ack.marked) = self.echoed_marks(s.flags, x, acked + news.sacked);
        (ack.peer_clock, ack.peer_tick, ack.moved) = (news.peer_clock, self.clock.0, news.moved);
        ack.reverse_delay = news.peer_clock.map(|peer| now.since(peer));
        ack.window_limited = self.may_grow() && una > self.held_until;
        (ack.paced, ack.phase) = (self.paced, self.phase);
        if self.rated {
            ack.rate = self.rate_sample(now, una);
        }
        self.cc.on_ack(&ack);
        if self.cc.command_pending() {
            self.obey_timer(now);
        }
        if let Some(r) = rtt.timer {
            self.take_sample(r, una);
        }

        if acked > 0 {
            self.advance(now, una, acked, news.sacked, out);
        } else if self.is_duplicate(una, &news) && !self.announces_again() {
            self.on_duplicate(now, news.sacked, out);
        }
        if thaws {
            self.thaw(now);
        }
        if self.attentive && (news.duplicate || self.probing) {
            if news.duplicate {
                self.on_report(now);
            }
            if self.probing {
                let plain = acked == 0 && news.sacked == 0;
                self.on_ack_while_probing(now, plain, news.duplicate, out);
            }
        }
        if ack.ece {
            self.on_ecn_echo(now, una, out);
        }
        if self.searching {
            self.look_for_trial(now);
        }
        self.apply_commands(now, out);
        self.transmit_inline(now, out);
    }

    /// A round-trip sample from an ACK that moves SND.UNA to `una`: by timestamps, or by Karn's
    /// rule from the one segment that is timed.
    #[inline(always)]
    pub(super) fn measure(&mut self, now: Time, ts: u32, una: u64) -> Option<Span> {
        if self.timestamps {
            return Some(self.clock.round(since_timestamp(self.clock.tick(now), ts)));
        }
        if self.timed_end == 0 || una < self.timed_end {
            return None;
        }
        self.timed_end = 0;
        Some(self.clock.round(now.since(self.timed_at)))
    }

    /// The round-trip times of the last segment and of the first one that an ACK of everything
    /// below `una` answers; where there is none, the timeout has that of its timestamp.
    #[inline(always)]
    pub(super) fn measure_segments(&mut self, now: Time, ts: u32, una: u64) -> Sampled {
        let Some((first, last)) = self.detect.answered(una) else {
            let timer = if una > self.una { self.measure(now, ts, una) } else { None };
            return Sampled { control: None, timer };
        };
        let control = Some(self.clock.round(now.since(last)));
        let one = first == last;
        let timer = if one { control } else { Some(self.clock.round(now.since(first))) };
        Sampled { control, timer }
    }

    /// Takes a sample for the timeout from an ACK of everything below `una`.
    #[inline]
    pub(super) fn take_sample(&mut self, rtt: Span, una: u64) {
        self.rtt.sample(rtt, una, self.nxt.max(una));
        self.stats.rtt_samples += 1;
        self.stats.rtt_sum = self.stats.rtt_sum + rtt;
    }

    /// Reads SACK blocks, the window, the peer's clock and a tag.
    #[cold]
    fn read_extra(&mut self, now: Time, una: u64, x: &Extra) -> News {
        let (mut sacked, mut duplicate) = (0, false);
        if self.sack {
            self.cold.report = AckReport { echo: self.cold.report.echo, ..AckReport::default() };
            let mut blocks = [(0, 0); 4];
            for (block, (from, to)) in blocks.iter_mut().zip(x.blocks()) {
                *block = (widen(*from, una), widen(*to, una));
            }
            let blocks = &blocks[..usize::from(x.blocks)];
            if reports_duplicate(blocks, una) {
                duplicate = true;
                self.cold.report.duplicate = blocks[0];
                self.stats.spurious_retransmits += 1;
                self.detect.on_duplicate_report(una, self.high);
            }
            for (from, to) in blocks.iter().skip(usize::from(duplicate)) {
                if from < to && *to <= self.high {
                    sacked += self.take_block(now, (*from).max(una), *to);
                }
            }
        }
        let peer_clock = self.timestamps.then(|| {
            let near = now.ps() >> TS_UNIT_SHIFT;
            Time::from_ps(widen(x.ts_val, near) << TS_UNIT_SHIFT)
        });
        let window_changed = self.set_window(u64::from(x.window));
        let moved = std::mem::replace(&mut self.cold.moves, x.moved) != x.moved;
        News {
            sacked,
            window_changed,
            duplicate,
            tag: Tag(x.tag),
            dummy: x.dummy,
            peer_clock,
            moved,
        }
    }

    /// A SACK block, without what lies below SND.UNA; returns how many of its bytes are new.
    fn take_block(&mut self, now: Time, from: u64, to: u64) -> u64 {
        if from >= to {
            return 0;
        }
        let cold = &mut *self.cold;
        cold.fresh.clear();
        self.board.missing(from, to, &mut cold.fresh);
        if cold.fresh.is_empty() {
            return 0;
        }
        for (from, to) in &cold.fresh {
            cold.report.take(*from, *to);
            self.detect.on_sacked(now, *from, *to);
            if let Some(rates) = &mut cold.rates {
                rates.on_sacked(now, *from, *to);
            }
        }
        self.board.insert(from, to)
    }

    /// Takes the window; a window that opens stops the persist timer.
    #[cold]
    fn set_window(&mut self, window: u64) -> bool {
        let changed = window != self.window;
        if changed && self.una == self.nxt {
            self.rto_at = Time::NEVER;
        }
        let before = std::mem::replace(&mut self.window, window);
        self.note_window(before);
        changed
    }

    /// RFC 5681 section 2, RFC 6675 section 2.
    fn is_duplicate(&self, una: u64, news: &News) -> bool {
        una < self.high
            && !news.dummy
            && if self.sack { news.sacked > 0 } else { !news.window_changed && self.nxt > self.una }
    }

    /// SND.UNA moves.
    #[inline]
    fn advance(&mut self, now: Time, una: u64, acked: u64, sacked: u64, out: &mut impl Outbox) {
        self.una = una;
        self.nxt = self.nxt.max(una);
        let mut info = AckInfo { acked, sacked, delivered: acked + sacked };
        if !self.board.is_empty() {
            info.delivered -= self.board.advance(una);
        }
        if self.tagged {
            self.beyond -= self.cold.tags.acknowledged(una);
            self.tagged = !self.cold.tags.is_empty();
        }
        if self.detect.by_segment() {
            return self.on_ack_info(now, info, out);
        }
        if self.phase == Phase::Recovery {
            return self.repair(now, info, out);
        }
        if self.phase == Phase::Loss {
            self.on_loss_ack(now, info, out);
        }
        if self.dupacks > 0 || self.detect.wants_every_ack() {
            self.dupacks = 0;
            (self.spare, self.limited_sent) = (0, 0);
            self.consult(now, info, out);
        }
        self.restart_timer(now);
    }

    #[cold]
    fn on_duplicate(&mut self, now: Time, sacked: u64, out: &mut impl Outbox) {
        self.dupacks += 1;
        let info =
            AckInfo { acked: 0, sacked, delivered: if self.sack { sacked } else { self.mss } };
        if self.detect.by_segment() {
            return self.on_ack_info(now, info, out);
        }
        match self.phase {
            Phase::Open => self.consult(now, info, out),
            Phase::Recovery => self.repair(now, info, out),
            Phase::Loss => self.on_loss_ack(now, info, out),
        }
    }

    /// RFC 3168 section 6.1.2: once per window of data, and not beside a loss of the same window.
    #[cold]
    fn on_ecn_echo(&mut self, now: Time, una: u64, out: &mut impl Outbox) {
        // A retransmission of a segment that was too large is no reaction to congestion.
        let repairs =
            self.phase != Phase::Open && !(self.phase == Phase::Loss && self.cold.refitting);
        if !self.ecn || una <= self.ecn_point || repairs {
            return;
        }
        self.stats.ecn_reductions += 1;
        self.reduced();
        let flight = self.nxt - self.una;
        let in_flight = if self.cold.config.reduces_window { self.cc.cwnd() } else { flight };
        if self.cold.config.ecn_holds_window {
            self.held_until = self.high;
        }
        let event = Congestion::new(now, Cause::Ecn, in_flight, &[]);
        self.cc.on_congestion(&event);
        self.apply_commands(now, out);
    }

    /// The window was reduced: echoes of what is outstanding tell nothing new, and the receiver is
    /// to know.
    pub(super) fn reduced(&mut self) {
        self.ecn_point = self.high;
        self.cwr_due = self.ecn && self.latched;
        self.cold.episode.close();
    }
}

/// The timestamp that an acknowledgment echoes.
pub(super) fn echoed(now: Time, ts: u32) -> Time {
    Time::from_ps(widen(ts, now.ps() >> TS_UNIT_SHIFT) << TS_UNIT_SHIFT)
}

/// RFC 2883 section 4: the first block reports a duplicate if it lies below the cumulative
/// acknowledgment, or within the second one.
fn reports_duplicate(blocks: &[(u64, u64)], una: u64) -> bool {
    match blocks {
        [first, ..] if first.1 <= una => true,
        [first, second, ..] => second.0 <= first.0 && first.1 <= second.1,
        _ => false,
    }
}
