//! The tags that a congestion control wrote on segments, until those are acknowledged or lost.
use dumbbell_core::transport::{Scoreboard, Tag};
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug)]
struct Tagged {
    from: u64,
    to: u64,
    tag: Tag,
    /// True if it was sent beyond the window, so that the window does not count it.
    beyond: bool,
    /// True if it had been sent before.
    again: bool,
}

/// Tagged segments in the network; in a box, because most senders never have one.
#[derive(Debug, Default)]
pub(super) struct Tags(Option<Box<Listed>>);

/// By where they end; those that end alike in the order in which they went.
#[derive(Debug, Default)]
struct Listed {
    outstanding: VecDeque<Tagged>,
    /// The tags of the last `take_lost`.
    lost: Vec<Tag>,
}

impl Tags {
    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|listed| listed.outstanding.is_empty())
    }

    /// A segment goes with a tag; `again`: not for the first time.
    pub fn add(&mut self, (from, to): (u64, u64), tag: Tag, beyond: bool, again: bool) {
        self.0.get_or_insert_default().add(Tagged { from, to, tag, beyond, again });
    }

    /// Forgets what is acknowledged; returns how many of its bytes went beyond the window.
    pub fn acknowledged(&mut self, una: u64) -> u64 {
        self.0.as_mut().map_or(0, |listed| listed.acknowledged(una))
    }

    /// Moves the tags of what lies below `lost_below`, or begins at `head`, and is not selectively
    /// acknowledged, to [`Self::lost`]; returns how many of its bytes went beyond the window. A
    /// repetition is not lost because its original was: it goes with them only if `repeated` too is
    /// given up.
    pub fn take_lost(
        &mut self,
        lost_below: u64,
        head: u64,
        repeated: bool,
        board: &Scoreboard,
    ) -> u64 {
        self.0.as_mut().map_or(0, |listed| listed.take_lost(lost_below, head, repeated, board))
    }

    /// Returns the tags of the last [`Self::take_lost`].
    pub fn lost(&self) -> &[Tag] {
        self.0.as_ref().map_or(&[], |listed| &listed.lost)
    }
}

impl Listed {
    fn add(&mut self, segment: Tagged) {
        let to = segment.to;
        match self.outstanding.back() {
            Some(last) if last.to > to => self.outstanding.insert(self.until(to), segment),
            _ => self.outstanding.push_back(segment),
        }
    }

    /// The number of tagged segments that end at `offset` or before.
    fn until(&self, offset: u64) -> usize {
        self.outstanding.partition_point(|t| t.to <= offset)
    }

    fn acknowledged(&mut self, una: u64) -> u64 {
        let mut bytes = 0;
        while let Some(t) = self.outstanding.front().filter(|t| t.to <= una) {
            bytes += if t.beyond { t.to - t.from } else { 0 };
            self.outstanding.pop_front();
        }
        bytes
    }

    fn take_lost(&mut self, lost_below: u64, head: u64, repeated: bool, board: &Scoreboard) -> u64 {
        self.lost.clear();
        let gone = |t: &Tagged| {
            (t.to <= lost_below || t.from == head)
                && (repeated || !t.again)
                && board.bytes_within(t.from, t.to) == 0
        };
        // Tags that begin at the head end before all others.
        let below = self.until(lost_below);
        let at_head = self.outstanding.range(below..).take_while(|t| t.from == head).count();
        let (mut bytes, mut kept) = (0, 0);
        for i in 0..below + at_head {
            let t = self.outstanding[i];
            if gone(&t) {
                self.lost.push(t.tag);
                bytes += if t.beyond { t.to - t.from } else { 0 };
            } else {
                self.outstanding[kept] = t;
                kept += 1;
            }
        }
        self.outstanding.drain(kept..below + at_head);
        bytes
    }
}
