//! The series of a flow: its rows on their way to the observer, and the largest throughput of a period.
use crate::observe::{FlowRow, Observer};
use dumbbell_core::units::Time;
use std::collections::VecDeque;

/// Rows that wait until both ends have come to their instant.
#[derive(Default)]
pub struct Series {
    sender: VecDeque<(Time, FlowRow)>,
    receiver: VecDeque<u64>,
    /// Of the whole periods within the window.
    pub peak: Peak,
}

impl Series {
    /// The sender's row of `t`.
    pub fn sends(&mut self, t: Time, row: FlowRow) {
        self.sender.push_back((t, row));
    }
    /// Bytes delivered at the next instant that the receiver has not yet come to.
    pub fn receives(&mut self, delivered_bytes: u64) {
        self.receiver.push_back(delivered_bytes);
    }
    /// Tells of the rows that are whole.
    pub fn hand_over(&mut self, flow: usize, observer: &mut impl Observer) {
        while !self.receiver.is_empty()
            && let Some((t, row)) = self.sender.pop_front()
        {
            let delivered_bytes = self.receiver.pop_front().unwrap_or_default();
            observer.flow(t, flow, &FlowRow { delivered_bytes, ..row });
        }
    }
}

/// The most payload that arrived within one period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peak {
    /// Bytes that had arrived when the present period began.
    before: Option<u64>,
    most: Option<u64>,
}

impl Peak {
    /// A period of the window ends and another begins, by when so many bytes arrived since the start. The first call
    /// begins the first one.
    pub fn turn(&mut self, received_bytes: u64) {
        if let Some(before) = self.before.replace(received_bytes) {
            self.most = self.most.max(Some(received_bytes - before));
        }
    }
    /// Bytes; `None` before one whole period.
    pub fn bytes(&self) -> Option<u64> {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_is_of_whole_periods() {
        let mut peak = Peak::default();
        peak.turn(1000);
        assert_eq!(peak.bytes(), None, "what came before the window is no part of it");
        [1000, 1700, 1900].into_iter().for_each(|bytes| peak.turn(bytes));
        assert_eq!(peak.bytes(), Some(700));
    }
}
