//! Measures the cost of a run: processor time and memory, each step apart. The process must do
//! nothing else.
mod calibration;
mod usage;

use crate::files::environment::ThisMachine;
use crate::language::plugins::NoPlugins;
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::resolve::study::Study;
use crate::results::records::Recorder;
use crate::run::engine;
use crate::run::engine::threads::Threads;
use crate::run::engine::{Engine, ProgressMeter, Stop, simulate};
use crate::run::request::Request;
use crate::verb::Asked;
use calibration::Calibration;
use dumbbell_plan::{Plan, Record};
use dumbbell_results::run_json;
use dumbbell_sim::{Report, World};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use usage::{Spent, Stopwatch, peak_memory, resident_memory};

/// The request.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BenchRequest {
    /// The scenario; the first run of its first point is measured.
    #[schemars(with = "Request")]
    run: Value,
    /// Stop when the world is made: what set-up takes, and what memory holds then.
    #[serde(default)]
    only_set_up: bool,
}

impl Asked for BenchRequest {}

/// Makes the first run of the first point of a scenario and says what it costs, for a process that
/// does nothing else. With `out` in the run, which must be there, and `record` series are written
/// and are part of the cost. Times are processor time: `plan_s` (from text to plan), `setup_s`
/// (from plan to world), `run_s` of the running thread, `run_process_s` of all threads,
/// `run_wall_s`; memory is `rss_start_bytes`, `rss_planned_bytes`, `rss_set_up_bytes`,
/// `peak_rss_bytes`, null where there is no /proc. `calibration_ns` are steps of a loop that never
/// changes, before and after. What was run: `packet_hops`, `events`, `fingerprint`, `delivered`
/// packets and `drop_rate` of the queues that are reported, `flow_goodput_bps`.
///
/// # Errors
/// As [`crate::run::run`]; code 5: a conservation law is broken.
pub fn bench(order: &BenchRequest) -> Result<Value, Problem> {
    let start = resident_memory();
    let watch = Stopwatch::start();
    let request = Request::read(&order.run)?;
    let study = Study::with(&request.study_input(), &ThisMachine, &NoPlugins, false)?;
    let point = &study.points[0];
    let mut plan = study.plan(point, point.seed())?;
    let planning = watch.spent();
    if request.out.is_none() {
        plan.record = Record::default(); // As in every run: nobody looks.
    }
    let planned = resident_memory();
    let meter = ProgressMeter::default();
    let engine = Engine {
        plugins: &study.plugins,
        loader: &NoPlugins,
        options: request.options(),
        store: None,
        overrides: String::new(),
        shown: request.out.clone().unwrap_or_default(),
        meter: &meter,
        simulate,
        user_program: None,
        watcher: None,
        kernel: None,
        threads: Threads::new(None),
    };
    let watch = Stopwatch::start();
    let world = engine::world(&engine, &plan).map_err(refused)?;
    let setting_up = watch.spent();
    let mut told = json!({
        // Reading a scenario works on more than one thread.
        "plan_s": planning.process_s,
        "setup_s": setting_up.thread_s,
        "rss_start_bytes": start,
        "rss_planned_bytes": planned,
        "rss_set_up_bytes": resident_memory(),
    });
    if !order.only_set_up {
        let calibration = Calibration::new();
        let before = calibration.ns_per_step();
        let (report, spent) = match request.out.as_deref() {
            None => run(&engine, &plan, world)?,
            Some(dir) => record(&engine, &plan, world, dir)?,
        };
        told["calibration_ns"] = json!([before, calibration.ns_per_step()]);
        tell(&mut told, &report, &spent)?;
    }
    told["peak_rss_bytes"] = json!(peak_memory());
    Ok(told)
}

/// The run of which only the summary is recorded.
fn run(engine: &Engine<'_>, plan: &Plan, mut world: World) -> Result<(Report, Spent), Problem> {
    let watch = Stopwatch::start();
    engine::alone(engine, plan, &mut world).map_err(refused)?;
    let spent = watch.spent();
    Ok((world.finish_unobserved(), spent))
}

/// The run with its series in `dir`, which must be there: all that recording costs is in the time.
fn record(
    engine: &Engine<'_>,
    plan: &Plan,
    mut world: World,
    dir: &Path,
) -> Result<(Report, Spent), Problem> {
    let unwritten = |e| engine::unwritten(dir, &e);
    let watch = Stopwatch::start();
    let mut recorder = Recorder::new(plan, engine.plugins, dir).map_err(unwritten)?;
    engine::recorded(engine, plan, &mut world, &mut recorder).map_err(refused)?;
    let report = world.finish(&mut recorder);
    recorder.close(&[]).map_err(unwritten)?;
    Ok((report, watch.spent()))
}

/// Adds what the run was and what it took.
fn tell(told: &mut Value, report: &Report, spent: &Spent) -> Result<(), Problem> {
    if !report.conservation.ok {
        let cause = format!("its packets do not add up: {}", report.conservation.faults.join("; "));
        return Err(Problem::new(code::INVALID, &[Diagnostic::new(cause)], &Texts::default()));
    }
    let (mut arrivals, mut dropped, mut delivered) = (0, 0, 0);
    for queue in &report.queues {
        arrivals += queue.counters.arrivals;
        dropped += queue.counters.dropped();
        delivered += queue.counters.departures;
    }
    told["run_s"] = json!(spent.thread_s);
    told["run_process_s"] = json!(spent.process_s);
    told["run_wall_s"] = json!(spent.wall_s);
    told["packet_hops"] = json!(report.packet_hops);
    told["events"] = json!(report.events);
    told["fingerprint"] = json!(run_json::hex(report.fingerprint));
    told["delivered"] = json!(delivered);
    told["drop_rate"] = json!(dropped as f64 / f64::max(arrivals as f64, 1.0));
    told["flow_goodput_bps"] = report.flows.iter().map(|f| f.goodput_bps).collect();
    Ok(())
}

fn refused(stop: Stop) -> Problem {
    match stop {
        Stop::Failed(problem) | Stop::Broken(problem) => problem,
        Stop::Interrupted => {
            Problem::new(code::INTERRUPTED, &[Diagnostic::new("interrupted")], &Texts::default())
        }
    }
}

#[cfg(test)]
mod tests;
