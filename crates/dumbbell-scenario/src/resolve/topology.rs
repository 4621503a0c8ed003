//! A network under construction: nodes, one-way links and routed flows, before queues and
//! transports.
pub(crate) mod changes;
pub(crate) mod duplex;
pub(crate) mod fabric;
pub(crate) mod framing;
pub(crate) mod graph;
pub(crate) mod routes;
pub(crate) mod rtt;
pub(crate) mod service;
pub(crate) mod shared_buffer;
pub(crate) mod short;
pub(crate) mod written_link;
use crate::language::node::Path;
use crate::language::scenario::{Routing, RoutingKind, Scenario};
use crate::resolve::context::{At, Context};
use crate::resolve::flow_names::flow_name::FlowName;
use dumbbell_core::packet::Framing;
use dumbbell_core::units::{Rate, Span};
use dumbbell_plan::{LinkId, Multipath, NodeId, NodeKind, Rule, Shared, Spec};
use std::rc::Rc;

/// A link's queue before it is resolved. Paths are shared: many links may come from one place of
/// the scenario.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueueFrom {
    /// Written at this path of the scenario.
    Written(Rc<Path>),
    /// The default of a bottleneck.
    Bottleneck,
    /// An unlimited Drop Tail.
    Unlimited,
}

/// The settings of one direction of a link. All but the queue, which may follow from the flows that
/// cross the link, are resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSettings {
    /// The table in which it is written; `None`: it follows from a flow of a short form.
    pub table: Option<Rc<Path>>,
    /// Nominal rate.
    pub rate: Rate,
    /// The service of the transmitter, if it is not the constant rate.
    pub service: Option<Shared<Spec>>,
    /// Propagation delay.
    pub delay: Span,
    /// Largest IP packet, bytes.
    pub mtu: u32,
    /// The framing that is added to each packet.
    pub framing: Framing,
    /// Its queue.
    pub queue: QueueFrom,
    /// The edge before the queue.
    pub edge: Option<Shared<Vec<Rule>>>,
    /// What the wire does to packets.
    pub impairments: Vec<Shared<Spec>>,
    /// True if results report it.
    pub report: bool,
    /// Its cost in routing, at least 1.
    pub cost: u64,
    /// From when and for how long it is down, in the order of time.
    pub down: Vec<(Span, Span)>,
}

impl LinkSettings {
    /// A link with a constant rate and an unlimited queue that results do not report.
    pub fn plain(rate: Rate, delay: Span, mtu: u32, framing: Framing) -> Self {
        LinkSettings {
            table: None,
            rate,
            service: None,
            delay,
            mtu,
            framing,
            queue: QueueFrom::Unlimited,
            edge: None,
            impairments: Vec::new(),
            report: false,
            cost: 1,
            down: Vec::new(),
        }
    }
}

/// One direction of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkDraft {
    /// Its name.
    pub name: String,
    /// Its ends.
    pub from: NodeId,
    /// Its ends.
    pub to: NodeId,
    /// Its settings.
    pub settings: LinkSettings,
    /// The other direction, if there is one.
    pub twin: Option<LinkId>,
}

/// A flow with its route.
#[derive(Clone, Debug, PartialEq)]
pub struct RoutedFlow {
    /// The number of its `[[flow]]`.
    pub entry: usize,
    /// Its name.
    pub name: String,
    /// Sender.
    pub from: NodeId,
    /// Receiver.
    pub to: NodeId,
    /// Links of its data.
    pub forward: Vec<LinkId>,
    /// Links back.
    pub back: Vec<LinkId>,
    /// All its paths, if it has several.
    pub multipath: Option<Shared<Multipath>>,
}

/// The whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// Hosts and routers.
    pub nodes: Vec<dumbbell_plan::Node>,
    /// Buffers that the queues of a router share.
    pub shared_buffers: Vec<dumbbell_plan::SharedBuffer>,
    /// Links.
    pub links: Vec<LinkDraft>,
    /// Flows.
    pub flows: Vec<RoutedFlow>,
}

impl Network {
    /// One more node.
    pub fn node(&mut self, name: impl Into<String>, kind: NodeKind) -> NodeId {
        self.nodes.push(dumbbell_plan::Node { name: name.into(), kind, silent: false });
        self.nodes.len() - 1
    }
    /// One more link.
    pub fn link(&mut self, name: String, ends: (NodeId, NodeId), settings: LinkSettings) -> LinkId {
        self.links.push(LinkDraft { name, from: ends.0, to: ends.1, settings, twin: None });
        self.links.len() - 1
    }
    /// Both directions of a link: the first is from `ends.0` to `ends.1`.
    pub fn pair(
        &mut self,
        [ahead, back]: [String; 2],
        ends: (NodeId, NodeId),
        [forward, reverse]: [LinkSettings; 2],
    ) {
        let first = self.link(ahead, ends, forward);
        let second = self.link(back, (ends.1, ends.0), reverse);
        (self.links[first].twin, self.links[second].twin) = (Some(second), Some(first));
    }
    /// Round-trip propagation time of a routed flow.
    pub fn base_rtt(&self, flow: &RoutedFlow) -> Span {
        let way = flow.forward.iter().chain(&flow.back);
        way.fold(Span::ZERO, |sum, l| sum + self.links[*l].settings.delay)
    }
}

/// How paths are chosen: as it is written, else by the form of the network.
pub fn routing(scenario: &Scenario) -> Routing {
    let fabric = scenario.leaf_spine.is_some() || scenario.fat_tree.is_some();
    let kind = if fabric { RoutingKind::Ecmp } else { RoutingKind::Shortest };
    scenario.routing.unwrap_or(Routing { kind, ..Routing::default() })
}

/// The network of a scenario; `names` are its flows. Where a hash chooses paths and has no seed of
/// its own, that is `seed`.
pub fn build(scenario: &Scenario, names: &[FlowName], seed: u64, cx: &Context<'_>) -> Network {
    short::build(scenario, names, cx).unwrap_or_else(|| graph::build(scenario, names, seed, cx))
}

/// Refuses a name that nobody can read: an empty one, one with control characters or with space
/// around it.
pub fn legible(name: &str, at: &At<'_>) {
    if name.is_empty() || name.trim() != name || name.contains(char::is_control) {
        let cause = if name.is_empty() {
            "a name is empty".into()
        } else {
            format!("{name:?} is not a name")
        };
        at.refuse(cause, "write a word, without line breaks, tabs or spaces around it");
    }
}
