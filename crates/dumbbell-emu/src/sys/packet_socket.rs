//! Packet sockets with rings (packet(7), TPACKET_V2): frames are read from and written to memory
//! that is shared with the kernel, many to one call.
use std::ffi::{CStr, c_int, c_uint, c_void};
use std::io;
use std::mem::{offset_of, size_of};
use std::num::NonZero;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::{NonNull, null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

/// Offset of a frame to be sent in its slot: behind the header, without an address (the kernel's
/// documentation of packet mmap).
const SEND_AT: usize = libc::TPACKET2_HDRLEN - size_of::<libc::sockaddr_ll>();
/// The most bytes in a slot before a received Ethernet frame: header, address, alignment.
const BEFORE: usize = libc::TPACKET2_HDRLEN + 2 * libc::TPACKET_ALIGNMENT;

/// The sizes of a socket's two rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The largest frame of both, bytes. Of longer ones that arrive so much is kept.
    pub frame: usize,
    /// Slots for frames that arrive, at least.
    pub receive: usize,
    /// Slots for frames that are sent, at least.
    pub send: usize,
}

/// One ring within the shared memory.
#[derive(Clone, Copy, Debug)]
struct Ring {
    from: usize,
    slots: usize,
    slot: usize,
    block: usize,
    per_block: usize,
}

impl Ring {
    /// Slots lie in blocks of whole pages and do not cross them.
    fn plan(from: usize, frame: usize, least: usize, page: usize) -> Ring {
        let slot = (BEFORE + frame).next_multiple_of(libc::TPACKET_ALIGNMENT);
        // Blocks are contiguous memory, of which the kernel has large ones seldom: as small as a
        // few slots need.
        let block = (slot.max(1 << 15)).next_multiple_of(page);
        let per_block = block / slot;
        let slots = least.max(1).next_multiple_of(per_block);
        Ring { from, slots, slot, block, per_block }
    }

    fn bytes(&self) -> usize {
        self.slots / self.per_block * self.block
    }

    fn request(&self) -> io::Result<libc::tpacket_req> {
        let number = |n: usize| {
            c_uint::try_from(n).map_err(|_| {
                io::Error::new(
                    io::ErrorKind::InvalidInput,
                    "a \
                ring too large",
                )
            })
        };
        Ok(libc::tpacket_req {
            tp_block_size: number(self.block)?,
            tp_block_nr: number(self.slots / self.per_block)?,
            tp_frame_size: number(self.slot)?,
            tp_frame_nr: number(self.slots)?,
        })
    }

    /// Offset of a slot.
    fn at(&self, slot: usize) -> usize {
        assert!(slot < self.slots, "slot {slot} of {}", self.slots);
        self.from + slot / self.per_block * self.block + slot % self.per_block * self.slot
    }
}

/// A frame that arrived.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The bytes that are kept, from the link header on.
    pub bytes: &'a [u8],
    /// Length of the frame.
    pub len: usize,
    /// Time of arrival, nanoseconds of CLOCK_REALTIME.
    pub at: u64,
    /// True if its checksum was left to checksum offload.
    pub unsummed: bool,
    /// True if a VLAN tag was taken off.
    pub tagged: bool,
}

/// A packet socket that is bound to one device, and its two rings.
#[derive(Debug)]
pub struct Rings {
    fd: OwnedFd,
    memory: NonNull<u8>,
    length: NonZero<usize>,
    receive: Ring,
    send: Ring,
}

// SAFETY: the memory belongs to this value alone (and the kernel); it has no tie to the thread that
// mapped it.
unsafe impl Send for Rings {}

