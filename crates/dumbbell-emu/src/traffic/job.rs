//! A flow as its sockets need it: addresses, options, and what both ends are.
use dumbbell_core::units::Time;
use dumbbell_plan::NodeId;
use std::net::SocketAddr;

/// A flow.
#[derive(Clone, Debug)]
pub struct Job {
    /// Number in the plan.
    pub flow: usize,
    /// Name.
    pub name: String,
    /// The host that sends, and the one that receives.
    pub hosts: [NodeId; 2],
    /// The sender's address and port.
    pub from: SocketAddr,
    /// The receiver's.
    pub to: SocketAddr,
    /// Start time.
    pub start: Time,
    /// True if its application ever waits for acknowledgments.
    pub awaits: bool,
    /// The DiffServ codepoint and the ECN field of what both ends send, as the octet of the header;
    /// of TCP, which sets its ECN field itself, the codepoint alone.
    pub tos: u8,
    /// Its transport, with the options of its sockets.
    pub socket_kind: SocketKind,
    /// True if it has rows in the series: not for the many flows of a session.
    pub rows: bool,
    /// True if each datagram is logged.
    pub log: bool,
}

/// A flow's transport.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SocketKind {
    /// A connection.
    Tcp(Connection),
    /// Datagrams.
    Udp(Datagrams),
}

/// The sockets of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The kernel's name of its congestion control.
    pub control: &'static str,
    /// The end that sends.
    pub sender: End,
    /// The end that receives.
    pub receiver: End,
    /// Payload of a full segment, bytes.
    pub segment: u32,
    /// Nagle's algorithm.
    pub nagle: bool,
    /// True if routers may fragment its packets: no path MTU discovery.
    pub fragments: bool,
    /// True if segments are paced even if the congestion control does not ask for it.
    pub paced: bool,
    /// Largest retransmission timeout, if it is not the kernel's 120 s.
    pub max_rto_ms: Option<u32>,
    /// The most unsent bytes in the socket: 20 ms of the slowest link, from 64 KiB to 1 MiB. All
    /// that an application handed over before it stopped is sent.
    pub unsent: u32,
}

/// One end of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// The MSS that it announces, bytes; `None`: as its device allows.
    pub mss: Option<u32>,
    /// The largest window that it offers, bytes; `None`: as large as its buffer allows.
    pub window: Option<u32>,
}

/// The sockets of a flow of datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagrams {
    /// The largest payload that the version of IP allows, bytes.
    pub largest: u32,
    /// True if routers must not fragment them.
    pub df: bool,
}
