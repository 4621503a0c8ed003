//! The drop curve of the RED family: what an average queue length means.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The probability between `min_th` and `max_th`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CurveShape {
    /// From 0 at `min_th` to `max_p` at `max_th`.
    #[default]
    Linear,
    /// `max_p` throughout.
    Constant,
}

/// The region of an average queue length, which says what to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// Below `min_th`: nothing.
    Queueing,
    /// Signal with this probability, before it is spaced: `p_b`.
    Random(f64),
    /// Signal always.
    Forced,
}

/// The curve and its parameters, in packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// The average at which signaling begins.
    pub min_th: f64,
    /// The average at which the probability reaches `max_p`.
    pub max_th: f64,
    /// The probability at `max_th`.
    pub max_p: f64,
    /// True if the probability rises from `max_p` at `max_th` to 1 at `2 max_th`, rather than
    /// jumping to 1.
    pub gentle: bool,
    /// See [`CurveShape`].
    pub shape: CurveShape,
}

impl Curve {
    /// The curve of 1993: linear between the thresholds, and forced beyond them.
    pub fn classic(min_th: f64, max_th: f64, max_p: f64) -> Self {
        Curve { min_th, max_th, max_p, gentle: false, shape: CurveShape::Linear }
    }

    /// The region of an average.
    #[inline]
    pub fn at(&self, avg: f64) -> Region {
        if avg < self.min_th {
            Region::Queueing
        } else if avg < self.max_th {
            Region::Random(match self.shape {
                CurveShape::Linear => {
                    self.max_p * (avg - self.min_th) / (self.max_th - self.min_th)
                }
                CurveShape::Constant => self.max_p,
            })
        } else if self.gentle && avg < 2.0 * self.max_th {
            Region::Random(self.max_p + (1.0 - self.max_p) * (avg - self.max_th) / self.max_th)
        } else {
            Region::Forced
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(gentle: bool, shape: CurveShape) -> Curve {
        Curve { min_th: 5.0, max_th: 15.0, max_p: 0.1, gentle, shape }
    }

    fn random(region: Region) -> f64 {
        let Region::Random(p) = region else { panic!("{region:?} is not the random region") };
        p
    }

    #[test]
    fn the_corners_of_figure_2() {
        let c = curve(false, CurveShape::Linear);
        assert_eq!(c.at(4.999), Region::Queueing);
        assert_eq!(c.at(5.0), Region::Random(0.0));
        assert!((random(c.at(10.0)) - 0.05).abs() < 1e-15);
        assert_eq!(c.at(15.0), Region::Forced);
    }

    #[test]
    fn gentle_rises_without_a_jump_and_ends_at_one() {
        let c = curve(true, CurveShape::Linear);
        assert!((random(c.at(15.0 - 1e-9)) - 0.1).abs() < 1e-9);
        assert_eq!(c.at(15.0), Region::Random(0.1));
        assert!((random(c.at(22.5)) - 0.55).abs() < 1e-15);
        assert!((random(c.at(30.0 - 1e-9)) - 1.0).abs() < 1e-9);
        assert_eq!(c.at(30.0), Region::Forced);
    }

    #[test]
    fn constant_is_max_p_between_the_thresholds() {
        let c = curve(false, CurveShape::Constant);
        assert_eq!((c.at(5.0), c.at(14.9)), (Region::Random(0.1), Region::Random(0.1)));
    }

    /// w_q = 1, max_p = 1, min_th -> 0: p_b = q / max_th.
    #[test]
    fn degenerate_thresholds() {
        let c = Curve {
            min_th: 0.0,
            max_th: 20.0,
            max_p: 1.0,
            gentle: false,
            shape: CurveShape::Linear,
        };
        assert!((0..20).all(|q| (random(c.at(f64::from(q))) - f64::from(q) / 20.0).abs() < 1e-15));
        let step = Curve { min_th: 20.0, ..c };
        assert_eq!((step.at(19.9), step.at(20.0)), (Region::Queueing, Region::Forced));
    }
}
