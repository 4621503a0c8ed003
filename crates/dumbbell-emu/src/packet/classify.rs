//! Classification: from a packet's addresses, ports and NIC to a socket of the plan.
//!
//! Connections that the testbed opens are known beforehand ([`Classifier::bind`]). Connections of
//! other programs go to a pool, chosen by their hosts or by the destination port: each new one gets
//! the pool's next flow, and keeps it. The end that opens a connection is its sender, end 0. A
//! packet that belongs to no flow is rejected with a reason.
mod connection;
mod connections;
mod fragments;
mod hash;
#[cfg(test)]
mod tests;
mod unmatched;

use connection::Connection;
use connections::ConnectionTable;
use dumbbell_wire::address::Address;
use dumbbell_wire::five_tuple::FiveTuple;
use dumbbell_wire::protocol;
use dumbbell_wire::view::{PacketView, TransportHeader, tcp_flags};
use fragments::Fragments;
use std::collections::BTreeMap;
pub use unmatched::Unmatched;

/// Connections of pools that are remembered; of one more, that which was silent for longest is
/// forgotten.
pub const REMEMBERED: usize = 65_536;

/// The socket of a packet, and its fields for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classified {
    /// The socket that sent it: twice the flow's number, plus 1 for its receiver.
    pub socket: u32,
    /// TCP: the first byte of data, counted from the connection's SYN, which is 0; without data the
    /// next byte expected of the other end. Of others the number of the datagram.
    pub seq: u32,
    /// As [`dumbbell_core::transport::segment::flag`] has them.
    pub flags: u8,
}

/// A protocol, and a port to which connections go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Service {
    /// The protocol's number.
    pub protocol: u8,
    /// The port of its server.
    pub port: u16,
}

/// The flows that take unknown connections, in turn.
#[derive(Clone, Debug)]
struct Pool {
    flows: Vec<u32>,
    next: usize,
}

/// The table of conversations.
pub struct Classifier {
    /// At which NIC each address lives.
    hosts: BTreeMap<Address, u32>,
    /// By the NIC of who opens, the other one, and the service or any.
    pools: BTreeMap<(u32, u32, Option<Service>), Pool>,
    table: ConnectionTable,
    fragments: Fragments,
}

impl Classifier {
    /// A classifier for hosts with these addresses, each behind a NIC; a host may have several
    /// addresses.
    pub fn new(hosts: impl IntoIterator<Item = (Address, u32)>) -> Classifier {
        Classifier::remembering(REMEMBERED, hosts)
    }

    /// A classifier that remembers at most so many connections of pools (at least one).
    pub fn remembering(
        limit: usize,
        hosts: impl IntoIterator<Item = (Address, u32)>,
    ) -> Classifier {
        Classifier {
            hosts: hosts.into_iter().collect(),
            pools: BTreeMap::new(),
            table: ConnectionTable::new(limit.max(1)),
            fragments: Fragments::default(),
        }
    }

    /// Binds a connection, as its sender sees it, to a flow for good. False if one of its addresses
    /// is no host's.
    pub fn bind(&mut self, tuple: FiveTuple, flow: u32) -> bool {
        let Some(nics) = self.nics(tuple) else { return false };
        self.table.add(Connection::new(tuple, flow, nics), true);
        true
    }

    /// Connections that the host behind NIC `from` opens to the one behind `to`, of one service or
    /// of any that has no pool of its own, go to these flows in turn.
    pub fn pool(&mut self, from: u32, to: u32, service: Option<Service>, flows: Vec<u32>) {
        self.pools.insert((from, to, service), Pool { flows, next: 0 });
    }

    /// The socket that sent the packet that came through `nic`; `view` is the parsed `packet`.
    ///
    /// # Errors
    /// It is no flow's, and the router loses it.
    #[inline]
    pub fn classify(
        &mut self,
        view: &PacketView,
        packet: &[u8],
        nic: u32,
    ) -> Result<Classified, Unmatched> {
        if view.fragment.is_some_and(|f| f.offset > 0) {
            return self.fragments.find(view).ok_or(Unmatched::Fragment);
        }
        let Some(tuple) = FiveTuple::of(view) else { return self.classify_icmp(view, packet) };
        let (at, end) = match self.table.find(&tuple) {
            Some((at, end)) if !self.is_new_connection(at, end, view) => (at, end),
            _ => self.open(tuple, nic)?,
        };
        let connection = self.table.touch(at);
        if connection.nics[end] != nic {
            return Err(Unmatched::Source);
        }
        let (seq, flags) = connection.record_packet(end, view);
        let classified = Classified { socket: 2 * connection.flow + end as u32, seq, flags };
        if view.fragment.is_some() {
            self.fragments.remember(view, classified);
        }
        Ok(classified)
    }

