//! The ways of flows between hosts with names.
use super::Graph;
use crate::language::scenario::{Direction, Flow, Routing, RoutingKind};
use crate::resolve::context::At;
use crate::resolve::flow_names::flow_name::FlowName;
use crate::resolve::topology::routes::equal::EqualPaths;
use crate::resolve::topology::routes::{self, Routes};
use crate::resolve::topology::{RoutedFlow, routing};
use dumbbell_plan::{LinkId, NodeId, NodeKind};
use std::collections::BTreeMap;

/// The links of the data and of the acknowledgments.
type BothWays = [Vec<LinkId>; 2];

/// Chooses ways by a routing, and keeps what it searched.
struct Chooser {
    routing: Routing,
    seed: u64,
    routes: Routes,
    equal: EqualPaths,
    shortest: BTreeMap<(NodeId, NodeId), Option<BothWays>>,
}

impl Chooser {
    /// The ways of the flow `name` whose entry names none; `None`: there are none.
    fn between(
        &mut self,
        g: &Graph<'_>,
        (from, to): (NodeId, NodeId),
        name: &str,
    ) -> Option<BothWays> {
        let Routing { kind, symmetric, .. } = self.routing;
        if kind != RoutingKind::Ecmp {
            let routes = &mut self.routes;
            let new =
                || Some([routes.between(&g.net, from, to)?, routes.between(&g.net, to, from)?]);
            return self.shortest.entry((from, to)).or_insert_with(new).clone();
        }
        let forward = self.equal.chosen(&g.net, (from, to), self.seed, name)?;
        let back = match symmetric {
            true => g.backward(&forward)?,
            false => self.equal.chosen(&g.net, (to, from), self.seed, name)?,
        };
        Some([forward, back])
    }
}

