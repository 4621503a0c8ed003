//! One run: from its plan to its result, or to a row that says why there is none.
mod cores;
pub(crate) mod divided;
pub(crate) mod threads;
use crate::language::plugins::PluginLoader;
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::results::records;
use crate::results::records::{Recorder, Series};
use crate::results::run_output::{RunOutput, of_output};
use crate::run::watch::Watcher;
use crate::store::key::{Digest, RESULTS_VERSION};
use crate::store::{Records, Store};
use divided::{Machine, Stopped};
use dumbbell_core::catalogue::Fault;
use dumbbell_core::plugin::{Failure, Plugins};
use dumbbell_core::units::Time;
use dumbbell_emu::huge_pages::GrowingMemory;
use dumbbell_emu::live::user_program::UserProgram;
use dumbbell_emu::run_delay;
use dumbbell_plan::Plan;
use dumbbell_results::run_json;
use dumbbell_sim::partition::Partition;
use dumbbell_sim::{Options, World};
use parquet::errors::ParquetError;
use serde_json::{Map, Value, json};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use threads::Threads;

/// Events between two looks at the clock and at the user.
const CHUNK: u64 = 1 << 18;
/// Flows and links of a plan beyond which its run asks for huge pages.
const LARGE: usize = 10_000;
/// A whole run, in the units of the progress counter.
pub const WHOLE: f64 = 1e6;

/// Why a run ended early.
pub enum Stop {
    /// The user stopped it.
    Interrupted,
    /// Everything must end: the disk is full, for instance.
    Broken(Problem),
    /// This run cannot be; the others go on.
    Failed(Problem),
}

/// The progress of all runs.
#[derive(Default)]
pub struct ProgressMeter {
    /// The user wants to stop.
    pub stop: AtomicBool,
    /// Runs that are finished.
    pub finished: AtomicUsize,
    /// Simulated time, a whole run being [`WHOLE`].
    pub passed: AtomicU64,
    /// Runs that the store had.
    pub from_store: AtomicUsize,
}

/// A function that makes runs: [`simulate`], [`crate::run::testbed::emulate`], or a test's.
pub type Simulate = fn(&Engine<'_>, &Plan, &str, Option<&Path>) -> Result<RunOutput, Stop>;

/// The common settings of runs.
pub struct Engine<'a> {
    /// Options of the simulator.
    pub options: Options,
    /// The store of their results.
    pub store: Option<&'a Store>,
    /// The overrides that were given, JSON; for the series' metadata.
    pub overrides: String,
    /// The final place of the series, for messages.
    pub shown: PathBuf,
    /// Their progress.
    pub meter: &'a ProgressMeter,
    /// The function that makes runs.
    pub simulate: Simulate,
    /// Algorithms of the user's own that plans may name.
    pub plugins: &'a Plugins,
    /// The loader of these plugins.
    pub loader: &'a dyn PluginLoader,
    /// Programs in place of traffic of ours; between real hosts only.
    pub user_program: Option<UserProgram>,
    /// Whoever watches the runs.
    pub watcher: Option<&'a Watcher>,
    /// The user-mode kernel of runs on one.
    pub kernel: Option<&'a Path>,
    /// Threads that one run may use.
    pub threads: Threads,
}

impl Engine<'_> {
    /// The result of `plan`, or a row with its `error`: a run that panics, that breaks a law, that
    /// the simulator refuses. It is kept in the store under the key of `digest`, with what `of`
    /// says about it. Its series grow in `dir`, or in the store.
    ///
    /// # Errors
    /// A cause that ends all runs.
    pub fn run(
        &self,
        plan: &Plan,
        digest: &Digest,
        of: Value,
        dir: Option<&Path>,
    ) -> Result<(Value, Records), Stop> {
        if self.meter.stop.load(Relaxed) {
            return Err(Stop::Interrupted);
        }
        let kept = self.store.map(|store| (store, digest.key));
        let grows = kept
            .filter(|_| wanted(plan))
            .map(|(s, k)| s.grow(k))
            .transpose()
            .map_err(Stop::Broken)?;
        let dir = grows.as_deref().or(dir);
        let before = self.meter.passed.load(Relaxed);
        let lacking =
            || lacking(plan.links.iter().map(|link| link.aqm.kind.as_str()), self.plugins);
        let made = || match lacking() {
            Some(problem) => Err(Stop::Failed(problem)),
            None => (self.simulate)(self, plan, &digest.plan_hash, dir),
        };
        let simulated = || catch_unwind(AssertUnwindSafe(made));
        let mut output = Ok(Err(Stop::Interrupted));
        if self.plugins.interpreted() {
            self.loader.within(&mut || output = simulated());
        } else {
            output = simulated();
        }
        let mut row = match output {
            Ok(Ok(output)) => of_output(plan, &output),
            Ok(Err(Stop::Failed(problem))) => failed(plan.seed, &problem),
            Ok(Err(stop)) => return Err(stop),
            Err(panic) => {
                failure(plan.seed, code::FAILURE, format!("the run panicked: {}", words(&*panic)))
            }
        };
        row["plan_hash"] = json!(digest.plan_hash);
        if row.get("flows").is_none() {
            kept.into_iter().for_each(|(s, k)| s.drop_grown(k));
            self.meter.passed.fetch_max(before + WHOLE as u64, Relaxed);
        }
        let Some((store, key)) = kept else { return Ok((row, Records::default())) };
        row["of"] = of;
        let records = store.keep(key, &row).map_err(Stop::Broken)?;
        row.as_object_mut().map(|map| map.shift_remove("of"));
        Ok((row, records))
    }
}

