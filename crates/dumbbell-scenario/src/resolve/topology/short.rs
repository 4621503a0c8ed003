//! The short forms: a dumbbell, and a parking lot, which is a chain of them.
//!
//! Each flow has two hosts of its own, `NAME/sender` and `NAME/receiver`, so that a flow's `rtt` is
//! realized on access links that nobody shares.
use crate::language::scenario::{Access, Direction, Scenario, Wire};
use crate::resolve::context::{At, Context};
use crate::resolve::edges;
use crate::resolve::flow_names::flow_name::FlowName;
use crate::resolve::topology::framing::{self, mtu};
use crate::resolve::topology::written_link::WrittenLink;
use crate::resolve::topology::{LinkSettings, Network, QueueFrom, RoutedFlow};
use dumbbell_core::units::{Rate, Span};
use dumbbell_plan::{LinkId, NodeId, NodeKind};

/// A chain of routers with a bottleneck between neighbors.
struct RouterChain<'a> {
    /// The position of the short form.
    at: At<'a>,
    wire: &'a Wire,
    access: &'a Access,
    routers: Vec<String>,
    /// Name of each bottleneck.
    hops: Vec<String>,
}

impl<'a> RouterChain<'a> {
    /// The chain of a `dumbbell` or a `parking_lot`.
    fn of(scenario: &'a Scenario, cx: &'a Context<'a>) -> Option<Self> {
        Some(match (&scenario.dumbbell, &scenario.parking_lot) {
            (Some(d), _) => RouterChain {
                at: cx.at("dumbbell"),
                wire: &d.bottleneck,
                access: &d.access,
                routers: vec!["left".into(), "right".into()],
                hops: vec!["bottleneck".into()],
            },
            (None, Some(p)) => RouterChain {
                at: cx.at("parking_lot"),
                wire: &p.bottleneck,
                access: &p.access,
                routers: (0..=p.hops).map(|i| format!("r{i}")).collect(),
                hops: (1..=p.hops).map(|i| format!("hop{i}")).collect(),
            },
            (None, None) => return None,
        })
    }
}

/// The network of a `dumbbell` or a `parking_lot`; `names` are its flows.
pub fn build(scenario: &Scenario, names: &[FlowName], cx: &Context<'_>) -> Option<Network> {
    let chain = RouterChain::of(scenario, cx)?;
    let mut net = Network::default();
    let routers: Vec<NodeId> =
        chain.routers.iter().map(|r| net.node(r, NodeKind::Router)).collect();
    routers.iter().for_each(|r| net.nodes[*r].silent = scenario.icmp == Some(false));
    let entries = 0..scenario.flow.len();
    let ends: Vec<(usize, usize)> =
        entries.clone().map(|i| ends(scenario, i, routers.len(), &cx.item("flow", i))).collect();
    let data_backwards = names.iter().any(|f| ends[f.entry].0 > ends[f.entry].1);
    let queues = queues(scenario, data_backwards);
    let bottleneck = WrittenLink::of_short_form(chain.at.below("bottleneck"), chain.wire, queues);
    let both = bottleneck.both(scenario.duration, names);
    let hops = bottlenecks(&chain, &routers, &both, &mut net);
    let access = access(&chain, both[0].rate);
    let edge = |i: usize| edges::rules(&cx.item("flow", i).below("conditioner"), names);
    let edges: Vec<_> = entries.map(edge).collect();
    for FlowName { entry, name, .. } in names {
        let (enter, leave) = ends[*entry];
        let middle = |from: usize, to: usize| -> Vec<LinkId> {
            if from < to {
                hops[from..to].iter().map(|h| h.0).collect()
            } else {
                hops[to..from].iter().rev().map(|h| h.1).collect()
            }
        };
        let own_rtt = scenario.flow[*entry].rtt.is_some();
        let delay = if own_rtt { Span::ZERO } else { access.delay };
        let access = LinkSettings { delay, ..access.clone() };
        let sender = net.node(format!("{name}/sender"), NodeKind::Host);
        let receiver = net.node(format!("{name}/receiver"), NodeKind::Host);
        let into = join(&mut net, &access, sender, routers[enter]);
        net.links[into.0].settings.edge = edges[*entry].clone();
        let out = join(&mut net, &access, routers[leave], receiver);
        let forward = [vec![into.0], middle(enter, leave), vec![out.0]].concat();
        let back = [vec![out.1], middle(leave, enter), vec![into.1]].concat();
        net.flows.push(RoutedFlow {
            entry: *entry,
            name: name.clone(),
            from: sender,
            to: receiver,
            forward,
            back,
            multipath: None,
        });
    }
    Some(net)
}

