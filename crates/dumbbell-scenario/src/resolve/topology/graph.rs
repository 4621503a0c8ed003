//! A network of hosts, routers and links as a user draws it.
use crate::language::node::{Node, Path, below, path};
use crate::language::problem::{Check, Diagnostic};
use crate::language::scenario::{Link, Scenario, Station};
use crate::resolve::topology::duplex::couple;
use crate::resolve::topology::framing;
use crate::resolve::topology::routes;
use crate::resolve::topology::routes::Routes;
use crate::resolve::topology::service::{base_rate, transmitter};
use crate::resolve::topology::{LinkDraft, Network, QueueFrom, RoutedFlow, legible, mtu};
use dumbbell_core::catalogue::nearest;
use dumbbell_plan::{LinkId, NodeId, NodeKind};
use std::collections::{BTreeMap, BTreeSet};

/// The network; `names` are its flows.
pub fn build(
    scenario: &Scenario,
    root: &Node,
    names: &[(usize, String)],
    check: &mut Check,
) -> Network {
    let mut g = Graph { scenario, root, net: Network::default(), ids: BTreeMap::new() };
    g.nodes(check);
    let mut link_names = BTreeSet::new();
    for (i, link) in scenario.link.iter().enumerate() {
        g.link(i, link, &mut link_names, check);
    }
    if check.ok() {
        g.flows(names, check);
    }
    g.net
}

struct Graph<'a> {
    scenario: &'a Scenario,
    root: &'a Node,
    net: Network,
    ids: BTreeMap<String, NodeId>,
}

