//! Tail loss probes: a segment sent to elicit an ACK when the tail of a flight may be lost and no
//! further ACK is expected (RFC 8985, section 7).
use super::Sender;
use dumbbell_core::transport::segment::Outbox;
use dumbbell_core::transport::{Cause, Congestion, CongestionControl, Detect, Phase, Recover, Tag};
use dumbbell_core::units::{Span, Time};

/// The outstanding probe. Valid while `Sender::probing` is true.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TailProbe {
    /// RFC 8985 `TLP.end_seq`: the end of the highest data sent, the probe included.
    end_seq: u64,
    /// RFC 8985 `TLP.is_retrans`: true if the probe repeats old data, false if it is new data.
    is_retrans: bool,
}

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// The time of the next probe (section 7.2 `TLP_calc_PTO`), counted from the last segment sent
    /// or the last restart of the retransmission timer, whichever is later: two smoothed RTTs, plus
    /// the receiver's longest ACK delay if at most one segment is outstanding; one second without
    /// an RTT sample; never later than the retransmission timeout.
    ///
    /// `Time::NEVER` during a recovery or after a timeout, while a probe is outstanding, without
    /// outstanding data, while the retransmission timer is off, with a zero receive window, and
    /// while the scoreboard holds SACKed data.
    #[inline]
    pub(super) fn probe_at(&self) -> Time {
        let blocked = self.phase != Phase::Open || self.probing || self.una == self.high;
        if blocked || self.rto_at == Time::NEVER || self.window == 0 || !self.board.is_empty() {
            return Time::NEVER;
        }
        let since = self.rto_started.max(self.last_sent);
        self.timer.probes(since, self.probe_span()).min(self.rto_at)
    }

    /// The time from the last segment or restart to the probe.
    #[inline]
    pub(super) fn probe_span(&self) -> Span {
        match self.rtt.srtt() {
            None => Span::from_secs(1),
            Some(srtt) if self.high - self.una <= self.mss => {
                srtt * 2 + self.cold.config.probe_ack_delay
            }
            Some(srtt) => srtt * 2,
        }
    }

    /// Sends a probe (section 7.3): new data if there is any and the receive window has room for
    /// it, else the last segment again. Restarts the retransmission timer.
    #[cold]
    pub(super) fn send_probe(&mut self, now: Time, out: &mut impl Outbox) {
        let to = self.limit.min(self.high + self.mss);
        let is_retrans = to <= self.high || to > self.una + self.window;
        if is_retrans {
            let (from, to) = self.detect.last_segment().unwrap_or((self.una, self.high));
            // If the MSS has shrunk since, resend only the last MSS bytes of the segment.
            let from = from.max(self.una).max(to.saturating_sub(self.mss));
            self.send(now, from, to.min(self.limit), Tag(0), out);
        } else {
            self.nxt = self.send(now, self.high, to, Tag(0), out);
        }
        self.stats.tail_probes += 1;
        self.cold.probe = TailProbe { end_seq: self.high, is_retrans };
        self.probing = true;
        self.arm(now);
    }

    /// Finds out from an ACK whether the probe repaired a loss that nothing else has detected
    /// (section 7.4.2 `TLP_process_ack`).
    ///
    /// `plain`: the ACK acknowledges nothing new, neither cumulatively nor by SACK. `dsack`: it
    /// carries a DSACK block (RFC 2883).
    #[cold]
    pub(super) fn on_ack_while_probing(
        &mut self,
        now: Time,
        plain: bool,
        dsack: bool,
        out: &mut impl Outbox,
    ) {
        let TailProbe { end_seq, is_retrans } = self.cold.probe;
        if self.una < end_seq {
            return;
        }
        let (from, to) = self.cold.report.duplicate;
        if !is_retrans || (dsack && from < to && to == end_seq) {
            // The probe was new data and has arrived, or DSACK reports that the receiver got both
            // the probe and the original segment: nothing was lost.
            self.probing = false;
        } else if self.una > end_seq {
            // Later data is acknowledged, and no ACK reported a second copy: the original segment
            // counts as lost, and the probe has repaired the loss.
            self.probing = false;
            if self.phase == Phase::Open {
                self.reduce_for_tail_loss(now, out);
            }
        } else if plain && !dsack {
            // Duplicate ACK without SACK or DSACK: the receiver got both copies.
            self.probing = false;
        }
    }

    /// Reduces the window once for a loss that the probe has repaired. No recovery follows, as
    /// nothing is left to retransmit.
    fn reduce_for_tail_loss(&mut self, now: Time, out: &mut impl Outbox) {
        self.stats.tail_losses += 1;
        self.reduced();
        let in_flight = self.reducible(self.nxt - self.una);
        let lost_tags = &[];
        let event = Congestion::new(now, Cause::Loss, in_flight, lost_tags);
        self.cc.on_congestion(&event);
        let no_bound = u64::MAX;
        self.cc.on_recovered(now, no_bound);
        self.apply_commands(now, out);
    }
}