impl Rings {
    /// Opens a socket on a device of the calling thread's namespace. It hears every frame that
    /// arrives there, of none that is sent, and sends past the device's queue.
    ///
    /// # Errors
    /// The thread may not open packet sockets there, or there is no memory for the rings.
    pub fn open(device: &CStr, sizes: Sizes) -> io::Result<Rings> {
        let all = u16::try_from(libc::ETH_P_ALL).map_or(0, u16::to_be);
        // SAFETY: a call without pointers. Protocol 0: nothing is heard before the rings are there
        // and it is bound.
        let fd = check(unsafe {
            libc::socket(
                libc::AF_PACKET,
                libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK,
                0,
            )
        })?;
        // SAFETY: the descriptor is open, and nobody else has it.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        // SAFETY: a string that ends with zero, and outlives the call.
        let index = unsafe { libc::if_nametoindex(device.as_ptr()) };
        let index =
            c_int::try_from(index).ok().filter(|i| *i > 0).ok_or_else(io::Error::last_os_error)?;
        set(fd.as_fd(), libc::PACKET_VERSION, &(libc::tpacket_versions::TPACKET_V2 as c_int))?;
        set(fd.as_fd(), libc::PACKET_IGNORE_OUTGOING, &1)?;
        set(fd.as_fd(), libc::PACKET_QDISC_BYPASS, &1)?;
        // SAFETY: a call without pointers.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
        let receive = Ring::plan(0, sizes.frame, sizes.receive, page);
        let send = Ring::plan(receive.bytes(), sizes.frame, sizes.send, page);
        set_ring(fd.as_fd(), libc::PACKET_RX_RING, &receive.request()?)?;
        set_ring(fd.as_fd(), libc::PACKET_TX_RING, &send.request()?)?;
        let length =
            NonZero::new(receive.bytes() + send.bytes()).ok_or(io::ErrorKind::InvalidInput)?;
        let memory = map(fd.as_fd(), length)?;
        let rings = Rings { fd, memory, length, receive, send };
        rings.bind(all, index)?;
        Ok(rings)
    }

    fn bind(&self, protocol: u16, index: c_int) -> io::Result<()> {
        // SAFETY: a C struct of plain numbers, for which all zeros are valid.
        let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = protocol;
        address.sll_ifindex = index;
        let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
        // SAFETY: a whole address of its family, which outlives the call.
        check(unsafe { libc::bind(self.fd.as_raw_fd(), (&raw const address).cast(), length) })?;
        Ok(())
    }

    /// Slots for frames that arrive.
    pub fn receive_slots(&self) -> usize {
        self.receive.slots
    }

    /// Slots for frames that are sent.
    pub fn send_slots(&self) -> usize {
        self.send.slots
    }

    /// The status word of the slot that begins at byte `at`, which [`Ring::at`] has said.
    fn status(&self, at: usize) -> &AtomicU32 {
        // SAFETY: `at` is the beginning of a slot, so it lies in the mapping and is aligned to 16
        // bytes; the word is the header's first, and both sides use it as an atomic one.
        unsafe {
            AtomicU32::from_ptr(
                self.memory.as_ptr().add(at + offset_of!(libc::tpacket2_hdr, tp_status)).cast(),
            )
        }
    }

