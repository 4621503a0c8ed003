//! Every source: the same again with the same seed, and never nothing.
use super::parameters::choices;
use dumbbell_core::catalogue::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::source::{Burst, Source};
use dumbbell_core::units::Span;

fn bursts<A: Algorithm<Site = ()> + Source>(config: &A::Config, seed: u64) -> Vec<Burst> {
    let (mut source, mut rng) = (A::new(config, &()), Stream::named(seed, "source"));
    std::iter::from_fn(|| source.next(&mut rng)).take(5_000).collect()
}

/// The same seed gives the same traffic.
pub fn repeats_itself<A: Algorithm<Site = ()> + Source>() {
    for config in choices::<A>() {
        (0..4).for_each(|seed| assert_eq!(bursts::<A>(&config, seed), bursts::<A>(&config, seed)));
    }
}

/// No hand-over is empty; an endless source lets time pass; one that has closed stays closed; a datagram fits IP.
pub fn hands_over_something<A: Algorithm<Site = ()> + Source>() {
    for config in choices::<A>() {
        let all = bursts::<A>(&config, 1);
        assert!(!all.is_empty() && all.iter().all(|b| b.bytes > 0), "{}", A::ABOUT.name);
        let (mut source, mut rng) = (A::new(&config, &()), Stream::named(1, "source"));
        if all.len() < 5_000 {
            assert!((0..all.len()).all(|_| source.next(&mut rng).is_some()));
            assert!((0..3).all(|_| source.next(&mut rng).is_none()), "{} opens again", A::ABOUT.name);
        } else {
            assert!(all.iter().any(|b| b.after > Span::ZERO), "{}: time stands still", A::ABOUT.name);
        }
        assert!(!source.datagrams() || all.iter().all(|b| b.bytes <= 65_507), "{}", A::ABOUT.name);
    }
}
