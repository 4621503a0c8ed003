//! What a scenario means, without a run: its plans, what its flows share, and whether its text is
//! sound.
use crate::files::environment::ThisMachine;
use crate::language::plugins::PluginLoader;
use crate::language::problem::Problem;
use crate::resolve::study::Study;
use crate::resolve::{limits, path_sharing};
use crate::run::request::{On, Request};
use dumbbell_core::units::Span;
use dumbbell_plan::{Link, Plan};
use dumbbell_results::series::gauges;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::io::BufWriter;

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
    warnings: Vec<Value>,
}

#[derive(Serialize)]
struct ShownPoint<'a> {
    overrides: &'a Map<String, Value>,
    seeds: &'a [u64],
    plan_hash: String,
    packet_hops_estimate: f64,
    plan: Plan,
}

/// Reads and checks a scenario, and shows what it means, as JSON text:
/// `{"name", "title", "points": [{"overrides", "seeds", "plan", "plan_hash",
/// "packet_hops_estimate"}], "points_total", "runs_total", "duration", "flows", "links",
/// "scenario", "notes", "warnings"}`; these are the first point's. Each plan is that of the point's
/// first seed; `request.points` limits how many points are shown: a plan of a million flows is a
/// document of gigabytes. Warnings are as
/// [`Warning::json`](crate::language::problem::Warning::json) has them.
///
/// # Errors
/// Code 2, with every error that was found; and what is wrong with a file that the scenario uses.
pub fn plan(request: &Request, loader: &dyn PluginLoader) -> Result<String, Problem> {
    let mut study = Study::with(&request.study_input(), &ThisMachine, loader, request.keep_going)?;
    request.lint(&mut study);
    let most = request.points.unwrap_or(usize::MAX);
    let mut points = Vec::new();
    let sound = || study.points.iter().filter(|p| p.wrong.is_none());
    for point in sound().take(most) {
        let mut plan = study.plan(point, point.seeds[0])?;
        if request.on != On::Sim {
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
    let shown = Shown {
        name: &study.name,
        title: study.title.as_deref(),
        points_total: study.points.len(),
        runs_total: study.points.iter().map(|p| p.seeds.len()).sum(),
        scenario: &study.resolved,
        notes: &study.notes,
        warnings: study.warnings(),
        points,
        duration,
        flows,
        links,
    };
    Ok(serde_json::to_string(&shown).unwrap_or_default())
}

/// Checks the syntax and the names of a scenario that may still lack something: see
/// [`Study::draft`].
///
/// # Errors
/// Code 2, with every error that was found.
pub fn draft(request: &Request, loader: &dyn PluginLoader) -> Result<Value, Problem> {
    Study::draft(&request.study_input(), &ThisMachine, loader).map(|()| Value::Null)
}

/// Returns how much of each flow's path other flows share, for the first point: see
/// [`path_sharing::sharing`].
///
/// # Errors
/// As [`plan`].
pub fn sharing(request: &Request, loader: &dyn PluginLoader) -> Result<Value, Problem> {
    let study = Study::with(&request.study_input(), &ThisMachine, loader, false)?;
    let one = &study.points[0];
    Ok(path_sharing::sharing(&study.plan(one, one.seed())?))
}

/// The paths of the flows of the first point: routers and numbers of equal paths, as JSON.
///
/// # Errors
/// As [`plan`].
pub fn paths(request: &Request, loader: &dyn PluginLoader) -> Result<Value, Problem> {
    let study = Study::with(&request.study_input(), &ThisMachine, loader, false)?;
    Ok(study.points[0].paths(&study.plugins))
}

/// The gauges that the queues of the first point show when it starts, by link: a number, or null
/// for one that has none yet.
///
/// # Errors
/// As [`plan`].
pub fn gauges(request: &Request, loader: &dyn PluginLoader) -> Result<Value, Problem> {
    let study = Study::with(&request.study_input(), &ThisMachine, loader, false)?;
    let one = &study.points[0];
    let plan = study.plan(one, one.seed())?;
    let shown = |link: &Link| {
        let gauges = gauges::of_link(link, &study.plugins);
        let gauges = gauges.into_iter().map(|(name, value)| (name.to_string(), json!(value)));
        (link.name.to_string(), Value::Object(gauges.collect()))
    };
    Ok(Value::Object(plan.links.iter().filter(|link| link.report).map(shown).collect()))
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
