//! A client of rtnetlink(7), in place of `ip`: links, addresses, routes, counters.
mod links;
mod message;
mod routes;
mod stats;

pub use links::{Link, LinkChange, VethEnd};
pub use message::Message;
pub use routes::{Route, RouteOptions};
pub use stats::Counters;

use crate::error::{Context, EnvError};
use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket,
};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// A conversation with the kernel about one network namespace: the one that the thread was in that
/// opened it, whoever uses it later.
#[derive(Debug)]
pub struct Netlink {
    socket: OwnedFd,
    sequence: u32,
    reply: Vec<u8>,
}

impl Netlink {
    /// Opens one for the namespace of the calling thread.
    ///
    /// # Errors
    /// The kernel has no rtnetlink, or no descriptor is free.
    pub fn open() -> Result<Netlink, EnvError> {
        let socket = socket(
            AddressFamily::Netlink,
            SockType::Raw,
            SockFlag::SOCK_CLOEXEC,
            SockProtocol::NetlinkRoute,
        )
        .context("open a netlink socket")?;
        Ok(Netlink { socket, sequence: 0, reply: vec![0; 32 << 10] })
    }

    /// Sends one request and waits for its acknowledgment; every answer before it goes to
    /// `answer`, with its type and its body.
    ///
    /// # Errors
    /// The kernel refuses the request, with its reason.
    pub fn ask(&mut self, message: Message, mut answer: impl FnMut(u16, &[u8])) -> io::Result<()> {
        self.sequence += 1;
        let bytes = message.finish(self.sequence);
        let fd = self.socket.as_raw_fd();
        retry_interrupted(|| send(fd, &bytes, MsgFlags::empty()))?;
        loop {
            let n = retry_interrupted(|| recv(fd, &mut self.reply, MsgFlags::empty()))?;
            for (header, body) in message::messages(&self.reply[..n]) {
                if header.sequence != self.sequence {
                    continue; // the tail of an answer that nobody waited for
                }
                match i32::from(header.kind) {
                    libc::NLMSG_ERROR => return message::outcome(body),
                    libc::NLMSG_DONE => return Ok(()),
                    _ => answer(header.kind, body),
                }
            }
        }
    }

    /// Sends a request whose only answer is whether it was done.
    ///
    /// # Errors
    /// The kernel refuses; `tried` says what ("add a route").
    pub fn request(&mut self, tried: &str, message: Message) -> Result<(), EnvError> {
        self.ask(message, |_, _| ()).context(tried)
    }
}

/// Calls again where a signal came between.
fn retry_interrupted(mut call: impl FnMut() -> nix::Result<usize>) -> io::Result<usize> {
    loop {
        match call() {
            Err(Errno::EINTR) => {}
            result => return Ok(result?),
        }
    }
}
