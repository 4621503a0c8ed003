//! Paths of flows that have several: all of equal cost, or others while links are down.
//!
//! Routes are found once for each set of links that are down. The set changes a `convergence` after
//! a link fails or returns; what is down at the start is known at the start.
use super::Graph;
use crate::language::scenario::{Routing, RoutingKind, SpreadBy};
use crate::resolve::topology::Network;
use crate::resolve::topology::routes::Routes;
use crate::resolve::topology::routes::equal::EqualPaths;
use dumbbell_core::units::Span;
use dumbbell_plan::{LinkId, Multipath, NodeId, Path, PathSet, Shared, Spread};
use std::collections::BTreeMap;

/// The links of the data and of the acknowledgments.
pub type BothWays = [Vec<LinkId>; 2];

/// The most paths that each packet of a flow may choose among.
pub const MOST_PATHS: u64 = 1024;

/// The ways in the time from one change of the routes to the next.
struct Epoch {
    from: Span,
    /// Of each link: no route leads over it.
    out: Vec<bool>,
    routes: Routes,
    equal: EqualPaths,
    shortest: BTreeMap<(NodeId, NodeId), Option<BothWays>>,
}

/// Chooses ways by a routing, and keeps what it searched.
pub struct Chooser {
    routing: Routing,
    seed: u64,
    /// In the order of time; the first from the start.
    epochs: Vec<Epoch>,
    /// The paths of flows that spread packets, by their hosts.
    spread: BTreeMap<(NodeId, NodeId), Option<Shared<Multipath>>>,
}

/// The ways of one flow: the first ones, and all if there are others.
pub struct Ways {
    pub first: BothWays,
    pub all: Option<Shared<Multipath>>,
}

impl Chooser {
    /// A chooser for `net` in a run of `duration`; `seed` is that of a hash that has none of its
    /// own.
    pub fn new(routing: Routing, seed: u64, net: &Network, duration: Span) -> Self {
        let epoch = |from| {
            let out = outside(net, from, routing.convergence);
            let (routes, equal) = (Routes::without(net, &out), EqualPaths::without(net, &out));
            Epoch { from, out, routes, equal, shortest: BTreeMap::new() }
        };
        let times = changes(net, routing.convergence);
        let epochs = times.into_iter().filter(|t| *t < duration).map(epoch).collect();
        let seed = routing.seed.unwrap_or(seed);
        Chooser { routing, seed, epochs, spread: BTreeMap::new() }
    }

    /// The ways of the flow `name` whose entry names none; `None`: there are none at the start.
    pub fn between(&mut self, g: &Graph<'_>, ends: (NodeId, NodeId), name: &str) -> Option<Ways> {
        match self.routing.by {
            SpreadBy::Flow => self.one_at_a_time(g, ends, name),
            SpreadBy::Packet => self.several(g, ends, Spread::Packet),
            SpreadBy::Flowlet => self.several(g, ends, Spread::Flowlet(self.routing.gap)),
        }
    }

    /// The number of paths between two hosts, at the most of all times.
    pub fn most(&mut self, net: &Network, (from, to): (NodeId, NodeId)) -> u64 {
        let count = |epoch: &mut Epoch| epoch.equal.count(net, from, to);
        self.epochs.iter_mut().map(count).max().unwrap_or(0)
    }

    fn one_at_a_time(&mut self, g: &Graph<'_>, ends: (NodeId, NodeId), name: &str) -> Option<Ways> {
        let (routing, seed) = (self.routing, self.seed);
        let mut ways =
            self.epochs.iter_mut().map(|e| (e.from, e.way(g, routing, seed, ends, name)));
        let first = ways.next()?.1?;
        let mut sets = first.each_ref().map(|way| vec![set(Span::ZERO, [(1.0, way.clone())])]);
        for (from, both) in ways {
            // A flow that has no way keeps the one that it had, and loses its packets there.
            for (sets, way) in sets.iter_mut().zip(both.into_iter().flatten()) {
                if sets.last().is_none_or(|last| last.paths[0].links != way) {
                    sets.push(set(from, [(1.0, way)]));
                }
            }
        }
        let moves = sets.iter().any(|sets| sets.len() > 1);
        let [forward, back] = sets;
        let all = Multipath { by: Spread::Flow, seed: None, forward, back };
        Some(Ways { first, all: moves.then(|| all.into()) })
    }

