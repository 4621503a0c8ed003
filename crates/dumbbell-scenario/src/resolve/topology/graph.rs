//! A network of hosts and routers with names: as a user draws it, or of a short form.
mod detours;
mod via;
mod ways;

use crate::language::scenario::{Link, Scenario, Station};
use crate::resolve::context::{At, Context};
use crate::resolve::flow_names::flow_name::FlowName;
use crate::resolve::topology::written_link::WrittenLink;
use crate::resolve::topology::{Network, changes, fabric, legible, shared_buffer};
use dumbbell_core::catalogue::nearest;
use dumbbell_plan::{NodeId, NodeKind};
use std::collections::{BTreeMap, BTreeSet};

/// The network; `names` are its flows. Where a hash chooses paths and has no seed of its own, that
/// is `seed`.
pub fn build(scenario: &Scenario, names: &[FlowName], seed: u64, cx: &Context<'_>) -> Network {
    let mut g = Graph { scenario, cx, net: Network::default(), ids: BTreeMap::new() };
    let whole = if let Some(net) = fabric::draw(scenario, names, cx) {
        g.ids = net.nodes.iter().enumerate().map(|(id, n)| (n.name.clone(), id)).collect();
        g.net = net;
        true
    } else {
        g.nodes();
        g.links(names);
        g.ids.len() == scenario.host.len() + scenario.router.len()
            && g.net.links.len() == 2 * scenario.link.len()
    };
    if whole {
        // Else names would look unknown and hosts unreachable that are not.
        changes::apply(scenario, &mut g.net, names, cx);
        shared_buffer::check(fabric::key(scenario), scenario, &g.net, cx);
        g.flows(names, seed);
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
                let buffer = at.below("shared_buffer");
                self.net.nodes[id].silent = self.silent(station, kind, &at.below("icmp"));
                let shared = shared_buffer::resolve(station.shared_buffer.as_ref(), id, &buffer);
                self.net.shared_buffers.extend(shared);
                shared_buffer::only_of_router(station.shared_buffer.is_some(), kind, &buffer);
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

    fn links(&mut self, names: &[FlowName]) {
        let mut known = BTreeSet::new();
        for (i, link) in self.scenario.link.iter().enumerate() {
            let at = self.cx.item("link", i);
            let Some((ends, [ahead, back])) = self.joined(link, &mut known, &at) else { continue };
            let both = WrittenLink::of_graph(at, link).both(self.scenario.duration, names);
            self.net.pair([ahead, back], ends, both);
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
}

/// Names of both directions.
fn link_names(link: &Link) -> [String; 2] {
    let [a, b] = &link.between;
    match &link.name {
        Some(name) => [name.clone(), format!("{name}_reverse")],
        None => [format!("{a}->{b}"), format!("{b}->{a}")],
    }
}
