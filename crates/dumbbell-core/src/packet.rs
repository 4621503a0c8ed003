//! Packets as queues, meters and impairments see them.
pub mod fingerprint;
pub mod flow;
use serde::{Deserialize, Serialize};

/// The ECN field of the IP header (RFC 3168 section 5).
#[derive(
    Clone, Copy, PartialEq, Eq, Debug, Default, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Ecn {
    /// Not ECN-capable: a congestion signal must be a drop.
    #[default]
    NotEct,
    /// ECN-capable, codepoint 1 (L4S, RFC 9331).
    Ect1,
    /// ECN-capable, codepoint 0.
    Ect0,
    /// Congestion experienced.
    Ce,
}

impl Ecn {
    /// True if a router may mark instead of dropping.
    pub fn capable(self) -> bool {
        self != Ecn::NotEct
    }
}

/// A DiffServ codepoint (RFC 2474), 0 to 63.
#[derive(
    Clone, Copy, PartialEq, Eq, Debug, Default, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Dscp(pub u8);

/// A flow's number in the plan.
#[derive(
    Clone, Copy, PartialEq, Eq, Debug, Default, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct FlowId(pub u32);

/// The framing of a link: bytes added to each IP packet, and the minimum frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Framing {
    /// Bytes added to each packet: headers, checksum, preamble, gap.
    pub bytes: u16,
    /// A packet takes at least this much of the wire, bytes: a shorter one is padded.
    pub least: u16,
}

impl Framing {
    /// Bytes on the wire of a packet of `ip_len` bytes.
    #[inline]
    pub fn wire_len(self, ip_len: u32) -> u32 {
        (ip_len + u32::from(self.bytes)).max(u32::from(self.least))
    }
}

/// The properties of a packet that queues, meters and impairments may use. Tokens and byte-mode
/// queues count `ip_len`; a port takes `wire_len` to serialize.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Meta {
    /// Length of the IP packet, bytes.
    pub ip_len: u32,
    /// Length on the wire with the link's framing, bytes.
    pub wire_len: u32,
    /// The flow.
    pub flow: FlowId,
    /// The ECN field.
    pub ecn: Ecn,
    /// The DiffServ codepoint.
    pub dscp: Dscp,
    /// True if this is a fragment of a larger datagram.
    pub fragment: bool,
    /// True if it goes from the flow's receiver to its sender.
    pub back: bool,
}

/// What a filter of acknowledgments reads of a segment without data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PureAck {
    /// The next byte expected: the low 32 bits of the offset in the stream.
    pub next: u32,
    /// The flags by which congestion is echoed: ECE, CWR and AE
    /// ([`crate::transport::segment::flag`]).
    pub echo: u8,
    /// True if it carries more that a newer one does not repeat: SACK blocks, counters, a tag.
    pub more: bool,
}

impl PureAck {
    /// True if the sender learns nothing from this one that it does not learn from `newer`, of the
    /// same flow, which acknowledges more.
    pub fn is_redundant_beside(&self, newer: &PureAck) -> bool {
        let beyond = newer.next.wrapping_sub(self.next) as i32;
        beyond > 0 && self.echo == newer.echo && !self.more
    }
}

/// Anything that can wait in a queue: a simulated packet, or a real frame.
pub trait Packet {
    /// Its properties.
    fn meta(&self) -> Meta;
    /// What it acknowledges, if it is a TCP segment without data and the queue can see that. Only
    /// a filter of acknowledgments asks.
    fn pure_ack(&self) -> Option<PureAck> {
        None
    }
    /// Sets Congestion Experienced. Only called where `meta().ecn` is capable.
    fn set_ce(&mut self);
    /// Sets the codepoint.
    fn set_dscp(&mut self, dscp: Dscp);
}