impl Graph<'_> {
    fn error(
        &self,
        at: &[String],
        cause: impl Into<String>,
        fix: impl Into<String>,
        check: &mut Check,
    ) {
        check.error(Diagnostic::new(cause).at(self.root.nearest_place(at)).fix(fix).key(at));
    }

    fn nodes(&mut self, check: &mut Check) {
        let kinds = [
            ("host", &self.scenario.host, NodeKind::Host),
            ("router", &self.scenario.router, NodeKind::Router),
        ];
        for (word, list, kind) in kinds {
            for (i, station) in list.iter().enumerate() {
                let at = path(&[word, &i.to_string(), "name"]);
                legible(&station.name, &at, self.root, check);
                if self.ids.contains_key(&station.name) {
                    self.error(
                        &at,
                        format!("two nodes have the name `{}`", station.name),
                        "rename \
                        one of them",
                        check,
                    );
                    continue;
                }
                let id = self.net.node(&station.name, kind);
                self.net.nodes[id].silent =
                    self.silent(station, kind, &path(&[word, &i.to_string(), "icmp"]), check);
                self.ids.insert(station.name.clone(), id);
            }
        }
    }

    /// True if a router tells nobody of packets that were too large.
    fn silent(&self, station: &Station, kind: NodeKind, at: &Path, check: &mut Check) -> bool {
        if kind == NodeKind::Host && station.icmp.is_some() {
            self.error(
                at,
                "`icmp` says whether a router answers, and this is a host",
                "take it \
                out",
                check,
            );
        }
        kind == NodeKind::Router && !station.icmp.or(self.scenario.icmp).unwrap_or(true)
    }

    /// The node `name`, written at `at`.
    fn find(&self, name: &str, at: &[String], check: &mut Check) -> Option<NodeId> {
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
            self.error(at, format!("there is no host or router named `{name}`"), fix, check);
        }
        found
    }

    fn link(&mut self, i: usize, link: &Link, names: &mut BTreeSet<String>, check: &mut Check) {
        let at = path(&["link", &i.to_string()]);
        let between = below(&at, "between");
        let [a, b] = [0, 1].map(|k| self.find(&link.between[k], &below(&between, k), check));
        let (Some(a), Some(b)) = (a, b) else { return };
        if a == b {
            return self.error(
                &between,
                "this link joins a node with itself",
                "name two nodes",
                check,
            );
        }
        if let Some(name) = &link.name {
            legible(name, &below(&at, "name"), self.root, check);
        }
        let [ahead, back] = link_names(link);
        for name in [&ahead, &back] {
            if !names.insert(name.clone()) {
                let fix = "give each link between the same two nodes a name of its own: name = \
                    \"second\"";
                return self.error(&at, format!("two links have the name `{name}`"), fix, check);
            }
        }
        let mut forward = self.forward(&at, link, ahead, a, b, check);
        let mut reverse = self.reverse(&at, link, back, &forward, check);
        couple(&mut forward, &mut reverse, self.root, &at, check);
        self.net.link(forward);
        self.net.link(reverse);
    }

    fn forward(
        &self,
        at: &Path,
        link: &Link,
        name: String,
        from: NodeId,
        to: NodeId,
        check: &mut Check,
    ) -> LinkDraft {
        let own = transmitter(self.root, at, link.rate, check);
        LinkDraft {
            name,
            from,
            to,
            rate: own.rate,
            service: own.service,
            delay: link.delay,
            mtu: mtu(link.mtu, self.root, at, check),
            framing: framing::written(self.root, &below(at, "framing"), check).unwrap_or_default(),
            queue: link
                .queue
                .as_ref()
                .map_or(QueueFrom::Unlimited, |_| QueueFrom::Written(below(at, "queue").into())),
            conditioner: Some(below(at, "conditioner").into()),
            impairment: Some(below(at, "impairment").into()),
            report: link.queue.is_some(),
        }
    }

    fn reverse(
        &self,
        at: &Path,
        link: &Link,
        name: String,
        forward: &LinkDraft,
        check: &mut Check,
    ) -> LinkDraft {
        let own = below(at, "reverse");
        let r = &link.reverse;
        let other = transmitter(
            self.root,
            &own,
            r.rate.or(Some(base_rate(forward.service.as_deref(), forward.rate))),
            check,
        );
        LinkDraft {
            name,
            from: forward.to,
            to: forward.from,
            rate: other.rate,
            service: other.service,
            delay: r.delay.unwrap_or(link.delay),
            queue: match &r.queue {
                Some(_) => QueueFrom::Written(below(&own, "queue").into()),
                None => forward.queue.clone(),
            },
            conditioner: Some(below(&own, "conditioner").into()),
            impairment: Some(below(&own, "impairment").into()),
            report: forward.report || r.queue.is_some(),
            ..forward.clone()
        }
    }

    fn flows(&mut self, names: &[(usize, String)], check: &mut Check) {
        let ends: Vec<Option<(NodeId, NodeId)>> =
            (0..self.scenario.flow.len()).map(|i| self.ends(i, check)).collect();
        let mut routes = Routes::new(&self.net);
        let mut known: BTreeMap<(NodeId, NodeId), Option<[Vec<LinkId>; 2]>> = BTreeMap::new();
        for (entry, name) in names {
            let Some((from, to)) = ends[*entry] else { continue };
            let both = known.entry((from, to)).or_insert_with(|| {
                Some([routes.between(&self.net, from, to)?, routes.between(&self.net, to, from)?])
            });
            let Some([forward, back]) = both.clone() else {
                self.unreachable(*entry, from, &routes::from(&self.net, from), check);
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
    fn ends(&self, i: usize, check: &mut Check) -> Option<(NodeId, NodeId)> {
        let flow = &self.scenario.flow[i];
        let at = path(&["flow", &i.to_string()]);
        let mut host = |key: &str, name: &Option<String>| {
            let at = below(&at, key);
            let Some(name) = name else {
                self.error(
                    &at,
                    format!("this flow has no `{key}`"),
                    format!(
                        "name its host: {key} \
                    = \"...\""
                    ),
                    check,
                );
                return None;
            };
            let id = self.find(name, &at, check)?;
            if self.net.nodes[id].kind == NodeKind::Router {
                self.error(
                    &at,
                    format!("`{name}` is a router"),
                    "flows begin and end at hosts",
                    check,
                );
                return None;
            }
            Some(id)
        };
        let (from, to) = (host("from", &flow.from)?, host("to", &flow.to)?);
        let strangers = [
            ("path", flow.path.is_some(), "take it out: `from` and `to` say it here"),
            (
                "direction",
                flow.direction != Default::default(),
                "take it out: `from` and `to` say \
                it here",
            ),
            (
                "conditioner",
                flow.conditioner.is_some(),
                "write it in the [[link]] where the flow \
                enters",
            ),
        ];
        for (key, _, fix) in strangers.iter().filter(|(_, given, _)| *given) {
            self.error(&below(&at, key), format!("`{key}` belongs to a short form"), *fix, check);
        }
        if from == to {
            self.error(
                &below(&at, "to"),
                "this flow begins and ends at the same host",
                "name two \
                hosts",
                check,
            );
            return None;
        }
        Some((from, to))
    }

    fn unreachable(&self, i: usize, from: NodeId, tree: &[Option<Vec<LinkId>>], check: &mut Check) {
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
        self.error(
            &path(&["flow", &i.to_string()]),
            format!(
                "there is no route from `{a}` to \
            `{b}`"
            ),
            fix,
            check,
        );
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
