//! CUBIC against RFC 9438: its equations, its tables 1 and 2, its rules.
use super::*;

const MSS: u64 = 1000;

fn path() -> Path {
    Path { mss: MSS, initial_window: 10 * MSS, ..Path::PLAIN }
}

fn config() -> CubicConfig {
    CubicConfig { hystart: SlowStart::Standard, ..CubicConfig::default() }
}

/// One whose window is `w` segments, in congestion avoidance.
fn at(w: f64, config: &CubicConfig) -> Cubic {
    let mut c = Cubic::new(config, &path());
    (c.cwnd, c.ssthresh) = ((w * MSS as f64) as u64, MSS);
    c
}

fn ms(t: u64) -> Time {
    Time::ZERO + Span::from_ms(t)
}

fn congest(c: &mut Cubic, now: Time, cause: Cause) {
    let flight = c.cwnd;
    c.on_congestion(&Congestion::new(now, cause, flight, &[]), &mut Commands::default());
}

fn ack(c: &mut Cubic, now: Time, rtt: Span) {
    let mut a = Ack::default();
    (a.now, a.acked, a.window_limited) = (now, MSS, true);
    (a.rtt, a.srtt) = (Some(rtt), Some(rtt));
    c.on_ack(&a, &mut Commands::default());
}

/// One acknowledgment per segment, a window of them per round-trip time, until `end`.
fn run(c: &mut Cubic, mut now: Time, end: Time, rtt: Span) {
    while now < end {
        ack(c, now, rtt);
        now += rtt.scaled(MSS as f64 / c.cwnd as f64);
    }
}

fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not within {tolerance} of {b}");
}

/// W_max = 100, w(0) = 70: figures 1 and 2, worked out apart.
const CURVE: [(f64, f64); 8] = [
    (0.0, 70.0),
    (1.0, 86.681),
    (2.0, 95.640),
    (3.0, 99.279),
    (4.0, 99.996),
    (5.0, 100.192),
    (6.0, 102.267),
    (8.0, 121.653),
];

#[test]
fn the_curve() {
    let mut c = at(100.0, &config());
    congest(&mut c, ms(0), Cause::Loss);
    assert_eq!((c.cwnd, c.ssthresh), (70 * MSS, 70 * MSS));
    let epoch = c.begin_epoch(ms(0));
    near(epoch.k, 4.217163, 1e-6);
    for (t, w) in CURVE {
        near(c.cubic(t, epoch.k), w, 1e-3);
    }
}

/// The window lags W(t) by terms of RTT^2 W'' / 2 only: below 0.06 segments for 10 ms and W'' < 10
/// segments/s^2, and what a round trip rounds.
#[test]
fn the_window_follows_the_curve() {
    let plain = CubicConfig { tcp_friendliness: false, ..config() };
    let rtt = Span::from_ms(10);
    for (t, w) in CURVE {
        let mut c = at(100.0, &plain);
        congest(&mut c, ms(0), Cause::Loss);
        run(&mut c, ms(0), ms((t * 1000.0) as u64), rtt);
        near(c.segments(), w, 0.1);
    }
}

/// On a path of many round trips W(t + RTT) is far away: 1.5 times the window bounds the target.
#[test]
fn no_target_beyond_one_and_a_half_windows() {
    let mut c = at(10.0, &CubicConfig { c: 4.0, ..config() });
    ack(&mut c, ms(0), Span::from_ms(10));
    ack(&mut c, Time::ZERO + Span::from_secs(100), Span::from_ms(10));
    // 0.1 for the first acknowledgment (W_est), 0.5 w / w for the second.
    near(c.window, 10.1 + 0.5, 0.01);
}

