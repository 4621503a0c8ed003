//! A flow: its ends, its routes, its application and its transport.
use crate::{Answer, Ip, LinkId, Multipath, NodeId, Shared, Spec, is_default};
use dumbbell_core::packet::flow::FlowInfo;
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::transport::HostSignal;
use dumbbell_core::units::Span;
use dumbbell_quic::QuicConfig;
use dumbbell_scream::ScreamConfig;
use dumbbell_tcp::TcpConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A flow: one sender, one receiver, one connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Its name, unique.
    pub name: String,
    /// The sending host.
    pub from: NodeId,
    /// The receiving host.
    pub to: NodeId,
    /// Its start.
    pub start: Span,
    /// The time when its application stops; `None` means the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Span>,
    /// Links of its data.
    pub forward: Vec<LinkId>,
    /// Links of its acknowledgments; empty for UDP.
    pub back: Vec<LinkId>,
    /// The source of its application.
    pub source: Shared<Spec>,
    /// Its transport.
    pub transport: Transport,
    /// The DiffServ codepoint of its packets, both ways.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dscp: Dscp,
    /// The flow's properties that queues and edges know.
    pub info: FlowInfo,
    /// The version of IP.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ip: Ip,
    /// Routes of ICMP answers to data packets that are too large; `None` if all fit, or nobody
    /// answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Shared<Vec<Answer>>>,
    /// The session that it belongs to: its place in [`crate::Plan::sessions`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<u32>,
    /// Signals of its hosts to its two ends, in the order of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Shared<Vec<ScheduledSignal>>>,
    /// Its paths, if it has several: `forward` and `back` are then the first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multipath: Option<Shared<Multipath>>,
}

impl Flow {
    /// All paths of its data (`end` 0) or of its acknowledgments (1).
    pub fn routes(&self, end: usize) -> impl Iterator<Item = &[LinkId]> {
        let first = if end == 0 { &self.forward } else { &self.back };
        let sets = self.multipath.as_ref().map_or(&[][..], |all| all.of_end(end));
        let others = sets.iter().flat_map(|set| &set.paths).map(|path| path.links.as_slice());
        std::iter::once(first.as_slice()).chain(others)
    }
}

/// A signal from a host to its end of a connection, of something that the network does not report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Word")]
pub struct ScheduledSignal {
    /// Instant of the signal, from the start of the run.
    pub at: Span,
    /// To which end; default the receiver.
    #[serde(default)]
    pub to: SignalTarget,
    /// The signal: the path is about to vanish, or it is back.
    pub say: HostSignal,
}

/// The end of a connection that a [`ScheduledSignal`] is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Listener", description = "The end that gets a [`Word`].")]
pub enum SignalTarget {
    /// The sender: its congestion control.
    Sender,
    /// The receiver: its policy.
    #[default]
    Receiver,
}

/// A flow's transport.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "protocol", rename_all = "snake_case")]
pub enum Transport {
    /// A connection.
    Tcp {
        /// Its congestion control.
        cc: Shared<Spec>,
        /// Every other choice; `mss` is always set.
        tcp: Shared<TcpConfig>,
    },
    /// A connection of QUIC.
    Quic {
        /// Its congestion control.
        cc: Shared<Spec>,
        /// Every other choice; `datagram` is always set.
        quic: Shared<QuicConfig>,
    },
    /// Live media by SCReAM, over datagrams.
    Scream {
        /// Every choice of it.
        scream: Shared<ScreamConfig>,
    },
    /// Datagrams.
    Udp {
        /// IP and UDP header, bytes.
        header: u32,
        /// The ECN field of its packets.
        #[serde(default, skip_serializing_if = "is_default")]
        ecn: Ecn,
        /// True if routers must not cut them (the DF bit).
        #[serde(default, skip_serializing_if = "is_default")]
        df: bool,
    },
}

impl Transport {
    /// The congestion control; `None` for datagrams, and for SCReAM, which is one itself.
    pub fn cc(&self) -> Option<&Shared<Spec>> {
        match self {
            Transport::Tcp { cc, .. } | Transport::Quic { cc, .. } => Some(cc),
            Transport::Scream { .. } | Transport::Udp { .. } => None,
        }
    }
    /// True if its packets are answered: acknowledged, or reported.
    pub fn is_connection(&self) -> bool {
        !matches!(self, Transport::Udp { .. })
    }
}
