//! The capture point: the place of a capture, and the packets that are seen there.
use crate::export::packet_hops::PacketWithHops;
use crate::export::record_reader::usage;
use crate::language::deser::suggest;
use crate::language::problem::{Diagnostic, Problem};
use dumbbell_plan::{LinkId, NodeId, NodeKind, Plan};

/// A place to capture at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Each flow at its sender's host.
    Senders,
    /// Each flow at its receiver's host.
    Receivers,
    /// Everything of one host.
    Host(NodeId),
    /// Packets that come to a link's queue.
    Arrivals(LinkId),
    /// Packets that leave its transmitter.
    Departures(LinkId),
}

/// A packet, seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedPacket {
    /// The instant, ps.
    pub ps: u64,
    /// At one instant, what arrives comes before what is sent because of it.
    pub outgoing: bool,
    /// The number of the interface, in the order of [`View::interfaces`].
    pub interface: u32,
    /// Routers that it has passed.
    pub routers: usize,
    /// True if it is marked by then.
    pub marked: bool,
    /// Its codepoint by then.
    pub dscp: u8,
}

impl View {
    /// The capture point that a user named: `sender`, `receiver`, a host or a link.
    ///
    /// # Errors
    /// Code 2: there is nothing of this name.
    pub fn named(plan: &Plan, at: &str, departed: bool) -> Result<View, Problem> {
        let link = plan.links.iter().position(|l| l.name == at);
        let host = plan.nodes.iter().position(|n| n.name == at && n.kind == NodeKind::Host);
        let view = match (at, link, host) {
            ("sender", ..) => View::Senders,
            ("receiver", ..) => View::Receivers,
            (_, Some(l), _) if departed => View::Departures(l),
            (_, Some(l), _) => View::Arrivals(l),
            (_, None, Some(h)) => View::Host(h),
            _ => {
                let hosts =
                    plan.nodes.iter().filter(|n| n.kind == NodeKind::Host).map(|n| n.name.as_str());
                let links = plan.links.iter().map(|l| l.name.as_str());
                let known: Vec<&str> =
                    ["sender", "receiver"].into_iter().chain(links).chain(hosts).collect();
                let d =
                    Diagnostic::new(format!("there is no link and no host `{at}` to capture at"));
                return Err(usage(named(d, at, &known)));
            }
        };
        if departed && !matches!(view, View::Departures(_)) {
            let d = Diagnostic::new(format!(
                "`{at}` is not a link: departures are those of a link's \
                transmitter"
            ));
            return Err(usage(d.fix("leave out --departed, or name a link")));
        }
        Ok(view)
    }

    /// True if the hops of packets are needed.
    pub fn needs_hops(self) -> bool {
        matches!(self, View::Arrivals(_) | View::Departures(_))
    }

    /// The hosts or the link that it looks at: a name and a description for each interface, and for
    /// hosts their nodes.
    pub fn interfaces(self, plan: &Plan, wanted: &[bool]) -> Vec<(Option<NodeId>, String, String)> {
        let link = |l: LinkId, what: &str| {
            let link = &plan.links[l];
            vec![(None, link.name.clone(), format!("{what} link {} of {}", link.name, link.rate))]
        };
        let hosts = match self {
            View::Arrivals(l) => return link(l, "what comes to the queue of"),
            View::Departures(l) => return link(l, "what the transmitter sends of"),
            View::Host(h) => vec![h],
            View::Senders | View::Receivers => {
                let mut seen = vec![false; plan.nodes.len()];
                let flows = plan.flows.iter().zip(wanted).filter(|(_, w)| **w).map(|(f, _)| f);
                flows
                    .map(|f| if self == View::Senders { f.from } else { f.to })
                    .filter(|n| !std::mem::replace(&mut seen[*n], true))
                    .collect()
            }
        };
        let of = |n: NodeId| {
            let name = plan.nodes[n].name.clone();
            (Some(n), name.clone(), format!("network interface of host {name}"))
        };
        hosts.into_iter().map(of).collect()
    }

    /// Returns the sightings of a packet here: none, one, or two if a host talks to itself.
    pub fn sightings(
        self,
        plan: &Plan,
        interface: &[u32],
        route: &[LinkId],
        j: &PacketWithHops,
    ) -> impl Iterator<Item = CapturedPacket> + use<> {
        let (p, flow) = (&j.packet, &plan.flows[j.packet.name.0]);
        let (source, target) = if p.name.1 { (flow.from, flow.to) } else { (flow.to, flow.from) };
        // Acknowledgments are of the class of their data.
        let own = p.dscp.unwrap_or(flow.dscp.0);
        let leaving = || CapturedPacket {
            ps: p.sent,
            outgoing: true,
            interface: interface.get(source).copied().unwrap_or(0),
            routers: 0,
            marked: false,
            dscp: own,
        };
        let coming = || {
            p.delivered.map(|ps| CapturedPacket {
                ps,
                outgoing: false,
                interface: interface.get(target).copied().unwrap_or(0),
                routers: links_before(plan, route, route.len()).saturating_sub(1),
                marked: p.ce,
                dscp: p.dscp_on_arrival.unwrap_or(own),
            })
        };
        let at_link = |link: LinkId, departed: bool| {
            let k = j.hops.iter().position(|h| h.link == link)?;
            let hop = &j.hops[k];
            let ps = if departed { hop.departed? } else { hop.arrived };
            let marked = j.hops[..k + usize::from(departed)].iter().any(|h| h.marked);
            let dscp = hop.dscp.unwrap_or(own);
            let routers = links_before(plan, route, k);
            Some(CapturedPacket { ps, outgoing: departed, interface: 0, routers, marked, dscp })
        };
        let both = match self {
            View::Senders if p.name.1 => [Some(leaving()), None],
            View::Senders => [coming(), None],
            View::Receivers if p.name.1 => [coming(), None],
            View::Receivers => [Some(leaving()), None],
            View::Host(h) => [(source == h).then(leaving), (target == h).then(coming).flatten()],
            View::Arrivals(l) => [at_link(l, false), None],
            View::Departures(l) => [at_link(l, true), None],
        };
        both.into_iter().flatten()
    }
}

/// Counts the links of the network among the first `end` links of a route: a host's processor is no
/// router.
fn links_before(plan: &Plan, route: &[LinkId], end: usize) -> usize {
    route.iter().take(end).filter(|l| plan.links[**l].host.is_none()).count()
}

/// With the nearest name, or with the first of many.
pub fn named(d: Diagnostic, written: &str, known: &[&str]) -> Diagnostic {
    const SHOWN: usize = 12;
    let found = suggest(d, written, known);
    if known.len() <= SHOWN || !found.fix.as_ref().is_some_and(|f| f.starts_with("known")) {
        return found;
    }
    let more = known.len() - SHOWN;
    found.fix(format!("known are {}, and {more} more", known[..SHOWN].join(", ")))
}
