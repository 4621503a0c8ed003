//! The five-tuple of a packet: what tells one connection from another.
use super::address::Address;
use super::protocol;
use super::view::{PacketView, TransportHeader};
use std::fmt;
use std::hash::{Hash, Hasher};

/// The five numbers of a packet's conversation, in its own direction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FiveTuple {
    /// The source address.
    pub source: Address,
    /// The destination address.
    pub destination: Address,
    /// Ports, source first. An echo has its identifier in both, and what has no ports 0.
    pub ports: (u16, u16),
    /// The protocol's number.
    pub protocol: u8,
}

impl FiveTuple {
    /// The five-tuple of a packet; `None` for a later fragment, or an ICMP message that is no echo.
    #[inline]
    pub fn of(view: &PacketView) -> Option<FiveTuple> {
        let ports = match (view.protocol, view.transport) {
            (protocol::TCP | protocol::UDP, _) if view.fragment.is_none_or(|f| f.offset == 0) => {
                view.ports
            }
            (protocol::ICMP, TransportHeader::Icmp { kind: 0 | 8, rest, .. })
            | (protocol::ICMPV6, TransportHeader::Icmp { kind: 128 | 129, rest, .. }) => {
                let identifier = (rest >> 16) as u16;
                (identifier, identifier)
            }
            (_, TransportHeader::Other) => (0, 0),
            _ => return None,
        };
        Some(FiveTuple {
            source: view.source,
            destination: view.destination,
            ports,
            protocol: view.protocol,
        })
    }

    /// The five-tuple of the other direction.
    #[inline]
    #[must_use]
    pub fn reverse(self) -> FiveTuple {
        FiveTuple {
            source: self.destination,
            destination: self.source,
            ports: (self.ports.1, self.ports.0),
            protocol: self.protocol,
        }
    }
}

/// In few words: a table of tuples is asked for each packet. Equal tuples have equal words.
impl Hash for FiveTuple {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        let fold = |a: Address| (a.bits() as u64).wrapping_add((a.bits() >> 64) as u64);
        let (from, to) = self.ports;
        state.write_u64(fold(self.source).rotate_left(32) ^ fold(self.destination));
        state.write_u64(u64::from(from) << 32 | u64::from(to) << 16 | u64::from(self.protocol));
    }
}

impl fmt::Display for FiveTuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = self.ports;
        write!(
            f,
            "{} from {} port {from} to {} port {to}",
            protocol::name(self.protocol),
            self.source,
            self.destination
        )
    }
}

impl fmt::Debug for FiveTuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    fn tuple(packet: &[u8]) -> FiveTuple {
        FiveTuple::of(&PacketView::of(packet).unwrap()).unwrap()
    }

    #[test]
    fn it_says_what_the_packet_says() {
        assert_eq!(tuple(samples::TCP_V4).to_string(), samples::TCP_V4_TUPLE);
        assert_eq!(tuple(samples::UDP_V6).to_string(), samples::UDP_V6_TUPLE);
    }

    #[test]
    fn twice_reversed_is_itself_and_once_is_not() {
        for (name, packet) in samples::ALL {
            let one = tuple(packet);
            assert_eq!(one.reverse().reverse(), one, "{name}");
            assert_ne!(one.reverse(), one, "{name}");
        }
    }
}
