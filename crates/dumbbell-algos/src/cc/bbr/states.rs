//! BBR's states, and what leads from one to the next (section 4.3 of the draft).
use super::Model;
use dumbbell_core::transport::RateSample;
use dumbbell_core::units::Time;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Twice the rate each round, until that brings no more.
    Startup,
    /// The queue of STARTUP drains.
    Drain,
    /// At the rate of the path, and above it now and then.
    ProbeBw,
    /// Hardly anything in flight, to see the path without a queue.
    ProbeRtt,
}

/// The pacing gains of PROBE_BW: more, as much less, and the rate itself.
pub(super) const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

impl Model {
    fn enter_startup(&mut self) {
        self.mode = Mode::Startup;
        (self.pacing_gain, self.cwnd_gain) = (self.config.high_gain, self.config.high_gain);
    }

    /// `BBRCheckFullPipe`.
    #[inline]
    pub(super) fn check_full_pipe(&mut self, rs: &RateSample) {
        if self.filled || !self.rounds.start || self.held.limits(rs) {
            return;
        }
        self.pipe.round(self.bw, self.config.full_bw_threshold, self.config.full_bw_rounds);
        self.filled = self.pipe.now;
    }

    /// `BBRCheckDrain`.
    #[inline]
    pub(super) fn check_drain(&mut self, now: Time, in_flight: u64) {
        if self.mode == Mode::Startup && self.filled {
            self.mode = Mode::Drain;
            (self.pacing_gain, self.cwnd_gain) =
                (1.0 / self.config.high_gain, self.config.high_gain);
        }
        if self.mode == Mode::Drain && in_flight <= self.inflight(1.0) {
            self.enter_probe_bw(now);
        }
    }

    /// `BBREnterProbeBW`: anywhere in the cycle but where it gives way, so that flows do not move
    /// in step.
    fn enter_probe_bw(&mut self, now: Time) {
        self.mode = Mode::ProbeBw;
        self.cwnd_gain = self.config.cwnd_gain;
        self.cycle = CYCLE.len() - 1 - self.chance.below(CYCLE.len() as u32 - 1) as usize;
        self.advance_cycle(now);
    }

    fn advance_cycle(&mut self, now: Time) {
        self.cycle_stamp = now;
        self.cycle = (self.cycle + 1) % CYCLE.len();
        self.pacing_gain = CYCLE[self.cycle];
    }

    /// `BBRCheckCyclePhase`; `prior`: in flight before this acknowledgment.
    #[inline]
    pub(super) fn check_cycle(&mut self, now: Time, rs: &RateSample, prior: u64) {
        if self.mode != Mode::ProbeBw {
            return;
        }
        let whole = now.since(self.cycle_stamp) > self.min_rtt.value;
        let gain = self.pacing_gain;
        let next = if gain > 1.0 {
            whole && (rs.newly_lost > 0 || prior >= self.inflight(gain))
        } else {
            whole || (gain < 1.0 && prior <= self.inflight(1.0))
        };
        if next {
            self.advance_cycle(now);
        }
    }

    /// `BBRCheckProbeRTT`.
    #[inline]
    pub(super) fn check_probe_rtt(&mut self, now: Time, rs: &RateSample, expired: bool) {
        if self.mode != Mode::ProbeRtt && expired && !self.idle_restart {
            self.good.save(self.cwnd, false);
            self.mode = Mode::ProbeRtt;
            (self.pacing_gain, self.cwnd_gain) = (1.0, 1.0);
            (self.probe_rtt_done, self.probe_rtt_round) = (None, false);
        }
        if self.mode == Mode::ProbeRtt {
            self.handle_probe_rtt(now, rs);
        }
        self.idle_restart = false;
    }

    /// `BBRHandleProbeRTT`.
    fn handle_probe_rtt(&mut self, now: Time, rs: &RateSample) {
        self.held.mark(rs.total_delivered, rs.pipe);
        match self.probe_rtt_done {
            None if rs.pipe <= self.min_window() => {
                self.probe_rtt_done = Some(now + self.config.probe_rtt_time);
                self.probe_rtt_round = false;
                self.rounds.restart(rs.total_delivered);
            }
            None => {}
            Some(done) => {
                self.probe_rtt_round |= self.rounds.start;
                if self.probe_rtt_round && now > done {
                    self.exit_probe_rtt(now);
                }
            }
        }
    }

    fn exit_probe_rtt(&mut self, now: Time) {
        self.min_rtt.stamp = now;
        self.cwnd = self.good.restore(self.cwnd);
        if self.filled {
            self.enter_probe_bw(now);
        } else {
            self.enter_startup();
        }
    }
}
