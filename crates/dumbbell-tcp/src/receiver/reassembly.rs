//! Data out of order, and the SACK blocks that report it.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    from: u64,
    to: u64,
    /// The time stamp of its last change: the order of SACK blocks (RFC 2018 section 4).
    stamp: u64,
}

/// The blocks above RCV.NXT, ascending and disjoint.
#[derive(Clone, Debug, Default)]
pub(super) struct Reassembly {
    blocks: Vec<Block>,
    stamp: u64,
}

impl Reassembly {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Bytes in all blocks.
    pub fn bytes(&self) -> u64 {
        self.blocks.iter().map(|b| b.to - b.from).sum()
    }

    /// The block that holds all of `[from, to)`.
    fn holding(&self, from: u64, to: u64) -> Option<&Block> {
        let place = self.blocks.partition_point(|b| b.to < to);
        self.blocks.get(place).filter(|b| b.from <= from)
    }

    /// True if a block holds all of `[from, to)`.
    pub fn covers(&self, from: u64, to: u64) -> bool {
        from < to && self.holding(from, to).is_some()
    }

    /// The first part of `[from, to)` that a block holds already.
    pub fn overlap(&self, from: u64, to: u64) -> Option<(u64, u64)> {
        let b = self.blocks.get(self.blocks.partition_point(|b| b.to <= from))?;
        (b.from < to).then(|| (from.max(b.from), to.min(b.to)))
    }

    /// Takes `[from, to)` in.
    pub fn insert(&mut self, from: u64, to: u64) {
        self.stamp += 1;
        let stamp = self.stamp;
        let first = self.blocks.partition_point(|b| b.to < from);
        let touched = self.blocks[first..].iter().take_while(|b| b.from <= to).count();
        if touched == 0 {
            return self.blocks.insert(first, Block { from, to, stamp });
        }
        let to = to.max(self.blocks[first + touched - 1].to);
        let from = from.min(self.blocks[first].from);
        self.blocks[first] = Block { from, to, stamp };
        if touched > 1 {
            self.blocks.drain(first + 1..first + touched);
        }
    }

    /// Removes the block that begins at `nxt`, and returns its end.
    pub fn take_from(&mut self, nxt: u64) -> Option<u64> {
        let first = self.blocks.first().filter(|b| b.from <= nxt)?.to;
        self.blocks.remove(0);
        Some(first)
    }

    /// Writes SACK blocks, at most `room`: the duplicate, the block that holds it, the others by
    /// their last change, latest first (RFC 2018, RFC 2883). Returns how many.
    pub fn report(
        &self,
        duplicate: Option<(u64, u64)>,
        room: usize,
        out: &mut [(u32, u32); 4],
    ) -> u8 {
        let mut count = 0;
        let mut put = |from: u64, to: u64| {
            if count < room {
                out[count] = (from as u32, to as u32);
                count += 1;
            }
        };
        let mut enclosing = None;
        if let Some((from, to)) = duplicate {
            put(from, to);
            enclosing = self.holding(from, to);
            if let Some(b) = enclosing {
                put(b.from, b.to);
            }
        }
        // Stamps and places of the latest, latest first.
        let mut latest = [(0, 0); 4];
        for (place, b) in self.blocks.iter().enumerate().rev() {
            let mut new = (b.stamp, place);
            for known in &mut latest[..room] {
                if new.0 > known.0 {
                    std::mem::swap(known, &mut new);
                }
            }
        }
        for (_, place) in latest.iter().take_while(|(stamp, _)| *stamp > 0) {
            let b = &self.blocks[*place];
            if Some(b) != enclosing {
                put(b.from, b.to);
            }
        }
        count as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(r: &Reassembly, duplicate: Option<(u64, u64)>, room: usize) -> Vec<(u32, u32)> {
        let mut out = [(0, 0); 4];
        let n = r.report(duplicate, room, &mut out);
        out[..usize::from(n)].to_vec()
    }

    /// RFC 2018 section 4, example 2: 5500 to 8500 arrive, the first of each... every other segment
    /// is lost.
    #[test]
    fn the_latest_block_comes_first() {
        let mut r = Reassembly::default();
        r.insert(5500, 6000);
        assert_eq!(report(&r, None, 4), [(5500, 6000)]);
        r.insert(6500, 7000);
        assert_eq!(report(&r, None, 4), [(6500, 7000), (5500, 6000)]);
        r.insert(7500, 8000);
        r.insert(8500, 9000);
        assert_eq!(report(&r, None, 3), [(8500, 9000), (7500, 8000), (6500, 7000)]);
        // The fourth segment arrives late: the block that holds it is first.
        r.insert(6000, 6500);
        assert_eq!(report(&r, None, 3), [(5500, 7000), (8500, 9000), (7500, 8000)]);
    }

    /// RFC 2883 section 4.2: a duplicate within a larger block is followed by that block.
    #[test]
    fn a_duplicate_is_followed_by_its_block() {
        let mut r = Reassembly::default();
        r.insert(4500, 5500);
        r.insert(6000, 6500);
        assert_eq!(report(&r, Some((5000, 5500)), 3), [(5000, 5500), (4500, 5500), (6000, 6500)]);
        assert_eq!(report(&r, Some((3000, 3500)), 3), [(3000, 3500), (6000, 6500), (4500, 5500)]);
    }

    #[test]
    fn blocks_merge_and_leave() {
        let mut r = Reassembly::default();
        r.insert(10, 20);
        r.insert(30, 40);
        r.insert(20, 30);
        assert!(r.covers(10, 40) && !r.covers(10, 41));
        assert_eq!(r.overlap(5, 12), Some((10, 12)));
        assert_eq!(r.take_from(9), None);
        assert_eq!(r.take_from(10), Some(40));
        assert!(r.is_empty());
    }
}
