//! BBRv3's states, and what leads from one to the next (section 5.3).
use super::Model;
use crate::cc::parts::path_model::FullPipe;
use dumbbell_core::transport::RateSample;
use dumbbell_core::units::{Span, Time};

/// Rounds after which Drain ends, whatever is in flight (-06, section 5.3.2).
const DRAIN_ROUNDS: u64 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl State {
    /// `IsInAProbeBWState`.
    #[inline]
    pub fn probes_bw(self) -> bool {
        matches!(self, State::Down | State::Cruise | State::Refill | State::Up)
    }
    /// `BBRIsProbingBW`.
    #[inline]
    pub fn is_probing(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }
}

/// The phase whose samples arrive (`ack_phase`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Samples {
    /// The samples are of no interest.
    #[default]
    Quiet,
    Refilling,
    Starting,
    Feedback,
    /// The last round of a probe.
    Stopping,
}

/// The course of a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probing {
    /// The start of the cycle (`cycle_stamp`), and the time that it is to last.
    stamp: Time,
    wait: Span,
    /// Rounds since the last probe, with a random start.
    pub rounds: u64,
    phase: Samples,
    /// True if what is acknowledged was sent in a probe to which no answer was given
    /// (`bw_probe_samples`).
    pub samples: bool,
    /// Doublings of the growth of `inflight_hi`; bytes to be acknowledged for a byte of growth (0:
    /// none), and how many are.
    up_rounds: u32,
    up_count: u64,
    up_acks: u64,
    /// True if the window was the limit, in this round and in the last one (`is_cwnd_limited`).
    limited: bool,
    was_limited: bool,
}

impl Probing {
    #[inline]
    pub fn see_limit(&mut self, limited: bool) {
        self.limited |= limited;
    }
    #[inline]
    pub fn next_round(&mut self, round: bool) {
        if round {
            (self.was_limited, self.limited) = (self.limited, false);
        }
    }
    pub fn cwnd_limited(&self) -> bool {
        self.limited || self.was_limited
    }
}

impl Model {
    /// `BBRCheckFullBWReached`.
    #[inline]
    pub(super) fn check_full_bw(&mut self, rs: &RateSample) {
        if self.pipe.now || !self.rounds.start || self.held.limits(rs) {
            return;
        }
        if let Some(bw) = rs.bytes_per_second() {
            self.pipe.round(bw, 1.25, 3);
            self.reached |= self.pipe.now;
        }
    }

    /// `BBRCheckStartupDone`; high losses are seen to at the end of their round.
    #[inline]
    pub(super) fn check_startup_done(&mut self) {
        if self.state == State::Startup && self.reached {
            self.state = State::Drain;
            (self.pacing_gain, self.cwnd_gain) =
                (self.config.drain_pacing_gain, self.config.cwnd_gain);
            self.drain_start_round = self.rounds.count;
        }
    }

    /// `CheckDrainDone` of -06, section 5.3.2. A bandwidth that was overestimated keeps the flight
    /// above its product: then Drain ends after `DRAIN_ROUNDS`, and the next cycles correct it.
    #[inline]
    pub(super) fn check_drain_done(&mut self, now: Time, rs: &RateSample) {
        let late = || self.rounds.count > self.drain_start_round + DRAIN_ROUNDS;
        if self.state == State::Drain && (rs.pipe <= self.inflight(self.bw, 1.0) || late()) {
            self.start_down(now);
        }
    }

    /// `BBRStartProbeBW_DOWN`.
    pub(super) fn start_down(&mut self, now: Time) {
        self.bounds.reset_signals();
        let p = &mut self.probing;
        (p.up_count, p.stamp, p.phase) = (0, now, Samples::Stopping);
        p.rounds = u64::from(self.chance.below(2));
        p.wait = self.config.probe_wait + self.config.probe_wait_random.scaled(self.chance.unit());
        self.enter(State::Down, self.config.down_pacing_gain, self.config.cwnd_gain);
        self.rounds.restart(self.delivered);
    }

    fn start_cruise(&mut self) {
        self.enter(State::Cruise, 1.0, self.config.cwnd_gain);
    }

    /// `BBRStartProbeBW_REFILL`.
    fn start_refill(&mut self) {
        self.bounds.reset_short_term();
        let p = &mut self.probing;
        (p.up_rounds, p.up_acks, p.phase) = (0, 0, Samples::Refilling);
        self.enter(State::Refill, 1.0, self.config.cwnd_gain);
        self.rounds.restart(self.delivered);
    }

    /// `BBRStartProbeBW_UP`.
    fn start_up(&mut self, rs: &RateSample) {
        (self.probing.samples, self.probing.phase) = (true, Samples::Starting);
        self.restart_search(rs);
        self.enter(State::Up, self.config.up_pacing_gain, self.config.up_cwnd_gain);
        self.rounds.restart(self.delivered);
        self.raise_slope();
    }

    /// `BBRResetFullBW`, from the rate at hand.
    fn restart_search(&mut self, rs: &RateSample) {
        self.pipe = FullPipe { bw: rs.bytes_per_second().unwrap_or(0.0), ..FullPipe::default() };
    }

    fn enter(&mut self, state: State, pacing_gain: f64, cwnd_gain: f64) {
        (self.state, self.pacing_gain, self.cwnd_gain) = (state, pacing_gain, cwnd_gain);
    }

