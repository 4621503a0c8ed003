//! The reverse path: when each acknowledgment left its receiver and reached its sender, and what
//! it acknowledged.
use dumbbell_core::aqm::Reason;
use dumbbell_core::histogram::Histogram;
use dumbbell_core::transport::segment::{Extra, Segment, flag, widen};
use dumbbell_core::units::{Span, Time};
use std::collections::VecDeque;

/// One acknowledgment. Those of a flow come in the order in which its receiver sent them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckRow {
    /// Its number among the packets of its receiver, from 1. The first answers the SYN, where there
    /// is a handshake.
    pub number: u64,
    /// The byte that it expects next, as an offset in the stream, whose first byte is 1.
    pub ack: u64,
    /// The time when the receiver sent it.
    pub sent: Time,
    /// Since the receiver sent the one before.
    pub spacing_receiver: Option<Span>,
    /// Its outcome.
    pub end: AckEnd,
}

/// The outcome of an acknowledgment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckEnd {
    /// It came to the sender.
    Arrived(AckArrival),
    /// It was dropped: when, at which link, why.
    Dropped(Time, usize, Reason),
    /// It was on its way when the run ended.
    Open,
}

/// An acknowledgment at its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckArrival {
    /// The time.
    pub t: Time,
    /// Bytes that nothing had acknowledged before; the end of the stream counts as one.
    pub newly_acked: u64,
    /// True if it repeats the highest acknowledgment that had come, with the same window (RFC
    /// 5681, section 2; whether data is outstanding is not asked).
    pub duplicate: bool,
    /// Since the one that arrived before it.
    pub spacing_sender: Option<Span>,
    /// The spacing of the two at the receiver; `None` if they were reordered on the way.
    pub pair_spacing_receiver: Option<Span>,
}

/// The acknowledgments of a flow that were sent after the warm-up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AckSummary {
    /// Acknowledgments that the receiver sent: `arrived + lost`, and those in the network at the
    /// end.
    pub sent: u64,
    /// Acknowledgments that reached the sender.
    pub arrived: u64,
    /// Acknowledgments that were dropped.
    pub lost: u64,
    /// Duplicates among those that arrived.
    pub duplicates: u64,
    /// Newly acknowledged bytes of one that arrived.
    pub mean_newly_acked_bytes: Option<f64>,
    /// The most of them.
    pub max_newly_acked_bytes: u64,
    /// Spacings of what the receiver sent.
    pub receiver: Spacings,
    /// Spacings of what arrived at the sender.
    pub sender: Spacings,
    /// Share of arrivals less than half as far behind the one before as the receiver had sent them.
    pub compressed_share: Option<f64>,
    /// Share of arrivals more than twice as far behind the one before as the receiver had sent
    /// them.
    pub stretched_share: Option<f64>,
}

/// Times between neighbors at one end, seconds; `None` where there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spacings {
    /// Mean.
    pub mean_s: Option<f64>,
    /// Median, to one part in 32.
    pub p50_s: Option<f64>,
    /// 99th percentile, likewise.
    pub p99_s: Option<f64>,
}

/// Spacings at one end, as they come.
#[derive(Default)]
struct Times {
    sum: Span,
    n: u64,
    counts: Histogram,
}

impl Times {
    fn add(&mut self, spacing: Span) {
        self.sum = self.sum + spacing;
        self.n += 1;
        self.counts.record(spacing);
    }
    fn summary(&self) -> Spacings {
        if self.n == 0 {
            return Spacings::default();
        }
        let quantile = |q: f64| Some(self.counts.quantile(q).seconds());
        Spacings {
            mean_s: Some(self.sum.seconds() / self.n as f64),
            p50_s: quantile(0.5),
            p99_s: quantile(0.99),
        }
    }
}

/// One that is on its way, or waits for one before it.
struct Pending {
    row: AckRow,
    window: Option<u32>,
}

/// The one that arrived last.
#[derive(Clone, Copy)]
struct Last {
    sent: Time,
    arrived: Time,
}

/// Follows the acknowledgments of one flow.
pub struct AckPath {
    warm: Time,
    end: Time,
    numbered: u64,
    /// The last offset, to widen the next one.
    offset: u64,
    sent_before: Option<Time>,
    arrived_before: Option<Last>,
    /// The highest acknowledgment that came to the sender, and the window with it.
    una: u64,
    window: Option<u32>,
    /// In the order of sending; the front is the oldest whose end is not known.
    pending: VecDeque<Pending>,
    so_far: AckSummary,
    receiver: Times,
    sender: Times,
    newly_acked: u64,
    pairs: u64,
    compressed: u64,
    stretched: u64,
}

/// Offset of a stream's first byte.
const FIRST: u64 = 1;

