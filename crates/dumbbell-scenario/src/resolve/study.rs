//! A study: a scenario with all overrides applied, as points that can be planned.
use crate::language::environment::{Environment, NoFiles};
use crate::language::load::{Source, load, refuse_newer};
use crate::language::node::{Node, path};
use crate::language::overrides::Override;
use crate::language::plugins;
use crate::language::plugins::{NoPlugins, PluginLoader};
use crate::language::problem::{Check, Diagnostic, Problem, Texts, Warning, code};
use crate::language::read;
use crate::language::scenario::Scenario;
use crate::language::stop_rule::{self, Rule};
use crate::language::sweep;
use crate::language::sweep::Point;
use crate::language::traces::Traces;
use crate::language::{deser, draft, lookup};
use crate::resolve;
use crate::resolve::limits::MOST_RUNS;
use crate::resolve::lints::allow;
use crate::resolve::lints::kernel::{self, Written};
use crate::resolve::paths;
use dumbbell_core::plugin::Plugins;
use dumbbell_plan::{Plan, Testbed};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The most points whose plans are kept from the check to the run, and the most links of such a
/// plan: tens of megabytes.
const PLANS_KEPT: usize = 10_000;
const LINKS_KEPT: usize = 200;

/// The parts from which a study is made.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyInput {
    /// The scenario.
    pub source: Source,
    /// `KEY=VALUE`, in order; they win over the file and over its sweep.
    pub overrides: Vec<String>,
    /// Keys of the scenario that the caller sets by name (`seed`, `replications`, `record`); they
    /// win over all.
    pub also: Map<String, Value>,
    /// Files with algorithms of the user's own, beside those that the scenario uses.
    pub uses: Vec<PathBuf>,
}

/// A scenario, all overrides and its sweep laid out.
#[derive(Clone, Debug)]
pub struct Study {
    texts: Texts,
    /// The name.
    pub name: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Its points, at least one.
    pub points: Vec<StudyPoint>,
    /// True if it has a sweep.
    pub swept: bool,
    /// The scenario with overrides, before the sweep, as a dictionary that says the same.
    pub resolved: Value,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// The profile as the user wrote it.
    written: Written,
    /// Warnings about its points.
    warnings: Vec<Warning>,
    /// Algorithms of the user's own that its plans may name.
    pub plugins: Plugins,
}

/// A point that was read, and that can be planned.
#[derive(Clone, Debug)]
pub struct StudyPoint {
    /// Its overrides by path, as the sweep names them.
    pub overrides: Map<String, Value>,
    /// The seeds of its runs; with a rule, of the first of them.
    pub seeds: Vec<u64>,
    /// The rule by which it has enough runs.
    pub stop: Option<Rule>,
    /// Why it cannot be run: the error of a row.
    pub wrong: Option<Value>,
    root: Node,
    scenario: Option<Scenario>,
    /// The plan of its first seed, if all of them are no burden.
    first: Option<Plan>,
}

impl Study {
    /// Reads and checks everything, the plan of each point's first seed too.
    ///
    /// # Errors
    /// Code 2, with every error that was found.
    pub fn new(input: &StudyInput) -> Result<Study, Problem> {
        Study::with(input, &NoFiles, &NoPlugins, false)
    }

    /// Reads and checks a scenario that may name algorithms which `loader` loads. With
    /// `keep_going`, the error of a wrong point of a sweep goes into its row, unless all points are
    /// wrong.
    ///
    /// # Errors
    /// As [`Study::new`], and what is wrong with a file that the scenario uses.
    pub fn with(
        input: &StudyInput,
        environment: &dyn Environment,
        loader: &dyn PluginLoader,
        keep_going: bool,
    ) -> Result<Study, Problem> {
        let mut texts = Texts::default();
        let mut check = Check::default();
        match build(input, environment, loader, &mut texts, &mut check) {
            Some(built) if check.ok() => ready(input, environment, texts, built, check, keep_going),
            _ => Err(Problem::new(code::SCENARIO, &check.found, &texts)),
        }
    }

    /// Reads a scenario that may still lack something, and checks its syntax and names at a cost
    /// that does not depend on the size of its network: of a sweep the first point. See
    /// [`crate::language::draft::check`].
    ///
    /// # Errors
    /// As [`Study::with`], of what is checked.
    pub fn draft(
        input: &StudyInput,
        environment: &dyn Environment,
        loader: &dyn PluginLoader,
    ) -> Result<(), Problem> {
        let (mut texts, mut check) = (Texts::default(), Check::default());
        if let Some(Built { mut root, points, .. }) =
            build(input, environment, loader, &mut texts, &mut check)
        {
            points
                .first()
                .into_iter()
                .flat_map(|p| &p.set)
                .for_each(|o| o.apply(&mut root, &mut check));
            draft::check(&root, &mut check);
        }
        if check.ok() { Ok(()) } else { Err(Problem::new(code::SCENARIO, &check.found, &texts)) }
    }

