//! The causes of a decision, for explanations of it.
use super::{Arrival, Core, Decision, QUEUES, Region, entry};
use crate::aqm::red_hw::entry::Entry;

/// A decision with the numbers that led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionTrace {
    /// The decision.
    pub decision: Decision,
    /// The registers of its class and queue, before Adaptive RED steps the slope.
    pub entry: Entry,
    /// The average before this packet, U12.10.
    pub before: u32,
    /// The probability of a drop, U0.21; only in the random region.
    pub p: Option<u32>,
    /// The queue's credit before this packet, U0.21; only with uniform gaps.
    pub credit: Option<u32>,
}

impl Core {
    /// Returns what [`decide`](Self::decide) would answer for a packet, with the causes. Nothing
    /// changes.
    pub fn inside(&self, packet: Arrival) -> DecisionTrace {
        let (class, qid) =
            (if self.shape.classes == 4 { packet.class & 3 } else { 0 }, packet.qid & 7);
        let entry = self.entries[entry(class, qid)];
        let decision = self.clone().decide(packet);
        let random = decision.region == Region::Random;
        DecisionTrace {
            decision,
            entry,
            before: self.avg(qid),
            p: random.then(|| entry.probability(decision.avg, self.shape.constant)),
            credit: self.shape.gap.then(|| self.credit(qid)),
        }
    }

    /// The registers of a class and queue.
    pub fn entry(&self, class: u8, qid: u8) -> Entry {
        self.entries[entry(class & 3, qid & 7)]
    }

    /// True if the core is switched on.
    pub fn enabled(&self) -> bool {
        self.enable
    }

    /// A queue's credit, U0.21.
    pub fn credit(&self, qid: u8) -> u32 {
        self.credit[usize::from(qid) % QUEUES]
    }

    /// The draw's state, U0.21: with sound draws that of the next packet.
    pub fn draw(&self) -> u32 {
        self.draw
    }
}
