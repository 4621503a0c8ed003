//! Parts of a graph that grow side by side.
//!
//! A node with one neighbor is in the part of that, as a host with its switch. The graph is halved,
//! and the halves again. Each half starts at one node, far from the other. The half with less work
//! takes the node that has the most of its links to it and the fewest to the other, until none is
//! left. So most pods of a fat tree stay whole, and what lies between, like the spines of a fabric,
//! is shared evenly.
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

/// The neighbors of each node, once for each link.
pub(super) struct Graph {
    near: Vec<Vec<u32>>,
}

impl Graph {
    /// A graph of so many `nodes`; links within a node are none.
    pub(super) fn new(nodes: usize, links: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut near = vec![Vec::new(); nodes];
        for (a, b) in links.filter(|(a, b)| a != b) {
            near[a].push(b as u32);
            near[b].push(a as u32);
        }
        Graph { near }
    }

    /// The graph in which each node is a group of nodes of this one: `group[n]` is that of node
    /// `n`, if it has one.
    fn of_groups(&self, group: &[Option<usize>], count: usize) -> Graph {
        let ends = |(a, near): (usize, &Vec<u32>)| -> Vec<(usize, usize)> {
            let to = |b: &u32| Some((group[a]?, group[*b as usize]?));
            near.iter().filter(|b| a < **b as usize).filter_map(to).collect()
        };
        Graph::new(count, self.near.iter().enumerate().flat_map(ends))
    }

    /// The first of the nodes that are farthest from `start`. Unreachable nodes are farthest.
    fn farthest(&self, start: usize) -> usize {
        let mut distance = vec![usize::MAX; self.near.len()];
        let mut reached = VecDeque::from([start]);
        distance[start] = 0;
        while let Some(node) = reached.pop_front() {
            for near in self.near[node].iter().map(|near| *near as usize) {
                if distance[near] == usize::MAX {
                    distance[near] = distance[node] + 1;
                    reached.push_back(near);
                }
            }
        }
        (0..distance.len()).rev().max_by_key(|node| distance[*node]).unwrap_or(start)
    }

    /// The group of each node, and their number: a node with one neighbor is in the group of that,
    /// as long as the group has no more work than `most`.
    fn with_hosts(&self, load: &[f64], most: f64) -> (Vec<usize>, usize) {
        let only = |node: usize| {
            let (first, rest) = self.near[node].split_first()?;
            let alone = rest.iter().all(|near| near == first);
            // Of two that have only each other, the first stays.
            let back = *first as usize > node
                && self.near[*first as usize].iter().all(|n| *n as usize == node);
            (alone && !back).then_some(*first as usize)
        };
        let mut has = load.to_vec();
        let mut goes_to: Vec<usize> = (0..load.len()).collect();
        for node in 0..load.len() {
            if let Some(with) = only(node)
                && has[with] + load[node] <= most
            {
                has[with] += load[node];
                goes_to[node] = with;
            }
        }
        let mut number = vec![0; load.len()];
        let stays = (0..load.len()).filter(|node| goes_to[*node] == *node);
        let count = stays.enumerate().map(|(group, node)| number[node] = group).count();
        (goes_to.into_iter().map(|node| number[node]).collect(), count)
    }
}

/// A node that a half may take next. The greatest is the best.
#[derive(Clone, Copy, PartialEq)]
struct Candidate {
    /// The links to the half less those to the other, over all links of the node.
    gain: f64,
    /// The links to the half.
    own: u32,
    load: f64,
    node: u32,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain
            .total_cmp(&other.gain)
            .then(self.own.cmp(&other.own))
            .then(self.load.total_cmp(&other.load))
            .then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The state of growth.
struct Growth<'a> {
    graph: &'a Graph,
    load: &'a [f64],
    /// The half of each node, once one has it.
    of: Vec<Option<usize>>,
    /// For each half and node, the links between them.
    ties: [Vec<u32>; 2],
    /// What each half may take. A candidate is stale once a half has the node, or its gain has
    /// changed.
    candidates: [BinaryHeap<Candidate>; 2],
    /// The work of each half, over what it shall have.
    filled: [f64; 2],
    share: [f64; 2],
}

impl Growth<'_> {
    fn candidate(&self, half: usize, node: usize) -> Candidate {
        let (own, other) = (self.ties[half][node], self.ties[1 - half][node]);
        let links = self.graph.near[node].len().max(1);
        let gain = (f64::from(own) - f64::from(other)) / links as f64;
        Candidate { gain, own, load: self.load[node], node: node as u32 }
    }

    /// A half takes a node, which changes the gains of its neighbors.
    fn take(&mut self, half: usize, node: usize) {
        self.of[node] = Some(half);
        self.filled[half] += self.load[node] / self.share[half];
        let graph = self.graph;
        for near in graph.near[node].iter().map(|near| *near as usize) {
            self.ties[half][near] += 1;
            if self.of[near].is_none() {
                for half in [0, 1] {
                    let candidate = self.candidate(half, near);
                    self.candidates[half].push(candidate);
                }
            }
        }
    }

    /// The best candidate of a half.
    fn best(&mut self, half: usize) -> Option<usize> {
        while let Some(candidate) = self.candidates[half].pop() {
            let node = candidate.node as usize;
            if self.of[node].is_none() && self.candidate(half, node) == candidate {
                return Some(node);
            }
        }
        None
    }
}

