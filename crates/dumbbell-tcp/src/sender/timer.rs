//! The sender's timers: retransmission, persist, pacing, and those of its algorithms.
use super::{Sender, Stage};
use dumbbell_core::transport::segment::Outbox;
use dumbbell_core::transport::{Cause, Congestion, CongestionControl, Detect, Recover, Tag};
use dumbbell_core::units::Time;

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// Handles the timers that are due at [`Self::deadline`].
    pub fn on_deadline(&mut self, now: Time, out: &mut impl Outbox) {
        self.settle_timers();
        if self.rated {
            self.rate_check();
        }
        if self.cc.timer() <= now {
            self.cc.on_timer(now);
            self.apply_commands(now, out);
        }
        if self.detect.deadline() <= now {
            let finding = self.detect.on_deadline(now, &self.board);
            self.rate_losses();
            if !self.is_cut_off() {
                self.on_finding(now, finding, out);
            }
        }
        if self.raising && self.raise_at() <= now {
            self.raise();
        }
        if self.tail_probes && self.probe_due <= now {
            self.send_probe(now, out);
        }
        if self.rto_at <= now {
            self.on_expiry(now, out);
        }
        self.transmit(now, out);
        self.settle(now);
    }

    /// Starts the retransmission timer.
    #[inline]
    pub(super) fn arm(&mut self, now: Time) {
        self.rto_started = now;
        self.rto_at = self.timer.fires(now, self.rtt.rto());
    }

    /// [`Self::restart_timer`] on the fast path. [`Self::settle_expected`] follows.
    #[inline(always)]
    pub(super) fn restart_expected(&mut self, now: Time) {
        if self.una == self.high {
            self.rto_at = Time::NEVER;
        } else {
            self.rto_started = now;
        }
    }

    /// [`Self::settle`] on the fast path, where the timers that run were started at `now`. Nearly
    /// always they fire later than was known before. Then the known deadline stays as a bound, and
    /// [`Self::settle_timers`] computes the timers when they are needed.
    #[inline(always)]
    pub(super) fn settle_expected(&mut self, now: Time) {
        let (rto, srtt) = (self.rtt.rto(), self.rtt.srtt().unwrap_or_default());
        let least = if self.tail_probes { rto.min(srtt * 2) } else { rto };
        self.postponed = true;
        if self.rto_at == Time::NEVER || self.next > now + least || self.raising {
            self.settle_timers();
        }
    }

    /// Computes the timers that the fast path has postponed.
    #[inline]
    pub fn settle_timers(&mut self) {
        if self.postponed {
            (self.rto_at, self.probe_due, self.next) = self.postponed_timers();
            self.postponed = false;
            debug_assert!(!self.tail_probes || self.probe_due == self.probe_at());
        }
    }

    /// The times of the postponed timers: retransmission, tail loss probe, and the next deadline.
    pub(super) fn postponed_timers(&self) -> (Time, Time, Time) {
        let (mut rto_at, mut probe_due) = (Time::NEVER, Time::NEVER);
        if self.rto_at != Time::NEVER {
            let started = self.rto_started;
            rto_at = self.timer.fires(started, self.rtt.rto());
            if self.tail_probes && self.una < self.high {
                probe_due = self.timer.probes(started, self.probe_span()).min(rto_at);
            }
        }
        let raise_at = if self.raising { self.raise_at() } else { Time::NEVER };
        (rto_at, probe_due, rto_at.min(probe_due).min(self.detect.deadline()).min(raise_at))
    }

    /// RFC 6298 (5.2), (5.3): stops it when all is acknowledged, else starts it anew.
    #[inline]
    pub(super) fn restart_timer(&mut self, now: Time) {
        if self.una == self.high || self.frozen {
            self.rto_at = Time::NEVER;
        } else {
            self.arm(now);
        }
    }

    fn on_expiry(&mut self, now: Time, out: &mut impl Outbox) {
        if self.stage == Stage::Opening {
            self.cold.syn_resent = true;
            self.rtt.expired();
            self.send_syn(now, out);
        } else if self.window == 0 {
            self.probe_window(now, out);
        } else if self.una < self.high {
            self.on_timeout(now, out);
        } else {
            // A window too small for what waits: nothing is lost, the next acknowledgment opens
            // it.
            self.rto_at = Time::NEVER;
        }
    }

    /// RFC 6298 section 5, RFC 5681 section 3.1: back to one segment, everything outstanding is
    /// sent again.
    fn on_timeout(&mut self, now: Time, out: &mut impl Outbox) {
        self.stats.rtos += 1;
        let flight = self.nxt - self.una - self.limited_sent.min(self.nxt - self.una);
        // A recovery sends new data until the timer expires, for what SACK or duplicates report.
        // All of it counts as FlightSize, but it is no window that the network ever held (RFC 5681
        // equation 4: *no more than* half of it).
        let in_flight = self.reducible(flight);
        let first = self.cold.rto_una != self.una;
        self.cold.rto_una = self.una;
        self.cold.stuck = if first { 1 } else { self.cold.stuck.saturating_add(1) };
        if self.counts_timeouts() {
            self.size_at_timeout();
        }
        if self.board.skip(self.una).is_some() {
            // The receiver dropped what it had reported (RFC 2018 section 8).
            self.board.clear();
        }
        self.beyond -= self.cold.tags.take_lost(self.high, self.una, true, &self.board);
        self.cold.frto = self.frto_at_timeout(first);
        self.detect.on_timeout(now, self.una, &self.board);
        self.rate_timeout();
        let kept = self.nxt;
        self.go_back();
        self.timed_end = 0;
        self.detect.settled();
        self.reduced();
        self.rtt.expired();
        self.arm(now);
        let event =
            Congestion::new(now, Cause::Timeout { first }, in_flight, self.cold.tags.lost());
        self.cc.on_congestion(&event);
        self.cold.episode.open(true);
        if self.detect.by_segment() {
            // Lost segments are retransmitted, the first one whatever the window; nothing else is.
            self.nxt = kept.max(self.high);
            self.resend_head(now, out);
        }
        self.apply_commands(now, out);
    }

    /// One byte into a closed window (RFC 9293 section 3.8.6.1), ever more rarely.
    fn probe_window(&mut self, now: Time, out: &mut impl Outbox) {
        self.rtt.expired();
        self.arm(now);
        if self.una < self.end() {
            self.stats.probes += 1;
            self.rate_probe();
            self.send(now, self.una, self.limit.min(self.una + 1), Tag(0), out);
        }
    }
}
