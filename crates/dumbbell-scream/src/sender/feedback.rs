//! Reports of the receiver: queue delay, window, losses and marks (RFC 8298 section 4.1.2).
use super::Sender;
use crate::sender::rate::Congestion;
use crate::sender::window::Use;
use crate::wire::Report;
use dumbbell_core::transport::segment::{TS_UNIT_SHIFT, timestamp};
use dumbbell_core::units::{Span, Time};

/// What a congestion event goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Loss,
    Mark,
}

impl Sender {
    pub(super) fn on_report(&mut self, now: Time, report: &Report) {
        let news = self.packets.take(now, report.end, |number| report.has(number));
        self.last_heard = now;
        self.media.acked(news.arrived);
        self.stats.spurious_losses += news.spurious;
        if let Some(sent) = news.sent {
            self.sample(now, sent, report.arrival);
        }
        let mut congested = self.detect_losses(now);
        let marks = report.ce.wrapping_sub(self.ce);
        if marks > 0 && marks < u32::MAX / 2 {
            self.ce = report.ce;
            congested |= self.on_congestion(now, Event::Mark);
        }
        // Section 4.1.2.1: `on acknowledgement` is what is done without a congestion event.
        if congested {
            return;
        }
        let (trend, target) = (self.qdelay.trend(), self.target.span());
        let seen = Use {
            newly_acked: news.newly_acked,
            in_flight: self.packets.in_flight(),
            qdelay: self.last_qdelay,
            target,
            trend,
        };
        if self.window.update(now, &seen) {
            self.media.note_congestion();
        }
        if self.window.check_resume(now, trend) {
            self.stats.fast_increases += 1;
        }
    }

    /// Samples of the round trip and the queue delay, from the packet with the highest number.
    fn sample(&mut self, now: Time, sent: Time, arrival: u32) {
        let rtt = now.since(sent);
        self.rtt.add(rtt);
        self.stats.rtt_samples += 1;
        self.stats.rtt_sum = self.stats.rtt_sum + rtt;
        let units = arrival.wrapping_sub(timestamp(sent));
        let one_way = Span::from_ps(u64::from(units) << TS_UNIT_SHIFT);
        self.last_qdelay = self.qdelay.of(now, one_way);
        if now >= self.measured.window.from {
            self.measured.qdelay.add(self.last_qdelay);
        }
        self.target.pass(now, self.rtt.srtt().unwrap_or(rtt));
        let target = self.target.span();
        if self.qdelay.update(now, self.last_qdelay, target) {
            self.target.adjust(self.last_qdelay);
        }
    }

    /// Packets that are missing for the reordering window are lost (section 4.1.2.4); true if that
    /// was answered.
    pub(super) fn detect_losses(&mut self, now: Time) -> bool {
        let lost = self.packets.detect(now);
        self.stats.lost_packets += lost;
        lost > 0 && self.on_congestion(now, Event::Loss)
    }

    /// A loss or a mark, answered once a round trip (section 4.1.2.1); true if it was.
    fn on_congestion(&mut self, now: Time, event: Event) -> bool {
        let round = self.rtt.srtt().unwrap_or_default();
        if self.answered.is_some_and(|last| now.since(last) < round) {
            return false;
        }
        self.answered = Some(now);
        self.integrate_target(now);
        match event {
            Event::Loss => {
                self.stats.loss_events += 1;
                self.target.on_loss();
                self.window.reduce(now, self.config.beta_loss);
                self.media.reduce(self.config.beta_rate);
            }
            Event::Mark => {
                self.stats.ecn_events += 1;
                self.window.reduce(now, self.config.beta_ecn);
                self.media.reduce(self.config.beta_ecn);
            }
        }
        true
    }

    /// The change of the target rate at the end of an interval.
    pub(super) fn adjust_rate(&mut self, now: Time) {
        self.integrate_target(now);
        let seen = Congestion {
            trend: self.qdelay.trend(),
            memory: self.qdelay.memory(),
            fast: self.window.in_fast_increase(),
            rtp_queue: self.queue.bytes(),
        };
        self.media.adjust(now, &seen);
    }
}
