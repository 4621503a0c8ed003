//! The API of the command line, the Python package and the web page: JSON in, JSON out; tables of
//! results come out as Arrow.
use crate::files::durable;
use crate::files::environment::{ThisMachine, builtin_plugins};
use crate::language::plugins::{NoPlugins, PluginLoader};
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::resolve::limits;
use crate::resolve::study::Study;
use crate::results::arrow_table::ArrowTable;
pub use crate::run::Progress;
use crate::run::request::{On, Request};
use dumbbell_core::plugin::Plugins;
use dumbbell_core::units::Span;
use dumbbell_plan::Plan;
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{self, BufWriter};
use std::path::Path;

/// Every algorithm of every kind, TCP's fields and profiles. See
/// [`crate::language::catalogue::catalogue`].
pub fn catalogue() -> Value {
    catalogue_with(&Plugins::default())
}

/// [`catalogue`] with what a user brought: such a page has `language` and `file`.
pub fn catalogue_with(plugins: &Plugins) -> Value {
    crate::language::catalogue::catalogue(&with_always(plugins))
}

/// A user's plugins and the built-in ones.
fn with_always(plugins: &Plugins) -> Plugins {
    let mut all = builtin_plugins();
    all.add(plugins.clone());
    all
}

/// JSON Schema of a scenario file. See [`crate::language::schema::schema`].
pub fn schema() -> Value {
    schema_with(&Plugins::default())
}

/// [`schema`] with what a user brought.
pub fn schema_with(plugins: &Plugins) -> Value {
    crate::language::schema::schema(&with_always(plugins))
}

/// Reads and checks a scenario, and shows what it means:
/// `{"name", "title", "points": [{"overrides", "seeds", "plan", "plan_hash",
/// "packet_hops_estimate"}], "points_total", "runs_total", "duration", "flows", "links",
/// "scenario", "notes"}`; these are the first point's. Each plan is that of the point's first seed;
/// `request.points` limits how many points are shown: a plan of a million flows is a document of
/// gigabytes.
///
/// # Errors
/// Code 2, with every error that was found.
pub fn plan(request: &Value) -> Result<Value, Problem> {
    plan_with(request, &NoPlugins)
}

/// [`plan`], of a scenario that may name algorithms which `loader` brings.
///
/// # Errors
/// As [`plan`], and what is wrong with a file that the scenario uses.
pub fn plan_with(request: &Value, loader: &dyn PluginLoader) -> Result<Value, Problem> {
    planned(request, loader, |shown| serde_json::to_value(shown).unwrap_or_default())
}

/// Checks the syntax and the names of a scenario that may still lack something: see
/// [`Study::draft`].
///
/// # Errors
/// Code 2, with every error that was found.
pub fn draft(request: &Value, loader: &dyn PluginLoader) -> Result<(), Problem> {
    Study::draft(&Request::read(request)?.study_input(), &ThisMachine, loader)
}

/// Returns how much of each flow's path other flows share, for the first point: see
/// [`crate::resolve::path_sharing::sharing`].
///
/// # Errors
/// As [`plan_with`].
pub fn sharing(request: &Value, loader: &dyn PluginLoader) -> Result<Value, Problem> {
    let study = Study::with(&Request::read(request)?.study_input(), &ThisMachine, loader, false)?;
    let one = &study.points[0];
    Ok(crate::resolve::path_sharing::sharing(&study.plan(one, one.seed())?))
}

/// [`plan_with`] as a text: the tree of a plan of many flows would be ten times as large.
///
/// # Errors
/// As [`plan_with`].
pub fn plan_text(request: &Value, loader: &dyn PluginLoader) -> Result<String, Problem> {
    planned(request, loader, |shown| serde_json::to_string(shown).unwrap_or_default())
}

/// The answer of [`plan`].
#[derive(Serialize)]
struct Shown<'a> {
    name: &'a str,
    title: Option<&'a str>,
    points: Vec<ShownPoint<'a>>,
    points_total: usize,
    runs_total: usize,
    duration: Span,
    flows: usize,
    links: usize,
    scenario: &'a Value,
    notes: &'a [String],
}

