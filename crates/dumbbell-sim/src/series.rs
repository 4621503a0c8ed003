//! The series of a flow: its rows on their way to the observer, and the largest throughput of a
//! period.
use dumbbell_core::units::Time;
use dumbbell_net::{FlowRow, Observer};
use std::collections::VecDeque;

/// Counts of a receiver at one instant, since the start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Received {
    /// Bytes in order.
    pub delivered_bytes: u64,
    /// Packets.
    pub delivered_packets: u64,
    /// Payload bytes, in whatever order.
    pub received_bytes: u64,
}

/// Rows that wait until both ends have come to their instant.
#[derive(Default)]
pub(crate) struct Series {
    sender: VecDeque<(Time, FlowRow)>,
    receiver: VecDeque<Received>,
    /// Times of losses that no row has counted yet, in any order; and the number of all others.
    losses: Vec<Time>,
    lost_packets: u64,
    /// Of the whole periods within the window.
    pub peak: Peak,
}

impl Series {
    /// The sender's row of `t`.
    pub(crate) fn sends(&mut self, t: Time, row: FlowRow) {
        self.sender.push_back((t, row));
    }
    /// Adds the receiver's counts at its next sample time.
    pub(crate) fn receives(&mut self, received: Received) {
        self.receiver.push_back(received);
    }
    /// A packet is lost at `t`.
    pub(crate) fn loses(&mut self, t: Time) {
        self.losses.push(t);
    }
    /// Reports the rows that are whole. An end may be ahead of the world, which stands at `now`: of
    /// what is lost later it does not know yet, and the row waits.
    pub(crate) fn hand_over(&mut self, flow: usize, now: Time, observer: &mut impl Observer) {
        while let (Some((t, row)), Some(there)) = (self.sender.front(), self.receiver.front())
            && *t <= now
        {
            let before = self.losses.len();
            self.losses.retain(|lost| lost >= t);
            self.lost_packets += (before - self.losses.len()) as u64;
            let counts = FlowRow {
                delivered_bytes: there.delivered_bytes,
                delivered_packets: there.delivered_packets,
                received_bytes: there.received_bytes,
                lost_packets: self.lost_packets,
                ..row.clone()
            };
            observer.flow(*t, flow, &counts);
            self.sender.pop_front();
            self.receiver.pop_front();
        }
    }
}

/// The most payload that arrived within one period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Peak {
    /// Bytes that had arrived when the present period began.
    before: Option<u64>,
    most: Option<u64>,
}

impl Peak {
    /// A period of the window ends and another begins, by when so many bytes arrived since the
    /// start. The first call begins the first one.
    pub(crate) fn turn(&mut self, received_bytes: u64) {
        if let Some(before) = self.before.replace(received_bytes) {
            self.most = self.most.max(Some(received_bytes - before));
        }
    }
    /// Bytes; `None` before one whole period.
    pub(crate) fn bytes(&self) -> Option<u64> {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Rows(Vec<(Time, u64)>);
    impl Observer for Rows {
        fn flow(&mut self, t: Time, _: usize, row: &FlowRow) {
            self.0.push((t, row.lost_packets));
        }
    }

    #[test]
    fn a_row_waits_until_its_losses_are_known() {
        let at = Time::from_ps;
        let (mut series, mut rows) = (Series::default(), Rows(Vec::new()));
        for t in [10, 20, 30] {
            series.sends(at(t), FlowRow::default());
            series.receives(Received::default());
        }
        series.loses(at(25));
        series.loses(at(9));
        series.hand_over(0, at(15), &mut rows);
        series.loses(at(19));
        series.loses(at(20));
        series.hand_over(0, at(30), &mut rows);
        assert_eq!(
            rows.0,
            [(at(10), 1), (at(20), 2), (at(30), 4)],
            "what happens at an instant is \
            not before it"
        );
    }

    #[test]
    fn a_peak_is_of_whole_periods() {
        let mut peak = Peak::default();
        peak.turn(1000);
        assert_eq!(peak.bytes(), None, "what came before the window is no part of it");
        [1000, 1700, 1900].into_iter().for_each(|bytes| peak.turn(bytes));
        assert_eq!(peak.bytes(), Some(700));
    }
}
