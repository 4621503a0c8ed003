//! RED's RTL beside its model: lockstep, and vectors for other simulators.
use crate::files::durable;
use crate::files::staging::StagingDir;
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::verb::{Asked, Progress};
use dumbbell_rtl::compile;
use dumbbell_rtl::fault::Fault;
use dumbbell_rtl::lockstep::campaign::{Part, Ran, measured, parts, told};
use dumbbell_rtl::lockstep::parameter_sets::{DEFAULT, Mode};
use dumbbell_rtl::lockstep::testbench::Counts;
use dumbbell_rtl::sources::{self, Sources};
use dumbbell_rtl::vectors;
use dumbbell_rtl::verilated::{Clocked, Verilated};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Between two reports of progress.
const BEAT: Duration = Duration::from_millis(100);
/// The least shares that a mode is to have of each region, of packets back to back, and of events,
/// from so many packets on.
const LEAST_REGION: f64 = 0.1;
const LEAST_BEHIND: f64 = 0.2;
const LEAST_EVENTS: f64 = 0.009;
const ENOUGH: u64 = 100_000;

/// The request for a lockstep.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LockstepRequest {
    packets: u64,
    seed: u64,
    /// Modes; none: all that there are by default, as far as a core of the user's has their
    /// parameters.
    modes: Vec<String>,
    /// Files with a module `red_core`; none: our own.
    dut: Vec<PathBuf>,
    include: Vec<PathBuf>,
    /// Clocks without an answer after which a core hangs.
    patience: u64,
    /// Threads; 0: one for each processor.
    threads: usize,
    /// The directory for the coverage file of each part, for `verilator_coverage`.
    coverage: Option<PathBuf>,
}

impl Asked for LockstepRequest {}

impl Default for LockstepRequest {
    fn default() -> Self {
        LockstepRequest {
            packets: 1_000_000,
            seed: 1,
            modes: vec![],
            dut: vec![],
            include: vec![],
            patience: 4096,
            threads: 0,
            coverage: None,
        }
    }
}

fn refused(cause: impl Into<String>, fix: &str) -> Problem {
    Problem::new(code::SCENARIO, &[Diagnostic::new(cause).fix(fix)], &Texts::default())
}

/// Why there is no core, for people: the tool's own line is among it.
fn lack(fault: Fault) -> Problem {
    let one = |code, cause: String, fix: String| {
        Problem::new(code, &[Diagnostic::new(cause).fix(fix)], &Texts::default())
    };
    match fault {
        Fault::Missing { cause, fix } => one(code::ENVIRONMENT, cause, fix),
        Fault::Rtl { cause, line, fix } => one(code::SCENARIO, format!("{cause}: {line}"), fix),
        Fault::Parameters(names) => {
            let cause =
                format!("the core has no parameter {}, which the mode sets", names.join(", "));
            one(
                code::SCENARIO,
                cause,
                "leave the mode out, or add the parameter: rtl/red/SPEC.md \
                has all"
                    .into(),
            )
        }
        Fault::Broke(cause) => Problem::failure(cause, None),
    }
}

fn modes(names: &[String]) -> Result<Vec<Mode>, Problem> {
    let fix = "write sound or paper with options, as in \"sound+gap+idle\"";
    names.iter().map(|name| Mode::read(name).map_err(|cause| refused(cause, fix))).collect()
}

/// A mode with its library.
struct LoadedMode {
    mode: Mode,
    library: Verilated,
}

