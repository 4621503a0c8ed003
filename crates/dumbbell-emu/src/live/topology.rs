//! From a plan to hosts: who has a door, and its address.
use crate::hosts::{HostSpec, v4, v6};
use crate::netlink::RouteOptions;
use crate::traffic::wanted::{Route, Wanted};
use dumbbell_plan::{Ip, NodeId, Plan};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// The hosts of a plan that send or receive, in its order.
pub struct Topology {
    /// Their nodes, in the order of their doors.
    nodes: Vec<NodeId>,
    /// The place of each node among them.
    doors: BTreeMap<NodeId, u16>,
}

impl Topology {
    /// That of `plan`.
    pub fn of(plan: &Plan) -> Topology {
        let mut nodes: Vec<NodeId> = plan.flows.iter().flat_map(|flow| [flow.from, flow.to]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let doors = nodes.iter().zip(0..).map(|(node, door)| (*node, door)).collect();
        Topology { nodes, doors }
    }

    /// The address of a host, of one version of IP.
    pub fn address(&self, node: NodeId, ip: Ip) -> IpAddr {
        match ip {
            Ip::V4 => v4(self.doors[&node]).into(),
            Ip::V6 => v6(self.doors[&node]).into(),
        }
    }

    /// The door of a host.
    pub fn door(&self, node: NodeId) -> u16 {
        self.doors[&node]
    }

    /// The nodes that have a door, in the order of their doors.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The door of each socket's host, by socket (2 x flow + end).
    pub fn door_of_sockets(&self, plan: &Plan) -> Vec<u16> {
        plan.flows.iter().flat_map(|flow| [self.doors[&flow.from], self.doors[&flow.to]]).collect()
    }

    /// What the hosts are to be, with what their flows want of each. A host's device has the MTU of the first links that its
    /// packets take; what does not fit further on is the routers' concern, as in a simulation.
    pub fn specs(&self, plan: &Plan, wanted: &BTreeMap<NodeId, Wanted>) -> Vec<HostSpec> {
        let of = |(node, door): (&NodeId, u16)| {
            let first = |flow: &dumbbell_plan::Flow| {
                let out = if flow.from == *node { flow.forward.as_slice() } else { &flow.back };
                // A host's processor is no device.
                out.iter().map(|link| &plan.links[*link]).find(|link| link.host.is_none()).map(|link| link.mtu)
            };
            let own = || plan.flows.iter().filter(|flow| flow.from == *node || flow.to == *node);
            let mtu = own().filter_map(first).min().unwrap_or(1500).min(u32::from(u16::MAX));
            let asked = wanted.get(node).cloned().unwrap_or_default();
            HostSpec {
                mtu,
                v6: own().any(|flow| flow.ip == Ip::V6).then(|| v6(door)),
                sysctls: asked.sysctls.into_iter().collect(),
                routes: asked.routes.into_iter().map(|(peer, route)| (peer, options(route))).collect(),
                ..HostSpec::numbered(door, &plan.nodes[*node].name)
            }
        };
        self.nodes.iter().zip(0..).map(of).collect()
    }
}

fn options(route: Route) -> RouteOptions {
    RouteOptions {
        initcwnd: route.initcwnd,
        rto_min_ms: route.rto_min_ms,
        quickack: route.quickack.unwrap_or(false),
        ..RouteOptions::default()
    }
}
