//! A network in parts that are simulated apart from each other.
//!
//! Each part is a [`Net`](crate::Net) of the whole plan, of which only the elements of its own
//! nodes are used. A packet that leaves a part is [`Mail`], and enters the other part at its time
//! there. All order between packets is by time and rank, which are properties of the plan; so the
//! parts together have the history of the whole.
//!
//! A part may run on by the shortest delay of the links between parts beyond what the others have
//! reached: nothing that they send arrives sooner.
mod choose;
mod grow;
pub use choose::packets_per_second;

use crate::engine::entry::Pkt;
use crate::engine::sidecar::Sidecar;
use dumbbell_algos::source::AnySource;
use dumbbell_core::source::Source;
use dumbbell_core::units::{Span, Time};
use dumbbell_plan::{Link, Plan};

/// The part that each node of a plan belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    of_node: Vec<u32>,
    parts: usize,
    lookahead: Span,
}

impl Partition {
    /// The partition in which node `n` belongs to part `of_node[n]`. `None` if that is not one: if
    /// a part is empty, if there is one part, or if a link between parts may carry a packet in no
    /// time, or in a time that is not known.
    pub fn new(plan: &Plan, of_node: Vec<u32>) -> Option<Partition> {
        let parts = of_node.iter().max().map_or(0, |most| *most as usize + 1);
        let all_used = (0..parts as u32).all(|part| of_node.contains(&part));
        let between = |link: &&Link| of_node[link.from] != of_node[link.to];
        let cut: Vec<&Link> = plan.links.iter().filter(between).collect();
        let lookahead = cut.iter().map(|link| link.delay).min()?;
        let known = cut.iter().all(|link| may_be_cut(link));
        (parts > 1 && all_used && known).then_some(Partition { of_node, parts, lookahead })
    }

    /// The part of each node.
    pub(crate) fn of_node(&self) -> &[u32] {
        &self.of_node
    }

    /// The part of node `n` of the plan.
    pub fn part_of(&self, n: usize) -> usize {
        self.of_node[n] as usize
    }

    /// The number of parts.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// The time that every packet needs at least from one part to another.
    pub fn lookahead(&self) -> Span {
        self.lookahead
    }
}

/// True if a link may be one between parts: every packet needs the same delay at least.
fn may_be_cut(link: &Link) -> bool {
    link.delay > Span::ZERO && link.service.is_none() && link.impairments.is_empty()
}

/// Why a plan cannot be simulated in parts; `None` if it can. What remains to be excluded is an
/// observer.
pub fn undivided(plan: &Plan) -> Option<&'static str> {
    let flows = || plan.flows.iter();
    if !flows().all(|flow| flow.transport.is_connection()) {
        Some("flows of datagrams")
    } else if plan.links.iter().any(|link| link.conditioner.is_some()) {
        Some("DiffServ edges")
    } else if flows().any(|flow| flow.words.is_some()) {
        Some("signals of hosts")
    } else if flows().any(|flow| flow.multipath.is_some()) {
        Some("flows with several paths")
    } else if crate::fragment::oversize::exist(plan) {
        Some("packets that are larger than an MTU")
    } else if plan.links.iter().any(shares_medium) {
        Some("shared media")
    } else if flows().any(hears_delivery) {
        Some("applications that act when their data arrive")
    } else {
        None
    }
}

/// True if the flow's sender has to know when its receiver got its data.
fn hears_delivery(flow: &dumbbell_plan::Flow) -> bool {
    // A session's flows are many, and transfer a size.
    flow.session.is_none()
        && AnySource::build(&flow.source.kind, &flow.source.config, &())
            .is_ok_and(|source| source.hears_delivery())
}

fn shares_medium(link: &Link) -> bool {
    link.service.as_ref().is_some_and(|service| service.kind == "duplex_mismatch")
}

/// A packet on its way from one part to another.
#[derive(Clone, Copy)]
pub(crate) struct Crossing {
    /// Its arrival there.
    pub at: Time,
    /// The border, which has the same number in all parts.
    pub border: u32,
    /// The packet. The handle of its sidecar is a place in the mail.
    pub packet: Pkt,
}

/// Packets on their way from one part to another, in the order in which they left it.
#[derive(Default)]
pub struct Mail {
    pub(crate) crossings: Vec<Crossing>,
    pub(crate) sidecars: Vec<Sidecar>,
    earliest: Option<Time>,
}

impl Mail {
    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.crossings.is_empty()
    }

    /// The number of packets.
    pub fn len(&self) -> usize {
        self.crossings.len()
    }

    /// The first arrival.
    pub fn earliest(&self) -> Option<Time> {
        self.earliest
    }

    /// One more packet.
    pub(crate) fn post(&mut self, crossing: Crossing, sidecar: Option<Sidecar>) {
        let Crossing { at, border, mut packet } = crossing;
        if let Some(sidecar) = sidecar {
            self.sidecars.push(sidecar);
            packet = packet.with_sidecar(self.sidecars.len() as u32);
        }
        self.earliest = Some(self.earliest.map_or(at, |earliest| earliest.min(at)));
        self.crossings.push(Crossing { at, border, packet });
    }

    /// Forgets what was delivered; the memory stays.
    pub fn clear(&mut self) {
        self.crossings.clear();
        self.sidecars.clear();
        self.earliest = None;
    }
}
