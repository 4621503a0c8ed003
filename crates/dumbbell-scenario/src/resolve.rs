//! From one point of a scenario to its plan: every default resolved, every relation checked.
pub(crate) mod context;
pub(crate) mod edges;
pub(crate) mod flow_names;
pub(crate) mod flow_template;
pub mod flows;
pub(crate) mod host_signal;
pub mod hosts;
pub mod limits;
mod links;
pub(crate) mod lints;
pub mod path_sharing;
pub mod paths;
pub(crate) mod patterns;
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
use crate::resolve::context::Context;
use crate::resolve::flow_names::{Names, flow_names};
use crate::resolve::flow_template::FlowTemplate;
use crate::resolve::lints::{LinkPlace, Site};
use crate::resolve::sessions::{ExpandedScenario, SampledTransfer};
use crate::resolve::topology::{Network, RoutedFlow, rtt};
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
    let (before, expanded) = Context::within(root, check, |cx| {
        whole_scenario::check(scenario, cx);
        limits::flows(scenario, cx);
        topology::fabric::check(scenario, cx);
        (cx.errors(), sessions::expand(scenario, cx))
    });
    let plan = check
        .ok()
        .then(|| {
            Context::within(&expanded.root, check, |cx| of_expanded(&expanded, name, seed, cx))
        })
        .flatten();
    expanded.rename(&mut check.found[before..]);
    plan
}

/// The plan of a scenario whose sessions are laid out.
fn of_expanded(
    expanded: &ExpandedScenario<'_>,
    name: &str,
    seed: u64,
    cx: &Context<'_>,
) -> Option<Plan> {
    let scenario = &*expanded.scenario;
    let Names { names, sampled, offered } = flow_names(expanded, seed, cx);
    let templates: Vec<Option<FlowTemplate>> =
        (0..scenario.flow.len()).map(|i| flows::template(scenario, i, cx)).collect();
    let mut net = topology::build(scenario, &names, seed, cx);
    if cx.ok() {
        rtt::realise(&mut net, scenario, cx);
    }
    let mut templates: Vec<FlowTemplate> = templates.into_iter().flatten().collect();
    let answers = if cx.ok() { sizes::answers(&net, &templates) } else { Vec::new() };
    let Network { nodes, shared_buffers, links: draft, flows: routed } = net;
    let places: Vec<LinkPlace> = draft.iter().map(LinkPlace::of).collect();
    let mut links = links::build(draft, &shared_buffers, &routed, expanded, cx);
    if !cx.ok() {
        return None;
    }
    sessions::checks::note_overload(expanded, &links, &routed, &sampled, &offered, cx);
    let own = routed.len() - sampled.len();
    let entries: Vec<usize> = routed.iter().map(|f| f.entry).collect();
    let starts = planned_flow::starts(&routed[..own], scenario, seed)
        .into_iter()
        .chain(sampled.iter().map(|d| d.start));
    let transfers = (0..own).map(|_| None).chain(sampled.iter().map(Some));
    let mut answers = answers.into_iter();
    let mut flow = |((f, start), sampled): ((RoutedFlow, Span), Option<&SampledTransfer>)| {
        let template = &mut templates[f.entry];
        let mut flow = planned_flow::build(template, f, &links, scenario, start, cx);
        flow.answers = answers.next().flatten();
        match sampled {
            None => flow,
            Some(d) => planned_flow::transfer(flow, d),
        }
    };
    let mut flows: Vec<Flow> =
        routed.into_iter().zip(starts).zip(transfers).map(&mut flow).collect();
    hosts::add_links(&nodes, &mut links, &mut flows, &entries, scenario, cx);
    // A plan is kept; what it was made from took more room.
    links.shrink_to_fit();
    flows.shrink_to_fit();
    let record = record::build(scenario, &flows, cx);
    let Reassembly { timeout, memory } = scenario.reassembly;
    let offered_bps: Vec<_> = offered.iter().map(|o| o.map(|(_, bps)| bps)).collect();
    let mut plan = Plan {
        name: name.into(),
        seed,
        duration: scenario.duration,
        warmup: scenario.warmup,
        nodes,
        shared_buffers,
        links,
        flows,
        sessions: expanded.of_plan(&offered_bps),
        reassembly: dumbbell_plan::Reassembly { timeout, memory },
        // Nobody asks it but real hosts: see `run`.
        testbed: Testbed::default(),
        record,
    };
    host_signal::of_radios(&mut plan, &entries, scenario, cx);
    limits::work(&plan, cx);
    let check = &mut *cx.check();
    if check.ok() {
        let site = Site { plan: &plan, expanded, entries: &entries, places: &places };
        lints::check(&site, check);
    }
    check.ok().then_some(plan)
}
