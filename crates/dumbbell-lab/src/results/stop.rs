//! Evaluates a `stop` rule: after each run in the order of the seeds, so that the number of runs
//! does not depend on how many run side by side.
use crate::language::stop_rule::Rule;
use crate::results::stats::t95;
use serde_json::{Value, json};

/// The evaluation of a rule on the runs of a point.
pub trait Evaluate {
    /// The number of the first of `runs` with which the rule holds, from `least` on.
    fn enough(&self, runs: &[Value], least: usize) -> Option<usize>;
    /// Returns the number of runs to add to `runs`: zero if the rule holds, or if the maximum is
    /// reached; more than one if the interval is so wide that one run will hardly suffice. A few of
    /// these may prove to be too many.
    fn more(&self, runs: &[Value], least: usize) -> usize;
    /// The rule's part of a result.
    fn report(&self, runs: &[Value], least: usize) -> Value;
    /// True if half the interval of these values is below the bound.
    fn holds(&self, values: &[f64]) -> bool;
    /// The numbers of those runs that have one.
    fn values(&self, runs: &[Value]) -> Vec<f64>;
}

impl Evaluate for Rule {
    fn enough(&self, runs: &[Value], least: usize) -> Option<usize> {
        (least..=runs.len()).find(|n| {
            let values = self.values(&runs[..*n]);
            values.len() >= least && self.holds(&values)
        })
    }

    fn more(&self, runs: &[Value], least: usize) -> usize {
        let values = self.values(runs);
        if runs.len() >= self.most || values.is_empty() || self.enough(runs, least).is_some() {
            return 0;
        }
        let n = values.len() as f64;
        let need = half(&values) / (self.target * mean(&values).abs());
        let guess =
            if need.is_finite() { (n * need * need * 0.8 - n).ceil().max(1.0) } else { 1.0 };
        guess.min(runs.len() as f64).min((self.most - runs.len()) as f64) as usize
    }

    fn report(&self, runs: &[Value], least: usize) -> Value {
        let values = self.values(runs);
        let relative = half(&values) / mean(&values).abs();
        json!({
            "rule": self.text,
            "runs": runs.len(),
            "most": self.most,
            "reached": self.enough(runs, least).is_some(),
            "relative_half_width": relative,
        })
    }

    fn holds(&self, values: &[f64]) -> bool {
        let half = half(values);
        half < self.target * mean(values).abs() || half == 0.0
    }

    fn values(&self, runs: &[Value]) -> Vec<f64> {
        runs.iter().filter_map(|run| self.value(run)).collect()
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Half the width of the 95 % interval of the mean.
fn half(values: &[f64]) -> f64 {
    let (n, mean) = (values.len() as f64, mean(values));
    let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
    t95(values.len()) * (variance / n).sqrt()
}

#[cfg(test)]
mod tests;
