//! Why a packet belongs to no flow.
use std::fmt;

/// Why a packet is no flow's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It says that it comes from an address that the host behind its door does not have.
    Source,
    /// No host of the plan has the address that it goes to.
    Destination,
    /// It goes to a group, or to everybody.
    Group,
    /// Neighbour and router discovery, and who listens to which groups: a link's own affairs.
    Neighbours,
    /// No flow of the plan takes it: it is not known, and no pool is between its hosts.
    Flow,
    /// A fragment, and the first of its datagram did not come.
    Piece,
    /// An ICMP error that quotes no flow's packet.
    Error,
    /// A message that belongs to no conversation.
    Protocol,
}

impl Refused {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Refused::Source => "foreign_source",
            Refused::Destination => "unknown_destination",
            Refused::Group => "multicast",
            Refused::Neighbours => "neighbour_discovery",
            Refused::Flow => "no_flow",
            Refused::Piece => "orphaned_fragment",
            Refused::Error => "orphaned_icmp_error",
            Refused::Protocol => "no_conversation",
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::Source => "its source is no address of the host that sent it",
            Refused::Destination => "no host of the scenario has the address that it goes to",
            Refused::Group => "it goes to a group",
            Refused::Neighbours => "it looks for neighbours or routers, and there are none",
            Refused::Flow => "no flow of the scenario goes between its hosts for such a connection",
            Refused::Piece => "the first fragment of its datagram did not come",
            Refused::Error => "it quotes no packet of a flow",
            Refused::Protocol => "it belongs to no conversation",
        })
    }
}
