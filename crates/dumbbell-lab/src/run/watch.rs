//! Runs with a live page: rows of the first run's series, or the result of each run as it ends, in
//! pieces of JSON.
use crate::language::problem::Problem;
use crate::resolve::study::{Study, StudyPoint};
use crate::run::seeds::Job;
use crate::view::deflated;
use dumbbell_plan::Plan;
use dumbbell_results::pack::growing::Growing;
use dumbbell_results::pack::tables::TableRequest;
use dumbbell_results::series::tap::{Tap, Watched};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::mem::take;
use std::sync::{Mutex, PoisonError};

/// What is watched.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WatchRequest {
    /// Tables of the series `flows.parquet` and `queues.parquet`, as `pack` takes them, of the
    /// first run of a study with one point.
    tables: Vec<TableRequest>,
    /// The result of each run.
    results: bool,
}

/// Gathers what a watcher has not seen.
pub struct Watcher {
    /// The seed of the run whose series are shown.
    seed: Option<u64>,
    results: bool,
    series: Watched,
    tables: Mutex<Growing>,
    ended: Mutex<Vec<Value>>,
}

impl Watcher {
    /// Watches the runs of a study.
    ///
    /// # Errors
    /// Code 2: a table cannot be watched.
    pub fn new(request: &WatchRequest, study: &Study) -> Result<Watcher, Problem> {
        let tables = Growing::new(&request.tables)?;
        let alone = study.points.len() == 1 && !request.tables.is_empty();
        Ok(Watcher {
            seed: alone.then(|| study.points[0].seed()),
            results: request.results,
            series: Watched::new(tables.columns()),
            tables: Mutex::new(tables),
            ended: Mutex::default(),
        })
    }

    /// The way out for the rows of a simulation, if they are shown.
    pub fn tap(&self, plan: &Plan) -> Option<Tap<'_>> {
        self.shows(plan).then(|| Tap::thinned(plan, &self.series))
    }

    /// The same for a run in real time.
    pub fn live_tap(&self, plan: &Plan) -> Option<Tap<'_>> {
        self.shows(plan).then(|| Tap::of(plan, &self.series))
    }

    fn shows(&self, plan: &Plan) -> bool {
        self.seed == Some(plan.seed)
    }

    /// A run has ended.
    pub fn ended(&self, job: &Job, point: &StudyPoint, row: &Value) {
        if self.results {
            let ended = json!({
                "point": job.point, "overrides": point.overrides, "seed": job.seed, "run": row,
            });
            self.ended.lock().unwrap_or_else(PoisonError::into_inner).push(ended);
        }
    }

    /// What is new, as JSON: `{"tables", "blobs"}` as the verb `pack` has them, and `"ended":
    /// [{"point" (from 0), "overrides", "seed", "run"}]`; `None` if nothing is. `last`: no more
    /// rows will come.
    ///
    /// # Errors
    /// Code 2: quantiles are wanted of words.
    pub fn take(&self, last: bool) -> Result<Option<String>, Problem> {
        let ended = take(&mut *self.ended.lock().unwrap_or_else(PoisonError::into_inner));
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(names) = self.series.names() {
            tables.add(self.series.take(), self.series.columns(), names);
        }
        let (packed, blobs) = tables.pack(last)?;
        // The blobs are not compressed: they stay on this machine.
        let mut news = (!packed.is_empty())
            .then(|| json!({ "tables": packed, "blobs": deflated::texts(blobs, 0) }));
        if !ended.is_empty() {
            news.get_or_insert_with(|| json!({}))["ended"] = ended.into();
        }
        Ok(news.map(|news| news.to_string()))
    }
}
