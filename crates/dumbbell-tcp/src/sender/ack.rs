//! What an acknowledgement changes.
use super::{Sender, Stage, flight};
use dumbbell_core::segment::{Extra, Outbox, Segment, TS_UNIT_SHIFT, flag, since_timestamp, widen};
use dumbbell_core::transport::{
    Ack, Cause, Congestion, CongestionControl, Detect, Evidence, Finding, Phase, Recover, Step, Tag,
};
use dumbbell_core::units::{Span, Time};

/// What an acknowledgement told beside its number.
#[derive(Clone, Copy, Default)]
struct News {
    sacked: u64,
    window_changed: bool,
    tag: Tag,
    peer_clock: Option<Time>,
}

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// A segment of the receiver's arrives.
    pub fn on_segment(&mut self, now: Time, s: &Segment, x: Option<&Extra>, out: &mut impl Outbox) {
        if s.flags & flag::SYN != 0 {
            self.on_syn_ack(now, s, x.unwrap_or(&Extra::default()), out);
        } else if self.stage == Stage::Established && s.flags & flag::ACK != 0 {
            self.on_ack(now, s, x, out);
        }
        self.settle();
    }

    #[inline]
    fn on_ack(&mut self, now: Time, s: &Segment, x: Option<&Extra>, out: &mut impl Outbox) {
        let una = widen(s.seq, self.una);
        if una < self.una || una > self.high {
            return;
        }
        let acked = una - self.una;
        let in_flight = self.nxt.max(una) - self.una;
        let news = match x {
            None if self.window == self.open_window => News::default(),
            None => News { window_changed: self.set_window(self.open_window), ..News::default() },
            Some(x) => self.read_extra(now, una, x),
        };
        let rtt = if acked > 0 { self.measure(now, s, una) } else { None };
        if let Some(r) = rtt {
            self.rtt.seen(r);
        }

        let mut ack = Ack::default();
        (ack.now, ack.acked, ack.sacked) = (now, acked, news.sacked);
        (ack.una, ack.nxt, ack.in_flight) = (una, self.nxt.max(una), in_flight);
        (ack.rtt, ack.srtt, ack.min_rtt) = (rtt, self.rtt.srtt(), self.rtt.min_rtt());
        (ack.window, ack.tag, ack.ece) = (self.window, news.tag, s.flags & flag::ECE != 0);
        ack.peer_clock = news.peer_clock;
        ack.reverse_delay = news.peer_clock.map(|peer| now.since(peer));
        (ack.window_limited, ack.phase) = (self.window_limited, self.phase);
        self.cc.on_ack(&ack, &mut self.orders);
        if self.orders.rto.is_some() {
            self.obey_timer();
        }
        if let Some(r) = rtt {
            self.take_sample(r);
        }

        if acked > 0 {
            self.advance(now, una, acked, news.sacked, out);
        } else if self.is_duplicate(una, &news) {
            self.on_duplicate(now, news.sacked, out);
        }
        if ack.ece {
            self.on_ecn_echo(now, una, out);
        }
        self.obey(now, out);
        self.transmit_inline(now, out);
    }

    /// A round-trip sample from an ACK that moves SND.UNA to `una`: by timestamps, or by Karn's rule from the one
    /// segment that is timed.
    #[inline]
    fn measure(&mut self, now: Time, s: &Segment, una: u64) -> Option<Span> {
        if self.timestamps {
            return Some(self.clock.round(since_timestamp(self.clock.tick(now), s.ts)));
        }
        if self.timed_end == 0 || una < self.timed_end {
            return None;
        }
        self.timed_end = 0;
        Some(self.clock.round(now.since(self.timed_at)))
    }

    #[inline]
    pub(super) fn take_sample(&mut self, rtt: Span) {
        self.rtt.sample(rtt);
        self.stats.rtt_samples += 1;
        self.stats.rtt_sum = self.stats.rtt_sum + rtt;
    }

    /// SACK blocks, the window, the peer's clock, a tag.
    #[cold]
    fn read_extra(&mut self, now: Time, una: u64, x: &Extra) -> News {
        let mut sacked = 0;
        if self.sack {
            for (i, (from, to)) in x.sack.iter().take(usize::from(x.blocks)).enumerate() {
                let (from, to) = (widen(*from, una), widen(*to, una));
                if i == 0 && to <= una {
                    self.stats.spurious_retransmits += 1;
                } else if from < to && to <= self.high {
                    sacked += self.board.insert(from.max(una), to);
                }
            }
        }
        let peer_clock = self.timestamps.then(|| {
            let near = now.ps() >> TS_UNIT_SHIFT;
            Time::from_ps(widen(x.ts_val, near) << TS_UNIT_SHIFT)
        });
        let window_changed = self.set_window(u64::from(x.window));
        News { sacked, window_changed, tag: Tag(x.tag), peer_clock }
    }

    /// Takes the window; a window that opens stops the persist timer.
    #[cold]
    fn set_window(&mut self, window: u64) -> bool {
        let changed = window != self.window;
        if changed && self.una == self.nxt {
            self.rto_at = Time::NEVER;
        }
        self.window = window;
        changed
    }

    /// RFC 5681 section 2, RFC 6675 section 2.
    fn is_duplicate(&self, una: u64, news: &News) -> bool {
        una < self.high && if self.sack { news.sacked > 0 } else { !news.window_changed && self.nxt > self.una }
    }

    /// SND.UNA moves.
    #[inline]
    fn advance(&mut self, now: Time, una: u64, acked: u64, sacked: u64, out: &mut impl Outbox) {
        self.una = una;
        self.nxt = self.nxt.max(una);
        if !self.board.is_empty() {
            self.board.advance(una);
        }
        if self.tagged {
            self.beyond -= self.cold.tags.acknowledged(una);
            self.tagged = !self.cold.tags.is_empty();
        }
        if self.phase == Phase::Recovery {
            return self.repair(now, acked, sacked, out);
        }
        if self.phase == Phase::Loss && una >= self.recover_point {
            self.phase = Phase::Open;
        }
        if self.dupacks > 0 || self.detect.wants_every_ack() {
            self.dupacks = 0;
            (self.spare, self.limited_sent) = (0, 0);
            self.consult(now, acked, sacked, out);
        }
        self.restart_timer(now);
    }

    #[cold]
    fn on_duplicate(&mut self, now: Time, sacked: u64, out: &mut impl Outbox) {
        self.dupacks += 1;
        match self.phase {
            Phase::Open => self.consult(now, 0, sacked, out),
            Phase::Recovery => self.repair(now, 0, sacked, out),
            Phase::Loss => {}
        }
    }

    /// Asks the detector, outside recovery.
    #[cold]
    fn consult(&mut self, now: Time, acked: u64, sacked: u64, out: &mut impl Outbox) {
        let mut e = Evidence::default();
        (e.now, e.acked, e.sacked, e.dupacks) = (now, acked, sacked, self.dupacks);
        (e.una, e.high, e.cwnd) = (self.una, self.high, self.cc.cwnd());
        e.slow_start = self.cc.ssthresh().is_some_and(|s| e.cwnd < s);
        (e.srtt, e.min_rtt, e.rto, e.phase) = (self.rtt.srtt(), self.rtt.min_rtt(), self.rtt.rto(), self.phase);
        let finding = self.detect.on_ack(&e, &self.board);
        self.conclude(now, finding, out);
    }

    /// Acts on a detector's finding.
    #[cold]
    pub(super) fn conclude(&mut self, now: Time, finding: Finding, out: &mut impl Outbox) {
        match finding {
            Finding::Nothing => {}
            Finding::Suspicion(spare) => self.spare = spare,
            Finding::Loss if self.phase != Phase::Open => {}
            Finding::Loss if self.recover.may_enter(self.una, self.recover_point) => self.enter_recovery(now, out),
            Finding::Loss => {}
        }
    }

    /// Fast retransmit: the window first, then the repair.
    #[cold]
    fn enter_recovery(&mut self, now: Time, out: &mut impl Outbox) {
        let in_flight = self.nxt - self.una - self.limited_sent;
        let below = self.detect.lost_below(&self.board);
        self.beyond -= self.cold.tags.take_lost(below, self.una, &self.board);
        self.phase = Phase::Recovery;
        self.recover_point = self.high;
        (self.spare, self.limited_sent) = (0, 0);
        self.stats.recoveries += 1;
        self.reduced();
        let event = Congestion::new(now, Cause::Loss, in_flight, &self.cold.tags.lost);
        self.cc.on_congestion(&event, &mut self.orders);
        let step = self.recover.enter(&flight!(self), self.dupacks);
        self.detect.settled();
        self.take(now, step, out);
        self.obey(now, out);
    }

    /// An acknowledgement in recovery.
    #[cold]
    fn repair(&mut self, now: Time, acked: u64, sacked: u64, out: &mut impl Outbox) {
        let step = self.recover.on_ack(&flight!(self), acked, sacked);
        if self.tagged && step.exit.is_none() {
            let below = self.detect.lost_below(&self.board);
            let head = if acked > 0 { self.una } else { 0 };
            self.beyond -= self.cold.tags.take_lost(below, head, &self.board);
            if !self.cold.tags.lost.is_empty() {
                let event = Congestion::new(now, Cause::Further, self.nxt - self.una, &self.cold.tags.lost);
                self.cc.on_congestion(&event, &mut self.orders);
            }
        }
        self.take(now, step, out);
        self.obey(now, out);
    }

    /// Does what a recovery asks.
    #[cold]
    fn take(&mut self, now: Time, step: Step, out: &mut impl Outbox) {
        if let Some(bound) = step.exit {
            self.phase = Phase::Open;
            self.dupacks = 0;
            self.detect.settled();
            self.cc.on_recovered(now, bound);
        }
        if step.go_back {
            self.go_back();
        }
        if step.restart_timer {
            self.restart_timer(now);
        }
        if step.resend {
            self.resend_head(now, out);
        }
    }

    /// Everything outstanding is to be sent again.
    pub(super) fn go_back(&mut self) {
        self.phase = Phase::Loss;
        self.recover_point = self.high;
        self.nxt = self.una;
        self.dupacks = 0;
        (self.spare, self.limited_sent) = (0, 0);
    }

    /// RFC 3168 section 6.1.2: once per window of data, and not beside a loss of the same window.
    #[cold]
    fn on_ecn_echo(&mut self, now: Time, una: u64, out: &mut impl Outbox) {
        if !self.ecn || una <= self.ecn_point || self.phase != Phase::Open {
            return;
        }
        self.stats.ecn_reductions += 1;
        self.reduced();
        let event = Congestion::new(now, Cause::Ecn, self.nxt - self.una, &[]);
        self.cc.on_congestion(&event, &mut self.orders);
        self.obey(now, out);
    }

    /// The window was reduced: echoes of what is outstanding tell nothing new, and the receiver is to know.
    pub(super) fn reduced(&mut self) {
        self.ecn_point = self.high;
        self.cwr_due = self.ecn;
    }
}
