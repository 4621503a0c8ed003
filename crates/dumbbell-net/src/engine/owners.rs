//! What belongs to which part of a divided network.
use dumbbell_plan::Plan;

/// The part that each link and each socket of a plan belongs to, and which of the parts this is.
pub(crate) struct Owners {
    links: Vec<u32>,
    sockets: Vec<u32>,
    own: u32,
}

impl Owners {
    /// Those of part `own`, if node `n` belongs to part `of_node[n]`.
    pub(crate) fn new(plan: &Plan, of_node: &[u32], own: usize) -> Self {
        let of = |node: usize| of_node[node];
        Owners {
            links: plan.links.iter().map(|link| of(link.from)).collect(),
            sockets: plan.flows.iter().flat_map(|f| [of(f.from), of(f.to)]).collect(),
            own: own as u32,
        }
    }
    /// The parts of the links of a route, and of the socket behind it.
    pub(crate) fn along(&self, route: impl Iterator<Item = usize>, socket: usize) -> Vec<u32> {
        let behind = self.sockets[socket];
        let of = |link| self.links.get(link).copied().unwrap_or(behind);
        route.map(of).chain([behind]).collect()
    }
    /// True if a link is of this part.
    pub(crate) fn owns_link(&self, link: usize) -> bool {
        self.links[link] == self.own
    }
    /// True if a socket is of this part.
    pub(crate) fn owns_socket(&self, socket: usize) -> bool {
        self.sockets[socket] == self.own
    }
}
