//! A network under construction: nodes, one-way links and routed flows, before queues and
//! transports.
pub(crate) mod duplex;
pub(crate) mod framing;
pub(crate) mod graph;
pub(crate) mod routes;
pub(crate) mod rtt;
pub(crate) mod service;
pub(crate) mod short;
use crate::language::node::{Node, Path, below, path};
use crate::language::problem::{Check, Diagnostic};
use crate::language::scenario::{Scenario, default_flow_name};
use dumbbell_core::packet::Framing;
use dumbbell_core::units::{Bytes, Rate, Span};
use dumbbell_plan::{LinkId, NodeId, NodeKind, Shared, Spec};
use std::collections::BTreeSet;
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

/// One direction of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkDraft {
    /// Its name.
    pub name: String,
    /// Its ends.
    pub from: NodeId,
    /// Its ends.
    pub to: NodeId,
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
    /// Its conditioner in the scenario, if it is written there.
    pub conditioner: Option<Rc<Path>>,
    /// The list of its impairments in the scenario.
    pub impairment: Option<Rc<Path>>,
    /// True if results report it.
    pub report: bool,
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
}

/// The whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// Hosts and routers.
    pub nodes: Vec<dumbbell_plan::Node>,
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
    pub fn link(&mut self, link: LinkDraft) -> LinkId {
        self.links.push(link);
        self.links.len() - 1
    }
    /// Round-trip propagation time of a routed flow.
    pub fn base_rtt(&self, flow: &RoutedFlow) -> Span {
        flow.forward.iter().chain(&flow.back).fold(Span::ZERO, |sum, l| sum + self.links[*l].delay)
    }
}

/// An MTU in bytes, from 68 B (RFC 791) to what a length field can say. Behind PPPoE it is 1492 B
/// (RFC 2516) where `table` has none of its own.
pub fn mtu(size: Bytes, root: &Node, table: &[String], check: &mut Check) -> u32 {
    let ppp = root.at(&below(table, "framing")).and_then(Node::as_str) == Some("pppoe");
    if ppp && root.at(&below(table, "mtu")).is_none() {
        return framing::PPPOE_MTU;
    }
    if !(68..=65_535).contains(&size.0) {
        let path = below(table, "mtu");
        check.error(
            Diagnostic::new(format!("{size} is no MTU"))
                .at(root.nearest_place(&path))
                .fix("write a size from 68 B to 65535 B, such as \"1500 B\"")
                .key(&path),
        );
    }
    size.0.clamp(68, 65_535) as u32
}

/// Refuses a name that nobody can read: an empty one, one with control characters or with space
/// around it.
pub fn legible(name: &str, at: &[String], root: &Node, check: &mut Check) {
    if name.is_empty() || name.trim() != name || name.contains(char::is_control) {
        let cause = if name.is_empty() {
            "a name is empty".into()
        } else {
            format!(
                "{name:?} is not a \
            name"
            )
        };
        let fix = "write a word, without line breaks, tabs or spaces around it";
        check.error(Diagnostic::new(cause).at(root.nearest_place(at)).fix(fix).key(at));
    }
}

/// The names of all flows: `(entry, name)` in order, those of the first `written` entries and then
/// `more`. Names are unique, or an error says which is not.
pub fn flow_names(
    scenario: &Scenario,
    written: usize,
    more: impl Iterator<Item = (usize, String)>,
    root: &Node,
    check: &mut Check,
) -> Vec<(usize, String)> {
    let mut names = Vec::new();
    for (i, flow) in scenario.flow.iter().take(written).enumerate() {
        if let Some(name) = &flow.name {
            legible(name, &path(&["flow", &i.to_string(), "name"]), root, check);
        }
        let base = flow.name.clone().unwrap_or_else(|| default_flow_name(i));
        match flow.count {
            None => names.push((i, base)),
            Some(n) => names.extend((1..=n).map(|k| (i, format!("{base}.{k}")))),
        }
    }
    names.extend(more);
    let mut seen = BTreeSet::new();
    for (i, name) in &names {
        if !seen.insert(name) {
            let path = ["flow".to_string(), i.to_string(), "name".to_string()];
            check.error(
                Diagnostic::new(format!("two flows have the name `{name}`"))
                    .at(root.nearest_place(&path))
                    .fix("give each flow a name of its own, or one entry a count")
                    .key(&path),
            );
            break;
        }
    }
    names
}
