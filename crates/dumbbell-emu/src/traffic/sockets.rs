//! The sockets of all jobs, opened in their hosts before anything is sent.
use super::job::{Connection, End, Job, SocketKind};
use crate::sys::tcp as call;
use dumbbell_plan::NodeId;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockProtocol, SockType, SockaddrStorage, bind, connect,
    getsockopt, listen, setsockopt, socket, sockopt,
};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

/// Does something inside a host, on a thread whose sockets are that host's.
pub type Within<'a> =
    &'a dyn Fn(NodeId, &mut (dyn FnMut() -> io::Result<()> + Send)) -> io::Result<()>;

/// The two sockets of a job: the one that sends, and the one that receives, of a connection the one
/// that listens.
#[derive(Clone)]
pub struct Pair {
    /// The sender's, bound and not connected yet (a connection) or connected (datagrams).
    pub sender: Arc<OwnedFd>,
    /// The receiver's.
    pub receiver: Arc<OwnedFd>,
}

/// Adds to an error what was tried.
pub(super) fn tried(what: impl AsRef<str>) -> impl FnOnce(io::Error) -> io::Error {
    move |e| io::Error::new(e.kind(), format!("could not {}: {e}", what.as_ref()))
}

/// Descriptors that a run may need: some for each host and three for each flow. Where more is
/// permitted it is not asked for, as programs of a run inherit it, and some count up to it.
const DESCRIPTORS: u64 = 1 << 20;

/// Lets this process have as many descriptors as it may.
///
/// # Errors
/// The kernel does not say how many, or permits no more.
pub fn permit_descriptors() -> io::Result<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    let host_settings = hard.min(DESCRIPTORS);
    if soft < host_settings {
        Ok(setrlimit(Resource::RLIMIT_NOFILE, host_settings, hard)?)
    } else {
        Ok(())
    }
}

/// Opens the sockets of all `jobs`, each in its host.
///
/// # Errors
/// A host lacks the congestion control, or refuses an option; no descriptors are left.
pub fn open(jobs: &[Job], within: Within<'_>) -> io::Result<Vec<Pair>> {
    permit_descriptors()?;
    let mut by_host: BTreeMap<NodeId, Vec<(usize, usize)>> = BTreeMap::new();
    for (number, job) in jobs.iter().enumerate() {
        for end in 0..2 {
            by_host.entry(job.hosts[end]).or_default().push((number, end));
        }
    }
    let mut made: Vec<[Option<OwnedFd>; 2]> = jobs.iter().map(|_| [None, None]).collect();
    for (host, ends) in by_host {
        within(host, &mut || {
            for &(number, end) in &ends {
                let job = &jobs[number];
                let made_here = one(job, end)
                    .map_err(tried(format!("open a socket for flow `{}`", job.name)))?;
                made[number][end] = Some(made_here);
            }
            Ok(())
        })?;
    }
    let pair = |[sender, receiver]: [Option<OwnedFd>; 2]| {
        let made = |fd: Option<OwnedFd>| {
            fd.map(Arc::new).ok_or_else(|| {
                io::Error::other(
                    "a host \
            opened no socket",
                )
            })
        };
        Ok(Pair { sender: made(sender)?, receiver: made(receiver)? })
    };
    made.into_iter().map(pair).collect()
}

/// The socket of one end of `job`: 0 sends, 1 receives.
fn one(job: &Job, end: usize) -> io::Result<OwnedFd> {
    let own = [job.from, job.to][end];
    let family = if own.is_ipv6() { AddressFamily::Inet6 } else { AddressFamily::Inet };
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let (kind, protocol) = match job.socket_kind {
        SocketKind::Tcp(_) => (SockType::Stream, SockProtocol::Tcp),
        SocketKind::Udp(_) => (SockType::Datagram, SockProtocol::Udp),
    };
    let fd = socket(family, kind, flags, protocol)?;
    setsockopt(&fd, sockopt::ReuseAddr, &true)?;
    let six = own.is_ipv6();
    let (level, tos) = if six {
        (libc::IPPROTO_IPV6, libc::IPV6_TCLASS)
    } else {
        (libc::IPPROTO_IP, libc::IP_TOS)
    };
    call::set(fd.as_fd(), level, tos, i32::from(job.tos)).map_err(tried("set its codepoint"))?;
    match &job.socket_kind {
        SocketKind::Tcp(connection) => {
            of_connection(
                fd.as_fd(),
                connection,
                [connection.sender, connection.receiver][end],
                six,
            )?;
            if end == 0 {
                of_sender(fd.as_fd(), connection, job.awaits)?;
            }
            bind_to(&fd, own)?;
            if end == 1 {
                listen(&fd, Backlog::new(16)?)?;
            }
        }
        SocketKind::Udp(datagrams) => {
            // DF without heed of what routers said, or cut where it must be.
            let manner =
                if datagrams.df { libc::IP_PMTUDISC_PROBE } else { libc::IP_PMTUDISC_OMIT };
            set_pmtu_discovery(fd.as_fd(), six, manner)?;
            of_datagrams(fd.as_fd(), six, end)?;
            bind_to(&fd, own)?;
            let peer = [job.to, job.from][end];
            connect(fd.as_raw_fd(), &SockaddrStorage::from(peer))
                .map_err(io::Error::from)
                .map_err(tried(format!("find a way from {own} to {peer}")))?;
        }
    }
    Ok(fd)
}