/// The half of each node, 0 or 1. The halves shall have work in the ratio of `share`.
fn halves(graph: &Graph, load: &[f64], share: [f64; 2]) -> Vec<usize> {
    let nodes = load.len();
    let mut growth = Growth {
        graph,
        load,
        of: vec![None; nodes],
        ties: [vec![0; nodes], vec![0; nodes]],
        candidates: [BinaryHeap::new(), BinaryHeap::new()],
        filled: [0.0; 2],
        share,
    };
    for half in [0, 1] {
        growth.candidates[half] = (0..nodes).map(|node| growth.candidate(half, node)).collect();
    }
    let first = graph.farthest(0);
    growth.take(0, first);
    if nodes > 1 {
        growth.take(1, graph.farthest(first));
    }
    loop {
        let half = usize::from(growth.filled[1] < growth.filled[0]);
        let Some(node) = growth.best(half) else { break };
        growth.take(half, node);
    }
    growth.of.into_iter().map(|half| half.unwrap_or_default()).collect()
}

/// Divides `graph` in `parts`: the part of node `n` is written to `of` at `names[n]`, from `first`
/// on.
fn divide(graph: &Graph, load: &[f64], names: &[usize], parts: usize, first: u32, of: &mut [u32]) {
    if parts < 2 || load.len() < 2 {
        names.iter().for_each(|name| of[*name] = first);
        return;
    }
    let sizes = [parts / 2, parts - parts / 2];
    let half_of = halves(graph, load, sizes.map(|size| size as f64));
    for (half, size) in sizes.into_iter().enumerate() {
        let nodes: Vec<usize> = (0..load.len()).filter(|node| half_of[*node] == half).collect();
        let mut number = vec![None; load.len()];
        nodes.iter().enumerate().for_each(|(n, node)| number[*node] = Some(n));
        let load: Vec<f64> = nodes.iter().map(|node| load[*node]).collect();
        let names: Vec<usize> = nodes.iter().map(|node| names[*node]).collect();
        let first = first + (half * sizes[0]) as u32;
        divide(&graph.of_groups(&number, nodes.len()), &load, &names, size, first, of);
    }
}

/// The part of each node of `graph`, so that parts have about the same `load`. A part may be empty.
pub(super) fn grown(graph: &Graph, load: &[f64], parts: usize) -> Vec<u32> {
    let most = load.iter().sum::<f64>() / parts as f64;
    let (group, count) = graph.with_hosts(load, most);
    let mut loads = vec![0.0; count];
    group.iter().zip(load).for_each(|(group, load)| loads[*group] += load);
    let groups: Vec<Option<usize>> = group.iter().copied().map(Some).collect();
    let mut of = vec![0; count];
    let names: Vec<usize> = (0..count).collect();
    divide(&graph.of_groups(&groups, count), &loads, &names, parts, 0, &mut of);
    group.into_iter().map(|group| of[group]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A leaf and spine fabric: `leaves` switches with `hosts` hosts each, and `spines` switches.
    /// Spines come first, then each leaf with its hosts.
    fn fabric(spines: usize, leaves: usize, hosts: usize) -> Graph {
        let leaf = |l: usize| spines + l * (1 + hosts);
        let up = (0..leaves).flat_map(|l| (0..spines).map(move |s| (leaf(l), s)));
        let down = (0..leaves).flat_map(|l| (1..=hosts).map(move |h| (leaf(l) + h, leaf(l))));
        Graph::new(leaf(leaves), up.chain(down))
    }

    fn sizes(of: &[u32], parts: usize) -> Vec<usize> {
        (0..parts as u32).map(|part| of.iter().filter(|of| **of == part).count()).collect()
    }

    #[test]
    fn hosts_are_in_the_part_of_their_switch_and_spines_are_shared_evenly() {
        for parts in [2, 3, 4] {
            let (spines, leaves, hosts) = (12, 12, 8);
            let of = grown(&fabric(spines, leaves, hosts), &[1.0; 120], parts);
            for leaf in 0..leaves {
                let block = &of[spines + 9 * leaf..][..9];
                assert!(block.iter().all(|part| *part == block[0]), "{parts}: {block:?}");
            }
            let spread = sizes(&of[..spines], parts);
            assert!(spread.iter().all(|size| size.abs_diff(spines / parts) <= 1), "{spread:?}");
            let all = sizes(&of, parts);
            assert!(all.iter().all(|size| size.abs_diff(120 / parts) <= 1), "{all:?}");
        }
    }

    /// A ring is cut into arcs: as few links as possible are between parts.
    #[test]
    fn a_ring_is_cut_into_arcs() {
        for (nodes, parts) in [(12, 2), (30, 3), (17, 2)] {
            let ring = Graph::new(nodes, (0..nodes).map(|n| (n, (n + 1) % nodes)));
            let of = grown(&ring, &vec![1.0; nodes], parts);
            let cut = (0..nodes).filter(|n| of[*n] != of[(n + 1) % nodes]).count();
            assert_eq!(cut, parts);
            assert!(sizes(&of, parts).iter().all(|size| size.abs_diff(nodes / parts) <= 1));
        }
    }

    /// Work is shared, not nodes, and what has no links is taken by whoever has the least.
    #[test]
    fn work_is_shared() {
        let graph = Graph::new(7, [(0, 1), (1, 2)].into_iter());
        let load = [6.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        let of = grown(&graph, &load, 2);
        let first: f64 = (0..7).filter(|n| of[*n] == of[0]).map(|n| load[n]).sum();
        assert_eq!(first, 6.0);
    }
}
