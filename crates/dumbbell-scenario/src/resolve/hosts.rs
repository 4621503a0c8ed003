//! Processors of hosts: two more links for each host that has one, from its card to its sockets and
//! from its sockets to its card. All flows of the host share them, data and acknowledgments alike.
mod cost;

use crate::language::deser;
use crate::language::lookup::{Family, drop_tail};
use crate::language::node::{Entry, Kind, Node, Path};
use crate::language::problem::Diagnostic;
use crate::language::scenario::Scenario;
use crate::resolve::context::{At, Context};
use crate::resolve::topology::fabric;
use dumbbell_algos::service::host_cpu::{HostCpu, HostCpuConfig, presets};
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::catalogue::{Algorithm, nearest};
use dumbbell_core::rng::Stream;
use dumbbell_core::service::{Service, Site};
use dumbbell_core::units::{Capacity, Packets, Rate, Span};
use dumbbell_plan::{Flow, Link, LinkId, Multipath, Node as Place, NodeId, Shared, Side, Spec};
use serde_json::Value;
use std::collections::BTreeMap;

pub use cost::{CostRequest, cost};

/// Keys of a processor that are not the service's.
const AROUND: [&str; 2] = ["preset", "ring"];
/// Such a link takes every packet.
const MTU: u32 = 65_535;

/// A processor: what each direction costs, by [`Side`], and the packets that the card keeps for it.
#[derive(Clone)]
struct Cpu {
    sides: [(HostCpuConfig, Shared<Spec>); 2],
    ring: u32,
}

/// Lays the processors' links behind all others, and leads the flows over them; `entries` are those
/// of the flows. It comes last: whatever follows from a network's links follows without these.
pub fn add_links(
    nodes: &[Place],
    links: &mut Vec<Link>,
    flows: &mut [Flow],
    entries: &[usize],
    scenario: &Scenario,
    cx: &Context<'_>,
) {
    misplaced(scenario, cx);
    let mut known: BTreeMap<Path, Option<Cpu>> = BTreeMap::new();
    let mut laid: BTreeMap<NodeId, [LinkId; 2]> = BTreeMap::new();
    for (flow, entry) in flows.iter_mut().zip(entries) {
        for (host, sends) in [(flow.from, true), (flow.to, false)] {
            if laid.contains_key(&host) {
                continue;
            }
            let Some(at) = written(&nodes[host].name, *entry, sends, scenario, cx) else {
                continue;
            };
            let cpu = known.entry(at.path.clone()).or_insert_with(|| processor(&at));
            let Some(cpu) = cpu else { continue };
            let near = if sends { flow.forward.first() } else { flow.forward.last() };
            let mtu = near.map_or(1500, |l| links[*l].mtu);
            laid.insert(host, both(cpu, host, &nodes[host].name, mtu, links));
        }
        let (ahead, behind) = (laid.get(&flow.from), laid.get(&flow.to));
        let through = |way: &[LinkId], out: Option<&[LinkId; 2]>, into: Option<&[LinkId; 2]>| {
            let (out, into) =
                (out.map(|l| l[Side::Send as usize]), into.map(|l| l[Side::Receive as usize]));
            out.into_iter().chain(way.iter().copied()).chain(into).collect::<Vec<LinkId>>()
        };
        flow.forward = through(&flow.forward, ahead, behind);
        // Nobody answers datagrams.
        if !flow.back.is_empty() {
            flow.back = through(&flow.back, behind, ahead);
        }
        if let Some(all) = flow.multipath.as_mut().filter(|_| ahead.is_some() || behind.is_some()) {
            let all: &mut Multipath = all;
            let both = [(&mut all.forward, ahead, behind), (&mut all.back, behind, ahead)];
            for (sets, out, into) in both {
                let paths = sets.iter_mut().flat_map(|set| &mut set.paths);
                paths.for_each(|path| path.links = through(&path.links, out, into));
            }
        }
    }
}

/// The position of the processor of the host `name`, if it has one. In a short form the host
/// belongs to a flow of `entry`.
fn written<'c>(
    name: &str,
    entry: usize,
    sends: bool,
    scenario: &Scenario,
    cx: &'c Context<'c>,
) -> Option<At<'c>> {
    let everybodys = scenario.cpu.as_ref().map(|_| cx.at("cpu"));
    if scenario.dumbbell.is_none() && scenario.parking_lot.is_none() {
        let own = scenario.host.iter().position(|h| h.name == name && h.cpu.is_some());
        return own.map(|i| cx.item("host", i).below("cpu")).or(everybodys);
    }
    let flow = &scenario.flow[entry];
    let (key, own) =
        if sends { ("sender_cpu", &flow.sender_cpu) } else { ("receiver_cpu", &flow.receiver_cpu) };
    own.as_ref().map(|_| cx.item("flow", entry).below(key)).or(everybodys)
}

