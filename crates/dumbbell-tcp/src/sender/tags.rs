//! The tags that a congestion control wrote on segments, until those are acknowledged or lost.
use dumbbell_core::transport::{Scoreboard, Tag};

#[derive(Clone, Copy, Debug)]
struct Tagged {
    from: u64,
    to: u64,
    tag: Tag,
    /// Whether it went beyond the window, so that the window does not count it.
    beyond: bool,
    /// Whether it had been sent before.
    again: bool,
}

/// Tagged segments in the network. Few: a congestion control that tags every segment pays for it.
#[derive(Debug, Default)]
pub(super) struct Tags {
    outstanding: Vec<Tagged>,
    /// Those of the last `take_lost`.
    pub lost: Vec<Tag>,
}

impl Tags {
    pub fn is_empty(&self) -> bool {
        self.outstanding.is_empty()
    }

    /// A segment goes with a tag; `again`: not for the first time.
    pub fn add(&mut self, (from, to): (u64, u64), tag: Tag, beyond: bool, again: bool) {
        self.outstanding.push(Tagged { from, to, tag, beyond, again });
    }

    /// Forgets what is acknowledged; returns how many of its bytes went beyond the window.
    pub fn acknowledged(&mut self, una: u64) -> u64 {
        self.drop_where(|t| t.to <= una, |_| {})
    }

    /// Moves the tags of what lies below `lost_below`, or begins at `head`, and is not selectively acknowledged,
    /// to `lost`; returns how many of its bytes went beyond the window. A repetition is not lost because its original was:
    /// it goes with them only if `repeated` too is given up.
    pub fn take_lost(&mut self, lost_below: u64, head: u64, repeated: bool, board: &Scoreboard) -> u64 {
        self.lost.clear();
        let mut lost = std::mem::take(&mut self.lost);
        let gone = |t: &Tagged| {
            (t.to <= lost_below || t.from == head) && (repeated || !t.again) && board.bytes_within(t.from, t.to) == 0
        };
        let bytes = self.drop_where(gone, |t| lost.push(t.tag));
        self.lost = lost;
        bytes
    }

    fn drop_where(&mut self, gone: impl Fn(&Tagged) -> bool, mut seen: impl FnMut(&Tagged)) -> u64 {
        let mut bytes = 0;
        self.outstanding.retain(|t| {
            let goes = gone(t);
            if goes {
                seen(t);
                bytes += if t.beyond { t.to - t.from } else { 0 };
            }
            !goes
        });
        bytes
    }
}
