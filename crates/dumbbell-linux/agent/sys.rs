//! System calls: what the standard library does not offer, as declared by the C library that it
//! links anyway. All `unsafe` code of the agent is here.
mod c;
mod clock;
mod poller;
mod programs;
mod setup;
mod sockets;

pub use c::{
    AF_INET, AF_NETLINK, AF_PACKET, EPOLLERR, EPOLLET, EPOLLHUP, EPOLLIN, EPOLLOUT,
    IP_MTU_DISCOVER, IP_TOS, IPPROTO_IP, IPPROTO_TCP, MSG_DONTWAIT, MSG_NOSIGNAL, SO_ERROR,
    SO_MAX_PACING_RATE, SO_RCVBUFFORCE, SO_REUSEADDR, SO_SNDBUFFORCE, SO_TIMESTAMPING, SOCK_DGRAM,
    SOCK_RAW, SOCK_STREAM, SOL_SOCKET, TCP_CC_INFO, TCP_CONGESTION, TCP_INFO, TCP_MAXSEG,
    TCP_NODELAY, TCP_NOTSENT_LOWAT, TCP_RTO_MAX_MS, TCP_WINDOW_CLAMP,
};
pub use clock::{Clock, exact_timers};
pub use poller::Poller;
pub use programs::{
    BIND, READ_ONLY, SIGKILL, SIGTERM, end_of, kill_all, mount_over, place, signal_group,
    without_waiting,
};
pub use setup::{device, enter_network, mount, new_network, pause};
pub use sockets::{
    accept, bind_to, bind_to_device, clear_errors, close_sending, connect_to, discard, get,
    listen_at, open, receive, send_to, set, set_number, unacknowledged,
};
