//! One run, made in slices.
use crate::answer::Answer;
use crate::events::Signals;
use dumbbell_core::units::Time;
use dumbbell_plan::Plan;
use dumbbell_results::pack::growing::Growing;
use dumbbell_results::pack::tables::TableRequest;
use dumbbell_results::run_json;
use dumbbell_results::series::columns::{flow_cells, queue_cells};
use dumbbell_results::series::tap::{Tap, Watched};
use dumbbell_scenario::language::problem::Problem;
use dumbbell_sim::{FlowRow, Observer, Options, QueueRow, Signal, World};
use serde_json::{Value, json};

/// A run and what is gathered of it.
pub struct Job {
    plan: Plan,
    world: World,
    tables: Growing,
    watched: Watched,
    signals: Signals,
    /// Time and delivered bytes of each flow's previous row.
    before: Vec<Option<(Time, u64)>>,
}

impl Job {
    /// The run of `plan` at its start.
    ///
    /// # Errors
    /// Code 2: a table cannot be watched; 1: the simulator refuses the plan.
    pub fn new(plan: Plan, tables: &[TableRequest], signals: usize) -> Result<Job, Problem> {
        let tables = Growing::new(tables)?;
        let world = World::new(&plan, Options::default()).map_err(|fault| {
            let cause = format!("the simulator refuses this plan at {}: {}", fault.at, fault.cause);
            Problem::failure(cause, fault.fix)
        })?;
        let watched = Watched::new(tables.columns());
        let before = vec![None; plan.flows.len()];
        Ok(Job { plan, world, tables, watched, signals: Signals::new(signals), before })
    }

    /// Handles at most `events` events.
    ///
    /// # Errors
    /// Code 1: an algorithm failed.
    pub fn go(&mut self, events: u64) -> Result<Value, Problem> {
        let Job { plan, world, watched, signals, before, .. } = self;
        let tap = Tap::thinned(plan, watched);
        let done = world.run(&mut Gatherer { plan, tap, signals, before }, events);
        if let Some(failure) = world.failure() {
            let cause = format!("{} failed: {}", failure.algorithm, failure.cause);
            return Err(Problem::failure(cause, None));
        }
        let fraction = world.now().ps() as f64 / plan.duration.ps().max(1) as f64;
        Ok(json!({ "done": done, "fraction": if done { 1.0 } else { fraction.min(1.0) } }))
    }

    /// The numbers of the run, its tables and its drops; the run has come to its end.
    ///
    /// # Errors
    /// Code 2: quantiles are wanted of words.
    pub fn finish(self) -> Result<Answer, Problem> {
        let Job { plan, world, mut tables, watched, mut signals, mut before } = self;
        let tap = Tap::thinned(&plan, &watched);
        let mut last = Gatherer { plan: &plan, tap, signals: &mut signals, before: &mut before };
        let report = world.finish(&mut last);
        drop(last);
        if let Some(names) = watched.names() {
            tables.add(watched.take(), watched.columns(), names);
        }
        let (packed, blobs) = tables.pack(true)?;
        let run = run_json::of_run(&plan, &report, 0.0);
        let json = json!({ "run": run, "tables": packed, "signals": signals.json(&plan) });
        Ok(Answer { json, blobs: blobs.bytes() })
    }
}

/// What sees the rows of a slice.
struct Gatherer<'a> {
    plan: &'a Plan,
    tap: Tap<'a>,
    signals: &'a mut Signals,
    before: &'a mut [Option<(Time, u64)>],
}

impl Observer for Gatherer<'_> {
    fn flow(&mut self, t: Time, flow: usize, row: &FlowRow) {
        let cells = flow_cells((&self.plan.flows[flow].name, t), row, &mut self.before[flow]);
        self.tap.flow(flow, &cells, &row.gauges);
    }

    fn queue(&mut self, t: Time, number: usize, row: &QueueRow) {
        let link = &self.plan.links[number];
        if link.report {
            self.tap.queue(number, &queue_cells(link, t, row), &row.gauges);
        }
    }

    fn signal(&mut self, signal: &Signal) {
        self.signals.add(signal);
    }
}
