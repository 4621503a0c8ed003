//! The agenda: what happens next. A calendar of buckets in chunks that are recycled, and a heap for
//! what lies beyond its year. Buckets that prove to hold too little become wider, and those that
//! prove to hold too much become narrower again.
//!
//! Order is (time, rank); entries that are equal in both belong to one stream and keep the order in
//! which they were pushed. So a run has one history, whatever else is simulated beside it.
#[cfg(test)]
mod tests;

use crate::engine::entry::{Entry, Pkt};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::RangeInclusive;

const SLOTS: u64 = 4096;
const PER_CHUNK: usize = 8;
const NIL: u32 = u32::MAX;

/// After so many buckets the agenda looks whether they hold enough.
const BETWEEN_LOOKS: u32 = if cfg!(test) { 8 } else { 1024 };
/// Fewer entries a bucket cost more in turning than more of them cost in sorting, and beyond
/// [`MUCH`] sorting costs more. Half of that is more than [`FEW`]: widths do not swing.
const FEW: u64 = 4;
const MUCH: u64 = 10;

/// Parts of a bucket that entries are spread over before they are sorted, and how many are: fewer
/// are sorted as fast without, and of more all may be due at one instant.
const PARTS: usize = 32;
const MANY: RangeInclusive<usize> = 13..=512;

#[derive(Clone, Copy)]
struct Slot {
    first: u32,
    last: u32,
}

/// A part of a bucket.
struct Chunk {
    entries: [Entry; PER_CHUNK],
    used: u32,
    next: u32,
}

/// An entry beyond the calendar's year, ordered as the agenda is.
struct Far {
    key: (u64, u32, u64),
    entry: Entry,
}
impl PartialEq for Far {
    fn eq(&self, o: &Self) -> bool {
        self.key == o.key
    }
}
impl Eq for Far {}
impl PartialOrd for Far {
    fn partial_cmp(&self, o: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(o))
    }
}
impl Ord for Far {
    fn cmp(&self, o: &Self) -> std::cmp::Ordering {
        self.key.cmp(&o.key)
    }
}

/// Future entries in the order (time, rank, order of pushing).
pub struct Agenda {
    /// A bucket spans 2^shift ps, at least 2^narrowest and at most 2^widest.
    shift: u32,
    narrowest: u32,
    widest: u32,
    /// The number of buckets until the next look, and of entries since the last one.
    turns: u32,
    taken: u64,
    /// The bucket being drained.
    at: u64,
    /// Its entries in order, and how many are done.
    current: Vec<Entry>,
    done: usize,
    /// Memory for [`Self::spread`].
    spare: Vec<Entry>,
    slots: Box<[Slot; SLOTS as usize]>,
    /// One bit per slot that holds anything.
    busy: [u64; SLOTS as usize / 64],
    pool: Vec<Chunk>,
    free: u32,
    far: BinaryHeap<Reverse<Far>>,
    /// The bucket of the first entry there; none: beyond all buckets.
    far_first: u64,
    far_pushed: u64,
}

impl Agenda {
    /// An agenda for about `per_second` entries per second, most of them at most `horizon_ps`
    /// ahead.
    pub fn new(per_second: f64, horizon_ps: u64) -> Self {
        // About four entries a bucket, but a year that outlasts the common delays: too wide costs
        // little, too narrow much.
        let wide = (4e12 / per_second.max(1.0)) as u64;
        let width = wide.max(horizon_ps / SLOTS + 1).min(1 << 40);
        let shift = u64::BITS - (width - 1).leading_zeros();
        // Delays that are common are longer than many buckets: else each is a search in one.
        let widest = (horizon_ps / 64).checked_ilog2().unwrap_or(0).max(shift);
        Agenda {
            shift,
            narrowest: shift,
            widest,
            turns: BETWEEN_LOOKS,
            taken: 0,
            at: 0,
            current: Vec::new(),
            done: 0,
            spare: Vec::new(),
            slots: Box::new([Slot { first: NIL, last: NIL }; SLOTS as usize]),
            busy: [0; SLOTS as usize / 64],
            pool: Vec::new(),
            free: NIL,
            far: BinaryHeap::new(),
            far_first: u64::MAX,
            far_pushed: 0,
        }
    }

    /// Adds an entry; its time is not before that of the last one popped.
    #[inline(always)]
    pub fn push(&mut self, e: Entry) {
        let bucket = e.t >> self.shift;
        let last = self.slots[(bucket % SLOTS) as usize].last;
        // Nearly every entry goes to a bucket of this year whose last chunk has room. No chunk has
        // the number NIL.
        if bucket.wrapping_sub(self.at + 1) < SLOTS - 1
            && let Some(chunk) = self.pool.get_mut(last as usize)
            && let Some(place) = chunk.entries.get_mut(chunk.used as usize)
        {
            *place = e;
            chunk.used += 1;
        } else {
            let Entry { t, rank, path_segment, packet } = e;
            self.push_with_care(t, (rank, path_segment), packet);
        }
    }