/// Processors that are written where nobody looks.
fn misplaced(scenario: &Scenario, cx: &Context<'_>) {
    for (i, router) in scenario.router.iter().enumerate().filter(|(_, r)| r.cpu.is_some()) {
        let cause =
            format!("`{}` is a router: nothing that it forwards comes to a socket", router.name);
        cx.item("router", i).below("cpu").refuse(cause, "write `cpu` in a [[host]]");
    }
    if scenario.dumbbell.is_some() || scenario.parking_lot.is_some() {
        return;
    }
    for (i, flow) in scenario.flow.iter().enumerate() {
        for (key, own) in [("sender_cpu", &flow.sender_cpu), ("receiver_cpu", &flow.receiver_cpu)] {
            if own.is_some() {
                let fix = match fabric::key(scenario) {
                    Some(_) => "write `cpu`, which is that of every host",
                    None => "write `cpu` in the [[host]] that it is of",
                };
                let cause = format!("`{key}` belongs to a short form");
                cx.item("flow", i).below(key).refuse(cause, fix);
            }
        }
    }
}

/// The processor at `at`; `None`: there is none, or it was said what is wrong.
fn processor(at: &At<'_>) -> Option<Cpu> {
    let node = at.node()?;
    let named = if node.as_str().is_some() { Some(node) } else { node.get("preset") };
    if named.and_then(Node::as_str) == Some("none") {
        return None;
    }
    let preset = match named {
        None => None,
        Some(name) => Some(preset(name, at)?),
    };
    let ring = ring(at, preset.as_ref().map_or(presets::RING, |p| p.ring))?;
    let spec = at.algorithm(Family::Service, &whole(node, preset.as_ref()), None)?;
    let receiving: HostCpuConfig = serde_json::from_value(spec.config.clone()).ok()?;
    let sending = receiving.sending();
    let send = Spec { config: serde_json::to_value(&sending).ok()?, ..spec.clone() };
    Some(Cpu { sides: [(receiving, spec.into()), (sending, send.into())], ring })
}

fn preset(name: &Node, at: &At<'_>) -> Option<presets::Preset> {
    let found = name.as_str().and_then(presets::find);
    if found.is_none() {
        let names: Vec<&str> = presets::all().iter().map(|p| p.name).chain(["none"]).collect();
        let written = name.as_str().unwrap_or_default();
        let fix = match nearest(written, &names) {
            Some(known) => format!("did you mean `{known}`?"),
            None => format!(
                "known are {}; or write a table, as in cpu = {{ clock = \"2 GHz\" }}",
                names.join(", ")
            ),
        };
        at.refuse_at(name.place, format!("there is no host named `{written}`"), fix);
    }
    found
}

/// The packets of the receive ring.
fn ring(at: &At<'_>, default: u32) -> Option<u32> {
    let at = at.below("ring");
    let Some(own) = at.node() else { return Some(default) };
    let wrong = match serde_json::from_value::<Packets>(own.to_json()) {
        Ok(Packets(n)) if n >= 1.0 && n <= f64::from(u32::MAX) && n.fract() == 0.0 => {
            return Some(n as u32);
        }
        Ok(_) => Diagnostic::new("a ring has a whole number of places, at least one")
            .fix("write ring = \"256 pkt\""),
        Err(e) => deser::plain(&e.to_string()),
    };
    at.error(wrong.at(own.place));
    None
}

/// The preset's numbers with the written ones over them, as a table of the service.
fn whole(node: &Node, preset: Option<&presets::Preset>) -> Node {
    let leaf = |key: &str, value: Value| {
        let node_of = Node { place: node.place, kind: Kind::Leaf(value) };
        Entry { key: key.into(), place: node.place, node: node_of, left_over: false }
    };
    let mut entries = vec![leaf("kind", "host_cpu".into())];
    let numbers = preset.and_then(|p| serde_json::to_value(&p.cpu).ok()).unwrap_or_default();
    let own = |key: &str| node.get(key).is_some();
    let of_preset = numbers.as_object().into_iter().flatten().filter(|(key, _)| !own(key));
    entries.extend(of_preset.map(|(key, value)| leaf(key, value.clone())));
    entries.extend(node.entries().iter().filter(|e| !AROUND.contains(&e.key.as_str())).cloned());
    Node { place: node.place, kind: Kind::Table(entries) }
}

/// Both links of a host, by [`Side`]; the rate that is written for them is that of packets of
/// `mtu`.
fn both(cpu: &Cpu, host: NodeId, name: &str, mtu: u32, links: &mut Vec<Link>) -> [LinkId; 2] {
    let drop_tail: Shared<Spec> = drop_tail().into();
    let mut one = |side: Side, capacity: Capacity| {
        let (config, spec) = &cpu.sides[side as usize];
        links.push(Link {
            name: format!("{name}/cpu_{}", side.name()),
            from: host,
            to: host,
            rate: nominal(config, mtu),
            service: Some(spec.clone()),
            delay: Span::ZERO,
            mtu: MTU,
            framing: 0,
            least: 0,
            conditioner: None,
            aqm: drop_tail.clone(),
            capacity,
            count_in_service: false,
            watch_above: None,
            impairments: Vec::new(),
            report: false,
            host: Some(side),
        });
        links.len() - 1
    };
    // A host's outgoing packets wait in its socket's buffer, which TCP's window bounds: nothing is
    // lost there.
    [one(Side::Receive, Capacity::Packets(cpu.ring)), one(Side::Send, Capacity::Unlimited)]
}

fn nominal(config: &HostCpuConfig, mtu: u32) -> Rate {
    let link =
        LinkInfo { rate: Rate::default(), capacity: Capacity::Unlimited, mtu, delay: Span::ZERO };
    HostCpu::new(config, &Site { link, chance: Stream::named(0, "nominal") }).rate()
}