/// Section 4.3: alpha segments per round trip until cwnd_prior, then one.
#[test]
fn as_fast_as_reno_where_reno_is_faster() {
    let (mut c, rtt) = (at(10.0, &config()), Span::from_ms(10));
    congest(&mut c, ms(0), Cause::Loss);
    run(&mut c, ms(0), ms(50), rtt);
    near(c.segments(), 7.0 + 5.0 * 9.0 / 17.0, 0.1);
    // 3 / (9 / 17) = 5.67 round trips to cwnd_prior.
    run(&mut c, ms(50), ms(157), rtt);
    near(c.segments(), 10.0 + 10.0, 0.2);
}

#[test]
fn fast_convergence() {
    let mut c = at(100.0, &config());
    congest(&mut c, ms(0), Cause::Loss);
    congest(&mut c, ms(10), Cause::Loss);
    near(c.w_max, 70.0 * 1.7 / 2.0, 1e-9);
    assert_eq!(c.cwnd, 49 * MSS);
    let mut c = at(100.0, &CubicConfig { fast_convergence: false, ..config() });
    congest(&mut c, ms(0), Cause::Loss);
    congest(&mut c, ms(10), Cause::Loss);
    near(c.w_max, 70.0, 1e-9);
}

/// Section 4.8: one segment, beta for ssthresh; the stage after slow start has K = 0 and W_max =
/// w(0).
#[test]
fn timeout() {
    let mut c = at(100.0, &config());
    congest(&mut c, ms(0), Cause::Timeout { first: true });
    assert_eq!((c.cwnd, c.ssthresh), (MSS, 70 * MSS));
    congest(&mut c, ms(1), Cause::Timeout { first: false });
    assert_eq!((c.cwnd, c.ssthresh), (MSS, 70 * MSS));
    run(&mut c, ms(10), ms(10) + Span::from_us(1), Span::from_us(1));
    while c.cwnd < c.ssthresh {
        ack(&mut c, ms(10), Span::from_ms(10));
    }
    ack(&mut c, ms(20), Span::from_ms(10));
    assert_eq!(c.epoch.unwrap().k, 0.0);
    near(c.w_max, 70.0, 1e-9);
    near(c.prior, 100.0, 1e-9);
}

/// Section 4.10: no loss yet.
#[test]
fn the_first_stage_begins_on_its_plateau() {
    let mut c = at(20.0, &config());
    ack(&mut c, ms(0), Span::from_ms(10));
    assert_eq!((c.epoch.unwrap().k, c.w_max, c.prior), (0.0, 20.0, 20.0));
}

#[test]
fn a_spurious_loss_is_undone() {
    let (mut c, rtt) = (at(100.0, &config()), Span::from_ms(10));
    congest(&mut c, ms(0), Cause::Loss);
    run(&mut c, ms(0), ms(1000), rtt);
    let before = c.clone();
    congest(&mut c, ms(1000), Cause::Loss);
    run(&mut c, ms(1010), ms(1050), rtt);
    congest(&mut c, ms(1050), Cause::Spurious);
    assert_eq!(
        (c.cwnd, c.ssthresh, c.w_max, c.prior),
        (before.cwnd, before.ssthresh, before.w_max, before.prior)
    );
    let (now, then) = (c.epoch.unwrap(), before.epoch.unwrap());
    assert_eq!((now.start, now.k, now.w_est), (then.start, then.k, then.w_est));
    // Once, and not when the window has grown beyond cwnd_prior by itself.
    congest(&mut c, ms(1060), Cause::Loss);
    c.cwnd = 200 * MSS;
    congest(&mut c, ms(1070), Cause::Spurious);
    assert_eq!(c.cwnd, 200 * MSS);
}

/// As in Linux the timeout forgets W_max, so the avoidance that follows has a `prior` of its own,
/// smaller than the window that is restored.
#[test]
fn a_spurious_timeout_is_undone_after_avoidance_has_begun() {
    let linux = CubicConfig { growth: Growth::Linux, ..config() };
    let mut c = at(58.0, &linux);
    congest(&mut c, ms(0), Cause::Timeout { first: true });
    run(&mut c, ms(10), ms(100), Span::from_ms(10));
    assert!(c.epoch.is_some() && c.segments() > c.prior && c.segments() < 58.0);
    congest(&mut c, ms(100), Cause::Spurious);
    assert_eq!((c.segments(), c.ssthresh), (58.0, MSS));
}

