//! Arrivals and drops of one queue, in profile and out of profile.
use dumbbell_core::packet::Dscp;

/// Packets of two colors: IN, then OUT.
#[derive(Clone, Debug)]
pub(crate) struct QueueColors {
    inside: u64,
    /// Everything that came to the queue, dropped packets included.
    pub arrivals: [u64; 2],
    /// Packets that the queue dropped, on arrival or later.
    pub drops: [u64; 2],
}

impl QueueColors {
    /// Nothing came yet; the codepoints of `inside`, one bit each, are IN.
    pub(crate) fn new(inside: u64) -> Self {
        QueueColors { inside, arrivals: [0; 2], drops: [0; 2] }
    }
    fn of(&self, dscp: Dscp) -> usize {
        usize::from(self.inside >> (dscp.0 & 63) & 1 == 0)
    }
    /// A packet comes.
    pub(crate) fn came(&mut self, dscp: Dscp) {
        self.arrivals[self.of(dscp)] += 1;
    }
    /// One that came was dropped.
    pub(crate) fn refused(&mut self, dscp: Dscp) {
        self.drops[self.of(dscp)] += 1;
    }
    /// The window begins.
    pub(crate) fn begin(&mut self) {
        (self.arrivals, self.drops) = ([0; 2], [0; 2]);
    }
}
