use super::super::newreno::Newreno;
use super::*;
use crate::cc::parts::test_connection::{TestConnection, near};

/// As in Linux: acknowledgments of two segments let it grow twice as fast, above `low_window`.
#[test]
fn delayed_acknowledgments_are_compensated() {
    let config = BicConfig { delayed_acks: DelayedAcks::Compensated, ..Default::default() };
    let mut bic = TestConnection::<Bic>::at(1000.0, &config).cc;
    bic.last_max = 1000.0;
    assert_eq!((bic.increment(800.0), bic.increment(14.0)), (32.0, 1.0));
    let mut every = TestConnection::<Bic>::at(1000.0, &config);
    every.rounds(1, 100);
    near(every.cc.per_ack, 1.0, 1e-6);
}

/// What the profile `linux` has.
fn kernels() -> BicConfig {
    BicConfig { delayed_acks: DelayedAcks::Compensated, fixed_point: true, ..Default::default() }
}

/// Linux 6.12 over 10 Mbit/s and Drop Tail, and over RED (97, 60): the segments acknowledged
/// from one growth to the next.
#[test]
fn whole_numbers_are_the_kernels() {
    let mut bic = TestConnection::<Bic>::at(1000.0, &kernels()).cc;
    let seen = [
        (121.0, 109.0, 18),
        (121.0, 110.0, 27),
        (121.0, 112.0, 28),
        (121.0, 114.0, 285),
        (121.0, 124.0, 310),
        (121.0, 125.0, 46),
        (121.0, 126.0, 37),
        (121.0, 127.0, 31),
        (141.0, 112.0, 8),
        (20.0, 36.0, 3),
        (20.0, 60.0, 2),
        (20.0, 96.0, 3),
    ];
    for (goal, w, segments) in seen {
        bic.last_max = goal;
        assert_eq!(libm::round(w / bic.increment(w)) as u64, segments, "{goal} {w}");
    }
    // An acknowledgment of one segment takes a sixteenth from the mean of two, once.
    let single = bic.smooth(1.0);
    assert_eq!((bic.per_ack, single), (2.0, 31.0 / 16.0));
    bic.per_ack = single;
    assert_eq!((bic.smooth(1.0), bic.smooth(2.0)), (single, 2.0));
    // Thresholds after losses at 135 and 130 segments: 107 and 103, where 0.8 leaves 108, 104.
    for (w, left) in [(135.0, 107.0), (130.0, 103.0), (164.0, 131.0)] {
        let mut path = TestConnection::<Bic>::at(w, &kernels());
        path.lose();
        assert_eq!(libm::floor(path.ssthresh()), left);
    }
}

/// The steps of its equations around a goal of 1000 segments, by hand.
#[test]
fn steps() {
    let mut bic = TestConnection::<Bic>::at(1000.0, &BicConfig::default()).cc;
    bic.last_max = 1000.0;
    let far = [
        (14.0, 1.0),
        (800.0, 16.0),
        (936.0, 16.0),
        (940.0, 15.0),
        (995.0, 1.25),
        (996.0, 0.2),
        (999.0, 0.2),
    ];
    let beyond = [
        (1000.0, 0.2),
        (1003.9, 0.2),
        (1004.0, 4.0 / 3.0),
        (1030.0, 10.0),
        (1048.0, 16.0),
        (9e4, 16.0),
    ];
    for (w, step) in far.into_iter().chain(beyond) {
        near(bic.increment(w), step, 1e-9);
    }
    bic.last_max = 0.0;
    near(bic.increment(15.0), 5.0, 1e-9);
    near(bic.increment(100.0), 16.0, 1e-9);
    near(bic.increment(1000.0), 50.0, 1e-9);
}

/// Beyond its goal by 40 segments a window of 60 grows for each two that are acknowledged. What
/// counted toward a slower growth lets it grow by one segment at most, and none after a loss.
#[test]
fn whole_numbers_are_counted() {
    let mut bic = TestConnection::<Bic>::at(60.0, &kernels());
    bic.cc.last_max = 20.0;
    let grown: Vec<_> = (0..3)
        .map(|_| {
            bic.ack(2);
            bic.w()
        })
        .collect();
    assert_eq!(grown, [61.0, 62.0, 63.0]);
    bic.cc.last_max = 71.0;
    bic.cc.holds = (0, 0);
    bic.ack(2);
    assert_eq!((bic.cc.per_growth, bic.w()), (15, 63.0));
    bic.cc.counted = 14 * bic.cc.window.mss();
    (bic.cc.last_max, bic.cc.holds) = (20.0, (0, 0));
    bic.ack(1);
    assert_eq!((bic.cc.per_growth, bic.w()), (2, 64.0));
    bic.lose();
    assert_eq!(bic.cc.counted, 0);
}

/// From 0.8 m in steps of S until m - w = B S, then dw / dt = (m - w) / B until w = m - B: for
/// m = 1000, (200 - 64) / 16 = 8.5 and 4 ln(64 / 4) = 11.1 round trips.
#[test]
fn the_search_takes_the_time_of_its_closed_form() {
    let mut d = TestConnection::<Bic>::at(1000.0, &BicConfig::default());
    d.lose();
    assert_eq!((d.w(), d.ssthresh(), d.gauge("last_max")), (800.0, 800.0, 1000.0));
    let mut rounds = 0;
    while d.w() < 996.0 {
        d.round();
        rounds += 1;
    }
    assert!((19..=21).contains(&rounds), "{rounds}");
    // The plateau: 0.2 segments per round trip from m - B to m + B, 40 of them.
    d.rounds(30, 100);
    near(d.w(), 996.0 + 6.0, 2.0);
    assert!(d.w() < 1004.0);
}

#[test]
fn fast_convergence() {
    for (fast_convergence, goal) in [(true, 720.0), (false, 800.0)] {
        let mut d = TestConnection::<Bic>::at(
            1000.0,
            &BicConfig { fast_convergence, ..Default::default() },
        );
        d.lose();
        d.lose();
        near(d.gauge("last_max"), goal, 1e-9);
        assert_eq!(d.w(), 640.0);
    }
}

#[test]
fn a_timeout_forgets_the_goal_and_an_undone_loss_does_not() {
    let mut d = TestConnection::<Bic>::at(1000.0, &BicConfig::default());
    d.lose();
    d.lose();
    d.congest(Cause::Spurious);
    assert_eq!((d.gauge("last_max"), d.w()), (1000.0, 800.0));
    d.congest(Cause::Timeout { first: true });
    assert_eq!((d.gauge("last_max"), d.w(), d.ssthresh()), (0.0, 1.0, 640.0));
    d.congest(Cause::Timeout { first: false });
    assert_eq!(d.ssthresh(), 640.0);
}

/// Within the low window NewReno, to the byte.
#[test]
fn small_windows_are_renos() {
    let mut d = TestConnection::<Bic>::at(7.0, &BicConfig::default());
    let mut reno = TestConnection::<Newreno>::at(7.0, &Default::default());
    for i in 0..300 {
        d.ack(1);
        reno.ack(1);
        assert_eq!(d.cc.cwnd(), reno.cc.cwnd(), "{i}");
        if i % 60 == 59 {
            d.lose();
            reno.lose();
        }
    }
}
