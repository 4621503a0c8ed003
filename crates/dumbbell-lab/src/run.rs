//! Runs a study: points and replications on all cores, with records that appear whole or not at all.
use crate::bring::Bring;
use crate::door::plan_hash;
use crate::outcome;
use crate::output::Output;
use crate::problem::{Diagnostic, Problem, Texts, code};
use crate::record::{self, Recorder};
use crate::request::Request;
use crate::results;
use crate::study::Study;
use dumbbell_core::foreign::Failure;
use dumbbell_plan::{Plan, Record};
use dumbbell_sim::{Options, World};
use parquet::errors::ParquetError;
use rayon::prelude::*;
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Events between two looks at the clock and at the user.
const CHUNK: u64 = 1 << 18;
/// Between two reports of progress.
const BEAT: Duration = Duration::from_millis(100);
/// A whole run, in the units of the progress counter.
const WHOLE: f64 = 1e6;

/// How far a request is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Runs that are finished.
    pub finished: usize,
    /// All runs.
    pub runs: usize,
    /// Simulated time that has passed, of all runs together: 0 to 1.
    pub fraction: f64,
}

/// One run of a request.
struct Job {
    point: usize,
    seed: u64,
}

/// What all runs share.
struct Shared<'a> {
    study: &'a Study,
    bring: &'a dyn Bring,
    options: Options,
    overrides: String,
    output: Option<&'a Output>,
    stop: AtomicBool,
    finished: AtomicUsize,
    passed: AtomicU64,
}

/// Why a run ended early.
enum Stop {
    Interrupted,
    Failed(Problem),
}

impl Stop {
    fn problem(self) -> Problem {
        match self {
            Stop::Failed(problem) => problem,
            Stop::Interrupted => {
                let d = Diagnostic::new("interrupted: nothing was written");
                Problem::new(code::INTERRUPTED, &[d], &Texts::default())
            }
        }
    }
}

/// See [`crate::door::run`].
pub fn run(request: &Value, progress: &dyn Fn(Progress) -> bool, bring: &dyn Bring) -> Result<Value, Problem> {
    let began = Instant::now();
    let request = Request::read(request)?;
    let study = Study::with(&request.wish(), bring)?;
    let output = request.out.as_deref().map(|dir| Output::open(dir, &study)).transpose()?;
    let shared = Shared {
        study: &study,
        bring,
        options: Options { fold: request.fold, audit: request.audit, ..Options::default() },
        overrides: serde_json::to_string(request.overrides()).unwrap_or_default(),
        output: output.as_ref(),
        stop: AtomicBool::new(false),
        finished: AtomicUsize::new(0),
        passed: AtomicU64::new(0),
    };
    let outcomes = match all(&shared, request.threads, progress) {
        Ok(outcomes) => outcomes,
        Err(stop) => {
            if let Some(output) = output {
                output.abandon();
            }
            return Err(stop.problem());
        }
    };
    let mut result = results::assemble(&study, outcomes, began.elapsed().as_secs_f64());
    if let Some(output) = output {
        output.keep(&mut result, &study, request.overrides())?;
    }
    Ok(result)
}

/// Runs every job on a pool, while this thread reports progress; results are in the order of the jobs.
fn all(shared: &Shared<'_>, threads: usize, progress: &dyn Fn(Progress) -> bool) -> Result<Vec<Value>, Stop> {
    let of_point = |(point, p): (usize, &crate::study::Ready)| {
        p.seeds.iter().map(|seed| Job { point, seed: *seed }).collect::<Vec<_>>()
    };
    let jobs: Vec<Job> = shared.study.points.iter().enumerate().flat_map(of_point).collect();
    // What calls back into an interpreter waits for its lock: such runs go one after another.
    let threads = if shared.study.makers.is_empty() { threads } else { 1 };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(jobs.len())).build();
    let pool = pool.map_err(|e| Stop::Failed(Problem::failure(format!("no threads: {e}"), None)))?;
    let (done, is_done) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let jobs = &jobs;
        let worker = scope.spawn(move || {
            let _ends = done; // Dropped at the end, by a panic too: the channel closes.
            pool.install(|| jobs.par_iter().map(|job| one(shared, job)).collect::<Result<Vec<Value>, Stop>>())
        });
        while let Err(mpsc::RecvTimeoutError::Timeout) = is_done.recv_timeout(BEAT) {
            if !progress(shared.progress(jobs.len())) {
                shared.stop.store(true, Relaxed);
            }
        }
        let outcomes = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if outcomes.is_ok() && !progress(shared.progress(jobs.len())) {
            return Err(Stop::Interrupted);
        }
        outcomes
    })
}

