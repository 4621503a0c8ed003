//! The 21-bit Fibonacci shift register that the draws come from: one step, and any number of steps
//! at once.
//!
//! A step is linear over GF(2), so n steps are a 21 x 21 matrix. The matrix of each power of two is
//! kept as three tables of 128 columns' sums, made by the compiler; n steps are the product of
//! those that n has bits for. The period is 2^21 - 1 for both polynomials (a test covers it), and
//! steps are taken modulo it.
/// The states that follow each other before the first comes again: all but 0.
pub const PERIOD: u64 = MASK as u64;
/// The bits of a state.
pub const MASK: u32 = (1 << BITS) - 1;
const BITS: usize = 21;
/// Steps of the dense register for each packet. 32 and the period have no common factor, so that
/// all states are drawn.
pub const LEAP: u32 = 32;

/// The feedback polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polynomial {
    /// x^21 + x^18 + x^15 + x^13 + x^10 + x^8 + x^5 + x^2 + 1.
    Dense,
    /// x^21 + x^19 + 1.
    Trinomial,
}

impl Polynomial {
    const fn taps(self) -> u32 {
        match self {
            Polynomial::Dense => {
                1 << 20 | 1 << 17 | 1 << 14 | 1 << 12 | 1 << 9 | 1 << 7 | 1 << 4 | 1 << 1
            }
            Polynomial::Trinomial => 1 << 20 | 1 << 18,
        }
    }

    #[inline]
    fn powers(self) -> &'static [Matrix; BITS] {
        match self {
            Polynomial::Dense => &DENSE,
            Polynomial::Trinomial => &TRINOMIAL,
        }
    }

    /// The state after `s`.
    #[inline]
    pub const fn step(self, s: u32) -> u32 {
        ((s << 1) & MASK) | ((s & self.taps()).count_ones() & 1)
    }

    /// The state [`LEAP`] steps after `s`.
    #[inline]
    pub fn leap(self, s: u32) -> u32 {
        self.powers()[LEAP.trailing_zeros() as usize].times(s)
    }

    /// The state `n` steps after `s`.
    #[inline]
    pub fn jump(self, mut s: u32, n: u64) -> u32 {
        let powers = self.powers();
        let mut left = if n < PERIOD { n } else { n % PERIOD };
        while left != 0 {
            s = powers[left.trailing_zeros() as usize].times(s);
            left &= left - 1;
        }
        s
    }
}

/// The state that a register has for a seed: 21 bits, and 1 instead of 0, in which it would stay
/// forever.
#[inline]
pub const fn state(seed: u32) -> u32 {
    if seed & MASK == 0 { 1 } else { seed & MASK }
}

/// A number of steps: what seven bits of a state become, for each third of it.
#[derive(Clone, Copy)]
struct Matrix([[u32; 128]; 3]);

impl Matrix {
    const ZERO: Matrix = Matrix([[0; 128]; 3]);

    #[inline]
    const fn times(&self, s: u32) -> u32 {
        self.0[0][(s & 127) as usize]
            ^ self.0[1][(s >> 7 & 127) as usize]
            ^ self.0[2][(s >> 14 & 127) as usize]
    }

    const fn step(polynomial: Polynomial) -> Self {
        let mut made = Self::ZERO;
        let mut i = 0;
        while i < 3 * 128 {
            made.0[i / 128][i % 128] = polynomial.step(((i % 128) as u32) << (7 * (i / 128)));
            i += 1;
        }
        made
    }

    const fn twice(&self) -> Self {
        let mut made = Self::ZERO;
        let mut i = 0;
        while i < 3 * 128 {
            made.0[i / 128][i % 128] = self.times(self.0[i / 128][i % 128]);
            i += 1;
        }
        made
    }
}

const fn powers(polynomial: Polynomial) -> [Matrix; BITS] {
    let mut made = [Matrix::step(polynomial); BITS];
    let mut k = 1;
    while k < BITS {
        made[k] = made[k - 1].twice();
        k += 1;
    }
    made
}

static DENSE: [Matrix; BITS] = powers(Polynomial::Dense);
static TRINOMIAL: [Matrix; BITS] = powers(Polynomial::Trinomial);

#[cfg(test)]
mod tests {
    use super::Polynomial::{Dense, Trinomial};
    use super::*;
    use proptest::prelude::*;

    /// Every state but 0 comes, and then the first again: by running it.
    #[test]
    fn both_polynomials_have_the_full_period() {
        for polynomial in [Dense, Trinomial] {
            let (mut seen, mut s) = (vec![false; 1 << 21], 1);
            for _ in 0..PERIOD {
                assert!(
                    s != 0 && !std::mem::replace(&mut seen[s as usize], true),
                    "{polynomial:?}: \
                    {s} comes twice"
                );
                s = polynomial.step(s);
            }
            assert_eq!(s, 1);
        }
    }

    /// The states after 1, worked out by hand from the taps: a 1 goes up until it meets bit 18.
    #[test]
    fn the_trinomials_states() {
        let after = |n| Trinomial.jump(1, n);
        for n in 0..=18 {
            assert_eq!(after(n), 1 << n);
        }
        let later = [
            (19, 0x80001),
            (20, 0x10_0002),
            (21, 0x5),
            (22, 0xA),
            (38, 0xA_0001),
            (39, 0x14_0002),
            (40, 0x8_0004),
            (42, 0x11),
        ];
        for (n, s) in later {
            assert_eq!(after(n), s, "{n}");
        }
    }

    /// 1 goes up to bit 1, whose tap sets bit 0 again.
    #[test]
    fn the_dense_states() {
        let mut s = 1;
        for expected in [0x2, 0x5, 0xA, 0x15, 0x2B] {
            s = Dense.step(s);
            assert_eq!(s, expected);
        }
    }

    #[test]
    fn a_leap_is_32_steps_and_draws_every_state() {
        let by_steps = |s| (0..32).fold(s, |s, _| Dense.step(s));
        let (mut s, mut n) = (1, 0u64);
        loop {
            if n < 10_000 {
                assert_eq!(Dense.leap(s), by_steps(s));
            }
            s = Dense.leap(s);
            n += 1;
            if s == 1 {
                break;
            }
        }
        assert_eq!(n, PERIOD);
    }

    #[test]
    fn a_jump_is_its_steps() {
        for polynomial in [Dense, Trinomial] {
            let mut s = 1;
            for n in 0..5000 {
                assert_eq!(polynomial.jump(1, n), s, "{polynomial:?}: {n}");
                assert_eq!(polynomial.jump(1, n + PERIOD), s, "{polynomial:?}: {n} and a period");
                s = polynomial.step(s);
            }
            assert_eq!(polynomial.jump(77, PERIOD), 77);
            assert_eq!(polynomial.step(polynomial.jump(77, PERIOD - 1)), 77);
        }
    }

    proptest! {
        #[test]
        fn jumps_add_up(seed: u32, a in 0..u64::MAX / 2, b in 0..u64::MAX / 2) {
            for polynomial in [Dense, Trinomial] {
                let s = state(seed);
                prop_assert_eq!(
                    polynomial.jump(polynomial.jump(s, a), b),
                    polynomial.jump(s, a + b)
                );
            }
        }
    }

    #[test]
    fn no_seed_is_zero() {
        assert_eq!([state(0), state(1 << 21), state(7), state(u32::MAX)], [1, 1, 7, MASK]);
    }
}
