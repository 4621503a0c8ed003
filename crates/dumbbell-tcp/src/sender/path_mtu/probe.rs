//! Packetization-layer path MTU discovery (RFC 4821, RFC 8899): larger segments are tried one by
//! one, and repeated timeouts indicate a router that drops large packets silently.
//! [`crate::sender::path_mtu`] has the states.
use crate::config::Discovery;
use crate::sender::path_mtu::MtuProbe;
use crate::sender::{Sender, Stage};
use dumbbell_core::transport::segment::Outbox;
use dumbbell_core::transport::{CongestionControl, Detect, Phase, Recover, Tag};
use dumbbell_core::units::Time;

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// Sends a probe if one is due and has room; true: the window is kept for it, and nothing else
    /// goes now.
    ///
    /// A probe is new data in one segment, with enough behind it for its loss to show by duplicate
    /// acknowledgments (RFC 4821 section 7.5). It waits while anything is suspected, and never
    /// beside another one.
    #[cold]
    pub(crate) fn try_probe(&mut self, now: Time, out: &mut impl Outbox) -> bool {
        let calm = self.phase == Phase::Open && self.dupacks == 0 && self.spare + self.beyond == 0;
        if !calm
            || self.stage != Stage::Established
            || self.nxt != self.high
            || !self.board.is_empty()
        {
            return false;
        }
        let step = self.cold.config.pmtu_step.0 as u32;
        let una = self.una;
        let Some(path) = self.cold.path.as_ref().filter(|p| p.trial.is_none() && p.wait <= una)
        else {
            return false;
        };
        let Some(size) = path.next(step) else { return false };
        let bytes = u64::from(size - self.overhead);
        let behind = u64::from(self.cold.config.dupack_threshold) * self.mss;
        let window = self.window.min(self.cc.cwnd());
        if self.limit < self.high + bytes + behind || window < bytes + behind {
            return false;
        }
        if window - (self.nxt - self.una).min(window) < bytes || !self.released(now) {
            self.window_limited = true;
            return true;
        }
        let from = self.high;
        self.nxt = self.send(now, from, from + bytes, Tag(0), out);
        let path = self.path_size();
        path.trial = Some(MtuProbe { from, to: from + bytes, size });
        path.stats.mtu_probes += 1;
        false
    }

    /// An acknowledgment was taken in: did the probe pass? Then segments have its size (section
    /// 7.6.1).
    #[cold]
    pub(crate) fn look_for_trial(&mut self, now: Time) {
        let Some(path) = &mut self.cold.path else { return };
        if path.mending > 0 && path.mending <= self.una {
            path.mending = 0;
            if self.dupacks == 0 {
                // Segments that were not counted meanwhile count against the window again.
                (self.spare, self.limited_sent) = (0, 0);
            }
        }
        let Some(trial) = path.trial else { return self.watch_path() };
        let MtuProbe { from, to, size } = trial;
        if self.una < to && self.board.bytes_within(from, to) < to - from {
            return;
        }
        let path = self.path_size();
        (path.trial, path.low) = (None, size);
        if size > self.path_mtu() {
            self.resize(size);
        }
        self.conclude_search(now);
    }

    /// Sets the time of the next search if no larger size is left to try.
    fn conclude_search(&mut self, now: Time) {
        let after = self.cold.config.pmtu_raise_after;
        let step = self.cold.config.pmtu_step.0 as u32;
        let path = self.path_size();
        let complete = path.next(step).is_none();
        path.raise_at = if complete && path.high < path.most { now + after } else { Time::NEVER };
        self.watch_path();
    }

    /// True if the probe, and nothing beside it, is what was found lost (section 7.6.2: only then
    /// it is not congestion).
    pub(crate) fn only_trial_lost(&self) -> bool {
        let Some(MtuProbe { from, to, .. }) = self.cold.path.as_ref().and_then(|path| path.trial)
        else {
            return false;
        };
        if self.phase != Phase::Open || (self.una != from && !self.detect.by_segment()) {
            return false;
        }
        let mut lost = Vec::new();
        self.detect.lost_ranges(&self.board, self.una, &mut lost);
        lost.iter().all(|range| from <= range.0 && range.1 <= to)
    }

    /// The probe did not pass. Its data goes again in segments that do, and the window stays. The
    /// next one waits until all that is on its way is acknowledged.
    #[cold]
    pub(crate) fn trial_failed(&mut self, now: Time, out: &mut impl Outbox) {
        let high = self.high;
        let path = self.path_size();
        let Some(MtuProbe { from, to, size }) = path.trial.take() else { return };
        path.high = path.high.min(size - 1);
        (path.wait, path.mending) = (high, to);
        path.stats.mtu_probes_lost += 1;
        self.rate_withdraw(from, to, 0);
        let mut at = from;
        while at < to {
            let end = to.min(at + self.mss);
            self.send(now, at, end, Tag(0), out);
            at = end;
        }
        self.keep_clocked();
        self.restart_timer(now);
        self.conclude_search(now);
    }

    /// While the data of a lost probe is on its way again, duplicates tell nothing new; each lets a
    /// segment go.
    pub(crate) fn repairs_loss(&self) -> bool {
        let by_count = self.searching && self.phase == Phase::Open && !self.detect.by_segment();
        by_count && self.cold.path.as_ref().is_some_and(|p| self.una < p.mending)
    }
    pub(crate) fn keep_clocked(&mut self) {
        let left = if self.sack { self.board.bytes() } else { u64::from(self.dupacks) * self.mss };
        self.spare = left;
    }

    /// The probe got lost among other things: nothing is known of its size (section 7.6.4), and it
    /// is tried again later.
    pub(crate) fn forget_trial(&mut self) {
        let high = self.high;
        if let Some(path) = &mut self.cold.path {
            if path.trial.take().is_some() {
                path.wait = high;
            }
            path.mending = 0;
        }
    }

    /// The retransmission timer expired. A probe that is first in flight failed (section 7.6.3); a
    /// segment that times out again and again is too large for the path, and nobody says so
    /// (section 7.7).
    #[cold]
    pub(crate) fn size_at_timeout(&mut self) {
        let una = self.una;
        if let Some(path) = self.cold.path.as_mut()
            && let Some(trial) = path.trial.filter(|trial| trial.from == una)
        {
            path.high = path.high.min(trial.size - 1);
            path.stats.mtu_probes_lost += 1;
        }
        self.forget_trial();
        let (base, least) = (self.base_mtu(), self.least_mtu());
        let first = self.overhead + self.mss.min(self.high - una) as u32;
        // At the base or below it the base comes first, which changes nothing, and then its half.
        let falls = if first > base || self.path_stats().black_holes > 0 { 1 } else { 2 };
        if u32::from(self.cold.stuck) < falls * self.cold.config.pmtu_black_hole || first <= least {
            return;
        }
        self.cold.stuck = 0;
        let (present, high) = (self.path_mtu(), self.high);
        let path = self.path_size();
        let size = path.fall(present, base, least);
        (path.wait, path.raise_at) = (high, Time::NEVER);
        if size < present {
            self.resize(size);
        }
        self.watch_path();
    }

    /// True if timeouts are counted.
    pub(crate) fn counts_timeouts(&self) -> bool {
        self.cold.config.pmtu_discovery == Discovery::Probe
    }
}
