//! A study: a scenario with everything laid over it, as points that can be planned.
use crate::bring::{self, Bring, Nothing};
use crate::limits::MOST_RUNS;
use crate::load::{Source, load};
use crate::node::{Node, path};
use crate::overrides::Override;
use crate::problem::{Check, Diagnostic, Problem, Texts, code};
use crate::read;
use crate::scenario::Scenario;
use crate::sweep::{self, Point};
use crate::traces::Traces;
use crate::{choice, resolve, typed};
use dumbbell_core::foreign::Makers;
use dumbbell_plan::Plan;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// What a study is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    /// The scenario.
    pub source: Source,
    /// `KEY=VALUE`, in order; they win over the file and over its sweep.
    pub overrides: Vec<String>,
    /// Keys of the scenario that the caller sets by name (`seed`, `replications`, `record`); they win over all.
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
    /// What it shows.
    pub title: Option<String>,
    /// Its points, at least one.
    pub points: Vec<Ready>,
    /// Whether it has a sweep.
    pub swept: bool,
    /// The scenario with overrides, before the sweep, as a dictionary that says the same.
    pub resolved: Value,
    /// What a user should know.
    pub notes: Vec<String>,
    /// Algorithms of the user's own that its plans may name.
    pub makers: Makers,
}

/// A point that was read, and that can be planned.
#[derive(Clone, Debug)]
pub struct Ready {
    /// Its overrides by path, as the sweep names them.
    pub overrides: Map<String, Value>,
    /// The seeds of its runs.
    pub seeds: Vec<u64>,
    root: Node,
    scenario: Scenario,
}

impl Study {
    /// Reads and checks everything, the plan of each point's first seed too.
    ///
    /// # Errors
    /// Code 2, with every error that was found.
    pub fn new(wish: &Wish) -> Result<Study, Problem> {
        Study::with(wish, &Nothing)
    }

    /// The same, of a scenario that may name algorithms which `bring` brings.
    ///
    /// # Errors
    /// As [`Study::new`], and what is wrong with a file that the scenario uses.
    pub fn with(wish: &Wish, bring: &dyn Bring) -> Result<Study, Problem> {
        let mut texts = Texts::default();
        let mut check = Check::default();
        match build(wish, bring, &mut texts, &mut check) {
            Some((root, points, resolved)) if check.ok() => ready(wish, texts, &root, points, resolved, check),
            _ => Err(Problem::new(code::SCENARIO, &check.found, &texts)),
        }
    }

    /// The plan of `point` for `seed`.
    ///
    /// # Errors
    /// Code 2, with every error that was found: another seed can only fail where the first did.
    pub fn plan(&self, point: &Ready, seed: u64) -> Result<Plan, Problem> {
        let mut check = Check::with(&self.makers);
        resolve::plan(&point.scenario, &point.root, &self.name, seed, &mut check)
            .ok_or_else(|| Problem::new(code::SCENARIO, &check.found, &self.texts))
    }
}

impl Ready {
    /// Duration and warm-up of its runs, seconds.
    pub fn window(&self) -> (f64, f64) {
        (self.scenario.duration.seconds(), self.scenario.warmup.seconds())
    }
}

fn build(wish: &Wish, bring: &dyn Bring, texts: &mut Texts, check: &mut Check) -> Option<(Node, Vec<Point>, Value)> {
    let mut root = load(&wish.source, texts, check)?;
    let mut overrides: Vec<Override> = wish.overrides.iter().filter_map(|o| Override::parse(o, texts, check)).collect();
    if !check.ok() {
        return None;
    }
    let also = read::json(texts, "<request>", &Value::Object(wish.also.clone()));
    overrides.extend(also.entries().iter().map(Override::of_entry));
    overrides.iter().for_each(|o| o.apply(&mut root, check));
    check.makers = bring::gather(&root, &wish.uses, bring, check);
    let mut whole = root.clone();
    // What is wrong with a trace is said where it is used: a sweep may put another in its place.
    Traces::default().inline(&mut whole, texts, &mut Check::default());
    let mut resolved = choice::settled(&whole, &check.makers);
    let points = sweep::expand(&mut root, &overrides, check);
    if resolved.get("sweep").is_some() && !overrides.is_empty() {
        // What was set from outside is not swept: the points that are left, as they are.
        resolved["sweep"] = json!({ "list": points.iter().map(|p| &p.label).collect::<Vec<_>>() });
    }
    check.ok().then_some((root, points, resolved))
}

fn ready(
    wish: &Wish,
    texts: Texts,
    root: &Node,
    points: Vec<Point>,
    mut resolved: Value,
    mut check: Check,
) -> Result<Study, Problem> {
    let swept = resolved.get("sweep").is_some();
    let text_of = |key: &str| root.get(key).and_then(Node::as_str).map(str::to_string);
    let name = text_of("name").unwrap_or_else(|| wish.source.stem());
    resolved["name"] = json!(name);
    let mut out = Vec::with_capacity(points.len());
    let mut traces = Traces::default();
    let mut runs = 0usize;
    for point in points {
        let mut tree = root.clone();
        point.set.iter().for_each(|o| o.apply(&mut tree, &mut check));
        traces.inline(&mut tree, &texts, &mut check);
        let Some(scenario) = typed::read::<Scenario>(&tree, &[], &mut check) else { continue };
        resolve::plan(&scenario, &tree, &name, scenario.seed, &mut check);
        runs = runs.saturating_add(scenario.replications as usize);
        if runs > MOST_RUNS {
            let d = Diagnostic::new(format!("this asks for more than {MOST_RUNS} runs"));
            let place = tree.nearest_place(&path(&["replications"]));
            check.error(d.at(place).fix("lower `replications`, or sweep fewer values"));
        }
        if check.found.len() > 50 || !check.ok() && runs > MOST_RUNS {
            break;
        }
        let seeds = (0..scenario.replications).map(|i| scenario.seed.wrapping_add(i)).collect();
        out.push(Ready { overrides: point.label, seeds, root: tree, scenario });
    }
    if !check.ok() {
        return Err(Problem::new(code::SCENARIO, &check.found, &texts));
    }
    let title = text_of("title");
    let Check { notes, makers, .. } = check;
    Ok(Study { texts, name, title, points: out, swept, resolved, notes, makers })
}
