//! The set-up of a guest: mounts, namespaces, devices.
use super::c;
use super::c::{CLONE_NEWNET, checked};
use std::ffi::CString;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;

/// Mounts a file system without a device.
pub fn mount(kind: &str, target: &str) -> io::Result<()> {
    let [kind, target] = [kind, target].map(|word| CString::new(word).unwrap_or_default());
    // SAFETY: all three are strings with an end.
    let result =
        unsafe { c::mount_at(kind.as_ptr(), target.as_ptr(), kind.as_ptr(), 0, ptr::null()) };
    checked(result).map(drop)
}

/// From now on this thread is in a network namespace of its own.
pub fn new_network() -> io::Result<()> {
    // SAFETY: changes this thread alone, of which there is one.
    checked(unsafe { c::unshare(CLONE_NEWNET) }).map(drop)
}

/// From now on this thread is in that network namespace.
pub fn enter_network(namespace: &impl AsRawFd) -> io::Result<()> {
    // SAFETY: as above.
    checked(unsafe { c::setns(namespace.as_raw_fd(), CLONE_NEWNET) }).map(drop)
}

/// The number of a device of this namespace.
pub fn device(name: &str) -> io::Result<u32> {
    let name = CString::new(name).unwrap_or_default();
    // SAFETY: a string with an end.
    match unsafe { c::if_nametoindex(name.as_ptr()) } {
        0 => Err(io::Error::last_os_error()),
        index => Ok(index),
    }
}

/// Sleeps for good.
pub fn pause() -> ! {
    loop {
        // SAFETY: takes nothing, writes nothing.
        unsafe { c::wait_for_a_signal() };
    }
}
