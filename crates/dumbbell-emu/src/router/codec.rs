//! The interface between the router and packet headers.
use crate::packet::classify::Unmatched;
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::transport::segment::PacketTooBig;
use dumbbell_net::Fragment;
use dumbbell_wire::verify::Wrong;
use dumbbell_wire::view::Malformed;

/// The fields of a host's packet that the network gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketInfo {
    /// The socket that sent it: 2 x flow + end.
    pub socket: u32,
    /// Bytes of the application's in it.
    pub payload: u16,
    /// The ECN field.
    pub ecn: Ecn,
    /// The DiffServ codepoint.
    pub dscp: Dscp,
    /// The sequence number; of a pure acknowledgment the next byte expected.
    pub seq: u32,
    /// Bits of [`dumbbell_core::transport::segment::flag`].
    pub flags: u8,
}

/// The reason for which a host's packet does not go into the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// It belongs to no flow of the plan: a neighbor's or a group's message, a program of its own.
    NoFlow(Unmatched),
    /// It is no sound IP packet.
    Malformed(Malformed),
    /// A checksum is wrong, as where the kernel leaves it to a card that is not there.
    BadChecksum(Wrong),
}

/// Reads and rewrites IP packets.
pub trait PacketCodec {
    /// Parses a packet from NIC `nic`.
    ///
    /// # Errors
    /// It is nobody's.
    fn parse(&mut self, nic: usize, packet: &[u8]) -> Result<PacketInfo, Rejected>;
    /// Gives a packet the ECN field and the codepoint, and its header the checksum.
    fn mark(&mut self, packet: &mut [u8], ecn: Ecn, dscp: Dscp);
    /// Changes a bit of the packet so that its host discards it; false if no host would.
    fn corrupt(&mut self, packet: &mut [u8]) -> bool;
    /// Writes the piece of a packet, with its own header; false if there is no such piece.
    fn fragment(&mut self, packet: &[u8], piece: Fragment, into: &mut Vec<u8>) -> bool;
    /// Writes a router's answer to the sender of a packet that was too large; false if it must not
    /// be answered.
    fn icmp_error(&mut self, packet: &[u8], notice: PacketTooBig, into: &mut Vec<u8>) -> bool;
}
