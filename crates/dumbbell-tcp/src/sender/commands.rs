//! Carries out the commands of a congestion control.
use super::{FIRST, Sender, Stage};
use dumbbell_core::packet::Ecn;
use dumbbell_core::transport::segment::{Extra, Outbox, Segment, timestamp};
use dumbbell_core::transport::{
    CongestionControl, Detect, HostSignal, Recover, RtoCommand, Tag, Uncounted,
};
use dumbbell_core::units::Time;

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// A signal from the host.
    pub fn local(&mut self, now: Time, signal: HostSignal, out: &mut impl Outbox) {
        self.settle_timers();
        self.cc.on_host_signal(signal);
        self.apply_commands(now, out);
        self.transmit(now, out);
        self.settle(now);
    }

    /// Carries out the commands of the last call.
    #[inline]
    pub(super) fn apply_commands(&mut self, now: Time, out: &mut impl Outbox) {
        if self.cc.take_command_pending() {
            self.execute(now, out);
        }
    }

    /// Carries out the commands for the timer, before the RTT sample of the current acknowledgment
    /// is taken.
    #[cold]
    pub(super) fn obey_timer(&mut self, now: Time) {
        match self.cc.commands.rto.take() {
            Some(RtoCommand::BackOff { held, from_now }) => {
                self.stats.ordered_backoffs += 1;
                self.rtt.back_off(held);
                if self.rto_at != Time::NEVER {
                    self.rto_started = if from_now { now } else { self.rto_started };
                    self.rto_at = self.timer.fires(self.rto_started, self.rtt.rto());
                }
            }
            Some(RtoCommand::Reset) => {
                self.stats.ordered_resets += 1;
                self.rtt.reset();
            }
            None => {}
        }
    }

    #[cold]
    fn execute(&mut self, now: Time, out: &mut impl Outbox) {
        self.obey_timer(now);
        if let Some(frozen) = self.cc.commands.freeze.take() {
            self.frozen = frozen;
            self.pacing = false;
            if self.stage == Stage::Established {
                self.restart_timer(now);
            }
        }
        if std::mem::take(&mut self.cc.commands.retransmit) {
            self.resend_head(now, out);
        }
        let mut beside = std::mem::take(&mut self.cc.commands.uncounted);
        for segment in beside.drain(..) {
            match segment {
                Uncounted::Extra(tag) => self.send_extra(now, tag, out),
                Uncounted::Dummy(tag) => self.send_dummy(now, tag, out),
            }
        }
        // The list goes back empty: its room is used again.
        self.cc.commands.uncounted = beside;
        for _ in 0..std::mem::take(&mut self.cc.commands.ahead) {
            if !self.send_ahead(now, out) {
                break;
            }
        }
    }

    /// Sends a dummy: a full segment that looks like the last one before SND.NXT and carries
    /// nothing new. Timers, window and loss detection ignore it. A router may drop it before
    /// anything else.
    fn send_dummy(&mut self, now: Time, tag: Tag, out: &mut impl Outbox) {
        if self.frozen || self.stage != Stage::Established || self.window == 0 {
            return;
        }
        self.stats.sent_packets += 1;
        self.stats.sent_bytes += self.mss;
        self.stats.dummies += 1;
        let ts = if self.timestamps { timestamp(self.clock.tick(now)) } else { 0 };
        let ip_len = (u64::from(self.overhead) + self.mss) as u16;
        let seq = self.high.saturating_sub(self.mss).max(FIRST) as u32;
        let extra = Extra { tag: tag.0, dummy: true, ..Extra::default() };
        out.send(Segment { seq, ts, ip_len, flags: 0, ecn: Ecn::NotEct }, Some(extra));
    }

    /// Sends a tagged segment beyond the window: new data, or the first unacknowledged segment once
    /// more.
    fn send_extra(&mut self, now: Time, tag: Tag, out: &mut impl Outbox) {
        if self.frozen {
            return;
        }
        let allowed = self.limit.min(self.una + self.window);
        if self.nxt == self.high && self.high < allowed {
            let to = allowed.min(self.high + self.mss);
            self.nxt = self.send(now, self.high, to, tag, out);
        } else if self.una < self.high {
            let to = self.limit.min(self.una + self.mss).min(self.high);
            self.send(now, self.una, to, tag, out);
        }
    }
}
