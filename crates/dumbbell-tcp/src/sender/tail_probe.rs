//! Tail loss probes (RFC 8985 section 7): a segment that calls for an acknowledgement where none
//! would come.
use super::Sender;
use dumbbell_core::transport::segment::Outbox;
use dumbbell_core::transport::{Cause, Congestion, CongestionControl, Detect, Phase, Recover, Tag};
use dumbbell_core::units::{Span, Time};

/// The outstanding probe, while `probing`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TailProbe {
    /// SND.NXT when it was sent (TLP.end_seq).
    end: u64,
    /// True if it was sent before (TLP.is_retrans).
    again: bool,
}

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// The time of the next probe (section 7.2 `TLP_calc_PTO`), counted from the last new data or
    /// the last acknowledgement that moved SND.UNA: two round trips, more for a single segment, at
    /// most the retransmission timeout. Not in recovery, not while something is selectively
    /// acknowledged, not while a probe is on its way.
    #[inline]
    pub(super) fn probe_at(&self) -> Time {
        let quiet = self.phase != Phase::Open || self.probing || self.una == self.high;
        if quiet || self.rto_at == Time::NEVER || self.window == 0 || !self.board.is_empty() {
            return Time::NEVER;
        }
        let since = self.rto_started.max(self.last_sent);
        let span = match self.rtt.srtt() {
            None => Span::from_secs(1),
            Some(srtt) if self.high - self.una <= self.mss => {
                srtt * 2 + self.cold.config.probe_ack_delay
            }
            Some(srtt) => srtt * 2,
        };
        (since + span).min(self.rto_at)
    }

    /// Section 7.3: new data if the receiver's window has room, else the last segment again. The
    /// retransmission timer starts anew.
    #[cold]
    pub(super) fn send_probe(&mut self, now: Time, out: &mut impl Outbox) {
        let to = self.limit.min(self.high + self.mss);
        let again = to <= self.high || to > self.una + self.window;
        if again {
            let (from, to) = self.detect.last_segment().unwrap_or((self.una, self.high));
            // Of a segment that was larger than they are now its end.
            let from = from.max(self.una).max(to.saturating_sub(self.mss));
            self.send(now, from, to.min(self.limit), Tag(0), out);
        } else {
            self.nxt = self.send(now, self.high, to, Tag(0), out);
        }
        self.stats.tail_probes += 1;
        self.cold.probe = TailProbe { end: self.high, again };
        self.probing = true;
        self.arm(now);
    }

    /// Section 7.4.2 `TLP_process_ack`: was something lost that the probe itself repaired?
    #[cold]
    pub(super) fn on_probe_answer(
        &mut self,
        now: Time,
        plain: bool,
        duplicate: bool,
        out: &mut impl Outbox,
    ) {
        let TailProbe { end, again } = self.cold.probe;
        if self.una < end {
            return;
        }
        let (from, to) = self.cold.report.duplicate;
        if !again || (duplicate && from < to && to == end) {
            // New data arrived, or both the probe and its original.
            self.probing = false;
        } else if self.una > end {
            // Only one of them did: a loss that nothing else told of.
            self.probing = false;
            if self.phase == Phase::Open {
                self.answer_tail_loss(now, out);
            }
        } else if plain && !duplicate {
            // A duplicate without SACK: both arrived.
            self.probing = false;
        }
    }

    /// One reduction, and no recovery: the loss is repaired.
    fn answer_tail_loss(&mut self, now: Time, out: &mut impl Outbox) {
        self.stats.tail_losses += 1;
        self.reduced();
        let event =
            Congestion::new(now, Cause::Loss, (self.nxt - self.una).min(self.cc.cwnd()), &[]);
        self.cc.on_congestion(&event);
        self.cc.on_recovered(now, u64::MAX);
        self.apply_commands(now, out);
    }
}
