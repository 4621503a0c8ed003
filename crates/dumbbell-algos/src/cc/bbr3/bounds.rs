//! The bounds on rate and inflight that losses imply, for long and for a while (section 5.5.10).
//! The draft's `longterm` is `hi` here and `shortterm` is `lo`, as in Google's code and in
//! publications about it.
use super::Model;
use super::cycle::State;
use dumbbell_core::transport::RateSample;
use dumbbell_core::units::Time;

#[derive(Clone, Debug)]
pub(super) struct Bounds {
    /// Infinite: none.
    pub bw_lo: f64,
    /// [`u64::MAX`]: none.
    pub inflight_lo: u64,
    pub inflight_hi: u64,
    /// The largest delivery rate, and the most delivered within a sample's interval, in this round.
    bw_latest: f64,
    pub inflight_latest: u64,
    loss_round_delivered: u64,
    /// True if the acknowledgment at hand ends a round for these purposes.
    pub loss_round_start: bool,
    pub loss_in_round: bool,
    /// Ranges lost in this round.
    ranges: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            bw_lo: f64::INFINITY,
            inflight_lo: u64::MAX,
            inflight_hi: u64::MAX,
            bw_latest: 0.0,
            inflight_latest: 0,
            loss_round_delivered: 0,
            loss_round_start: false,
            loss_in_round: false,
            ranges: 0,
        }
    }
}

impl Bounds {
    /// `BBRUpdateLatestDeliverySignals`.
    #[inline]
    pub fn update_latest(&mut self, rs: &RateSample) {
        self.bw_latest = self.bw_latest.max(rs.bytes_per_second().unwrap_or(0.0));
        self.inflight_latest = self.inflight_latest.max(rs.delivered);
        self.loss_round_start = rs.prior_delivered >= self.loss_round_delivered;
        if self.loss_round_start {
            self.loss_round_delivered = rs.total_delivered;
        }
    }
    /// `BBRAdvanceLatestDeliverySignals`.
    #[inline]
    pub fn advance_latest(&mut self, rs: &RateSample) {
        if self.loss_round_start {
            (self.bw_latest, self.inflight_latest) =
                (rs.bytes_per_second().unwrap_or(0.0), rs.delivered);
        }
    }
    /// `BBRResetCongestionSignals`.
    pub fn reset_signals(&mut self) {
        (self.loss_in_round, self.bw_latest, self.inflight_latest, self.ranges) =
            (false, 0.0, 0, 0);
    }
    /// `BBRResetShortTermModel`.
    pub fn reset_short_term(&mut self) {
        (self.bw_lo, self.inflight_lo) = (f64::INFINITY, u64::MAX);
    }
    /// `BBRNoteLoss`.
    pub fn note_loss(&mut self, delivered: u64) {
        if !self.loss_in_round {
            self.loss_round_delivered = delivered;
        }
        self.loss_in_round = true;
    }
}

impl Model {
    /// `IsInflightTooHigh`.
    #[inline]
    pub(super) fn too_high(&self, lost: u64, in_flight: u64) -> bool {
        lost as f64 > in_flight as f64 * self.config.loss_thresh
    }

    /// `BBRHandleLostPacket`, of all that was found lost at once: as if it were one packet.
    #[cold]
    pub(super) fn handle_loss(&mut self, now: Time, rs: &RateSample) {
        self.bounds.note_loss(self.delivered);
        self.bounds.ranges += rs.loss.ranges;
        if self.probing.samples && self.too_high(rs.loss.lost, rs.loss.in_flight) {
            let at = self.inflight_at_loss(rs);
            self.handle_too_high(now, at, rs.loss.app_limited);
        }
    }

    /// `BBRInflightAtLoss`: what was in flight when the share of losses crossed the threshold.
    fn inflight_at_loss(&self, rs: &RateSample) -> u64 {
        let (thresh, size) = (self.config.loss_thresh, rs.newly_lost.min(rs.loss.in_flight));
        let before = (rs.loss.in_flight - size) as f64;
        let lost_before = rs.loss.lost.saturating_sub(size) as f64;
        let prefix = (thresh * before - lost_before) / (1.0 - thresh);
        (before + prefix.clamp(0.0, size as f64)) as u64
    }

    /// `BBRHandleInflightTooHigh`: once for each probe.
    pub(super) fn handle_too_high(&mut self, now: Time, in_flight: u64, app_limited: bool) {
        self.probing.samples = false;
        if !app_limited {
            let least = (self.target_inflight() as f64 * self.config.beta) as u64;
            self.bounds.inflight_hi = in_flight.max(least);
        }
        if self.state == State::Up {
            self.start_down(now);
        }
    }

    /// `BBRUpdateCongestionSignals`, without the rate; `BBRAdaptLowerBoundsFromCongestion`.
    #[inline]
    pub(super) fn adapt_short_term(&mut self, rs: &RateSample) {
        if !self.bounds.loss_round_start {
            return;
        }
        if self.bounds.loss_in_round {
            self.check_startup_loss(rs);
        }
        if !self.state.is_probing() && (self.bounds.loss_in_round || self.marks.in_round) {
            self.lower_short_term();
        }
        (self.bounds.loss_in_round, self.bounds.ranges, self.marks.in_round) = (false, 0, false);
    }

    /// `BBRInitLowerBounds`, `BBRLossLowerBounds`; and what marks take.
    #[cold]
    fn lower_short_term(&mut self) {
        let (beta, b) = (self.config.beta, &mut self.bounds);
        let first = |bytes: u64, cwnd: u64| if bytes == u64::MAX { cwnd } else { bytes };
        let inflight = first(b.inflight_lo, self.cwnd) as f64;
        let mut lowered = inflight;
        if self.marks.in_round {
            lowered = inflight * (1.0 - self.marks.alpha * self.config.ecn_factor);
        }
        if b.loss_in_round {
            b.bw_lo =
                b.bw_latest.max(beta * if b.bw_lo.is_finite() { b.bw_lo } else { self.max_bw });
            lowered = lowered.min((b.inflight_latest as f64).max(beta * inflight));
        }
        b.inflight_lo = lowered as u64;
    }

    /// `BBRCheckStartupHighLoss`: a whole round of recovery with more than 2 % and many ranges
    /// lost.
    fn check_startup_loss(&mut self, rs: &RateSample) {
        let whole = self.good.repairing && self.rounds.count > self.repair_round;
        let much = self.bounds.ranges >= self.config.full_loss_count
            && self.too_high(rs.lost, rs.in_flight);
        if self.state == State::Startup && whole && much {
            self.reached = true;
            self.bounds.inflight_hi = self.bdp_multiple(1.0).max(self.bounds.inflight_latest);
        }
    }
}
