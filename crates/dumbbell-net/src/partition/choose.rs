//! A partition that divides the work.
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
    let total: f64 = load.iter().sum();
    let of_group = grown(plan, parts, &group, &load, total);
    let mut of_part = vec![0.0; parts];
    of_group.iter().zip(&load).for_each(|(part, load)| of_part[*part as usize] += load);
    let most = of_part.into_iter().fold(0.0, f64::max);
    if most > UNEVEN * total / parts as f64 {
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

/// Parts that grow one after the other, each by the group that has the most links to it, until it
/// has its share; what is left is the last.
fn grown(plan: &Plan, parts: usize, group: &[usize], load: &[f64], total: f64) -> Vec<u32> {
    let count = load.len();
    let mut near = vec![Vec::new(); count];
    for link in &plan.links {
        let (a, b) = (group[link.from], group[link.to]);
        if a != b {
            near[a].push(b);
        }
    }
    let last = parts as u32 - 1;
    let mut of = vec![u32::MAX; count];
    for part in 0..last {
        let (mut has, mut ties) = (0.0, vec![0u32; count]);
        while let Some(next) = (0..count)
            .filter(|g| of[*g] == u32::MAX)
            .max_by(|a, b| ties[*a].cmp(&ties[*b]).then(load[*a].total_cmp(&load[*b])))
            .filter(|g| has + load[*g] / 2.0 <= total / parts as f64)
        {
            of[next] = part;
            has += load[next];
            near[next].iter().for_each(|g| ties[*g] += 1);
        }
    }
    of.iter().map(|part| *part.min(&last)).collect()
}
