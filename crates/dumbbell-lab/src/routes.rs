//! Routes: fewest links, then the smallest delay, then the order of names. Hosts do not forward.
use crate::network::Network;
use dumbbell_core::units::Span;
use dumbbell_plan::{LinkId, NodeId, NodeKind};

/// A way to a node.
#[derive(Clone, Debug, PartialEq)]
struct Way {
    delay: Span,
    links: Vec<LinkId>,
}

/// The best way from `source` to every node; `None` where there is none.
///
/// The search goes link by link: in each round every node that is reached for the first time takes the best
/// of the ways that reach it then. Among ways of one length, delay adds up and names compare from the left,
/// so a best way's beginning is a best way, too.
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
                let longer = Way { delay: way.delay + net.links[l].delay, links };
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

/// Whether `a` goes before `b`, which has as many links.
fn before(net: &Network, a: &Way, b: &Way) -> bool {
    let names = |w: &Way| w.links.iter().map(|l| net.links[*l].name.as_str()).collect::<Vec<_>>();
    (a.delay, names(a)) < (b.delay, names(b))
}