    /// True if the packet opens a new connection with the ports of an old one. One of a pool then
    /// gets the next flow; a bound one keeps its own.
    #[inline]
    fn is_new_connection(&mut self, at: usize, end: usize, view: &PacketView) -> bool {
        let TransportHeader::Tcp(tcp) = view.transport else { return false };
        if tcp.flags & (tcp_flags::SYN | tcp_flags::ACK) != tcp_flags::SYN {
            return false;
        }
        let connection = self.table.touch(at);
        if !connection.is_new_syn(end, tcp.seq) {
            return false;
        }
        connection.forget();
        if self.table.is_pinned(at) {
            return false;
        }
        self.table.remove(at);
        true
    }

    /// A conversation that nobody made known.
    #[cold]
    fn open(&mut self, tuple: FiveTuple, nic: u32) -> Result<(usize, usize), Unmatched> {
        if tuple.destination.is_multicast() {
            return Err(Unmatched::Group);
        }
        let from = self
            .hosts
            .get(&tuple.source)
            .copied()
            .filter(|d| *d == nic)
            .ok_or(Unmatched::Source)?;
        let to = self.hosts.get(&tuple.destination).copied().ok_or(Unmatched::Destination)?;
        let ports = tuple.ports;
        if let Some(flow) =
            self.next_in_pool(from, to, Service { protocol: tuple.protocol, port: ports.1 })
        {
            return Ok((self.table.add(Connection::new(tuple, flow, [from, to]), false), 0));
        }
        // The other way round: an answer whose question was forgotten, or a server that calls back.
        let flow = self
            .next_in_pool(to, from, Service { protocol: tuple.protocol, port: ports.0 })
            .ok_or(Unmatched::Flow)?;
        Ok((self.table.add(Connection::new(tuple.reverse(), flow, [to, from]), false), 1))
    }

    /// The next flow of the pool for it, if there is one.
    fn next_in_pool(&mut self, from: u32, to: u32, service: Service) -> Option<u32> {
        let own = self.pools.contains_key(&(from, to, Some(service)));
        let pool = self.pools.get_mut(&(from, to, own.then_some(service)))?;
        let flow = *pool.flows.get(pool.next)?;
        pool.next = (pool.next + 1) % pool.flows.len();
        Some(flow)
    }

    fn nics(&self, tuple: FiveTuple) -> Option<[u32; 2]> {
        Some([*self.hosts.get(&tuple.source)?, *self.hosts.get(&tuple.destination)?])
    }

    /// An ICMP message: an error returns along the path of the packet that it quotes.
    #[cold]
    fn classify_icmp(&mut self, view: &PacketView, packet: &[u8]) -> Result<Classified, Unmatched> {
        let TransportHeader::Icmp { kind, .. } = view.transport else {
            return Err(Unmatched::Protocol);
        };
        let error = match view.protocol {
            protocol::ICMP => matches!(kind, 3 | 4 | 5 | 11 | 12),
            _ => kind < 128,
        };
        if !error {
            // RFC 4861, RFC 2710, RFC 3810: what a link's hosts say among themselves. Here each
            // link has one.
            let neighbours = view.protocol == protocol::ICMPV6 && matches!(kind, 130..=137 | 143);
            return Err(if neighbours { Unmatched::Neighbours } else { Unmatched::Protocol });
        }
        let quote = packet.get(usize::from(view.header_len) + 8..).ok_or(Unmatched::Error)?;
        let quoted = PacketView::quoted(quote).map_err(|_| Unmatched::Error)?;
        let tuple = FiveTuple::of(&quoted).ok_or(Unmatched::Error)?;
        let (at, end) = self.table.find(&tuple).ok_or(Unmatched::Error)?;
        let connection = self.table.touch(at);
        Ok(Classified {
            socket: 2 * connection.flow + 1 - end as u32,
            seq: 0,
            flags: connection::DATAGRAM,
        })
    }
}
