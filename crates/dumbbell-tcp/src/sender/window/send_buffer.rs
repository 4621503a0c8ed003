//! A send buffer that is tuned to the window (Semke, Mahdavi, Mathis: Automatic TCP buffer tuning,
//! SIGCOMM 1998): it holds a multiple of the largest window. Outside recovery the window is always
//! less; a recovery that lasts many round trips comes to its end, and has no new data to send.
//!
//! The paper asks for twice the window. A kernel's buffer counts the memory that segments take, and
//! ends with a whole one of its own pieces: its first stop in twelve recoveries, with windows from
//! 39 to 735 segments of 1448 bytes, came after 1.62 windows and 7 to 44 segments.
use crate::sender::Sender;
use dumbbell_core::transport::{CongestionControl, Detect, Recover};

/// Windows that fit into the buffer, in hundredths.
const WINDOWS: u64 = 162;
/// The bytes of a piece. A buffer holds the one with which it is full, which is half a piece more
/// on average.
const PIECE: u64 = 65_536;

/// The buffer, as a recovery sees it.
#[derive(Clone, Copy, Debug)]
pub(in crate::sender) struct SendBuffer {
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
        self.largest / 100 * WINDOWS + PIECE / 2
    }
    /// An application writes again when a sixth of the buffer is free.
    fn refill(&mut self, una: u64, high: u64) {
        if high.saturating_sub(una) <= self.size() / 6 * 5 {
            self.end = una + self.size();
        }
    }
}

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// A recovery begins; its congestion control has not yet answered.
    pub(in crate::sender) fn bound_new_data(&mut self) {
        if self.cold.config.tuned_send_buffer {
            let buffer = &mut self.cold.send_buffer;
            buffer.largest = buffer.largest.max(self.cc.cwnd());
            buffer.end = self.high.max(self.una + buffer.size());
        }
    }

    /// An acknowledgment in recovery.
    pub(in crate::sender) fn write_more(&mut self) {
        if self.cold.send_buffer.end < u64::MAX {
            self.cold.send_buffer.refill(self.una, self.high);
        }
    }

    /// Recovery is over, or everything is sent again.
    pub(in crate::sender) fn free_new_data(&mut self) {
        self.cold.send_buffer.end = u64::MAX;
    }
}