impl AckPath {
    /// Of a flow whose measures are of the time from `warm` to `end`.
    pub fn new(warm: Time, end: Time) -> Self {
        AckPath {
            warm,
            end,
            numbered: 0,
            offset: 0,
            sent_before: None,
            arrived_before: None,
            una: FIRST,
            window: None,
            pending: VecDeque::new(),
            so_far: AckSummary::default(),
            receiver: Times::default(),
            sender: Times::default(),
            newly_acked: 0,
            pairs: 0,
            compressed: 0,
            stretched: 0,
        }
    }

    /// The number of the receiver's next packet.
    pub fn follow(&mut self) -> u64 {
        self.numbered += 1;
        self.numbered
    }

    /// The receiver sent its packet `number`.
    pub fn sent(&mut self, t: Time, number: u64, segment: &Segment, extra: Option<&Extra>) {
        self.offset = widen(segment.seq, self.offset);
        let spacing_receiver = self.sent_before.replace(t).map(|before| t.since(before));
        if t >= self.warm {
            self.so_far.sent += 1;
            spacing_receiver.into_iter().for_each(|s| self.receiver.add(s));
        }
        // An acknowledgment without a sidecar offers the window of the one before. The window of a
        // SYN is not scaled.
        let window = extra.filter(|_| segment.flags & flag::SYN == 0).map(|x| x.window);
        let row = AckRow { number, ack: self.offset, sent: t, spacing_receiver, end: AckEnd::Open };
        self.pending.push_back(Pending { row, window });
    }

    /// It came to the sender.
    pub fn arrived(&mut self, t: Time, number: u64) {
        let Some(i) = self.place(number) else { return };
        let Pending { row, window } = &mut self.pending[i];
        let (sent, first) = (row.sent, self.arrived_before.is_none());
        let newly_acked = row.ack.saturating_sub(self.una);
        let same_window = window.is_none() || *window == self.window;
        let duplicate = !first && row.ack == self.una && same_window;
        let before = self.arrived_before.replace(Last { sent, arrived: t });
        let arrival = AckArrival {
            t,
            newly_acked,
            duplicate,
            spacing_sender: before.map(|b| t.since(b.arrived)),
            pair_spacing_receiver: before.filter(|b| b.sent <= sent).map(|b| sent.since(b.sent)),
        };
        row.end = AckEnd::Arrived(arrival);
        self.una = self.una.max(row.ack);
        self.window = window.or(self.window);
        if sent >= self.warm {
            self.count(&arrival);
        }
    }

    fn count(&mut self, arrival: &AckArrival) {
        let so_far = &mut self.so_far;
        so_far.arrived += 1;
        so_far.duplicates += u64::from(arrival.duplicate);
        so_far.max_newly_acked_bytes = so_far.max_newly_acked_bytes.max(arrival.newly_acked);
        self.newly_acked += arrival.newly_acked;
        let Some(here) = arrival.spacing_sender else { return };
        self.sender.add(here);
        if let Some(there) = arrival.pair_spacing_receiver {
            self.pairs += 1;
            self.compressed += u64::from(2 * here.ps() < there.ps());
            self.stretched += u64::from(here.ps() > 2 * there.ps());
        }
    }

    /// It was dropped at `link`. What would happen after the end of the run has not happened.
    pub fn dropped(&mut self, t: Time, number: u64, link: usize, reason: Reason) {
        let Some(i) = self.place(number) else { return };
        if t > self.end {
            return;
        }
        let row = &mut self.pending[i].row;
        row.end = AckEnd::Dropped(t, link, reason);
        self.so_far.lost += u64::from(row.sent >= self.warm);
    }

    /// The next whose end is known, in the order of sending.
    pub fn next_ended(&mut self) -> Option<AckRow> {
        let ended = self.pending.front().is_some_and(|p| p.row.end != AckEnd::Open);
        if ended { self.next_open() } else { None }
    }

    /// The next, whether or not its end is known: for the end of the run.
    pub fn next_open(&mut self) -> Option<AckRow> {
        self.pending.pop_front().map(|p| p.row)
    }

    /// The summary of all acknowledgments.
    pub fn summary(&self) -> AckSummary {
        let share = |n: u64, of: u64| (of > 0).then(|| n as f64 / of as f64);
        AckSummary {
            mean_newly_acked_bytes: share(self.newly_acked, self.so_far.arrived),
            receiver: self.receiver.summary(),
            sender: self.sender.summary(),
            compressed_share: share(self.compressed, self.pairs),
            stretched_share: share(self.stretched, self.pairs),
            ..self.so_far
        }
    }

