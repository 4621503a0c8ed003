//! The segments on their way while nothing is lost: a clock reading for each is all there is.
use dumbbell_core::units::Time;
use std::collections::VecDeque;

/// Segments of one size, each sent once, in the order of their data: 8 bytes each, where
/// the list of segments and RACK's queue by time take 56.
#[derive(Clone, Debug, Default)]
pub(super) struct Train {
    /// The first byte that is on its way, and the byte after the last.
    from: u64,
    end: u64,
    /// Bytes of each.
    size: u64,
    /// The time at which each left.
    sent: VecDeque<Time>,
}

/// The segments that an acknowledgment took.
pub(super) struct Taken {
    /// The end of the first of them.
    pub first_end: u64,
    /// The last of them: when it left, and its end.
    pub last: (Time, u64),
}

impl Train {
    /// A train of `sent.len()` segments of `size` bytes from `from` on.
    pub fn of(from: u64, size: u64, sent: VecDeque<Time>) -> Self {
        Train { from, end: from + size * sent.len() as u64, size, sent }
    }

    /// Adds `[from, to)`, which leaves at `now`; false if it is not the next of the same size.
    #[inline(always)]
    pub fn push(&mut self, from: u64, to: u64, now: Time) -> bool {
        if self.sent.is_empty() {
            if from >= to {
                return false;
            }
            (self.from, self.end, self.size) = (from, from, to - from);
        } else if from != self.end || to - from != self.size {
            return false;
        }
        self.end = to;
        self.sent.push_back(now);
        true
    }

    /// Takes the segments that end at or before `una`.
    #[inline(always)]
    pub fn take(&mut self, una: u64) -> Option<Taken> {
        let first_end = self.from + self.size;
        let mut last = None;
        while self.from + self.size <= una
            && let Some(sent) = self.sent.pop_front()
        {
            self.from += self.size;
            last = Some((sent, self.from));
        }
        last.map(|last| Taken { first_end, last })
    }

    /// When the first and the last left of the segments that end at or before `una`.
    #[inline]
    pub fn sent_below(&self, una: u64) -> Option<(Time, Time)> {
        let first = *self.sent.front()?;
        if una < self.from + 2 * self.size {
            return (una >= self.from + self.size).then_some((first, first));
        }
        let count = (una - self.from) / self.size;
        let last = self.sent.get(count as usize - 1).or(self.sent.back())?;
        Some((first, *last))
    }

    /// True if nothing below `una` is left.
    #[inline(always)]
    pub fn starts_at(&self, una: u64) -> bool {
        self.from >= una || self.sent.is_empty()
    }

    /// Bytes on their way.
    pub fn bytes(&self) -> u64 {
        self.size * self.sent.len() as u64
    }
    /// The last segment.
    pub fn last(&self) -> Option<(u64, u64)> {
        (!self.sent.is_empty()).then(|| (self.end - self.size, self.end))
    }

    /// Ends the train: its segments with the times at which they left.
    pub fn part(&mut self) -> impl Iterator<Item = (u64, u64, Time)> + use<> {
        let Train { from, size, sent, .. } = std::mem::take(self);
        sent.into_iter().enumerate().map(move |(i, sent)| {
            let from = from + size * i as u64;
            (from, from + size, sent)
        })
    }
}
