use super::*;
use dumbbell_core::transport::Cause;

const MSS: u64 = 1000;

fn at_us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

fn filter() -> Filter {
    Filter::new(&WestwoodConfig::default())
}

/// 1000 bytes each 10 ms, from nothing: the filter's answer to a step.
#[test]
fn the_vector() {
    let mut f = filter();
    f.arrive(at_us(0), 1000);
    let expected = [(1, 990.10), (2, 2950.69), (10, 17_300.48), (100, 86_330.68), (200, 98_150.18)];
    let mut left = expected.iter();
    let mut next = left.next();
    for n in 1..=200 {
        f.arrive(at_us(10_000 * n), 1000);
        if let Some((at, bwe)) = next
            && *at == n
        {
            assert!((f.bwe() - bwe).abs() < 0.005, "sample {n}: {}", f.bwe());
            next = left.next();
        }
    }
    assert!(next.is_none());
}

/// The recurrence of the paper, term by term, under irregular spacing.
#[test]
fn the_recurrence() {
    let (mut f, mut bwe, mut before, mut now) = (filter(), 0.0f64, 0.0, 1000);
    f.arrive(at_us(now), 1);
    for n in 1..500u64 {
        let (step, bytes) = (1 + n * n * 7919 % 200_000, n * 31 % 5000);
        now += step;
        f.arrive(at_us(now), bytes);
        let (d, b) = (step as f64 * 1e-6, bytes as f64 / (step as f64 * 1e-6));
        bwe = (1.0 - d) / (1.0 + d) * bwe + d / (1.0 + d) * (b + before);
        before = b;
        assert!((f.bwe() - bwe).abs() <= 1e-9 * bwe, "{n}: {} {bwe}", f.bwe());
    }
}

/// Silence: a sample of nothing each 250 ms, found out with the next acknowledgment.
#[test]
fn silence_is_samples_of_nothing() {
    let mut f = filter();
    (0..=200).for_each(|n| f.arrive(at_us(10_000 * n), 1000));
    let (mut bwe, mut before) = (f.bwe(), 100_000.0);
    let mut told = |d: f64, b: f64| {
        bwe = (1.0 - d) / (1.0 + d) * bwe + d / (1.0 + d) * (b + before);
        before = b;
        bwe
    };
    // 1.1 s: at 0.25, 0.5, 0.75 and 1 s nothing, and then a sample of 0.1 s.
    (0..4).for_each(|_| _ = told(0.25, 0.0));
    let expected = told(0.1, 10_000.0);
    f.arrive(at_us(2_000_000 + 1_100_000), 1000);
    assert!((f.bwe() - expected).abs() < 1e-9 * expected, "{} {expected}", f.bwe());
    // An acknowledgment in time is none of nothing, nor is one at the very instant.
    let expected = told(0.25, 4000.0);
    f.arrive(at_us(3_350_000), 1000);
    assert!((f.bwe() - expected).abs() < 1e-9 * expected, "{} {expected}", f.bwe());
    // A day: next to nothing, at once.
    f.arrive(at_us(86_400_000_000), 1000);
    assert!(f.bwe() < 4000.0, "{}", f.bwe());
}

/// Several at one instant are one sample.
#[test]
fn what_comes_at_once_counts_together() {
    let (mut once, mut parts) = (filter(), filter());
    for f in [&mut once, &mut parts] {
        f.arrive(at_us(0), 1000);
    }
    once.arrive(at_us(10_000), 1000);
    once.arrive(at_us(20_000), 3000);
    parts.arrive(at_us(10_000), 1000);
    parts.arrive(at_us(10_000), 2000);
    parts.arrive(at_us(20_000), 1000);
    assert_eq!(once.bwe().to_bits(), parts.bwe().to_bits());
}

fn ack(acked: u64) -> Ack {
    let mut a = Ack::default();
    (a.acked, a.in_flight, a.window_limited) = (acked * MSS, 20 * MSS, true);
    a
}

