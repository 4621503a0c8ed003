//! Loss recovery: from the detection of a loss to its repair.
use super::{Sender, flight};
use crate::sender::ack_info::AckInfo;
use dumbbell_core::transport::segment::Outbox;
use dumbbell_core::transport::{
    Cause, Congestion, CongestionControl, Detect, Evidence, Finding, Phase, Recover, Step,
};
use dumbbell_core::units::Time;

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// Asks the detector, outside recovery.
    #[cold]
    pub(super) fn consult(&mut self, now: Time, info: AckInfo, out: &mut impl Outbox) {
        let finding = self.examine(now, info);
        self.conclude(now, finding, info, out);
    }

    /// The finding of the detector.
    pub(super) fn examine(&mut self, now: Time, info: AckInfo) -> Finding {
        let mut e = Evidence::default();
        (e.now, e.acked, e.sacked, e.dupacks) = (now, info.acked, info.sacked, self.dupacks);
        (e.una, e.high, e.cwnd) = (self.una, self.high, self.cc.cwnd());
        e.slow_start = self.cc.ssthresh().is_some_and(|s| e.cwnd < s);
        (e.srtt, e.min_rtt, e.rto, e.phase) =
            (self.rtt.srtt(), self.rtt.min_rtt(), self.rtt.rto(), self.phase);
        (e.recover, e.echo) = (self.recover_point, self.cold.report.echo);
        let finding = self.detect.on_ack(&e, &self.board);
        if self.rated {
            self.rate_losses();
        }
        finding
    }

    /// Acts on a detector's finding.
    #[cold]
    pub(super) fn conclude(
        &mut self,
        now: Time,
        finding: Finding,
        info: AckInfo,
        out: &mut impl Outbox,
    ) {
        if self.searching && finding == Finding::Loss {
            if self.only_trial_lost() {
                return self.trial_failed(now, out);
            }
            if self.repairs_loss() {
                return self.keep_clocked();
            }
        }
        match finding {
            Finding::Nothing => {}
            Finding::Suspicion(spare) => self.spare = spare,
            Finding::Loss if self.phase != Phase::Open => {}
            Finding::Loss if self.recover.may_enter(self.una, self.recover_point) => {
                self.enter_recovery(now, info, out);
            }
            Finding::Loss => {}
        }
    }

    /// What a reduction takes from where `flight` bytes are outstanding: of a window that is larger
    /// only what is used, unless the profile says otherwise.
    pub(super) fn reducible(&self, flight: u64) -> u64 {
        let cwnd = self.cc.cwnd();
        if self.cold.config.reduces_window { cwnd } else { flight.min(cwnd) }
    }

    /// Fast retransmit: the window first, then the repair.
    #[cold]
    fn enter_recovery(&mut self, now: Time, info: AckInfo, out: &mut impl Outbox) {
        // Segments that were acknowledged selectively or by duplicates, and replaced, count once.
        let in_flight = self.reducible((self.nxt - self.una).saturating_sub(self.limited_sent));
        let below = self.detect.lost_below(&self.board);
        self.beyond -= self.cold.tags.take_lost(below, self.una, false, &self.board);
        self.forget_trial();
        self.bound_new_data();
        self.phase = Phase::Recovery;
        self.recover_point = self.high;
        (self.spare, self.limited_sent) = (0, 0);
        self.stats.recoveries += 1;
        self.reduced();
        let event = Congestion::new(now, Cause::Loss, in_flight, self.cold.tags.lost());
        self.cc.on_congestion(&event);
        self.cold.episode.open(false);
        self.cold.lost_again = (self.detect.lost_again(), self.high);
        let flight = flight!(self);
        let mut step = self.recover.enter(&flight, self.dupacks);
        // Of a recovery that follows another, all may be on its way again.
        step.resend &=
            !self.detect.by_segment() || self.detect.next_lost(&self.board, self.una).is_some();
        self.recover.meter(&flight, &self.detect, info.acked, info.delivered);
        self.detect.settled();
        self.take(now, step, out);
        self.apply_commands(now, out);
    }

    /// An acknowledgment in recovery.
    #[cold]
    pub(super) fn repair(&mut self, now: Time, info: AckInfo, out: &mut impl Outbox) {
        if self.answers_the_original(info) {
            return self.declare_spurious(now, info.acked);
        }
        self.write_more();
        let flight = flight!(self);
        let step = self.recover.on_ack(&flight, info.acked, info.sacked);
        self.recover.meter(&flight, &self.detect, info.acked, info.delivered);
        if self.tagged && step.exit.is_none() {
            let below = self.detect.lost_below(&self.board);
            let head = if info.acked > 0 { self.una } else { 0 };
            self.beyond -= self.cold.tags.take_lost(below, head, false, &self.board);
            if !self.cold.tags.lost().is_empty() {
                let event = Congestion::new(
                    now,
                    Cause::Further,
                    self.nxt - self.una,
                    self.cold.tags.lost(),
                );
                self.cc.on_congestion(&event);
            }
        }
        self.take(now, step, out);
        self.apply_commands(now, out);
    }

    /// Carries out a step of the recovery.
    #[cold]
    fn take(&mut self, now: Time, step: Step, out: &mut impl Outbox) {
        if let Some(bound) = step.exit {
            self.phase = Phase::Open;
            self.dupacks = 0;
            self.free_new_data();
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
        self.free_new_data();
        self.cold.refitting = false;
        self.recover_point = self.high;
        self.nxt = self.una;
        self.dupacks = 0;
        (self.spare, self.limited_sent) = (0, 0);
    }
}
