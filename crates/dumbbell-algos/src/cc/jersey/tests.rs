use super::*;

const MSS: u64 = 1000;
const RTT: Span = Span::from_ms(100);

fn at_ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// RTT 0.1 s, 1000 bytes each 10 ms, from nothing.
#[test]
fn the_vector() {
    let mut e = Estimate::default();
    e.arrive(at_ms(0), 1000, RTT, false);
    let mut seen = vec![e.rate()];
    for n in 1..=300 {
        e.arrive(at_ms(10 * n), 1000, RTT, false);
        seen.push(e.rate());
    }
    let expected = [
        (0, 0.0),
        (1, 9090.909),
        (2, 17_355.372),
        (3, 24_868.520),
        (10, 61_445.671),
        (50, 99_148.145),
    ];
    for (n, rate) in expected {
        assert!((seen[n] - rate).abs() < 0.001, "{n}: {}", seen[n]);
    }
    assert!((seen[300] - 100_000.0).abs() < 1e-3, "the limit");
}

/// L / D whatever the memory.
#[test]
fn the_limit_does_not_depend_on_the_round_trip() {
    for rtt in [5, 40, 700] {
        let mut e = Estimate::default();
        (0..5000).for_each(|n| e.arrive(at_ms(4 * n), 1000, Span::from_ms(rtt), false));
        assert!((e.rate() - 250_000.0).abs() < 1.0, "{rtt}: {}", e.rate());
    }
}

fn ack(n: u64, ece: bool) -> Ack {
    let mut a = Ack::default();
    (a.now, a.acked, a.in_flight, a.window_limited, a.ece) =
        (at_ms(10 * n), MSS, 20 * MSS, true, ece);
    (a.srtt, a.min_rtt, a.rtt) = (Some(RTT), Some(Span::from_ms(50)), Some(Span::from_ms(120)));
    a
}

/// A connection with a window of 50 segments in congestion avoidance, after 20 s at 100 kB/s.
/// `ago`: how many milliseconds before the end a warning came, if one did.
fn jersey(config: &JerseyConfig, ago: Option<u64>) -> Jersey {
    let path = Path {
        mss: MSS,
        initial_window: 50 * MSS,
        initial_ssthresh: 1,
        growth_limit: 1,
        ..Path::PLAIN
    };
    let mut j = Jersey::new(config, &path);
    for n in 0..2000 {
        let mut a = ack(n, ago.is_some_and(|ago| 20_000 - 10 * n == ago));
        a.window_limited = false;
        j.on_ack(&a, &mut Commands::default());
    }
    j
}

/// The window and the threshold after congestion.
fn after(mut j: Jersey, cause: Cause) -> (u64, Option<u64>) {
    let event = Congestion::new(at_ms(20_000), cause, 50 * MSS, &[]);
    j.on_congestion(&event, &mut Commands::default());
    (j.cwnd(), j.ssthresh())
}

/// RTT R = 10 segments, by a warning, a loss with one, a timeout; nothing by a loss without.
#[test]
fn a_warning_tells_congestion_from_the_air() {
    let plain = JerseyConfig::default();
    let pipe = jersey(&plain, None).0.ownd();
    assert!(pipe.abs_diff(10 * MSS) <= 1, "{pipe}");
    assert_eq!(after(jersey(&plain, None), Cause::Loss), (50 * MSS, Some(1)));
    assert_eq!(after(jersey(&plain, Some(110)), Cause::Loss), (50 * MSS, Some(1)), "too long ago");
    assert_eq!(after(jersey(&plain, Some(100)), Cause::Loss), (pipe, Some(pipe)));
    assert_eq!(after(jersey(&plain, Some(10)), Cause::Ecn), (pipe, Some(pipe)));
    assert_eq!(after(jersey(&plain, None), Cause::Timeout { first: true }), (MSS, Some(pipe)));
    assert_eq!(after(jersey(&plain, None), Cause::Timeout { first: false }), (MSS, Some(1)));
}

/// 50 ms: five segments; 120 ms: twelve.
#[test]
fn the_round_trip_time_is_a_choice() {
    for (rtt, segments) in [(Rtt::Smoothed, 10), (Rtt::Min, 5), (Rtt::Last, 12)] {
        let pipe = jersey(&JerseyConfig { rtt }, None).0.ownd();
        assert!(pipe.abs_diff(segments * MSS) <= 1, "{rtt:?} {pipe}");
    }
}

/// A warning never raises the window, and never takes it below two segments.
#[test]
fn the_window_after_a_warning_has_bounds() {
    let plain = JerseyConfig::default();
    let mut small = jersey(&plain, Some(10));
    small.on_recovered(at_ms(20_000), 4 * MSS);
    assert_eq!(after(small, Cause::Ecn).0, 4 * MSS);
    let path = Path { mss: MSS, initial_window: 50 * MSS, ..Path::PLAIN };
    let fresh = Jersey::new(&plain, &path);
    assert_eq!(after(fresh, Cause::Ecn), (2 * MSS, Some(2 * MSS)), "no estimate yet");
}

/// Duplicates report arrivals; the acknowledgment after them does not report these again.
#[test]
fn a_loss_does_not_move_the_estimate() {
    let mut j = jersey(&JerseyConfig::default(), None);
    for n in 2000..2010 {
        let mut duplicate = ack(n, false);
        duplicate.acked = 0;
        j.on_ack(&duplicate, &mut Commands::default());
    }
    let mut whole = ack(2010, false);
    whole.acked = 11 * MSS;
    j.on_ack(&whole, &mut Commands::default());
    assert!((j.0.estimate.rate() - 100_000.0).abs() < 1.0, "{}", j.0.estimate.rate());
}

/// Without warnings it grows like Reno, by whatever it estimates.
#[test]
fn it_grows_like_reno() {
    let path = Path {
        mss: MSS,
        initial_window: 4 * MSS,
        initial_ssthresh: 30 * MSS,
        growth_limit: 1,
        ..Path::PLAIN
    };
    let (mut j, mut reno) =
        (Jersey::new(&JerseyConfig::default(), &path), Window::new(STANDARD, &path));
    for n in 0..500 {
        let a = ack(n, n % 7 == 6);
        j.on_ack(&a, &mut Commands::default());
        reno.grow(&a);
        assert_eq!(j.cwnd(), reno.cwnd());
    }
}
