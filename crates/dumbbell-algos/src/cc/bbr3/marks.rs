//! Marks (ECN). The draft only says that they are to be treated as congestion (section 3.7): an
//! echo is a loss here, unless the path is so short that it may be one of shallow thresholds, where
//! the share of marks counts as in Google's BBRv3.
use super::Model;
use super::cycle::State;
use dumbbell_core::transport::{Ack, RateSample};
use dumbbell_core::units::Time;

/// Rounds with many marks that end Startup.
const STARTUP_ROUNDS: u32 = 2;

#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// The average share.
    pub alpha: f64,
    /// True if something was marked in this round of [`super::bounds`].
    pub in_round: bool,
    /// Bytes delivered, and marked, in this round trip.
    delivered: u64,
    marked: u64,
    /// Rounds of Startup with many marks, in a row.
    startup_rounds: u32,
}

impl Default for Marks {
    fn default() -> Self {
        Marks { alpha: 1.0, in_round: false, delivered: 0, marked: 0, startup_rounds: 0 }
    }
}

impl Model {
    fn goes_by_share(&self) -> bool {
        self.min_rtt.value <= self.config.ecn_max_rtt
    }

    /// Counts marks, once a round takes their share into the average.
    #[inline]
    pub(super) fn update_marks(&mut self, ack: &Ack, rs: &RateSample, newly: u64) {
        let m = &mut self.marks;
        m.delivered += newly;
        if ack.marked > 0 || m.marked > 0 {
            self.count_marks(ack, rs);
        } else if self.rounds.start {
            m.delivered = 0;
            m.startup_rounds = 0;
            m.alpha *= 1.0 - self.config.ecn_alpha_gain;
        }
    }

    #[cold]
    fn count_marks(&mut self, ack: &Ack, rs: &RateSample) {
        if !self.goes_by_share() {
            return;
        }
        let m = &mut self.marks;
        m.marked += ack.marked;
        m.in_round |= ack.marked > 0;
        let share = (m.marked as f64 / m.delivered.max(1) as f64).min(1.0);
        let many = share > self.config.ecn_thresh;
        if self.rounds.start {
            m.alpha += self.config.ecn_alpha_gain * (share - m.alpha);
            m.startup_rounds = if many { m.startup_rounds + 1 } else { 0 };
            (m.delivered, m.marked) = (0, 0);
            if self.state == State::Startup && m.startup_rounds >= STARTUP_ROUNDS {
                self.reached = true;
                self.bounds.inflight_hi = self.bdp_multiple(1.0);
            }
            if many && self.probing.samples {
                self.handle_too_high(ack.now, rs.in_flight, rs.app_limited);
            }
        }
    }

    /// An echo, once per window of data: a loss, where the share of marks does not count.
    pub(super) fn handle_echo(&mut self, now: Time, in_flight: u64) {
        if self.goes_by_share() {
            return;
        }
        self.bounds.note_loss(self.delivered);
        if self.probing.samples {
            self.handle_too_high(now, in_flight, false);
        }
    }
}
