//! Host fairness: whose flow a packet belongs to, and the number of active flows of its hosts.
use dumbbell_core::packet::Meta;
use dumbbell_core::packet::flow::FlowTable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What has a queue of its own, and between whom the link is shared out (tc-cake(8)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// One queue for all.
    Flowblind,
    /// A queue for each flow.
    Flows,
    /// A queue for each source host.
    SrcHost,
    /// A queue for each destination host.
    DstHost,
    /// A queue for each pair of source and destination host.
    Hosts,
    /// A queue for each flow; fair between source hosts, then between the flows of each.
    DualSrcHost,
    /// A queue for each flow; fair between destination hosts, then between the flows of each.
    DualDstHost,
    /// A queue for each flow; fair between source hosts and between destination hosts, then
    /// between flows.
    #[default]
    Triple,
}

/// The source and the destination host of a packet; `None`: nobody knows them.
pub type Hosts = Option<(u32, u32)>;

/// The hosts of a packet.
pub fn hosts(p: &Meta, flows: &FlowTable) -> Hosts {
    flows.hosts(p.flow, p.back)
}

impl Isolation {
    /// The key of the queue that a packet belongs in. Where the kernel hashes addresses and ports,
    /// a plan knows flow, direction and hosts.
    pub fn key(self, p: &Meta, hosts: Hosts) -> u64 {
        let flow = u64::from(p.flow.0) << 1 | u64::from(p.back);
        match (self, hosts) {
            (Isolation::Flowblind, _) => 0,
            (Isolation::SrcHost, Some((from, _))) => u64::from(from),
            (Isolation::DstHost, Some((_, to))) => u64::from(to),
            (Isolation::Hosts, Some((from, to))) => u64::from(from) << 32 | u64::from(to),
            _ => flow,
        }
    }
}

/// The numbers of active flows by host: those that come from it, and those that go to it.
#[derive(Clone, Debug, Default)]
pub struct Loads {
    from: Vec<u32>,
    to: Vec<u32>,
}

fn entry(of: &mut Vec<u32>, host: u32) -> &mut u32 {
    let host = host as usize;
    if of.len() <= host {
        of.resize(host + 1, 0);
    }
    &mut of[host]
}

impl Loads {
    /// A flow between these hosts becomes active.
    pub fn joins(&mut self, hosts: Hosts) {
        if let Some((from, to)) = hosts {
            *entry(&mut self.from, from) += 1;
            *entry(&mut self.to, to) += 1;
        }
    }

    /// A flow between these hosts is no longer active.
    pub fn leaves(&mut self, hosts: Hosts) {
        if let Some((from, to)) = hosts {
            *entry(&mut self.from, from) -= 1;
            *entry(&mut self.to, to) -= 1;
        }
    }

    /// The number by which the quantum of an active flow between these hosts is divided: that of
    /// the active flows of its host, and of the busier one if both count.
    #[inline]
    pub fn of(&self, isolation: Isolation, hosts: Hosts) -> i64 {
        let Some((from, to)) = hosts else { return 1 };
        let load = match isolation {
            Isolation::DualSrcHost => self.from[from as usize],
            Isolation::DualDstHost => self.to[to as usize],
            Isolation::Triple => self.from[from as usize].max(self.to[to as usize]),
            _ => 1,
        };
        i64::from(load)
    }
}
