use super::*;

const MSS: u64 = 1000;
const RTT: Span = Span::from_ms(100);

fn at_us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// `rounds` round trips of 100 ms with 10 segments each, `spacing_us` apart; 100 kB/s.
fn rounds(filter: Filter, rounds: u64, spacing_us: u64) -> Estimator {
    let mut e = Estimator::new(filter);
    for round in 0..rounds {
        (0..10).for_each(|n| e.arrive(at_us(100_000 * round + spacing_us * n), MSS, Some(RTT)));
    }
    e
}

/// The card's single pole of 0.9 under a constant 100 kB/s, from nothing.
#[test]
fn the_vector_of_the_single_pole() {
    let mut e = Estimator::new(Filter::Ns3);
    let mut seen = Vec::new();
    for _ in 0..30 {
        e.sample(100_000.0);
        seen.push(e.bwe());
    }
    for (n, expected) in
        [(1, 10_000.0), (2, 19_000.0), (3, 27_100.0), (10, 65_132.16), (30, 95_760.88)]
    {
        assert!((seen[n - 1] - expected).abs() < 0.005, "{n}: {}", seen[n - 1]);
    }
    // Two samples in a mean: 0.9 * 95760.88 + 0.1 * (100000 + 40000) / 2.
    e.sample(40_000.0);
    assert!((e.bwe() - 93_184.796).abs() < 0.005, "{}", e.bwe());
}

/// Linux: the first sample into both low-passes; then n = (7 n + b) / 8, est = (7 est + n) / 8.
#[test]
fn the_two_low_passes() {
    let mut e = Estimator::new(Filter::Linux);
    e.sample(80_000.0);
    assert_eq!(e.bwe(), 80_000.0);
    e.sample(160_000.0);
    assert_eq!((e.inner, e.bwe()), (90_000.0, 81_250.0));
    e.sample(0.0);
    assert_eq!((e.inner, e.bwe()), (78_750.0, 80_937.5));
}

/// A window closes with the first acknowledgment after it, which belongs to the next one: Linux
/// after more than a round trip and than 50 ms.
#[test]
fn windows_of_time() {
    let after = |filter, rtt: u64, times: &[u64]| {
        let mut e = Estimator::new(filter);
        times.iter().for_each(|t| e.arrive(at_us(*t), MSS, Some(Span::from_us(rtt))));
        e.bwe()
    };
    // The first one begins the clock; 20 000, 40 000 and 100 000 are within.
    let seen = [0, 20_000, 40_000, 100_000];
    assert_eq!(after(Filter::Linux, 100_000, &seen), 0.0);
    let more = [&seen[..], &[120_000]].concat();
    assert_eq!(after(Filter::Linux, 100_000, &more), 3000.0 / 0.12);
    assert_eq!(after(Filter::Ns3, 100_000, &seen), 0.1 * 2000.0 / 0.1);
    // 10 ms of round trip: Linux waits for 50 ms.
    assert_eq!(after(Filter::Linux, 10_000, &[0, 20_000, 40_000, 50_000]), 0.0);
    assert_eq!(after(Filter::Linux, 10_000, &[0, 20_000, 40_000, 51_000]), 2000.0 / 0.051);
}

/// Compression that misleads Westwood by more than three times moves it by less than a tenth.
#[test]
fn compressed_acks_do_not_mislead_it() {
    for filter in [Filter::Linux, Filter::Ns3] {
        let (even, compressed) =
            (rounds(filter, 100, 10_000).bwe(), rounds(filter, 100, 1000).bwe());
        // Windows longer than a round trip hold whole numbers of acknowledgments: Linux's of 110
        // ms, eleven less the first.
        assert!((even - 100_000.0).abs() < 10_000.0, "{filter:?} {even}");
        assert!(
            (compressed - 100_000.0).abs() < 10_000.0 && compressed < 1.1 * even,
            "{filter:?} \
            {compressed}"
        );
    }
}

fn made(cut: Cut) -> WestwoodPlus {
    let path = Path { mss: MSS, initial_window: 20 * MSS, ..Path::PLAIN };
    let mut w =
        WestwoodPlus::new(&WestwoodPlusConfig { cut, ..WestwoodPlusConfig::default() }, &path);
    for n in 0..300 {
        w.on_ack(&ack(n, 50), &mut Commands::default());
    }
    w
}

/// An acknowledgment of a segment each 10 ms.
fn ack(n: u64, rtt_ms: u64) -> Ack {
    let mut a = Ack::default();
    (a.now, a.acked, a.rtt) = (at_us(10_000 * n), MSS, Some(Span::from_ms(rtt_ms)));
    a
}

fn event(cause: Cause) -> Congestion<'static> {
    Congestion::new(at_us(3_000_000), cause, 20 * MSS, &[])
}

/// 100 kB/s times 50 ms: five segments, when the loss is found, or when it is repaired.
#[test]
fn when_the_estimate_becomes_the_window() {
    let pipe = made(Cut::Loss).pipe();
    assert!(pipe.abs_diff(5 * MSS) < MSS / 5, "{pipe}");
    let mut at_once = made(Cut::Loss);
    at_once.on_congestion(&event(Cause::Loss), &mut Commands::default());
    assert_eq!((at_once.cwnd(), at_once.ssthresh()), (pipe, Some(pipe)));
    let mut later = made(Cut::Recovered);
    later.on_congestion(&event(Cause::Loss), &mut Commands::default());
    assert_eq!((later.cwnd(), later.ssthresh()), (10 * MSS, Some(10 * MSS)));
    later.on_recovered(at_us(3_100_000), u64::MAX);
    assert_eq!((later.cwnd(), later.ssthresh()), (pipe, Some(pipe)));
    let mut timeout = made(Cut::Recovered);
    timeout.on_congestion(&event(Cause::Timeout { first: true }), &mut Commands::default());
    assert_eq!((timeout.cwnd(), timeout.ssthresh()), (MSS, Some(pipe)));
}

/// A timeout may mean another path: the next sample replaces the smallest one, which counts until
/// then.
#[test]
fn a_timeout_renews_the_least_round_trip() {
    let mut w = made(Cut::Loss);
    w.on_congestion(&event(Cause::Timeout { first: true }), &mut Commands::default());
    assert_eq!(w.rtt_min, Span::from_ms(50));
    w.on_ack(&ack(301, 80), &mut Commands::default());
    assert_eq!(w.rtt_min, Span::from_ms(80));
    w.on_ack(&ack(302, 90), &mut Commands::default());
    w.on_ack(&ack(303, 70), &mut Commands::default());
    assert_eq!(w.rtt_min, Span::from_ms(70));
}
