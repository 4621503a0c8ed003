//! Network devices by ioctl(2): TUN devices, and offloads of a card.
use nix::libc::ifreq;
use std::ffi::c_char;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

nix::ioctl_write_ptr_bad!(
    #[doc = "TUNSETIFF"]
    tun_set_iff,
    libc::TUNSETIFF,
    ifreq
);
nix::ioctl_write_ptr_bad!(
    #[doc = "SIOCETHTOOL"]
    ethtool,
    libc::SIOCETHTOOL,
    ifreq
);

/// An empty request about a device.
fn request(name: &str) -> io::Result<ifreq> {
    // SAFETY: `ifreq` is a C struct of an array and a union of plain numbers and pointers, for
    // which all zeros are valid.
    let mut request: ifreq = unsafe { std::mem::zeroed() };
    if name.is_empty()
        || name.len() >= request.ifr_name.len()
        || name.contains(['/', '\0', ' ', ':'])
    {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!(
                "`{name}` is not a name of a \
            network device"
            ),
        ));
    }
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = c_char::from_ne_bytes([from]);
    }
    Ok(request)
}

/// Makes the open file of /dev/net/tun the other end of a new device: whole IP packets, nothing
/// before them, and thus neither unfinished checksums nor packets larger than the MTU.
///
/// # Errors
/// The thread may not make devices in its namespace, or the name is taken.
pub fn make_tun(file: BorrowedFd<'_>, name: &str) -> io::Result<()> {
    let mut request = request(name)?;
    request.ifr_ifru.ifru_flags = i16::try_from(libc::IFF_TUN | libc::IFF_NO_PI).expect(
        "flags \
        have 16 bits",
    );
    // SAFETY: the request is a whole `ifreq` that outlives the call, which is what TUNSETIFF reads
    // and writes.
    unsafe { tun_set_iff(file.as_raw_fd(), &raw const request) }?;
    Ok(())
}

/// Offloads of a network card (linux/ethtool.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Offload {
    /// ETHTOOL_SRXCSUM: check arriving checksums.
    ReceiveChecksum = 0x15,
    /// ETHTOOL_STXCSUM: make checksums.
    SendChecksum = 0x17,
    /// ETHTOOL_STSO: cut what TCP sends.
    Tso = 0x1f,
    /// ETHTOOL_SGSO: cut what TCP sends, in software and late.
    Gso = 0x24,
    /// ETHTOOL_SGRO: join what arrives.
    Gro = 0x2c,
}

/// `struct ethtool_value`.
#[repr(C)]
struct Value {
    command: u32,
    data: u32,
}

/// Switches one of them on or off, at a device of the namespace in which `socket` was opened.
///
/// # Errors
/// The device is unknown, or does not let it be changed.
pub fn switch(socket: BorrowedFd<'_>, name: &str, offload: Offload, on: bool) -> io::Result<()> {
    let mut value = Value { command: offload as u32, data: on.into() };
    let mut request = request(name)?;
    request.ifr_ifru.ifru_data = (&raw mut value).cast();
    // SAFETY: the request points at a whole `ethtool_value`; both outlive the call.
    unsafe { ethtool(socket.as_raw_fd(), &raw const request) }?;
    Ok(())
}
