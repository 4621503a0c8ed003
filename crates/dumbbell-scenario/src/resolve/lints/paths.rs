//! Paths: access links that are too slow, and links that no path takes.
use crate::language::node::path;
use crate::language::problem::Check;
use crate::language::scenario::RoutingKind;
use crate::language::warnings::{IDLE_PATH, SLOW_ACCESS};
use crate::resolve::lints::Site;
use crate::resolve::topology::{self, fabric};
use dumbbell_core::units::{Rate, Span};
use dumbbell_plan::{Flow, LinkId, NodeId, NodeKind};
use std::collections::{BTreeMap, BTreeSet};

/// The most sources of flows whose paths are compared, and the most links.
const MOST_SOURCES: usize = 100;
const MOST_LINKS: usize = 10_000;

/// Warns of bottlenecks of a short form that carry more than the access links of their flows.
pub(crate) fn slow_access(site: &Site<'_>, check: &mut Check) {
    let plan = site.plan;
    let Some(form) = site.short_form() else { return };
    let mut offered: BTreeMap<LinkId, u64> = BTreeMap::new();
    let of_network = |l: &&LinkId| plan.links[**l].host.is_none();
    for flow in &plan.flows {
        let (queues, access): (Vec<LinkId>, Vec<LinkId>) =
            flow.forward.iter().filter(of_network).partition(|l| site.has_queue(**l));
        let slowest = access.iter().map(|l| plan.links[*l].rate.bps()).min().unwrap_or(u64::MAX);
        for link in queues {
            let sum = offered.entry(link).or_default();
            *sum = sum.saturating_add(slowest);
        }
    }
    for (link, sum) in offered {
        let rate = plan.links[link].rate;
        if sum >= rate.bps() {
            continue;
        }
        let key = path(&[form, "access", "rate"]);
        site.warn(
            &SLOW_ACCESS,
            (key.clone(), None),
            format!(
                "the access links carry {} in sum and `{}` carries {rate}, so that its queue \
                    never fills",
                Rate::from_bps(sum),
                site.name(link)
            ),
            format!("write {} = \"{rate}\" or more", key.join(".")),
            check,
        );
    }
}

/// Cost and delay of the best way to each node.
type Distances = Vec<Option<(u64, Span)>>;

/// Distances from `source`, by least cost and then the smallest delay. Hosts do not forward.
fn distances(site: &Site<'_>, leaving: &[Vec<LinkId>], source: NodeId) -> Distances {
    let plan = site.plan;
    let mut best: Distances = vec![None; plan.nodes.len()];
    let mut ahead = BTreeMap::from([((0, Span::ZERO), vec![source])]);
    while let Some(((cost, delay), nodes)) = ahead.pop_first() {
        for node in nodes {
            if best[node].is_some() {
                continue;
            }
            best[node] = Some((cost, delay));
            if node != source && plan.nodes[node].kind == NodeKind::Host {
                continue;
            }
            for &l in &leaving[node] {
                let link = &plan.links[l];
                let way = (cost + site.cost(l), delay + link.delay);
                ahead.entry(way).or_default().push(link.to);
            }
        }
    }
    best
}

/// A link that leads to a node of the flow's path as well as the path's own, and that no flow uses:
/// the path's link and the other.
fn idle_beside(
    site: &Site<'_>,
    flow: &Flow,
    from: &Distances,
    arriving: &[Vec<LinkId>],
    used: &BTreeSet<LinkId>,
) -> Option<(LinkId, LinkId)> {
    let plan = site.plan;
    let forwards = |node: NodeId| node == flow.from || plan.nodes[node].kind == NodeKind::Router;
    flow.forward.iter().find_map(|&own| {
        let to = plan.links[own].to;
        let equal = |l: &&LinkId| {
            let link = &plan.links[**l];
            let way =
                from[link.from].map(|(cost, delay)| (cost + site.cost(**l), delay + link.delay));
            **l != own && way == from[to] && forwards(link.from) && !used.contains(*l)
        };
        arriving[to].iter().find(equal).map(|other| (own, *other))
    })
}

/// Warns of links of a network with named hosts that lead on at the same cost as another, and carry
/// nothing.
pub(crate) fn idle(site: &Site<'_>, check: &mut Check) {
    let plan = site.plan;
    let scenario = site.scenario();
    let named = !scenario.link.is_empty() || fabric::key(scenario).is_some();
    let shortest = topology::routing(scenario).kind == RoutingKind::Shortest;
    if !named || !shortest || plan.links.len() > MOST_LINKS {
        return;
    }
    let (mut leaving, mut arriving) =
        (vec![Vec::new(); plan.nodes.len()], vec![Vec::new(); plan.nodes.len()]);
    for (i, link) in plan.links.iter().enumerate().filter(|(_, link)| link.host.is_none()) {
        leaving[link.from].push(i);
        arriving[link.to].push(i);
    }
    let used: BTreeSet<LinkId> =
        plan.flows.iter().flat_map(|f| f.forward.iter().chain(&f.back)).copied().collect();
    let mut known: BTreeMap<NodeId, Distances> = BTreeMap::new();
    for (i, flow) in plan.flows.iter().enumerate() {
        if known.len() == MOST_SOURCES && !known.contains_key(&flow.from) {
            return;
        }
        let from = known.entry(flow.from).or_insert_with(|| distances(site, &leaving, flow.from));
        let Some((own, other)) = idle_beside(site, flow, from, &arriving, &used) else { continue };
        site.warn(
            &IDLE_PATH,
            (site.flow_key(i, "to"), None),
            format!(
                "paths over `{}` and `{}` cost the same, and all data takes `{}`",
                site.name(own),
                site.name(other),
                site.name(own)
            ),
            format!(
                "write routing = \"ecmp\", remove `{}`, or send a flow over it with `via`",
                site.name(other)
            ),
            check,
        );
        return;
    }
}