impl Shared<'_> {
    fn progress(&self, runs: usize) -> Progress {
        let fraction = self.passed.load(Relaxed) as f64 / WHOLE / runs.max(1) as f64;
        Progress { finished: self.finished.load(Relaxed), runs, fraction: fraction.min(1.0) }
    }
}

/// One run, from its plan to its result.
fn one(shared: &Shared<'_>, job: &Job) -> Result<Value, Stop> {
    let mut outcome = Err(Stop::Interrupted);
    if shared.study.makers.is_empty() {
        outcome = attempt(shared, job);
    } else {
        shared.bring.within(&mut || outcome = attempt(shared, job));
    }
    if outcome.is_err() {
        shared.stop.store(true, Relaxed);
    }
    outcome
}

fn attempt(shared: &Shared<'_>, job: &Job) -> Result<Value, Stop> {
    if shared.stop.load(Relaxed) {
        return Err(Stop::Interrupted);
    }
    let mut plan = shared.study.plan(&shared.study.points[job.point], job.seed).map_err(Stop::Failed)?;
    let hash = plan_hash(&plan);
    let dir = shared.output.map(|o| o.run_dir(job.point, job.seed)).transpose().map_err(Stop::Failed)?;
    if dir.is_none() {
        plan.record = Record::default(); // Nobody looks: the run need not stop to be looked at.
    }
    let (report, wall_s) = simulate(shared, &plan, &hash, dir.as_deref())?;
    shared.finished.fetch_add(1, Relaxed);
    let mut value = outcome::of_run(&plan, &report, wall_s);
    value["plan_hash"] = hash.into();
    value["point"] = job.point.into();
    Ok(value)
}

fn simulate(
    shared: &Shared<'_>,
    plan: &Plan,
    hash: &str,
    dir: Option<&Path>,
) -> Result<(dumbbell_sim::Report, f64), Stop> {
    let began = Instant::now();
    let unwritten = |e: ParquetError| Stop::Failed(unwritten(shared.output, &e));
    let mut recorder = Recorder::new(plan, dir).map_err(unwritten)?;
    let mut world = World::with(plan, shared.options, &shared.study.makers).map_err(|fault| {
        let cause = format!("the simulator refuses this plan at {}: {}", fault.at, fault.cause);
        Stop::Failed(Problem::failure(cause, fault.fix))
    })?;
    let mut passed = 0u64;
    loop {
        let ended = world.run(&mut recorder, CHUNK);
        let now = if ended { 1.0 } else { world.now().ps() as f64 / plan.duration.ps() as f64 };
        let now = ((now * WHOLE) as u64).max(passed);
        shared.passed.fetch_add(now - passed, Relaxed);
        passed = now;
        if let Some(failure) = world.failure() {
            return Err(Stop::Failed(failed(failure, plan.seed)));
        }
        if ended || recorder.failed() {
            break;
        }
        if shared.stop.load(Relaxed) {
            return Err(Stop::Interrupted);
        }
    }
    if recorder.failed() {
        return Err(recorder.close(&[]).map_or_else(unwritten, |()| Stop::Interrupted));
    }
    let report = world.finish(&mut recorder);
    let wall_s = began.elapsed().as_secs_f64();
    let print = outcome::hex(report.fingerprint);
    recorder.close(&record::metadata(plan, hash, &shared.overrides, &print)).map_err(unwritten)?;
    Ok((report, wall_s))
}

/// An algorithm of the user's own that could not go on.
pub fn failed(failure: &Failure, seed: u64) -> Problem {
    let Failure { algorithm, at, cause, trace } = failure;
    let head = format!("{algorithm} failed at {} s of simulated time, seed {seed}: {cause}", at.seconds());
    let mut problem = Problem::failure(&head, Some("nothing was written; mend the algorithm and run again".into()));
    if let Some(trace) = trace {
        problem.rendered = format!("{}\n{}", trace.trim_end(), problem.rendered);
    }
    problem.json["problems"][0]["algorithm"] = algorithm.as_str().into();
    problem.json["problems"][0]["time_s"] = at.seconds().into();
    problem.json["problems"][0]["traceback"] = trace.clone().into();
    problem
}

/// Records that cannot be written.
fn unwritten(output: Option<&Output>, why: &ParquetError) -> Problem {
    let dir = output.map_or(Path::new(""), Output::dir);
    let why = why.to_string();
    let cause = format!("records cannot be written in {}: {}", dir.display(), why.trim_start_matches("External: "));
    Problem::failure(cause, Some("is the disk full? Results that were there before are as they were".into()))
}
