//! Runs a study: points and replications on all cores, each taken from the store or made; with
//! records that appear whole or not at all.
pub(crate) mod bench;
pub mod conformance;
pub(crate) mod engine;
mod kernel_queue;
pub(crate) mod lfsr_autocorrelation;
pub(crate) mod linux;
pub(crate) mod lockstep;
pub(crate) mod logged;
mod packet_columns;
pub(crate) mod remote;
pub mod request;
pub mod script;
pub(crate) mod seeds;
pub mod shell;
pub mod shown_plan;
pub mod single_link;
pub mod stepping;
pub mod testbed;
pub mod watch;
use crate::files::environment::ThisMachine;
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::resolve::study::Study;
use crate::results;
use crate::results::output_dir::Output;
use crate::run::engine::threads::{self, Threads};
use crate::run::engine::{Engine, ProgressMeter, Stop, WHOLE, simulate};
use crate::run::linux::on_linux;
use crate::run::request::{On, Request};
use crate::run::seeds::{Job, PointResults};
use crate::run::testbed::emulate;
use crate::run::watch::Watcher;
use crate::store::Store;
use crate::store::key::{Digest, Key};
use crate::verb::{Caller, Progress};
use dumbbell_emu::live::user_program::UserProgram;
use dumbbell_plan::Record;
use rayon::prelude::*;
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Between two reports of progress.
const BEAT: Duration = Duration::from_millis(100);
/// Between two pieces of news for whoever watches.
const NEWS: Duration = Duration::from_millis(250);
/// Between two times that rows are made to outlive a loss of power.
const SYNC: Duration = Duration::from_secs(1);

/// The number of damaged files that a result names.
const DAMAGE_TOLD: usize = 5;

/// The state that all runs share.
struct Shared<'a> {
    study: &'a Study,
    engine: Engine<'a>,
    output: Option<&'a Output>,
    /// Take from the store what it has, failures too, and run nothing.
    assemble: bool,
    on: On,
    /// What the user-mode kernel is called in keys of runs.
    kernel_id: String,
}

/// Runs a scenario, which may name algorithms of the caller's own; see [`crate::results`] for the
/// document. The caller's functions are called on this thread: `progress` about ten times a second,
/// `watch` at most four times. When `progress` says false, the runs stop. A run that breaks a
/// conservation law is not an error: its result says `"valid": false`, `"code": 5`, and where.
///
/// # Errors
/// Code 2: every error of the scenario; 1: records cannot be written, or an algorithm of the
/// user's own failed, with its name, the simulated time and where it is written; 130: stopped.
/// Nothing is written then.
pub fn run(request: &Request, by: &Caller<'_>) -> Result<Value, Problem> {
    let simulate: engine::Simulate = match request.on {
        On::Sim => simulate,
        On::Kernel => emulate,
        On::Linux => on_linux,
    };
    run_with(request, by, (simulate, None))
}

/// [`run`] with another simulator, or with user programs in place of traffic.
pub(crate) fn run_with(
    request: &Request,
    by: &Caller<'_>,
    (simulate, user_program): (engine::Simulate, Option<UserProgram>),
) -> Result<Value, Problem> {
    let (began, loader) = (Instant::now(), by.plugins);
    let mut study = Study::with(&request.study_input(), &ThisMachine, loader, request.keep_going)?;
    request.lint(&mut study);
    if request.on == On::Linux && !request.keep_going {
        linux::check(&study)?;
    }
    let store = request.store.as_deref().map(Store::open).transpose()?;
    let output = request.out.as_deref().map(|dir| Output::open(dir, &study)).transpose()?;
    let watcher = request.watch.as_ref().map(|w| Watcher::new(w, &study)).transpose()?;
    let meter = ProgressMeter::default();
    let engine = Engine {
        plugins: &study.plugins,
        loader,
        options: request.options(),
        store: store.as_ref(),
        overrides: serde_json::to_string(request.overrides()).unwrap_or_default(),
        shown: output
            .as_ref()
            .map(Output::dir)
            .or(store.as_ref().map(Store::dir))
            .unwrap_or(Path::new(""))
            .into(),
        meter: &meter,
        simulate,
        user_program,
        watcher: watcher.as_ref(),
        kernel: request.kernel.as_deref(),
        threads: Threads::new((request.threads > 0).then_some(request.threads)),
    };
    let shared = Shared {
        study: &study,
        engine,
        output: output.as_ref(),
        assemble: request.assemble,
        on: request.on,
        kernel_id: request.kernel.as_deref().map(linux::kernel_id).unwrap_or_default(),
    };
    // Real hosts need the machine for themselves.
    let threads = if request.on == On::Kernel { 1 } else { request.threads };
    if request.on == On::Kernel {
        shared.engine.threads.keep_one(threads::KERNEL);
    }
    let done = all(&shared, threads, by).and_then(|runs| only_failure(&study, runs));
    let synced = store.as_ref().map_or(Ok(()), Store::sync).map_err(Stop::Broken);
    // A disk that fails ends the runs, too: then that is the cause to tell.
    let ended = synced.and(done).map_err(|stop| problem(stop, &shared.engine));
    let runs = match ended {
        Ok(runs) => runs,
        Err(problem) => {
            if let Some(output) = output {
                output.abandon();
            }
            return Err(problem);
        }
    };
    let one_thread = shared.engine.threads.note();
    let seeds: Vec<Vec<u64>> = runs.iter().map(PointResults::seeds).collect();
    let mut result = results::assemble(
        &study,
        runs.into_iter().map(|r| r.0).collect(),
        began.elapsed().as_secs_f64(),
    );
    if let Some(store) = &store {
        result["from_store"] = meter.from_store.load(Relaxed).into();
        tell_damage(store, &mut result["notes"]);
    }
    if let Some(output) = output {
        output.keep(&mut result, &study, &seeds, request.overrides())?;
    }
    // Not in files: a result does not depend on the number of threads.
    if let (Some(note), Value::Array(notes)) = (one_thread, &mut result["notes"]) {
        notes.push(note.into());
    }
    Ok(result)
}