    /// [`Self::push`] for an entry that often comes into the bucket that is being drained.
    #[inline(always)]
    pub fn push_soon(&mut self, e: Entry) {
        if e.t >> self.shift <= self.at {
            self.push_current(e);
        } else {
            self.push(e);
        }
    }

    /// The rest of [`Self::push`]. The entry comes in parts, so that the common way need not have
    /// it in memory.
    #[inline(never)]
    fn push_with_care(&mut self, t: u64, (rank, path_segment): (u32, u32), packet: Pkt) {
        let (bucket, e) = (t >> self.shift, Entry { t, rank, path_segment, packet });
        if bucket <= self.at {
            self.push_current(e);
        } else if bucket - self.at < SLOTS {
            self.push_near(bucket, e);
        } else {
            self.far_pushed += 1;
            self.far_first = self.far_first.min(bucket);
            self.far.push(Reverse(Far { key: (e.t, e.rank, self.far_pushed), entry: e }));
        }
    }

    /// Into the bucket that is being drained: behind all that are not later.
    #[inline(always)]
    fn push_current(&mut self, e: Entry) {
        let key = e.key();
        let rest = self.current.get(self.done..).unwrap_or_default();
        if rest.len() > *MANY.end() {
            return self.push_among_many(e);
        }
        let later = rest.iter().rev().take_while(|x| x.key() > key).count();
        self.current.insert(self.current.len() - later, e);
    }

    /// [`Self::push_current`] where a search by halves is faster.
    #[cold]
    fn push_among_many(&mut self, e: Entry) {
        let rest = &self.current[self.done..];
        let place = self.done + rest.partition_point(|x| x.key() <= e.key());
        self.current.insert(place, e);
    }

    #[inline]
    fn push_near(&mut self, bucket: u64, e: Entry) {
        let i = (bucket % SLOTS) as usize;
        let last = self.slots[i].last;
        // No chunk has the number NIL.
        if let Some(chunk) = self.pool.get_mut(last as usize)
            && let Some(place) = chunk.entries.get_mut(chunk.used as usize)
        {
            *place = e;
            chunk.used += 1;
            return;
        }
        self.push_fresh(i, last, e);
    }

    /// Into a new chunk at the end of slot `i`, whose last one is full or missing.
    fn push_fresh(&mut self, i: usize, last: u32, e: Entry) {
        let fresh = self.chunk(e);
        match last {
            NIL => {
                self.slots[i].first = fresh;
                self.busy[i / 64] |= 1 << (i % 64);
            }
            _ => self.pool[last as usize].next = fresh,
        }
        self.slots[i].last = fresh;
    }

    /// A chunk that holds `e`, recycled if there is one.
    fn chunk(&mut self, e: Entry) -> u32 {
        if self.free == NIL {
            self.pool.push(Chunk { entries: [e; PER_CHUNK], used: 1, next: NIL });
            return (self.pool.len() - 1) as u32;
        }
        let i = self.free;
        let chunk = &mut self.pool[i as usize];
        self.free = chunk.next;
        chunk.entries[0] = e;
        (chunk.used, chunk.next) = (1, NIL);
        i
    }

    /// Takes the next entry, if it is not after `end`.
    #[inline]
    pub fn pop(&mut self, end: u64) -> Option<&Entry> {
        while self.done == self.current.len() {
            if !self.turn(end) {
                return None;
            }
        }
        let e = &self.current[self.done];
        if e.t > end {
            return None;
        }
        self.done += 1;
        Some(e)
    }

    /// The time of the next entry.
    pub fn next(&self) -> Option<u64> {
        if let Some(entry) = self.current.get(self.done) {
            return Some(entry.t);
        }
        let bucket = self.next_busy();
        let mut first = self.far.peek().map(|Reverse(far)| far.entry.t);
        if bucket != u64::MAX {
            let mut chunk = self.slots[(bucket % SLOTS) as usize].first;
            while let Some(c) = self.pool.get(chunk as usize) {
                let here = c.entries[..c.used as usize].iter().map(|e| e.t).min();
                first = first.into_iter().chain(here).min();
                chunk = c.next;
            }
        }
        first
    }

    /// Advances to the next bucket that holds anything; false if there is none that starts by
    /// `end`.
    fn turn(&mut self, end: u64) -> bool {
        self.current.clear();
        self.done = 0;
        if self.turns == 0 && self.looks() {
            return true;
        }
        let next = self.next_busy().min(self.far_first);
        if next > end >> self.shift {
            return false;
        }
        self.turns -= 1;
        self.at = next;
        if self.far_first < next.saturating_add(SLOTS) {
            self.take_far();
        }
        self.take_slot((next % SLOTS) as usize);
        self.sort();
        self.taken += self.current.len() as u64;
        true
    }

    /// Sorts the bucket that was taken. Equal entries keep their order.
    #[inline]
    fn sort(&mut self) {
        if MANY.contains(&self.current.len()) {
            self.spread();
            insert_in_order(&mut self.current);
        } else {
            self.current.sort_by_key(Entry::key);
        }
    }

