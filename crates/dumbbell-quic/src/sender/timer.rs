//! The loss detection timer (RFC 9002 appendix A.8, A.9).
use super::{Sender, Stage};
use crate::sender::stream::Piece;
use dumbbell_core::transport::CongestionControl;
use dumbbell_core::transport::segment::Outbox;
use dumbbell_core::units::{Span, Time};

/// No probe timeout is longer: a real connection ends by its idle timeout, which is not modeled.
const LONGEST: Span = Span::from_secs(3600);

impl<C: CongestionControl> Sender<C> {
    /// Handles the timers that are due at [`Self::deadline`].
    pub fn on_deadline(&mut self, now: Time, out: &mut impl Outbox) {
        self.check_supply();
        if self.cc.timer() <= now {
            self.cc.on_timer(now);
        }
        if self.loss_at < Time::NEVER {
            if self.loss_at <= now {
                self.detect_losses(now);
            }
        } else if self.pto_at <= now {
            self.probe(now, out);
        }
        self.act(now, out);
        self.settle(now);
    }

    /// The probe timeout in force, backoff included (section 6.2.1).
    pub(super) fn pto(&self) -> Span {
        let pto = self.rtt.pto(self.stage == Stage::Opening);
        (pto * (1 << self.pto_count.min(40))).min(LONGEST)
    }

    /// SetLossDetectionTimer. `loss_at` is set by the detection itself, and has precedence.
    #[inline]
    pub(super) fn set_timer(&mut self, now: Time) {
        let waits = self.packets.in_flight() > 0 && !self.frozen;
        self.pto_at = if waits { (self.last_sent + self.pto()).max(now) } else { Time::NEVER };
    }

    /// OnLossDetectionTimeout, where no loss time is set: one or two probes whatever the window
    /// (section 6.2.4).
    fn probe(&mut self, now: Time, out: &mut impl Outbox) {
        self.stats.ptos += 1;
        self.pto_count += 1;
        if self.stage == Stage::Opening {
            return self.send_initial(now, out);
        }
        let mut repeated = None;
        for _ in 0..self.config.probes {
            if self.send_next(now, out) {
                continue;
            }
            // Nothing new: what was sent and not acknowledged, from the oldest on.
            match self.next_to_repeat(repeated) {
                Some(piece) => {
                    repeated = Some(piece.to);
                    self.send_copy(now, piece, out);
                }
                None if repeated.is_none() => return self.send_ping(now, out),
                None => return,
            }
        }
    }

    /// The first piece in flight, or the one after `repeated`.
    fn next_to_repeat(&self, repeated: Option<u64>) -> Option<Piece> {
        match repeated {
            None => self.stream.head(self.room()),
            Some(from) => self.stream.after(from, self.room()),
        }
    }
}