impl Graph<'_> {
    /// Leads all flows through the network.
    pub(super) fn flows(&mut self, names: &[FlowName], seed: u64) {
        let entries = 0..self.scenario.flow.len();
        let ends: Vec<Option<(NodeId, NodeId)>> = entries.clone().map(|i| self.ends(i)).collect();
        let routing = routing(self.scenario);
        let mut chooser = Chooser {
            routing,
            seed: routing.seed.unwrap_or(seed),
            routes: Routes::new(&self.net),
            equal: EqualPaths::new(&self.net),
            shortest: BTreeMap::new(),
        };
        let by_name: Vec<Option<BothWays>> =
            entries.map(|i| self.named_ways(i, ends[i], routing.kind)).collect();
        let mut refused = vec![false; self.scenario.flow.len()];
        for FlowName { entry, name, ends: own } in names {
            let ends = match own {
                Some((from, to)) => self.ids.get(from).copied().zip(self.ids.get(to).copied()),
                None => ends[*entry],
            };
            let Some((from, to)) = ends else { continue };
            let written = self.scenario.flow[*entry].via.is_some();
            let ways = match (&by_name[*entry], written) {
                (Some(ways), _) => Some(ways.clone()),
                (None, true) => continue, // It was said why.
                (None, false) => chooser.between(self, (from, to), name),
            };
            let Some([forward, back]) = ways else {
                if !std::mem::replace(&mut refused[*entry], true) {
                    self.unreachable(*entry, from, to);
                }
                continue;
            };
            self.net.flows.push(RoutedFlow {
                entry: *entry,
                name: name.clone(),
                from,
                to,
                forward,
                back,
            });
        }
    }

    /// The ways that entry `i` names with `via`; `None`: it names none, or it was said what is
    /// wrong.
    fn named_ways(
        &self,
        i: usize,
        ends: Option<(NodeId, NodeId)>,
        kind: RoutingKind,
    ) -> Option<BothWays> {
        let flow = &self.scenario.flow[i];
        let at = self.cx.item("flow", i);
        let Some(via) = &flow.via else {
            if flow.via_back.is_some() {
                let cause = "`via_back` goes with `via`, and there is none";
                at.below("via_back").refuse(cause, "name the path of the data too: via = [...]");
            } else if kind == RoutingKind::Static {
                let cause = "this flow names no path, and the routing is static";
                let fix = "write via = [...] with the routers between the two hosts, in order";
                at.refuse(cause, fix);
            }
            return None;
        };
        if flow.pattern.is_some() {
            let cause = "a path belongs to one pair of hosts, and a pattern has many";
            at.below("via").refuse(cause, "take `via` out, or write `from` and `to`");
        }
        let (from, to) = ends?;
        let forward = self.by_way_of(via, (from, to), &at.below("via"))?;
        let back = match &flow.via_back {
            Some(via) => self.by_way_of(via, (to, from), &at.below("via_back"))?,
            None => {
                let back = self.backward(&forward);
                if back.is_none() {
                    let fix = "name the path of the acknowledgments: via_back = [...]";
                    at.below("via").refuse("a link of this path has no other direction", fix);
                }
                back?
            }
        };
        Some([forward, back])
    }

    /// The other directions of the links of a way, backward; `None`: one is out.
    fn backward(&self, way: &[LinkId]) -> Option<Vec<LinkId>> {
        way.iter().rev().map(|l| self.net.links[*l].twin).collect()
    }

    /// The hosts of a flow.
    fn ends(&self, i: usize) -> Option<(NodeId, NodeId)> {
        let flow = &self.scenario.flow[i];
        let at = self.cx.item("flow", i);
        self.strangers(flow, &at);
        if flow.pattern.is_some() {
            return None;
        }
        let from = self.host(flow.from.as_deref(), "from", &at)?;
        let to = self.host(flow.to.as_deref(), "to", &at)?;
        if from == to {
            at.below("to").refuse("this flow begins and ends at the same host", "name two hosts");
            return None;
        }
        Some((from, to))
    }

    /// Refuses keys that belong to a dumbbell or a parking lot.
    fn strangers(&self, flow: &Flow, at: &At<'_>) {
        let elsewhere = "take it out: `from` and `to` say it here";
        let strangers = [
            ("path", flow.path.is_some(), elsewhere),
            ("direction", flow.direction != Direction::default(), elsewhere),
            (
                "conditioner",
                flow.conditioner.is_some(),
                "write it in the [[link]] where the flow enters",
            ),
        ];
        for (key, _, fix) in strangers.iter().filter(|(_, given, _)| *given) {
            at.below(key).refuse(format!("`{key}` belongs to a short form"), *fix);
        }
    }

    /// The host that the flow at `at` names as `key`.
    fn host(&self, name: Option<&str>, key: &str, at: &At<'_>) -> Option<NodeId> {
        let at = at.below(key);
        let Some(name) = name else {
            at.refuse(
                format!("this flow has no `{key}`"),
                format!("name its host: {key} = \"...\""),
            );
            return None;
        };
        let id = self.find(name, &at)?;
        if self.net.nodes[id].kind == NodeKind::Router {
            at.refuse(format!("`{name}` is a router"), "flows begin and end at hosts");
            return None;
        }
        Some(id)
    }

    /// Refuses a flow that has no route from `from` to `to` or back.
    fn unreachable(&self, i: usize, from: NodeId, to: NodeId) {
        let tree = routes::from(&self.net, from);
        let name = |n: NodeId| self.net.nodes[n].name.as_str();
        let reached: Vec<&str> =
            (0..tree.len()).filter(|n| *n != from && tree[*n].is_some()).map(name).collect();
        let fix = match reached.len() {
            0 => format!("no link leaves `{}`: add a [[link]]", name(from)),
            n if n <= 12 => {
                format!("`{}` reaches {}; hosts do not forward", name(from), reached.join(", "))
            }
            n => format!("`{}` reaches {n} other nodes; hosts do not forward", name(from)),
        };
        let (a, b) = (name(from), name(to));
        let cause = format!("there is no route from `{a}` to `{b}`");
        self.cx.item("flow", i).refuse(cause, fix);
    }
}