/// The error that this machine lacks something for queues of these kinds, if it does.
pub fn lacking<'a>(kinds: impl Iterator<Item = &'a str>, plugins: &Plugins) -> Option<Problem> {
    let lack = kinds.filter_map(|kind| plugins.aqm(kind)).find_map(|factory| factory.lacks())?;
    let d = Diagnostic::new(lack.cause);
    let d = lack.fix.map_or(d.clone(), |fix| d.fix(fix));
    Some(Problem::new(code::ENVIRONMENT, &[d], &Texts::default()))
}

/// The label of a row, for people who look into a store.
pub fn label(name: &str, overrides: &Map<String, Value>) -> Value {
    json!({
        "name": name,
        "overrides": overrides,
        "version": env!("CARGO_PKG_VERSION"),
        "results_version": RESULTS_VERSION,
    })
}

/// The row of a run that has no result.
pub fn failure(seed: u64, code: i32, message: String) -> Value {
    json!({ "seed": seed, "valid": false, "error": { "code": code, "message": message } })
}

/// The row of a run that ended with `problem`: with the words of an algorithm of the user's own, if
/// one failed.
fn failed(seed: u64, problem: &Problem) -> Value {
    let mut row = failure(seed, problem.code, problem.message());
    for key in RAISED {
        let said = &problem.json["problems"][0][key];
        if !said.is_null() {
            row["error"][key] = said.clone();
        }
    }
    row
}

/// The problem that a row's `error` reports.
pub fn problem(error: &Value) -> Problem {
    let code = error["code"].as_i64().unwrap_or(1) as i32;
    let d = Diagnostic::new(error["message"].as_str().unwrap_or_default());
    let d = error["fix"].as_str().map_or(d.clone(), |fix| d.fix(fix));
    let mut problem = Problem::new(code, &[d], &Texts::default());
    if let Some(trace) = error["traceback"].as_str() {
        problem.rendered = format!("{}\n{}", trace.trim_end(), problem.rendered);
    }
    for key in RAISED.into_iter().filter(|key| !error[key].is_null()) {
        problem.json["problems"][0][key] = error[key].clone();
    }
    problem
}

/// The keys of a failed run's details beside its cause: the fix, and the position at which a plugin
/// stopped.
const RAISED: [&str; 4] = ["algorithm", "time_s", "traceback", "fix"];

/// An algorithm of the user's own that could not go on.
pub fn raised(failure: &Failure, seed: u64) -> Problem {
    let Failure { algorithm, at, cause, trace } = failure;
    let head =
        format!("{algorithm} failed at {} s of simulated time, seed {seed}: {cause}", at.seconds());
    let mut problem = Problem::failure(
        &head,
        Some(
            "nothing was written; fix the algorithm and \
        run again"
                .into(),
        ),
    );
    if let Some(trace) = trace {
        problem.rendered = format!("{}\n{}", trace.trim_end(), problem.rendered);
    }
    let said = &mut problem.json["problems"][0];
    (said["algorithm"], said["time_s"], said["traceback"]) =
        (json!(algorithm), json!(at.seconds()), json!(trace));
    problem
}

/// The text of a panic.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("without a word").to_string()
}

/// True if a plan asks for more than the summary.
pub fn wanted(plan: &Plan) -> bool {
    let r = &plan.record;
    r.every.is_some() || r.tells_drops() || r.completions || !r.delays.is_empty()
}

/// The simulation itself.
///
/// # Errors
/// It was stopped, its series cannot be written, or the simulator refuses the plan.
pub fn simulate(
    engine: &Engine<'_>,
    plan: &Plan,
    hash: &str,
    dir: Option<&Path>,
) -> Result<RunOutput, Stop> {
    let began = std::time::Instant::now();
    let dir = dir.filter(|_| wanted(plan));
    if dir.is_none() && plan.record.acks.is_empty() && plan.record.delays.is_empty() {
        let world = match engine.threads.partition(plan, engine.plugins, engine.options) {
            Some(partition) => together(engine, plan, &partition)?,
            None => {
                let mut world = world(engine, plan)?;
                alone(engine, plan, &mut world)?;
                world
            }
        };
        let report = world.finish_unobserved();
        return Ok(RunOutput {
            report,
            wall_s: began.elapsed().as_secs_f64(),
            validity: None,
            visit: None,
            linux: false,
        });
    }
    if engine.threads.several() {
        engine.threads.keep_one(threads::RECORDS);
    }
    let unwritten = |e: ParquetError| Stop::Broken(unwritten(&engine.shown, &e));
    let recorder = dir.map_or_else(
        || Recorder::measuring(plan, None),
        |dir| Recorder::new(plan, engine.plugins, dir),
    );
    let mut recorder = recorder.map_err(unwritten)?;
    recorder.tapped(engine.watcher.and_then(|watcher| watcher.tap(plan)));
    let mut world = world(engine, plan)?;
    recorded(engine, plan, &mut world, &mut recorder)?;
    if recorder.failed() {
        return Err(recorder.close(&[]).map_or_else(unwritten, |()| Stop::Interrupted));
    }
    let mut report = world.finish(&mut recorder);
    recorder.summarize(&mut report);
    recorder.tables(&report);
    let wall_s = began.elapsed().as_secs_f64();
    let print = run_json::hex(report.fingerprint);
    recorder.close(&records::metadata(plan, hash, &engine.overrides, &print)).map_err(unwritten)?;
    Ok(RunOutput { report, wall_s, validity: None, visit: None, linux: false })
}

