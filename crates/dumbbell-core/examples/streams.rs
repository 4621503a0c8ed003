//! Quantities with their units, and a random stream for each part of a network:
//! `cargo run --example streams`.
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Rate, Span};

fn main() {
    let rate = Rate::from_mbps(10);
    assert_eq!(rate.bytes_in(Span::from_ms(24)), 30_000);

    // A stream belongs to a seed and a name, so that a new part does not disturb another.
    let first = |seed: u64, name: &str| Stream::named(seed, name).unit();
    assert_eq!(first(1, "bottleneck/red"), first(1, "bottleneck/red"));
    assert_ne!(first(1, "bottleneck/red"), first(1, "flow/start"));
    assert_ne!(first(1, "bottleneck/red"), first(2, "bottleneck/red"));
}
