//! TCP_INFO of a socket, numeric socket options, and reads without a copy.
use std::io;
use std::mem::{size_of, size_of_val};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;

/// `struct tcp_info` of Linux (include/uapi/linux/tcp.h, which only ever grows at its end): what an
/// older kernel does not know stays zero. Times are microseconds, windows segments.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // The kernel's names, and their meaning is the kernel's.
pub struct TcpInfo {
    pub state: u8,
    pub ca_state: u8,
    pub retransmits: u8,
    pub probes: u8,
    pub backoff: u8,
    pub options: u8,
    pub wscale: u8,
    pub flags: u8,
    pub rto: u32,
    pub ato: u32,
    pub snd_mss: u32,
    pub rcv_mss: u32,
    pub unacked: u32,
    pub sacked: u32,
    pub lost: u32,
    pub retrans: u32,
    pub fackets: u32,
    pub last_data_sent: u32,
    pub last_ack_sent: u32,
    pub last_data_recv: u32,
    pub last_ack_recv: u32,
    pub pmtu: u32,
    pub rcv_ssthresh: u32,
    pub rtt: u32,
    pub rttvar: u32,
    pub snd_ssthresh: u32,
    pub snd_cwnd: u32,
    pub advmss: u32,
    pub reordering: u32,
    pub rcv_rtt: u32,
    pub rcv_space: u32,
    pub total_retrans: u32,
    pub pacing_rate: u64,
    pub max_pacing_rate: u64,
    pub bytes_acked: u64,
    pub bytes_received: u64,
    pub segs_out: u32,
    pub segs_in: u32,
    pub notsent_bytes: u32,
    pub min_rtt: u32,
    pub data_segs_in: u32,
    pub data_segs_out: u32,
    pub delivery_rate: u64,
    pub busy_time: u64,
    pub rwnd_limited: u64,
    pub sndbuf_limited: u64,
    pub delivered: u32,
    pub delivered_ce: u32,
    pub bytes_sent: u64,
    pub bytes_retrans: u64,
    pub dsack_dups: u32,
    pub reord_seen: u32,
    pub rcv_ooopack: u32,
    pub snd_wnd: u32,
    pub rcv_wnd: u32,
    pub rehash: u32,
    pub total_rto: u16,
    pub total_rto_recoveries: u16,
    pub total_rto_time: u32,
}

impl TcpInfo {
    /// From the bytes that a kernel of this kind of machine wrote; what it does not know stays
    /// zero.
    pub fn of_bytes(bytes: &[u8]) -> TcpInfo {
        let mut info = TcpInfo::default();
        let len = bytes.len().min(size_of::<TcpInfo>());
        // SAFETY: at most as many bytes as `info` has, which is plain integers.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), (&raw mut info).cast::<u8>(), len) };
        info
    }

    /// True if a kernel that wrote `bytes` bytes of it counts expiries of the retransmission timer
    /// (Linux 6.7).
    pub const fn counts_timeouts(bytes: usize) -> bool {
        bytes >= size_of::<TcpInfo>()
    }
}

/// TCP_INFO of a connection, and the number of its bytes that this kernel knows.
///
/// # Errors
/// It is no TCP socket.
pub fn info(socket: BorrowedFd<'_>) -> io::Result<(TcpInfo, usize)> {
    let mut info = TcpInfo::default();
    let mut len = size_of::<TcpInfo>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `len` bytes to `info`, which is plain integers.
    let result = unsafe {
        let into = ptr::from_mut(&mut info).cast();
        libc::getsockopt(socket.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_INFO, into, &raw mut len)
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok((info, len as usize)) }
}

/// `TCP_CC_INFO` of a connection: what its congestion control says of itself, written to `into`.
/// Empty if it says nothing.
pub fn control_state<'a>(socket: BorrowedFd<'_>, into: &'a mut [u8]) -> &'a [u8] {
    let mut len = into.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `len` bytes to `into`.
    let result = unsafe {
        let into = into.as_mut_ptr().cast();
        let (socket, level) = (socket.as_raw_fd(), libc::IPPROTO_TCP);
        libc::getsockopt(socket, level, libc::TCP_CC_INFO, into, &raw mut len)
    };
    if result < 0 { &[] } else { &into[..len as usize] }
}

