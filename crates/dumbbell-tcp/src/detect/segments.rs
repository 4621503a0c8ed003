//! The segments on their way, each with the time at which it last left: what RACK must remember.
use super::train::Train;
use dumbbell_core::units::Time;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;

/// The send time of a segment, and its end: the order of transmission (RFC 8985 `RACK_sent_after`).
pub(super) type Key = (Time, u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Believed to be in the network.
    Flying,
    /// Selectively acknowledged.
    Sacked,
    /// Found lost, and not sent again.
    Lost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub from: u64,
    pub to: u64,
    /// The time of its last transmission.
    pub sent: Time,
    pub state: State,
    /// True if it was sent more than once.
    pub again: bool,
}

impl Segment {
    pub fn key(&self) -> Key {
        (self.sent, self.to)
    }
    fn bytes(&self) -> u64 {
        self.to - self.from
    }
}

/// Outstanding segments in order of sequence: disjoint, without gaps from SND.UNA on.
#[derive(Clone, Debug, Default)]
pub(super) struct Segments {
    list: VecDeque<Segment>,
    /// Bytes in flight.
    flying: u64,
    /// Segments that are selectively acknowledged.
    sacked: u32,
    /// Starts of lost segments, lowest first; one that is lost no more is left until it comes up.
    lost: BinaryHeap<Reverse<u64>>,
    /// Segments that got a new key otherwise than by a plain transmission of new data, for the
    /// queues by time.
    pub rekeyed: Vec<Key>,
}

impl Segments {
    /// Bytes that are believed to be in the network.
    pub fn flying(&self) -> u64 {
        self.flying
    }
    /// Segments that are selectively acknowledged.
    pub fn sacked(&self) -> u32 {
        self.sacked
    }
    pub fn last(&self) -> Option<&Segment> {
        self.list.back()
    }
    pub fn iter(&self) -> impl Iterator<Item = &Segment> {
        self.list.iter()
    }

    /// The segments as a train: only if they are of one size and were sent once, in order, from
    /// `after` on. They are gone from here, and so is the memory that they took.
    pub fn take_train(&mut self, after: Key) -> Option<Train> {
        let Some(first) = self.list.front().copied() else { return Some(Train::default()) };
        if first.key() < after {
            return None;
        }
        let size = first.bytes();
        let mut before = first.sent;
        let alike = self.list.iter().all(|s| {
            let next = s.bytes() == size && s.sent >= before;
            before = s.sent;
            next && s.state == State::Flying && !s.again
        });
        if !alike {
            return None;
        }
        let sent = std::mem::take(self).list.iter().map(|s| s.sent).collect();
        Some(Train::of(first.from, size, sent))
    }

    /// The place of the segment that holds the byte at `at`, or that follows it.
    fn place(&self, at: u64) -> usize {
        // Nearly all segments have one size.
        if let Some(first) = self.list.front() {
            let size = (first.bytes() as u32).max(1);
            let guess = (at.wrapping_sub(first.from) as u32 / size) as usize;
            if self.list.get(guess).is_some_and(|s| s.from <= at && at < s.to) {
                return guess;
            }
        }
        self.list.partition_point(|s| s.to <= at)
    }
    fn find(&self, key: Key) -> Option<usize> {
        let i = self.place(key.1 - 1);
        self.list.get(i).is_some_and(|s| s.key() == key).then_some(i)
    }
    /// True if the segment that left at this time is still believed to be in the network.
    pub fn flies(&self, key: Key) -> bool {
        self.find(key).is_some_and(|i| self.list[i].state == State::Flying)
    }

    /// New data `[from, to)` at the end; true if it is no more than that.
    #[inline]
    pub fn push(&mut self, from: u64, to: u64, now: Time) -> bool {
        if self.list.back().is_some_and(|last| from < last.to) {
            return false;
        }
        self.list.push_back(Segment { from, to, sent: now, state: State::Flying, again: false });
        self.flying += to - from;
        true
    }

    /// `[from, to)` goes out again, and perhaps new data behind it.
    pub fn repeat(&mut self, from: u64, to: u64, now: Time) {
        let end = self.list.back().map_or(from, |last| last.to);
        let mut lost = false;
        for i in self.within(from, to) {
            let s = &mut self.list[i];
            if s.state != State::Sacked {
                if s.state == State::Lost {
                    (self.flying, lost) = (self.flying + s.bytes(), true);
                }
                (s.sent, s.state, s.again) = (now, State::Flying, true);
                self.rekeyed.push(s.key());
            }
        }
        if to > end && self.push(end, to, now) {
            self.rekeyed.push((now, to));
        }
        if lost {
            self.tidy();
        }
    }

