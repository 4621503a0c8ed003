//! The hosts of a plan: their NICs, addresses and settings.
use crate::host::hosts::{HostSpec, v4, v6};
use crate::host::netlink::RouteOptions;
use crate::traffic::host_settings::{HostSettings, RouteMetrics};
use dumbbell_plan::{Ip, NodeId, Plan};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// The hosts of a plan that send or receive, in its order.
pub struct HostMap {
    /// Nodes of the hosts, in the order of their NICs.
    nodes: Vec<NodeId>,
    /// The place of each node among them.
    nics: BTreeMap<NodeId, u16>,
}

impl HostMap {
    /// The hosts of `plan`.
    pub fn of(plan: &Plan) -> HostMap {
        let mut nodes: Vec<NodeId> =
            plan.flows.iter().flat_map(|flow| [flow.from, flow.to]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let nics = nodes.iter().zip(0..).map(|(node, nic)| (*node, nic)).collect();
        HostMap { nodes, nics }
    }

    /// The address of a host, of one version of IP.
    pub fn address(&self, node: NodeId, ip: Ip) -> IpAddr {
        match ip {
            Ip::V4 => v4(self.nics[&node]).into(),
            Ip::V6 => v6(self.nics[&node]).into(),
        }
    }

    /// The NIC of a host.
    pub fn nic(&self, node: NodeId) -> u16 {
        self.nics[&node]
    }

    /// The nodes that have a NIC, in the order of their NICs.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The NIC of each socket's host, by socket (2 x flow + end).
    pub fn nic_of_sockets(&self, plan: &Plan) -> Vec<u16> {
        plan.flows.iter().flat_map(|flow| [self.nics[&flow.from], self.nics[&flow.to]]).collect()
    }

    /// Specifications of the hosts, with the settings that their flows need. A device has the MTU
    /// of the first links on its packets' paths; packets too large for later links are fragmented
    /// there, as in a simulation.
    pub fn specs(
        &self,
        plan: &Plan,
        host_settings: &BTreeMap<NodeId, HostSettings>,
    ) -> Vec<HostSpec> {
        let of = |(node, nic): (&NodeId, u16)| {
            let first = |flow: &dumbbell_plan::Flow| {
                let out = if flow.from == *node { flow.forward.as_slice() } else { &flow.back };
                // A host's processor is no device.
                out.iter()
                    .map(|link| &plan.links[*link])
                    .find(|link| link.host.is_none())
                    .map(|link| link.mtu)
            };
            let own = || plan.flows.iter().filter(|flow| flow.from == *node || flow.to == *node);
            let mtu = own().filter_map(first).min().unwrap_or(1500).min(u32::from(u16::MAX));
            let asked = host_settings.get(node).cloned().unwrap_or_default();
            HostSpec {
                mtu,
                v6: own().any(|flow| flow.ip == Ip::V6).then(|| v6(nic)),
                sysctls: asked.sysctls.into_iter().collect(),
                routes: asked
                    .routes
                    .into_iter()
                    .map(|(peer, route)| (peer, options(route)))
                    .collect(),
                ..HostSpec::numbered(nic, &plan.nodes[*node].name)
            }
        };
        self.nodes.iter().zip(0..).map(of).collect()
    }
}

fn options(route: RouteMetrics) -> RouteOptions {
    RouteOptions {
        initcwnd: route.initcwnd,
        rto_min_ms: route.rto_min_ms,
        quickack: route.quickack.unwrap_or(false),
        ..RouteOptions::default()
    }
}
