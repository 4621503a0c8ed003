//! Many datagrams with one call: sendmmsg(2), and recvmmsg(2) with control messages.
use std::io;
use std::mem::zeroed;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Bytes of control messages that a datagram can come with: its time, its TOS, how many were lost
/// before it.
const CONTROL: usize = 128;

/// The metadata of a datagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// Bytes of it.
    pub len: usize,
    /// TOS or traffic class, if the socket asked for it (`IP_RECVTOS`, `IPV6_RECVTCLASS`).
    pub tos: Option<u8>,
    /// Time of arrival in the kernel, nanoseconds of CLOCK_REALTIME (`SO_TIMESTAMPNS`).
    pub at: Option<u64>,
}

/// Room for a batch of datagrams to read.
pub struct Batch {
    size: usize,
    bytes: Vec<u8>,
    control: Vec<[u64; CONTROL / 8]>,
    notes: Vec<Note>,
}

impl Batch {
    /// A batch for `count` datagrams, of which the first `size` bytes are kept.
    pub fn new(count: usize, size: usize) -> Batch {
        Batch {
            size,
            bytes: vec![0; count * size],
            control: vec![[0; CONTROL / 8]; count],
            notes: Vec::with_capacity(count),
        }
    }

    /// Reads what waits at `socket`, as many as there is room for; never blocks. How many came.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if none waits; what the socket reports.
    pub fn read(&mut self, socket: BorrowedFd<'_>) -> io::Result<usize> {
        self.notes.clear();
        let mut parts: Vec<libc::iovec> = self
            .bytes
            .chunks_exact_mut(self.size)
            .map(|chunk| libc::iovec { iov_base: chunk.as_mut_ptr().cast(), iov_len: chunk.len() })
            .collect();
        let mut headers: Vec<libc::mmsghdr> = Vec::with_capacity(parts.len());
        for (part, control) in parts.iter_mut().zip(&mut self.control) {
            // SAFETY: `mmsghdr` is plain integers and pointers, for which zero is a value.
            let mut header: libc::mmsghdr = unsafe { zeroed() };
            header.msg_hdr.msg_iov = part;
            header.msg_hdr.msg_iovlen = 1;
            header.msg_hdr.msg_control = control.as_mut_ptr().cast();
            header.msg_hdr.msg_controllen = CONTROL as _;
            headers.push(header);
        }
        // MSG_TRUNC: lengths are those of the datagrams, however little of each is kept.
        let flags = libc::MSG_DONTWAIT | libc::MSG_TRUNC;
        // SAFETY: each header names one part of `bytes` and one of `control`, which live and stand
        // still until it returns.
        let count = unsafe {
            let no_timeout = std::ptr::null_mut();
            libc::recvmmsg(
                socket.as_raw_fd(),
                headers.as_mut_ptr(),
                headers.len() as u32,
                flags as _,
                no_timeout,
            )
        };
        let count = usize::try_from(count).map_err(|_| io::Error::last_os_error())?;
        self.notes.extend(headers[..count].iter().map(note));
        Ok(count)
    }

    /// The datagrams that the last [`Batch::read`] brought: what is known of each, and its first
    /// bytes.
    pub fn datagrams(&self) -> impl Iterator<Item = (Note, &[u8])> {
        self.notes
            .iter()
            .zip(self.bytes.chunks_exact(self.size))
            .map(|(note, b)| (*note, &b[..note.len.min(self.size)]))
    }
}

/// The metadata from the control messages of a datagram.
fn note(message: &libc::mmsghdr) -> Note {
    let mut note = Note { len: message.msg_len as usize, ..Note::default() };
    let header = &raw const message.msg_hdr;
    // SAFETY: the header is the kernel's answer; the macros walk within the length that it states,
    // and what is read of each message is as long as its type says.
    unsafe {
        let mut at = libc::CMSG_FIRSTHDR(header);
        while !at.is_null() {
            let data = libc::CMSG_DATA(at);
            match ((*at).cmsg_level, (*at).cmsg_type) {
                (libc::IPPROTO_IP, libc::IP_TOS) => note.tos = Some(*data),
                (libc::IPPROTO_IPV6, libc::IPV6_TCLASS) => {
                    note.tos = Some(data.cast::<i32>().read_unaligned() as u8);
                }
                (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) => {
                    let at = data.cast::<libc::timespec>().read_unaligned();
                    note.at = Some(at.tv_sec as u64 * 1_000_000_000 + at.tv_nsec as u64);
                }
                _ => {}
            }
            at = libc::CMSG_NXTHDR(header, at);
        }
    }
    note
}

/// Sends `datagrams` through a connected socket with one call, in order: how many of them went.
///
/// # Errors
/// The first one did not go.
pub fn send(socket: BorrowedFd<'_>, datagrams: &[&[u8]]) -> io::Result<usize> {
    let mut parts: Vec<libc::iovec> = datagrams
        .iter()
        .map(|d| libc::iovec { iov_base: d.as_ptr().cast_mut().cast(), iov_len: d.len() })
        .collect();
    let mut headers: Vec<libc::mmsghdr> = Vec::with_capacity(parts.len());
    for part in &mut parts {
        // SAFETY: as in `read`.
        let mut header: libc::mmsghdr = unsafe { zeroed() };
        header.msg_hdr.msg_iov = part;
        header.msg_hdr.msg_iovlen = 1;
        headers.push(header);
    }
    // SAFETY: each header names one part, each part a slice that the kernel only reads; all live
    // until it returns.
    let count = unsafe {
        libc::sendmmsg(socket.as_raw_fd(), headers.as_mut_ptr(), headers.len() as u32, 0)
    };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}