/// Shows the RTL and its model the same random packets and compares every decision in every bit:
/// `{"packets", "mismatches", "shares", "back_to_back_share", "event_share", "drop_share",
/// "latency_clocks", "clocks", "seconds", "packets_per_second", "seed", "modes": [{"mode",
/// "packets", "shares", ...}], "skipped": [{"mode", "why"}], "short_of": [...], "first_mismatch",
/// "coverage": [...], "rtl", "verilator", "compiler"}`. The first mismatch ends it; `short_of` says
/// where the stimulus had not what it is to have. `progress` is called with the share that is done,
/// about ten times a second, and says whether to go on.
///
/// # Errors
/// Code 2: RTL that does not elaborate or lacks a port, with the tool's line; 4: a program is
/// missing; 130: stopped.
pub fn lockstep(
    asked: &LockstepRequest,
    progress: &dyn Fn(Progress) -> bool,
) -> Result<Value, Problem> {
    if asked.packets == 0 || asked.packets > 1 << 40 || asked.patience == 0 {
        return Err(refused(
            "`packets` and `patience` are numbers from 1 on",
            "write 1000000 \
            packets",
        ));
    }
    let began = Instant::now();
    let sources = match asked.dut.is_empty() {
        true => Sources::Core,
        false => Sources::files(asked.dut.clone(), asked.include.clone()).map_err(lack)?,
    };
    let wanted = match asked.modes.is_empty() {
        true => modes(&DEFAULT.map(String::from))?,
        false => modes(&asked.modes)?,
    };
    let (verilator, compiler) = compile::versions().map_err(lack)?;
    if let Some(dir) = &asked.coverage {
        fs::create_dir_all(dir).map_err(|e| unwritten(dir, &e))?;
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(asked.threads).build();
    let pool = pool.map_err(|e| Problem::failure(format!("no threads: {e}"), None))?;
    let build = |mode: Mode| {
        let made = match asked.coverage {
            Some(_) => Verilated::counting(&sources, &mode.parameters),
            None => Verilated::build(&sources, &mode.parameters),
        };
        (mode, made)
    };
    let stop = AtomicBool::new(false);
    let look = |share: f64| {
        if !progress(Progress { finished: 0, runs: 1, fraction: share }) {
            stop.store(true, Relaxed);
        }
    };
    let built = beside(&pool, &look, &|| 0.0, || {
        let each = |mode| (!stop.load(Relaxed)).then(|| build(mode));
        wanted.into_par_iter().filter_map(each).collect::<Vec<_>>()
    });
    if stop.load(Relaxed) {
        return Err(interrupted());
    }
    let (mut ready, mut skipped) = (vec![], vec![]);
    for (mode, made) in built {
        match made {
            Ok(library) => ready.push(LoadedMode { mode, library }),
            Err(Fault::Parameters(names)) if asked.modes.is_empty() => {
                skipped.push(json!({
                    "mode": mode.name,
                    "why": format!("the core has no parameter {}", names.join(", ")),
                }));
            }
            Err(fault) => return Err(lack(fault)),
        }
    }
    if ready.is_empty() {
        return Err(lack(Fault::Parameters(vec!["that a mode sets".into()])));
    }
    let list: Vec<Mode> = ready.iter().map(|r| r.mode.clone()).collect();
    let work = parts(&list, asked.packets, asked.seed, asked.patience);
    let (done, failed) = (AtomicU64::new(0), AtomicUsize::new(usize::MAX));
    let share = || done.load(Relaxed) as f64 / asked.packets as f64;
    let ran = beside(&pool, &look, &share, || {
        let one = |(k, part): (usize, &Part<'_>)| {
            // Parts before the first that failed are finished, so that what is reported hangs on no
            // thread.
            let goes = |packets| {
                done.fetch_add(packets, Relaxed);
                !stop.load(Relaxed) && k <= failed.load(Relaxed)
            };
            if !goes(0) {
                return Ok(None);
            }
            let of = ready.iter().find(|r| r.mode.name == part.mode.name).expect("a mode of these");
            let ran = run(part, &of.library, asked.coverage.as_deref(), &goes)?;
            if ran.failed.is_some() {
                failed.fetch_min(k, Relaxed);
            }
            Ok(Some(ran))
        };
        work.par_iter().enumerate().map(one).collect::<Result<Vec<_>, Problem>>()
    })?;
    if stop.load(Relaxed) {
        return Err(interrupted());
    }
    let seconds = began.elapsed().as_secs_f64();
    let mut out = assembled(&list, &work, &ran);
    out["seconds"] = json!(seconds);
    out["packets_per_second"] = json!(out["packets"].as_f64().unwrap_or(0.0) / seconds);
    out["seed"] = json!(asked.seed);
    out["skipped"] = json!(skipped);
    let covered =
        work.iter().filter_map(|part| asked.coverage.as_ref().map(|dir| covered(dir, part)));
    out["coverage"] = covered.filter(|path| path.is_file()).map(|path| json!(path)).collect();
    out["rtl"] = match &sources {
        Sources::Core => json!({ "own": true, "hash": sources::hash() }),
        Sources::Files { files, .. } => json!({ "own": false, "files": files }),
    };
    (out["verilator"], out["compiler"]) = (json!(verilator), json!(compiler));
    Ok(out)
}

fn interrupted() -> Problem {
    Problem::new(
        code::INTERRUPTED,
        &[Diagnostic::new("interrupted: nothing was written")],
        &Texts::default(),
    )
}

/// Does `work` on the pool while this thread reports progress.
fn beside<T: Send>(
    pool: &rayon::ThreadPool,
    look: &dyn Fn(f64),
    share: &dyn Fn() -> f64,
    work: impl FnOnce() -> T + Send,
) -> T {
    let (done, is_done) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let _ends = done; // Dropped at the end, by a panic too: the channel closes.
            pool.install(work)
        });
        while let Err(mpsc::RecvTimeoutError::Timeout) = is_done.recv_timeout(BEAT) {
            look(share().min(1.0));
        }
        look(share().min(1.0)); // However short the work was, its end is told.
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// The coverage file of a part.
fn covered(dir: &Path, part: &Part<'_>) -> PathBuf {
    dir.join(format!("{}-{}.dat", part.mode.name.replace(['+', '='], "_"), part.number))
}