    fn several(&mut self, g: &Graph<'_>, ends: (NodeId, NodeId), by: Spread) -> Option<Ways> {
        if !self.spread.contains_key(&ends) {
            let (from, to) = ends;
            let forward = self.sets(&g.net, (from, to));
            let back = self.sets(&g.net, (to, from));
            let both = forward.zip(back).filter(|(ahead, back)| {
                [ahead, back].iter().all(|sets| sets[0].from == Span::ZERO)
            });
            let seed = self.routing.seed;
            let all =
                both.map(|(forward, back)| Shared::from(Multipath { by, seed, forward, back }));
            self.spread.insert(ends, all);
        }
        let all = self.spread[&ends].clone()?;
        let first = [0, 1].map(|end| all.of_end(end)[0].paths[0].links.clone());
        let one = [0, 1].iter().all(|end| {
            let sets = all.of_end(*end);
            sets.len() == 1 && sets[0].paths.len() == 1
        });
        Some(Ways { first, all: (!one).then_some(all) })
    }

    /// The paths of equal cost over time; `None`: there never is one.
    fn sets(&mut self, net: &Network, (from, to): (NodeId, NodeId)) -> Option<Vec<PathSet>> {
        let mut sets: Vec<PathSet> = Vec::new();
        for epoch in &mut self.epochs {
            let new = set(epoch.from, epoch.equal.all(net, from, to));
            if !new.paths.is_empty() && sets.last().is_none_or(|last| last.paths != new.paths) {
                sets.push(new);
            }
        }
        (!sets.is_empty()).then_some(sets)
    }
}

impl Epoch {
    /// The ways of a flow in this time.
    fn way(
        &mut self,
        g: &Graph<'_>,
        Routing { kind, symmetric, .. }: Routing,
        seed: u64,
        (from, to): (NodeId, NodeId),
        name: &str,
    ) -> Option<BothWays> {
        if kind != RoutingKind::Ecmp {
            let routes = &mut self.routes;
            let new =
                || Some([routes.between(&g.net, from, to)?, routes.between(&g.net, to, from)?]);
            return self.shortest.entry((from, to)).or_insert_with(new).clone();
        }
        let forward = self.equal.chosen(&g.net, (from, to), seed, name)?;
        let back = match symmetric {
            true => g.backward(&forward).filter(|way| way.iter().all(|l| !self.out[*l]))?,
            false => self.equal.chosen(&g.net, (to, from), seed, name)?,
        };
        Some([forward, back])
    }
}

fn set(from: Span, paths: impl IntoIterator<Item = (f64, Vec<LinkId>)>) -> PathSet {
    let path = |(share, links)| Path { share, links };
    PathSet { from, paths: paths.into_iter().map(path).collect() }
}

/// When routers know of a link that fails or returns at `at`.
fn known(at: Span, convergence: Span) -> Span {
    if at == Span::ZERO { at } else { at + convergence }
}

/// The times at which routes change, ascending, from the start on.
fn changes(net: &Network, convergence: Span) -> Vec<Span> {
    let mut times = vec![Span::ZERO];
    for (from, long) in net.links.iter().flat_map(|link| &link.settings.down) {
        times.extend([known(*from, convergence), known(*from + *long, convergence)]);
    }
    times.sort_unstable();
    times.dedup();
    times
}

/// Of each link whether routers think at `t` that it is down.
fn outside(net: &Network, t: Span, convergence: Span) -> Vec<bool> {
    let down = |(from, long): &(Span, Span)| {
        known(*from, convergence) <= t && t < known(*from + *long, convergence)
    };
    net.links.iter().map(|link| link.settings.down.iter().any(down)).collect()
}