    /// Its warnings, for programs: see [`Warning::json`].
    pub fn warnings(&self) -> Vec<Value> {
        let total = self.swept.then_some(self.points.len());
        self.warnings.iter().map(|w| w.json(&self.texts, total)).collect()
    }

    /// Adds the warnings that concern only runs on real kernels.
    ///
    /// They look at the profile that the user wrote: such a run replaces it.
    pub fn lint_for_kernel(&mut self) {
        for point in &self.points {
            let Some(scenario) = &point.scenario else { continue };
            let mut check = Check::default();
            kernel::profile(&self.written, &mut check);
            allow::silence(&scenario.allow, &mut check);
            self.warnings.append(&mut check.warnings);
        }
        self.warnings = Warning::merge(std::mem::take(&mut self.warnings));
    }

    /// The plan of `point` for `seed`.
    ///
    /// # Errors
    /// Code 2, with every error that was found: another seed can only fail where the first did.
    pub fn plan(&self, point: &StudyPoint, seed: u64) -> Result<Plan, Problem> {
        if let Some(first) = point.first.as_ref().filter(|plan| plan.seed == seed) {
            return Ok(first.clone());
        }
        let mut check = Check::with(&self.plugins);
        let plan = point
            .scenario
            .as_ref()
            .and_then(|s| resolve::plan(s, &point.root, &self.name, seed, &mut check));
        plan.ok_or_else(|| Problem::new(code::SCENARIO, &check.found, &self.texts))
    }
}

impl StudyPoint {
    /// Duration and warm-up of its runs, seconds.
    pub fn window(&self) -> (f64, f64) {
        self.scenario.as_ref().map_or((0.0, 0.0), |s| (s.duration.seconds(), s.warmup.seconds()))
    }

    /// The settings of runs between real hosts.
    pub fn testbed(&self) -> Testbed {
        self.scenario.as_ref().map_or_else(Testbed::default, |s| s.testbed)
    }

    /// The paths of its flows for the first seed: see [`paths::paths`].
    pub fn paths(&self, plugins: &Plugins) -> Value {
        let scenario = self.scenario.as_ref();
        scenario.map_or(Value::Null, |s| paths::paths(s, &self.root, s.seed, plugins))
    }

    /// The seed of its first run.
    pub fn seed(&self) -> u64 {
        self.scenario.as_ref().map_or(0, |s| s.seed)
    }
}

/// A scenario with its overrides, its sweep laid out.
struct Built {
    root: Node,
    points: Vec<Point>,
    resolved: Value,
    written: Written,
}

fn build(
    input: &StudyInput,
    environment: &dyn Environment,
    loader: &dyn PluginLoader,
    texts: &mut Texts,
    check: &mut Check,
) -> Option<Built> {
    let mut root = load(&input.source, environment, texts, check)?;
    let mut overrides: Vec<Override> =
        input.overrides.iter().filter_map(|o| Override::parse(o, texts, check)).collect();
    if !check.ok() {
        return None;
    }
    overrides.iter().for_each(|o| o.apply(&mut root, check));
    let written = Written::of(&root);
    let also = read::json(texts, "<request>", &Value::Object(input.also.clone()));
    let also: Vec<Override> = also.entries().iter().map(Override::of_entry).collect();
    also.iter().for_each(|o| o.apply(&mut root, check));
    if refuse_newer(&root, check) {
        return None;
    }
    overrides.extend(also);
    check.plugins =
        plugins::gather(&root, &input.uses, environment.builtin_plugins(), loader, check);
    stop_rule::lift(&mut root);
    let mut whole = root.clone();
    // An error in a trace is reported where the trace is used: a sweep may put another in its
    // place.
    Traces::new(environment).inline(&mut whole, texts, &mut Check::default());
    let mut resolved = lookup::settled(&whole, &check.plugins);
    let points = sweep::expand(&mut root, &overrides, check);
    if resolved.get("sweep").is_some() && !overrides.is_empty() {
        // Keys that were overridden from outside are not swept: the remaining points are listed.
        resolved["sweep"] = json!({ "list": points.iter().map(|p| &p.label).collect::<Vec<_>>() });
    }
    check.ok().then_some(Built { root, points, resolved, written })
}

