//! A partition that divides the work.
use super::grow::{Graph, grown};
use super::{Partition, may_be_cut};
use dumbbell_core::units::Span;
use dumbbell_plan::Plan;
use std::cmp::Reverse;

/// The largest part may have so much more than its share of the work.
const UNEVEN: f64 = 1.3;

impl Partition {
    /// A partition of `plan` in `parts` parts that have about the same work, with about the largest
    /// look-ahead for which there is one. `None` if there is none.
    pub fn of(plan: &Plan, parts: usize) -> Option<Partition> {
        let mut delays: Vec<Span> =
            plan.links.iter().filter(|link| may_be_cut(link)).map(|link| link.delay).collect();
        delays.sort_unstable_by_key(|delay| Reverse(*delay));
        delays.dedup();
        let work = work(plan);
        // With smaller delays groups only become smaller. Plans have thousands of delays, and most
        // leave one group with nearly everything.
        let first = delays.partition_point(|least| !Groups::of(plan, *least, &work).may_be(parts));
        let tried =
            std::iter::successors(Some(1), |step| Some(2 * step)).map(|step| first + step - 1);
        let tried = tried.take_while(|place| *place < delays.len());
        tried
            .chain(delays.len().checked_sub(1))
            .find_map(|place| Groups::of(plan, delays[place], &work).divided(plan, parts))
    }
}

/// Packets of 1500 bytes a second that pass links of `plan`, if flows send as much as the links
/// permit.
pub fn packets_per_second(plan: &Plan) -> f64 {
    work(plan).into_iter().sum::<f64>() / 12_000.0
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

/// Nodes that are in one part.
struct Groups {
    /// The group of each node.
    of_node: Vec<usize>,
    /// The work of each group.
    load: Vec<f64>,
}

impl Groups {
    /// The groups of nodes that stay together if only delays of `least` and more are between parts.
    fn of(plan: &Plan, least: Span, work: &[f64]) -> Groups {
        let of_node = groups(plan, least);
        let count = of_node.iter().max().map_or(0, |most| most + 1);
        let mut load = vec![0.0; count];
        of_node.iter().zip(work).for_each(|(group, work)| load[*group] += work);
        Groups { of_node, load }
    }

    /// The most work that one of `parts` may have.
    fn most(&self, parts: usize) -> f64 {
        UNEVEN * self.load.iter().sum::<f64>() / parts as f64
    }

    /// True if no group has too much work for a part.
    fn may_be(&self, parts: usize) -> bool {
        let most = self.most(parts);
        self.load.len() >= parts && self.load.iter().all(|load| *load <= most)
    }

    /// Parts of about the same work.
    fn divided(&self, plan: &Plan, parts: usize) -> Option<Partition> {
        if !self.may_be(parts) {
            return None;
        }
        let group = &self.of_node;
        let links = plan.links.iter().map(|link| (group[link.from], group[link.to]));
        let of_group = grown(&Graph::new(self.load.len(), links), &self.load, parts);
        let mut of_part = vec![0.0; parts];
        of_group.iter().zip(&self.load).for_each(|(part, load)| of_part[*part as usize] += load);
        let most = self.most(parts);
        if of_part.into_iter().any(|load| load > most) {
            return None;
        }
        Partition::new(plan, group.iter().map(|group| of_group[*group]).collect())
            .filter(|partition| partition.parts == parts)
    }
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
