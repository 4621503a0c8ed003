//! Messages of fixed length over UNIX sockets, with descriptors beside them.
use nix::cmsg_space;
use nix::fcntl::{OFlag, open};
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};
use nix::sys::stat::Mode;
use std::fs;
use std::io::{self, IoSlice, IoSliceMut, Read};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::{UnixListener, UnixStream};

/// Descriptors that one message brings at most.
const MOST: usize = 8;

/// Reads `into.len()` bytes, and the descriptors that came with the first of them; `None` if the
/// other end has closed.
///
/// # Errors
/// The connection broke.
pub fn receive(from: &UnixStream, into: &mut [u8]) -> io::Result<Option<Vec<OwnedFd>>> {
    let Some((got, fds)) = receive_some(from, into)? else { return Ok(None) };
    let mut rest = from;
    rest.read_exact(&mut into[got..])?;
    Ok(Some(fds))
}

/// Reads what has come, up to `into.len()` bytes, and its descriptors; `None` if the other end has
/// closed.
///
/// # Errors
/// The connection broke.
pub fn receive_some(
    from: &UnixStream,
    into: &mut [u8],
) -> io::Result<Option<(usize, Vec<OwnedFd>)>> {
    let mut space = cmsg_space!([RawFd; MOST]);
    let mut parts = [IoSliceMut::new(into)];
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    let message = recvmsg::<()>(from.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
    let mut fds = vec![];
    for part in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(came) = part {
            // SAFETY: the kernel has just made these descriptors for this process.
            fds.extend(came.into_iter().map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }));
        }
    }
    Ok((message.bytes > 0).then_some((message.bytes, fds)))
}

/// Sends a message with descriptors.
///
/// # Errors
/// The other end has closed.
pub fn send(to: &UnixStream, bytes: &[u8], fds: &[RawFd]) -> io::Result<()> {
    let parts = [IoSlice::new(bytes)];
    let rights = [ControlMessage::ScmRights(fds)];
    let sent = sendmsg::<()>(to.as_raw_fd(), &parts, &rights, MsgFlags::MSG_NOSIGNAL, None)?;
    if sent == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

/// A listening socket without a name, and a descriptor of its place: who has that connects to
/// `/proc/self/fd/NUMBER`. For a moment it has a name in `folder`, an open folder.
///
/// # Errors
/// The folder takes no sockets, or no descriptors are left.
pub fn nameless(folder: &impl AsFd) -> io::Result<(UnixListener, OwnedFd)> {
    // However long the folder's path is, this one is short enough for a socket.
    let path = format!("/proc/self/fd/{}/socket", folder.as_fd().as_raw_fd());
    let listener = UnixListener::bind(&path)?;
    let place = open(path.as_str(), OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty());
    fs::remove_file(&path)?;
    Ok((listener, place?))
}
