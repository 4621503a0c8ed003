//! Routes: least cost, then the smallest delay, then the order of names. A link costs 1 if nothing
//! else is written. Hosts do not forward.
mod between;
pub mod equal;

use crate::resolve::topology::Network;
pub use between::Routes;
use dumbbell_core::units::Span;
use dumbbell_plan::{LinkId, NodeId, NodeKind};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// A way to a node.
#[derive(Clone, Debug, PartialEq)]
struct Way {
    delay: Span,
    links: Vec<LinkId>,
}

/// The best way from `source` to every node; `None` where there is none. For the routes of many
/// flows see [`Routes`].
///
/// The search goes from cost to cost: every node that is reached for the first time at one takes
/// the best of the ways that reach it then. A link costs at least 1, so these ways are complete.
/// Among ways of one cost, delay adds up and names compare from the left, so a best way's beginning
/// is a best way, too.
pub fn from(net: &Network, source: NodeId) -> Vec<Option<Vec<LinkId>>> {
    let mut leaving: Vec<Vec<LinkId>> = vec![Vec::new(); net.nodes.len()];
    net.links.iter().enumerate().for_each(|(i, l)| leaving[l.from].push(i));
    let mut best: Vec<Option<Way>> = vec![None; net.nodes.len()];
    let start = Way { delay: Span::ZERO, links: Vec::new() };
    let mut ahead = BTreeMap::from([(0u64, BTreeMap::from([(source, start)]))]);
    while let Some((cost, reached)) = ahead.pop_first() {
        for (node, way) in reached {
            if best[node].is_some() {
                continue;
            }
            let forwards = node == source || net.nodes[node].kind == NodeKind::Router;
            for &l in leaving[node].iter().filter(|_| forwards) {
                let link = &net.links[l];
                if best[link.to].is_some() {
                    continue;
                }
                let links = way.links.iter().copied().chain([l]).collect();
                let longer = Way { delay: way.delay + link.settings.delay, links };
                let round = ahead.entry(cost + link.settings.cost).or_default();
                match round.entry(link.to) {
                    Entry::Vacant(free) => drop(free.insert(longer)),
                    Entry::Occupied(mut other) => {
                        if before(net, &longer, other.get()) {
                            other.insert(longer);
                        }
                    }
                }
            }
            best[node] = Some(way);
        }
    }
    best.into_iter().map(|w| w.map(|w| w.links)).collect()
}

/// True if `a` goes before `b`, which costs as much.
fn before(net: &Network, a: &Way, b: &Way) -> bool {
    (a.delay, names(net, &a.links)) < (b.delay, names(net, &b.links))
}

