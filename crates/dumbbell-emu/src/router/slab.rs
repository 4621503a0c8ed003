//! Buffers of the packets that are in the network, by packet number.
//!
//! All have one size and are reused, so that a packet costs no allocation once there are enough.
//! They come in chunks whose pages are touched at once, so that no packet waits for a page fault.
use std::collections::VecDeque;

/// Bytes of a chunk, about.
const CHUNK: usize = 1 << 20;
/// Buffers begin at cache lines.
const LINE: usize = 64;

/// The place of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(u32);

/// A packet that is in the network.
#[derive(Clone, Copy, Debug)]
struct Entry {
    slot: Slot,
    len: u16,
    /// Number of its outputs that wait to be written.
    waiting: u32,
    /// True if a host gets some of it.
    went_out: bool,
    /// True if the network has nothing more of it.
    gone: bool,
}

/// A packet that is in the network no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// Length, bytes.
    pub len: u16,
    /// True if a host got it, or a copy or a fragment of it.
    pub went_out: bool,
}

/// Buffers for packets of at most one size.
pub struct Slab {
    stride: usize,
    per_chunk: usize,
    chunks: Vec<Box<[u8]>>,
    most_chunks: usize,
    free: Vec<Slot>,
    /// Packets from `first` on, in the order of their numbers.
    held: VecDeque<Option<Entry>>,
    first: u64,
    inside: u64,
}

impl Slab {
    /// Buffers for packets of up to `largest` bytes, of `bytes` of memory at most, with `ready`
    /// buffers from the start.
    pub fn new(largest: usize, bytes: usize, ready: usize) -> Self {
        // One byte more than fits: a packet that fills it was larger than it may be.
        let stride = (largest + 1).next_multiple_of(LINE);
        let per_chunk = (CHUNK / stride).max(1);
        let most_chunks = (bytes / (per_chunk * stride)).max(1);
        let mut slab = Slab {
            stride,
            per_chunk,
            chunks: Vec::with_capacity(most_chunks.min(1 << 16)),
            most_chunks,
            free: Vec::new(),
            held: VecDeque::with_capacity(ready.max(1 << 12)),
            first: 1,
            inside: 0,
        };
        while slab.free.len() < ready && slab.grow() {}
        slab
    }

    fn grow(&mut self) -> bool {
        if self.chunks.len() == self.most_chunks {
            return false;
        }
        // Not zeroes by the kernel's promise, but written: the pages are there from now on.
        let mut chunk = Vec::with_capacity(self.stride * self.per_chunk);
        chunk.resize(self.stride * self.per_chunk, 0xA5);
        let from = self.chunks.len() * self.per_chunk;
        self.chunks.push(chunk.into_boxed_slice());
        self.free.reserve(self.chunks.len() * self.per_chunk);
        self.free.extend((from..from + self.per_chunk).rev().map(|slot| Slot(slot as u32)));
        true
    }

    /// A buffer for the next packet; `None` when all the memory is used.
    #[inline]
    pub fn take(&mut self) -> Option<Slot> {
        if self.free.is_empty() && !self.grow() {
            return None;
        }
        self.free.pop()
    }

    /// Gives back a buffer that no packet came into.
    pub fn give_back(&mut self, slot: Slot) {
        self.free.push(slot);
    }

    /// The whole buffer.
    #[inline]
    pub fn buffer(&mut self, slot: Slot) -> &mut [u8] {
        let (chunk, at) = (slot.0 as usize / self.per_chunk, slot.0 as usize % self.per_chunk);
        &mut self.chunks[chunk][at * self.stride..][..self.stride]
    }

    /// The packet of `len` bytes in `slot` goes into the network: its number.
    #[inline]
    pub fn enter(&mut self, slot: Slot, len: u16) -> u64 {
        self.held.push_back(Some(Entry { slot, len, waiting: 0, went_out: false, gone: false }));
        self.inside += 1;
        self.first + self.held.len() as u64 - 1
    }

    #[inline]
    fn held(&mut self, number: u64) -> Option<&mut Entry> {
        let place = number.checked_sub(self.first)?;
        self.held.get_mut(usize::try_from(place).ok()?)?.as_mut()
    }

