//! The ways of flows between hosts with names.
use super::Graph;
use super::detours::{BothWays, Chooser, MOST_PATHS, Ways};
use crate::language::scenario::{Direction, Flow, RoutingKind, SpreadBy};
use crate::resolve::context::At;
use crate::resolve::flow_names::flow_name::FlowName;
use crate::resolve::topology::routes;
use crate::resolve::topology::{RoutedFlow, routing};
use dumbbell_plan::{LinkId, NodeId, NodeKind};

impl Graph<'_> {
    /// Leads all flows through the network.
    pub(super) fn flows(&mut self, names: &[FlowName], seed: u64) {
        let entries = 0..self.scenario.flow.len();
        let ends: Vec<Option<(NodeId, NodeId)>> = entries.clone().map(|i| self.ends(i)).collect();
        let routing = routing(self.scenario);
        let mut chooser = Chooser::new(routing, seed, &self.net, self.scenario.duration);
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
                (Some(ways), _) => Some(Ways { first: ways.clone(), all: None }),
                (None, true) => continue, // It was said why.
                (None, false) if self.too_many(*entry, (from, to), &mut chooser) => continue,
                (None, false) => chooser.between(self, (from, to), name),
            };
            let Some(Ways { first: [forward, back], all: multipath }) = ways else {
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
                multipath,
            });
            self.even(*entry, self.net.flows.len() - 1);
        }
    }

    /// Refuses more paths than a flow that spreads its packets may have; true if it has more.
    fn too_many(&self, entry: usize, ends: (NodeId, NodeId), chooser: &mut Chooser) -> bool {
        if routing(self.scenario).by == SpreadBy::Flow {
            return false;
        }
        let count = chooser.most(&self.net, ends);
        if count > MOST_PATHS {
            let cause = format!(
                "there are {count} paths of equal cost, and packets of a flow choose among at \
                    most {MOST_PATHS}"
            );
            self.cx.item("flow", entry).refuse(cause, "write by = \"flow\" in `routing`");
        }
        count > MOST_PATHS
    }

    /// Refuses a flow with several paths whose links differ in their MTU: sizes of packets follow
    /// from one path.
    fn even(&self, entry: usize, flow: usize) {
        let flow = &self.net.flows[flow];
        let Some(multipath) = &flow.multipath else { return };
        let sets = multipath.forward.iter().chain(&multipath.back);
        let mut links = sets.flat_map(|set| &set.paths).flat_map(|path| &path.links);
        let mtu = |l: &LinkId| self.net.links[*l].settings.mtu;
        let Some(first) = links.next().map(mtu) else { return };
        if let Some(other) = links.find(|l| mtu(l) != first) {
            let cause = format!(
                "the paths of `{}` have links with MTUs of {first} and {} B",
                flow.name,
                mtu(other)
            );
            let fix = "a flow with several paths needs one MTU: write the same `mtu`";
            self.cx.item("flow", entry).refuse(cause, fix);
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
    pub(super) fn backward(&self, way: &[LinkId]) -> Option<Vec<LinkId>> {
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