/// Routers where the data of the flow at `at` enter and leave.
fn ends(scenario: &Scenario, i: usize, routers: usize, at: &At<'_>) -> (usize, usize) {
    let flow = &scenario.flow[i];
    let short = if scenario.dumbbell.is_some() { "dumbbell" } else { "parking_lot" };
    for (key, given) in [
        ("from", flow.from.is_some()),
        ("to", flow.to.is_some()),
        ("pattern", flow.pattern.is_some()),
        ("via", flow.via.is_some()),
        ("via_back", flow.via_back.is_some()),
    ] {
        if given {
            let cause = match key {
                "from" | "to" => format!("`{key}` names a host, and a {short} makes its own"),
                _ => {
                    format!("`{key}` belongs to a network with named hosts, and this is a {short}")
                }
            };
            at.below(key).refuse(cause, "take it out");
        }
    }
    let last = routers - 1;
    if scenario.dumbbell.is_some() {
        if flow.path.is_some() {
            let fix = "in a dumbbell write direction = \"reverse\"";
            at.below("path").refuse("`path` belongs to a parking lot", fix);
        }
        return if flow.direction == Direction::Forward { (0, last) } else { (last, 0) };
    }
    if flow.direction == Direction::Reverse {
        let fix = "in a parking lot write path = [2, 0]";
        at.below("direction").refuse("`direction` belongs to a dumbbell", fix);
    }
    match flow.path {
        None => (0, last),
        Some([a, b]) if a != b && a <= last as u64 && b <= last as u64 => (a as usize, b as usize),
        Some([a, b]) => {
            let cause = format!("there is no way from router {a} to router {b}");
            let fix =
                format!("name two different routers from 0 to {last}, as in path = [0, {last}]");
            at.below("path").refuse(cause, fix);
            (0, last)
        }
    }
}

/// The queues of both directions of a bottleneck.
fn queues(scenario: &Scenario, data_backwards: bool) -> [QueueFrom; 2] {
    let written = |key: &str| QueueFrom::Written(vec![key.to_string()].into());
    let queue = scenario.queue.as_ref().map_or(QueueFrom::Bottleneck, |_| written("queue"));
    let back = match (&scenario.queue_reverse, data_backwards) {
        (Some(_), _) => written("queue_reverse"),
        (None, true) => queue.clone(),
        (None, false) => QueueFrom::Unlimited,
    };
    [queue, back]
}

/// Both directions of each bottleneck.
fn bottlenecks(
    chain: &RouterChain<'_>,
    routers: &[NodeId],
    [ahead, back]: &[LinkSettings; 2],
    net: &mut Network,
) -> Vec<(LinkId, LinkId)> {
    let mut pair = |(i, name): (usize, &String)| {
        let (from, to) = (routers[i], routers[i + 1]);
        let forward = net.link(name.clone(), (from, to), ahead.clone());
        (forward, net.link(format!("{name}_reverse"), (to, from), back.clone()))
    };
    chain.hops.iter().enumerate().map(&mut pair).collect()
}

/// The access links; `rate` is the bottlenecks'.
fn access(chain: &RouterChain<'_>, rate: Rate) -> LinkSettings {
    let Access { rate: own, delay, mtu: size, .. } = chain.access;
    let (at, bottleneck) = (chain.at.below("access"), chain.at.below("bottleneck"));
    let mtu = match size {
        Some(size) => mtu(*size, &at),
        None => mtu(chain.wire.mtu, &bottleneck),
    };
    let framing = framing::written(&at.below("framing"))
        .or_else(|| framing::written(&bottleneck.below("framing")))
        .unwrap_or_default();
    let rate = own.unwrap_or(Rate::from_bps(rate.bps().saturating_mul(10)));
    LinkSettings::plain(rate, delay.unwrap_or(Span::from_ms(1)), mtu, framing)
}

/// Both directions of an access link: the first is from `from` to `to`.
fn join(net: &mut Network, access: &LinkSettings, from: NodeId, to: NodeId) -> (LinkId, LinkId) {
    let mut one = |from: NodeId, to: NodeId| {
        let name = format!("{}->{}", net.nodes[from].name, net.nodes[to].name);
        net.link(name, (from, to), access.clone())
    };
    (one(from, to), one(to, from))
}