/// Tells in the notes of a result which series of the store were damaged.
fn tell_damage(store: &Store, notes: &mut Value) {
    let damaged = store.damaged();
    let told = damaged.iter().take(DAMAGE_TOLD).map(|d| {
        let file = d.file.display();
        format!("the series {file} were damaged ({}), and their run was made again", d.cause).into()
    });
    let more = damaged.len().saturating_sub(DAMAGE_TOLD);
    let rest = (more > 0).then(|| format!("and {more} more damaged files of series").into());
    if let Value::Array(notes) = notes {
        notes.extend(told.chain(rest));
    }
}

/// A study of a single run has nothing to go on with when that fails.
fn only_failure(study: &Study, runs: Vec<PointResults>) -> Result<Vec<PointResults>, Stop> {
    let alone = !study.swept && runs.len() == 1 && runs[0].0.len() == 1;
    match runs.first().and_then(|r| r.0.first()).filter(|row| alone && row.get("flows").is_none()) {
        Some(row) => Err(Stop::Failed(engine::problem(&row["error"]))),
        None => Ok(runs),
    }
}

fn problem(stop: Stop, engine: &Engine<'_>) -> Problem {
    match stop {
        Stop::Failed(problem) | Stop::Broken(problem) => problem,
        Stop::Interrupted => {
            let done = engine.meter.finished.load(Relaxed);
            let said = match engine.store {
                Some(store) => {
                    format!("interrupted: {done} finished runs are in {}", store.dir().display())
                }
                None => "interrupted: nothing was written".into(),
            };
            let d = Diagnostic::new(said);
            let d = if engine.store.is_some() {
                d.fix("the same command goes on from there")
            } else {
                d
            };
            Problem::new(code::INTERRUPTED, &[d], &Texts::default())
        }
    }
}

/// Runs every job on a pool, while this thread reports progress; results are in the order of the
/// jobs.
fn all(shared: &Shared<'_>, threads: usize, by: &Caller<'_>) -> Result<Vec<PointResults>, Stop> {
    let mut runs: Vec<PointResults> = vec![PointResults::default(); shared.study.points.len()];
    let mut total = 0;
    loop {
        let jobs = seeds::missing_runs(shared.study, &runs);
        if jobs.is_empty() {
            seeds::drop_surplus(shared.study, &mut runs);
            return Ok(runs);
        }
        total += jobs.len();
        for (job, row) in jobs.iter().zip(round(shared, &jobs, total, threads, by)?) {
            runs[job.point].0.push(row);
        }
    }
}

/// One round of jobs, side by side.
fn round(
    shared: &Shared<'_>,
    jobs: &[Job],
    total: usize,
    threads: usize,
    by: &Caller<'_>,
) -> Result<Vec<Value>, Stop> {
    // A plugin that calls an interpreter waits for its lock, so such runs go one after another.
    let interpreted = shared.study.plugins.interpreted();
    if interpreted {
        shared.engine.threads.keep_one(threads::INTERPRETED);
    } else {
        shared.engine.threads.share(jobs.len());
    }
    if shared.on == On::Linux && shared.engine.threads.several() {
        shared.engine.threads.keep_one(threads::LINUX);
    }
    let threads = if interpreted { 1 } else { threads };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(jobs.len())).build();
    let pool =
        pool.map_err(|e| Stop::Broken(Problem::failure(format!("no threads: {e}"), None)))?;
    let (done, is_done) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let _ends = done; // Dropped at the end, by a panic too: the channel closes.
            pool.install(|| {
                jobs.par_iter().map(|job| one(shared, job)).collect::<Result<Vec<Value>, Stop>>()
            })
        });
        let progress = || (by.progress)(shared.progress(total));
        let (mut synced, broken) = (Instant::now(), AtomicBool::new(false));
        let mut told = Instant::now();
        while let Err(mpsc::RecvTimeoutError::Timeout) = is_done.recv_timeout(BEAT) {
            if let Some(store) = shared.engine.store.filter(|_| synced.elapsed() > SYNC) {
                synced = Instant::now();
                broken.fetch_or(store.sync().is_err(), Relaxed); // The last sync says it again.
            }
            if told.elapsed() > NEWS {
                told = Instant::now();
                shared.tell(by, false);
            }
            if !progress() || broken.load(Relaxed) {
                shared.engine.meter.stop.store(true, Relaxed);
            }
        }
        let outcomes = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        shared.tell(by, true);
        if outcomes.is_ok() && !progress() {
            return Err(Stop::Interrupted);
        }
        outcomes
    })
}

