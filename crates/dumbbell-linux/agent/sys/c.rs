//! The C library, as far as it is called: its numbers, structures and functions.
use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

pub const AF_INET: c_int = 2;
pub const AF_NETLINK: c_int = 16;
pub const AF_PACKET: c_int = 17;
pub const SOCK_STREAM: c_int = 1;
pub const SOCK_DGRAM: c_int = 2;
pub const SOCK_RAW: c_int = 3;
pub const SOCK_NONBLOCK: c_int = 0o4000;
pub const SOCK_CLOEXEC: c_int = 0o2_000_000;

pub const SOL_SOCKET: c_int = 1;
pub const SO_REUSEADDR: c_int = 2;
pub const SO_ERROR: c_int = 4;
pub const SO_SNDBUFFORCE: c_int = 32;
pub const SO_RCVBUFFORCE: c_int = 33;
pub const SO_TIMESTAMPING: c_int = 37;
pub const SO_MAX_PACING_RATE: c_int = 47;
pub const IPPROTO_IP: c_int = 0;
pub const IP_TOS: c_int = 1;
pub const IP_MTU_DISCOVER: c_int = 10;
pub const IPPROTO_TCP: c_int = 6;
pub const TCP_NODELAY: c_int = 1;
pub const TCP_MAXSEG: c_int = 2;
pub const TCP_WINDOW_CLAMP: c_int = 10;
pub const TCP_INFO: c_int = 11;
pub const TCP_CONGESTION: c_int = 13;
pub const TCP_NOTSENT_LOWAT: c_int = 25;
pub const TCP_CC_INFO: c_int = 26;
pub const TCP_RTO_MAX_MS: c_int = 44;

pub const MSG_TRUNC: c_int = 0x20;
pub const MSG_DONTWAIT: c_int = 0x40;
pub const MSG_ERRQUEUE: c_int = 0x2000;
pub const MSG_NOSIGNAL: c_int = 0x4000;

pub const EPOLLIN: u32 = 1;
pub const EPOLLOUT: u32 = 4;
pub const EPOLLERR: u32 = 8;
pub const EPOLLHUP: u32 = 16;
/// An event is told once, when it comes.
pub const EPOLLET: u32 = 1 << 31;
pub const EPOLL_CTL_ADD: c_int = 1;
pub const EPOLL_CTL_DEL: c_int = 2;

pub const TFD_TIMER_ABSTIME: c_int = 1;

pub const CLOCK_MONOTONIC: c_int = 1;
pub const PR_SET_TIMERSLACK: c_int = 29;
pub const CLONE_NEWNET: c_int = 0x4000_0000;
pub const SHUT_WR: c_int = 1;
pub const TIOCOUTQ: c_ulong = 0x5411;

#[repr(C)]
pub struct Timespec {
    pub seconds: i64,
    pub nanoseconds: i64,
}

#[repr(C)]
pub struct SockaddrIn {
    pub family: u16,
    pub port: u16,
    pub address: u32,
    pub zero: [u8; 8],
}

#[repr(C)]
pub struct SockaddrLl {
    pub family: u16,
    pub protocol: u16,
    pub device: i32,
    pub hardware: u16,
    pub kind: u8,
    pub length: u8,
    pub address: [u8; 8],
}

/// `struct epoll_event`, which is packed on x86-64.
#[repr(C, packed)]
#[derive(Clone, Copy)]
pub struct Event {
    pub events: u32,
    pub token: u64,
}

#[repr(C)]
pub struct Iovec {
    pub base: *mut c_void,
    pub len: usize,
}

#[repr(C)]
pub struct Msghdr {
    pub name: *mut c_void,
    pub namelen: c_uint,
    pub iov: *mut Iovec,
    pub iovlen: usize,
    pub control: *mut c_void,
    pub controllen: usize,
    pub flags: c_int,
}

unsafe extern "C" {
    pub fn socket(family: c_int, kind: c_int, protocol: c_int) -> c_int;
    pub fn bind(fd: c_int, address: *const c_void, len: c_uint) -> c_int;
    pub fn connect(fd: c_int, address: *const c_void, len: c_uint) -> c_int;
    pub fn listen(fd: c_int, backlog: c_int) -> c_int;
    pub fn accept4(fd: c_int, address: *mut c_void, len: *mut c_uint, flags: c_int) -> c_int;
    pub fn setsockopt(
        fd: c_int,
        level: c_int,
        name: c_int,
        value: *const c_void,
        len: c_uint,
    ) -> c_int;
    pub fn getsockopt(
        fd: c_int,
        level: c_int,
        name: c_int,
        value: *mut c_void,
        len: *mut c_uint,
    ) -> c_int;
    pub fn send(fd: c_int, from: *const c_void, len: usize, flags: c_int) -> isize;
    pub fn read(fd: c_int, to: *mut c_void, len: usize) -> isize;
    pub fn recv(fd: c_int, to: *mut c_void, len: usize, flags: c_int) -> isize;
    pub fn recvmsg(fd: c_int, message: *mut Msghdr, flags: c_int) -> isize;
    pub fn shutdown(fd: c_int, how: c_int) -> c_int;
    pub fn ioctl(fd: c_int, request: c_ulong, ...) -> c_int;
    pub fn epoll_create1(flags: c_int) -> c_int;
    pub fn epoll_ctl(fd: c_int, op: c_int, of: c_int, event: *mut Event) -> c_int;
    pub fn epoll_wait(fd: c_int, events: *mut Event, most: c_int, timeout: c_int) -> c_int;
    pub fn timerfd_create(clock: c_int, flags: c_int) -> c_int;
    pub fn timerfd_settime(
        fd: c_int,
        flags: c_int,
        to: *const [Timespec; 2],
        was: *mut [Timespec; 2],
    ) -> c_int;
    pub fn clock_gettime(clock: c_int, to: *mut Timespec) -> c_int;
    pub fn prctl(option: c_int, ...) -> c_int;
    #[link_name = "mount"]
    pub fn mount_at(
        source: *const c_char,
        target: *const c_char,
        kind: *const c_char,
        flags: c_ulong,
        data: *const c_void,
    ) -> c_int;
    pub fn unshare(flags: c_int) -> c_int;
    pub fn setns(fd: c_int, kind: c_int) -> c_int;
    pub fn if_nametoindex(name: *const c_char) -> c_uint;
    #[link_name = "pause"]
    pub fn wait_for_a_signal() -> c_int;
}

pub fn checked(result: c_int) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

pub fn owned(fd: c_int) -> io::Result<OwnedFd> {
    // SAFETY: the kernel has just made this descriptor, and nobody else has it.
    checked(fd).map(|fd| unsafe { OwnedFd::from_raw_fd(fd) })
}
