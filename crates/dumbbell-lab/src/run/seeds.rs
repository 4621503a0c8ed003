//! Selects the runs that a study needs, and stops when it has enough: all seeds at once, or as many
//! as a `stop` rule asks for.
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

/// A point's runs so far, in the order of its seeds: each a result, or a row with an `error`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runs(pub Vec<Value>);

impl Runs {
    /// Their seeds.
    pub fn seeds(&self) -> Vec<u64> {
        self.0.iter().filter_map(|row| row["seed"].as_u64()).collect()
    }
}

/// Returns the jobs to run next; none if every point has enough runs. They depend on the results
/// alone, and not on the number of parallel runs.
pub fn next(study: &Study, have: &[Runs]) -> Vec<Job> {
    let of_point = |(point, (ready, runs)): (usize, (&StudyPoint, &Runs))| {
        let more = more(ready, runs);
        let first = ready.seed().wrapping_add(runs.0.len() as u64);
        (0..more as u64)
            .map(move |i| Job { point, seed: first.wrapping_add(i) })
            .collect::<Vec<_>>()
    };
    study.points.iter().zip(have).enumerate().flat_map(of_point).collect()
}

fn more(ready: &StudyPoint, runs: &Runs) -> usize {
    match &ready.stop {
        _ if runs.0.len() < ready.seeds.len() => ready.seeds.len() - runs.0.len(),
        Some(rule) => rule.more(&runs.0, ready.seeds.len()),
        None => 0,
    }
}

/// Leaves each point the runs that its rule needs: a few more may have been run side by side.
pub fn settle(study: &Study, runs: &mut [Runs]) {
    for (ready, runs) in study.points.iter().zip(runs) {
        if let Some(n) =
            ready.stop.as_ref().and_then(|rule| rule.enough(&runs.0, ready.seeds.len()))
        {
            runs.0.truncate(n);
        }
    }
}
