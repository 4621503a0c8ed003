//! The API of the command line, the Python package and the web page: a verb and its request as JSON
//! in; a document as JSON, or a table of results as Arrow, out.
//!
//! A verb is a function in its room and one entry in the table below.
use crate::files::environment::builtin_plugins;
use crate::language::plugins::PluginLoader;
use crate::language::problem::{Diagnostic, Problem, Texts, code};
use crate::language::{catalogue, schema, warnings};
use crate::resolve::hosts;
use crate::results::series;
use crate::run;
pub use crate::run::shown_plan::plan_hash;
use crate::run::{bench, conformance, lfsr_autocorrelation, lockstep, remote, script, shell};
use crate::run::{shown_plan, testbed};
use crate::store::maintenance;
use crate::verb::Interrupt::{Stops, Waits};
pub use crate::verb::{Answer, Caller, Progress};
use crate::verb::{Asked, Nothing, Unread, Verb};
use crate::view::pack;
use crate::{export, tc};
use dumbbell_core::catalogue::nearest;
use dumbbell_core::plugin::Plugins;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// The table of verbs.
#[rustfmt::skip]
pub static VERBS: LazyLock<Vec<Verb>> = LazyLock::new(|| vec![
    Verb::new("bench", Waits,
        "Makes the first run of a scenario in this process, and measures what it costs.",
        |r, _| bench::bench(&r)),
    Verb::new("catalogue", Waits,
        "Every algorithm by kind with its page, parameters and defaults; TCP's fields, profiles.",
        |_: Nothing, by| Ok(catalogue::catalogue(&all_plugins(by.plugins)))),
    Verb::new("doctor", Waits,
        "What this machine can do for the testbed, with a reason for each ability that it lacks.",
        |_: Nothing, _| Ok(testbed::doctor())),
    Verb::new("draft", Stops,
        "Checks the syntax and the names of a scenario that may still lack something.",
        |r, by| shown_plan::draft(&r, by.plugins)),
    Verb::new("drive", Stops,
        "Sends a trace of packets through a queue, or takes a congestion control through events.",
        |r, by| conformance::drive(&r, by.plugins)),
    Verb::new("enclose", Waits,
        "Runs a command in a user namespace, where it may make hosts without being root.",
        |r, _| testbed::enclose(r)),
    Verb::new("export", Waits,
        "Writes a run's records in a format of other programs.",
        |r, _| export::export(&r)),
    Verb::new("export_tc", Waits,
        "A link of a plan as lines for Linux's tc.",
        |r: Unread<tc::ExportRequest>, by| tc::export(&r.0, &all_plugins(by.plugins))),
    Verb::new("gauges", Waits,
        "The values that the queues of a scenario's first point show when it starts.",
        |r, by| shown_plan::gauges(&r, by.plugins)),
    Verb::new("gigabyte", Stops,
        "Measures the processor time that a gigabyte costs two real hosts.",
        |r, by| testbed::cpu_cost(&r, by.progress)),
    Verb::new("host_cost", Waits,
        "What packets of each size cost a host, in closed form.",
        |r: Unread<hosts::CostRequest>, _| hosts::cost(&r.0)),
    Verb::new("import_tc", Waits,
        "Lines of Linux's tc as tables of a scenario.",
        |r: tc::ImportRequest, _| tc::import(&r.text)),
    Verb::new("jobs", Stops,
        "The runs of a request that its store lacks, for workers.",
        |r, _| remote::jobs(&r)),
    Verb::new("keep", Waits,
        "Writes rows that workers sent to a store.",
        |r, _| remote::keep(&r)),
    Verb::new("nearest", Waits,
        "The known name that a word was probably meant to be, or null.",
        |r, _| Ok(near(&r))),
    Verb::new("pack", Waits,
        "Tables of results in the form in which pages carry them.",
        |r, _| pack::pack(r)),
    Verb::new("paths", Stops,
        "The paths of a scenario's flows, and between how many of equal cost each was chosen.",
        |r, by| shown_plan::paths(&r, by.plugins)),
    Verb::new("plan", Stops,
        "The points of a scenario with every default resolved.",
        |r, by| shown_plan::plan(&r, by.plugins)),
    Verb::new("read_capture", Waits,
        "The connections or flows of a capture (pcapng, pcap) or a trace of ns-2.",
        |r, _| export::import::read(&r)),
    Verb::new("replay", Stops,
        "Makes a live run again from its log.",
        |r, _| testbed::replay(&r)),
    Verb::new("result_schema", Waits,
        "JSON Schema of a result; each measurement has its unit, meaning and better direction.",
        |_: Nothing, _| Ok(crate::results::schema::schema())),
    Verb::new("rtl_lags", Waits,
        "How much one draw of the hardware's shift register says of a later one.",
        |r, _| lfsr_autocorrelation::answer(&r)),
    Verb::new("rtl_lockstep", Stops,
        "Shows RED's RTL and its model the same random packets, and compares every decision.",
        |r, by| lockstep::lockstep(&r, by.progress)),
    Verb::new("rtl_vectors", Waits,
        "Writes stimulus and expectation of RED's RTL as plain hex.",
        |r, _| lockstep::write_vectors(&r)),
    Verb::new("run", Stops,
        "Runs a scenario, on the simulator or on the testbed.",
        |r, by| run::run(&r, by)),
    Verb::new("schema", Waits,
        "JSON Schema of a scenario file.",
        |_: Nothing, by| Ok(schema::schema(&all_plugins(by.plugins)))),
    Verb::new("script", Waits,
        "Runs a script that tests one end of a TCP step by step.",
        |r: script::ScriptRequest, _| script::run(&r.text, &r.name)),
    Verb::new("sharing", Stops,
        "How much of each flow's path other flows share, for the first point of a scenario.",
        |r, by| shown_plan::sharing(&r, by.plugins)),
    Verb::new("shell", Waits,
        "Runs a program in a host of a network; an interrupt is for the program.",
        shell::shell),
    Verb::new("store", Waits,
        "Looks after a store: check, list, repair, gc.",
        |r, _| maintenance::care(&r)),
    Verb::new("table", Waits,
        "One table of the rows of several runs, in tidy form.",
        |r, _| series::table(r)),
    Verb::new("test", Stops,
        "Applies the conformance suite of the catalogue to the caller's algorithms.",
        |_: Nothing, by| Ok(conformance::test(&by.plugins.given()))),
    Verb::new("warnings", Waits,
        "The warnings that `check` and `run` may give, with their explanations.",
        |_: Nothing, _| Ok(json!(warnings::ALL))),
    Verb::new("work", Waits,
        "Makes runs for another machine.",
        |r, _| remote::work(r)),
]);

