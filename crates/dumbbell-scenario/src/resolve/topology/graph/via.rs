//! A path that a flow names: the routers between its hosts, in order.
use super::Graph;
use crate::resolve::context::At;
use dumbbell_core::catalogue::nearest;
use dumbbell_plan::{LinkId, NodeId, NodeKind};

/// The most neighbors that a message names.
const NAMED: usize = 12;

impl Graph<'_> {
    /// The links from a host over `via`, which is written at `at`, to another host; `None`: it was
    /// said what is wrong.
    pub(super) fn by_way_of(
        &self,
        via: &[String],
        (from, to): (NodeId, NodeId),
        at: &At<'_>,
    ) -> Option<Vec<LinkId>> {
        let (mut here, mut way, mut seen) = (from, Vec::new(), vec![from]);
        for (i, item) in via.iter().enumerate() {
            let at = at.below(i);
            let link = match self.link_named(item) {
                Some(link) if self.net.links[link].from == here => link,
                Some(link) => {
                    let begins = self.name(self.net.links[link].from);
                    let cause = format!(
                        "`{item}` begins at `{begins}`, and the path is at `{}`",
                        self.name(here)
                    );
                    at.refuse(cause, self.onward(here));
                    return None;
                }
                None => self.step(here, item, &at)?,
            };
            here = self.net.links[link].to;
            way.push(link);
            if seen.contains(&here) {
                let cause = format!("this path comes to `{}` twice", self.name(here));
                at.refuse(cause, "name each router once");
                return None;
            }
            seen.push(here);
        }
        if here != to {
            let Some(last) = self.joining(here, to) else {
                let cause = format!(
                    "this path ends at `{}`, which has no link to `{}`",
                    self.name(here),
                    self.name(to)
                );
                at.refuse(cause, self.onward(here));
                return None;
            };
            way.push(last);
        }
        Some(way)
    }

    /// The link from `here` to the router `name`, written at `at`.
    fn step(&self, here: NodeId, name: &str, at: &At<'_>) -> Option<LinkId> {
        let Some(&next) = self.ids.get(name) else {
            let known: Vec<&str> = self.ids.keys().map(String::as_str).collect();
            let fix = match nearest(name, &known).filter(|_| name.len() > 2) {
                Some(other) => format!("did you mean `{other}`?"),
                None => self.onward(here),
            };
            at.refuse(format!("there is no router or link named `{name}`"), fix);
            return None;
        };
        if self.net.nodes[next].kind == NodeKind::Host {
            let cause = format!("`{name}` is a host, and hosts do not forward");
            at.refuse(cause, "name only the routers between the two hosts");
            return None;
        }
        let link = self.joining(here, next);
        if link.is_none() {
            let cause = format!("`{}` has no link to `{name}`", self.name(here));
            at.refuse(cause, self.onward(here));
        }
        link
    }

    /// The best of the links from one node to another.
    fn joining(&self, from: NodeId, to: NodeId) -> Option<LinkId> {
        let links = self.net.links.iter().enumerate().filter(|(_, l)| l.from == from && l.to == to);
        links.min_by_key(|(_, l)| (l.settings.cost, l.settings.delay, &l.name)).map(|(i, _)| i)
    }

    fn link_named(&self, name: &str) -> Option<LinkId> {
        self.net.links.iter().position(|l| l.name == name)
    }

    fn name(&self, node: NodeId) -> &str {
        &self.net.nodes[node].name
    }

    /// Where links lead from `here`.
    fn onward(&self, here: NodeId) -> String {
        let from_here = self.net.links.iter().filter(|l| l.from == here);
        let mut names: Vec<&str> = from_here.map(|l| self.name(l.to)).collect();
        names.sort_unstable();
        names.dedup();
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("links of `{}` lead to {}{rest}", self.name(here), names.join(", "))
    }
}
