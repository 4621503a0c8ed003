//! The socket of one end of a flow, with its options.
use crate::orders::End;
use crate::sys;
use std::os::fd::OwnedFd;

/// Room for datagrams: more than any burst of a source.
const DATAGRAMS: u32 = 32 << 20;

/// Opens and binds the socket of an end; a receiver of a connection listens.
pub fn open(end: &End<'_>) -> Result<OwnedFd, String> {
    let kind = if end.tcp { sys::SOCK_STREAM } else { sys::SOCK_DGRAM };
    let said = |what: String| move |e| format!("could not {what}: {e}");
    let fd = sys::open(sys::AF_INET, kind, 0, false).map_err(said("open a socket".into()))?;
    let number = |level, name, value, what: &str| {
        sys::set_number(&fd, level, name, value).map_err(said(format!("set {what} to {value}")))
    };
    number(sys::SOL_SOCKET, sys::SO_REUSEADDR, 1, "SO_REUSEADDR")?;
    number(sys::IPPROTO_IP, sys::IP_TOS, end.tos, "its codepoint")?;
    number(sys::IPPROTO_IP, sys::IP_MTU_DISCOVER, end.pmtu_discovery, "path MTU discovery")?;
    if end.tcp {
        let tcp = |name, value, what: &str| number(sys::IPPROTO_TCP, name, value, what);
        if let Some(control) = end.control {
            sys::set(&fd, sys::IPPROTO_TCP, sys::TCP_CONGESTION, control.as_bytes())
                .map_err(said(format!("use congestion control `{control}`")))?;
        }
        if let Some(mss) = end.mss {
            tcp(sys::TCP_MAXSEG, mss, "its MSS")?;
        }
        if let Some(window) = end.window {
            tcp(sys::TCP_WINDOW_CLAMP, window, "its window")?;
        }
        if let Some(ms) = end.rto_max_ms {
            let what = "its longest timeout (Linux 6.15 has that), in milliseconds,";
            tcp(sys::TCP_RTO_MAX_MS, ms, what)?;
        }
        tcp(sys::TCP_NODELAY, u32::from(end.nodelay), "TCP_NODELAY")?;
    }
    if end.sends {
        of_sender(&fd, end)?;
    } else if !end.tcp {
        number(sys::SOL_SOCKET, sys::SO_RCVBUFFORCE, DATAGRAMS, "its buffer")?;
    }
    sys::bind_to(&fd, end.from).map_err(said(format!("bind it to {}", end.from)))?;
    if !end.sends && end.tcp {
        sys::listen_at(&fd).map_err(said("listen".into()))?;
    }
    Ok(fd)
}

fn of_sender(fd: &OwnedFd, end: &End<'_>) -> Result<(), String> {
    /// A record of each acknowledgment, without the packet.
    const ACKNOWLEDGED: u32 = 1 << 9 | 1 << 4 | 1 << 11;
    let said = |what: &'static str| move |e| format!("could not {what}: {e}");
    if !end.tcp {
        return sys::set_number(fd, sys::SOL_SOCKET, sys::SO_SNDBUFFORCE, DATAGRAMS)
            .map_err(said("set its buffer"));
    }
    if let Some(unsent) = end.unsent {
        sys::set_number(fd, sys::IPPROTO_TCP, sys::TCP_NOTSENT_LOWAT, unsent)
            .map_err(said("bound what it has not sent"))?;
    }
    if end.paced {
        // Any bound but "none" has the socket pace itself; this one binds nothing.
        sys::set(fd, sys::SOL_SOCKET, sys::SO_MAX_PACING_RATE, &(u64::MAX - 1).to_ne_bytes())
            .map_err(said("have it paced"))?;
    }
    if end.awaits {
        sys::set_number(fd, sys::SOL_SOCKET, sys::SO_TIMESTAMPING, ACKNOWLEDGED)
            .map_err(said("be told of acknowledgments"))?;
    }
    Ok(())
}

/// The congestion control that a socket has.
pub fn control(fd: &OwnedFd) -> String {
    let mut name = [0; 16];
    let found = sys::get(fd, sys::IPPROTO_TCP, sys::TCP_CONGESTION, &mut name).unwrap_or_default();
    String::from_utf8_lossy(found).trim_end_matches('\0').into()
}

/// The error that a socket has had, if there is one.
pub fn error(fd: &OwnedFd) -> Option<std::io::Error> {
    let mut code = [0; 4];
    sys::get(fd, sys::SOL_SOCKET, sys::SO_ERROR, &mut code).ok()?;
    let code = i32::from_ne_bytes(code);
    (code != 0).then(|| std::io::Error::from_raw_os_error(code))
}