/// Section 4.2: t does not run while the application leaves the window unused, nor while it is
/// silent.
#[test]
fn time_stands_still_without_data() {
    let (rtt, plain) = (Span::from_ms(10), CubicConfig { tcp_friendliness: false, ..config() });
    let mut c = at(100.0, &plain);
    congest(&mut c, ms(0), Cause::Loss);
    run(&mut c, ms(0), ms(1000), rtt);
    let w = c.segments();
    for t in 100..400 {
        let mut a = Ack::default();
        (a.now, a.acked) = (ms(10 * t), MSS);
        c.on_ack(&a, &mut Commands::default());
    }
    assert_eq!(c.segments(), w);
    c.on_sent(&Sent::new(ms(9000), 1, MSS, false, 0));
    run(&mut c, ms(9000), ms(10_000), rtt);
    near(c.segments(), 95.640, 0.1);
}

/// Section 4.6 and RFC 8511: ns-3's test of ABE expects 700 and 850 of 1000 bytes in flight.
#[test]
fn ecn_echoes() {
    let small =
        Path { mss: 1, initial_window: 1000, initial_ssthresh: 1, growth_limit: 1, ..Path::PLAIN };
    for (abe, left) in [(false, 700), (true, 850)] {
        let mut c = Cubic::new(&CubicConfig { abe, ..config() }, &small);
        congest(&mut c, ms(0), Cause::Ecn);
        assert_eq!((c.cwnd, c.ssthresh), (left, left));
    }
    // Down to one segment, where a loss leaves two.
    let mut c = at(2.0, &config());
    congest(&mut c, ms(0), Cause::Loss);
    assert_eq!(c.cwnd, 2 * MSS);
    congest(&mut c, ms(0), Cause::Ecn);
    assert_eq!((c.cwnd, c.ssthresh), (1400, 2 * MSS));
    congest(&mut c, ms(0), Cause::Ecn);
    assert_eq!(c.cwnd, MSS);
}

#[test]
fn hystart_ends_the_first_slow_start_only() {
    let mut c = Cubic::new(&CubicConfig::default(), &path());
    let mut una = 1;
    for round in 0..20 {
        let nxt = una + 10 * MSS;
        while una < nxt {
            una += MSS;
            let mut a = Ack::default();
            (a.now, a.acked, a.una, a.window_limited) = (ms(100 * round), MSS, una, true);
            (a.nxt, a.rtt) = (
                if una == nxt { nxt + 10 * MSS } else { nxt },
                Some(Span::from_ms(100 + 20 * round.min(5))),
            );
            c.on_ack(&a, &mut Commands::default());
        }
    }
    assert!(c.ssthresh < u64::MAX && c.cwnd >= c.ssthresh && c.hystart.is_none(), "{c:?}");
    congest(&mut c, ms(9000), Cause::Timeout { first: true });
    assert!(c.hystart.is_none());
}

/// The average window, segments, over cycles of 1/p packets with a loss at the end of each, when
/// the first loss comes at `start` segments; and the window at the last loss.
fn average(p: f64, rtt: Span, c: f64, start: f64, cycles: u32) -> (f64, f64) {
    let mut cc = at(start, &CubicConfig { c, fast_convergence: false, ..config() });
    let (mut now, period) = (Time::ZERO, (1.0 / p) as u64);
    congest(&mut cc, now, Cause::Loss);
    for _ in 0..cycles {
        for _ in 0..period {
            ack(&mut cc, now, rtt);
            now += rtt.scaled(MSS as f64 / cc.cwnd as f64);
        }
        congest(&mut cc, now, Cause::Loss);
    }
    ((period * u64::from(cycles)) as f64 * rtt.seconds() / now.seconds(), cc.prior)
}

