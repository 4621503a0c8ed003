//! What a flow costs in memory, and that the work of setting up grows with the flows and not with their square:
//! counted by the allocator, so exact, and the same on every machine.
mod plans;

use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::Plan;
use dumbbell_sim::{Options, World};
use serde_json::json;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which counts for each thread what it asked for.
struct Counting;

thread_local! {
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

fn count(bytes: i64) {
    // A thread that is ending has no counters any more; nobody reads them then.
    let _ = LIVE.try_with(|live| live.set(live.get() + bytes));
    let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
}

// SAFETY: every call is handed to the system's allocator as it is; counting allocates nothing.
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

/// What `make` made, the bytes that it holds, and how often it called the allocator.
fn counted<T>(make: impl FnOnce() -> T) -> (T, i64, u64) {
    let (live, calls) = (LIVE.get(), CALLS.get());
    let made = make();
    (made, LIVE.get() - live, CALLS.get() - calls)
}

fn plan(flows: usize) -> Plan {
    let queue = plans::spec("drop_tail", json!({}));
    plans::dumbbell(1, flows, Rate::from_mbps(10_000), queue, Capacity::Packets(1000), Span::from_secs(1))
}

/// Bytes that one more flow takes, of the plan and of the world.
fn per_flow() -> (i64, i64) {
    let of = |n: usize| {
        let (plan, planned, _) = counted(|| plan(n));
        let (world, held, _) = counted(|| World::new(&plan, Options::default()).unwrap());
        drop(world);
        (planned, held)
    };
    // Vectors that grow by pushing double at powers of two: both sizes are as far from one.
    let (small, large) = (of(1 << 10), of(1 << 11));
    ((large.0 - small.0) >> 10, (large.1 - small.1) >> 10)
}

#[test]
fn a_flow_fits_into_a_kilobyte() {
    let (plan, world) = per_flow();
    println!("plan {plan} world {world}");
    assert!(world <= 1024, "a flow takes {world} bytes");
}
