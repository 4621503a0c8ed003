//! Checks for every source: the same seed gives the same writes, and no write is empty.
use super::parameters::choices;
use dumbbell_core::catalogue::Algorithm;
use dumbbell_core::rng::Stream;
use dumbbell_core::source::{Burst, Since, Source};
use dumbbell_core::units::{Span, Time};

fn bursts<A: Algorithm<Site = ()> + Source>(config: &A::Config, seed: u64) -> Vec<Burst> {
    let (mut source, mut rng, mut now) =
        (A::new(config, &()), Stream::named(seed, "source"), Time::ZERO);
    std::iter::from_fn(|| ask(&mut source, &mut rng, &mut now)).take(5_000).collect()
}

/// The next hand-over, over a network that acknowledges everything within 50 ms.
fn ask(source: &mut impl Source, rng: &mut Stream, now: &mut Time) -> Option<Burst> {
    let burst = source.next(*now, rng)?;
    let wait = if burst.next == Since::Acknowledged { Span::from_ms(50) } else { Span::ZERO };
    *now = *now + burst.after + wait;
    Some(burst)
}

/// The same seed gives the same traffic.
pub fn repeats_itself<A: Algorithm<Site = ()> + Source>() {
    for config in choices::<A>() {
        (0..4).for_each(|seed| assert_eq!(bursts::<A>(&config, seed), bursts::<A>(&config, seed)));
    }
}

/// No hand-over is empty; an endless source lets time pass; one that has closed stays closed; a
/// datagram fits IP.
pub fn hands_over_something<A: Algorithm<Site = ()> + Source>() {
    for config in choices::<A>() {
        let all = bursts::<A>(&config, 1);
        assert!(!all.is_empty() && all.iter().all(|b| b.bytes > 0), "{}", A::ABOUT.name);
        let (mut source, mut rng, mut now) =
            (A::new(&config, &()), Stream::named(1, "source"), Time::ZERO);
        let mut next = || ask(&mut source, &mut rng, &mut now);
        if all.len() < 5_000 {
            assert!((0..all.len()).all(|_| next().is_some()));
            assert!((0..3).all(|_| next().is_none()), "{} opens again", A::ABOUT.name);
        } else {
            let passes = |b: &Burst| b.after > Span::ZERO || b.next == Since::Acknowledged;
            assert!(all.iter().any(passes), "{}: time stands still", A::ABOUT.name);
        }
        let waits = all.iter().any(|b| b.next == Since::Acknowledged);
        assert!(
            !waits || source.awaits() && !source.datagrams(),
            "{}: a burst waits for acknowledgments, and `awaits` is false",
            A::ABOUT.name
        );
        // Of datagrams the bound is known, and is one.
        let most =
            if source.datagrams() { source.largest().unwrap_or(0).min(65_507) } else { u64::MAX };
        assert!(
            all.iter().all(|b| b.bytes <= most),
            "{}: a datagram above {most} B",
            A::ABOUT.name
        );
    }
}