/// The world of `plan` at its start.
///
/// # Errors
/// The simulator refuses the plan.
pub fn world(engine: &Engine<'_>, plan: &Plan) -> Result<World, Stop> {
    World::with(plan, engine.options, engine.plugins).map_err(refused)
}

fn refused(fault: Fault) -> Stop {
    let cause = format!("the simulator refuses this plan at {}: {}", fault.at, fault.cause);
    Stop::Failed(Problem::failure(cause, fault.fix))
}

/// Takes a plan to its end on several threads.
fn together(engine: &Engine<'_>, plan: &Plan, partition: &Partition) -> Result<World, Stop> {
    let passed = AtomicU64::new(0);
    let memory = memory_of(plan).map(Mutex::new);
    let reached = |t: Time| {
        if let Some(memory) = &memory {
            memory.lock().unwrap_or_else(PoisonError::into_inner).look();
        }
        let now = ((t.ps() as f64 / plan.duration.ps() as f64).min(1.0) * WHOLE) as u64;
        engine.meter.passed.fetch_add(now - passed.swap(now, Relaxed), Relaxed);
    };
    let machine = Machine { waited: run_delay::total_of_this_thread, free: cores::free };
    divided::run(plan, partition, &engine.meter.stop, &reached, machine).map_err(|stopped| {
        match stopped {
            Stopped::Interrupted => Stop::Interrupted,
            Stopped::Refused(fault) => refused(fault),
        }
    })
}

/// Takes a world to its end while nobody looks.
///
/// # Errors
/// It was stopped, or an algorithm of the user's own failed.
pub fn alone(engine: &Engine<'_>, plan: &Plan, world: &mut World) -> Result<(), Stop> {
    go(engine, plan, world, |world| (world.run_unobserved(CHUNK), false))
}

/// Takes a world to its end, or to where nothing more can be written.
///
/// # Errors
/// As [`alone`].
pub fn recorded(
    engine: &Engine<'_>,
    plan: &Plan,
    world: &mut World,
    by: &mut Recorder<'_>,
) -> Result<(), Stop> {
    let follows = by.follows();
    go(engine, plan, world, |world| {
        let ended = if follows { world.run(by, CHUNK) } else { world.run(&mut Series(by), CHUNK) };
        by.publish();
        (ended, by.failed())
    })
}

/// The memory of a run, if its plan is so large that it asks for huge pages.
fn memory_of(plan: &Plan) -> Option<GrowingMemory> {
    (plan.flows.len() + plan.links.len() > LARGE).then(GrowingMemory::default)
}

/// `stretch` runs a world on, and says whether the end is reached, and whether there is no sense in
/// going on.
fn go(
    engine: &Engine<'_>,
    plan: &Plan,
    world: &mut World,
    mut stretch: impl FnMut(&mut World) -> (bool, bool),
) -> Result<(), Stop> {
    let mut passed = 0u64;
    let mut memory = memory_of(plan);
    loop {
        memory.iter_mut().for_each(GrowingMemory::look);
        let (ended, broken) = stretch(world);
        let now = if ended { 1.0 } else { world.now().ps() as f64 / plan.duration.ps() as f64 };
        let now = ((now * WHOLE) as u64).max(passed);
        engine.meter.passed.fetch_add(now - passed, Relaxed);
        passed = now;
        if let Some(failure) = world.failure() {
            if engine.meter.stop.load(Relaxed) {
                // The interrupt ended an endless decision: that is no failure of its.
                return Err(Stop::Interrupted);
            }
            return Err(Stop::Failed(raised(failure, plan.seed)));
        }
        if ended || broken {
            return Ok(());
        }
        if engine.meter.stop.load(Relaxed) {
            return Err(Stop::Interrupted);
        }
    }
}

/// Records that cannot be written.
pub fn unwritten(dir: &Path, why: &ParquetError) -> Problem {
    let why = why.to_string();
    let cause = format!(
        "records cannot be written in {}: {}",
        dir.display(),
        why.trim_start_matches("External: ")
    );
    Problem::failure(
        cause,
        Some(
            "is the disk full? Results that were there before are as they \
        were"
                .into(),
        ),
    )
}
