//! A fat tree of switches with `k` ports, as data centers have (Al-Fares, Loukissas, Vahdat,
//! SIGCOMM 2008).
use super::{Sending, bench_tcp, empty, link, spec};
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::{Flow, Link, LinkId, Node, NodeId, NodeKind, Plan, Shared, Spec};
use serde_json::json;
use std::collections::HashMap;

/// Numbers of the nodes of a fat tree: hosts, then the pods' lower and upper switches, then cores.
struct Nodes {
    half: usize,
    hosts: usize,
}

impl Nodes {
    fn of(k: usize) -> Self {
        Nodes { half: k / 2, hosts: k * k * k / 4 }
    }
    fn count(&self) -> usize {
        self.core(self.half - 1, self.half - 1) + 1
    }
    fn pod(&self, host: usize) -> usize {
        host / (self.half * self.half)
    }
    fn lower(&self, host: usize) -> NodeId {
        self.hosts + host / self.half
    }
    fn upper(&self, pod: usize, i: usize) -> NodeId {
        self.hosts + 2 * self.half * self.half + pod * self.half + i
    }
    fn core(&self, upper: usize, i: usize) -> NodeId {
        self.hosts + 4 * self.half * self.half + upper * self.half + i
    }
}

/// One flow from each host to a host in the pod half way around. Links of 10 Gbit/s and 10 us with
/// `queue`, 100 packets, all of them reported; of the equal paths a seeded draw takes one.
pub fn fat_tree(seed: u64, k: usize, queue: Shared<Spec>, duration: Span) -> Plan {
    let nodes = Nodes::of(k);
    let mut plan = empty(seed, duration);
    plan.nodes = (0..nodes.count())
        .map(|n| {
            let (kind, letter) =
                if n < nodes.hosts { (NodeKind::Host, "h") } else { (NodeKind::Router, "s") };
            Node { name: format!("{letter}{n}"), kind, silent: false }
        })
        .collect();
    let mut pairs: Vec<(NodeId, NodeId)> = (0..nodes.hosts).map(|h| (h, nodes.lower(h))).collect();
    for (pod, i, j) in
        (0..k).flat_map(|pod| (0..k / 2).flat_map(move |i| (0..k / 2).map(move |j| (pod, i, j))))
    {
        let lower = nodes.hosts + pod * nodes.half + j;
        pairs.extend([(lower, nodes.upper(pod, i)), (nodes.upper(pod, i), nodes.core(i, j))]);
    }
    let mut numbers: HashMap<(NodeId, NodeId), LinkId> = HashMap::new();
    for (a, b) in pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]) {
        numbers.insert((a, b), plan.links.len());
        let plain = link(a, b, Rate::from_mbps(10_000), Span::from_us(10));
        let (aqm, capacity) = (queue.clone(), Capacity::Packets(100));
        plan.links.push(Link { aqm, capacity, report: true, ..plain });
    }
    let bulk = Sending {
        source: spec("bulk", json!({})),
        cc: spec("newreno", json!({})),
        tcp: bench_tcp().into(),
    };
    let mut draw = Stream::named(seed, "paths");
    for from in 0..nodes.hosts {
        let to = (from + nodes.hosts / 2) % nodes.hosts;
        let (i, j) =
            (draw.below(nodes.half as u32) as usize, draw.below(nodes.half as u32) as usize);
        let stops = [
            from,
            nodes.lower(from),
            nodes.upper(nodes.pod(from), i),
            nodes.core(i, j),
            nodes.upper(nodes.pod(to), i),
            nodes.lower(to),
            to,
        ];
        let forward = stops.windows(2).map(|s| numbers[&(s[0], s[1])]).collect();
        let back = stops.windows(2).rev().map(|s| numbers[&(s[1], s[0])]).collect();
        plan.flows.push(Flow {
            start: Span::from_us(from as u64),
            forward,
            back,
            ..bulk.flow(plan.flows.len(), from, to)
        });
    }
    plan
}