    /// Brings the bucket's entries into the order of its parts: then each is near its place.
    #[inline(never)]
    fn spread(&mut self) {
        let shift = self.shift.saturating_sub(PARTS.ilog2());
        let part = |e: &Entry| (e.t >> shift) as usize % PARTS;
        let mut places = [0u32; PARTS];
        self.current.iter().for_each(|e| places[part(e)] += 1);
        let mut before = 0;
        for place in &mut places {
            before += std::mem::replace(place, before);
        }
        self.spare.resize(self.current.len(), self.current[0]);
        for e in &self.current {
            let place = &mut places[part(e)];
            self.spare[*place as usize] = *e;
            *place += 1;
        }
        std::mem::swap(&mut self.current, &mut self.spare);
    }

    /// Makes buckets twice as wide if those since the last look held few entries, and half as wide
    /// if they held many; true if entries came into the present one by that. The current bucket is
    /// done.
    #[cold]
    fn looks(&mut self) -> bool {
        let few = self.taken < FEW * u64::from(BETWEEN_LOOKS);
        let many = self.taken > MUCH * u64::from(BETWEEN_LOOKS);
        (self.turns, self.taken) = (BETWEEN_LOOKS, 0);
        if few && self.shift < self.widest {
            self.rearranges(self.shift + 1)
        } else if many && self.shift > self.narrowest {
            self.rearranges(self.shift - 1)
        } else {
            false
        }
    }

    /// Gives buckets a width of 2^`shift`; true if entries came into the present one by that.
    fn rearranges(&mut self, shift: u32) -> bool {
        // In the order of buckets, so that equal entries stay in theirs.
        let mut waiting = Vec::new();
        loop {
            let bucket = self.next_busy();
            if bucket == u64::MAX {
                break;
            }
            self.take_slot((bucket % SLOTS) as usize);
            waiting.append(&mut self.current);
        }
        // The last instant of the present bucket, which is done, stays in the present one.
        let last = (self.at << self.shift) | ((1 << self.shift) - 1);
        (self.shift, self.at) = (shift, last >> shift);
        self.far_first = self.far.peek().map_or(u64::MAX, |Reverse(f)| f.entry.t >> self.shift);
        for e in waiting {
            self.push(e);
        }
        if self.far_first < self.at + SLOTS {
            self.take_far();
        }
        !self.current.is_empty()
    }

    /// The first bucket after the current one that holds anything; beyond all buckets if there is
    /// none.
    #[inline]
    fn next_busy(&self) -> u64 {
        let start = ((self.at + 1) % SLOTS) as usize;
        let bits = self.busy[start / 64] >> (start % 64);
        if bits != 0 {
            self.at + 1 + u64::from(bits.trailing_zeros())
        } else {
            self.next_busy_word(start)
        }
    }

    /// The next busy slot if the first word has none from `start` on: the other words, then the
    /// rest of the first.
    fn next_busy_word(&self, start: usize) -> u64 {
        let words = self.busy.len();
        for k in 1..=words {
            let w = (start / 64 + k) % words;
            let bits =
                if k == words { self.busy[w] & !(!0u64 << (start % 64)) } else { self.busy[w] };
            if bits != 0 {
                let slot = (w * 64) as u64 + u64::from(bits.trailing_zeros());
                return self.at + 1 + (slot + SLOTS - start as u64) % SLOTS;
            }
        }
        u64::MAX
    }

    /// Moves what the year has come to include: before anything later is pushed there.
    #[cold]
    fn take_far(&mut self) {
        while let Some(Reverse(f)) = self.far.peek() {
            let bucket = f.entry.t >> self.shift;
            if bucket >= self.at + SLOTS {
                break;
            }
            let entry = f.entry;
            self.far.pop();
            // Slot `at` itself is taken next, so an entry of this very bucket may go there as well.
            self.push_near(bucket, entry);
        }
        self.far_first = self.far.peek().map_or(u64::MAX, |Reverse(f)| f.entry.t >> self.shift);
    }

    fn take_slot(&mut self, i: usize) {
        let mut c = self.slots[i].first;
        while c != NIL {
            let chunk = &mut self.pool[c as usize];
            self.current.extend_from_slice(&chunk.entries[..chunk.used as usize]);
            let next = chunk.next;
            chunk.next = self.free;
            self.free = c;
            c = next;
        }
        self.slots[i] = Slot { first: NIL, last: NIL };
        self.busy[i / 64] &= !(1 << (i % 64));
    }
}

/// Insertion sort: for entries that are nearly in order.
fn insert_in_order(entries: &mut [Entry]) {
    for end in 1..entries.len() {
        let (e, mut place) = (entries[end], end);
        while let Some(before) = place.checked_sub(1)
            && entries[before].key() > e.key()
        {
            entries[place] = entries[before];
            place = before;
        }
        if place < end {
            entries[place] = e;
        }
    }
}