/// Calls a verb.
///
/// # Errors
/// Code 1: there is no such verb; 2: the request is wrong; and those of the verb.
pub fn call(verb: &str, request: &Value, caller: &Caller<'_>) -> Result<Answer, Problem> {
    match VERBS.iter().find(|known| known.name == verb) {
        Some(known) => known.call(request, caller),
        None => Err(unknown(verb)),
    }
}

/// [`call`] with a request as JSON text.
///
/// # Errors
/// As [`call`].
pub fn call_text(verb: &str, request: &str, caller: &Caller<'_>) -> Result<Answer, Problem> {
    call(verb, &read(request)?, caller)
}

/// A request that came as JSON text. The caller of the API writes the JSON, so in one that cannot
/// be read some name or number cannot be written as JSON.
///
/// # Errors
/// Code 2.
pub fn read(request: &str) -> Result<Value, Problem> {
    serde_json::from_str(request).map_err(|error| {
        let d = Diagnostic::new(format!("the request cannot be read: {error}"));
        let fix = "names of files and other texts are UTF-8, and numbers are finite";
        Problem::new(code::SCENARIO, &[d.fix(fix)], &Texts::default())
    })
}

/// The document that a verb answers to a Rust program.
///
/// # Errors
/// As [`call`].
pub fn ask(verb: &str, request: &Value, caller: &Caller<'_>) -> Result<Value, Problem> {
    Ok(match call(verb, request, caller)? {
        Answer::Document(document) => document,
        Answer::Text(text) => serde_json::from_str(&text).unwrap_or_default(),
        Answer::Table(_) => Value::Null,
    })
}

/// The points of a scenario with every default resolved, for a Rust program. See
/// [`shown_plan::plan`].
///
/// # Errors
/// Code 2, with every error that was found.
pub fn plan(request: &Value) -> Result<Value, Problem> {
    ask("plan", request, &Caller::PLAIN)
}

/// Runs a scenario for a Rust program; see [`crate::results`] for the document and [`run::run`].
///
/// # Errors
/// As [`run::run`].
pub fn run(request: &Value, progress: &dyn Fn(Progress) -> bool) -> Result<Value, Problem> {
    ask("run", request, &Caller { progress, ..Caller::PLAIN })
}

/// The table of verbs as a document:
/// `{"verbs": {NAME: {"about", "request": SCHEMA, "answer": "document" | "table",
/// "interruptible"}}, "$defs": {...}}`. A request's schema refers to `$defs`.
pub fn verbs() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut told = Map::new();
    for verb in VERBS.iter() {
        let entry = json!({
            "about": verb.about,
            "request": (verb.request)(&mut generator),
            "answer": if verb.table { "table" } else { "document" },
            "interruptible": verb.interrupt == Stops,
        });
        told.insert(verb.name.into(), entry);
    }
    json!({ "verbs": told, "$defs": generator.take_definitions(true) })
}

/// The plugins that came with a call and the built-in ones.
fn all_plugins(loader: &dyn PluginLoader) -> Plugins {
    let mut all = builtin_plugins();
    all.add(loader.given());
    all
}

fn unknown(verb: &str) -> Problem {
    let known: Vec<&str> = VERBS.iter().map(|known| known.name).collect();
    let fix = match nearest(verb, &known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", known.join(", ")),
    };
    Problem::failure(format!("there is no verb `{verb}`"), Some(fix))
}

impl Asked for tc::ImportRequest {}

/// A word, and the names that it may have been meant to be.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NearestRequest {
    written: String,
    known: Vec<String>,
}

impl Asked for NearestRequest {}

/// The rule of every "did you mean".
fn near(request: &NearestRequest) -> Value {
    let known: Vec<&str> = request.known.iter().map(String::as_str).collect();
    json!(nearest(&request.written, &known))
}
