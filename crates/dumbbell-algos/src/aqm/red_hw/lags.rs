//! The dependence of a draw on an earlier one: the exact probability of a drop, given a drop some
//! draws before.
//!
//! Every state but 0 comes once in a period, so that the states that drop, 1 to p - 1, can be gone
//! through one by one. Free of memory the probability would be (p - 1) / (2^21 - 1) at any
//! distance. A shift register read as a number halves or doubles in a step, and its two taps come
//! together again after 19 to 21 steps: what that does to packets that are as many clocks apart is
//! an artifact of the hardware, and the reason for 32 steps of a dense register.
use super::config::RedHwMode;
use super::lfsr::{LEAP, PERIOD, Polynomial};
use std::ops::RangeInclusive;

/// Drops after drops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lag {
    /// Clocks between two packets in paper mode; packets in sound mode.
    pub spacing: u32,
    /// States that drop and drop again after the spacing.
    pub again: u32,
    /// States that drop, p - 1.
    pub drops: u32,
}

impl Lag {
    /// P(drop | drop).
    pub fn probability(&self) -> f64 {
        if self.drops == 0 { 0.0 } else { f64::from(self.again) / f64::from(self.drops) }
    }
}

/// P(drop) of a draw without more knowledge, at the probability `p`, U0.21.
pub fn unconditional(p: u32) -> f64 {
    f64::from(p.saturating_sub(1)) / PERIOD as f64
}

/// The drops after drops of a mode for each spacing, at the probability `p`, U0.21.
pub fn lags(mode: RedHwMode, spacings: RangeInclusive<u32>, p: u32) -> Vec<Lag> {
    match mode {
        RedHwMode::Paper => lags_of(Polynomial::Trinomial, 1, spacings, p),
        RedHwMode::Sound => lags_of(Polynomial::Dense, LEAP, spacings, p),
    }
}

/// The same of a polynomial that takes some steps a draw.
pub fn lags_of(
    polynomial: Polynomial,
    steps: u32,
    spacings: RangeInclusive<u32>,
    p: u32,
) -> Vec<Lag> {
    let p = p.min(PERIOD as u32);
    let jump = |s, draws: u32| polynomial.jump(s, u64::from(draws) * u64::from(steps));
    let mut states: Vec<u32> = (1..p.max(1)).map(|s| jump(s, *spacings.start())).collect();
    let mut found = Vec::new();
    for spacing in spacings {
        let again = states.iter().filter(|s| **s < p).count() as u32;
        found.push(Lag { spacing, again, drops: states.len() as u32 });
        states.iter_mut().for_each(|s| *s = jump(*s, 1));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0.02 of 2^21.
    const P: u32 = 41_943;

    /// Against the register itself, run through its period packet by packet.
    #[test]
    fn it_is_what_a_period_does() {
        for (mode, polynomial, steps) in [
            (RedHwMode::Paper, Polynomial::Trinomial, 1),
            (RedHwMode::Sound, Polynomial::Dense, LEAP),
        ] {
            let mut draws = vec![1u32];
            for _ in 1..PERIOD {
                draws.push((0..steps).fold(draws[draws.len() - 1], |s, _| polynomial.step(s)));
            }
            for lag in lags(mode, 18..=22, P) {
                let later = draws.iter().cycle().skip(lag.spacing as usize);
                let again = draws.iter().zip(later).filter(|(a, b)| **a < P && **b < P).count();
                assert_eq!(
                    (again as u32, P - 1),
                    (lag.again, lag.drops),
                    "{mode:?} at {}",
                    lag.spacing
                );
            }
        }
    }

    /// After a drop every other state drops at the next clock, and a fourth at the second. Where
    /// the taps meet again, 129 to 168 bytes after a header of a full bus, a drop is six to
    /// thirteen times as likely as it ought to be.
    #[test]
    fn the_free_running_trinomial_drops_in_bursts() {
        let found = lags(RedHwMode::Paper, 0..=22, P);
        let times = |spacing: usize| found[spacing].probability() / unconditional(P);
        assert_eq!(found[0].again, found[0].drops);
        assert!(
            (found[1].probability() - 0.5).abs() < 1e-3
                && (found[2].probability() - 0.25).abs() < 1e-3
        );
        for (spacing, expected) in [(18, 0.125), (19, 0.207), (20, 0.25), (21, 0.25), (22, 0.125)] {
            let p = found[spacing].probability();
            assert!((p - expected).abs() < 0.002, "{spacing}: {p}");
        }
        assert!((12.0..13.0).contains(&times(20)) && (12.0..13.0).contains(&times(21)));
        // Frames of 64 bytes are 9 clocks apart, and nearly free of it.
        assert!((times(9) - 1.0).abs() < 0.1, "{}", times(9));
    }

    /// Up to 64 packets a drop makes another at most 1 % likelier, and at most 4 % less likely:
    /// 41942 states that were drawn without any order would come 3.4 % to either side.
    #[test]
    fn the_sound_draw_has_no_bursts() {
        for lag in lags(RedHwMode::Sound, 1..=64, P) {
            let times = lag.probability() / unconditional(P);
            assert!((0.96..1.01).contains(&times), "{}: {times}", lag.spacing);
        }
    }

    /// The dense register alone, running freely, is not enough by itself, and has no spikes either.
    #[test]
    fn the_dense_register_in_clocks() {
        let found = lags_of(Polynomial::Dense, 1, 9..=200, P);
        let worst = found.iter().map(Lag::probability).fold(0.0, f64::max);
        assert!((0.022..0.025).contains(&worst), "{worst}");
    }

    #[test]
    fn no_probability_no_drops() {
        for p in [0, 1] {
            assert_eq!(lags(RedHwMode::Sound, 1..=1, p), [Lag { spacing: 1, again: 0, drops: 0 }]);
            assert_eq!(unconditional(p), 0.0);
        }
    }
}
