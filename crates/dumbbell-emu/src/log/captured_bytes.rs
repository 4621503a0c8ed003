//! The first bytes of a packet, in entries that come before the packet's record.
//!
//! Each entry has byte 0 = 3, and in byte 1 the number of bytes that follow, at most 30.
use super::{ENTRY, Entry};

/// Byte 0 of these entries.
pub const KIND: u8 = 3;
/// Bytes of a packet in one entry, at most.
const PIECE: usize = ENTRY - 2;

/// Number of entries that `len` bytes take.
#[inline]
pub fn entries(len: usize) -> usize {
    len.div_ceil(PIECE)
}

/// The entries of a packet's bytes, in order.
#[inline]
pub fn encode(bytes: &[u8]) -> impl Iterator<Item = Entry> + '_ {
    bytes.chunks(PIECE).map(|piece| {
        let mut entry = [0; ENTRY];
        (entry[0], entry[1]) = (KIND, piece.len() as u8);
        entry[2..2 + piece.len()].copy_from_slice(piece);
        entry
    })
}

/// The bytes of one entry.
///
/// # Errors
/// The entry is damaged; the text says how.
pub fn decode(entry: &Entry) -> Result<&[u8], &'static str> {
    match usize::from(entry[1]) {
        len @ 1..=PIECE => Ok(&entry[2..2 + len]),
        _ => Err("an entry with bytes of a packet has 1 to 30 of them"),
    }
}
