//! The short forms: a dumbbell, and a parking lot, which is a chain of them.
//!
//! Each flow has two hosts of its own, `NAME/sender` and `NAME/receiver`, so that a flow's `rtt` is
//! realized on access links that nobody shares.
use crate::language::node::{Node, Path, below, path};
use crate::language::problem::{Check, Diagnostic};
use crate::language::scenario::{Access, Direction, Scenario, Wire};
use crate::resolve::topology::duplex::couple;
use crate::resolve::topology::framing;
use crate::resolve::topology::service::{base_rate, transmitter};
use crate::resolve::topology::{LinkDraft, Network, QueueFrom, RoutedFlow, mtu};
use dumbbell_core::packet::Framing;
use dumbbell_core::units::{Bytes, Rate, Span};
use dumbbell_plan::{LinkId, NodeId, NodeKind};
use std::rc::Rc;

/// A chain of routers with a bottleneck between neighbors.
struct RouterChain<'a> {
    /// The path of the short form in the scenario.
    at: Path,
    wire: &'a Wire,
    access: &'a Access,
    routers: Vec<String>,
    /// Name of each bottleneck.
    hops: Vec<String>,
}

/// The common properties of the access links.
struct AccessLink {
    rate: Rate,
    delay: Span,
    mtu: u32,
    framing: Framing,
}

/// The network of a `dumbbell` or a `parking_lot`; `names` are its flows.
pub fn build(
    scenario: &Scenario,
    root: &Node,
    names: &[(usize, String)],
    check: &mut Check,
) -> Option<Network> {
    let chain = match (&scenario.dumbbell, &scenario.parking_lot) {
        (Some(d), _) => RouterChain {
            at: path(&["dumbbell"]),
            wire: &d.bottleneck,
            access: &d.access,
            routers: vec!["left".into(), "right".into()],
            hops: vec!["bottleneck".into()],
        },
        (None, Some(p)) => RouterChain {
            at: path(&["parking_lot"]),
            wire: &p.bottleneck,
            access: &p.access,
            routers: (0..=p.hops).map(|i| format!("r{i}")).collect(),
            hops: (1..=p.hops).map(|i| format!("hop{i}")).collect(),
        },
        (None, None) => return None,
    };
    let mut net = Network::default();
    let routers: Vec<NodeId> =
        chain.routers.iter().map(|r| net.node(r, NodeKind::Router)).collect();
    routers.iter().for_each(|r| net.nodes[*r].silent = scenario.icmp == Some(false));
    let ends: Vec<(usize, usize)> =
        (0..scenario.flow.len()).map(|i| ends(scenario, i, routers.len(), root, check)).collect();
    let data_backwards = names.iter().any(|(i, _)| ends[*i].0 > ends[*i].1);
    let hops = bottlenecks(&chain, scenario, root, &routers, data_backwards, &mut net, check);
    let rate = hops.first().map_or(Rate::from_mbps(1), |h| net.links[h.0].rate);
    let access_link = access_link(&chain, rate, root, check);
    let conditioner = |i: usize| Rc::new(path(&["flow", &i.to_string(), "conditioner"]));
    let conditioners: Vec<Rc<Path>> = (0..scenario.flow.len()).map(conditioner).collect();
    for (entry, name) in names {
        let (enter, leave) = ends[*entry];
        let middle = |from: usize, to: usize| -> Vec<LinkId> {
            if from < to {
                hops[from..to].iter().map(|h| h.0).collect()
            } else {
                hops[to..from].iter().rev().map(|h| h.1).collect()
            }
        };
        let own_rtt = scenario.flow[*entry].rtt.is_some();
        let delay = if own_rtt { Span::ZERO } else { access_link.delay };
        let sender = net.node(format!("{name}/sender"), NodeKind::Host);
        let receiver = net.node(format!("{name}/receiver"), NodeKind::Host);
        let into = join(&mut net, &access_link, delay, sender, routers[enter]);
        net.links[into.0].conditioner = Some(Rc::clone(&conditioners[*entry]));
        let out = join(&mut net, &access_link, delay, routers[leave], receiver);
        let forward = [vec![into.0], middle(enter, leave), vec![out.0]].concat();
        let back = [vec![out.1], middle(leave, enter), vec![into.1]].concat();
        net.flows.push(RoutedFlow {
            entry: *entry,
            name: name.clone(),
            from: sender,
            to: receiver,
            forward,
            back,
        });
    }
    Some(net)
}

