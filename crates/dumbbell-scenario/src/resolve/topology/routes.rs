//! Routes: fewest links, then the smallest delay, then the order of names. Hosts do not forward.
mod between;

use crate::resolve::topology::Network;
pub use between::Routes;
use dumbbell_core::units::Span;
use dumbbell_plan::{LinkId, NodeId, NodeKind};

/// A way to a node.
#[derive(Clone, Debug, PartialEq)]
struct Way {
    delay: Span,
    links: Vec<LinkId>,
}

/// The best way from `source` to every node; `None` where there is none. For the routes of many
/// flows see [`Routes`].
///
/// The search goes link by link: in each round every node that is reached for the first time takes
/// the best of the ways that reach it then. Among ways of one length, delay adds up and names
/// compare from the left, so a best way's beginning is a best way, too.
pub fn from(net: &Network, source: NodeId) -> Vec<Option<Vec<LinkId>>> {
    let mut leaving: Vec<Vec<LinkId>> = vec![Vec::new(); net.nodes.len()];
    net.links.iter().enumerate().for_each(|(i, l)| leaving[l.from].push(i));
    let mut best: Vec<Option<Way>> = vec![None; net.nodes.len()];
    best[source] = Some(Way { delay: Span::ZERO, links: Vec::new() });
    let mut frontier = vec![source];
    while !frontier.is_empty() {
        let mut reached: Vec<Option<Way>> = vec![None; net.nodes.len()];
        for &node in &frontier {
            if node != source && net.nodes[node].kind == NodeKind::Host {
                continue;
            }
            let Some(way) = &best[node] else { continue };
            for &l in &leaving[node] {
                let to = net.links[l].to;
                if best[to].is_some() {
                    continue;
                }
                let links = way.links.iter().copied().chain([l]).collect();
                let longer = Way { delay: way.delay + net.links[l].settings.delay, links };
                if reached[to].as_ref().is_none_or(|other| before(net, &longer, other)) {
                    reached[to] = Some(longer);
                }
            }
        }
        frontier = (0..net.nodes.len()).filter(|n| reached[*n].is_some()).collect();
        frontier.iter().for_each(|n| best[*n] = reached[*n].take());
    }
    best.into_iter().map(|w| w.map(|w| w.links)).collect()
}

/// True if `a` goes before `b`, which has as many links.
fn before(net: &Network, a: &Way, b: &Way) -> bool {
    let names = |w: &Way| w.links.iter().map(|l| net.links[*l].name.as_str()).collect::<Vec<_>>();
    (a.delay, names(a)) < (b.delay, names(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::topology::LinkSettings;
    use dumbbell_core::packet::Framing;
    use dumbbell_core::units::Rate;
    use proptest::prelude::*;

    /// A network of routers with these links (from, to, delay).
    fn network(nodes: usize, links: &[(usize, usize, u64)]) -> Network {
        let mut net = Network::default();
        for i in 0..nodes {
            net.node(format!("n{i}"), NodeKind::Router);
        }
        for (i, (from, to, delay)) in links.iter().enumerate() {
            let (rate, delay) = (Rate::from_mbps(1), Span::from_ps(*delay));
            let settings = LinkSettings::plain(rate, delay, 1500, Framing::default());
            net.link(format!("l{i:03}"), (*from, *to), settings);
        }
        net
    }

    /// Floyd and Warshall's all pairs, over (links, delay).
    fn floyd_warshall(n: usize, links: &[(usize, usize, u64)]) -> Vec<Vec<Option<(u64, u64)>>> {
        let mut d = vec![vec![None; n]; n];
        (0..n).for_each(|i| d[i][i] = Some((0, 0)));
        for (a, b, delay) in links.iter().filter(|(a, b, _)| a != b) {
            d[*a][*b] = Some(d[*a][*b].map_or((1, *delay), |old: (u64, u64)| old.min((1, *delay))));
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

    /// The best simple way by trying all: fewest links, smallest delay, names in order.
    fn by_trying(
        net: &Network,
        at: usize,
        to: usize,
        seen: &mut Vec<usize>,
    ) -> Option<(usize, u64, Vec<usize>)> {
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
                let way = (n + 1, d + l.settings.delay.ps(), [vec![i], links].concat());
                best = Some(best.map_or(way.clone(), |old: (usize, u64, Vec<usize>)| old.min(way)));
            }
        }
        seen.pop();
        best
    }

    proptest! {
        #[test]
        fn agrees_with_floyd_warshall(
            n in 2usize..12,
            raw in prop::collection::vec((0usize..12, 0usize..12, 0u64..9), 0..40),
        ) {
            let links: Vec<_> = raw.into_iter().map(|(a, b, d)| (a % n, b % n, d)).collect();
            let (net, want) = (network(n, &links), floyd_warshall(n, &links));
            for (source, want) in want.iter().enumerate() {
                for (way, want) in from(&net, source).iter().zip(want) {
                    let got = way
                        .as_ref()
                        .map(|w| (w.len() as u64, w.iter().map(|l| links[*l].2).sum::<u64>()));
                    prop_assert_eq!(got, *want);
                }
            }
        }

        #[test]
        fn ties_go_by_name(
            n in 2usize..6,
            raw in prop::collection::vec((0usize..6, 0usize..6, 0u64..2), 0..14),
        ) {
            let links: Vec<_> = raw.into_iter().map(|(a, b, d)| (a % n, b % n, d)).collect();
            let net = network(n, &links);
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
            raw in prop::collection::vec((0usize..12, 0usize..12, 0u64..3), 0..40),
            shuffled in Just((0..40).map(|i| format!("l{i:02}")).collect::<Vec<_>>())
                .prop_shuffle(),
        ) {
            let n = routers + hosts;
            let links: Vec<_> = raw
                .into_iter()
                .map(|(a, b, d)| (a % n, b % n, d))
                .filter(|(a, b, _)| a != b)
                .collect();
            let mut net = network(n, &links);
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

    #[test]
    fn hosts_do_not_forward() {
        let mut net = network(3, &[(0, 1, 1), (1, 2, 1)]);
        assert_eq!(from(&net, 0)[2], Some(vec![0, 1]));
        net.nodes[1].kind = NodeKind::Host;
        assert_eq!(from(&net, 0)[2], None);
    }
}
