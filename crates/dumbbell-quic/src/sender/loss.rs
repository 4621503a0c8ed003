//! Loss detection and what follows (RFC 9002 sections 6.1 and 7.3, appendix A.10 and B).
use super::Sender;
use crate::sender::packets::State;
use dumbbell_core::transport::{Cause, Congestion, CongestionControl, Phase};
use dumbbell_core::units::{Span, Time};

impl<C: CongestionControl> Sender<C> {
    /// DetectAndRemoveLostPackets, OnPacketsLost.
    #[inline]
    pub(super) fn detect_losses(&mut self, now: Time) {
        self.loss_at = Time::NEVER;
        if self.packets.oldest() < self.packets.largest() {
            self.examine(now);
        }
    }

    #[cold]
    fn examine(&mut self, now: Time) {
        let delay = self.rtt.largest().scaled(self.config.time_threshold);
        let delay = delay.max(self.config.granularity);
        let last_number = self.packets.largest() - 1;
        let threshold = u64::from(self.config.packet_threshold);
        let mut holes = std::mem::take(&mut self.fresh);
        holes.clear();
        self.packets.holes(&mut holes);
        self.newly_lost.clear();
        for number in holes.drain(..).flat_map(|(from, to)| from..to) {
            let packet = self.packets.get(number);
            if packet.state != State::Flying {
                continue;
            }
            if packet.sent + delay <= now || last_number >= number + threshold {
                self.newly_lost.push(number);
                self.lose(number);
            } else {
                self.loss_at = self.loss_at.min(packet.sent + delay);
            }
        }
        self.fresh = holes;
        if let Some(last) = self.newly_lost.last() {
            self.on_lost(now, self.packets.get(*last).sent);
        }
    }

    /// A packet is lost: its data goes again, unless another packet answers for it.
    fn lose(&mut self, number: u64) {
        let packet = self.packets.on_lost(number);
        self.stats.lost_packets += 1;
        if !packet.copy {
            self.stream.on_lost(packet.from, packet.to);
        }
        if packet.tag.0 != 0 {
            self.lost_tags.push(packet.tag);
        }
        if let Some(rates) = &mut self.rates {
            rates.on_lost(number, u64::from(packet.size));
        }
    }

    /// OnPacketsLost (appendix B.8), of the packets that were just lost, the last of which was sent
    /// then.
    fn on_lost(&mut self, now: Time, sent: Time) {
        let begun = self.begin_recovery(now, sent, Cause::Loss);
        if !begun && !self.lost_tags.is_empty() {
            let cwnd = self.cc.cwnd();
            self.cc.on_congestion(&Congestion::new(now, Cause::Further, cwnd, &self.lost_tags));
        }
        self.lost_tags.clear();
        if self.is_persistent() {
            // The window falls to its minimum; the threshold stays where the loss put it.
            self.stats.persistent_congestions += 1;
            let event = Congestion::new(now, Cause::Timeout { first: false }, self.cc.cwnd(), &[]);
            self.cc.on_congestion(&event);
            (self.recovery_start, self.phase) = (None, Phase::Open);
            self.cc.on_recovered(now);
        }
    }

    /// OnCongestionEvent (appendix B.6): a reduction, unless the packet was sent before the last
    /// one. True if it was made.
    pub(super) fn begin_recovery(&mut self, now: Time, sent: Time, cause: Cause) -> bool {
        let before = |start: Option<Time>| start.is_some_and(|start| sent <= start);
        let marked = cause == Cause::Ecn;
        if before(self.recovery_start) || (marked && before(self.ecn_start)) {
            return false;
        }
        if marked {
            self.stats.ecn_reductions += 1;
        } else {
            self.stats.recoveries += 1;
        }
        if marked && self.scalable {
            self.ecn_start = Some(now);
        } else {
            (self.recovery_start, self.phase) = (Some(now), Phase::Recovery);
            self.spare = true;
        }
        let cwnd = self.cc.cwnd();
        self.cc.on_congestion(&Congestion::new(now, cause, cwnd, &self.lost_tags));
        true
    }

    /// InPersistentCongestion (section 7.6.2): two of the packets that were just lost, both sent
    /// after the first sample, with none between them acknowledged, are further apart than the
    /// threshold.
    fn is_persistent(&self) -> bool {
        let Some(sampled) = self.first_sample else { return false };
        let least = self.rtt.pto(false) * u64::from(self.config.persistent_threshold);
        let acked = |number: u64| self.packets.get(number).state == State::Acked;
        let (mut begin, mut before) = (None, u64::MAX);
        for number in self.newly_lost.iter().copied() {
            if (before.saturating_add(1)..number).any(acked) {
                begin = None;
            }
            before = number;
            let sent = self.packets.get(number).sent;
            if sent > sampled {
                let begin: Time = *begin.get_or_insert(sent);
                if sent.since(begin) > least {
                    return true;
                }
            }
        }
        false
    }

    /// Lost packets are remembered for three probe timeouts, in case that they are acknowledged
    /// after all.
    #[inline]
    pub(super) fn forget_old(&mut self, now: Time) {
        let memory: Span = self.rtt.pto(false) * 3;
        let until = Time::from_ps(now.ps().saturating_sub(memory.ps()));
        let gone = self.packets.forget(until);
        if let Some(rates) = &mut self.rates {
            rates.forget(gone);
        }
    }
}
