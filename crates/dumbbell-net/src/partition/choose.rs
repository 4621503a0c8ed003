//! A partition that divides the work.
use super::grow::{Graph, grown};
use super::{Partition, may_be_cut};
use dumbbell_core::units::Span;
use dumbbell_plan::Plan;
use std::cmp::Reverse;

/// The largest part may have so much more than its share of the work.
const UNEVEN: f64 = 1.3;

impl Partition {
    /// A partition of `plan` in `parts` parts that have about the same work, with the largest
    /// look-ahead for which there is one. `None` if there is none.
    pub fn of(plan: &Plan, parts: usize) -> Option<Partition> {
        let mut delays: Vec<Span> =
            plan.links.iter().filter(|link| may_be_cut(link)).map(|link| link.delay).collect();
        delays.sort_unstable_by_key(|delay| Reverse(*delay));
        delays.dedup();
        let work = work(plan);
        delays.into_iter().find_map(|least| divided(plan, parts, least, &work))
    }
}

impl Partition {
    /// Packets of 1500 bytes that pass links between two meetings of the threads, if flows send as
    /// much as the links permit.
    pub fn packets_between_meetings(&self, plan: &Plan) -> f64 {
        let bps: f64 = work(plan).into_iter().sum();
        bps / 12_000.0 * self.lookahead().seconds()
    }
}

/// Bits a second that the links of each node carry, and as much again for its sockets.
fn work(plan: &Plan) -> Vec<f64> {
    let mut users = vec![0u32; plan.links.len()];
    let routes = || plan.flows.iter().flat_map(|f| f.forward.iter().chain(&f.back));
    routes().for_each(|link| users[*link] += 1);
    let share = |link: &usize| plan.links[*link].rate.bps() as f64 / f64::from(users[*link]);
    let mut work = vec![0.0; plan.nodes.len()];
    for flow in &plan.flows {
        let rate = flow.forward.iter().map(share).fold(f64::INFINITY, f64::min);
        for link in flow.forward.iter().chain(&flow.back) {
            work[plan.links[*link].from] += rate;
        }
        work[flow.from] += 2.0 * rate;
        work[flow.to] += 2.0 * rate;
    }
    work
}

/// A partition whose parts are connected by delays of `least` and more.
fn divided(plan: &Plan, parts: usize, least: Span, work: &[f64]) -> Option<Partition> {
    let group = groups(plan, least);
    let count = group.iter().max().map_or(0, |most| most + 1);
    let mut load = vec![0.0; count];
    group.iter().zip(work).for_each(|(group, work)| load[*group] += work);
    let share = load.iter().sum::<f64>() / parts as f64;
    // Many delays leave one group with nearly all nodes: no parts need to grow to see that.
    let fits = |load: f64| load <= UNEVEN * share;
    if count < parts || !load.iter().copied().all(fits) {
        return None;
    }
    let links = plan.links.iter().map(|link| (group[link.from], group[link.to]));
    let of_group = grown(&Graph::new(load.len(), links), &load, parts);
    let mut of_part = vec![0.0; parts];
    of_group.iter().zip(&load).for_each(|(part, load)| of_part[*part as usize] += load);
    if !of_part.into_iter().all(fits) {
        return None;
    }
    Partition::new(plan, group.iter().map(|group| of_group[*group]).collect())
        .filter(|partition| partition.parts == parts)
}

/// For each node its group: nodes between which there is a link that must not be cut are together.
fn groups(plan: &Plan, least: Span) -> Vec<usize> {
    let mut above: Vec<usize> = (0..plan.nodes.len()).collect();
    fn root(above: &mut [usize], mut node: usize) -> usize {
        while above[node] != node {
            above[node] = above[above[node]];
            node = above[node];
        }
        node
    }
    for link in plan.links.iter().filter(|link| !may_be_cut(link) || link.delay < least) {
        let (a, b) = (root(&mut above, link.from), root(&mut above, link.to));
        above[a.max(b)] = a.min(b);
    }
    let mut number = vec![usize::MAX; plan.nodes.len()];
    let mut next = 0;
    (0..plan.nodes.len())
        .map(|node| {
            let root = root(&mut above, node);
            if number[root] == usize::MAX {
                (number[root], next) = (next, next + 1);
            }
            number[root]
        })
        .collect()
}
