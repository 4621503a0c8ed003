//! A network of hosts, routers and links as a user draws it.
use crate::language::scenario::{Direction, Link, Scenario, Station};
use crate::resolve::context::{At, Context};
use crate::resolve::topology::routes::{self, Routes};
use crate::resolve::topology::written_link::WrittenLink;
use crate::resolve::topology::{Network, RoutedFlow, legible};
use dumbbell_core::catalogue::nearest;
use dumbbell_plan::{LinkId, NodeId, NodeKind};
use std::collections::{BTreeMap, BTreeSet};

/// The network; `names` are its flows, each with the number of its entry.
pub fn build(scenario: &Scenario, names: &[(usize, String)], cx: &Context<'_>) -> Network {
    let mut g = Graph { scenario, cx, net: Network::default(), ids: BTreeMap::new() };
    g.nodes();
    g.links(names);
    let whole = g.ids.len() == scenario.host.len() + scenario.router.len()
        && g.net.links.len() == 2 * scenario.link.len();
    if whole {
        g.flows(names); // Else hosts would look unreachable that are not.
    }
    g.net
}

struct Graph<'a> {
    scenario: &'a Scenario,
    cx: &'a Context<'a>,
    net: Network,
    ids: BTreeMap<String, NodeId>,
}

impl Graph<'_> {
    fn nodes(&mut self) {
        let kinds = [
            ("host", &self.scenario.host, NodeKind::Host),
            ("router", &self.scenario.router, NodeKind::Router),
        ];
        for (word, list, kind) in kinds {
            for (i, station) in list.iter().enumerate() {
                let at = self.cx.item(word, i);
                let name = at.below("name");
                legible(&station.name, &name);
                if self.ids.contains_key(&station.name) {
                    let cause = format!("two nodes have the name `{}`", station.name);
                    name.refuse(cause, "rename one of them");
                    continue;
                }
                let id = self.net.node(&station.name, kind);
                self.net.nodes[id].silent = self.silent(station, kind, &at.below("icmp"));
                self.ids.insert(station.name.clone(), id);
            }
        }
    }

    /// True if a router tells nobody of packets that were too large.
    fn silent(&self, station: &Station, kind: NodeKind, at: &At<'_>) -> bool {
        if kind == NodeKind::Host && station.icmp.is_some() {
            at.refuse("`icmp` says whether a router answers, and this is a host", "take it out");
        }
        kind == NodeKind::Router && !station.icmp.or(self.scenario.icmp).unwrap_or(true)
    }

    /// The node `name`, written at `at`.
    fn find(&self, name: &str, at: &At<'_>) -> Option<NodeId> {
        let found = self.ids.get(name).copied();
        if found.is_none() {
            let known: Vec<&str> = self.ids.keys().map(String::as_str).collect();
            // Names of one or two letters are all alike: a guess would be none.
            let fix = match nearest(name, &known).filter(|_| name.len() > 2) {
                Some(other) => format!("did you mean `{other}`?"),
                None if known.len() <= 12 => {
                    format!("known are {}; or declare it", known.join(", "))
                }
                None => format!("declare it: [[host]] name = \"{name}\""),
            };
            at.refuse(format!("there is no host or router named `{name}`"), fix);
        }
        found
    }

    fn links(&mut self, names: &[(usize, String)]) {
        let mut known = BTreeSet::new();
        for (i, link) in self.scenario.link.iter().enumerate() {
            let at = self.cx.item("link", i);
            let Some((ends, [ahead, back])) = self.joined(link, &mut known, &at) else { continue };
            let [forward, reverse] =
                WrittenLink::of_graph(at, link).both(self.scenario.duration, names);
            self.net.link(ahead, ends, forward);
            self.net.link(back, (ends.1, ends.0), reverse);
        }
    }

    /// The ends of a link and the names of its directions, which nothing in `known` has.
    fn joined(
        &self,
        link: &Link,
        known: &mut BTreeSet<String>,
        at: &At<'_>,
    ) -> Option<((NodeId, NodeId), [String; 2])> {
        let between = at.below("between");
        let [a, b] = [0, 1].map(|k| self.find(&link.between[k], &between.below(k)));
        let (a, b) = (a?, b?);
        if a == b {
            between.refuse("this link joins a node with itself", "name two nodes");
            return None;
        }
        if let Some(name) = &link.name {
            legible(name, &at.below("name"));
        }
        let names = link_names(link);
        if let Some(name) = names.iter().find(|name| !known.insert((*name).clone())) {
            let fix = "give each link between the same two nodes a name of its own: name = \
                \"second\"";
            at.refuse(format!("two links have the name `{name}`"), fix);
            return None;
        }
        Some(((a, b), names))
    }

    fn flows(&mut self, names: &[(usize, String)]) {
        let ends: Vec<Option<(NodeId, NodeId)>> =
            (0..self.scenario.flow.len()).map(|i| self.ends(i)).collect();
        let mut routes = Routes::new(&self.net);
        let mut known: BTreeMap<(NodeId, NodeId), Option<[Vec<LinkId>; 2]>> = BTreeMap::new();
        for (entry, name) in names {
            let Some((from, to)) = ends[*entry] else { continue };
            let both = known.entry((from, to)).or_insert_with(|| {
                Some([routes.between(&self.net, from, to)?, routes.between(&self.net, to, from)?])
            });
            let Some([forward, back]) = both.clone() else {
                self.unreachable(*entry, from);
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

    /// The hosts of a flow.
    fn ends(&self, i: usize) -> Option<(NodeId, NodeId)> {
        let flow = &self.scenario.flow[i];
        let at = self.cx.item("flow", i);
        let from = self.host(flow.from.as_deref(), "from", &at)?;
        let to = self.host(flow.to.as_deref(), "to", &at)?;
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
        if from == to {
            at.below("to").refuse("this flow begins and ends at the same host", "name two hosts");
            return None;
        }
        Some((from, to))
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

    /// Refuses a flow that has no route from `from` or back.
    fn unreachable(&self, i: usize, from: NodeId) {
        let tree = routes::from(&self.net, from);
        let flow = &self.scenario.flow[i];
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
        let (a, b) = (flow.from.as_deref().unwrap_or(""), flow.to.as_deref().unwrap_or(""));
        let cause = format!("there is no route from `{a}` to `{b}`");
        self.cx.item("flow", i).refuse(cause, fix);
    }
}

/// Names of both directions.
fn link_names(link: &Link) -> [String; 2] {
    let [a, b] = &link.between;
    match &link.name {
        Some(name) => [name.clone(), format!("{name}_reverse")],
        None => [format!("{a}->{b}"), format!("{b}->{a}")],
    }
}