    /// The index of one whose outcome is open; a copy of one that has ended does not count.
    fn place(&self, number: u64) -> Option<usize> {
        let first = self.pending.front()?.row.number;
        let i = usize::try_from(number.checked_sub(first)?).ok()?;
        self.pending.get(i).filter(|p| p.row.end == AckEnd::Open).map(|_| i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Time {
        Time::ZERO + Span::from_ms(n)
    }

    fn path(warm: u64) -> AckPath {
        AckPath::new(ms(warm), ms(1000))
    }

    fn send(path: &mut AckPath, at: u64, ack: u32) -> u64 {
        let number = path.follow();
        path.sent(
            ms(at),
            number,
            &Segment { seq: ack, flags: flag::ACK, ..Segment::default() },
            None,
        );
        number
    }

    /// Six, 10 ms apart; the third is lost; the fourth waits, and the fifth arrives 1 ms behind it.
    #[test]
    fn a_path_by_hand() {
        let mut p = path(0);
        let numbers: Vec<u64> =
            (0..6).map(|i| send(&mut p, 10 * i, 1001 + 1000 * i.min(4) as u32)).collect();
        p.arrived(ms(100), numbers[0]);
        p.arrived(ms(110), numbers[1]);
        p.dropped(ms(25), numbers[2], 7, Reason::Overflow);
        p.arrived(ms(161), numbers[3]);
        p.arrived(ms(162), numbers[4]);
        p.arrived(ms(172), numbers[5]);
        let rows: Vec<AckRow> = std::iter::from_fn(|| p.next_ended()).collect();
        assert_eq!(rows.iter().map(|r| r.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
        assert_eq!(rows[2].end, AckEnd::Dropped(ms(25), 7, Reason::Overflow));
        let arrival = |i: usize| {
            if let AckEnd::Arrived(a) = rows[i].end { a } else { panic!("{:?}", rows[i]) }
        };
        assert_eq!((arrival(0).newly_acked, arrival(0).spacing_sender), (1000, None));
        // The fourth says what the lost one said, too; its neighbor at the sender was sent 20 ms
        // before it.
        let fourth = arrival(3);
        assert_eq!((fourth.newly_acked, fourth.duplicate), (2000, false));
        assert_eq!(fourth.spacing_sender, Some(Span::from_ms(51)));
        assert_eq!(fourth.pair_spacing_receiver, Some(Span::from_ms(20)));
        assert_eq!(rows[3].spacing_receiver, Some(Span::from_ms(10)));
        assert_eq!((arrival(5).newly_acked, arrival(5).duplicate), (0, true));
        let s = p.summary();
        assert_eq!(
            (s.sent, s.arrived, s.lost, s.duplicates, s.max_newly_acked_bytes),
            (6, 5, 1, 1, 2000)
        );
        assert_eq!(s.mean_newly_acked_bytes, Some(1000.0));
        // Of four pairs one is compressed (1 ms of 10) and one is stretched (51 ms of 20).
        assert_eq!((s.compressed_share, s.stretched_share), (Some(0.25), Some(0.25)));
        assert_eq!((s.receiver.mean_s, s.sender.mean_s), (Some(0.01), Some(0.018)));
    }

    #[test]
    fn measures_begin_with_the_warm_up_and_rows_do_not() {
        let mut p = path(15);
        let numbers: Vec<u64> =
            (0..3).map(|i| send(&mut p, 10 * i, 1001 + 1000 * i as u32)).collect();
        p.arrived(ms(30), numbers[0]);
        p.arrived(ms(40), numbers[1]);
        assert_eq!(p.summary().sent, 1);
        assert_eq!(
            p.summary().arrived,
            0,
            "what was sent before counts for nothing, when it \
            arrives after, too"
        );
        assert_eq!(std::iter::from_fn(|| p.next_ended()).count(), 2);
        assert!(p.next_ended().is_none());
        assert_eq!(p.next_open().map(|r| (r.number, r.end)), Some((3, AckEnd::Open)));
    }

    /// One that was overtaken has no spacing at the receiver to be compared with, and acknowledges
    /// nothing.
    #[test]
    fn reordered_ones_are_no_pairs() {
        let mut p = path(0);
        let numbers: Vec<u64> =
            (0..2).map(|i| send(&mut p, 10 * i, 1001 + 1000 * i as u32)).collect();
        p.arrived(ms(30), numbers[1]);
        p.arrived(ms(31), numbers[0]);
        let first = p.next_ended().unwrap();
        let AckEnd::Arrived(late) = first.end else { panic!("{first:?}") };
        assert_eq!(
            (late.newly_acked, late.duplicate, late.pair_spacing_receiver),
            (0, false, None)
        );
        assert_eq!(p.summary().compressed_share, None);
        // A copy of it changes nothing.
        p.arrived(ms(32), numbers[1]);
        assert_eq!(p.summary().arrived, 2);
    }
}
