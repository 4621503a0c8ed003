//! F-RTO: whether a timeout was due (RFC 5682), and the end of what follows one.
use super::Sender;
use crate::sender::ack_info::AckInfo;
use dumbbell_core::transport::segment::Outbox;
use dumbbell_core::transport::{CongestionControl, Detect, Phase, Recover, Tag};
use dumbbell_core::units::Time;

/// The progress of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frto {
    /// No test, or it is decided.
    Off,
    /// Step 1 is done: the first segment went again; step 2 waits for the acknowledgment that
    /// moves SND.UNA.
    Resent,
    /// Step 2 is done: new data went; step 3 waits for what comes back.
    MtuProbe,
}

impl Frto {
    /// True if nothing is to be sent until it is decided.
    pub fn waits(self) -> bool {
        self == Frto::MtuProbe
    }
}

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// Step 1: not where a recovery was under way, and not twice for a segment (section 2.1 step
    /// 1).
    pub(super) fn frto_at_timeout(&self, first: bool) -> Frto {
        let fit = self.cold.config.frto && first && self.phase == Phase::Open;
        if fit { Frto::Resent } else { Frto::Off }
    }

    /// An acknowledgment after a timeout, before everything outstanding then is acknowledged.
    #[cold]
    pub(super) fn on_loss_ack(&mut self, now: Time, info: AckInfo, out: &mut impl Outbox) {
        if self.answers_the_original(info) {
            return self.declare_spurious(now, info.acked);
        }
        match self.cold.frto {
            Frto::Off => {}
            Frto::Resent => self.frto_step_2(now, info, out),
            Frto::MtuProbe => {
                self.cold.frto = self.frto_step_3(info);
                if self.cold.frto == Frto::Resent {
                    return self.declare_spurious(now, info.acked);
                }
            }
        }
        if info.acked > 0 && self.una >= self.recover_point {
            self.phase = Phase::Open;
            self.cold.frto = Frto::Off;
        }
    }

    /// Step 2: up to two segments of new data, if the acknowledgment leaves something open (b);
    /// without SACK a duplicate ends the test (a), with SACK it is waited through (section 3.1).
    fn frto_step_2(&mut self, now: Time, info: AckInfo, out: &mut impl Outbox) {
        if info.acked == 0 {
            if !self.sack {
                self.cold.frto = Frto::Off;
            }
            return;
        }
        self.cold.frto = Frto::Off;
        if self.una >= self.recover_point {
            return;
        }
        for _ in 0..2 {
            let to = self.limit.min(self.high + self.mss);
            if to <= self.high || to > self.una + self.window || self.frozen {
                break;
            }
            let after = self.send(now, self.high, to, Tag(0), out);
            if self.detect.by_segment() {
                self.nxt = after;
            }
            self.cold.frto = Frto::MtuProbe;
        }
    }

    /// Step 3: data that was not sent again arrived (b): `Resent` says so. New data arrived, or a
    /// duplicate without SACK (a): the timeout was due.
    fn frto_step_3(&self, info: AckInfo) -> Frto {
        let resent = |from: u64, to: u64| self.cold.episode.resent_within(from, to);
        let report = &self.cold.report;
        let sacked = if info.sacked > 0 { report.lowest } else { None };
        let beyond = self.una > self.recover_point
            || (sacked.is_some() && report.highest > self.recover_point);
        if beyond || (info.acked == 0 && !self.sack) {
            return Frto::Off;
        }
        let cumulatively = info.acked > resent(self.una - info.acked, self.una);
        let selectively = sacked.is_some_and(|(from, to)| to - from > resent(from, to));
        if cumulatively || selectively { Frto::Resent } else { Frto::MtuProbe }
    }
}