/// The names of the links of a way.
fn names<'a>(net: &'a Network, way: &[LinkId]) -> Vec<&'a str> {
    way.iter().map(|l| net.links[*l].name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::topology::LinkSettings;
    use crate::resolve::topology::routes::equal::EqualPaths;
    use dumbbell_core::packet::Framing;
    use dumbbell_core::units::Rate;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// A network of routers with these links (from, to, delay), each of cost 1.
    fn network(nodes: usize, links: &[(usize, usize, u64)]) -> Network {
        let links: Vec<_> = links.iter().map(|(a, b, delay)| (*a, *b, *delay, 1)).collect();
        costly(nodes, &links)
    }

    /// A network of routers with these links (from, to, delay, cost).
    fn costly(nodes: usize, links: &[(usize, usize, u64, u64)]) -> Network {
        let mut net = Network::default();
        for i in 0..nodes {
            net.node(format!("n{i}"), NodeKind::Router);
        }
        for (i, (from, to, delay, cost)) in links.iter().enumerate() {
            let (rate, delay) = (Rate::from_mbps(1), Span::from_ps(*delay));
            let plain = LinkSettings::plain(rate, delay, 1500, Framing::default());
            let settings = LinkSettings { cost: *cost, ..plain };
            net.link(format!("l{i:03}"), (*from, *to), settings);
        }
        net
    }

    /// Floyd and Warshall's all pairs, over (cost, delay).
    fn floyd_warshall(
        n: usize,
        links: &[(usize, usize, u64, u64)],
    ) -> Vec<Vec<Option<(u64, u64)>>> {
        let mut d = vec![vec![None; n]; n];
        (0..n).for_each(|i| d[i][i] = Some((0, 0)));
        for (a, b, delay, cost) in links.iter().filter(|(a, b, ..)| a != b) {
            let own = (*cost, *delay);
            d[*a][*b] = Some(d[*a][*b].map_or(own, |old: (u64, u64)| old.min(own)));
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    if let (Some(x), Some(y)) = (d[i][k], d[k][j]) {
                        let via = (x.0 + y.0, x.1 + y.1);
                        d[i][j] = Some(d[i][j].map_or(via, |old| old.min(via)));
                    }
                }
            }
        }
        d
    }

    /// The best simple way by trying all: least cost, smallest delay, names in order.
    fn by_trying(
        net: &Network,
        at: usize,
        to: usize,
        seen: &mut Vec<usize>,
    ) -> Option<(u64, u64, Vec<usize>)> {
        if at == to {
            return Some((0, 0, Vec::new()));
        }
        seen.push(at);
        let mut best = None;
        for (i, l) in net.links.iter().enumerate().filter(|(_, l)| l.from == at) {
            if seen.contains(&l.to) {
                continue;
            }
            if let Some((n, d, links)) = by_trying(net, l.to, to, seen) {
                let (cost, delay) = (n + l.settings.cost, d + l.settings.delay.ps());
                let way = (cost, delay, [vec![i], links].concat());
                best = Some(best.map_or(way.clone(), |old: (u64, u64, Vec<usize>)| old.min(way)));
            }
        }
        seen.pop();
        best
    }

    proptest! {
        #[test]
        fn agrees_with_floyd_warshall(
            n in 2usize..12,
            raw in prop::collection::vec((0usize..12, 0usize..12, 0u64..9, 1u64..4), 0..40),
        ) {
            let links: Vec<_> = raw.into_iter().map(|(a, b, d, c)| (a % n, b % n, d, c)).collect();
            let (net, want) = (costly(n, &links), floyd_warshall(n, &links));
            for (source, want) in want.iter().enumerate() {
                for (way, want) in from(&net, source).iter().zip(want) {
                    let sum = |w: &[usize], f: fn(&(usize, usize, u64, u64)) -> u64| {
                        w.iter().map(|l| f(&links[*l])).sum::<u64>()
                    };
                    let got = way.as_ref().map(|w| (sum(w, |l| l.3), sum(w, |l| l.2)));
                    prop_assert_eq!(got, *want);
                }
            }
        }

        #[test]
        fn ties_go_by_name(
            n in 2usize..6,
            raw in prop::collection::vec((0usize..6, 0usize..6, 0u64..2, 1u64..3), 0..14),
        ) {
            let links: Vec<_> = raw.into_iter().map(|(a, b, d, c)| (a % n, b % n, d, c)).collect();
            let net = costly(n, &links);
            for (to, way) in from(&net, 0).into_iter().enumerate() {
                prop_assert_eq!(way, by_trying(&net, 0, to, &mut Vec::new()).map(|w| w.2));
            }
        }
    }

    proptest! {
        /// A search over the routers alone finds between hosts what a search over all nodes finds.
        #[test]
        fn between_hosts_as_from_each_of_them(
            routers in 1usize..6,
            hosts in 2usize..6,
            raw in prop::collection::vec((0usize..12, 0usize..12, 0u64..3, 1u64..3), 0..40),
            shuffled in Just((0..40).map(|i| format!("l{i:02}")).collect::<Vec<_>>())
                .prop_shuffle(),
        ) {
            let n = routers + hosts;
            let links: Vec<_> = raw
                .into_iter()
                .map(|(a, b, d, c)| (a % n, b % n, d, c))
                .filter(|(a, b, ..)| a != b)
                .collect();
            let mut net = costly(n, &links);
            net.nodes[routers..].iter_mut().for_each(|node| node.kind = NodeKind::Host);
            net.links.iter_mut().zip(shuffled).for_each(|(link, name)| link.name = name);
            let mut routes = Routes::new(&net);
            for source in routers..n {
                let all = from(&net, source);
                for to in (routers..n).filter(|to| *to != source) {
                    prop_assert_eq!(&routes.between(&net, source, to), &all[to]);
                }
            }
        }
    }

    /// The cost and the links of every simple way that hosts do not forward on.
    fn all_ways(
        net: &Network,
        at: usize,
        to: usize,
        seen: &mut Vec<usize>,
    ) -> Vec<(u64, Vec<usize>)> {
        if at == to {
            return vec![(0, Vec::new())];
        }
        if !seen.is_empty() && net.nodes[at].kind == NodeKind::Host {
            return Vec::new();
        }
        seen.push(at);
        let mut found = Vec::new();
        for (i, l) in net.links.iter().enumerate().filter(|(_, l)| l.from == at) {
            if !seen.contains(&l.to) {
                let rest = all_ways(net, l.to, to, seen);
                let longer = |(cost, links): (u64, Vec<usize>)| {
                    (cost + l.settings.cost, [vec![i], links].concat())
                };
                found.extend(rest.into_iter().map(longer));
            }
        }
        seen.pop();
        found
    }

    proptest! {
        /// The ways of least cost are counted, and a hash chooses one of them, in the end each.
        #[test]
        fn a_hash_chooses_among_all_ways_of_least_cost(
            routers in 1usize..6,
            raw in prop::collection::vec((0usize..8, 0usize..8, 1u64..3), 0..24),
        ) {
            let n = routers + 2;
            let links: Vec<_> = raw
                .into_iter()
                .map(|(a, b, cost)| (a % n, b % n, 1, cost))
                .filter(|(a, b, ..)| a != b)
                .collect();
            let mut net = costly(n, &links);
            net.nodes[routers..].iter_mut().for_each(|node| node.kind = NodeKind::Host);
            let (from, to) = (routers, routers + 1);
            let all = all_ways(&net, from, to, &mut Vec::new());
            let least = all.iter().map(|(cost, _)| *cost).min();
            let best: BTreeSet<_> =
                all.into_iter().filter(|w| Some(w.0) == least).map(|w| w.1).collect();
            let mut equal = EqualPaths::new(&net);
            prop_assert_eq!(equal.count(&net, from, to), best.len() as u64);
            let chosen: BTreeSet<_> = (0..400)
                .filter_map(|i| equal.chosen(&net, (from, to), 1, &format!("f{i}")))
                .collect();
            prop_assert!(chosen.is_subset(&best) && chosen.is_empty() == best.is_empty());
            if best.len() < 5 {
                prop_assert_eq!(chosen, best);
            }
        }
    }

    #[test]
    fn hosts_do_not_forward() {
        let mut net = network(3, &[(0, 1, 1), (1, 2, 1)]);
        assert_eq!(from(&net, 0)[2], Some(vec![0, 1]));
        net.nodes[1].kind = NodeKind::Host;
        assert_eq!(from(&net, 0)[2], None);
    }
}
