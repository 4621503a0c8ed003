//! Probability distributions of sizes and times: how large a transfer is, how long a reader thinks.
//!
//! Each is drawn by the inverse of its distribution from one uniform number, so that two runs that
//! see the same uniforms see draws in the same order of size, whatever the parameters; means are
//! closed forms.
mod normal;
mod serde_form;
mod tables;

use crate::catalogue::Fault;
use crate::rng::Stream;
use crate::units::{Bytes, Span};
pub use normal::{cdf as normal_cdf, quantile as normal_quantile};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
pub use serde_form::takes;
use std::fmt::{Debug, Display};
pub use tables::{Table, table};

/// The quantity of a distribution: sizes in bytes, times in seconds.
pub trait Quantity:
    Copy
    + PartialOrd
    + Display
    + Debug
    + Serialize
    + DeserializeOwned
    + JsonSchema
    + Send
    + Sync
    + 'static
{
    /// The value in its base unit.
    fn base(self) -> f64;
    /// A value from its base unit, rounded; a size has at least one byte.
    fn from_base(x: f64) -> Self;
    /// The measured distribution of this name, if there is one of this quantity.
    fn named(_name: &str) -> Option<&'static Table> {
        None
    }
}

impl Quantity for Bytes {
    fn base(self) -> f64 {
        self.0 as f64
    }
    fn from_base(x: f64) -> Self {
        Bytes((libm::round(x) as u64).max(1))
    }
    fn named(name: &str) -> Option<&'static Table> {
        table(name)
    }
}

impl Quantity for Span {
    fn base(self) -> f64 {
        self.seconds()
    }
    fn from_base(x: f64) -> Self {
        Span::from_secs_f64(x)
    }
}

/// The shape of a distribution, and its parameters. Written as a table with `kind`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields, bound = "Q: Quantity")]
#[schemars(rename = "LawOf{Q}")]
pub enum Shape<Q> {
    /// Always the same; written as the quantity alone.
    Fixed {
        /// The value.
        value: Q,
    },
    /// Every value between two is equally likely.
    Uniform {
        /// The least.
        min: Q,
        /// The greatest.
        max: Q,
    },
    /// Without memory: P(X > x) = exp(-x / mean).
    Exponential {
        /// The mean.
        mean: Q,
    },
    /// Heavy-tailed: P(X > x) = (scale / x)^shape, scale = mean (shape - 1) / shape.
    Pareto {
        /// The mean.
        mean: Q,
        /// The tail's exponent, above 1; up to 2 the variance is infinite.
        shape: f64,
    },
    /// Heavy-tailed between two ends: P(X > x) = ((min / x)^shape - r) / (1 - r), r = (min /
    /// max)^shape.
    BoundedPareto {
        /// The tail's exponent, above 0.
        shape: f64,
        /// The least.
        min: Q,
        /// The greatest.
        max: Q,
    },
    /// exp of a normal variate: ln X has the deviation `sigma`.
    LogNormal {
        /// The mean, which is the median times exp(sigma^2 / 2).
        mean: Q,
        /// The standard deviation of ln X.
        sigma: f64,
    },
    /// Measured: points of P(X <= x), linear between them.
    Empirical {
        /// `[value, probability]`, both ascending, up to probability 1. The first probability is
        /// that of the first value itself.
        #[serde(default)]
        cdf: Vec<(Q, f64)>,
        /// Instead of `cdf`, for sizes: a file of lines with a size in bytes and its probability or
        /// percentage, relative to the scenario.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
    },
}

/// The probability distribution of a size or a time: a constant, the name of a measured
/// distribution, or a [`Shape`].
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution<Q>(pub Shape<Q>);

impl<Q: Quantity> Distribution<Q> {
    /// Always `value`.
    pub const fn fixed(value: Q) -> Self {
        Distribution(Shape::Fixed { value })
    }

    /// One value, from one uniform number.
    pub fn draw(&self, rng: &mut Stream) -> Q {
        Q::from_base(self.quantile(rng.unit()))
    }

    /// The inverse of the distribution, in base units: the value that X exceeds with probability
    /// 1 - `u`, `u` in [0, 1).
    pub fn quantile(&self, u: f64) -> f64 {
        match &self.0 {
            Shape::Fixed { value } => value.base(),
            Shape::Uniform { min, max } => min.base() + u * (max.base() - min.base()),
            Shape::Exponential { mean } => -mean.base() * libm::log1p(-u),
            Shape::Pareto { mean, shape } => {
                mean.base() * (shape - 1.0) / shape * libm::pow(1.0 - u, -1.0 / shape)
            }
            Shape::BoundedPareto { shape, min, max } => {
                let r = libm::pow(min.base() / max.base(), *shape);
                min.base() * libm::pow(1.0 - u * (1.0 - r), -1.0 / shape)
            }
            Shape::LogNormal { mean, sigma } => {
                let median = mean.base() * libm::exp(-sigma * sigma / 2.0);
                median * libm::exp(sigma * normal_quantile(u.max(f64::EPSILON / 4.0)))
            }
            Shape::Empirical { cdf, .. } => interpolate(cdf, u),
        }
    }