    /// The frame in a slot, if the kernel has put one there. It stays until [`Rings::release`].
    pub fn received(&self, slot: usize) -> Option<Frame<'_>> {
        let at = self.receive.at(slot);
        // This load makes the kernel's writes before the status visible.
        let status = self.status(at).load(Ordering::Acquire);
        if status & libc::TP_STATUS_USER == 0 {
            return None;
        }
        // SAFETY: the slot is ours now, so nobody writes to it; a slot is larger than the header,
        // and aligned for it.
        let header = unsafe { self.memory.as_ptr().add(at).cast::<libc::tpacket2_hdr>().read() };
        let from = usize::from(header.tp_mac).min(self.receive.slot);
        let kept = (header.tp_snaplen as usize).min(self.receive.slot - from);
        // SAFETY: within the slot by the two minima, and ours until it is released, for which
        // `self` must not be borrowed.
        let bytes =
            unsafe { std::slice::from_raw_parts(self.memory.as_ptr().add(at + from), kept) };
        Some(Frame {
            bytes,
            len: header.tp_len as usize,
            at: u64::from(header.tp_sec) * 1_000_000_000 + u64::from(header.tp_nsec),
            unsummed: status & libc::TP_STATUS_CSUMNOTREADY != 0,
            tagged: status & libc::TP_STATUS_VLAN_VALID != 0,
        })
    }

    /// Gives a slot of a frame that arrived back to the kernel.
    pub fn release(&mut self, slot: usize) {
        let at = self.receive.at(slot);
        self.status(at).store(libc::TP_STATUS_KERNEL, Ordering::Release);
    }

    /// Puts a frame into a slot, to be sent with the next [`Rings::send`]: its link header and what
    /// follows. False if the frame that was there before is not gone yet.
    ///
    /// # Errors
    /// It is larger than the rings were made for.
    pub fn place(&mut self, slot: usize, link: &[u8], packet: &[u8]) -> io::Result<bool> {
        let at = self.send.at(slot);
        if self.status(at).load(Ordering::Acquire) != libc::TP_STATUS_AVAILABLE {
            return Ok(false);
        }
        let length = link.len() + packet.len();
        if SEND_AT + length > self.send.slot {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!(
                    "a frame of {length} \
                bytes is too large"
                ),
            ));
        }
        // SAFETY: the slot is ours, as its status says; header and frame lie within it, by the
        // check above; the sources are slices of ours, never of the mapping, since `self` is
        // borrowed for change.
        unsafe {
            let slot = self.memory.as_ptr().add(at);
            let header = slot.cast::<libc::tpacket2_hdr>();
            (&raw mut (*header).tp_len).write(length as u32);
            (&raw mut (*header).tp_snaplen).write(length as u32);
            let frame = slot.add(SEND_AT);
            frame.copy_from_nonoverlapping(link.as_ptr(), link.len());
            frame.add(link.len()).copy_from_nonoverlapping(packet.as_ptr(), packet.len());
        }
        self.status(at).store(libc::TP_STATUS_SEND_REQUEST, Ordering::Release);
        Ok(true)
    }

    /// Lets the kernel send what was placed, and does not wait for it; how many bytes it took.
    /// Those may be of some frames only, if many are on their way.
    ///
    /// # Errors
    /// The device is gone or down; or it is out of memory or busy (ENOBUFS, EAGAIN), and the frames
    /// still wait.
    pub fn send(&self) -> io::Result<usize> {
        // SAFETY: no buffer is given: the frames are in the ring.
        let sent = unsafe { libc::send(self.fd.as_raw_fd(), null(), 0, libc::MSG_DONTWAIT) };
        usize::try_from(sent).map_err(|_| io::Error::last_os_error())
    }

    /// True if a frame in this slot still waits for the kernel.
    pub fn waits(&self, slot: usize) -> bool {
        self.status(self.send.at(slot)).load(Ordering::Acquire) & libc::TP_STATUS_SEND_REQUEST != 0
    }

    /// Frames that arrived and found the ring full, since this was asked last.
    ///
    /// # Errors
    /// None that is known.
    pub fn take_drops(&self) -> io::Result<u64> {
        let mut counts = libc::tpacket_stats { tp_packets: 0, tp_drops: 0 };
        let mut length = size_of::<libc::tpacket_stats>() as libc::socklen_t;
        // SAFETY: room for the struct that the option has, and its size; both outlive the call.
        check(unsafe {
            libc::getsockopt(
                self.fd.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                (&raw mut counts).cast(),
                &raw mut length,
            )
        })?;
        Ok(counts.tp_drops.into())
    }
}

impl AsFd for Rings {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for Rings {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's, and nothing borrows from it any more.
        unsafe { libc::munmap(self.memory.as_ptr().cast(), self.length.get()) };
    }
}

fn check(result: c_int) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Both rings in one piece of memory: first that of frames which arrive.
fn map(fd: BorrowedFd<'_>, length: NonZero<usize>) -> io::Result<NonNull<u8>> {
    let (use_, how) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
    // SAFETY: a new mapping, where the kernel likes it.
    let memory = unsafe { libc::mmap(null_mut(), length.get(), use_, how, fd.as_raw_fd(), 0) };
    if memory == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(memory.cast()).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

fn set(fd: BorrowedFd<'_>, option: c_int, value: &c_int) -> io::Result<()> {
    // SAFETY: the value is the int that these options have.
    unsafe { set_raw(fd, option, (&raw const *value).cast(), size_of::<c_int>()) }
}

fn set_ring(fd: BorrowedFd<'_>, option: c_int, ring: &libc::tpacket_req) -> io::Result<()> {
    // SAFETY: the value is the struct that these options have.
    unsafe { set_raw(fd, option, (&raw const *ring).cast(), size_of::<libc::tpacket_req>()) }
}

/// # Safety
/// `value` points at `length` bytes that can be read.
unsafe fn set_raw(
    fd: BorrowedFd<'_>,
    option: c_int,
    value: *const c_void,
    length: usize,
) -> io::Result<()> {
    // SAFETY: as the caller has promised.
    check(unsafe {
        libc::setsockopt(fd.as_raw_fd(), libc::SOL_PACKET, option, value, length as libc::socklen_t)
    })?;
    Ok(())
}
