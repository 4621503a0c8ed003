//! The parsed headers of a packet.
use super::address::Address;
use super::bytes::{u16_at, u32_at};
use super::extension;
use super::protocol;
use dumbbell_core::packet::{Dscp, Ecn};
use std::fmt;

/// The position of a fragment in its datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// The datagram's number, of its addresses and protocol.
    pub id: u32,
    /// First byte of its payload.
    pub offset: u16,
    /// True if more fragments follow.
    pub more: bool,
}

/// The fields of a TCP header (RFC 9293 section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tcp {
    /// Sequence number of the first byte, or of the SYN.
    pub seq: u32,
    /// Acknowledgment number.
    pub ack: u32,
    /// Flags as on the wire, FIN lowest; bit 8 is AE (RFC 9768).
    pub flags: u16,
    /// Bytes of payload, as the IP packet's length says.
    pub payload: u16,
}

/// Flags of TCP as on the wire.
pub mod tcp_flags {
    /// No more data.
    pub const FIN: u16 = 1;
    /// Opens a connection.
    pub const SYN: u16 = 2;
    /// Breaks it off.
    pub const RST: u16 = 4;
    /// The receiver hands the data over at once.
    pub const PSH: u16 = 8;
    /// The acknowledgment number counts.
    pub const ACK: u16 = 16;
    /// ECN echo.
    pub const ECE: u16 = 64;
    /// Congestion window reduced.
    pub const CWR: u16 = 128;
    /// Accurate ECN.
    pub const AE: u16 = 256;
}

/// The header behind the IP headers, as far as it is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportHeader {
    /// TCP, the whole header.
    Tcp(Tcp),
    /// UDP.
    Udp,
    /// ICMP of either version.
    Icmp {
        /// The ICMP type.
        kind: u8,
        /// The ICMP code.
        code: u8,
        /// The four bytes behind the checksum: an echo's identifier and number, an MTU.
        rest: u32,
    },
    /// A piece of a datagram without its header; of a quoted packet also what was quoted too
    /// shortly.
    Fragment,
    /// Something else.
    Other,
}

/// A packet's headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketView {
    /// 4 or 6.
    pub version: u8,
    /// The protocol behind the IP headers.
    pub protocol: u8,
    /// The ECN field.
    pub ecn: Ecn,
    /// The DiffServ codepoint.
    pub dscp: Dscp,
    /// Bytes of all IP headers, extension headers among them: where the transport's begins.
    pub header_len: u16,
    /// Bytes of the IP packet, as its header says; what stands behind them is none of it.
    pub total_len: u16,
    /// The source address.
    pub source: Address,
    /// The destination address.
    pub destination: Address,
    /// Ports of TCP and UDP, source first; of others 0.
    pub ports: (u16, u16),
    /// True if routers must not fragment it: always in IPv6.
    pub dont_fragment: bool,
    /// Of which datagram it is a piece.
    pub fragment: Option<Fragment>,
    /// True if it is source-routed: transport checksums then cover another address than the
    /// header's.
    pub routed: bool,
    /// The header behind the IP headers.
    pub transport: TransportHeader,
}

/// The reason for which bytes are no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// Neither version 4 nor 6.
    Version(u8),
    /// They end inside the IP headers.
    ShortHeader,
    /// The header says of itself a length that none has.
    HeaderLength(u16),
    /// The header says a total length of so many bytes, but there are fewer, or the header alone is
    /// longer.
    TotalLength {
        /// The length in the header.
        says: u32,
        /// Bytes that there are.
        has: usize,
    },
    /// It ends inside the header of this protocol.
    ShortTransport(u8),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Malformed::Version(v) => write!(f, "it is no IP packet: its version is {v}"),
            Malformed::ShortHeader => f.write_str("it ends inside its IP header"),
            Malformed::HeaderLength(n) => write!(
                f,
                "its IP header says a length of {n} bytes for \
                itself"
            ),
            Malformed::TotalLength { says, has } => {
                write!(f, "its header says a length of {says} bytes, and {has} came")
            }
            Malformed::ShortTransport(p) => {
                write!(f, "it ends inside its {} header", protocol::name(p))
            }
        }
    }
}

impl std::error::Error for Malformed {}

/// The two bits as RFC 3168 section 5 has them.
fn ecn(bits: u8) -> Ecn {
    match bits & 3 {
        0 => Ecn::NotEct,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        _ => Ecn::Ce,
    }
}

impl PacketView {
    /// Parses a whole packet. Bytes behind its total length (a frame's padding) are ignored.
    ///
    /// # Errors
    /// It is not a packet, or not a whole one.
    #[inline]
    pub fn of(bytes: &[u8]) -> Result<PacketView, Malformed> {
        PacketView::read(bytes, true)
    }

    /// Of a packet's first bytes, as an ICMP error quotes them (RFC 792: at least eight of the
    /// transport). Ports are there if they were quoted; a TCP header counts as
    /// [`TransportHeader::Fragment`] unless it is whole.
    ///
    /// # Errors
    /// Not even the IP header is whole.
    pub fn quoted(bytes: &[u8]) -> Result<PacketView, Malformed> {
        PacketView::read(bytes, false)
    }

    #[inline(always)]
    fn read(bytes: &[u8], whole: bool) -> Result<PacketView, Malformed> {
        let mut view = match bytes.first() {
            None => return Err(Malformed::ShortHeader),
            Some(b) if b >> 4 == 4 => PacketView::v4(bytes)?,
            Some(b) if b >> 4 == 6 => PacketView::v6(bytes, whole)?,
            Some(b) => return Err(Malformed::Version(b >> 4)),
        };
        let total = usize::from(view.total_len);
        if view.total_len < view.header_len || (whole && total > bytes.len()) {
            return Err(Malformed::TotalLength { says: view.total_len.into(), has: bytes.len() });
        }
        let inner = &bytes[usize::from(view.header_len).min(bytes.len())..total.min(bytes.len())];
        view.transport(inner, whole)?;
        Ok(view)
    }

