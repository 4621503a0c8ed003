//! Memory that is shared with a guest.
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};
use nix::unistd::ftruncate;
use std::ffi::c_void;
use std::io;
use std::num::NonZeroUsize;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A file in memory, which is gone with its last descriptor.
///
/// # Errors
/// No descriptors are left.
pub fn file(name: &str) -> io::Result<OwnedFd> {
    Ok(memfd_create(name, MFdFlags::MFD_CLOEXEC)?)
}

/// A file in memory of `len` zeros, mapped.
///
/// # Errors
/// No memory is left.
pub fn shared(name: &str, len: usize) -> io::Result<(OwnedFd, Mapping)> {
    let fd = file(name)?;
    ftruncate(&fd, len as i64)?;
    let mapping = Mapping::of(&fd, 0, len)?;
    Ok((fd, mapping))
}

/// A part of a file, mapped for reading and writing. The guest may write to it at any time, so
/// every access is atomic; nothing outside can be reached through it.
pub struct Mapping {
    start: NonNull<c_void>,
    len: usize,
}

// SAFETY: the memory is the mapping's own, and all access is atomic.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps `len` bytes of a file from `offset` on.
    ///
    /// # Errors
    /// The file does not have them, or no memory is left.
    pub fn of(fd: &impl AsFd, offset: u64, len: usize) -> io::Result<Mapping> {
        let size = NonZeroUsize::new(len).ok_or(io::ErrorKind::InvalidInput)?;
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice overlays nothing.
        let start = unsafe { mmap(None, size, access, MapFlags::MAP_SHARED, fd, offset as i64) }?;
        Ok(Mapping { start, len })
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The address of `size` bytes at `at`, which is a multiple of `size`.
    fn place<T>(&self, at: usize) -> io::Result<&T> {
        let size = size_of::<T>();
        if !at.is_multiple_of(size) || at.checked_add(size).is_none_or(|end| end > self.len) {
            return Err(io::Error::other("a guest named an address that it does not have"));
        }
        // SAFETY: within the mapping, which lives as long as `self`, and aligned, as mappings begin
        // at pages. T is an atomic integer: all of its values are valid.
        Ok(unsafe { &*self.start.as_ptr().cast::<u8>().add(at).cast::<T>() })
    }

    /// The word at a place.
    pub fn word(&self, at: usize) -> io::Result<&AtomicU32> {
        self.place(at)
    }

    /// The number at a place.
    pub fn u16(&self, at: usize) -> io::Result<u16> {
        Ok(self.place::<AtomicU16>(at)?.load(Ordering::Acquire))
    }

    /// The number at a place.
    pub fn u32(&self, at: usize) -> io::Result<u32> {
        Ok(self.place::<AtomicU32>(at)?.load(Ordering::Acquire))
    }

    /// The number at a place.
    pub fn u64(&self, at: usize) -> io::Result<u64> {
        Ok(self.place::<AtomicU64>(at)?.load(Ordering::Acquire))
    }

    /// Writes a number.
    pub fn put_u16(&self, at: usize, value: u16) -> io::Result<()> {
        self.place::<AtomicU16>(at)?.store(value, Ordering::Release);
        Ok(())
    }

    /// Writes a number.
    pub fn put_u32(&self, at: usize, value: u32) -> io::Result<()> {
        self.place::<AtomicU32>(at)?.store(value, Ordering::Release);
        Ok(())
    }

    /// Writes a number.
    pub fn put_u64(&self, at: usize, value: u64) -> io::Result<()> {
        self.place::<AtomicU64>(at)?.store(value, Ordering::Release);
        Ok(())
    }

    /// The bytes of a part, one by one in the type's eyes.
    fn bytes(&self, at: usize, len: usize) -> io::Result<&[AtomicU8]> {
        if at.checked_add(len).is_none_or(|end| end > self.len) {
            return Err(io::Error::other("a guest named an address that it does not have"));
        }
        // SAFETY: within the mapping, which lives as long as `self`; atomic bytes have no
        // alignment and no invalid value.
        Ok(unsafe {
            std::slice::from_raw_parts(self.start.as_ptr().cast::<AtomicU8>().add(at), len)
        })
    }

    /// Appends a part to `into`.
    pub fn read(&self, at: usize, len: usize, into: &mut Vec<u8>) -> io::Result<()> {
        into.extend(self.bytes(at, len)?.iter().map(|byte| byte.load(Ordering::Relaxed)));
        Ok(())
    }

    /// Writes a part.
    pub fn write(&self, at: usize, from: &[u8]) -> io::Result<()> {
        let to = self.bytes(at, from.len())?;
        to.iter().zip(from).for_each(|(to, byte)| to.store(*byte, Ordering::Relaxed));
        Ok(())
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this address and length, and nobody has a reference into it.
        let _ = unsafe { munmap(self.start, self.len) };
    }
}