fn run(
    part: &Part<'_>,
    library: &Verilated,
    coverage: Option<&Path>,
    go_on: &dyn Fn(u64) -> bool,
) -> Result<Ran, Problem> {
    let broke = |e: io::Error| Problem::failure(e.to_string(), None);
    let make =
        || library.core().map(|core| Box::new(core) as Box<dyn Clocked>).map_err(|e| e.to_string());
    let mut core = library.core().map_err(broke)?;
    let ran =
        part.run_on(&mut core, &make, go_on).map_err(|cause| Problem::failure(cause, None))?;
    if let Some(dir) = coverage {
        let path = covered(dir, part);
        core.coverage(&path).map_err(|e| unwritten(&path, &e))?;
    }
    Ok(ran)
}

fn unwritten(path: &Path, error: &io::Error) -> Problem {
    Problem::failure(
        format!("{} cannot be written: {error}", path.display()),
        Some(
            "is the disk \
        full?"
                .into(),
        ),
    )
}

/// All parts in one document.
fn assembled(modes: &[Mode], work: &[Part<'_>], ran: &[Option<Ran>]) -> Value {
    let of = |name: Option<&str>| {
        let parts =
            work.iter().zip(ran).filter(|(part, _)| name.is_none_or(|n| n == part.mode.name));
        parts
            .filter_map(|(_, ran)| ran.as_ref())
            .fold(Counts::default(), |sum, ran| sum.and(&ran.counts))
    };
    let mut out = measured(&of(None));
    let failed = || {
        work.iter().zip(ran).filter_map(|(part, ran)| Some((part, ran.as_ref()?.failed.as_ref()?)))
    };
    out["mismatches"] = json!(failed().count());
    out["first_mismatch"] =
        failed().next().map_or(Value::Null, |(part, failed)| told(part, failed));
    let mut short_of = vec![];
    let rows = modes.iter().map(|mode| {
        let counts = of(Some(&mode.name));
        let mut row = measured(&counts);
        row["mode"] = json!(mode.name);
        row["parameters"] = mode
            .parameters
            .written()
            .iter()
            .map(|p| (p.name.to_string(), json!(p.value)))
            .collect();
        if counts.packets >= ENOUGH {
            short_of.extend(short(mode, &row));
        }
        row
    });
    out["modes"] = rows.collect();
    out["short_of"] = json!(short_of);
    out
}

/// The cases that the stimulus of a mode has too few of.
fn short(mode: &Mode, row: &Value) -> Vec<String> {
    let share = |of: &Value| of.as_f64().unwrap_or(0.0);
    let regions = ["queueing", "random", "force"]
        .map(|name| (name, share(&row["shares"][name]), LEAST_REGION));
    let behind = if mode.parameters.spaced { 0.0 } else { LEAST_BEHIND };
    let others = [
        ("back to back", share(&row["back_to_back_share"]), behind),
        ("after an event", share(&row["event_share"]), LEAST_EVENTS),
    ];
    let lacking = regions.into_iter().chain(others).filter(|(_, got, least)| got < least);
    let said = |(name, got, least): (&str, f64, f64)| {
        format!(
            "{}: {:.1} % of packets are {name}, and {:.1} % are wanted",
            mode.name,
            100.0 * got,
            100.0 * least
        )
    };
    lacking.map(said).collect()
}

/// The request for vectors.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VectorsRequest {
    dir: PathBuf,
    packets: u64,
    seed: u64,
    mode: String,
}