/// Routers where a flow's data enters and leaves.
fn ends(
    scenario: &Scenario,
    i: usize,
    routers: usize,
    root: &Node,
    check: &mut Check,
) -> (usize, usize) {
    let flow = &scenario.flow[i];
    let at = path(&["flow", &i.to_string()]);
    let mut refuse = |key: &str, cause: String, fix: &str| {
        let p = below(&at, key);
        check.error(Diagnostic::new(cause).at(root.nearest_place(&p)).fix(fix).key(&p));
    };
    let short = if scenario.dumbbell.is_some() { "dumbbell" } else { "parking_lot" };
    for (key, given) in [("from", &flow.from), ("to", &flow.to)] {
        if given.is_some() {
            refuse(
                key,
                format!("`{key}` names a host, and a {short} makes its own"),
                "take it out",
            );
        }
    }
    let last = routers - 1;
    if scenario.dumbbell.is_some() {
        if flow.path.is_some() {
            refuse(
                "path",
                "`path` belongs to a parking lot".into(),
                "in a dumbbell write \
                direction = \"reverse\"",
            );
        }
        return if flow.direction == Direction::Forward { (0, last) } else { (last, 0) };
    }
    if flow.direction == Direction::Reverse {
        refuse(
            "direction",
            "`direction` belongs to a dumbbell".into(),
            "in a parking lot write \
            path = [2, 0]",
        );
    }
    match flow.path {
        None => (0, last),
        Some([a, b]) if a != b && a <= last as u64 && b <= last as u64 => (a as usize, b as usize),
        Some([a, b]) => {
            let fix = format!(
                "name two different routers from 0 to {last}, as in path = [0, \
                {last}]"
            );
            refuse("path", format!("there is no way from router {a} to router {b}"), &fix);
            (0, last)
        }
    }
}

/// Both directions of each bottleneck.
fn bottlenecks(
    chain: &RouterChain<'_>,
    scenario: &Scenario,
    root: &Node,
    routers: &[NodeId],
    data_backwards: bool,
    net: &mut Network,
    check: &mut Check,
) -> Vec<(LinkId, LinkId)> {
    let at = below(&chain.at, "bottleneck");
    let queue = if scenario.queue.is_some() {
        QueueFrom::Written(path(&["queue"]).into())
    } else {
        QueueFrom::Bottleneck
    };
    let queue_back = match (&scenario.queue_reverse, data_backwards) {
        (Some(_), _) => QueueFrom::Written(path(&["queue_reverse"]).into()),
        (None, true) => queue.clone(),
        (None, false) => QueueFrom::Unlimited,
    };
    let own = transmitter(root, &at, chain.wire.rate, check);
    let mut ahead = LinkDraft {
        name: String::new(),
        from: 0,
        to: 0,
        rate: own.rate,
        service: own.service,
        delay: chain.wire.delay,
        mtu: mtu(chain.wire.mtu, root, &at, check),
        framing: framing::written(root, &below(&at, "framing"), check).unwrap_or_default(),
        queue,
        conditioner: Some(below(&at, "conditioner").into()),
        impairment: Some(below(&at, "impairment").into()),
        report: true,
    };
    let reverse = &chain.wire.reverse;
    let base = base_rate(ahead.service.as_deref(), ahead.rate);
    let other = transmitter(root, &below(&at, "reverse"), reverse.rate.or(Some(base)), check);
    let mut back = LinkDraft {
        rate: other.rate,
        service: other.service,
        delay: reverse.delay.unwrap_or(ahead.delay),
        report: queue_back != QueueFrom::Unlimited,
        queue: queue_back,
        conditioner: None,
        impairment: Some(below(&below(&at, "reverse"), "impairment").into()),
        ..ahead.clone()
    };
    couple(&mut ahead, &mut back, root, &at, check);
    let mut pair = |i: usize| {
        let (from, to, name) = (routers[i], routers[i + 1], &chain.hops[i]);
        let forward = net.link(LinkDraft { name: name.clone(), from, to, ..ahead.clone() });
        let reverse = net.link(LinkDraft {
            name: format!("{name}_reverse"),
            from: to,
            to: from,
            ..back.clone()
        });
        (forward, reverse)
    };
    (0..chain.hops.len()).map(&mut pair).collect()
}

/// `rate` is the bottlenecks'.
fn access_link(chain: &RouterChain<'_>, rate: Rate, root: &Node, check: &mut Check) -> AccessLink {
    let (access, at) = (chain.access, below(&chain.at, "access"));
    let bottleneck = below(&chain.at, "bottleneck");
    let size: Bytes = access.mtu.unwrap_or(chain.wire.mtu);
    AccessLink {
        rate: access.rate.unwrap_or(Rate::from_bps(rate.bps().saturating_mul(10))),
        delay: access.delay.unwrap_or(Span::from_ms(1)),
        mtu: mtu(size, root, if access.mtu.is_some() { &at } else { &bottleneck }, check),
        framing: framing::written(root, &below(&at, "framing"), check)
            .or_else(|| framing::written(root, &below(&bottleneck, "framing"), check))
            .unwrap_or_default(),
    }
}

/// Both directions of an access link: the first is from `from` to `to`.
fn join(
    net: &mut Network,
    access_link: &AccessLink,
    delay: Span,
    from: NodeId,
    to: NodeId,
) -> (LinkId, LinkId) {
    let mut one = |from: NodeId, to: NodeId| {
        let name = format!("{}->{}", net.nodes[from].name, net.nodes[to].name);
        net.link(LinkDraft {
            name,
            from,
            to,
            rate: access_link.rate,
            service: None,
            delay,
            mtu: access_link.mtu,
            framing: access_link.framing,
            queue: QueueFrom::Unlimited,
            conditioner: None,
            impairment: None,
            report: false,
        })
    };
    (one(from, to), one(to, from))
}
