//! Runs that other machines make: which ones are missing, and making some of them.
//!
//! A job is a plan, which has everything in it that a run needs: the worker reads no scenario and
//! no file. It keeps its results in the store, if it sees the same one, and answers with a line for
//! each.
use crate::files::environment::{ThisMachine, builtin_plugins};
use crate::language::plugins::NoPlugins;
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::resolve::study::Study;
use crate::run::engine;
use crate::run::engine::threads::Threads;
use crate::run::engine::{Engine, ProgressMeter, Stop, simulate};
use crate::run::request::{On, Request};
use crate::run::seeds;
use crate::run::seeds::PointResults;
use crate::store::Store;
use crate::store::key::{Digest, RESULTS_VERSION};
use crate::verb::Asked;
use dumbbell_plan::Plan;
use dumbbell_sim::Options;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

/// One run for a worker.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Job {
    key: String,
    of: Value,
    #[schemars(with = "Value")]
    plan: Plan,
}

/// The request to a worker.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkRequest {
    jobs: Vec<Job>,
    results_version: u32,
    /// Without one, the answer has the rows in it.
    store: Option<PathBuf>,
    #[serde(default)]
    threads: usize,
    #[serde(default)]
    audit: bool,
    #[serde(default)]
    overrides: String,
}

impl Asked for WorkRequest {
    fn read(request: &Value) -> Result<WorkRequest, Problem> {
        WorkRequest::deserialize(request).map_err(|e| misread(&e.to_string()))
    }
}

/// The runs of a request that its store lacks, at most `points` of them, with all that a worker
/// needs: `{"store", "id", "results_version", "audit", "overrides", "have", "jobs": [{"key", "of",
/// "plan"}]}`. Those that are named in `except` have had their chance.
///
/// # Errors
/// As [`crate::run::run`].
pub fn jobs(request: &Request) -> Result<Value, Problem> {
    let study = Study::with(&request.study_input(), &ThisMachine, &NoPlugins, request.keep_going)?;
    if request.on != On::Sim {
        let fix = "run it here, without workers";
        return Err(Problem::failure(
            "runs between real hosts are made where they are asked for",
            Some(fix.into()),
        ));
    }
    let Some(dir) = &request.store else {
        return Err(Problem::failure(
            "runs on other machines need a store",
            Some(
                "name one: --store \
            DIR"
                .into(),
            ),
        ));
    };
    let store = Store::open(dir)?;
    let except: HashSet<&str> = request.except.iter().map(String::as_str).collect();
    let most = request.points.unwrap_or(usize::MAX);
    let mut runs: Vec<PointResults> = vec![PointResults::default(); study.points.len()];
    let (mut missing, mut blocked, mut have) = (Vec::new(), BTreeSet::new(), 0);
    loop {
        let next: Vec<_> = seeds::missing_runs(&study, &runs)
            .into_iter()
            .filter(|j| !blocked.contains(&j.point))
            .collect();
        if next.is_empty() || missing.len() >= most {
            break;
        }
        for job in next {
            let point = &study.points[job.point];
            let mut plan = study.plan(point, job.seed)?;
            let key = Digest::of(&mut plan, request.audit).key;
            let name = key.to_string();
            if let Some(found) = store.find(key)? {
                have += 1;
                runs[job.point].0.push(found.result);
            } else if except.contains(name.as_str()) {
                runs[job.point].0.push(engine::failure(job.seed, code::FAILURE, String::new()));
            } else {
                blocked.insert(job.point); // Whether it needs more is seen when this one is there.
                if missing.len() < most {
                    missing.push(Job {
                        key: name,
                        of: engine::label(&study.name, &point.overrides),
                        plan,
                    });
                }
            }
        }
    }
    Ok(json!({
        "store": std::path::absolute(store.dir()).unwrap_or_else(|_| store.dir().into()),
        "id": store.id(),
        "results_version": RESULTS_VERSION,
        "audit": request.audit,
        "overrides": serde_json::to_string(request.overrides()).unwrap_or_default(),
        "have": have,
        "jobs": missing,
    }))
}

