//! A fixed loop that makes figures comparable between machines, and between hours on one machine.

/// Words of the table: 256 KiB, more than a core's first cache and less than its second.
const WORDS: usize = 1 << 16;
/// Steps of one measurement, some hundredths of a second.
const STEPS: u32 = 1 << 22;
/// Odd constants of Weyl and Knuth.
const MIX: [u64; 4] =
    [0x9E37_79B9_7F4A_7C15, 0xD134_2543_DE82_EF95, 0xAF25_1AF3_B0F0_25B5, 0xB564_EF22_EC7A_ECE5];

/// A table in which each word names the next: one ring through all of them, in an order that no
/// prefetcher guesses.
pub struct Calibration {
    ring: Box<[u32]>,
}

impl Calibration {
    /// The table.
    pub fn new() -> Self {
        // Sattolo's shuffle, which makes one ring, with a small generator of our own.
        let mut ring: Vec<u32> = (0..WORDS as u32).collect();
        let mut x = MIX[0];
        for i in (1..WORDS).rev() {
            x = step(x, MIX[1]);
            ring.swap(i, (x >> 33) as usize % i);
        }
        Calibration { ring: ring.into() }
    }

    /// Each word names the next.
    #[cfg(test)]
    pub fn ring(&self) -> &[u32] {
        &self.ring
    }

    /// `steps` steps: each reads a word whose place the last one named, and takes four registers on
    /// by a multiplication, shifts and additions. The result depends on every step.
    pub fn walk(&self, steps: u32) -> u64 {
        let (mut at, mut x) = (0u32, MIX);
        for _ in 0..steps {
            at = self.ring[at as usize];
            for (x, mix) in x.iter_mut().zip(MIX) {
                *x = step(*x, mix).wrapping_add(u64::from(at));
            }
        }
        x.into_iter().fold(u64::from(at), |sum, x| sum.rotate_left(7) ^ x)
    }

    /// Processor time of one step, nanoseconds.
    pub fn ns_per_step(&self) -> f64 {
        std::hint::black_box(self.walk(STEPS / 16)); // The table comes into the cache.
        let watch = super::Stopwatch::start();
        std::hint::black_box(self.walk(std::hint::black_box(STEPS)));
        watch.spent().thread_s * 1e9 / f64::from(STEPS)
    }
}

fn step(x: u64, mix: u64) -> u64 {
    let x = (x ^ x >> 29).wrapping_mul(mix);
    x ^ x.rotate_left(23)
}
