//! Routes over the fewest links. A route costs what the routers cost, however many hosts there are.
use dumbbell_plan::{LinkId, NodeId, NodeKind, Plan};
use std::collections::{BTreeMap, VecDeque};

/// The links of a plan, by their ends.
pub struct Routes {
    /// From each node to routers, in the order of links.
    ahead: Vec<Vec<LinkId>>,
    /// Into each node, in the order of links.
    into: Vec<Vec<LinkId>>,
}

impl Routes {
    /// Returns the routes of `plan`, as far as it has been drawn.
    pub fn of(plan: &Plan) -> Self {
        let mut routes =
            Routes { ahead: vec![vec![]; plan.nodes.len()], into: vec![vec![]; plan.nodes.len()] };
        for (l, link) in plan.links.iter().enumerate() {
            if plan.nodes[link.to].kind == NodeKind::Router {
                routes.ahead[link.from].push(l);
            }
            routes.into[link.to].push(l);
        }
        routes
    }

    /// The route with the fewest links, over routers; the first found in the order of links.
    pub fn between(&self, plan: &Plan, from: NodeId, to: NodeId) -> Option<Vec<LinkId>> {
        let mut came = BTreeMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            if let Some(last) = self.into[to].iter().find(|l| plan.links[**l].from == at) {
                let before = |l: &LinkId| came.get(&plan.links[*l].from).copied();
                let mut route: Vec<LinkId> = std::iter::successors(Some(*last), before).collect();
                route.reverse();
                return Some(route);
            }
            for &l in &self.ahead[at] {
                let next = plan.links[l].to;
                if next != from && !came.contains_key(&next) {
                    came.insert(next, l);
                    queue.push_back(next);
                }
            }
        }
        None
    }
}
