//! An allocator that counts: what something holds, and how often it asked. The system's does the
//! work, so the figures are exact and the same on every machine. Each thread counts for itself.
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// See the module's page.
struct Counting;

thread_local! {
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

fn count(bytes: i64) {
    // A thread that is ending has no counters any more; nobody reads them then.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
    let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
}

// `GlobalAlloc` is an unsafe trait, and nothing else sees every allocation; it is linked into tests
// alone, the crate itself forbids unsafe code. SAFETY: every call is handed to the system's
// allocator as it is; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        unsafe { System.dealloc(place, layout) }
    }
    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The cost of making something.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Bytes that it holds.
    pub held: i64,
    /// Bytes that were held at once while it was made.
    pub peak: i64,
    /// Calls of the allocator.
    pub calls: u64,
}

/// Runs `make` on this thread and returns its result and its cost.
pub fn counted<T>(make: impl FnOnce() -> T) -> (T, Cost) {
    let (live, calls) = (LIVE.get(), CALLS.get());
    PEAK.set(live);
    let made = make();
    (made, Cost { held: LIVE.get() - live, peak: PEAK.get() - live, calls: CALLS.get() - calls })
}
