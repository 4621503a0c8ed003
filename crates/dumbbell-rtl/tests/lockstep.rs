//! Model and RTL in lockstep: every decision in every bit.
use dumbbell_rtl::clocked::{Clocked, Verilated};
use dumbbell_rtl::lockstep::bench::Counts;
use dumbbell_rtl::lockstep::mode::Mode;
use dumbbell_rtl::lockstep::study::{measured, parts, told};
use dumbbell_rtl::sources::Sources;
use dumbbell_rtl::testing::rtl;

const PATIENCE: u64 = 4096;

#[test]
fn ten_million_packets_in_every_mode() {
    if !rtl() {
        return;
    }
    let modes = Mode::all();
    let mut whole = Counts::default();
    for part in parts(&modes, 10_000_000, 1, PATIENCE) {
        let library = Verilated::build(&Sources::Core, &part.mode.parameters).expect("our core");
        let make = || library.core().map(|c| Box::new(c) as Box<dyn Clocked>).map_err(|e| e.to_string());
        let began = std::time::Instant::now();
        let ran = part.run(&make, &|_| true).expect("a core");
        eprintln!("{} {:?} {}", part.mode.name, began.elapsed(), measured(&ran.counts));
        if let Some(failed) = &ran.failed {
            panic!("{:#}", told(&part, failed));
        }
        whole = whole.and(&ran.counts);
    }
    eprintln!("{}", measured(&whole));
}