/// A plain number that a socket option takes.
///
/// # Safety
/// It has no padding.
pub unsafe trait Number: Copy {}
// SAFETY: an integer has none.
unsafe impl Number for i32 {}
// SAFETY: an integer has none.
unsafe impl Number for u32 {}
// SAFETY: an integer has none.
unsafe impl Number for u64 {}

/// Sets option `name` of `level`.
///
/// # Errors
/// The kernel does not know the option, or refuses the value.
pub fn set<N: Number>(socket: BorrowedFd<'_>, level: i32, name: i32, value: N) -> io::Result<()> {
    // SAFETY: the kernel reads as many bytes of `value` as it has.
    let result = unsafe {
        let from = ptr::from_ref(&value).cast();
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            name,
            from,
            size_of_val(&value) as libc::socklen_t,
        )
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Datagrams that `socket` had no room for, since it was opened (`SK_MEMINFO_DROPS`, the ninth
/// number of `SO_MEMINFO`).
///
/// # Errors
/// The kernel does not count them (before Linux 4.12).
pub fn refused(socket: BorrowedFd<'_>) -> io::Result<u32> {
    let mut memory = [0u32; 9];
    let mut len = size_of_val(&memory) as libc::socklen_t;
    // SAFETY: the kernel writes at most `len` bytes to `memory`.
    let result = unsafe {
        let into = memory.as_mut_ptr().cast();
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_MEMINFO, into, &raw mut len)
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(memory[8]) }
}

/// Bytes that were handed to `socket` and are not acknowledged (tcp(7), SIOCOUTQ).
///
/// # Errors
/// It is no connected TCP socket.
pub fn unacknowledged(socket: BorrowedFd<'_>) -> io::Result<u32> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: the kernel writes one `int`.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(bytes as u32) }
}

/// Takes up to `most` bytes from a connection and throws them away inside the kernel, without a
/// copy (tcp(7), MSG_TRUNC): how many there were; 0 when the other end has closed.
///
/// # Errors
/// [`io::ErrorKind::WouldBlock`] if nothing waits; the connection broke.
pub fn discard(socket: BorrowedFd<'_>, most: usize) -> io::Result<usize> {
    let flags = libc::MSG_TRUNC | libc::MSG_DONTWAIT;
    // SAFETY: with MSG_TRUNC a TCP socket writes nothing to the buffer, so there is none.
    let result = unsafe { libc::recv(socket.as_raw_fd(), ptr::null_mut(), most, flags) };
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}

/// Forgets the messages that wait in the error queue of `socket`, which say when bytes were
/// acknowledged: that they came is all that is asked. How many there were.
pub fn clear_errors(socket: BorrowedFd<'_>) -> usize {
    let mut count = 0;
    loop {
        let mut control = [0u8; 256];
        // SAFETY: `msghdr` is plain integers and pointers, for which zero is a value.
        let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
        header.msg_control = control.as_mut_ptr().cast();
        header.msg_controllen = control.len() as _;
        // SAFETY: the header names no buffer but `control`, which outlives the call and has the
        // length that is named.
        let result = unsafe {
            libc::recvmsg(
                socket.as_raw_fd(),
                &raw mut header,
                libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT,
            )
        };
        if result < 0 {
            return count;
        }
        count += 1;
    }
}

/// Takes the connection that waits at `listener`; it will not block.
///
/// # Errors
/// [`io::ErrorKind::WouldBlock`] if none waits; no descriptor is left.
pub fn accept(listener: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let flags = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: no address is asked for, so that nothing is written; the descriptor is new, and
    // nobody else's.
    unsafe {
        let fd = libc::accept4(listener.as_raw_fd(), ptr::null_mut(), ptr::null_mut(), flags);
        if fd < 0 { Err(io::Error::last_os_error()) } else { Ok(OwnedFd::from_raw_fd(fd)) }
    }
}
