//! The new information in an acknowledgment, and the reaction of a detector that knows single
//! segments.
use super::Sender;
use super::output::Repair;
use dumbbell_core::transport::segment::Outbox;
use dumbbell_core::transport::{
    Cause, Congestion, CongestionControl, Detect, Finding, Phase, Pick, Recover,
};
use dumbbell_core::units::Time;

/// Bytes that an acknowledgment newly reports.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckInfo {
    /// Acknowledged cumulatively.
    pub acked: u64,
    /// Acknowledged selectively.
    pub sacked: u64,
    /// Delivered in either way, each byte counted once (DeliveredData of RFC 9937).
    pub delivered: u64,
}

/// The rest of its information. Valid while the acknowledgment is processed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckReport {
    /// The timestamp that it echoes, if timestamps matter.
    pub echo: Option<Time>,
    /// The range that it reported as a duplicate.
    pub duplicate: (u64, u64),
    /// The lowest range that it reported selectively for the first time, and the highest end.
    pub lowest: Option<(u64, u64)>,
    pub highest: u64,
}

impl AckReport {
    /// `[from, to)` is selectively acknowledged for the first time.
    pub fn take(&mut self, from: u64, to: u64) {
        if self.lowest.is_none_or(|lowest| from < lowest.0) {
            self.lowest = Some((from, to));
        }
        self.highest = self.highest.max(to);
    }
}

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// Processes an acknowledgment with new information: first the detector, then the phase, then
    /// the detector's finding.
    pub(super) fn on_ack_info(&mut self, now: Time, info: AckInfo, out: &mut impl Outbox) {
        let mut finding = self.examine(now, info);
        let recovering = self.phase == Phase::Recovery;
        match self.phase {
            Phase::Open => {}
            Phase::Recovery => {
                self.answer_lost_repetition(now, out);
                self.repair(now, info, out);
            }
            Phase::Loss => self.on_loss_ack(now, info, out),
        }
        if info.acked > 0 && self.phase != Phase::Recovery {
            self.restart_timer(now);
        }
        if self.phase == Phase::Open {
            if info.acked > 0 {
                self.dupacks = 0;
                (self.spare, self.limited_sent) = (0, 0);
            }
            // A loss that was found may have been undone meanwhile.
            let mut stands =
                finding != Finding::Loss || self.detect.next_lost(&self.board, self.una).is_some();
            if recovering
                && self.una >= self.recover_point
                && self.cold.config.recovers_again
                && self.detect.repairs()
            {
                (finding, stands) = (Finding::Loss, true);
            }
            self.conclude(now, if stands { finding } else { Finding::Nothing }, info, out);
        }
    }

    /// The detector's timer found something.
    #[cold]
    pub(super) fn on_finding(&mut self, now: Time, finding: Finding, out: &mut impl Outbox) {
        if self.phase == Phase::Recovery {
            self.answer_lost_repetition(now, out);
            self.recover.meter(&super::flight!(self), &self.detect, 0, 0);
        } else {
            self.conclude(now, finding, AckInfo::default(), out);
        }
    }

    /// RFC 8985 section 9.3: a lost retransmission is another sign of congestion, unless PRR reacts
    /// by itself. Once for each round trip.
    fn answer_lost_repetition(&mut self, now: Time, out: &mut impl Outbox) {
        let (seen, until) = self.cold.lost_again;
        let lost = self.detect.lost_again();
        if lost == seen
            || self.una < until
            || self.cold.config.reduction == crate::config::Reduction::Prr
        {
            return;
        }
        self.cold.lost_again = (lost, self.high);
        let event = Congestion::new(now, Cause::Loss, self.reducible(self.nxt - self.una), &[]);
        self.cc.on_congestion(&event);
        self.reduced();
        self.apply_commands(now, out);
    }

    /// After a timeout: what was found lost, then new data, as far as the window goes; it grows if
    /// it is what holds the sender back.
    pub(super) fn next_after_timeout(&mut self) -> Option<Repair> {
        let lost = self.detect.next_lost(&self.board, self.una);
        let pick = lost.map_or(Pick::New, |(from, to)| Pick::Again(from, to));
        let segment = self.cut(pick);
        self.window_limited = segment.is_some();
        let (from, to) = segment?;
        let flying = self.detect.pipe(&self.board, self.una, self.nxt, self.una);
        Some(Repair { pick, from, to, room: self.cc.cwnd().saturating_sub(flying) })
    }
}
