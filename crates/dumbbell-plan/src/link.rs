//! A link in one direction: its wire, its queue, and the edge before that.
use crate::{NodeId, Shared, Spec, is_default};
use dumbbell_core::meter::Actions;
use dumbbell_core::packet::{Dscp, Framing};
use dumbbell_core::units::{Capacity, Rate, Span};
use serde::{Deserialize, Serialize};

/// A rule of the edge before a link's queue: the packets that it takes, their meter, and the action
/// for each color.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// The meter or conditioner.
    #[serde(flatten)]
    pub spec: Spec,
    /// True if each flow has one of its own, with its own reservation; else all that the rule takes
    /// share one.
    pub per_flow: bool,
    /// Flows whose data it takes, ascending; `None`: all packets (with `per_flow`: the data of all
    /// flows).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flows: Option<Vec<usize>>,
    /// Codepoints that it takes; `None`: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codepoints: Option<Vec<Dscp>>,
    /// The action for each color.
    pub colours: Actions,
}

/// One direction of a link: the port at `from`, and the wire to `to`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Its name, unique: `from->to`, or as given.
    pub name: String,
    /// The node whose port feeds it.
    pub from: NodeId,
    /// The node that it reaches.
    pub to: NodeId,
    /// Nominal rate of the transmitter.
    pub rate: Rate,
    /// Its service; `None` means the constant `rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Shared<Spec>>,
    /// Propagation delay.
    pub delay: Span,
    /// Largest IP packet, bytes.
    pub mtu: u32,
    /// Bytes that the link adds to each IP packet (38 for Ethernet with preamble and gap, 0 for
    /// none).
    pub framing: u32,
    /// The fewest bytes that it sends for a packet: shorter ones are padded (84 for Ethernet, 0: as
    /// short as they are).
    #[serde(default, skip_serializing_if = "is_default")]
    pub least: u32,
    /// The edge before its queue: rules, of which the first that matches a packet applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditioner: Option<Shared<Vec<Rule>>>,
    /// Its queue: when one queue signals congestion (an `aqm`), or a discipline of several (a
    /// `qdisc`).
    pub aqm: Shared<Spec>,
    /// The capacity of its queue.
    pub capacity: Capacity,
    /// True if backlog and limit count the packet in transmission.
    pub count_in_service: bool,
    /// Results tell how long its queue was above this; `None` means half of `capacity`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch_above: Option<Capacity>,
    /// Impairments of the wire, in this order.
    pub impairments: Vec<Shared<Spec>>,
    /// True if the results report its queue.
    pub report: bool,
    /// It is not a link of the network, but the processor of the host at both of its ends, in this
    /// direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Side>,
}

/// The direction in which a host's processor handles packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// It takes them from the network card.
    Receive,
    /// It gives them to the network card.
    Send,
}

impl Side {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        ["receive", "send"][self as usize]
    }
}

impl Link {
    /// Link-layer overhead of packets. Numbers beyond those of scenarios keep their lower 16 bits.
    pub fn framing(&self) -> Framing {
        Framing { bytes: self.framing as u16, least: self.least as u16 }
    }
    /// The rules of the edge before its queue.
    pub fn rules(&self) -> &[Rule] {
        self.conditioner.as_deref().map_or(&[], Vec::as_slice)
    }
}
