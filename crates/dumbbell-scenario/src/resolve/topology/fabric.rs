//! Short forms of networks with many switches: a star, a leaf-spine, a fat tree, and a wide-area
//! network from a file.
//!
//! Ports of switches have the scenario's `queue`, and results report them. A host's own port has an
//! unlimited queue. Names say where a host is: `SWITCH/h1` is the first host of that switch.
pub(crate) mod wan;

use crate::language::scenario::{Cable, FatTree, LeafSpine, Scenario, Star};
use crate::resolve::context::{At, Context};
use crate::resolve::flow_names::flow_name::FlowName;
use crate::resolve::topology::written_link::WrittenLink;
use crate::resolve::topology::{LinkSettings, Network, QueueFrom, shared_buffer};
use dumbbell_plan::{NodeId, NodeKind};

/// The most hosts of a short form, and the most links.
const MOST_HOSTS: u64 = 10_000;
const MOST_LINKS: u64 = 50_000;
/// The most switches of one kind, and the most hosts of one switch.
const MOST_OF_A_KIND: u64 = 1000;
/// The most ports of a switch of a fat tree.
const MOST_PORTS: u64 = 32;

/// The key of the scenario's short form with named hosts, if it has one.
pub fn key(scenario: &Scenario) -> Option<&'static str> {
    let forms = [
        ("star", scenario.star.is_some()),
        ("leaf_spine", scenario.leaf_spine.is_some()),
        ("fat_tree", scenario.fat_tree.is_some()),
        ("wan", scenario.wan.is_some()),
    ];
    forms.iter().find(|(_, given)| *given).map(|(key, _)| *key)
}

/// Refuses a short form that is too small, too large or impossible.
pub fn check(scenario: &Scenario, cx: &Context<'_>) {
    if let Some(star) = &scenario.star {
        within(star.hosts, 2..=MOST_HOSTS, &cx.at("star").below("hosts"), "hosts");
    }
    if let Some(LeafSpine { leaves, spines, hosts, .. }) = &scenario.leaf_spine {
        let at = cx.at("leaf_spine");
        let before = cx.errors();
        for (key, n) in [("leaves", leaves), ("spines", spines), ("hosts", hosts)] {
            within(*n, 1..=MOST_OF_A_KIND, &at.below(key), key);
        }
        if cx.errors() > before {
            return;
        }
        let (all, links) = (leaves * hosts, leaves * (spines + hosts));
        if all < 2 {
            at.below("hosts").refuse("one host alone sends to nobody", "write hosts = 2 or more");
        } else if all > MOST_HOSTS || links > MOST_LINKS {
            let cause = format!("{all} hosts and {links} links are too many");
            let fix = format!("a short form has at most {MOST_HOSTS} hosts and {MOST_LINKS} links");
            at.below("hosts").refuse(cause, fix);
        }
    }
    if let Some(FatTree { k, .. }) = scenario.fat_tree {
        let at = cx.at("fat_tree").below("k");
        if k % 2 == 1 {
            let cause = format!("a switch of a fat tree has half its ports up, and {k} is odd");
            at.refuse(cause, format!("write k = {} or k = {}", (k - 1).max(2), k + 1));
        } else if !(2..=MOST_PORTS).contains(&k) {
            let cause = match k {
                0 => "a fat tree of switches without ports".to_string(),
                _ => format!("k = {k} makes {} hosts", u128::from(k).pow(3) / 4),
            };
            at.refuse(cause, "write an even k from 2 to 32, such as k = 4: 16 hosts");
        }
    }
    if let Some(wan) = &scenario.wan {
        within(wan.hosts, 1..=MOST_OF_A_KIND, &cx.at("wan").below("hosts"), "hosts");
        wan::check(wan, &cx.at("wan"));
    }
}

fn within(n: u64, range: std::ops::RangeInclusive<u64>, at: &At<'_>, what: &str) {
    if !range.contains(&n) {
        let cause = format!("{n} {what} are not possible here");
        at.refuse(cause, format!("write a number from {} to {}", range.start(), range.end()));
    }
}

/// The names of the hosts of a short form, in order; `None`: the scenario has none.
pub fn hosts(scenario: &Scenario) -> Option<Vec<String>> {
    let mut shape = Shape::default();
    shape.draw(scenario)?;
    let host = |n: &(String, NodeKind)| n.1 == NodeKind::Host;
    Some(shape.nodes.into_iter().filter(host).map(|(name, _)| name).collect())
}

/// The network of a short form, without flows, whose names are `names`; `None`: the scenario has
/// none.
pub fn draw(scenario: &Scenario, names: &[FlowName], cx: &Context<'_>) -> Option<Network> {
    let mut shape = Shape::default();
    shape.draw(scenario)?;
    let mut net = Network::default();
    for (name, kind) in &shape.nodes {
        let id = net.node(name, *kind);
        net.nodes[id].silent = *kind == NodeKind::Router && scenario.icmp == Some(false);
    }
    if let Some(key) = key(scenario) {
        net.shared_buffers = shared_buffer::of_fabric(key, scenario, &net.nodes, cx);
    }
    let kinds = match &scenario.wan {
        Some(wan) => wan::cables(wan, scenario, names, cx),
        None => cables(scenario, names, cx),
    };
    for (a, b, cable) in shape.links {
        let settings = &kinds[cable.min(kinds.len() - 1)];
        let port = |node: NodeId| match net.nodes[node].kind {
            NodeKind::Router => settings.clone(),
            NodeKind::Host => {
                let own = settings.clone();
                LinkSettings { queue: QueueFrom::Unlimited, report: false, ..own }
            }
        };
        let both = [port(a), port(b)];
        let [from, to] = [&net.nodes[a].name, &net.nodes[b].name];
        // Of parallel links the second and those after it have a number.
        let more = shape.parallel.get(&(a, b, cable)).map_or(String::new(), |n| format!(".{n}"));
        let named = [format!("{from}->{to}{more}"), format!("{to}->{from}{more}")];
        net.pair(named, (a, b), both);
    }
    Some(net)
}