    /// True if every segment is on its way, and none got a new key.
    #[inline]
    pub fn is_calm(&self) -> bool {
        self.sacked == 0 && self.lost.is_empty() && self.rekeyed.is_empty()
    }
    /// The first segment, if it is on its way and all of it lies below `una`.
    #[inline]
    pub fn pop_whole(&mut self, una: u64) -> Option<Segment> {
        let first = *self.list.front().filter(|s| s.to <= una)?;
        self.list.pop_front();
        self.flying -= first.bytes();
        Some(first)
    }
    /// True if nothing below `una` is left.
    #[inline]
    pub fn starts_at(&self, una: u64) -> bool {
        self.list.front().is_none_or(|s| s.from >= una)
    }
    /// The first segment, if all of it lies below `una`; what it has below is cut off otherwise.
    pub fn pop_below(&mut self, una: u64) -> Option<Segment> {
        let first = *self.list.front()?;
        if first.from >= una {
            return None;
        }
        if first.to > una {
            self.cut(0, una);
            return self.pop_below(una);
        }
        self.list.pop_front();
        match first.state {
            State::Flying => self.flying -= first.bytes(),
            State::Sacked => self.sacked -= 1,
            State::Lost => self.tidy(),
        }
        Some(first)
    }

    /// `[from, to)` is selectively acknowledged: adds what it was to `news`.
    pub fn sack(&mut self, from: u64, to: u64, news: &mut Vec<Segment>) {
        let mut lost = false;
        for i in self.within(from, to) {
            let s = &mut self.list[i];
            if s.state != State::Sacked {
                news.push(*s);
                match s.state {
                    State::Flying => self.flying -= s.bytes(),
                    _ => lost = true,
                }
                s.state = State::Sacked;
                self.sacked += 1;
            }
        }
        if lost {
            self.tidy();
        }
    }

    /// The segment that left at this time is lost; whether it had been sent before that.
    pub fn lose(&mut self, key: Key) -> Option<bool> {
        let s = self.find(key).map(|i| &mut self.list[i]).filter(|s| s.state == State::Flying)?;
        s.state = State::Lost;
        self.flying -= s.bytes();
        self.lost.push(Reverse(s.from));
        Some(s.again)
    }

    /// The lowest segment that is lost and not sent again.
    pub fn first_lost(&self) -> Option<(u64, u64)> {
        let Reverse(from) = *self.lost.peek()?;
        Some((from, self.list[self.place(from)].to))
    }

    /// All segments that are lost and not sent again, in no order.
    pub fn lost(&self) -> impl Iterator<Item = (u64, u64)> {
        let all = self.lost.iter().map(|Reverse(from)| (*from, self.list.get(self.place(*from))));
        all.filter_map(|(from, s)| {
            s.filter(|s| s.from == from && s.state == State::Lost).map(|s| (from, s.to))
        })
    }

    /// The receiver broke its word: it holds nothing.
    pub fn unsack(&mut self) {
        for s in self.list.iter_mut().filter(|s| s.state == State::Sacked) {
            s.state = State::Flying;
            self.flying += s.bytes();
            self.rekeyed.push(s.key());
        }
        self.sacked = 0;
    }

    /// Takes back the loss of segments that were sent only once.
    pub fn forgive(&mut self) {
        for s in self.list.iter_mut().filter(|s| s.state == State::Lost && !s.again) {
            s.state = State::Flying;
            self.flying += s.bytes();
            self.rekeyed.push(s.key());
        }
        self.tidy();
    }

    /// The places of the segments in `[from, to)`, whose ends become boundaries.
    fn within(&mut self, from: u64, to: u64) -> Range<usize> {
        let mut first = self.place(from);
        if self.list.get(first).is_some_and(|s| s.from < from) {
            self.cut(first, from);
            first += 1;
        }
        let mut end = first;
        while let Some(s) = self.list.get(end).filter(|s| s.from < to) {
            if s.to > to {
                self.cut(end, to);
            }
            end += 1;
        }
        first..end
    }

    /// Cuts segment `i` in two at `at`, which lies within it.
    #[cold]
    fn cut(&mut self, i: usize, at: u64) {
        let s = &mut self.list[i];
        let left = Segment { to: at, ..*s };
        s.from = at;
        match s.state {
            State::Flying => self.rekeyed.push(left.key()),
            State::Sacked => self.sacked += 1,
            State::Lost => self.lost.push(Reverse(at)),
        }
        self.list.insert(i, left);
    }

    /// Takes starts off the heap whose segments are lost no more.
    fn tidy(&mut self) {
        while let Some(Reverse(from)) = self.lost.peek() {
            let s = self.list.get(self.place(*from));
            if s.is_some_and(|s| s.from == *from && s.state == State::Lost) {
                return;
            }
            self.lost.pop();
        }
    }
}