    /// Counts an output of a packet that is to be written; false if there is no such packet.
    #[inline]
    pub fn add_pending(&mut self, number: u64) -> bool {
        let Some(held) = self.held(number).filter(|held| !held.gone) else { return false };
        held.waiting += 1;
        held.went_out = true;
        true
    }

    /// The bytes of a packet.
    #[inline]
    pub fn packet(&mut self, number: u64) -> Option<&mut [u8]> {
        let Entry { slot, len, .. } = *self.held(number)?;
        Some(&mut self.buffer(slot)[..usize::from(len)])
    }

    /// One output of a packet is written; the packet's outcome if that was the last.
    #[inline]
    pub fn written(&mut self, number: u64) -> Option<Completed> {
        let held = self.held(number)?;
        held.waiting = held.waiting.saturating_sub(1);
        self.release(number)
    }

    /// The network has nothing more of it; what happened to it, if nothing of it waits either.
    #[inline]
    pub fn gone(&mut self, number: u64) -> Option<Completed> {
        self.held(number)?.gone = true;
        self.release(number)
    }

    fn release(&mut self, number: u64) -> Option<Completed> {
        let Entry { slot, len, waiting, went_out, gone } = *self.held(number)?;
        if waiting > 0 || !gone {
            return None;
        }
        self.held[(number - self.first) as usize] = None;
        self.free.push(slot);
        self.inside -= 1;
        while let Some(None) = self.held.front() {
            self.held.pop_front();
            self.first += 1;
        }
        Some(Completed { len, went_out })
    }

    /// Packets that are in the network or wait to be written.
    pub fn inside(&self) -> u64 {
        self.inside
    }

    /// The number of the last packet that entered; 0 before the first.
    #[cfg(test)]
    pub fn last(&self) -> u64 {
        self.first + self.held.len() as u64 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn put(slab: &mut Slab, byte: u8) -> u64 {
        let slot = slab.take().expect("there is room");
        slab.buffer(slot)[..4].fill(byte);
        slab.enter(slot, 4)
    }

    #[test]
    fn a_buffer_is_kept_until_the_last_copy_is_written_and_the_network_is_done() {
        let mut slab = Slab::new(100, 1 << 20, 1);
        let number = put(&mut slab, 7);
        assert_eq!(number, 1);
        assert!(slab.add_pending(number) && slab.add_pending(number));
        assert_eq!(slab.gone(number), None);
        assert!(!slab.add_pending(number), "the network said that it was done with it");
        assert_eq!(slab.written(number), None);
        assert_eq!(slab.packet(number).unwrap(), [7; 4]);
        assert_eq!(slab.written(number), Some(Completed { len: 4, went_out: true }));
        assert_eq!(slab.packet(number), None);
        assert_eq!((slab.inside(), slab.last()), (0, 1));
    }

    #[test]
    fn memory_has_an_end_and_is_used_again() {
        let mut slab = Slab::new(1499, 1, 0);
        let slots: Vec<Slot> = std::iter::from_fn(|| slab.take()).collect();
        assert_eq!(slots.len(), CHUNK / 1536);
        slab.give_back(slots[3]);
        assert_eq!(slab.take(), Some(slots[3]));
        assert_eq!(slab.take(), None);
    }

    proptest! {
        // Whatever the order in which they go: each keeps its own bytes, and nothing is lost of the
        // count.
        #[test]
        fn packets_keep_their_bytes(order in prop::collection::vec(0usize..1000, 1..400)) {
            let mut slab = Slab::new(60, 1 << 22, 4);
            let mut live: Vec<(u64, u8)> = vec![];
            let mut ended = 0;
            for (i, choice) in order.iter().enumerate() {
                if choice % 3 > 0 || live.is_empty() {
                    live.push((put(&mut slab, i as u8), i as u8));
                } else {
                    let (number, byte) = live.swap_remove(choice % live.len());
                    prop_assert_eq!(slab.packet(number).unwrap(), [byte; 4]);
                    prop_assert_eq!(slab.gone(number), Some(Completed { len: 4, went_out: false }));
                    ended += 1;
                }
                prop_assert_eq!(slab.inside(), live.len() as u64);
                prop_assert_eq!(slab.last(), live.len() as u64 + ended);
                for (number, byte) in &live {
                    prop_assert_eq!(slab.packet(*number).unwrap(), [*byte; 4]);
                }
            }
        }
    }
}
