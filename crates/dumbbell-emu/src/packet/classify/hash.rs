//! A fast hash for five-tuples: one multiplication for each word. The standard library's guards
//! against malicious input, which does not occur here.
use std::hash::{BuildHasherDefault, Hasher};

/// Makes it.
pub type FastHash = BuildHasherDefault<Fold>;

/// The 128-bit product of what is written with an odd constant, folded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fold(u64);

/// The golden ratio's bits.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

impl Fold {
    #[inline]
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.0.rotate_left(23) ^ word) * u128::from(ODD);
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

impl Hasher for Fold {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }
    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.mix(word);
    }
    #[inline]
    fn write_u128(&mut self, word: u128) {
        self.mix(word as u64);
        self.mix((word >> 64) as u64);
    }
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}