    /// `BBRUpdateProbeBWCyclePhase`.
    #[inline]
    pub(super) fn update_cycle(&mut self, now: Time, rs: &RateSample, newly: u64) {
        if !self.reached {
            return;
        }
        // Before the bound is raised: the window follows it only afterwards.
        let bounded = self.is_bounded();
        self.adapt_long_term(rs, newly);
        match self.state {
            State::Down | State::Cruise if self.is_time_to_probe(now) => self.start_refill(),
            State::Down if self.is_time_to_cruise(rs) => self.start_cruise(),
            State::Refill if self.rounds.start => self.start_up(rs),
            // `BBRIsTimeToGoDown`: while the bound is the limit, nothing can be said of the path.
            State::Up if bounded => self.restart_search(rs),
            State::Up if self.pipe.now => self.start_down(now),
            _ => {}
        }
    }

    /// `BBRIsTimeToProbeBW`: after 2 to 3 s, or as many rounds as Reno would need to grow back.
    #[inline]
    fn is_time_to_probe(&self, now: Time) -> bool {
        let most = u64::from(self.config.reno_rounds);
        now > self.probing.stamp + self.probing.wait
            || self.probing.rounds >= (self.target_inflight() / self.mss).min(most)
    }

    /// `BBRIsTimeToCruise`.
    #[inline]
    fn is_time_to_cruise(&self, rs: &RateSample) -> bool {
        rs.pipe <= self.inflight_with_headroom() && rs.pipe <= self.inflight(self.max_bw, 1.0)
    }

    /// True if `inflight_hi` holds the flow back.
    #[inline]
    fn is_bounded(&self) -> bool {
        self.probing.cwnd_limited() && self.cwnd >= self.bounds.inflight_hi
    }

    /// `BBRAdaptLongTermModel`. The filter moves on once for each cycle (section 5.5.6), and the
    /// samples of a probe end a round after it.
    #[inline]
    fn adapt_long_term(&mut self, rs: &RateSample, newly: u64) {
        if self.rounds.start && self.probing.phase == Samples::Starting {
            self.probing.phase = Samples::Feedback;
        } else if self.rounds.start && self.probing.phase == Samples::Stopping {
            (self.probing.phase, self.probing.samples) = (Samples::Quiet, false);
            if self.state.probes_bw() && !self.held.limits(rs) {
                self.cycle_count += 1;
            }
        }
        if self.bounds.inflight_hi == u64::MAX || self.too_high(rs.lost, rs.in_flight) {
            return;
        }
        self.bounds.inflight_hi = self.bounds.inflight_hi.max(rs.in_flight);
        if self.state == State::Up {
            self.probe_upward(newly);
        }
    }

    /// `BBRRaiseInflightLongtermSlope`: 1, 2, 4, ... segments in a round.
    fn raise_slope(&mut self) {
        let growth = self.mss << self.probing.up_rounds;
        self.probing.up_rounds = (self.probing.up_rounds + 1).min(30);
        self.probing.up_count = (self.cwnd / growth).max(1);
    }

    /// `BBRProbeInflightLongtermUpward`.
    fn probe_upward(&mut self, newly: u64) {
        if !self.is_bounded() {
            return;
        }
        let p = &mut self.probing;
        p.up_acks += newly;
        let delta = p.up_acks / p.up_count.max(1);
        p.up_acks -= delta * p.up_count.max(1);
        self.bounds.inflight_hi += delta;
        if self.rounds.start {
            self.raise_slope();
        }
    }

    /// `BBRUpdateMinRTT`; whether it is time for ProbeRTT.
    #[inline]
    pub(super) fn update_min_rtt(&mut self, now: Time, rs: &RateSample) -> bool {
        let expired = self.probe_rtt_min.expired(now, self.config.probe_rtt_interval);
        if let Some(rtt) = rs.rtt {
            self.init_pacing(rtt);
            if rtt < self.probe_rtt_min.value || expired {
                (self.probe_rtt_min.value, self.probe_rtt_min.stamp) = (rtt, now);
            }
        }
        let old = self.min_rtt.expired(now, self.config.min_rtt_window);
        if self.probe_rtt_min.value < self.min_rtt.value || old {
            self.min_rtt = self.probe_rtt_min;
        }
        expired
    }

    /// `BBRCheckProbeRTT`.
    #[inline]
    pub(super) fn check_probe_rtt(&mut self, now: Time, rs: &RateSample, expired: bool) {
        if self.state != State::ProbeRtt && expired && !self.idle_restart {
            self.good.save(self.cwnd, false);
            self.enter(State::ProbeRtt, 1.0, self.config.probe_rtt_cwnd_gain);
            self.probe_rtt_done = None;
            self.probing.phase = Samples::Stopping;
            self.rounds.restart(self.delivered);
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(now, rs);
        }
        self.idle_restart = false;
    }

    /// `BBRHandleProbeRTT`.
    fn handle_probe_rtt(&mut self, now: Time, rs: &RateSample) {
        self.held.mark(rs.total_delivered, rs.pipe);
        if self.probe_rtt_done.is_none() && rs.pipe <= self.probe_rtt_cwnd() {
            self.probe_rtt_done = Some(now + self.config.probe_rtt_time);
            self.probe_rtt_round = false;
            self.rounds.restart(self.delivered);
        } else if self.probe_rtt_done.is_some() {
            self.probe_rtt_round |= self.rounds.start;
            if self.probe_rtt_round {
                self.check_probe_rtt_done(now);
            }
        }
    }

    /// `BBRCheckProbeRTTDone`, `BBRExitProbeRTT`: the queue is gone, so that the cycle goes on at
    /// CRUISE.
    pub(super) fn check_probe_rtt_done(&mut self, now: Time) {
        if self.probe_rtt_done.is_none_or(|done| now <= done) {
            return;
        }
        self.probe_rtt_min.stamp = now;
        self.cwnd = self.good.restore(self.cwnd);
        self.bounds.reset_short_term();
        if self.reached {
            self.start_down(now);
            self.start_cruise();
        } else {
            self.enter(State::Startup, self.config.startup_pacing_gain, self.config.cwnd_gain);
        }
    }
}
