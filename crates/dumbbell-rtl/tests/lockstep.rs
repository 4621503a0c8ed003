//! Model and RTL in lockstep: every decision in every bit.
use dumbbell_rtl::lockstep::campaign::{measured, parts, told};
use dumbbell_rtl::lockstep::parameter_sets::Mode;
use dumbbell_rtl::lockstep::testbench::Counts;
use dumbbell_rtl::sources::Sources;
use dumbbell_rtl::testing::rtl;
use dumbbell_rtl::verilated::{Clocked, Verilated};
use std::thread;

const PATIENCE: u64 = 4096;

/// The number of packets that a test runs by default;
/// `dumbbell rtl red --check --packets 1000000000` runs 10^9.
const PACKETS: u64 = 10_000_000;

fn run(modes: &[Mode]) -> Counts {
    let mut whole = Counts::default();
    for part in parts(modes, PACKETS / Mode::all().len() as u64 * modes.len() as u64, 1, PATIENCE) {
        let library = Verilated::build(&Sources::Core, &part.mode.parameters).expect("our core");
        let make =
            || library.core().map(|c| Box::new(c) as Box<dyn Clocked>).map_err(|e| e.to_string());
        let ran = part.run(&make, &|_| true).expect("a core");
        if let Some(failed) = &ran.failed {
            panic!("{:#}", told(&part, failed));
        }
        whole = whole.and(&ran.counts);
    }
    whole
}

#[test]
fn ten_million_packets_in_every_mode() {
    if !rtl() {
        return;
    }
    let modes = Mode::all();
    // Two halves side by side: each mode has a library of its own to be made.
    let (one, other) = modes.split_at(modes.len() / 2);
    let counts = thread::scope(|scope| {
        let other = scope.spawn(|| run(other));
        run(one).and(&other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let share = |n: u64| n as f64 / counts.packets as f64;
    let said = measured(&counts);
    assert!(counts.packets >= PACKETS, "{said}");
    assert!(counts.regions.iter().all(|n| share(*n) >= 0.1), "{said}");
    assert!(
        share(counts.back_to_back) >= 0.2 && share(counts.resets + counts.writes) >= 0.009,
        "{said}"
    );
    assert!(counts.queues.iter().all(|n| share(*n) >= 0.02), "{said}");
}