    /// RFC 791 section 3.1.
    #[inline(always)]
    fn v4(bytes: &[u8]) -> Result<PacketView, Malformed> {
        let h: &[u8; 20] = bytes.first_chunk().ok_or(Malformed::ShortHeader)?;
        let header_len = u16::from(h[0] & 15) * 4;
        if header_len < 20 {
            return Err(Malformed::HeaderLength(header_len));
        }
        let options = bytes.get(20..usize::from(header_len)).ok_or(Malformed::ShortHeader)?;
        let flags = u16::from_be_bytes([h[6], h[7]]);
        let (offset, more) = ((flags & 0x1fff) * 8, flags & 0x2000 != 0);
        let id = u16::from_be_bytes([h[4], h[5]]).into();
        Ok(PacketView {
            version: 4,
            protocol: h[9],
            ecn: ecn(h[1]),
            dscp: Dscp(h[1] >> 2),
            header_len,
            total_len: u16::from_be_bytes([h[2], h[3]]),
            source: Address::v4([h[12], h[13], h[14], h[15]]),
            destination: Address::v4([h[16], h[17], h[18], h[19]]),
            ports: (0, 0),
            dont_fragment: flags & 0x4000 != 0,
            fragment: (offset > 0 || more).then_some(Fragment { id, offset, more }),
            routed: !options.is_empty() && source_routed(options),
            transport: TransportHeader::Other,
        })
    }

    /// RFC 8200 sections 3 and 4.
    fn v6(bytes: &[u8], whole: bool) -> Result<PacketView, Malformed> {
        let h: &[u8; 40] = bytes.first_chunk().ok_or(Malformed::ShortHeader)?;
        let class = h[0] << 4 | h[1] >> 4;
        let total = 40 + u32::from(u16::from_be_bytes([h[4], h[5]]));
        let total_len = u16::try_from(total)
            .map_err(|_| Malformed::TotalLength { says: total, has: bytes.len() })?;
        let present = if whole { usize::from(total_len).min(bytes.len()) } else { bytes.len() };
        let passed = extension::pass(&bytes[..present], h[6]).ok_or(Malformed::ShortHeader)?;
        // Extension headers end within a packet of at most 65,535 bytes.
        let header_len = u16::try_from(passed.at).map_err(|_| Malformed::ShortHeader)?;
        let fragment = passed.fragment.map(|(words, id)| Fragment {
            id,
            offset: words & 0xfff8,
            more: words & 1 != 0,
        });
        Ok(PacketView {
            version: 6,
            protocol: passed.protocol,
            ecn: ecn(class),
            dscp: Dscp(class >> 2),
            header_len,
            total_len,
            source: Address::v6(*h[8..].first_chunk().ok_or(Malformed::ShortHeader)?),
            destination: Address::v6(*h[24..].first_chunk().ok_or(Malformed::ShortHeader)?),
            ports: (0, 0),
            dont_fragment: true,
            fragment,
            routed: passed.routed,
            transport: TransportHeader::Other,
        })
    }

    /// Parses `inner`, the bytes behind the IP headers.
    #[inline(always)]
    fn transport(&mut self, inner: &[u8], whole: bool) -> Result<(), Malformed> {
        if self.fragment.is_some_and(|f| f.offset > 0) {
            self.transport = TransportHeader::Fragment;
            return Ok(());
        }
        let transport = match self.protocol {
            protocol::TCP => self.tcp(inner),
            protocol::UDP if inner.len() >= 8 => Some(TransportHeader::Udp),
            protocol::ICMP | protocol::ICMPV6 => icmp(inner),
            protocol::UDP => None,
            _ => Some(TransportHeader::Other),
        };
        if matches!(self.protocol, protocol::TCP | protocol::UDP)
            && let (Some(source), Some(destination)) = (u16_at(inner, 0), u16_at(inner, 2))
        {
            self.ports = (source, destination);
        }
        self.transport = match transport {
            Some(transport) => transport,
            // A first fragment may be too short for its transport's header, as a quotation may.
            None if !whole || self.fragment.is_some() => TransportHeader::Fragment,
            None => return Err(Malformed::ShortTransport(self.protocol)),
        };
        Ok(())
    }

    #[inline(always)]
    fn tcp(&self, inner: &[u8]) -> Option<TransportHeader> {
        let h: &[u8; 20] = inner.first_chunk()?;
        let length = u16::from(h[12] >> 4) * 4;
        let behind_ip = self.total_len - self.header_len;
        if length < 20 || length > behind_ip {
            return None;
        }
        Some(TransportHeader::Tcp(Tcp {
            seq: u32::from_be_bytes([h[4], h[5], h[6], h[7]]),
            ack: u32::from_be_bytes([h[8], h[9], h[10], h[11]]),
            flags: u16::from_be_bytes([h[12], h[13]]) & 0x1ff,
            payload: behind_ip - length,
        }))
    }

    /// Bytes behind the IP headers.
    pub fn payload_len(&self) -> u16 {
        self.total_len - self.header_len
    }
}

fn icmp(inner: &[u8]) -> Option<TransportHeader> {
    Some(TransportHeader::Icmp {
        kind: *inner.first()?,
        code: *inner.get(1)?,
        rest: u32_at(inner, 4)?,
    })
}

/// True if a loose or strict source route is among the options (RFC 791 section 3.1: types 131 and
/// 137).
fn source_routed(options: &[u8]) -> bool {
    crate::options::options(options).any(|o| matches!(o[0], 131 | 137))
}

#[cfg(test)]
mod tests;
