//! The runs that a study still needs. First all listed seeds of a point; then, with a stop rule, as
//! many more as the rule asks for.
//!
//! The seeds of a point are consecutive. Its results are kept in that order and without gaps, so
//! that their number tells the next seed. A failed run keeps its place as a row with an `error`: it
//! counts as a run, also toward the rule's maximum, but gives the rule no value. If all listed
//! seeds of a point failed, the rule asks for no more.
use crate::resolve::study::{Study, StudyPoint};
use crate::results::stop::Evaluate;
use serde_json::Value;

/// One run of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its point, from 0.
    pub point: usize,
    /// Its seed.
    pub seed: u64,
}

/// The results of a point so far, in the order of its seeds; a failed run is a row with an `error`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointResults(pub Vec<Value>);

impl PointResults {
    /// The seeds of these runs.
    pub fn seeds(&self) -> Vec<u64> {
        self.0.iter().filter_map(|row| row["seed"].as_u64()).collect()
    }
}

/// Returns the runs to make next; none when every point has enough. Depends on the results alone,
/// and not on how many runs are made side by side.
pub fn missing_runs(study: &Study, have: &[PointResults]) -> Vec<Job> {
    let of_point = |(index, (point, results)): (usize, (&StudyPoint, &PointResults))| {
        let needed = runs_needed(point, results);
        let first = point.seed().wrapping_add(results.0.len() as u64);
        (0..needed as u64)
            .map(move |i| Job { point: index, seed: first.wrapping_add(i) })
            .collect::<Vec<_>>()
    };
    study.points.iter().zip(have).enumerate().flat_map(of_point).collect()
}

/// Returns how many runs to add to a point's results.
fn runs_needed(point: &StudyPoint, results: &PointResults) -> usize {
    match &point.stop {
        _ if results.0.len() < point.seeds.len() => point.seeds.len() - results.0.len(),
        Some(rule) => rule.more(&results.0, point.seeds.len()),
        None => 0,
    }
}

/// Drops the results behind the first run with which a point's stop rule holds: a round of several
/// runs may have made a few too many.
pub fn drop_surplus(study: &Study, results: &mut [PointResults]) {
    for (point, results) in study.points.iter().zip(results) {
        if let Some(n) =
            point.stop.as_ref().and_then(|rule| rule.enough(&results.0, point.seeds.len()))
        {
            results.0.truncate(n);
        }
    }
}
