//! Pieces of bytes, sorted by time, however many there are: what does not fit into memory is sorted
//! into temporary files, which are merged.
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

/// Bytes that are kept in memory.
const MEMORY: usize = 64 << 20;
/// The memory of a piece besides its bytes.
const ENTRY: usize = 24;

/// The sort key of a row: picoseconds first, then a number that breaks ties.
pub type Key = (u64, u64);

/// Takes pieces in any order.
pub struct Sorter {
    bytes: Vec<u8>,
    index: Vec<(Key, u32, u32)>,
    runs: Vec<File>,
    memory: usize,
}

/// Appends words, with which a piece may begin.
pub fn put(out: &mut Vec<u8>, words: &[u64]) {
    words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
}

/// The `N` words that a piece begins with, and what follows them.
pub fn words<const N: usize>(piece: &[u8]) -> ([u64; N], &[u8]) {
    let (head, rest) = piece.split_at(8 * N);
    let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|k| head[8 * i + k]));
    (std::array::from_fn(word), rest)
}

impl Default for Sorter {
    fn default() -> Self {
        Sorter { bytes: Vec::new(), index: Vec::new(), runs: Vec::new(), memory: MEMORY }
    }
}

impl Sorter {
    /// One more piece, which `write` appends.
    ///
    /// # Errors
    /// The temporary file cannot be written.
    pub fn push(&mut self, key: Key, write: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let from = self.bytes.len();
        write(&mut self.bytes);
        self.index.push((key, from as u32, (self.bytes.len() - from) as u32));
        if self.bytes.len() + self.index.len() * ENTRY > self.memory {
            self.spill()
        } else {
            Ok(())
        }
    }

    fn spill(&mut self) -> io::Result<()> {
        self.index.sort_by_key(|(key, ..)| *key);
        let mut out = BufWriter::with_capacity(1 << 20, tempfile::tempfile()?);
        for (key, from, length) in self.index.drain(..) {
            out.write_all(&key.0.to_le_bytes())?;
            out.write_all(&key.1.to_le_bytes())?;
            out.write_all(&length.to_le_bytes())?;
            out.write_all(&self.bytes[from as usize..(from + length) as usize])?;
        }
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.runs.push(file);
        self.bytes.clear();
        Ok(())
    }

    /// Gives every piece to `take`, in order; pieces with equal keys as they came.
    ///
    /// # Errors
    /// A temporary file cannot be written or read, or `take` fails.
    pub fn finish(mut self, mut take: impl FnMut(Key, &[u8]) -> io::Result<()>) -> io::Result<()> {
        if self.runs.is_empty() {
            self.index.sort_by_key(|(key, ..)| *key);
            return self.index.iter().try_for_each(|(key, from, length)| {
                take(*key, &self.bytes[*from as usize..(*from + *length) as usize])
            });
        }
        self.spill()?;
        (self.bytes, self.index) = (Vec::new(), Vec::new());
        let mut runs: Vec<Run> = self.runs.into_iter().map(Run::new).collect();
        let mut heap = BinaryHeap::new();
        for (i, run) in runs.iter_mut().enumerate() {
            heap.extend(run.advance()?.map(|key| Reverse((key, i))));
        }
        while let Some(Reverse((key, i))) = heap.pop() {
            take(key, &runs[i].piece)?;
            heap.extend(runs[i].advance()?.map(|key| Reverse((key, i))));
        }
        Ok(())
    }
}

/// A temporary file, and the piece at which it stands.
struct Run {
    file: BufReader<File>,
    piece: Vec<u8>,
}

impl Run {
    fn new(file: File) -> Self {
        Run { file: BufReader::with_capacity(1 << 18, file), piece: Vec::new() }
    }
    fn advance(&mut self) -> io::Result<Option<Key>> {
        let mut head = [0; 20];
        match self.file.read_exact(&mut head) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| head[at + i]));
        self.piece.resize(u32::from_le_bytes(std::array::from_fn(|i| head[16 + i])) as usize, 0);
        self.file.read_exact(&mut self.piece)?;
        Ok(Some((word(0), word(8))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_order_with_little_memory_and_with_much() {
        let order = |memory: usize| {
            let mut sorter = Sorter { memory, ..Sorter::default() };
            for i in 0..5000u64 {
                let key = ((i * 7919) % 601, i % 3);
                sorter
                    .push(key, |out| out.extend_from_slice(&i.to_le_bytes()[..1 + i as usize % 8]))
                    .unwrap();
            }
            let spilled = sorter.runs.len();
            let mut seen = Vec::new();
            let take = |key: Key, piece: &[u8]| {
                seen.push((key, piece.to_vec()));
                Ok(())
            };
            sorter.finish(take).unwrap();
            assert!(seen.windows(2).all(|w| w[0].0 <= w[1].0));
            (spilled, seen)
        };
        let (none, all) = order(MEMORY);
        let (some, merged) = order(10_000);
        assert!(none == 0 && some > 5);
        assert_eq!(all.len(), 5000);
        assert_eq!(all, merged);
    }
}