fn westwood() -> Westwood {
    let path = Path { mss: MSS, initial_window: 100 * MSS, ..Path::PLAIN };
    Westwood::new(&WestwoodConfig::default(), &path)
}

/// Ten segments in each round trip of 100 ms, arriving with `spacing_us` in between: the estimate
/// at the end, bytes a second.
fn estimate(spacing_us: u64) -> f64 {
    let mut f = filter();
    for round in 0..100 {
        (0..10).for_each(|n| f.arrive(at_us(100_000 * round + spacing_us * n), 1000));
    }
    f.bwe()
}

/// Compressed acknowledgments overestimate, for the filter takes a straight line between a fast
/// sample and a slow one. Delayed ones underestimate.
#[test]
fn compressed_acks_mislead_it() {
    let even = estimate(10_000);
    assert!((even - 100_000.0).abs() < 100.0, "{even}");
    assert!(estimate(1000) > 3.0 * even, "{}", estimate(1000));
    let mut f = filter();
    (0..1000).for_each(|n| f.arrive(at_us(10_000 * n), 1000));
    // A queue that grows on the reverse path: the same data, told at half the rate.
    (1..100).for_each(|n| f.arrive(at_us(10_000_000 + 20_000 * n), 1000));
    assert!(f.bwe() < 0.55 * even, "{}", f.bwe());
}

/// 100 kB/s and 50 ms: five segments, by a loss, an echo or a timeout; never less than two; a
/// smaller window stays.
#[test]
fn the_window_after_congestion_is_what_the_path_carries() {
    let run = |cause, cwnd: u64| {
        let mut w = westwood();
        let mut a = ack(0);
        a.min_rtt = Some(Span::from_ms(50));
        for n in 0..2000 {
            a.now = at_us(10_000 * n);
            w.on_ack(&a, &mut Commands::default());
        }
        w.on_recovered(a.now, cwnd * MSS);
        w.on_congestion(&Congestion::new(a.now, cause, cwnd * MSS, &[]), &mut Commands::default());
        (w.cwnd(), w.ssthresh().unwrap())
    };
    let near = |(cwnd, ssthresh): (u64, u64), expected: (u64, u64)| {
        assert!(
            cwnd.abs_diff(expected.0) <= 1 && ssthresh.abs_diff(expected.1) <= 1,
            "{cwnd} \
            {ssthresh}"
        );
    };
    near(run(Cause::Loss, 20), (5 * MSS, 5 * MSS));
    near(run(Cause::Ecn, 20), (5 * MSS, 5 * MSS));
    near(run(Cause::Timeout { first: true }, 20), (MSS, 5 * MSS));
    near(run(Cause::Loss, 4), (4 * MSS, 5 * MSS));
    let mut fresh = westwood();
    fresh.on_congestion(
        &Congestion::new(Time::ZERO, Cause::Loss, 20 * MSS, &[]),
        &mut Commands::default(),
    );
    assert_eq!((fresh.cwnd(), fresh.ssthresh()), (2 * MSS, Some(2 * MSS)), "no estimate yet");
    fresh.on_congestion(
        &Congestion::new(Time::ZERO, Cause::Spurious, 0, &[]),
        &mut Commands::default(),
    );
    assert_eq!((fresh.cwnd(), fresh.ssthresh()), (100 * MSS, Some(u64::MAX)), "as it was");
}

/// Between congestion it is Reno.
#[test]
fn it_grows_like_reno() {
    let path = Path {
        mss: MSS,
        initial_window: 4 * MSS,
        initial_ssthresh: 30 * MSS,
        growth_limit: 1,
        ..Path::PLAIN
    };
    let mut westwood = Westwood::new(&WestwoodConfig::default(), &path);
    let mut reno = Window::new(STANDARD, &path);
    for n in 0..500 {
        let mut a = ack(n % 3);
        a.now = at_us(777 * n);
        westwood.on_ack(&a, &mut Commands::default());
        reno.grow(&a);
        assert_eq!(westwood.cwnd(), reno.cwnd());
    }
}
