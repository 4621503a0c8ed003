//! The agenda: what happens next. A calendar of buckets in chunks that are recycled, and lists of
//! what lies beyond it, one for each season. Buckets that prove to hold too little become wider,
//! and those that prove to hold too much become narrower again.
//!
//! Order is (time, rank); entries that are equal in both belong to one stream and keep the order in
//! which they were pushed. So a run has one history, whatever else is simulated beside it.
#[cfg(test)]
mod tests;

use crate::engine::entry::{Entry, Pkt};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

const SLOTS: u64 = 4096;
const PER_CHUNK: usize = 8;
const NIL: u32 = u32::MAX;

/// A season has 2^8 buckets of the least width: what lies beyond the calendar, such as timers,
/// comes into it by whole seasons. The calendar has room for 16 of them at least, and one of the
/// widest buckets is no longer than a season.
const SEASON: u32 = 8;

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

/// A bucket of the calendar: a chain of chunks, of which all but the last are full.
#[derive(Clone, Copy)]
struct Slot {
    last: u32,
    /// The number of entries.
    count: u32,
}

/// A part of a bucket, in whole lines of the cache.
#[repr(align(64))]
struct Chunk([Entry; PER_CHUNK]);

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
    /// The chunk before each one in its bucket, or in the chain of free ones.
    before: Vec<u32>,
    free: u32,
    /// Buckets behind the current one that the calendar has, up to the end of a season.
    ahead: u64,
    /// Entries beyond them by season, in the order in which they were pushed.
    far: BTreeMap<u64, Vec<Entry>>,
    /// The first bucket of the first season there; none: beyond all buckets.
    far_first: u64,
}

impl Agenda {
    /// An agenda for about `per_second` entries per second, most of them at most `horizon_ps`
    /// ahead.
    pub fn new(per_second: f64, horizon_ps: u64) -> Self {
        // About four entries a bucket, but a calendar that outlasts the common delays: too wide
        // costs little, too narrow much.
        let wide = (4e12 / per_second.max(1.0)) as u64;
        let width = wide.max(horizon_ps / SLOTS + 1).min(1 << 40);
        let shift = u64::BITS - (width - 1).leading_zeros();
        // Delays that are common are longer than many buckets: else each is a search in one.
        let widest = (horizon_ps / 64).checked_ilog2().unwrap_or(0).clamp(shift, shift + SEASON);
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
            slots: Box::new([Slot { last: NIL, count: 0 }; SLOTS as usize]),
            busy: [0; SLOTS as usize / 64],
            pool: Vec::new(),
            before: Vec::new(),
            free: NIL,
            ahead: SLOTS - 1,
            far: BTreeMap::new(),
            far_first: u64::MAX,
        }
    }

    /// Adds an entry; its time is not before that of the last one popped.
    #[inline(always)]
    pub fn push(&mut self, e: Entry) {
        let bucket = e.t >> self.shift;
        let slot = &mut self.slots[(bucket % SLOTS) as usize];
        // Nearly every entry goes to a bucket of the calendar whose last chunk has room.
        if bucket.wrapping_sub(self.at + 1) < self.ahead
            && let place @ 1.. = slot.count as usize % PER_CHUNK
            && let Some(chunk) = self.pool.get_mut(slot.last as usize)
        {
            chunk.0[place] = e;
            slot.count += 1;
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
        } else if bucket - self.at <= self.ahead {
            self.push_near(bucket, e);
        } else {
            let season = bucket >> self.season();
            self.far_first = self.far_first.min(season << self.season());
            self.far.entry(season).or_default().push(e);
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
        let slot = &mut self.slots[i];
        match slot.count as usize % PER_CHUNK {
            0 => self.push_fresh(i, e),
            place => {
                self.pool[slot.last as usize].0[place] = e;
                slot.count += 1;
            }
        }
    }

    /// Into a new chunk at the end of slot `i`, whose last one is full or missing.
    fn push_fresh(&mut self, i: usize, e: Entry) {
        let fresh = self.chunk(e);
        let slot = &mut self.slots[i];
        self.before[fresh as usize] = slot.last;
        *slot = Slot { last: fresh, count: slot.count + 1 };
        self.busy[i / 64] |= 1 << (i % 64);
    }

    /// A chunk that holds `e`, recycled if there is one.
    fn chunk(&mut self, e: Entry) -> u32 {
        let i = self.free;
        let Some(chunk) = self.pool.get_mut(i as usize) else {
            self.pool.push(Chunk([e; PER_CHUNK]));
            self.before.push(NIL);
            return (self.pool.len() - 1) as u32;
        };
        chunk.0[0] = e;
        self.free = self.before[i as usize];
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
        if bucket == u64::MAX {
            return self.far.first_key_value()?.1.iter().map(|e| e.t).min();
        }
        let Slot { mut last, count } = self.slots[(bucket % SLOTS) as usize];
        let (mut first, mut left) = (None, count as usize);
        while left > 0 {
            let used = (left - 1) % PER_CHUNK + 1;
            let here = self.pool[last as usize].0[..used].iter().map(|e| e.t).min();
            first = first.into_iter().chain(here).min();
            (last, left) = (self.before[last as usize], left - used);
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
        self.reach();
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
        // A narrower calendar reaches less far: then there is nothing to take into it.
        self.far_first = self.first_season();
        self.reach();
        for e in waiting {
            self.push(e);
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

    /// The binary logarithm of the buckets in a season.
    #[inline]
    fn season(&self) -> u32 {
        SEASON - (self.shift - self.narrowest)
    }

    /// The current bucket is another one: takes in what the calendar has come to include, before
    /// anything later is pushed there.
    #[inline]
    fn reach(&mut self) {
        let end = (self.at + SLOTS) >> self.season() << self.season();
        self.ahead = end - 1 - self.at;
        if self.far_first < end {
            self.take_far(end);
        }
    }

    #[cold]
    fn take_far(&mut self, end: u64) {
        while self.far_first < end
            && let Some((_, entries)) = self.far.pop_first()
        {
            // Slot `at` itself is taken next, so an entry of this very bucket may go there as well.
            for e in entries {
                self.push_near(e.t >> self.shift, e);
            }
            self.far_first = self.first_season();
        }
    }

    /// The first bucket of the first season beyond the calendar; none: beyond all buckets.
    fn first_season(&self) -> u64 {
        self.far.first_key_value().map_or(u64::MAX, |(season, _)| season << self.season())
    }

    fn take_slot(&mut self, i: usize) {
        let slot = &mut self.slots[i];
        let Slot { last, count } = *slot;
        slot.count = 0;
        self.busy[i / 64] &= !(1 << (i % 64));
        let Some(full) = (count as usize).checked_sub(1).map(|others| others / PER_CHUNK) else {
            return;
        };
        if full > 0 {
            self.take_full(self.before[last as usize], full);
        }
        let used = count as usize - full * PER_CHUNK;
        self.current.extend_from_slice(&self.pool[last as usize].0[..used]);
        self.before[last as usize] = self.free;
        self.free = last;
    }

    /// Takes the full chunks of a bucket, of which `c` is the last.
    #[inline(never)]
    fn take_full(&mut self, mut c: u32, full: usize) {
        let start = self.current.len();
        self.current.resize(start + full * PER_CHUNK, Entry::clock(0, 0));
        for place in self.current[start..].rchunks_exact_mut(PER_CHUNK) {
            place.copy_from_slice(&self.pool[c as usize].0);
            let before = std::mem::replace(&mut self.before[c as usize], self.free);
            (self.free, c) = (c, before);
        }
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
