//! Carries out the commands of a congestion control.
use super::Sender;
use dumbbell_core::transport::segment::Outbox;
use dumbbell_core::transport::{CongestionControl, RtoCommand};
use dumbbell_core::units::Time;

impl<C: CongestionControl> Sender<C> {
    /// Carries out the commands of the last calls. Packets beside the window are not among them: in
    /// QUIC everything that asks for an ACK counts as in flight (RFC 9002 section 2).
    #[inline]
    pub(super) fn apply_commands(&mut self, now: Time, out: &mut impl Outbox) {
        if !self.cc.commands.is_empty() {
            self.execute(now, out);
        }
    }

    #[cold]
    fn execute(&mut self, now: Time, out: &mut impl Outbox) {
        match self.cc.commands.rto.take() {
            Some(RtoCommand::BackOff { .. }) => {
                self.stats.ordered_backoffs += 1;
                self.pto_count += 1;
            }
            Some(RtoCommand::Reset) => {
                self.stats.ordered_resets += 1;
                self.pto_count = 0;
                self.rtt.reset(&self.config);
            }
            None => {}
        }
        if let Some(frozen) = self.cc.commands.freeze.take() {
            self.frozen = frozen;
        }
        if std::mem::take(&mut self.cc.commands.retransmit)
            && let Some(piece) = self.stream.head(self.room())
        {
            self.send_copy(now, piece, out);
        }
        self.cc.commands.uncounted.clear();
        for _ in 0..std::mem::take(&mut self.cc.commands.ahead) {
            if !self.send_next(now, out) {
                break;
            }
        }
    }
}
