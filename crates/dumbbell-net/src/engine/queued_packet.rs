//! A packet in a port, with its flow and path segment.
use crate::engine::entry::Pkt;
use dumbbell_core::packet::{Dscp, Framing, Meta, Packet, PureAck};
use dumbbell_core::transport::segment::flag;

/// Where a packet comes from, and where it goes on.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// The socket that it comes from: 2 x flow + end.
    pub socket: u32,
    /// Its path segment, where the port is a merge; else 0.
    pub path_segment: u32,
}

impl Way {
    /// The packet's flow.
    #[inline(always)]
    pub(crate) fn flow(self) -> u32 {
        self.socket / 2
    }
    /// True if the packet goes from sender to receiver.
    #[inline(always)]
    pub(crate) fn is_data(self) -> bool {
        self.socket.is_multiple_of(2)
    }
}

/// A packet in a port.
#[derive(Clone, Copy, Debug)]
pub struct QueuedPacket {
    /// The packet.
    pub packet: Pkt,
    /// Its flow.
    pub flow: u32,
    /// Its path segment, where the port is a merge.
    pub path_segment: u32,
    /// Link-layer overhead.
    pub framing: Framing,
    /// True if it goes from sender to receiver.
    pub data: bool,
    /// True if it is a fragment of a larger packet.
    pub fragment: bool,
    /// True if its sidecar has what a newer acknowledgment does not repeat.
    pub told_once: bool,
}

const _: () = assert!(size_of::<QueuedPacket>() == 32, "bytes per waiting packet");

impl QueuedPacket {
    /// A packet on its way.
    #[inline]
    pub fn new(packet: Pkt, way: Way) -> Self {
        QueuedPacket {
            packet,
            flow: way.flow(),
            path_segment: way.path_segment,
            framing: Framing::default(),
            data: way.is_data(),
            fragment: false,
            told_once: false,
        }
    }
    /// The socket that it comes from.
    #[inline]
    pub fn socket(&self) -> u32 {
        2 * self.flow + u32::from(!self.data)
    }
    /// Its way.
    #[inline]
    pub fn way(&self) -> Way {
        Way { socket: self.socket(), path_segment: self.path_segment }
    }
    /// One word that tells packets apart, for the fingerprint.
    #[inline]
    pub fn word(&self) -> u64 {
        self.packet.word() ^ u64::from(self.flow) << 40
    }
}

impl Packet for QueuedPacket {
    #[inline]
    fn meta(&self) -> Meta {
        self.packet.meta(self.flow, self.data, self.framing, self.fragment)
    }
    /// In a simulation only a flow's sender has data: what its receiver sends of TCP, but for the
    /// opening and the end, is an acknowledgment.
    fn pure_ack(&self) -> Option<PureAck> {
        const KIND: u8 = flag::SYN | flag::FIN | flag::UDP | flag::ACK;
        let flags = self.packet.flags();
        (!self.data && flags & KIND == flag::ACK).then(|| PureAck {
            next: self.packet.seq(),
            echo: flags & flag::ACE,
            more: self.told_once,
        })
    }
    fn set_ce(&mut self) {
        self.packet.set_ce();
    }
    fn set_dscp(&mut self, dscp: Dscp) {
        self.packet.set_dscp(dscp);
    }
}
