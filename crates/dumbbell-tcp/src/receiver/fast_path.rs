//! The fast path of a receiver: the next segment in order, while nothing waits and every segment is
//! acknowledged at once. It does the same as the full code in that state; random networks in the
//! simulator compare the two.
use super::Receiver;
use dumbbell_core::packet::Ecn;
use dumbbell_core::transport::Receive;
use dumbbell_core::transport::segment::{Segment, flag};
use dumbbell_core::units::Time;

impl<P: Receive> Receiver<P> {
    /// True if the next segment in order may take the fast path.
    pub(super) fn may_take_fast_path(&self) -> bool {
        self.simple
            && self.blocks.is_empty()
            && self.acked == self.nxt
            && self.buffer == self.open_window
            && self.delayed_until == Time::NEVER
            && !(self.more_to_say | self.verbose)
    }

    /// Processes a segment on the fast path, if possible: its answer. `None` if nothing was done.
    /// A caller that sends the answer need not call [`Self::on_segment`]; no deadline changes.
    #[inline(always)]
    pub fn take_expected(&mut self, s: &Segment) -> Option<Segment> {
        let bytes = u64::from(s.ip_len).wrapping_sub(self.overhead);
        let expected = s.seq == self.nxt as u32
            && bytes.wrapping_sub(1) < self.mss
            && self.nxt + bytes <= self.edge;
        if !(self.fast_path && expected && s.flags & !flag::RETRANSMIT == 0 && s.ecn != Ecn::Ce) {
            return None;
        }
        self.stats.received_packets += 1;
        self.stats.received_bytes += bytes;
        self.stats.delivered_bytes += bytes;
        self.stats.acks_sent += 1;
        self.nxt += bytes;
        self.acked = self.nxt;
        self.edge = self.edge.max(self.nxt + self.open_window);
        if self.timestamps {
            self.ts_recent = s.ts;
        }
        let ip_len = self.overhead as u16;
        Some(Segment {
            seq: self.nxt as u32,
            ts: self.ts_recent,
            ip_len,
            flags: flag::ACK,
            ecn: Ecn::NotEct,
        })
    }
}
