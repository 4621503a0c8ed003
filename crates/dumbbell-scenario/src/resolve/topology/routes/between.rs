//! The routes of many flows. Hosts do not forward, so the search goes over the routers alone, once
//! from each router that a sending host is at; what lies before and behind is one link each. A
//! route costs what the hosts' own links cost, however many other hosts there are.
use super::names;
use crate::resolve::topology::Network;
use dumbbell_core::units::Span;
use dumbbell_plan::{LinkId, NodeId, NodeKind};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The most places of trees that are kept: a hundred megabytes.
const MOST_KEPT: usize = 4 << 20;

/// A network's links by their ends, and what was searched so far.
pub struct Routes {
    /// Links that leave each node.
    leaving: Vec<Vec<LinkId>>,
    /// Links that lead to each host.
    arriving: Vec<Vec<LinkId>>,
    /// Of each router its number among the routers.
    number: Vec<usize>,
    routers: usize,
    /// From routers to all routers, by number.
    trees: BTreeMap<NodeId, Vec<Option<Reached>>>,
}

/// The best way from a tree's root to a router.
#[derive(Clone, Copy)]
struct Reached {
    cost: u64,
    delay: Span,
    /// The last link; the root has none.
    last: Option<LinkId>,
}

/// A way between two hosts: the first link, a router's tree and the router there that the last link
/// leaves, if it is longer than one link.
struct Candidate {
    cost: u64,
    delay: Span,
    first: LinkId,
    rest: Option<(NodeId, LinkId)>,
}

impl Routes {
    /// The links of `net`; nothing is searched yet.
    #[cfg(test)]
    pub fn new(net: &Network) -> Self {
        Self::without(net, &[])
    }

    /// The links of `net` that are not `out`; nothing is searched yet.
    pub fn without(net: &Network, out: &[bool]) -> Self {
        let (mut leaving, mut arriving) =
            (vec![Vec::new(); net.nodes.len()], vec![Vec::new(); net.nodes.len()]);
        let inside = |i: usize| !out.get(i).copied().unwrap_or(false);
        for (i, link) in net.links.iter().enumerate().filter(|(i, _)| inside(*i)) {
            leaving[link.from].push(i);
            if net.nodes[link.to].kind == NodeKind::Host {
                arriving[link.to].push(i);
            }
        }
        let mut routers = 0;
        let number = net.nodes.iter().map(|node| {
            routers += usize::from(node.kind == NodeKind::Router);
            routers.saturating_sub(1)
        });
        let number = number.collect();
        Routes { leaving, arriving, number, routers, trees: BTreeMap::new() }
    }

    /// The best way between two different hosts of `net`; `None` where there is none.
    pub fn between(&mut self, net: &Network, from: NodeId, to: NodeId) -> Option<Vec<LinkId>> {
        self.grow(net, from);
        let mut best: Option<(Candidate, Option<Vec<LinkId>>)> = None;
        for &first in &self.leaving[from] {
            for candidate in self.by(net, first, to) {
                let order = best.as_ref().map_or(Ordering::Less, |(old, _)| {
                    (candidate.cost, candidate.delay).cmp(&(old.cost, old.delay))
                });
                let better = match (order, &mut best) {
                    (Ordering::Equal, Some((old, way))) => {
                        let way = way.get_or_insert_with(|| self.way(net, old));
                        names(net, &self.way(net, &candidate)) < names(net, way)
                    }
                    (order, _) => order == Ordering::Less,
                };
                if better {
                    best = Some((candidate, None));
                }
            }
        }
        best.map(|(candidate, way)| way.unwrap_or_else(|| self.way(net, &candidate)))
    }

    /// The ways to `to` that begin with `first`.
    fn by<'a>(
        &'a self,
        net: &'a Network,
        first: LinkId,
        to: NodeId,
    ) -> impl Iterator<Item = Candidate> + 'a {
        let link = &net.links[first];
        let (cost, delay) = (link.settings.cost, link.settings.delay);
        let direct = (link.to == to).then_some(Candidate { cost, delay, first, rest: None });
        let tree = self.trees.get(&link.to);
        let beyond = tree.into_iter().flat_map(move |tree| {
            self.arriving[to].iter().filter_map(move |last| {
                let end = &net.links[*last];
                let at = (net.nodes[end.from].kind == NodeKind::Router)
                    .then(|| tree[self.number[end.from]])??;
                let cost = cost + at.cost + end.settings.cost;
                let delay = delay + at.delay + end.settings.delay;
                Some(Candidate { cost, delay, first, rest: Some((link.to, *last)) })
            })
        });
        direct.into_iter().chain(beyond)
    }

    /// The links of a candidate.
    fn way(&self, net: &Network, candidate: &Candidate) -> Vec<LinkId> {
        let Some((root, last)) = candidate.rest else { return vec![candidate.first] };
        let mut way = vec![candidate.first];
        way.extend(self.climbed(net, &self.trees[&root], last));
        way
    }

    /// Searches from the routers that `host` is at.
    fn grow(&mut self, net: &Network, host: NodeId) {
        if self.trees.len().saturating_mul(self.routers) > MOST_KEPT {
            self.trees.clear();
        }
        for &first in &self.leaving[host] {
            let root = net.links[first].to;
            if net.nodes[root].kind == NodeKind::Router && !self.trees.contains_key(&root) {
                self.trees.insert(root, self.tree(net, root));
            }
        }
    }

    /// The links from a tree's root up to `last`.
    fn climbed(&self, net: &Network, tree: &[Option<Reached>], last: LinkId) -> Vec<LinkId> {
        let before =
            |l: &LinkId| tree[self.number[net.links[*l].from]].and_then(|reached| reached.last);
        let mut way: Vec<LinkId> = std::iter::successors(Some(last), before).collect();
        way.reverse();
        way
    }

    /// The best ways from `root` to all routers, from cost to cost: every router that is reached
    /// for the first time at one takes the best of the ways that reach it then.
    fn tree(&self, net: &Network, root: NodeId) -> Vec<Option<Reached>> {
        let mut tree = vec![None; self.routers];
        let start = (Span::ZERO, None);
        let mut ahead = BTreeMap::from([(0u64, BTreeMap::from([(root, start)]))]);
        while let Some((cost, reached)) = ahead.pop_first() {
            for (node, (delay, last)) in reached {
                if tree[self.number[node]].is_some() {
                    continue;
                }
                tree[self.number[node]] = Some(Reached { cost, delay, last });
                for &l in &self.leaving[node] {
                    let link = &net.links[l];
                    if net.nodes[link.to].kind != NodeKind::Router
                        || tree[self.number[link.to]].is_some()
                    {
                        continue;
                    }
                    let way = (delay + link.settings.delay, Some(l));
                    let round = ahead.entry(cost + link.settings.cost).or_default();
                    let best = round.entry(link.to).or_insert(way);
                    if self.before(net, &tree, way, *best) {
                        *best = way;
                    }
                }
            }
        }
        tree
    }

    /// True if the way `a` to a router of `tree`, as delay and last link, goes before `b`, which
    /// costs as much.
    fn before(
        &self,
        net: &Network,
        tree: &[Option<Reached>],
        a: (Span, Option<LinkId>),
        b: (Span, Option<LinkId>),
    ) -> bool {
        let way = |last: Option<LinkId>| last.map(|l| self.climbed(net, tree, l));
        let named = |last| way(last).map(|links| names(net, &links));
        a.0 < b.0 || (a.0 == b.0 && a.1 != b.1 && named(a.1) < named(b.1))
    }
}