    /// The mean, in base units.
    pub fn mean(&self) -> f64 {
        match &self.0 {
            Shape::Fixed { value } => value.base(),
            Shape::Uniform { min, max } => (min.base() + max.base()) / 2.0,
            Shape::Exponential { mean }
            | Shape::Pareto { mean, .. }
            | Shape::LogNormal { mean, .. } => mean.base(),
            Shape::BoundedPareto { shape, min, max } => {
                bounded_mean(*shape, min.base(), max.base())
            }
            Shape::Empirical { cdf, .. } => {
                let first = cdf.first().map_or(0.0, |(x, p)| x.base() * p);
                let step =
                    |w: &[(Q, f64)]| (w[1].1 - w[0].1) * (w[0].0.base() + w[1].0.base()) / 2.0;
                first + cdf.windows(2).map(step).sum::<f64>()
            }
        }
    }

    /// Checks its parameters; a fault is reported at `at`, the path of the distribution.
    ///
    /// # Errors
    /// A parameter out of its range, or two that contradict each other.
    pub fn check(&self, at: &str) -> Result<(), Fault> {
        let wrong = |cause: String, fix: &str| Err(Fault::at(at, cause).fix(fix));
        let order = |min: &Q, max: &Q| match min < max && min.base() > 0.0 {
            true => Ok(()),
            false if min.base() > 0.0 => wrong(
                format!("the least, {min}, is not below the greatest, {max}"),
                "exchange \
                    `min` and `max`",
            ),
            false => wrong("the least is zero".into(), "write a `min` above zero"),
        };
        let positive = |mean: &Q| match mean.base() > 0.0 {
            true => Ok(()),
            false => wrong("a mean of zero".into(), "write a `mean` above zero"),
        };
        match &self.0 {
            Shape::Fixed { .. } => Ok(()),
            Shape::Uniform { min, max } => match min < max {
                true => Ok(()),
                false => wrong(
                    format!("the least, {min}, is not below the greatest, {max}"),
                    "exchange \
                    them",
                ),
            },
            Shape::Exponential { mean } => positive(mean),
            Shape::Pareto { shape, .. } if !(*shape > 1.0 && *shape <= 100.0) => wrong(
                format!("a Pareto law of shape {shape} has no mean"),
                "write a shape above 1 and at most 100, or kind = \"bounded_pareto\" with `min` \
                    and `max`",
            ),
            Shape::Pareto { mean, .. } => positive(mean),
            Shape::BoundedPareto { shape, .. } if !(*shape > 0.0 && *shape <= 100.0) => wrong(
                format!("{shape} is not a valid shape of a Pareto law"),
                "write a shape above 0 and \
                    at most 100",
            ),
            Shape::BoundedPareto { min, max, .. } => order(min, max),
            Shape::LogNormal { sigma, .. } if !(*sigma > 0.0 && *sigma <= 10.0) => wrong(
                format!("{sigma} is not a valid deviation of ln X"),
                "write a sigma above 0 and at \
                    most 10",
            ),
            Shape::LogNormal { mean, .. } => positive(mean),
            Shape::Empirical { cdf, .. } => points(cdf).or_else(|(cause, fix)| wrong(cause, fix)),
        }
    }
}

/// The mean of a bounded Pareto distribution: for shape 1 the general form is 0 / 0.
fn bounded_mean(a: f64, low: f64, high: f64) -> f64 {
    let r = low / high;
    if (a - 1.0).abs() < 1e-9 {
        return low * -libm::log(r) / (1.0 - r);
    }
    low * a / (a - 1.0) * (1.0 - libm::pow(r, a - 1.0)) / (1.0 - libm::pow(r, a))
}

fn interpolate<Q: Quantity>(cdf: &[(Q, f64)], u: f64) -> f64 {
    let above = cdf.partition_point(|(_, p)| *p <= u).min(cdf.len() - 1);
    let (x, p) = (cdf[above].0.base(), cdf[above].1);
    let Some((x0, p0)) = above.checked_sub(1).map(|i| (cdf[i].0.base(), cdf[i].1)) else {
        return x;
    };
    x0 + (x - x0) * (u - p0) / (p - p0)
}

fn points<Q: Quantity>(cdf: &[(Q, f64)]) -> Result<(), (String, &'static str)> {
    let Some((_, last)) = cdf.last() else {
        return Err(("there is no point".into(), "write cdf = [[\"1 kB\", 0.5], [\"1 MB\", 1.0]]"));
    };
    if let Some((x, p)) = cdf.iter().find(|(_, p)| !(0.0..=1.0).contains(p)) {
        return Err((format!("{p} at {x} is not a probability"), "write numbers from 0 to 1"));
    }
    if let Some(w) = cdf.windows(2).find(|w| w[1].0 <= w[0].0 || w[1].1 <= w[0].1) {
        let (x, p) = w[1];
        return Err((
            format!("the point [{x}, {p}] is not beyond the one before it"),
            "write both \
            in ascending order",
        ));
    }
    match *last {
        1.0 => Ok(()),
        p => Err((format!("the last point has probability {p}"), "end with probability 1")),
    }
}

#[cfg(test)]
mod tests;