impl Shared<'_> {
    fn progress(&self, runs: usize) -> Progress {
        let meter = self.engine.meter;
        let fraction = meter.passed.load(Relaxed) as f64 / WHOLE / runs.max(1) as f64;
        Progress { finished: meter.finished.load(Relaxed), runs, fraction: fraction.min(1.0) }
    }

    /// Tells whoever watches what is new. `last`: the runs are over.
    fn tell(&self, by: &Caller<'_>, last: bool) {
        let news = self.engine.watcher.map(|watcher| watcher.take(last));
        if let Some(Ok(Some(news))) = news {
            (by.watch)(&news);
        }
    }

    /// Takes a run from the store, its series too.
    fn found(&self, job: &Job, digest: &Digest) -> Result<Option<Value>, Stop> {
        let Some(store) = self.engine.store else { return Ok(None) };
        let found = store.find(digest.key).map_err(Stop::Broken)?;
        // A run between real hosts that was not valid says nothing: the next may be.
        let found = found.filter(|found| self.on != On::Kernel || found.result["valid"] == true);
        let Some(found) = found else {
            return self.assemble.then(|| missing(store, job, digest.key)).transpose();
        };
        if let Some(output) = self.output {
            output
                .copy(job.point, job.seed, store, digest.key, &found.records)
                .map_err(Stop::Broken)?;
        }
        let mut result = found.result;
        result.as_object_mut().map(|map| map.shift_remove("of"));
        // It may have been run under another name.
        result["plan_hash"] = digest.plan_hash.as_str().into();
        let meter = self.engine.meter;
        meter.from_store.fetch_add(1, Relaxed);
        meter.passed.fetch_add(WHOLE as u64, Relaxed);
        Ok(Some(result))
    }
}

/// The error row of a run that the store does not have.
fn missing(store: &Store, job: &Job, key: Key) -> Result<Value, Stop> {
    let mut row = store.failure(key).map_err(Stop::Broken)?.unwrap_or_else(|| {
        engine::failure(
            job.seed,
            code::FAILURE,
            "no worker has finished this \
            run"
            .into(),
        )
    });
    row.as_object_mut().map(|map| map.shift_remove("of"));
    Ok(row)
}

/// One run, from its plan to its result.
fn one(shared: &Shared<'_>, job: &Job) -> Result<Value, Stop> {
    let outcome = attempt(shared, job);
    match &outcome {
        Ok(row) => {
            let point = &shared.study.points[job.point];
            shared.engine.watcher.iter().for_each(|watcher| watcher.ended(job, point, row));
            shared.engine.meter.finished.fetch_add(1, Relaxed);
        }
        Err(_) => shared.engine.meter.stop.store(true, Relaxed),
    }
    outcome
}

fn attempt(shared: &Shared<'_>, job: &Job) -> Result<Value, Stop> {
    if shared.engine.meter.stop.load(Relaxed) {
        return Err(Stop::Interrupted);
    }
    let point = &shared.study.points[job.point];
    let mut plan = match shared.study.plan(point, job.seed) {
        Ok(plan) => plan,
        Err(problem) => return Ok(engine::failure(job.seed, problem.code, problem.message())),
    };
    let store = shared.engine.store;
    let digest = match shared.on {
        On::Sim => Digest::of(&mut plan, shared.engine.options.audit),
        On::Kernel => {
            plan.testbed = point.testbed();
            Digest::of_testbed(&mut plan)
        }
        On::Linux => {
            plan.testbed = point.testbed();
            Digest::of_linux(&mut plan, &shared.kernel_id)
        }
    };
    if shared.output.is_none() && store.is_none() {
        // Nobody looks: the run need not stop to be looked at. What is measured of acknowledgments
        // and delays is in the result, and the peak of a period is.
        let Record { every, flows, acks, delays, .. } = std::mem::take(&mut plan.record);
        plan.record =
            Record { every: every.filter(|_| flows), flows, acks, delays, ..Record::default() };
    }
    if let Some(row) = shared.found(job, &digest)? {
        return Ok(row);
    }
    let dir = shared.output.filter(|_| store.is_none()).map(|o| o.run_dir(job.point, job.seed));
    let dir = dir.transpose().map_err(Stop::Broken)?;
    let of = engine::label(&shared.study.name, &point.overrides);
    let (row, records) = shared.engine.run(&plan, &digest, of, dir.as_deref())?;
    if let (Some(output), Some(store)) = (shared.output, store) {
        output.copy(job.point, job.seed, store, digest.key, &records).map_err(Stop::Broken)?;
    }
    Ok(row)
}

#[cfg(test)]
mod tests;
