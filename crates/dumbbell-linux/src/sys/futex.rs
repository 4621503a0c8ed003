//! A word in shared memory on which a process waits for another: futex(2).
use std::ptr;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Wakes one process that waits for a change of the word.
pub fn wake(word: &AtomicU32) {
    // SAFETY: the kernel uses the word's address alone; it is valid, as it is borrowed.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1, 0, 0, 0) };
}

/// Waits while the word is `value`, for at most so long. It may return before that.
pub fn wait(word: &AtomicU32, value: u32, most: Duration) {
    let most = libc::timespec {
        tv_sec: most.as_secs() as libc::time_t,
        tv_nsec: most.subsec_nanos().into(),
    };
    let (at, op) = (word.as_ptr(), libc::FUTEX_WAIT);
    let none = ptr::null::<u32>();
    // SAFETY: the word and the time are borrowed, and the kernel writes to neither.
    unsafe { libc::syscall(libc::SYS_futex, at, op, value, &raw const most, none, 0) };
}
