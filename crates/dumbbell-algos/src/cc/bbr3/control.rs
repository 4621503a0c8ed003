//! From the model to the control parameters: pacing rate and window (section 5.6).
use super::Model;
use super::cycle::State;
use dumbbell_core::units::Span;

impl Model {
    pub(super) fn min_window(&self) -> u64 {
        ((self.config.min_cwnd.0 * self.mss as f64) as u64).max(self.mss)
    }

    /// `BBRBDPMultiple`, of another rate than `bw`.
    #[inline]
    fn bdp_of(&self, bw: f64, gain: f64) -> u64 {
        match self.min_rtt.seconds() {
            Some(rtt) => (gain * bw * rtt) as u64,
            None => self.initial_window,
        }
    }
    /// `BBRBDPMultiple`.
    #[inline]
    pub(super) fn bdp_multiple(&self, gain: f64) -> u64 {
        self.bdp_of(self.bw, gain)
    }

    /// `BBRSetSendQuantum`.
    #[inline]
    fn quantum(&self) -> u64 {
        ((self.pacing.unwrap_or(0.0) * 1e-3) as u64).min(64_000).max(2 * self.mss)
    }

    /// `BBRQuantizationBudget`.
    #[inline]
    fn budget(&self, bytes: u64) -> u64 {
        let probe = if self.state == State::Up { 2 * self.mss } else { 0 };
        bytes.max(3 * self.quantum()).max(self.min_window()) + probe
    }

    /// `BBRInflight`.
    #[inline]
    pub(super) fn inflight(&self, bw: f64, gain: f64) -> u64 {
        self.budget(self.bdp_of(bw, gain))
    }

    /// `BBRTargetInflight`.
    pub(super) fn target_inflight(&self) -> u64 {
        self.bdp_multiple(1.0).min(self.cwnd)
    }

    /// `BBRInflightWithHeadroom`.
    pub(super) fn inflight_with_headroom(&self) -> u64 {
        let hi = self.bounds.inflight_hi;
        if hi == u64::MAX {
            return hi;
        }
        let headroom = ((self.config.headroom * hi as f64) as u64).max(self.mss);
        hi.saturating_sub(headroom).max(self.min_window())
    }

    /// `BBRInitPacingRate`, at the first round-trip time.
    pub(super) fn init_pacing(&mut self, rtt: Span) {
        if self.pacing.is_none() {
            let nominal = self.initial_window as f64 / rtt.seconds().max(1e-9);
            self.pacing = Some(self.config.startup_pacing_gain * nominal);
        }
    }

    /// `BBRSetPacingRateWithGain`.
    #[inline]
    pub(super) fn set_pacing(&mut self, gain: f64) {
        let rate = gain * self.bw * (1.0 - self.config.pacing_margin);
        if rate > 0.0 && (self.reached || self.pacing.is_none_or(|now| rate > now)) {
            self.pacing = Some(rate);
        }
    }

    /// `BBRProbeRTTCwnd`.
    pub(super) fn probe_rtt_cwnd(&self) -> u64 {
        self.bdp_multiple(self.config.probe_rtt_cwnd_gain).max(self.min_window())
    }

    /// `BBRSetCwnd`.
    #[inline]
    pub(super) fn set_cwnd(&mut self, newly: u64) {
        let most = self.budget(self.bdp_multiple(self.cwnd_gain) + self.aggregation.extra);
        if self.reached {
            self.cwnd = (self.cwnd + newly).min(most);
        } else if self.cwnd < most || self.delivered < self.initial_window {
            self.cwnd += newly;
        }
        self.cwnd = self.cwnd.max(self.min_window());
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        self.bound_cwnd();
    }

    /// `BBRBoundCwndForModel`.
    #[inline]
    fn bound_cwnd(&mut self) {
        let cap = match self.state {
            State::Down | State::Refill | State::Up => self.bounds.inflight_hi,
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Startup | State::Drain => u64::MAX,
        };
        self.cwnd = self.cwnd.min(cap.min(self.bounds.inflight_lo).max(self.min_window()));
    }
}
