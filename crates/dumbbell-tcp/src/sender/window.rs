//! Whether the congestion window is what limits the sender, so that it may grow (RFC 7661).
//!
//! RFC 5681 leaves open over which time a sender is limited. Without
//! [`TcpConfig::limited_for_a_round`](crate::TcpConfig::limited_for_a_round) the last transmission
//! counts. With it, a window that limited the sender keeps doing so until what had been sent by
//! then is acknowledged, and in slow start a window of less than twice the largest flight of the
//! round trip may grow.
mod send_buffer;

use super::Sender;
use dumbbell_core::transport::{CongestionControl, Detect, Recover};
pub(super) use send_buffer::SendBuffer;

/// The use that a sender made of its window in the latest round trip.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WindowUse {
    /// The round trip is over when this is acknowledged.
    until: u64,
    /// SND.NXT after the last transmission that the window did not limit.
    seen: u64,
    /// The largest flight in it, bytes of whole segments.
    most: u64,
}

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// True if the congestion window may grow.
    #[inline(always)]
    pub(super) fn may_grow(&self) -> bool {
        self.window_limited || (self.by_rounds && self.flights_half_fill_the_window())
    }

    #[cold]
    fn flights_half_fill_the_window(&self) -> bool {
        let (cwnd, ssthresh) = (self.cc.cwnd(), self.cc.ssthresh().unwrap_or(u64::MAX));
        let most = self.cold.window_use.as_ref().map_or(0, |of_round| of_round.most);
        cwnd < ssthresh.min(2 * most)
    }

    /// A transmission ended that began at SND.NXT = `start`, and not because the congestion window
    /// was full. `limited`: whether the one before it counted as limited. Only with
    /// [`TcpConfig::limited_for_a_round`](crate::TcpConfig::limited_for_a_round).
    #[cold]
    pub(super) fn ends_short_of_the_window(&mut self, start: u64, limited: bool) {
        let of_round = self.cold.window_use.get_or_insert_default();
        if limited && start > of_round.seen {
            of_round.until = start; // The transmissions in between filled the window.
        }
        of_round.seen = self.nxt;
        self.window_limited = limited;
        let flight = (self.nxt - self.una).next_multiple_of(self.mss);
        let is_over = self.una >= of_round.until || (!limited && flight > of_round.most);
        if self.nxt > start && is_over {
            (of_round.until, of_round.most) = (self.nxt, flight);
            self.window_limited = false;
        }
    }
}
