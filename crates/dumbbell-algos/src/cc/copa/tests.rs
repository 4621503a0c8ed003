use super::*;
use crate::cc::parts::test_connection::{MSS, TestConnection, near, path};

/// A connection of `w` segments that has seen an empty path of 100 ms and left slow start.
fn settled(w: f64, config: &CopaConfig) -> TestConnection<Model> {
    let mut c = TestConnection::<Model>::on(&path(w, true), config);
    c.cc.slow_start = false;
    c.cc.sample(c.now, Span::from_ms(100), Span::from_ms(100));
    c.now += Span::from_ms(200);
    c
}

/// Equation (1): with delta = 0.5 and d_q = 10 ms the target is 200 packets a second, 22 in a
/// standing round trip of 110 ms. Each acknowledgment moves the window by v / (delta w).
#[test]
fn it_goes_toward_the_target_rate() {
    for (w, step) in [(20.0, 2.0 / 20.0), (22.5, -2.0 / 22.5)] {
        let mut c = settled(w, &CopaConfig::default());
        c.rtt = Span::from_ms(110);
        c.ack(1);
        near(c.w(), w + step, 1e-3);
    }
    // Twice the delta: half the target.
    let mut c = settled(12.0, &CopaConfig { delta: 1.0, ..CopaConfig::default() });
    c.rtt = Span::from_ms(110);
    c.ack(1);
    near(c.w(), 12.0 - 1.0 / 12.0, 1e-3);
}

/// Section 2.1: about v / delta packets in a round trip; v doubles once the direction has
/// stayed for three round trips, and is 1 after a turn.
#[test]
fn the_velocity_doubles_after_three_round_trips_and_is_lost_in_a_turn() {
    let mut c = settled(50.0, &CopaConfig::default());
    c.rounds(1, 100);
    let mut seen = Vec::new();
    for _ in 0..5 {
        let before = c.w();
        c.rounds(1, 100);
        seen.push((c.cc.velocity, (c.w() - before).round()));
    }
    let velocities: Vec<f64> = seen.iter().map(|(v, _)| *v).collect();
    assert!(velocities.windows(2).any(|v| v[1] == 2.0 * v[0]), "{seen:?}");
    assert!(velocities.last().is_some_and(|v| *v >= 4.0), "{seen:?}");
    // A queue that stands: the direction turns, and the velocity is 1 again.
    c.rounds(3, 200);
    assert_eq!(c.cc.velocity, 1.0);
    assert_eq!(c.cc.direction, Direction::Down);
}

/// Section 2.1: RTTstanding is the smallest sample of srtt / 2, RTTmin that of 10 s.
#[test]
fn the_windows_of_the_samples() {
    let mut c = TestConnection::<Model>::on(&path(10.0, true), &CopaConfig::default());
    let start = c.now;
    let srtt = Span::from_ms(100);
    for (at_ms, rtt_ms, standing, min) in [
        (0, 100, 100, 100),
        (10, 120, 100, 100),
        (55, 130, 120, 100),
        (9_990, 140, 140, 100),
        (10_020, 150, 140, 130),
        (10_100, 160, 160, 140),
    ] {
        c.cc.sample(start + Span::from_ms(at_ms), Span::from_ms(rtt_ms), srtt);
        assert_eq!(c.cc.standing, Span::from_ms(standing), "at {at_ms}");
        assert_eq!(c.cc.min, Span::from_ms(min), "at {at_ms}");
    }
}

/// Slow start doubles the window until w / RTTstanding exceeds the target rate.
#[test]
fn slow_start_ends_at_the_target() {
    let mut c = TestConnection::<Model>::on(&path(10.0, true), &CopaConfig::default());
    c.rounds(1, 100);
    near(c.w(), 20.0, 0.01);
    // d_q = 5 ms: 2 * 105 / 5 = 42 packets.
    c.now += Span::from_ms(200);
    c.rounds(2, 105);
    assert!(!c.cc.slow_start);
    assert!((38.0..46.0).contains(&c.w()), "{}", c.w());
}

/// Section 2.2: a queue that is nearly empty in none of five round trips is somebody else's; 1 /
/// delta then grows by 1 in a round trip, a loss halves it, and an empty queue ends it.
#[test]
fn it_competes_with_who_fills_the_buffer() {
    let mut c = settled(50.0, &CopaConfig::default());
    c.rounds(1, 100);
    c.rounds(5, 180);
    c.rounds(3, 200);
    assert_eq!(c.gauge("competing"), 1.0);
    let first = c.cc.target();
    c.rounds(6, 200);
    let grown = c.cc.target();
    assert!((4.0..=7.0).contains(&(grown - first)), "{first} {grown}");
    let w = c.w();
    c.lose();
    assert_eq!(c.w(), w, "a loss takes nothing from the window");
    c.rounds(2, 200);
    assert!(c.cc.target() <= grown / 2.0 + 1.5, "{grown} {}", c.cc.target());
    c.now += Span::from_ms(200);
    c.rounds(1, 101);
    assert_eq!((c.gauge("competing"), c.cc.target()), (0.0, 2.0));
    let mut alone = settled(50.0, &CopaConfig { competes: false, ..CopaConfig::default() });
    alone.rounds(10, 200);
    assert_eq!(alone.gauge("competing"), 0.0);
}

/// The rate is two windows in a standing round trip, headers counted.
#[test]
fn it_paces_at_twice_the_window() {
    let mut c = settled(50.0, &CopaConfig { competes: false, ..CopaConfig::default() });
    c.ack(1);
    let packets = 2.0 * c.w() / 0.1;
    near(c.cc.pacing().unwrap().bps() as f64, packets * (MSS + 40) as f64 * 8.0, 200.0);
}

/// A timeout leaves a segment and slow start; one that was not due is undone.
#[test]
fn a_timeout_leaves_one_segment() {
    let mut c = settled(50.0, &CopaConfig::default());
    c.congest(Cause::Timeout { first: true });
    assert_eq!((c.w(), c.cc.slow_start), (1.0, true));
    c.congest(Cause::Spurious);
    assert_eq!(c.w(), 50.0);
}
