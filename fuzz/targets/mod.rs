//! What is fed with random bytes. A target is a function that must return, whatever the bytes are,
//! within a bound; it panics if what it calls breaks its promise. A new one is a file here, a line
//! in [`TARGETS`] and a folder of small seeds, `fuzz/corpus/NAME`. A reader of files is one line:
//! `drop(read(bytes))`, and what else it promises.
//!
//! `fuzz/main.rs` runs them under libFuzzer; `crates/dumbbell-lab/tests/fuzz.rs` runs every file of
//! `fuzz/corpus` and `fuzz/regressions` through them in every build.
mod capture;
mod edges;
mod iperf3;
mod log;
mod losses;
mod mahimahi;
mod ns2;
mod overrides;
mod packet;
mod scenario;
mod sizes;
mod tc;
mod transfers;

/// A target by its name, which is also that of its folders.
#[derive(Clone, Copy)]
pub struct Target {
    /// The name.
    pub name: &'static str,
    /// What is run on each input.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "capture", run: capture::run },
    Target { name: "edges", run: edges::run },
    Target { name: "iperf3", run: iperf3::run },
    Target { name: "log", run: log::run },
    Target { name: "losses", run: losses::run },
    Target { name: "mahimahi", run: mahimahi::run },
    Target { name: "ns2", run: ns2::run },
    Target { name: "overrides", run: overrides::run },
    Target { name: "packet", run: packet::run },
    Target { name: "scenario", run: scenario::run },
    Target { name: "sizes", run: sizes::run },
    Target { name: "tc", run: tc::run },
    Target { name: "transfers", run: transfers::run },
];
