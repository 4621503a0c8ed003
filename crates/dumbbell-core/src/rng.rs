//! Random numbers: counter-based streams, one for each part of a network, with its name.
//!
//! A stream is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1,
//! 2, 3", SC 2011), keyed by the run's seed and the part's name. Adding a part never disturbs the
//! draws of another, and a result does not depend on the release of any crate.
pub mod distribution;

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// One block of Philox4x32-10.
fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for round in 0..10 {
        if round > 0 {
            key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        }
        let a = u64::from(MULTIPLIERS[0]) * u64::from(counter[0]);
        let b = u64::from(MULTIPLIERS[1]) * u64::from(counter[2]);
        counter = [
            (b >> 32) as u32 ^ counter[1] ^ key[0],
            b as u32,
            (a >> 32) as u32 ^ counter[3] ^ key[1],
            a as u32,
        ];
    }
    counter
}

/// A stream of random numbers that belongs to one part of a network.
#[derive(Clone, Debug)]
pub struct Stream {
    key: [u32; 2],
    block: u64,
    words: [u32; 4],
    used: u8,
}

impl Stream {
    /// The stream of the part `name` (such as `"bottleneck/red"`) in the run with `seed`.
    pub fn named(seed: u64, name: &str) -> Self {
        let key = key_of(seed, name);
        Stream { key: [key as u32, (key >> 32) as u32], block: 0, words: [0; 4], used: 4 }
    }

    /// 32 uniform bits.
    #[inline]
    pub fn bits32(&mut self) -> u32 {
        if self.used == 4 {
            self.refill();
        }
        let word = self.words[usize::from(self.used)];
        self.used += 1;
        word
    }

    fn refill(&mut self) {
        self.words = philox([self.block as u32, (self.block >> 32) as u32, 0, 0], self.key);
        self.block += 1;
        self.used = 0;
    }

    /// 64 uniform bits.
    #[inline]
    pub fn bits64(&mut self) -> u64 {
        u64::from(self.bits32()) << 32 | u64::from(self.bits32())
    }

    /// Uniform in [0, 1), with 53 bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True with probability `p`.
    pub fn coin(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Uniform in `0..n`; 0 if `n` is 0. Lemire's multiplication, whose bias is below 2^-32 for any
    /// queue's length.
    pub fn below(&mut self, n: u32) -> u32 {
        ((u128::from(self.bits64()) * u128::from(n)) >> 64) as u32
    }

    /// Exponential with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.unit())
    }

    /// Pareto with shape `a` > 1 and the given mean.
    pub fn pareto(&mut self, a: f64, mean: f64) -> f64 {
        let scale = mean * (a - 1.0) / a;
        scale * libm::pow(1.0 - self.unit(), -1.0 / a)
    }
}

/// A 64-bit key from the seed and the name: FNV-1a over the name, then two rounds of the SplitMix64
/// finaliser.
pub fn key_of(seed: u64, name: &str) -> u64 {
    let fnv = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    split_mix(split_mix(seed) ^ fnv)
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
pub fn split_mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers of Random123's `kat_vectors` for philox4x32-10.
    #[test]
    fn philox_known_answers() {
        let ones = u32::MAX;
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            philox([ones; 4], [ones; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            philox(
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0]
            ),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn streams_of_two_parts_differ_and_repeat() {
        let draw = |seed, name| {
            (0..8)
                .map(|_| 0)
                .scan(Stream::named(seed, name), |s, _| Some(s.bits64()))
                .collect::<Vec<_>>()
        };
        assert_eq!(draw(1, "a"), draw(1, "a"));
        assert_ne!(draw(1, "a"), draw(1, "b"));
        assert_ne!(draw(1, "a"), draw(2, "a"));
    }

    #[test]
    fn means_are_right() {
        let mut s = Stream::named(7, "means");
        let n = 200_000;
        let mean = |f: &mut dyn FnMut() -> f64| (0..n).map(|_| f()).sum::<f64>() / f64::from(n);
        assert!((mean(&mut || s.unit()) - 0.5).abs() < 0.003);
        assert!((mean(&mut || s.exponential(2.0)) - 2.0).abs() < 0.03);
        assert!((mean(&mut || s.pareto(2.5, 2.0)) - 2.0).abs() < 0.05);
        assert!((mean(&mut || f64::from(s.below(10))) - 4.5).abs() < 0.05);
    }
}
