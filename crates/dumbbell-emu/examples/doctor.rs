//! Shows what this machine can do: `cargo run --release -p dumbbell-emu --example doctor`.
#![allow(clippy::print_stdout, missing_docs)]

fn main() {
    println!("{:#}", dumbbell_emu::doctor::doctor());
}
