//! From one point of a scenario to its plan: every default resolved, every relation checked.
pub(crate) mod edges;
pub(crate) mod flow_template;
pub mod flows;
pub(crate) mod host_signal;
pub mod hosts;
pub mod limits;
mod links;
pub mod lints;
pub mod path_sharing;
mod planned_flow;
mod record;
pub(crate) mod sessions;
pub(crate) mod sizes;
pub mod study;
pub(crate) mod topology;
mod whole_scenario;

use crate::language::node::Node;
use crate::language::problem::Check;
use crate::language::scenario::{Reassembly, Scenario};
use crate::resolve::flow_template::FlowTemplate;
use crate::resolve::lints::{ack_path, reservations};
use crate::resolve::sessions::{ExpandedScenario, SampledTransfer};
use crate::resolve::topology::{Network, RoutedFlow};
use crate::resolve::topology::{graph, rtt, short};
use dumbbell_core::units::Span;
use dumbbell_plan::{Flow, Plan, Testbed};

/// The plan of `scenario`, whose tree is `root`, for `seed`. `None` if `check` found errors.
pub fn plan(
    scenario: &Scenario,
    root: &Node,
    name: &str,
    seed: u64,
    check: &mut Check,
) -> Option<Plan> {
    whole_scenario::check(scenario, root, check);
    limits::flows(scenario, root, check);
    let before = check.found.len();
    let expanded = sessions::expand(scenario, root, check);
    let plan = if check.ok() { of_expanded(&expanded, name, seed, check) } else { None };
    expanded.rename(&mut check.found[before..]);
    plan
}

/// The plan of a scenario whose sessions are laid out.
fn of_expanded(
    expanded: &ExpandedScenario<'_>,
    name: &str,
    seed: u64,
    check: &mut Check,
) -> Option<Plan> {
    let (scenario, root) = (&*expanded.scenario, &*expanded.root);
    let offered = expanded.offered(check);
    let sampled = expanded.draw(&offered, seed, check);
    let more = sampled.iter().map(|d| (d.entry, d.name.clone()));
    let names = topology::flow_names(scenario, expanded.written, more, root, check);
    let templates: Vec<Option<FlowTemplate>> =
        (0..scenario.flow.len()).map(|i| flows::template(scenario, root, i, check)).collect();
    let mut net = short::build(scenario, root, &names, check)
        .unwrap_or_else(|| graph::build(scenario, root, &names, check));
    if check.ok() {
        rtt::realise(&mut net, scenario, root, check);
    }
    let mut templates: Vec<FlowTemplate> = templates.into_iter().flatten().collect();
    let answers = if check.ok() { sizes::answers(&net, &templates) } else { Vec::new() };
    let Network { nodes, links: draft, flows: routed } = net;
    let mut links = links::build(draft, &routed, expanded, check);
    if !check.ok() {
        return None;
    }
    expanded.note_overload(&links, &routed, &sampled, &offered, check);
    let own = routed.len() - sampled.len();
    let entries: Vec<usize> = routed.iter().map(|f| f.entry).collect();
    let starts = planned_flow::starts(&routed[..own], scenario, seed)
        .into_iter()
        .chain(sampled.iter().map(|d| d.start));
    let transfers = (0..own).map(|_| None).chain(sampled.iter().map(Some));
    let mut answers = answers.into_iter();
    let mut flow = |((f, start), sampled): ((RoutedFlow, Span), Option<&SampledTransfer>)| {
        let template = &mut templates[f.entry];
        let mut flow = planned_flow::build(template, f, &links, scenario, root, start, check);
        flow.answers = answers.next().flatten();
        sizes::note(template, &flow, &links, check);
        match sampled {
            None => flow,
            Some(d) => planned_flow::transfer(flow, d),
        }
    };
    let mut flows: Vec<Flow> =
        routed.into_iter().zip(starts).zip(transfers).map(&mut flow).collect();
    hosts::add_links(&nodes, &mut links, &mut flows, &entries, (scenario, root), check);
    let record = record::build(scenario, &flows, root, check);
    let (duration, warmup) = (scenario.duration, scenario.warmup);
    let Reassembly { timeout, memory } = scenario.reassembly;
    let reassembly = dumbbell_plan::Reassembly { timeout, memory };
    // Nobody asks it but real hosts: see `run`.
    let testbed = Testbed::default();
    let sessions =
        expanded.of_plan(&offered.iter().map(|o| o.map(|(_, bps)| bps)).collect::<Vec<_>>());
    let mut plan = Plan {
        name: name.into(),
        seed,
        duration,
        warmup,
        nodes,
        links,
        flows,
        sessions,
        reassembly,
        testbed,
        record,
    };
    host_signal::of_radios(&mut plan, &entries, scenario, root, check);
    limits::work(&plan, root, check);
    ack_path::note(&plan, check);
    reservations::note(&plan, check);
    check.ok().then_some(plan)
}
