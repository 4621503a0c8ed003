//! From a train of segments to single ones and back.
use super::Rack;
use crate::detect::segments::State;
use crate::detect::train::Taken;
use dumbbell_core::units::Time;
use std::collections::VecDeque;

impl Rack {
    /// Parts the train, if there is one.
    #[inline]
    pub(super) fn part(&mut self) {
        if self.in_train {
            self.part_train();
        }
    }

    #[cold]
    pub(super) fn part_train(&mut self) {
        self.in_train = false;
        for (from, to, sent) in self.train.part() {
            self.segments.push(from, to, sent);
            self.flying.push_back((sent, to));
        }
        self.disorder();
    }

    /// What is on its way now is no train.
    pub(super) fn disorder(&mut self) {
        self.orderly_from = self.segments.last().map_or(self.orderly_from, |s| s.to);
    }

    /// Nothing is lost, and what was in disorder is acknowledged: the segments are a train again,
    /// if they are of one size.
    #[cold]
    pub(super) fn form_train(&mut self) {
        match self.segments.take_train(self.latest) {
            Some(train) => {
                (self.in_train, self.train) = (true, train);
                self.flying = VecDeque::new();
            }
            None => self.disorder(),
        }
    }

    /// [`dumbbell_core::transport::Detect::answered`] of single segments.
    #[inline(never)]
    pub(super) fn answered_singly(&self, una: u64) -> Option<(Time, Time)> {
        let below = self.segments.iter().take_while(|s| s.to <= una);
        let times = below
            .filter(|s| s.state != State::Sacked)
            .chain(&self.news)
            .filter(|s| !s.again)
            .map(|s| s.sent);
        times.fold(None, |span, sent| match span {
            None => Some((sent, sent)),
            Some((first, last)) => Some((first.min(sent), last.max(sent))),
        })
    }

    /// Step 2 and step 3 for segments of a train: the last of them has the shortest round trip, and
    /// the first of them tells whether what is behind it came before.
    #[inline]
    pub(super) fn delivered_in_order(&mut self, taken: Taken, now: Time) {
        let (sent, end) = taken.last;
        let rtt = now.since(sent);
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |m| m.min(rtt)));
        self.reordering_seen |= taken.first_end < self.fack;
        self.fack = self.fack.max(end);
        self.rtt = rtt;
        // A train has what was sent after the latest arrival, in order.
        debug_assert!(self.sure <= self.latest && self.latest <= taken.last);
        (self.sure, self.latest) = (taken.last, taken.last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TcpConfig;
    use dumbbell_core::transport::{Detect, Evidence, Scoreboard, Sent};
    use dumbbell_core::units::Span;
    use proptest::prelude::*;

    const SIZE: u64 = 1000;

    /// What happens next to a connection.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        /// So many segments of new data leave, the last shorter if the flag is set.
        Send(u64, bool),
        /// So many bytes are acknowledged.
        Ack(u64),
        /// A range behind the first segment is selectively acknowledged.
        Sack(u64, u64),
        /// The first segment is sent again.
        Again,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            6 => (1u64..6, prop::bool::weighted(0.05)).prop_map(|(n, short)| Step::Send(n, short)),
            8 => (1u64..4).prop_map(|n| Step::Ack(n * SIZE)),
            1 => (1u64..4000).prop_map(Step::Ack),
            1 => (1u64..5, 1u64..3).prop_map(|(from, n)| Step::Sack(from, n)),
            1 => Just(Step::Again),
        ]
    }

    /// One detector and what its sender knows.
    struct Sender {
        rack: Rack,
        board: Scoreboard,
        una: u64,
        nxt: u64,
    }

    impl Sender {
        fn new() -> Self {
            let rack = Rack::new(&TcpConfig::linux());
            Sender { rack, board: Scoreboard::default(), una: 1, nxt: 1 }
        }

        fn acknowledges(&mut self, now: Time, una: u64) {
            let mut e = Evidence::default();
            (e.now, e.acked, e.una, e.high) = (now, una - self.una, una, self.nxt);
            e.rto = Span::from_ms(200);
            self.una = una;
            self.board.advance(una);
            if !self.board.is_empty() || !self.rack.on_expected(now, una, None, None) {
                self.rack.on_ack(&e, &self.board);
            }
        }

        fn does(&mut self, now: Time, step: Step) {
            match step {
                Step::Send(n, short) => {
                    for i in 0..n {
                        let bytes = if short && i + 1 == n { SIZE / 2 } else { SIZE };
                        self.rack.on_sent(&Sent::new(now, self.nxt, bytes, false, 0));
                        self.nxt += bytes;
                    }
                }
                Step::Ack(bytes) if self.una < self.nxt => {
                    self.acknowledges(now, (self.una + bytes).min(self.nxt));
                }
                Step::Sack(skip, n) => {
                    let from = self.una + skip * SIZE;
                    let to = (from + n * SIZE).min(self.nxt);
                    if from < to {
                        self.board.insert(from, to);
                        self.rack.on_sacked(now, from, to);
                        self.acknowledges(now, self.una);
                    }
                }
                Step::Again if self.una < self.nxt => {
                    let bytes = SIZE.min(self.nxt - self.una);
                    self.rack.on_sent(&Sent::new(now, self.una, bytes, true, 0));
                }
                _ => {}
            }
        }

        /// Everything that the detector tells, and what it will decide by.
        fn shows(&self) -> impl PartialEq + std::fmt::Debug + use<> {
            let r = &self.rack;
            let order = (r.latest, r.sure, r.rtt, r.min_rtt, r.fack, r.reordering_seen);
            let told = (r.pipe(&self.board, self.una, self.nxt, self.nxt), r.last_segment());
            let answered = [1, SIZE, 3 * SIZE].map(|bytes| r.answered(self.una + bytes));
            let found = (r.losses(&self.board), r.next_lost(&self.board, self.una));
            (order, told, r.deadline(), found, answered)
        }
    }

    proptest! {
        /// A train tells the same as single segments.
        #[test]
        fn a_train_is_its_segments(
            steps in prop::collection::vec((step(), 0u64..3), 1..120),
        ) {
            let (mut train, mut single) = (Sender::new(), Sender::new());
            let mut now = Time::ZERO;
            for (step, ms) in steps {
                now += Span::from_ms(ms);
                single.rack.part();
                train.does(now, step);
                single.does(now, step);
                prop_assert_eq!(train.shows(), single.shows(), "{:?} at {:?}", step, now);
            }
        }
    }

    /// A loss parts the train; when all that was on its way then is acknowledged, the list is given
    /// back.
    #[test]
    fn a_train_forms_again() {
        let mut sender = Sender::new();
        let mut now = Time::ZERO;
        let steps = [Step::Send(5, false), Step::Sack(2, 1), Step::Again, Step::Send(3, false)];
        for step in steps {
            now += Span::from_ms(1);
            sender.does(now, step);
        }
        assert!(!sender.rack.in_train && sender.rack.segments.iter().count() == 8);
        // The first two settle what was sent before the repetition, the third finds order.
        for segments in [3, 2, 1] {
            now += Span::from_ms(10);
            sender.does(now, Step::Ack(segments * SIZE));
        }
        assert!(sender.rack.in_train && sender.rack.last_segment() == Some((7001, 8001)));
        assert!(sender.rack.segments.iter().next().is_none() && sender.rack.flying.is_empty());
    }
}
