use super::super::reno::Reno;
use super::*;
use crate::cc::parts::test_connection::{MSS, TestConnection, near, path};

/// 2 Mbps in packets of 1000 + 40 bytes: 240.4 segments a second, 24.04 in a round trip of 100 ms.
fn config() -> TcpMarkingConfig {
    TcpMarkingConfig { target: Some(Rate::from_mbps(2)), ..TcpMarkingConfig::default() }
}

/// In congestion avoidance with a window of `w` segments, of which `p` are IN.
fn at(w: f64, p: f64, config: &TcpMarkingConfig) -> TestConnection<TcpMarking> {
    let mut d = TestConnection::<TcpMarking>::on(&path(w, false), config);
    d.cc.marking.as_mut().unwrap().pwnd = p * MSS as f64;
    d
}

fn windows(d: &TestConnection<TcpMarking>) -> (f64, f64) {
    (d.gauge("pwnd") / MSS as f64, d.gauge("bwnd") / MSS as f64)
}

fn lose(d: &mut TestConnection<TcpMarking>, cause: Cause, tags: &[Tag]) {
    let event = Congestion::new(d.now, cause, d.cc.cwnd(), tags);
    d.cc.on_congestion(&event, &mut Commands::default());
}

#[test]
fn without_a_target_it_is_reno() {
    for target in [None, Some(Rate::from_bps(0))] {
        let config = TcpMarkingConfig { target, ..TcpMarkingConfig::default() };
        let (mut d, mut reno) = (
            TestConnection::<TcpMarking>::at(20.0, &config),
            TestConnection::<Reno>::at(20.0, &Default::default()),
        );
        assert_eq!(d.cc.capabilities(), reno.cc.capabilities());
        for i in 0..400 {
            d.ack(1);
            reno.ack(1);
            if i % 97 == 96 {
                let cause =
                    [Cause::Loss, Cause::Ecn, Cause::Timeout { first: true }, Cause::Spurious]
                        [i / 97 % 4];
                d.congest(cause);
                reno.congest(cause);
            }
            assert_eq!((d.cc.cwnd(), d.cc.ssthresh()), (reno.cc.cwnd(), reno.cc.ssthresh()), "{i}");
        }
        assert_eq!(d.cc.on_sent(&Sent::new(d.now, 1, MSS, false, 0)), Tag(0));
    }
}

/// Below the target a segment a round trip is added to pwnd and bwnd stays; above, one is taken
/// from it and bwnd has two more. The throughput is what a second brought: 20 segments in 100 ms
/// are 1.664 Mbps of packets, 40 are 3.328.
#[test]
fn the_windows_go_by_the_target() {
    let mut d = at(20.0, 5.0, &config());
    d.round();
    let (p, b) = windows(&d);
    near(p, 6.0, 0.05);
    near(b, 15.0, 0.01);
    (0..12).for_each(|_| d.round());
    assert!((1.6e6..2e6).contains(&d.gauge("throughput")), "{}", d.gauge("throughput"));
    let mut d = at(40.0, 20.0, &config());
    (0..10).for_each(|_| d.round());
    near(d.gauge("throughput"), 0.0, 1e-9);
    // The second is over with the next round.
    d.round();
    assert!((3.3e6..4.2e6).contains(&d.gauge("throughput")), "{}", d.gauge("throughput"));
    let (p, b) = windows(&d);
    d.round();
    let (p2, b2) = windows(&d);
    near(p2 - p, -1.0, 0.05);
    near(b2 - b, 2.0, 0.05);
    // In the end nothing is IN, and never less than nothing.
    (0..100).for_each(|_| d.round());
    assert_eq!((windows(&d).0, d.gauge("share")), (0.0, 0.0));
}

/// 12 IN and 20 OUT on their way.
#[test]
fn what_was_lost_says_which_window_gives() {
    for (tags, left) in [
        (vec![OUT], (12.0, 10.0)),
        (vec![IN], (6.0, 10.0)),
        (vec![OUT, IN], (6.0, 10.0)),
        (vec![], (6.0, 10.0)),
    ] {
        let mut d = at(32.0, 12.0, &config());
        lose(&mut d, Cause::Loss, &tags);
        assert_eq!(windows(&d), left, "{tags:?}");
        assert_eq!(d.w(), d.ssthresh());
    }
    let mut d = at(32.0, 12.0, &config());
    lose(&mut d, Cause::Timeout { first: true }, &[OUT]);
    assert_eq!((windows(&d), d.ssthresh()), ((0.0, 1.0), 16.0));
    lose(&mut d, Cause::Spurious, &[]);
    assert_eq!(windows(&d), (12.0, 20.0));
    let mut d = at(32.0, 12.0, &config());
    lose(&mut d, Cause::Ecn, &[]);
    assert_eq!(windows(&d), (6.0, 10.0));
}

/// An IN segment that is found later makes the loss a severe one, once; without `further` it does
/// not.
#[test]
fn a_severe_loss_may_be_found_later() {
    for (further, left) in [(true, (6.0, 10.0)), (false, (12.0, 10.0))] {
        let mut d = at(32.0, 12.0, &TcpMarkingConfig { further, ..config() });
        lose(&mut d, Cause::Loss, &[OUT]);
        for tags in [[OUT], [IN], [IN]] {
            lose(&mut d, Cause::Further, &tags);
        }
        assert_eq!(windows(&d), left);
        assert_eq!(d.w(), d.ssthresh());
    }
}

/// P of what goes is IN: by chance within four standard deviations, or evenly to the segment.
#[test]
fn a_share_of_the_segments_is_in() {
    for (choice, tolerance) in
        [(MarkingChoice::Random, 4.0 * libm::sqrt(0.21 * 10_000.0)), (MarkingChoice::Even, 1.0)]
    {
        let mut d = at(20.0, 6.0, &TcpMarkingConfig { choice, ..config() });
        d.cc.seed(7);
        let sent = Sent::new(d.now, 1, MSS, false, 0);
        let inside = (0..10_000).filter(|_| d.cc.on_sent(&sent) == IN).count();
        near(inside as f64, 3000.0, tolerance);
    }
}

/// Slow start doubles both windows, or pwnd takes all of it. A window that is lowered keeps its
/// share.
#[test]
fn slow_start_grows_in_proportion_or_not() {
    for (slow_start, after) in
        [(SlowStartGrowth::Proportional, (10.0, 10.0)), (SlowStartGrowth::Marked, (15.0, 5.0))]
    {
        let mut d = TestConnection::<TcpMarking>::on(
            &path(10.0, true),
            &TcpMarkingConfig { slow_start, ..config() },
        );
        d.cc.marking.as_mut().unwrap().pwnd = 5.0 * MSS as f64;
        d.round();
        let (p, b) = windows(&d);
        near(p, after.0, 1e-9);
        near(b, after.1, 1e-9);
        d.cc.on_idle(4 * MSS);
        near(d.gauge("share"), after.0 / 20.0, 1e-9);
    }
}