/// Equation 6 and tables 1 and 2 of RFC 9438. W_max is where the average is (3 + beta) / 4 of it;
/// from there the model's cycle must come back to it, and from elsewhere toward it (slowly: the
/// plateau is flat, which is the idea).
#[test]
fn the_average_window_of_the_tables() {
    let slow = Span::from_ms(100);
    for (p, c, table) in
        [(1e-4, 0.4, 187.0), (1e-5, 0.4, 1054.0), (1e-4, 4.0, 333.0), (1e-5, 0.04, 593.0)]
    {
        let equation = libm::pow(c * 3.7 / 1.2, 0.25) * libm::pow(slow.seconds() / p, 0.75);
        near(equation / table, 1.0, 0.005);
        let w_max = equation * 4.0 / 3.7;
        let (w, end) = average(p, slow, c, w_max, 10);
        near(w / equation, 1.0, 0.02);
        near(end / w_max, 1.0, 0.02);
        for away in [0.7, 1.3] {
            let (_, end) = average(p, slow, c, away * w_max, 10);
            let (before, after) = ((away - 1.0f64).abs(), (end / w_max - 1.0).abs());
            assert!(after < before - 0.02, "{p} {c}: from {away} to {}", end / w_max);
        }
    }
}

/// The same tables where Reno is faster: sqrt(3 / (2 p)), within 10 % (the model's alpha is one for
/// the average).
#[test]
fn the_average_window_of_reno() {
    for (p, rtt, table) in [(1e-3, 10, 38.0), (1e-4, 10, 120.0), (1e-5, 10, 379.0)] {
        near(average(p, Span::from_ms(rtt), 0.4, table, 60).0 / table, 1.0, 0.1);
    }
}

/// Linux's growth where Reno's window is larger: w / (W_est - w) segments acknowledged for one, at
/// least two, here 100 / 10 and 100 / 80.
#[test]
fn linux_follows_reno_where_that_is_faster() {
    for (w_est, added) in [(110.0, 0.1), (180.0, 0.5)] {
        let mut c = at(100.0, &config());
        (c.window, c.known) = (100.0, true);
        let mut epoch = Epoch { start: Time::ZERO, k: 1000.0, w_est };
        c.grow_as_linux(&mut epoch, 0.0, 1.0, None);
        near(c.window - 100.0, added, 1e-9);
    }
}

/// Linux counts segments: 0.7 of 47 are 32, whatever part of one is in flight beside them. In bytes
/// it is 0.7 of all.
#[test]
fn a_loss_leaves_whole_segments() {
    for (growth, left) in [(Growth::Linux, 32_000), (CubicConfig::default().growth, 33_110)] {
        let path = Path { whole_segments: true, ..path() };
        let mut c = Cubic::new(&CubicConfig { growth, ..config() }, &path);
        c.cwnd = 60 * MSS;
        let event = Congestion::new(ms(1), Cause::Loss, 47 * MSS + 300, &[]);
        c.on_congestion(&event, &mut Commands::default());
        assert_eq!((c.cwnd(), c.ssthresh), (left, left));
    }
}

/// Slow start by RFC 3465 adds two segments for an acknowledgment, of the size that they have.
#[test]
fn slow_start_goes_by_the_size_of_segments() {
    let path = Path { growth_limit: 2, initial_ssthresh: u64::MAX, ..path() };
    let mut c = Cubic::new(&config(), &path);
    for (mss, added) in [(1000, 2000), (500, 1000), (250, 500), (1000, 2000)] {
        c.on_mss(mss);
        let before = c.cwnd();
        let mut ack = Ack::default();
        (ack.acked, ack.window_limited) = (10 * MSS, true);
        c.on_ack(&ack, &mut Commands::default());
        assert_eq!(c.cwnd() - before, added, "{mss}");
    }
}
