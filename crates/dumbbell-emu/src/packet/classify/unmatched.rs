//! Reasons for which a packet belongs to no flow.
use std::fmt;

/// The reason for which a packet belongs to no flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmatched {
    /// It says that it comes from an address that the host behind its NIC does not have.
    Source,
    /// No host of the plan has the address that it goes to.
    Destination,
    /// It goes to a group, or to everybody.
    Group,
    /// Neighbor and router discovery, and who listens to which groups: a link's own affairs.
    Neighbours,
    /// No flow of the plan takes it: it is not known, and no pool is between its hosts.
    Flow,
    /// A fragment, and the first of its datagram did not come.
    Fragment,
    /// An ICMP error that quotes no flow's packet.
    Error,
    /// A message that belongs to no conversation.
    Protocol,
}

impl Unmatched {
    /// Name of the reason in results.
    pub fn name(self) -> &'static str {
        match self {
            Unmatched::Source => "foreign_source",
            Unmatched::Destination => "unknown_destination",
            Unmatched::Group => "multicast",
            Unmatched::Neighbours => "neighbour_discovery",
            Unmatched::Flow => "no_flow",
            Unmatched::Fragment => "orphaned_fragment",
            Unmatched::Error => "orphaned_icmp_error",
            Unmatched::Protocol => "no_conversation",
        }
    }
}

impl fmt::Display for Unmatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unmatched::Source => "its source is not an address of the host that sent it",
            Unmatched::Destination => "no host of the scenario has the address that it goes to",
            Unmatched::Group => "it goes to a group",
            Unmatched::Neighbours => "it looks for neighbors or routers, and there are none",
            Unmatched::Flow => {
                "no flow of the scenario goes between its hosts for such a \
                connection"
            }
            Unmatched::Fragment => "the first fragment of its datagram did not come",
            Unmatched::Error => "it quotes no packet of a flow",
            Unmatched::Protocol => "it belongs to no conversation",
        })
    }
}