/// Makes the runs of an order: `[{"key", "seed", "state", "fingerprint", "wall_s"}]`, with the
/// `row` where there is no store.
///
/// # Errors
/// Code 1: this release has other results than the one that ordered, or the store cannot be
/// written.
pub fn work(order: WorkRequest) -> Result<Value, Problem> {
    if order.results_version != RESULTS_VERSION {
        let (theirs, ours) = (order.results_version, RESULTS_VERSION);
        return Err(misread(&format!(
            "its results are of version {theirs}, and this worker's of \
            version {ours}"
        )));
    }
    let store = order.store.as_deref().map(Store::open_to_write).transpose()?;
    let (meter, plugins) = (ProgressMeter::default(), builtin_plugins());
    let engine = Engine {
        plugins: &plugins,
        loader: &NoPlugins,
        options: Options { audit: order.audit, ..Options::default() },
        store: store.as_ref(),
        overrides: order.overrides.clone(),
        shown: order.store.clone().unwrap_or_default(),
        meter: &meter,
        simulate,
        user_program: None,
        watcher: None,
        kernel: None,
        threads: Threads::new(None),
    };
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(order.threads.min(order.jobs.len())).build();
    let pool = pool.map_err(|e| Problem::failure(format!("no threads: {e}"), None))?;
    let audit = order.audit;
    let jobs: Vec<Job> = order.jobs;
    let done = pool.install(|| {
        jobs.into_par_iter().map(|job| one(&engine, job, audit)).collect::<Result<Vec<_>, _>>()
    });
    store.as_ref().map_or(Ok(()), Store::sync)?;
    done.map(Value::Array)
}

fn one(engine: &Engine<'_>, job: Job, audit: bool) -> Result<Value, Problem> {
    let mut plan = job.plan;
    let digest = Digest::of(&mut plan, audit);
    if digest.key.to_string() != job.key {
        return Err(misread("its plan means something else here"));
    }
    let (mut row, _) =
        engine.run(&plan, &digest, job.of.clone(), None).map_err(|stop| match stop {
            Stop::Broken(problem) | Stop::Failed(problem) => problem,
            Stop::Interrupted => Problem::new(
                code::INTERRUPTED,
                &[Diagnostic::new("interrupted")],
                &Texts::default(),
            ),
        })?;
    let state = if row.get("error").is_none() { "done" } else { "failed" };
    let mut said = json!({
        "key": job.key, "seed": row["seed"], "state": state, "fingerprint": row["fingerprint"],
        "wall_s": row["wall_s"],
    });
    if engine.store.is_none() {
        row["of"] = job.of;
        said["row"] = row;
    }
    Ok(said)
}

fn misread(why: &str) -> Problem {
    let cause = format!("this worker cannot run what it was sent: {why}");
    Problem::failure(cause, Some("install the same release of dumbbell on every machine".into()))
}

/// Rows for a store.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeepRequest {
    store: PathBuf,
    rows: Vec<SentRow>,
}

/// What a worker answered for one run.
#[derive(Deserialize, JsonSchema)]
struct SentRow {
    key: Option<String>,
    #[serde(default)]
    row: Value,
}

impl Asked for KeepRequest {}

/// Keeps rows that workers sent because they do not see the store.
///
/// # Errors
/// Code 1: the store cannot be written.
pub fn keep(request: &KeepRequest) -> Result<Value, Problem> {
    let store = Store::open_to_write(&request.store)?;
    for sent in &request.rows {
        let key = sent.key.as_ref().and_then(|key| key.parse().ok());
        let key = key.ok_or_else(|| misread("it answered without a key"))?;
        store.keep(key, &sent.row)?;
    }
    store.sync()?;
    Ok(json!({ "kept": request.rows.len() }))
}
