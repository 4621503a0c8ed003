//! A send buffer that is tuned to the window (Semke, Mahdavi, Mathis: Automatic TCP buffer tuning,
//! SIGCOMM 1998): it holds twice the largest window. Outside recovery the window is always less;
//! a recovery that lasts many round trips comes to its end, and has no new data to send.
use super::Sender;
use dumbbell_core::transport::{CongestionControl, Detect, Recover};

/// The buffer, as a recovery sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SendBuffer {
    /// The largest window at the begin of a recovery.
    largest: u64,
    /// What was written ends here; [`u64::MAX`]: no bound.
    pub end: u64,
}

impl Default for SendBuffer {
    fn default() -> Self {
        SendBuffer { largest: 0, end: u64::MAX }
    }
}

impl SendBuffer {
    fn size(&self) -> u64 {
        2 * self.largest
    }
    /// An application writes again when a quarter of the buffer is free.
    fn refill(&mut self, una: u64, high: u64) {
        if high.saturating_sub(una) <= self.size() / 4 * 3 {
            self.end = una + self.size();
        }
    }
}

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// A recovery begins; its congestion control has not yet answered.
    pub(super) fn bound_new_data(&mut self) {
        if self.cold.config.tuned_send_buffer {
            let buffer = &mut self.cold.send_buffer;
            buffer.largest = buffer.largest.max(self.cc.cwnd());
            buffer.end = self.high.max(self.una + buffer.size());
        }
    }

    /// An acknowledgment in recovery.
    pub(super) fn write_more(&mut self) {
        if self.cold.send_buffer.end < u64::MAX {
            self.cold.send_buffer.refill(self.una, self.high);
        }
    }

    /// Recovery is over, or everything is sent again.
    pub(super) fn free_new_data(&mut self) {
        self.cold.send_buffer.end = u64::MAX;
    }
}
