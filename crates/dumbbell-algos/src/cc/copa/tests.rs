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

/// Section 2.2: nearly empty is a queueing delay below a tenth of RTTmax - RTTmin, with RTTmax the
/// largest sample of four round trips. Here that is 10 ms, until the sample of 200 ms is forgotten.
#[test]
fn a_queue_is_nearly_empty_below_a_tenth_of_the_range_of_four_round_trips() {
    let mut c = settled(50.0, &CopaConfig::default());
    let (begin, srtt) = (c.now, Span::from_ms(100));
    c.cc.competing = Some(5.0);
    for (at_ms, rtt_ms, competes) in [
        (0, 200, true),
        (100, 111, true),
        (200, 110, false),
        (390, 110, false),
        // The largest sample is 111 ms now, and a tenth of the range 1.1 ms.
        (410, 110, true),
        (500, 102, true),
        (600, 101, false),
    ] {
        c.cc.competing = Some(5.0);
        c.cc.sample(begin + Span::from_ms(at_ms), Span::from_ms(rtt_ms), srtt);
        assert_eq!(c.cc.competing.is_some(), competes, "at {at_ms} ms");
    }
}

/// Section 2.2: the sender competes when the queue was nearly empty in none of the last five round
/// trips, and not before.
#[test]
fn five_round_trips_without_an_empty_queue_are_too_many() {
    let mut c = settled(50.0, &CopaConfig::default());
    let (begin, srtt) = (c.now, Span::from_ms(100));
    c.cc.sample(begin, Span::from_ms(100), srtt);
    let mut at = |ms: u64, rtt_ms: u64| {
        c.cc.sample(begin + Span::from_ms(ms), Span::from_ms(rtt_ms), srtt);
        c.cc.competing.is_some()
    };
    // RTTstanding has the sample of 100 ms for half a round trip: the queue is empty until 40 ms.
    assert!((1..=27).all(|n| !at(20 * n, 180)), "540 ms");
    assert!(at(541, 180));
    assert!(at(560, 150));
    assert!(!at(620, 101), "one look at an empty queue ends it");
    assert!((1..=27).all(|n| !at(620 + 20 * n, 180)), "1160 ms");
    assert!(at(1161, 180));
}

/// Section 2.2: delta <= 0.5 in the competitive mode, whatever is lost.
#[test]
fn losses_do_not_make_it_weaker_than_in_the_default_mode() {
    let mut c = settled(50.0, &CopaConfig::default());
    c.rounds(8, 200);
    assert_eq!(c.gauge("competing"), 1.0);
    for _ in 0..6 {
        c.lose();
        c.rounds(1, 200);
        assert!(c.cc.target() >= 2.0, "{}", c.cc.target());
    }
    near(c.cc.target(), 2.0, 1.1);
}

/// Section 2.1: a longer path counts once the samples of the shorter one are 10 s old. Until then
/// its delay is taken for a queue.
#[test]
fn a_longer_path_is_known_after_ten_seconds() {
    let mut c = settled(50.0, &CopaConfig { competes: false, ..CopaConfig::default() });
    let begin = c.now;
    for n in 1..=110 {
        let at = begin + Span::from_ms(100 * n);
        c.cc.sample(at, Span::from_ms(150), Span::from_ms(150));
        // The sample of the shorter path came 200 ms before.
        let old = at.since(begin) <= Span::from_ms(9800);
        let queueing = if old { Span::from_ms(50) } else { Span::ZERO };
        assert_eq!(c.cc.queueing(), queueing, "after {} ms", 100 * n);
    }
}

/// Section 2.1: from 50 packets toward a target of 1000, the velocity makes it 20 round trips and
/// not the 475 that 2 packets in each would take.
#[test]
fn the_velocity_shortens_the_way() {
    let mut c = settled(50.0, &CopaConfig { competes: false, ..CopaConfig::default() });
    let trips = (1..100).find(|_| {
        // d_q = 0: any window is below the target.
        c.rounds(1, 100);
        c.w() >= 1000.0
    });
    assert!(trips.is_some_and(|n| (8..=20).contains(&n)), "{trips:?}");
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
