//! The control law of CoDel and COBALT: the next signal comes `interval / sqrt(count)` after the
//! last one.
use dumbbell_core::units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the inverse of the square root is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InverseRoot {
    /// As a real number, computed for each signal (RFC 8289, section 5.3).
    #[default]
    Exact,
    /// As an integer of 16 fraction bits, carried on from signal to signal by one Newton step each,
    /// as kernels do.
    Newton16,
}

/// One, as nearly as 16 fraction bits have it: the inverse root of a count of 1.
const ONE: u16 = u16::MAX;

/// The control law and, of [`InverseRoot::Newton16`], the inverse root that it carries on.
#[derive(Clone, Debug)]
pub struct ControlLaw {
    interval: Span,
    root: InverseRoot,
    inverse: u16,
}

impl ControlLaw {
    /// The law of a count of 1.
    pub fn new(interval: Span, root: InverseRoot) -> Self {
        ControlLaw { interval, root, inverse: ONE }
    }

    /// The count is `count` now. A count of 0 is as good as 1: there is no signal to space.
    #[inline]
    pub fn set(&mut self, count: u32) {
        if self.root == InverseRoot::Newton16 {
            self.inverse = if count <= 1 { ONE } else { newton(self.inverse, count) };
        }
    }

    /// The instant of the signal after one at `t`, where the count is `count`.
    pub fn after(&self, t: Time, count: u32) -> Time {
        t + match self.root {
            InverseRoot::Exact => self.interval.scaled(1.0 / libm::sqrt(f64::from(count.max(1)))),
            InverseRoot::Newton16 => {
                let scaled = (u128::from(self.interval.ps()) * u128::from(self.inverse)) >> 16;
                Span::from_ps(scaled as u64)
            }
        }
    }
}

/// One step toward `1/sqrt(count)`, `x <- x (3 - count x^2) / 2`, with 16 fraction bits. Never 0,
/// from which no step leads away.
fn newton(inverse: u16, count: u32) -> u16 {
    let x = u128::from(inverse);
    let bracket = (3u128 << 32).saturating_sub(u128::from(count) * x * x);
    ((x * bracket) >> 33).clamp(1, u128::from(ONE)) as u16
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The card of RFC 8289's law: signals of a queue that stays, milliseconds after the first.
    pub(crate) const SIGNALS: [f64; 14] = [
        0.0, 100.0, 170.711, 228.446, 278.446, 323.167, 363.992, 401.788, 437.144, 470.477,
        502.100, 532.251, 561.118, 588.853,
    ];

    fn signals(root: InverseRoot) -> Vec<f64> {
        let mut law = ControlLaw::new(Span::from_ms(100), root);
        let mut at = Time::ZERO;
        let mut all = vec![0.0];
        for count in 1..SIGNALS.len() as u32 {
            law.set(count);
            at = law.after(at, count);
            all.push(at.seconds() * 1e3);
        }
        all
    }

    #[test]
    fn the_exact_law_has_the_sums_of_inverse_roots() {
        for (ours, known) in signals(InverseRoot::Exact).iter().zip(SIGNALS) {
            assert!((ours - known).abs() < 5.1e-4, "{ours} ms, known {known} ms");
        }
    }

    /// A Newton step from the root of n - 1 falls short of that of n by less than 3/8 n^2 of it,
    /// most at n = 2: of 1 it makes 1/2, not 0.7071.
    #[test]
    fn newton_steps_follow_the_root_from_below() {
        let mut law = ControlLaw::new(Span::from_ms(100), InverseRoot::Newton16);
        law.set(1);
        for count in 2..5000u32 {
            law.set(count);
            let short = 1.0 - f64::from(law.inverse) / 65536.0 * libm::sqrt(f64::from(count));
            let bound =
                if count < 5 { 0.3 } else { 0.02 + libm::sqrt(f64::from(count)) * 2.0 / 65536.0 };
            assert!((-1e-9..bound).contains(&short), "{count}: short by {short}");
        }
        assert!(
            signals(InverseRoot::Newton16)
                .iter()
                .zip(SIGNALS)
                .skip(3)
                .all(|(ours, exact)| *ours < exact)
        );
    }

    /// The first steps by hand: 65535 (3 2^32 - 2 65535^2) / 2^33 = 32769.5; and so on.
    #[test]
    fn newton_steps_by_hand() {
        assert_eq!(newton(65535, 2), 32769);
        assert_eq!(newton(32768, 3), 36864); // 32768 (3 - 3/4) / 2
        assert_eq!(newton(46341, 2), 46340); // at the root it stays, but for the last bit
        assert_eq!(newton(1, u32::MAX), 1);
        assert_eq!(newton(u16::MAX, u32::MAX), 1);
    }
}