impl Asked for VectorsRequest {}

/// Writes stimulus and expectation as plain hex, with a bench that reads them and a page about the
/// columns: `{"dir", "files", "packets", "clocks", "shares", ...}`. The directory appears whole or
/// not at all; vectors that stood there are replaced, anything else is not.
///
/// # Errors
/// Code 2: no such mode, or a directory with something else in it; 1: it cannot be written.
pub fn write_vectors(order: &VectorsRequest) -> Result<Value, Problem> {
    let mode = modes(std::slice::from_ref(&order.mode))?.remove(0);
    if order.packets == 0 || order.packets > 100_000_000 {
        return Err(refused("`packets` is 1 to 100000000", "write 10000"));
    }
    let dir = std::path::absolute(&order.dir).map_err(|e| unwritten(&order.dir, &e))?;
    let there: Vec<_> = match fs::read_dir(&dir) {
        Ok(entries) => entries.flatten().map(|e| e.file_name()).collect(),
        Err(e) if e.kind() == io::ErrorKind::NotFound => vec![],
        Err(e) => {
            return Err(refused(
                format!("{} cannot be used: {e}", dir.display()),
                "name a \
            directory",
            ));
        }
    };
    if let Some(other) = there.iter().find(|name| vectors::FILES.iter().all(|own| *name != own)) {
        let cause = format!("{} has something else in it: {}", dir.display(), other.display());
        return Err(refused(cause, "name a directory that is empty or not there"));
    }
    let counts = into(&dir, &mode, order).map_err(|e| unwritten(&dir, &e))?;
    let mut out = measured(&counts);
    out["dir"] = json!(order.dir);
    out["files"] = json!(vectors::FILES);
    out["mode"] = json!(mode.name);
    out["seed"] = json!(order.seed);
    Ok(out)
}

/// Into a new directory beside `dir`, which then takes its place.
fn into(dir: &Path, mode: &Mode, order: &VectorsRequest) -> io::Result<Counts> {
    let parent = durable::parent(dir);
    durable::create_dir_all(parent)?;
    let growing = StagingDir::new(parent)?;
    let new = growing.path().join("new");
    fs::create_dir(&new)?;
    let [stimulus, expected, bench, readme] = vectors::FILES.map(|name| new.join(name));
    let (mut lines, mut said) =
        (BufWriter::new(File::create(stimulus)?), BufWriter::new(File::create(expected)?));
    let written = vectors::write(mode, order.packets, order.seed, &mut lines, &mut said)?;
    lines.flush()?;
    said.flush()?;
    fs::write(bench, &written.bench)?;
    fs::write(readme, &written.readme)?;
    durable::sync_tree(&new)?;
    durable::replace_dir(&new, dir)?; // Only vectors are in it.
    Ok(written.counts)
}
