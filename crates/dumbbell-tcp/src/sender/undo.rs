//! Spurious reductions: their detection (Eifel, D-SACK), and the undo (RFC 4015).
use super::Sender;
use super::frto::Frto;
use crate::config::TcpConfig;
use crate::sender::ack_info::AckInfo;
use dumbbell_core::transport::segment::TS_UNIT_SHIFT;
use dumbbell_core::transport::{
    Cause, Congestion, CongestionControl, Detect, Phase, Recover, Scoreboard,
};
use dumbbell_core::units::Time;

/// The retransmissions since the last reduction, and their outcome.
#[derive(Clone, Debug, Default)]
pub(super) struct Episode {
    /// True if a method of undo is on.
    watched: bool,
    /// True if the reduction may still prove spurious.
    open: bool,
    /// True if a timeout caused the reduction.
    timeout: bool,
    resent: Scoreboard,
    /// The retransmitted ranges that the receiver reported as duplicates.
    reported: Scoreboard,
    /// True if some data was retransmitted more than once: its reports cannot be told apart.
    ambiguous: bool,
    /// The timestamp of the first retransmission, until an acknowledgment has answered it.
    first: Option<Time>,
}

impl Episode {
    pub fn new(config: &TcpConfig) -> Self {
        Episode { watched: config.frto || config.dsack_undo || config.eifel, ..Episode::default() }
    }
    pub fn open(&mut self, timeout: bool) {
        self.resent.clear();
        self.reported.clear();
        (self.open, self.timeout, self.ambiguous, self.first) =
            (self.watched, timeout, false, None);
    }
    pub fn close(&mut self) {
        self.open = false;
    }
    /// `[from, to)` goes out again, with this timestamp.
    pub fn note(&mut self, from: u64, to: u64, tick: Time) {
        if self.open {
            if self.resent.is_empty() {
                self.first = Some(tick);
            }
            self.ambiguous |= self.resent.bytes_within(from, to) > 0;
            self.resent.insert(from, to);
        }
    }
    /// Bytes of `[from, to)` that were sent again.
    pub fn resent_within(&self, from: u64, to: u64) -> u64 {
        self.resent.bytes_within(from, to)
    }
    /// `[from, to)` arrived twice; whether all that was sent again did (RFC 3708 section 3). A
    /// duplicate that this end did not make tells nothing.
    fn duplicated(&mut self, from: u64, to: u64) -> bool {
        if !self.open || self.ambiguous || self.resent.bytes_within(from, to) < to - from {
            return false;
        }
        self.reported.insert(from, to);
        self.reported.bytes() == self.resent.bytes()
    }
}

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// RFC 3522 section 3.2: the first acknowledgment of something that was sent again echoes an
    /// earlier timestamp than the repetition's.
    pub(super) fn answers_the_original(&mut self, info: AckInfo) -> bool {
        let episode = &mut self.cold.episode;
        let before = self.una - info.acked;
        if info.acked == 0 || !episode.open || episode.resent_within(before, before + 1) == 0 {
            return false;
        }
        let Some(first) = episode.first.take() else { return false };
        let echo = self.cold.report.echo.filter(|_| self.cold.config.eifel && self.timestamps);
        echo.is_some_and(|echo| echo < unit(first))
    }

    /// The receiver reported a duplicate.
    #[cold]
    pub(super) fn on_report(&mut self, now: Time) {
        let (from, to) = self.cold.report.duplicate;
        if self.cold.config.dsack_undo && from < to && self.cold.episode.duplicated(from, to) {
            self.declare_spurious(now, 0);
        }
    }

    /// The last reduction was not due: the congestion control takes it back, and what was held lost
    /// is on its way.
    #[cold]
    pub(super) fn declare_spurious(&mut self, now: Time, acked: u64) {
        let timeout = self.cold.episode.timeout;
        if timeout {
            self.stats.spurious_timeouts += 1;
        } else {
            self.stats.spurious_recoveries += 1;
        }
        self.cold.episode.close();
        self.cold.frto = Frto::Off;
        let going_back = self.phase == Phase::Loss;
        if self.phase != Phase::Open {
            self.phase = Phase::Open;
            self.free_new_data();
            self.nxt = self.nxt.max(self.high);
            self.dupacks = 0;
            (self.spare, self.limited_sent) = (0, 0);
        }
        self.detect.forgive(!timeout);
        self.rate_forgiven();
        self.detect.settled();
        let flight = self.nxt - self.una - self.board.bytes_within(self.una, self.nxt);
        self.cc.on_congestion(&Congestion::new(now, Cause::Spurious, flight, &[]));
        if going_back {
            // RFC 4015 section 3.2 steps (7) to (9): no burst, and a timeout that would not have
            // expired.
            let initial = self.cold.config.initial_window_for(self.mss);
            self.cc.on_recovered(now, flight + acked.min(initial));
            if let Some(echo) = self.cold.report.echo {
                self.rtt.needless(self.clock.round(now.since(echo)));
            }
        }
        self.restart_timer(now);
    }
}

/// A timestamp as a segment can carry it.
fn unit(t: Time) -> Time {
    Time::from_ps(t.ps() >> TS_UNIT_SHIFT << TS_UNIT_SHIFT)
}