#[derive(Serialize)]
struct ShownPoint<'a> {
    overrides: &'a Map<String, Value>,
    seeds: &'a [u64],
    plan_hash: String,
    packet_hops_estimate: f64,
    plan: Plan,
}

fn planned<T>(
    request: &Value,
    loader: &dyn PluginLoader,
    show: impl FnOnce(&Shown<'_>) -> T,
) -> Result<T, Problem> {
    let request = Request::read(request)?;
    let study = Study::with(&request.study_input(), &ThisMachine, loader, request.keep_going)?;
    let most = request.points.unwrap_or(usize::MAX);
    let mut points = Vec::new();
    let sound = || study.points.iter().filter(|p| p.wrong.is_none());
    for point in sound().take(most) {
        let mut plan = study.plan(point, point.seeds[0])?;
        if request.on == On::Kernel {
            plan.testbed = point.testbed();
        }
        points.push(ShownPoint {
            overrides: &point.overrides,
            seeds: &point.seeds,
            plan_hash: plan_hash(&plan),
            packet_hops_estimate: limits::packet_hops(&plan),
            plan,
        });
    }
    let one = sound().next().unwrap_or(&study.points[0]);
    // A host's processor is no link that anybody laid.
    let laid = |plan: &Plan| plan.links.iter().filter(|link| link.host.is_none()).count();
    let of = |plan: &Plan| (plan.duration, plan.flows.len(), laid(plan));
    let (duration, flows, links) = match points.first() {
        Some(first) if first.plan.seed == one.seed() => of(&first.plan),
        _ => of(&study.plan(one, one.seed())?),
    };
    Ok(show(&Shown {
        name: &study.name,
        title: study.title.as_deref(),
        points_total: study.points.len(),
        runs_total: study.points.iter().map(|p| p.seeds.len()).sum(),
        scenario: &study.resolved,
        notes: &study.notes,
        points,
        duration,
        flows,
        links,
    }))
}

/// Runs a scenario; see [`crate::results`] for the document. `progress` is called on this thread,
/// about ten times a second; when it says false, the runs stop. A run that breaks a conservation
/// law is no error: its result says `"valid": false`, `"code": 5`, and where.
///
/// # Errors
/// Code 2: every error of the scenario; 1: records cannot be written; 130: stopped. Nothing is
/// written then.
pub fn run(request: &Value, progress: &dyn Fn(Progress) -> bool) -> Result<Value, Problem> {
    run_with(request, progress, &NoPlugins)
}

/// [`run`], of a scenario that may name algorithms which `loader` brings.
///
/// # Errors
/// As [`run`]; 1 too: such an algorithm failed, with its name, the simulated time and where it is
/// written.
pub fn run_with(
    request: &Value,
    progress: &dyn Fn(Progress) -> bool,
    loader: &dyn PluginLoader,
) -> Result<Value, Problem> {
    crate::run::run(request, progress, loader)
}

/// Makes the first run of the first point of a scenario and says what it costs, for a process that
/// does nothing else. Asked is `{"run": as for [`run`], "only_set_up": false}`; with `out`, which
/// must be there, and `record` series are written and are part of the cost. Times are processor
/// time: `plan_s` (from text to plan), `setup_s` (from plan to world), `run_s` of the running
/// thread, `run_process_s` of all threads, `run_wall_s`; memory is `rss_start_bytes`,
/// `rss_planned_bytes`, `rss_set_up_bytes`, `peak_rss_bytes`, null where there is no /proc.
/// `calibration_ns` are steps of a loop that never changes, before and after. What was run:
/// `packet_hops`, `events`, `fingerprint`, `delivered` packets and `drop_rate` of the queues that
/// are reported, `flow_goodput_bps`.
///
/// # Errors
/// As [`run`]; code 5: a conservation law is broken.
pub fn bench(order: &Value) -> Result<Value, Problem> {
    crate::run::bench::bench(order)
}

/// Looks after a store; see [`crate::store::maintenance::care`].
///
/// # Errors
/// Code 2: there is no store; 3: it is damaged; 1: it cannot be read or written, or is in use.
pub fn store(request: &Value) -> Result<Value, Problem> {
    crate::store::maintenance::care(request)
}

/// The runs of a request that its store has not, for workers; see [`crate::run::remote::jobs`].
///
/// # Errors
/// As [`run`].
pub fn jobs(request: &Value) -> Result<Value, Problem> {
    crate::run::remote::jobs(request)
}

/// Makes runs for another machine; see [`crate::run::remote::work`].
///
/// # Errors
/// Code 1: this release has other results, or the store cannot be written.
pub fn work(order: &Value) -> Result<Value, Problem> {
    crate::run::remote::work(order)
}

/// Keeps rows that workers sent; see [`crate::run::remote::keep`].
///
/// # Errors
/// Code 1: the store cannot be written.
pub fn keep(request: &Value) -> Result<Value, Problem> {
    crate::run::remote::keep(request)
}

/// The text of a `summary.json`, checked against the digest that it ends with; see
/// [`crate::results::manifest`].
///
/// # Errors
/// Code 2: there is none, or it cannot be read; 3: it is damaged.
pub fn summary(file: &Path) -> Result<String, Problem> {
    crate::results::manifest::text(file)
}

/// Checks a file of a result directory against its summary; see
/// [`crate::results::manifest::check`].
///
/// # Errors
/// Code 3: it is damaged; 2: it cannot be read.
pub fn check_file(file: &Path) -> Result<bool, Problem> {
    crate::results::manifest::check(file)
}

/// Writes `file` whole or leaves it as it was, and makes the folder that it is in. `new`: there
/// must be no such file.
///
/// # Errors
/// Code 1: it cannot be written.
pub fn write_file(file: &Path, bytes: &[u8], new: bool) -> Result<(), Problem> {
    let write = || -> io::Result<()> {
        durable::create_dir_all(durable::parent(file))?;
        match new {
            false => durable::write(file, bytes),
            true if durable::write_new(file, bytes)? => Ok(()),
            true => Err(io::ErrorKind::AlreadyExists.into()),
        }
    };
    write().map_err(|e| durable::unwritten(file, &e))
}

/// The problem of a request that is not JSON. The caller of the API writes the JSON, so some name
/// or number cannot be written as JSON.
pub fn not_json(error: &serde_json::Error) -> Problem {
    let d = Diagnostic::new(format!("the request cannot be read: {error}"));
    let fix = "names of files and other texts are UTF-8, and numbers are finite";
    Problem::new(code::SCENARIO, &[d.fix(fix)], &Texts::default())
}

/// One table of several runs, in tidy form. `request` is a list of
/// `{"labels": {...}, "file": PATH}` for files of records, or `{"labels": {...}, "rows": [...]}`
/// for a result's flows or queues: each row of a run has its labels (such as point and seed) before
/// its own columns.
///
/// # Errors
/// Code 2: the request is wrong; 3: a file is missing or damaged; 1: it does not go with the
/// others.
pub fn table(request: &Value) -> Result<ArrowTable, Problem> {
    crate::results::series::table(request)
}

/// Runs a script that tests one end of a TCP step by step (see [`dumbbell_script`]); `name` is what
/// messages call it:
/// `{"file", "ok", "failures": [{"file", "line", "column", "at_s", "expected", "came", "history",
/// "rendered"}]}`.
///
/// # Errors
/// Code 2, with every line that cannot be read.
pub fn script(text: &str, name: &str) -> Result<Value, Problem> {
    crate::run::script::run(text, name)
}

/// Lines of Linux's `tc` as tables of a scenario. See [`crate::tc::import`].
///
/// # Errors
/// Code 2: every word that is unknown or cannot be said, with its position.
pub fn import_tc(text: &str) -> Result<Value, Problem> {
    crate::tc::import(text)
}

/// A link of a plan as lines for Linux's `tc`. See [`crate::tc::export`].
///
/// # Errors
/// Code 2: what tc cannot say, by name.
pub fn export_tc(request: &Value) -> Result<Value, Problem> {
    crate::tc::export(request)
}

/// Returns the cost of packets on a host without a run. See [`crate::resolve::hosts::cost`].
///
/// # Errors
/// Code 2: what is wrong with the processor or the sizes.
pub fn host_cost(request: &Value) -> Result<Value, Problem> {
    crate::resolve::hosts::cost(request)
}

/// Returns exactly how much likelier a drop of `red_hw` becomes some clocks or packets after
/// another drop. The request is `{"mode", "from", "to", "p"}`, where `mode` is `paper` or
/// `dense_free` (spacings in clocks) or `sound` (in packets); the answer is
/// `{"p", "threshold", "rows": [{"spacing", "again", "drops", "probability"}]}`.
///
/// # Errors
/// Code 2: what is wrong with the request.
pub fn rtl_lags(request: &Value) -> Result<Value, Problem> {
    crate::run::lfsr_autocorrelation::answer(request)
}

/// Writes a run's records in a format of [`crate::export::FORMATS`]. Asked is
/// `{"format", "result", "flow", "at", "departed", "snaplen", "table", "out"}`, all but the first
/// two optional ([`crate::export::Options`] says what they are); the answer has `format`, `out`,
/// `bytes`, `notes`, and what was counted: `packets` and `interfaces`, `lines`, `rows` or `series`.
/// Without `out` the export goes to standard output.
///
/// # Errors
/// Code 2: no such format, result, flow, place or table, or nothing recorded for it; 3: a record is
/// damaged; 1: the file cannot be written. A file appears whole or not at all.
pub fn export(request: &Value) -> Result<Value, Problem> {
    crate::export::export(request)
}

/// Reads a capture (pcapng, pcap) or a trace of ns-2, `{"file"}`: TCP connections with packets,
/// bytes, repetitions, round-trip times and losses, or flows with packets and drops. A file that is
/// cut or damaged has `code` 1 and `damage`, with what stands before that place.
///
/// # Errors
/// Code 2: there is no such file.
pub fn read_capture(request: &Value) -> Result<Value, Problem> {
    crate::export::import::read(request)
}

/// The known name that a word was probably meant to be: the rule of every "did you mean".
pub fn nearest<'a>(written: &str, known: &'a [String]) -> Option<&'a str> {
    dumbbell_core::catalogue::nearest(
        written,
        &known.iter().map(String::as_str).collect::<Vec<_>>(),
    )
}

/// RED's RTL beside its model. See [`crate::run::lockstep::lockstep`].
///
/// # Errors
/// Code 2: RTL that is no such core, with the tool's line; 4: a program is missing; 130: stopped.
pub fn rtl_lockstep(request: &Value, progress: &dyn Fn(f64) -> bool) -> Result<Value, Problem> {
    crate::run::lockstep::lockstep(request, progress)
}

/// Stimulus and expectation of RED's RTL as plain hex. See [`crate::run::lockstep::write_vectors`].
///
/// # Errors
/// Code 2: what is asked is wrong; 1: it cannot be written.
pub fn rtl_vectors(request: &Value) -> Result<Value, Problem> {
    crate::run::lockstep::write_vectors(request)
}

/// A hash of everything that a plan says: equal plans have equal results.
pub fn plan_hash(plan: &Plan) -> String {
    let mut out = BufWriter::with_capacity(1 << 16, blake3::Hasher::new());
    let written = serde_json::to_writer(&mut out, plan);
    match (written, out.into_inner()) {
        (Ok(()), Ok(hasher)) => hasher.finalize().to_hex()[..16].to_string(),
        // A plan is plain data and a hasher takes all: there is no error to be had.
        _ => String::new(),
    }
}