fn bind_to(fd: &OwnedFd, own: SocketAddr) -> io::Result<()> {
    bind(fd.as_raw_fd(), &SockaddrStorage::from(own))
        .map_err(io::Error::from)
        .map_err(tried(format!("bind it to {own}")))
}

/// Options of both ends of a connection: those of a listening socket are those of the connections
/// that it takes.
fn of_connection(
    fd: BorrowedFd<'_>,
    connection: &Connection,
    end: End,
    six: bool,
) -> io::Result<()> {
    let control = connection.control;
    let set = setsockopt(&fd, sockopt::TcpCongestion, &OsString::from(control));
    set.map_err(io::Error::from).map_err(|e| {
        let known = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control")
            .unwrap_or_default();
        let known = known.split_whitespace().collect::<Vec<_>>().join(", ");
        tried(format!(
            "use congestion control `{control}` (this kernel has {known}; modprobe tcp_{control} \
                may add it)"
        ))(e)
    })?;
    let tcp = |name: i32, value: u32, what: &str| {
        call::set(fd, libc::IPPROTO_TCP, name, value)
            .map_err(tried(format!("set {what} to {value}")))
    };
    if let Some(mss) = end.mss {
        tcp(libc::TCP_MAXSEG, mss, "its MSS")?;
    }
    if let Some(window) = end.window {
        tcp(libc::TCP_WINDOW_CLAMP, window, "its window")?;
    }
    if let Some(ms) = connection.max_rto_ms {
        tcp(TCP_RTO_MAX_MS, ms, "its longest timeout (Linux 6.15 has that), in milliseconds,")?;
    }
    tcp(libc::TCP_NODELAY, u32::from(!connection.nagle), "TCP_NODELAY")?;
    set_pmtu_discovery(
        fd,
        six,
        if connection.fragments { libc::IP_PMTUDISC_DONT } else { libc::IP_PMTUDISC_WANT },
    )
}

/// `TCP_RTO_MAX_MS` of include/uapi/linux/tcp.h.
const TCP_RTO_MAX_MS: i32 = 44;

/// Options of the end that sends.
fn of_sender(fd: BorrowedFd<'_>, connection: &Connection, awaits: bool) -> io::Result<()> {
    call::set(fd, libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT, connection.unsent)?;
    if connection.paced {
        // Any bound but "none" has the socket pace itself; this one binds nothing.
        call::set(fd, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, u64::MAX - 1).map_err(tried(
            "have \
            it paced",
        ))?;
    }
    if awaits {
        let flags = libc::SOF_TIMESTAMPING_TX_ACK
            | libc::SOF_TIMESTAMPING_SOFTWARE
            | libc::SOF_TIMESTAMPING_OPT_TSONLY;
        call::set(fd, libc::SOL_SOCKET, libc::SO_TIMESTAMPING, flags).map_err(tried(
            "be told of \
            acknowledgments",
        ))?;
    }
    Ok(())
}

fn set_pmtu_discovery(fd: BorrowedFd<'_>, six: bool, manner: i32) -> io::Result<()> {
    // The values of version 6 are those of version 4.
    let (level, name) = if six {
        (libc::IPPROTO_IPV6, libc::IPV6_MTU_DISCOVER)
    } else {
        (libc::IPPROTO_IP, libc::IP_MTU_DISCOVER)
    };
    call::set(fd, level, name, manner).map_err(tried("say whether it may be cut"))
}

/// Room for datagrams: what a thread that is late by 50 ms must hold at 1 Gbit/s, several times.
const CAPACITY: usize = 32 << 20;

fn of_datagrams(fd: BorrowedFd<'_>, six: bool, end: usize) -> io::Result<()> {
    if end == 0 {
        return Ok(setsockopt(&fd, sockopt::SndBufForce, &CAPACITY)
            .or_else(|_| setsockopt(&fd, sockopt::SndBuf, &CAPACITY))?);
    }
    setsockopt(&fd, sockopt::RcvBufForce, &CAPACITY)
        .or_else(|_| setsockopt(&fd, sockopt::RcvBuf, &CAPACITY))?;
    setsockopt(&fd, sockopt::ReceiveTimestampns, &true)?;
    let (level, name) = if six {
        (libc::IPPROTO_IPV6, libc::IPV6_RECVTCLASS)
    } else {
        (libc::IPPROTO_IP, libc::IP_RECVTOS)
    };
    call::set(fd, level, name, 1)
}

/// The congestion control of `socket`, as the kernel says it.
pub fn control(socket: BorrowedFd<'_>) -> String {
    let name = getsockopt(&socket, sockopt::TcpCongestion).unwrap_or_default();
    name.to_string_lossy().trim_end_matches('\0').into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_all_the_descriptors_that_are_permitted() {
        let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).expect("a limit");
        // Few, as a login has them; but not fewer than this process may hold just now.
        setrlimit(Resource::RLIMIT_NOFILE, hard.min(512), hard)
            .expect("fewer are always permitted");
        permit_descriptors().expect("within the hard limit");
        let (soft, same) = getrlimit(Resource::RLIMIT_NOFILE).expect("a limit");
        assert_eq!((soft, same), (hard.min(DESCRIPTORS), hard));
    }
}
