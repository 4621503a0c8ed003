//! Completion times of transfers.
use dumbbell_core::units::Time;

/// A transfer that may come to its end: what its receiver had when the last packet came, so that
/// what that packet brought is known when the next one comes, or at the end. A flow without an end
/// does not pay for this.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Completion {
    delivered_bytes: u64,
    last_packet: Time,
    /// The time when the receiving application last got new data.
    delivered_at: Time,
}

impl Completion {
    /// Of a transfer that begins at `start`.
    pub(crate) fn new(start: Time) -> Self {
        Completion { delivered_bytes: 0, last_packet: start, delivered_at: start }
    }
    /// The receiver has `delivered_bytes`, and the next packet comes at `now`.
    pub(crate) fn note(&mut self, delivered_bytes: u64, now: Time) {
        if delivered_bytes != self.delivered_bytes {
            (self.delivered_bytes, self.delivered_at) = (delivered_bytes, self.last_packet);
        }
        self.last_packet = now;
    }
    /// The time when the receiver got the last of the `delivered_bytes` that it has.
    pub(crate) fn delivered_at(&self, delivered_bytes: u64) -> Time {
        if delivered_bytes == self.delivered_bytes { self.delivered_at } else { self.last_packet }
    }
    /// The time when all of `bytes` (more than 0) had arrived; `None` if they have not.
    pub(crate) fn complete(&self, bytes: u64) -> Option<Time> {
        (bytes > 0 && self.delivered_bytes == bytes).then_some(self.delivered_at)
    }
}
