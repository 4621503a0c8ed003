//! Advice about the memory of this process.
use std::io;
use std::ops::Range;

/// Of Linux 6.1 (madvise(2)); the crate libc has it for glibc only.
const MADV_COLLAPSE: i32 = 25;

/// Gives anonymous memory huge pages, now and where it is touched later (madvise(2),
/// `MADV_HUGEPAGE` and, of Linux 6.1, `MADV_COLLAPSE`).
///
/// # Errors
/// The kernel has no huge pages, or too little memory is free to make some.
pub fn make_huge(range: Range<usize>) -> io::Result<()> {
    advise(&range, libc::MADV_HUGEPAGE)?;
    advise(&range, MADV_COLLAPSE)
}

fn advise(range: &Range<usize>, advice: i32) -> io::Result<()> {
    let start = std::ptr::with_exposed_provenance_mut(range.start);
    // SAFETY: both advices leave the content of memory as it is, and fail where nothing is mapped.
    let answer = unsafe { libc::madvise(start, range.len(), advice) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
