//! Freeze-TCP (Goff, Moronski, Phatak, Gupta, INFOCOM 2000), the sender's part: behind a closed
//! window it keeps its state, and resumes with it when the window opens. The receiver's part is in
//! its policy.
use super::Sender;
use super::frto::Frto;
use dumbbell_core::transport::{CongestionControl, Detect, Recover};
use dumbbell_core::units::Time;

/// ACKs alike that announce the reconnection, beside the first of them.
const REPETITIONS: u8 = 2;

/// The state of a sender whose receiver's path comes and goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Freeze {
    /// True if the acknowledgment at hand opened a window that was closed.
    pub thaws: bool,
    /// Repetitions of it that may still come, and are no duplicates.
    repetitions: u8,
}

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// True if the path is gone: nothing that happens now indicates congestion.
    pub(super) fn is_cut_off(&self) -> bool {
        self.window == 0 && self.cold.config.freeze
    }

    /// The window changes from `before`.
    pub(super) fn note_window(&mut self, before: u64) {
        self.cold.freeze.thaws = before == 0 && self.window > 0 && self.cold.config.freeze;
    }

    /// True if an acknowledgment that looks like a duplicate only announces the reconnection once
    /// more.
    pub(super) fn announces_again(&mut self) -> bool {
        let left = &mut self.cold.freeze.repetitions;
        let announces = *left > 0;
        *left = left.saturating_sub(1);
        announces
    }

    /// The path is back: what is unacknowledged went into nothing and goes again, at the window and
    /// with the timeout of before. No congestion, no backoff.
    #[cold]
    pub(super) fn thaw(&mut self, now: Time) {
        self.cold.freeze = Freeze { thaws: false, repetitions: REPETITIONS };
        self.rtt.forgive();
        self.cold.frto = Frto::Off;
        self.cold.episode.close();
        if self.una < self.high {
            let kept = self.high;
            self.detect.on_cut(now, self.una, &self.board);
            self.go_back();
            self.timed_end = 0;
            self.detect.settled();
            if self.detect.by_segment() {
                // Lost segments are retransmitted; SND.NXT stays.
                self.nxt = kept;
            }
        }
        self.restart_timer(now);
    }
}
