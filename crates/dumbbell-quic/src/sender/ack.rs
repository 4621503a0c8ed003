//! Processing of ACK frames (RFC 9002 appendix A.7, B.5, B.7).
use super::{Sender, Stage};
use crate::sender::packets::State;
use crate::wire::AckFrame;
use dumbbell_core::transport::segment::{Extra, Segment};
use dumbbell_core::transport::{Ack, Cause, CongestionControl, Phase, Tag};
use dumbbell_core::units::{Span, Time};

/// What an ACK newly acknowledges.
#[derive(Clone, Copy, Default)]
struct News {
    packets: u64,
    bytes: u64,
    /// Of `bytes`, those sent after the recovery began: they let the window grow.
    growing: u64,
    /// The largest number, and its packet's time and tag.
    largest: u64,
    sent: Time,
    tag: Tag,
}

impl<C: CongestionControl> Sender<C> {
    /// Bytes of packets that were delivered so far.
    #[inline]
    pub(super) fn delivered(&self) -> u64 {
        self.packets.delivered()
    }

    /// The server's answer to the Initial: data may flow. It grows no window, which nothing has
    /// used (section 7.8).
    pub(super) fn establish(&mut self, now: Time, s: &Segment, x: Option<&Extra>) {
        let Some(frame) = AckFrame::read(s, x, self.packets.next()) else { return };
        let news = self.take_ranges(now, &frame);
        if news.packets == 0 {
            return;
        }
        self.stage = Stage::Established;
        self.pto_count = 0;
        if let Some(rtt) = self.sample(now, &news, &frame, true) {
            self.count_sample(rtt);
        }
        self.packets.discard();
        self.forget_old(now);
        self.cc.on_open(now, self.rtt.srtt(), self.config.window.0);
    }

    /// OnAckReceived.
    pub(super) fn on_ack(&mut self, now: Time, s: &Segment, x: Option<&Extra>) {
        if self.stage != Stage::Established {
            return;
        }
        let Some(frame) = AckFrame::read(s, x, self.packets.next()) else { return };
        self.check_supply();
        let before = self.packets.in_flight();
        let news = self.take_ranges(now, &frame);
        if news.packets == 0 {
            return;
        }
        let mut ack = Ack::default();
        ack.srtt = self.rtt.srtt();
        ack.rtt = self.sample(now, &news, &frame, false);
        if let Some(rtt) = ack.rtt {
            self.count_sample(rtt);
        }
        let marks = self.new_marks(&frame).min(news.packets);
        if marks > 0 {
            self.begin_recovery(now, news.sent, Cause::Ecn);
        }
        let lost = self.stats.lost_packets;
        self.detect_losses(now);
        // A recovery that begins now is not one that this ACK may end.
        let lost = self.stats.lost_packets > lost;
        let exits = news.growing > 0 && self.phase == Phase::Recovery;
        if exits && self.recovery_start.is_some_and(|start| start < news.sent) {
            self.phase = Phase::Open;
            self.cc.on_recovered(now);
        }
        (ack.now, ack.phase, ack.in_flight) = (now, self.phase, before);
        let held = self.phase == Phase::Open && self.recovery_start.is_some();
        ack.acked = if held { news.growing } else { news.bytes };
        ack.sacked = news.bytes - ack.acked;
        ack.una = self.delivered();
        ack.nxt = ack.una + self.packets.in_flight();
        (ack.min_rtt, ack.window, ack.tag) = (self.rtt.min(), self.config.window.0, news.tag);
        (ack.ece, ack.marked) = (marks > 0, news.bytes * marks / news.packets);
        (ack.gaps, ack.paced) = (lost || self.loss_at < Time::NEVER, self.paced);
        ack.window_limited = self.window_limited;
        if let Some(rates) = &mut self.rates {
            ack.rate = rates.sample(now, self.packets.in_flight());
        }
        self.cc.on_ack(&ack);
        self.pto_count = 0;
        self.forget_old(now);
    }

    /// Takes what a frame newly acknowledges out of flight.
    #[inline]
    fn take_ranges(&mut self, now: Time, frame: &AckFrame) -> News {
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.clear();
        for (from, to) in frame.ranges.iter().rev() {
            self.packets.acknowledge(from, to, &mut fresh);
        }
        let mut news = News::default();
        for number in fresh.drain(..).flat_map(|(from, to)| from..to) {
            let packet = self.packets.on_acked(number);
            self.stream.on_acked(packet.from, packet.to);
            if packet.state != State::Flying {
                // It left the flight when it was declared lost, and does not count again.
                self.stats.spurious_losses += u64::from(packet.state == State::Lost);
                continue;
            }
            let size = u64::from(packet.size);
            (news.packets, news.bytes) = (news.packets + 1, news.bytes + size);
            if self.recovery_start.is_none_or(|start| packet.sent > start) {
                news.growing += size;
            }
            (news.largest, news.sent, news.tag) = (number, packet.sent, packet.tag);
            if let Some(rates) = &mut self.rates {
                rates.on_acked(now, number, size);
            }
        }
        self.fresh = fresh;
        news
    }

    /// Section 5.1: a sample, if the largest acknowledged packet is newly acknowledged. Returns it
    /// without the receiver's delay.
    #[inline]
    fn sample(
        &mut self,
        now: Time,
        news: &News,
        frame: &AckFrame,
        handshake: bool,
    ) -> Option<Span> {
        let (_, end) = frame.ranges.iter().next()?;
        if news.largest + 1 != end {
            return None;
        }
        self.first_sample.get_or_insert(now);
        let delay = if handshake { Span::ZERO } else { frame.delay };
        Some(self.rtt.sample(now.since(news.sent), delay))
    }

    fn count_sample(&mut self, rtt: Span) {
        self.stats.rtt_samples += 1;
        self.stats.rtt_sum = self.stats.rtt_sum + rtt;
    }

    /// ProcessECN (appendix B.7): packets newly reported with CE.
    #[inline]
    fn new_marks(&mut self, frame: &AckFrame) -> u64 {
        let Some([_, ce, _]) = frame.ecn else { return 0 };
        let more = (ce as u32).wrapping_sub(self.ce);
        // An ACK that another has overtaken reports fewer.
        if more as i32 <= 0 {
            return 0;
        }
        self.ce = ce as u32;
        u64::from(more)
    }
}