fn ready(
    input: &StudyInput,
    environment: &dyn Environment,
    texts: Texts,
    built: Built,
    mut check: Check,
    keep_going: bool,
) -> Result<Study, Problem> {
    let Built { ref root, points, mut resolved, written } = built;
    let swept = resolved.get("sweep").is_some();
    let text_of = |key: &str| root.get(key).and_then(Node::as_str).map(str::to_string);
    let name = text_of("name").unwrap_or_else(|| input.source.stem());
    resolved["name"] = json!(name);
    let keep = points.len() <= PLANS_KEPT;
    let traces = Mutex::new(Traces::new(environment));
    let read: Vec<(StudyPoint, Check)> = map_each(environment, points, |p| {
        point(root, &name, p, &texts, &traces, &check.plugins, keep)
    });
    let sound = read.iter().any(|(_, check)| check.ok());
    let (mut out, mut warnings) = (Vec::with_capacity(read.len()), Vec::new());
    for (mut ready, own) in read {
        own.notes.into_iter().for_each(|note| check.note(note));
        warnings.extend(own.warnings);
        if keep_going && swept && sound && !own.found.is_empty() {
            let problem = Problem::new(code::SCENARIO, &own.found, &texts);
            ready.wrong = Some(json!({ "code": code::SCENARIO, "message": problem.message() }));
            ready.seeds.clear();
            ready.scenario = None;
        } else {
            check.found.extend(own.found);
        }
        out.push(ready);
    }
    too_many(&out, &mut check);
    if !check.ok() {
        return Err(Problem::new(code::SCENARIO, &check.found, &texts));
    }
    let title = text_of("title");
    let Check { notes, plugins, .. } = check;
    let warnings = Warning::merge(warnings);
    Ok(Study {
        texts,
        name,
        title,
        points: out,
        swept,
        resolved,
        notes,
        written,
        warnings,
        plugins,
    })
}

/// Applies `f` to each item and keeps the order. The environment decides on how many threads.
fn map_each<T: Send, U: Send>(
    environment: &dyn Environment,
    items: Vec<T>,
    f: impl Fn(T) -> U + Sync,
) -> Vec<U> {
    let made: Vec<Mutex<Option<U>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let items: Vec<Mutex<Option<T>>> =
        items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    environment.for_each(items.len(), &|i| {
        let item = items[i].lock().unwrap_or_else(PoisonError::into_inner).take();
        *made[i].lock().unwrap_or_else(PoisonError::into_inner) = item.map(&f);
    });
    let made = made.into_iter().map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner));
    made.map(|one| one.expect("an environment calls its work for each number")).collect()
}

/// Refuses more runs than a request may ask for.
fn too_many(points: &[StudyPoint], check: &mut Check) {
    let mut runs = 0usize;
    let Some(point) = points.iter().find(|p| {
        runs = runs.saturating_add(p.seeds.len());
        runs > MOST_RUNS
    }) else {
        return;
    };
    let d = Diagnostic::new(format!("this asks for more than {MOST_RUNS} runs"));
    let place = point.root.nearest_place(&path(&["replications"]));
    check.error(d.at(place).fix("lower `replications`, or sweep fewer values"));
}

/// Lays a point's overrides over the scenario, reads it and plans its first seed.
fn point(
    root: &Node,
    name: &str,
    point: Point,
    texts: &Texts,
    traces: &Mutex<Traces<'_>>,
    plugins: &Plugins,
    keep: bool,
) -> (StudyPoint, Check) {
    let (mut tree, mut check) = (root.clone(), Check::with(plugins));
    point.set.iter().for_each(|o| o.apply(&mut tree, &mut check));
    let traced = {
        let mut traces = traces.lock().unwrap_or_else(PoisonError::into_inner);
        traces.inline(&mut tree, texts, &mut check);
        !traces.is_empty()
    };
    let scenario = deser::read::<Scenario>(&tree, &[], &mut check);
    let allowed = scenario.as_ref().map_or(&[][..], |s| &s.allow);
    allow::refuse_unknown(allowed, &tree, &mut check);
    let stop = Rule::read(&tree, &mut check);
    let first = scenario.as_ref().and_then(|s| resolve::plan(s, &tree, name, s.seed, &mut check));
    if let (Some(plan), Some(rule)) = (&first, &stop) {
        rule.fits(plan, &tree, &mut check);
    }
    allow::silence(allowed, &mut check);
    let (seed, written) = scenario.as_ref().map_or((0, 0), |s| (s.seed, s.replications));
    let count = if stop.is_some() { written.max(stop_rule::LEAST) } else { written };
    if let Some(rule) = stop.as_ref().filter(|rule| count > rule.most as u64) {
        let d = Diagnostic::new(format!(
            "{count} replications are more than the {} that `stop` \
            allows",
            rule.most
        ));
        check.error(d.at(tree.nearest_place(&path(&["replications"]))).fix(
            "raise `most`, or lower \
            `replications`",
        ));
    }
    let seeds =
        if check.ok() { (0..count).map(|i| seed.wrapping_add(i)).collect() } else { Vec::new() };
    let first = first.filter(|plan| keep && !traced && plan.links.len() <= LINKS_KEPT);
    (
        StudyPoint {
            overrides: point.label,
            seeds,
            stop,
            wrong: None,
            root: tree,
            scenario,
            first,
        },
        check,
    )
}