/// The settings of the links to hosts, and of those between switches.
fn cables(scenario: &Scenario, names: &[FlowName], cx: &Context<'_>) -> Vec<LinkSettings> {
    let (key, link, host_link) = match (&scenario.star, &scenario.leaf_spine, &scenario.fat_tree) {
        (Some(Star { link, .. }), ..) => ("star", link, None),
        (_, Some(LeafSpine { link, host_link, .. }), _) => ("leaf_spine", link, host_link.as_ref()),
        (.., Some(FatTree { link, host_link, .. })) => ("fat_tree", link, host_link.as_ref()),
        _ => return Vec::new(),
    };
    let at = cx.at(key);
    let between = cable(link, &at.below("link"), scenario, names);
    let to_hosts = host_link.map_or_else(
        || between.clone(),
        |link| cable(link, &at.below("host_link"), scenario, names),
    );
    vec![to_hosts, between]
}

/// The settings of a switch's port to the links at `at`.
fn cable(link: &Cable, at: &At<'_>, scenario: &Scenario, names: &[FlowName]) -> LinkSettings {
    let queue = port_queue(link.queue.is_some(), at, scenario);
    WrittenLink::of_cable(at.clone(), link, queue).one(scenario.duration, names)
}

/// The queue of a switch's port to links at `at`, which have one of their own if it is `written`.
fn port_queue(written: bool, at: &At<'_>, scenario: &Scenario) -> QueueFrom {
    match (written, &scenario.queue) {
        (true, _) => QueueFrom::Written(at.below("queue").path.into()),
        (false, Some(_)) => QueueFrom::Written(vec!["queue".to_string()].into()),
        (false, None) => QueueFrom::Bottleneck,
    }
}

/// The number of a kind of links: those to hosts.
const TO_HOST: usize = 0;
/// The number of a kind of links: those between switches; of a wide-area network, the first.
const BETWEEN: usize = 1;

/// Nodes, and links with the number of their kind.
#[derive(Default)]
struct Shape {
    nodes: Vec<(String, NodeKind)>,
    links: Vec<(NodeId, NodeId, usize)>,
    /// Of parallel links their numbers, from 2.
    parallel: std::collections::BTreeMap<(NodeId, NodeId, usize), usize>,
}

impl Shape {
    /// Draws the scenario's short form; `None`: it has none. One that [`check`] refuses for its
    /// size is drawn smaller: its hosts are listed before anything is refused.
    fn draw(&mut self, scenario: &Scenario) -> Option<()> {
        if let Some(star) = &scenario.star {
            let hub = self.switch("hub");
            for i in 1..=star.hosts.min(MOST_HOSTS) {
                self.host(format!("h{i}"), hub);
            }
        } else if let Some(form) = &scenario.leaf_spine {
            self.leaf_spine(form);
        } else if let Some(form) = &scenario.fat_tree {
            self.fat_tree(form.k);
        } else if let Some(form) = &scenario.wan {
            wan::draw(form, self);
        } else {
            return None;
        }
        Some(())
    }

    fn switch(&mut self, name: impl Into<String>) -> NodeId {
        self.nodes.push((name.into(), NodeKind::Router));
        self.nodes.len() - 1
    }

    fn host(&mut self, name: String, switch: NodeId) {
        self.nodes.push((name, NodeKind::Host));
        self.links.push((self.nodes.len() - 1, switch, TO_HOST));
    }

    /// The hosts of a switch.
    fn hosts(&mut self, count: u64, switch: NodeId) {
        for i in 1..=count {
            self.host(format!("{}/h{i}", self.nodes[switch].0), switch);
        }
    }

    fn leaf_spine(&mut self, form: &LeafSpine) {
        let count = form.leaves.min(MOST_OF_A_KIND);
        let hosts = form.hosts.min(MOST_HOSTS / count.max(1));
        let spines = form.spines.min(MOST_LINKS / count.max(1));
        let leaves: Vec<NodeId> = (1..=count).map(|i| self.switch(format!("leaf{i}"))).collect();
        let spines: Vec<NodeId> = (1..=spines).map(|i| self.switch(format!("spine{i}"))).collect();
        for leaf in leaves {
            self.hosts(hosts, leaf);
            self.links.extend(spines.iter().map(|spine| (leaf, *spine, BETWEEN)));
        }
    }

    fn fat_tree(&mut self, k: u64) {
        let k = k.min(MOST_PORTS);
        let half = k / 2;
        let cores: Vec<NodeId> =
            (1..=half * half).map(|i| self.switch(format!("core{i}"))).collect();
        for pod in 1..=k {
            let named = |kind: &str, i: u64| format!("pod{pod}/{kind}{i}");
            let aggs: Vec<NodeId> = (1..=half).map(|i| self.switch(named("agg", i))).collect();
            for (agg, group) in aggs.iter().zip(cores.chunks(half as usize)) {
                self.links.extend(group.iter().map(|core| (*agg, *core, BETWEEN)));
            }
            for i in 1..=half {
                let edge = self.switch(named("edge", i));
                self.links.extend(aggs.iter().map(|agg| (edge, *agg, BETWEEN)));
                self.hosts(half, edge);
            }
        }
    }
}
