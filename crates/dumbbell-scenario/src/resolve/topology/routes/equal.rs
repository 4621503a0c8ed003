//! Paths of equal cost, of which a hash chooses for each flow, as routers do (ECMP, RFC 2992).
//!
//! Each router takes, of its links that lie on a path of least cost to the receiver, the one that
//! the hash of (seed, router, hosts, flow) says: the stream of that name, which is FNV-1a over the
//! name and the finalizer of SplitMix64 as the key of Philox4x32-10, and Lemire's multiplication of
//! its first 64 bits with the number of links. Every router has a hash of its own, so that two in a
//! row do not choose alike (hash polarization). Delays play no part.
use super::names;
use crate::resolve::topology::Network;
use dumbbell_core::rng::Stream;
use dumbbell_plan::{LinkId, NodeId, NodeKind};
use std::collections::BTreeMap;

/// The most costs that are kept: a hundred megabytes.
const MOST_KEPT: usize = 12 << 20;

/// A network's links by their ends, and the costs to the receivers that were asked for.
pub struct EqualPaths {
    leaving: Vec<Vec<LinkId>>,
    arriving: Vec<Vec<LinkId>>,
    /// For each receiver, or the router that it is at, the least cost from every node.
    costs: BTreeMap<NodeId, Vec<Option<u64>>>,
}

impl EqualPaths {
    /// The links of `net`; nothing is searched yet.
    pub fn new(net: &Network) -> Self {
        Self::without(net, &[])
    }

    /// The links of `net` that are not `out`.
    pub fn without(net: &Network, out: &[bool]) -> Self {
        let (mut leaving, mut arriving) =
            (vec![Vec::new(); net.nodes.len()], vec![Vec::new(); net.nodes.len()]);
        let inside = |i: usize| !out.get(i).copied().unwrap_or(false);
        for (i, link) in net.links.iter().enumerate().filter(|(i, _)| inside(*i)) {
            leaving[link.from].push(i);
            arriving[link.to].push(i);
        }
        for links in &mut leaving {
            links.sort_by_key(|l| names(net, &[*l]));
        }
        EqualPaths { leaving, arriving, costs: BTreeMap::new() }
    }

    /// The path from `from` to another host `to` of the flow whose name is `flow`; `None`: there
    /// is none.
    pub fn chosen(
        &mut self,
        net: &Network,
        (from, to): (NodeId, NodeId),
        seed: u64,
        flow: &str,
    ) -> Option<Vec<LinkId>> {
        let (root, last) = self.root(net, to);
        self.search(net, root);
        let costs = &self.costs[&root];
        costs[from]?;
        let name = |node: NodeId| net.nodes[node].name.as_str();
        let hosts = format!("{}->{}", name(from), name(to));
        let (mut at, mut way) = (from, Vec::new());
        while at != root {
            let next: Vec<LinkId> = self.next(net, costs, at).collect();
            let choice = if next.len() > 1 {
                let router = name(at);
                let key = format!("ecmp/{router}/{hosts}/{flow}");
                Stream::named(seed, &key).below(next.len() as u32) as usize
            } else {
                0
            };
            way.push(next[choice]);
            at = net.links[next[choice]].to;
        }
        way.extend(last);
        Some(way)
    }

    /// All paths of least cost from `from` to another host `to`, with the probability of each where
    /// every router chooses uniformly among its links.
    pub fn all(&mut self, net: &Network, from: NodeId, to: NodeId) -> Vec<(f64, Vec<LinkId>)> {
        let (root, last) = self.root(net, to);
        self.search(net, root);
        let costs = &self.costs[&root];
        if costs[from].is_none() {
            return Vec::new();
        }
        let (mut found, mut open) = (Vec::new(), vec![(from, 1.0, Vec::new())]);
        while let Some((at, share, way)) = open.pop() {
            if at == root {
                found.push((share, way.into_iter().chain(last).collect()));
                continue;
            }
            let next: Vec<LinkId> = self.next(net, costs, at).collect();
            // The first by name comes first.
            open.extend(next.iter().rev().map(|link| {
                let longer = way.iter().copied().chain([*link]).collect();
                (net.links[*link].to, share / next.len() as f64, longer)
            }));
        }
        found
    }

    /// The number of paths of least cost from `from` to another host `to`.
    pub fn count(&mut self, net: &Network, from: NodeId, to: NodeId) -> u64 {
        let (root, _) = self.root(net, to);
        self.search(net, root);
        let costs = &self.costs[&root];
        if costs[from].is_none() {
            return 0;
        }
        let mut known = BTreeMap::from([(root, 1u64)]);
        let mut open = vec![from];
        while let Some(&at) = open.last() {
            let next: Vec<NodeId> = self.next(net, costs, at).map(|l| net.links[l].to).collect();
            let unknown: Vec<NodeId> =
                next.iter().copied().filter(|node| !known.contains_key(node)).collect();
            if unknown.is_empty() {
                let sum = next.iter().fold(0u64, |sum, node| sum.saturating_add(known[node]));
                known.entry(at).or_insert(sum);
                open.pop();
            } else {
                open.extend(unknown);
            }
        }
        known[&from]
    }

    /// Where a search for paths to a host begins: of a host with one link the router there, which
    /// all its hosts share, and that link.
    fn root(&self, net: &Network, to: NodeId) -> (NodeId, Option<LinkId>) {
        match self.arriving[to][..] {
            [only] if net.nodes[net.links[only].from].kind == NodeKind::Router => {
                (net.links[only].from, Some(only))
            }
            _ => (to, None),
        }
    }

    /// The links that leave `at` on a path of least cost, by name.
    fn next<'a>(
        &'a self,
        net: &'a Network,
        costs: &'a [Option<u64>],
        at: NodeId,
    ) -> impl Iterator<Item = LinkId> + 'a {
        let on_a_path = move |l: &LinkId| {
            let link = &net.links[*l];
            costs[at].is_some() && costs[link.to].map(|rest| rest + link.settings.cost) == costs[at]
        };
        let forwards = move |l: &LinkId| self.forwards(net, net.links[*l].to, costs);
        self.leaving[at].iter().copied().filter(on_a_path).filter(forwards)
    }

    /// True if a path may lead over `node` or end there.
    fn forwards(&self, net: &Network, node: NodeId, costs: &[Option<u64>]) -> bool {
        net.nodes[node].kind == NodeKind::Router || costs[node] == Some(0)
    }

    /// Finds the least costs to `to`, a receiver or the router that it is at.
    fn search(&mut self, net: &Network, to: NodeId) {
        if self.costs.contains_key(&to) {
            return;
        }
        if self.costs.len().saturating_mul(net.nodes.len()) > MOST_KEPT {
            self.costs.clear();
        }
        let mut costs: Vec<Option<u64>> = vec![None; net.nodes.len()];
        let mut ahead = BTreeMap::from([(0u64, vec![to])]);
        while let Some((cost, nodes)) = ahead.pop_first() {
            for node in nodes {
                if costs[node].is_some() {
                    continue;
                }
                costs[node] = Some(cost);
                if !self.forwards(net, node, &costs) {
                    continue;
                }
                for &l in &self.arriving[node] {
                    let link = &net.links[l];
                    if costs[link.from].is_none() {
                        ahead.entry(cost + link.settings.cost).or_default().push(link.from);
                    }
                }
            }
        }
        self.costs.insert(to, costs);
    }
}
