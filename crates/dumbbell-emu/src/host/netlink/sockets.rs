//! The TCP sockets of a namespace, whoever's they are (sock_diag(7), what `ss -tin` shows).
use super::message::{attributes, number};
use super::{Message, Netlink};
use crate::sys::tcp::TcpInfo;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// A connection of a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Its end in this namespace.
    pub local: SocketAddr,
    /// Its other end.
    pub remote: SocketAddr,
    /// A number that no other socket of this machine has as long as it lives.
    pub cookie: u64,
    /// The congestion control.
    pub control: String,
    /// What it tells of itself.
    pub info: TcpInfo,
    /// Bytes of `info` that this kernel knows.
    pub known: usize,
}

/// `SOCK_DIAG_BY_FAMILY` of include/uapi/linux/sock_diag.h.
const BY_FAMILY: u16 = 20;
/// `INET_DIAG_INFO` and `INET_DIAG_CONG` of include/uapi/linux/inet_diag.h.
const INFO: u16 = 2;
/// See [`INFO`].
const CONTROL: u16 = 4;
/// Bytes of `struct inet_diag_sockid`.
const SOCKET_ID: usize = 48;
/// Bytes of `struct inet_diag_msg`.
const FIXED: usize = 72;
/// States of include/net/tcp_states.h that have two ends, as bits: established (1), SYN sent (2), FIN-WAIT-1 and -2 (4, 5),
/// CLOSE-WAIT (8), LAST-ACK (9), closing (11).
const CONNECTED: u32 = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 11;

impl Netlink {
    /// All connections of the namespace, of both versions of IP. The conversation is one of [`Netlink::diagnosis`].
    ///
    /// # Errors
    /// This kernel cannot tell (`CONFIG_INET_DIAG`).
    pub fn connections(&mut self) -> io::Result<Vec<Connection>> {
        let mut all = Vec::new();
        for family in [libc::AF_INET, libc::AF_INET6] {
            let mut request = vec![family as u8, libc::IPPROTO_TCP as u8, 1 << (INFO - 1) | 1 << (CONTROL - 1), 0];
            request.extend(CONNECTED.to_ne_bytes());
            request.extend([0; SOCKET_ID]);
            let message = Message::new(BY_FAMILY, libc::NLM_F_DUMP).body(&request);
            self.ask(message, |kind, body| {
                if kind == BY_FAMILY {
                    all.extend(connection(body));
                }
            })?;
        }
        Ok(all)
    }
}

/// From the answer about one socket.
fn connection(body: &[u8]) -> Option<Connection> {
    let fixed: &[u8; FIXED] = body.first_chunk()?;
    let port = |at: usize| u16::from_be_bytes([fixed[at], fixed[at + 1]]);
    let address = |at: usize| -> IpAddr {
        let bytes: [u8; 16] = std::array::from_fn(|i| fixed[at + i]);
        if i32::from(fixed[0]) == libc::AF_INET6 {
            return Ipv6Addr::from(bytes).into();
        }
        Ipv4Addr::new(bytes[0], bytes[1], bytes[2], bytes[3]).into()
    };
    let mut connection = Connection {
        local: SocketAddr::new(address(8), port(4)),
        remote: SocketAddr::new(address(24), port(6)),
        cookie: u64::from(number(&fixed[44..])) | u64::from(number(&fixed[48..])) << 32,
        control: String::new(),
        info: TcpInfo::default(),
        known: 0,
    };
    for (kind, value) in attributes(&body[FIXED..]) {
        match kind {
            INFO => (connection.info, connection.known) = (TcpInfo::from_bytes(value), value.len()),
            CONTROL => connection.control = String::from_utf8_lossy(value).trim_end_matches('\0').into(),
            _ => {}
        }
    }
    Some(connection)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::testing::given;
    use crate::error::Context;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn a_connection_is_found_with_both_of_its_ends() {
        let opened = Netlink::sock_diag().and_then(|mut n| n.connections().context("ask for sockets").map(|_| n));
        let Some(mut netlink) = given("sock_diag", opened) else { return };
        for address in ["127.9.8.7:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let there = listener.local_addr().unwrap();
            let stream = TcpStream::connect(there).unwrap();
            let here = stream.local_addr().unwrap();
            let all = netlink.connections().unwrap();
            let found: Vec<_> = all.iter().filter(|c| c.local == here).collect();
            assert_eq!(found.len(), 1, "{all:?}");
            assert_eq!(found[0].remote, there);
            assert!(found[0].info.snd_cwnd > 0 && !found[0].control.is_empty() && found[0].cookie != 0);
        }
    }
}
