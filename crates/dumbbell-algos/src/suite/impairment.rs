//! Checks for every impairment: the same seed gives the same effects, and packets overtake each
//! other only if it declares that.
use super::parameters::choices;
use dumbbell_core::catalogue::Algorithm;
use dumbbell_core::impairment::{Impairment, WireEffect};
use dumbbell_core::packet::Ecn;
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::packet;
use dumbbell_core::units::{Span, Time};

/// Fates of packets that leave the transmitter one each millisecond, and when they do.
fn effects<A: Algorithm<Site = ()> + Impairment>(
    config: &A::Config,
    seed: u64,
) -> Vec<(Time, WireEffect)> {
    let (mut link, mut rng) = (A::new(config, &()), Stream::named(seed, "impairment"));
    (0..5_000u64)
        .map(|i| {
            let now = Time::ZERO + Span::from_ms(i);
            (
                now,
                link.effect(
                    now,
                    &mut rng,
                    &packet(i as u32 % 4, 40 + i as u32 % 1460, Ecn::NotEct),
                ),
            )
        })
        .collect()
}

/// The same seed gives the same fates.
pub fn repeats_itself<A: Algorithm<Site = ()> + Impairment>() {
    for config in choices::<A>() {
        (0..4)
            .for_each(|seed| assert_eq!(effects::<A>(&config, seed), effects::<A>(&config, seed)));
    }
}

/// Packets arrive in order unless it has said that they may not.
pub fn says_whether_it_reorders<A: Algorithm<Site = ()> + Impairment>() {
    for config in choices::<A>() {
        let arrivals: Vec<Time> = effects::<A>(&config, 1)
            .into_iter()
            .filter_map(|(at, effect)| match effect {
                WireEffect::Arrives | WireEffect::Corrupted | WireEffect::Duplicated => Some(at),
                WireEffect::Delayed(by) => Some(at + by),
                WireEffect::Lost => None,
            })
            .collect();
        assert!(arrivals.is_sorted() || A::new(&config, &()).reorders(), "{}", A::ABOUT.name);
    }
}
