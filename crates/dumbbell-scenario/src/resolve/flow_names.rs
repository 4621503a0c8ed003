//! The flows of a scenario, before they have paths.
pub mod flow_name;

use crate::language::scenario::{Scenario, default_flow_name};
use crate::resolve::context::Context;
use crate::resolve::flow_names::flow_name::FlowName;
use crate::resolve::patterns::{Drawn, Hosts};
use crate::resolve::sessions::{ExpandedScenario, SampledTransfer};
use crate::resolve::topology::legible;
use std::collections::BTreeSet;

/// The flows of a scenario before they have paths.
pub struct Names {
    /// All of them.
    pub names: Vec<FlowName>,
    /// Those of sessions.
    pub sampled: Vec<SampledTransfer>,
    /// Of each session the arrivals a second and the payload, bits per second.
    pub offered: Vec<Option<(f64, f64)>>,
}

/// The flows of a scenario whose sessions are laid out.
pub fn flow_names(expanded: &ExpandedScenario<'_>, seed: u64, cx: &Context<'_>) -> Names {
    let offered = expanded.offered(cx);
    let sampled = expanded.draw(&offered, seed, cx);
    let names = all(&expanded.scenario, expanded.written, &sampled, seed, cx);
    Names { names, sampled, offered }
}

/// The names of all flows in order, those of the first `written` entries and then those that are
/// `sampled`. What a pattern draws follows from `seed`. Names are unique, or an error says which is
/// not.
fn all(
    scenario: &Scenario,
    written: usize,
    sampled: &[SampledTransfer],
    seed: u64,
    cx: &Context<'_>,
) -> Vec<FlowName> {
    let mut names = Vec::new();
    let hosts = Hosts::of(scenario);
    let plain = |entry: usize, name: String| FlowName { entry, name, ends: None };
    for (i, flow) in scenario.flow.iter().take(written).enumerate() {
        if let Some(name) = &flow.name {
            legible(name, &cx.item("flow", i).below("name"));
        }
        let base = flow.name.clone().unwrap_or_else(|| default_flow_name(i));
        match (&flow.pattern, flow.count) {
            (Some(pattern), count) => {
                let drawn = Drawn { pattern, name: &base, seed: pattern.seed.unwrap_or(seed) };
                let pairs = drawn.flows(&hosts, count, &cx.item("flow", i));
                names.extend(pairs.into_iter().enumerate().map(|(k, ends)| FlowName {
                    ends: Some(ends),
                    ..plain(i, format!("{base}.{}", k + 1))
                }));
            }
            (None, None) => names.push(plain(i, base)),
            (None, Some(n)) => names.extend((1..=n).map(|k| plain(i, format!("{base}.{k}")))),
        }
    }
    names.extend(sampled.iter().map(|d| FlowName {
        entry: d.entry,
        name: d.name.clone(),
        ends: d.ends.clone(),
    }));
    let mut seen = BTreeSet::new();
    if let Some(FlowName { entry, name, .. }) = names.iter().find(|f| !seen.insert(&f.name)) {
        let fix = "give each flow a name of its own, or one entry a count";
        let at = cx.item("flow", *entry).below("name");
        at.refuse(format!("two flows have the name `{name}`"), fix);
    }
    names
}
