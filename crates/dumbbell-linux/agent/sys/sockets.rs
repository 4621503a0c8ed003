//! Sockets: to open them, to set them up, to send and to receive.
use super::c;
use super::c::{
    AF_INET, AF_PACKET, MSG_DONTWAIT, MSG_ERRQUEUE, MSG_TRUNC, Msghdr, SHUT_WR, SOCK_CLOEXEC,
    SOCK_NONBLOCK, SockaddrIn, SockaddrLl, TIOCOUTQ, checked, owned,
};
use std::ffi::{c_int, c_uint};
use std::io;
use std::mem::size_of;
use std::net::SocketAddrV4;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;

/// A socket.
pub fn open(family: c_int, kind: c_int, protocol: c_int, waits: bool) -> io::Result<OwnedFd> {
    let flags = SOCK_CLOEXEC | if waits { 0 } else { SOCK_NONBLOCK };
    // SAFETY: takes numbers.
    owned(unsafe { c::socket(family, kind | flags, protocol) })
}

fn sockaddr(address: SocketAddrV4) -> SockaddrIn {
    SockaddrIn {
        family: AF_INET as u16,
        port: address.port().to_be(),
        address: u32::from_ne_bytes(address.ip().octets()),
        zero: [0; 8],
    }
}

/// Binds a socket to an address.
pub fn bind_to(fd: &impl AsRawFd, address: SocketAddrV4) -> io::Result<()> {
    let address = sockaddr(address);
    let len = size_of::<SockaddrIn>() as c_uint;
    // SAFETY: the address has that length.
    checked(unsafe { c::bind(fd.as_raw_fd(), (&raw const address).cast(), len) }).map(drop)
}

/// Binds a packet socket to a device.
pub fn bind_to_device(fd: &impl AsRawFd, device: u32, protocol: u16) -> io::Result<()> {
    let address = SockaddrLl {
        family: AF_PACKET as u16,
        protocol: protocol.to_be(),
        device: device as i32,
        hardware: 0,
        kind: 0,
        length: 0,
        address: [0; 8],
    };
    let len = size_of::<SockaddrLl>() as c_uint;
    // SAFETY: the address has that length.
    checked(unsafe { c::bind(fd.as_raw_fd(), (&raw const address).cast(), len) }).map(drop)
}

/// Connects a socket; a connection in progress is no error.
pub fn connect_to(fd: &impl AsRawFd, address: SocketAddrV4) -> io::Result<()> {
    const IN_PROGRESS: i32 = 115;
    let address = sockaddr(address);
    let len = size_of::<SockaddrIn>() as c_uint;
    // SAFETY: the address has that length.
    match checked(unsafe { c::connect(fd.as_raw_fd(), (&raw const address).cast(), len) }) {
        Err(e) if e.raw_os_error() == Some(IN_PROGRESS) => Ok(()),
        other => other.map(drop),
    }
}

/// Takes connections from now on.
pub fn listen_at(fd: &impl AsRawFd) -> io::Result<()> {
    // SAFETY: takes numbers.
    checked(unsafe { c::listen(fd.as_raw_fd(), 16) }).map(drop)
}

/// The connection that waits at a listening socket.
pub fn accept(fd: &impl AsRawFd) -> io::Result<OwnedFd> {
    // SAFETY: no address is asked for.
    owned(unsafe {
        c::accept4(fd.as_raw_fd(), ptr::null_mut(), ptr::null_mut(), SOCK_NONBLOCK | SOCK_CLOEXEC)
    })
}

/// Sets an option.
pub fn set(fd: &impl AsRawFd, level: c_int, name: c_int, value: &[u8]) -> io::Result<()> {
    // SAFETY: the kernel reads as many bytes as there are.
    checked(unsafe {
        c::setsockopt(fd.as_raw_fd(), level, name, value.as_ptr().cast(), value.len() as c_uint)
    })
    .map(drop)
}

/// Sets an option that is a number of 32 bits.
pub fn set_number(fd: &impl AsRawFd, level: c_int, name: c_int, value: u32) -> io::Result<()> {
    set(fd, level, name, &value.to_ne_bytes())
}

/// The value of an option: the bytes that the kernel wrote.
pub fn get<'a>(
    fd: &impl AsRawFd,
    level: c_int,
    name: c_int,
    into: &'a mut [u8],
) -> io::Result<&'a [u8]> {
    let mut len = into.len() as c_uint;
    // SAFETY: the kernel writes at most `len` bytes.
    checked(unsafe {
        c::getsockopt(fd.as_raw_fd(), level, name, into.as_mut_ptr().cast(), &raw mut len)
    })?;
    Ok(&into[..len as usize])
}

/// Sends bytes: how many the socket took.
pub fn send_to(fd: &impl AsRawFd, bytes: &[u8], flags: c_int) -> io::Result<usize> {
    // SAFETY: the kernel reads as many bytes as there are.
    let sent = unsafe { c::send(fd.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), flags) };
    usize::try_from(sent).map_err(|_| io::Error::last_os_error())
}

/// Receives bytes.
pub fn receive(fd: &impl AsRawFd, into: &mut [u8], flags: c_int) -> io::Result<usize> {
    // SAFETY: the kernel writes at most as many bytes as there is room for.
    let got = unsafe { c::recv(fd.as_raw_fd(), into.as_mut_ptr().cast(), into.len(), flags) };
    usize::try_from(got).map_err(|_| io::Error::last_os_error())
}

/// Takes up to `most` bytes from a connection and discards them inside the kernel.
pub fn discard(fd: &impl AsRawFd, most: usize) -> io::Result<usize> {
    // SAFETY: with MSG_TRUNC a TCP socket writes nothing.
    let got = unsafe { c::recv(fd.as_raw_fd(), ptr::null_mut(), most, MSG_TRUNC | MSG_DONTWAIT) };
    usize::try_from(got).map_err(|_| io::Error::last_os_error())
}

/// Empties the error queue, which tells of acknowledgments: how many messages there were.
pub fn clear_errors(fd: &impl AsRawFd) -> usize {
    let mut count = 0;
    loop {
        let mut control = [0u8; 256];
        let mut message = Msghdr {
            name: ptr::null_mut(),
            namelen: 0,
            iov: ptr::null_mut(),
            iovlen: 0,
            control: control.as_mut_ptr().cast(),
            controllen: control.len(),
            flags: 0,
        };
        // SAFETY: the header names no buffer but `control`, which outlives the call.
        let got =
            unsafe { c::recvmsg(fd.as_raw_fd(), &raw mut message, MSG_ERRQUEUE | MSG_DONTWAIT) };
        if got < 0 {
            return count;
        }
        count += 1;
    }
}

/// Bytes that were handed to a connection and are not acknowledged.
pub fn unacknowledged(fd: &impl AsRawFd) -> io::Result<u32> {
    let mut bytes: c_int = 0;
    // SAFETY: the kernel writes one `int`.
    checked(unsafe { c::ioctl(fd.as_raw_fd(), TIOCOUTQ, &raw mut bytes) })?;
    Ok(bytes as u32)
}

/// Nothing more is sent over a connection.
pub fn close_sending(fd: &impl AsRawFd) {
    // SAFETY: takes numbers. The other end may have gone before.
    unsafe { c::shutdown(fd.as_raw_fd(), SHUT_WR) };
}
