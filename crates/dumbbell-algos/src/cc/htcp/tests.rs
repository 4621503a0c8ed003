use super::super::newreno::Newreno;
use super::*;
use crate::cc::parts::test_connection::{TestConnection, near};

/// One that has lost at 1 ms, as ns-3's tests do; its alpha at `ms`.
fn alpha_at(ms: u64) -> f64 {
    TestConnection::<Htcp>::at(38.0, &HtcpConfig::default()).cc.alpha(Span::from_ms(ms - 1))
}

/// ns-3's vectors: (cwnd, SMSS, acknowledgment at, cwnd after it). ns-3 adds alpha bytes to
/// SMSS^2 / cwnd, where the paper has alpha SMSS^2 / cwnd; with its sum its windows tell our
/// alpha.
#[test]
fn alpha_is_that_of_the_published_tests() {
    for (cwnd, mss, ms, after) in
        [(38 * 536, 536, 1000, 20_383), (38, 1, 1100, 40), (53 * 1446, 1446, 1500, 76_671)]
    {
        let sum = f64::from(mss * mss) / f64::from(cwnd) + alpha_at(ms);
        assert_eq!(cwnd + sum as i32, after, "at {ms} ms");
    }
    near(alpha_at(1001), 1.0, 1e-12);
    near(alpha_at(3001), 1.0 + 20.0 + 1.0, 1e-12);
    near(alpha_at(11_001), 1.0 + 100.0 + 25.0, 1e-12);
}

/// alpha segments for each window acknowledged: 22 at 3 s after the loss, and 11 more in each
/// second. 500 acknowledgments at 22.55 take the window from 500 to sqrt(500^2 + 2 * 500 *
/// 22.55).
#[test]
fn a_round_trip_adds_alpha() {
    let mut d = TestConnection::<Htcp>::at(1000.0, &HtcpConfig::default());
    d.ack(1);
    d.lose();
    d.now += Span::from_secs(3);
    let w = d.w();
    d.round();
    near(d.w(), libm::sqrt(w * w + 2.0 * w * (22.0 + 11.0 * 0.05)), 0.05);
}

/// As Linux was observed: 0.5 s after delta_l a(D) is 6.0625, of which 6 count. The step before is
/// granted by the alpha of the one before it, so alpha is late by a step.
#[test]
fn a_step_is_a_segment_and_alpha_is_that_of_the_step_before() {
    let config = HtcpConfig { steps: Steps::Segment, ..Default::default() };
    let mut d = TestConnection::<Htcp>::at(1000.0, &config);
    d.ack(1);
    d.lose();
    assert_eq!(d.gauge("alpha"), 1.0);
    d.now += Span::from_ms(1500);
    let w = d.w();
    d.ack(w as u64 - 1);
    assert_eq!((d.w(), d.gauge("alpha")), (w, 1.0), "a segment is missing");
    d.ack(10);
    assert_eq!((d.w(), d.gauge("alpha")), (w + 1.0, 6.0));
    // Nine were too many, and are lost: 501 / 6 = 83.5 segments for the next step.
    d.ack(83);
    assert_eq!(d.w(), w + 1.0);
    d.ack(1);
    assert_eq!(d.w(), w + 2.0);
}

/// The queue was empty at 80 ms and full at 100: the loss takes a fifth; from the second on,
/// and only while the throughput is steady.
#[test]
fn beta_is_the_ratio_of_round_trip_times() {
    let throughput = Throughput::SinceLoss;
    let slow = HtcpConfig { delta_l: Span::from_secs(1000), throughput, ..Default::default() };
    let mut d = TestConnection::<Htcp>::at(100.0, &slow);
    let mut cycle = |rtts: &[u64]| {
        rtts.iter().for_each(|rtt| d.rounds(5, *rtt));
        d.lose();
        (d.gauge("beta"), d.gauge("rtt_max"))
    };
    let (first, rtt_max) = cycle(&[80, 100]);
    assert_eq!(first, 0.5);
    near(rtt_max, 0.099, 1e-9);
    let throughput = 110.0 / 0.09;
    // Half the window, half the throughput: the switch.
    assert_eq!(cycle(&[80, 100]).0, 0.5);
    assert!(d.gauge("throughput") / 8000.0 < 0.8 * throughput);
    // 28 segments, 33 and so on: each cycle about half the one before, until the windows
    // settle.
    let mut steady =
        TestConnection::<Htcp>::at(100.0, &HtcpConfig { use_bandwidth_switch: false, ..slow });
    for beta in [0.5, 0.8, 0.8] {
        [80, 100].iter().for_each(|rtt| steady.rounds(5, *rtt));
        let before = steady.w();
        steady.lose();
        assert_eq!(steady.gauge("beta"), beta);
        near(steady.w(), beta * before, 0.01);
    }
    // Between the bounds it is the ratio itself.
    steady.rounds(5, 80);
    steady.rounds(1, 120);
    steady.lose();
    near(steady.gauge("beta"), 80.0 / 120.0, 1e-9);
}

/// 100 segments in 100 ms, and 50 in the same after the window was halved.
#[test]
fn the_throughput_before_a_loss() {
    let mut d = TestConnection::<Htcp>::at(
        100.0,
        &HtcpConfig { delta_l: Span::from_secs(1000), ..Default::default() },
    );
    d.rounds(5, 100);
    d.lose();
    near(d.gauge("throughput"), 8.0 * 103.5e3 / 0.1, 2e5);
    d.rounds(20, 100);
    d.lose();
    near(d.gauge("throughput"), 8.0 * 70.5e3 / 0.1, 2e5);
    assert_eq!(d.gauge("beta"), 0.5);
    // 34 grow to 58, and 29 to 58 again: not a fifth of a difference.
    for beta in [0.8, 0.8] {
        let before = d.w();
        while d.w() < 66.0 {
            d.rounds(1, 100);
        }
        d.lose();
        assert_eq!(d.gauge("beta"), beta, "{before}");
    }
}

/// What the losses of one flow of Linux 6.12 over 10 Mbit/s and RED left, at 200 ms. The first two
/// come before a window is over. Of the throughputs only matters whether one differs from the last
/// by more than a fifth.
#[test]
fn a_change_counts_for_two_losses() {
    let config = HtcpConfig {
        throughput: Throughput::Smoothed,
        delta_l: Span::from_secs(1000),
        ..Default::default()
    };
    let mut d = TestConnection::<Htcp>::at(100.0, &config);
    d.rounds(3, 200);
    let kernel = [(0.0, 0.50), (0.0, 0.75), (8.6, 0.50), (8.6, 0.50), (9.2, 0.75), (9.3, 0.75)];
    for (n, (mbps, beta)) in kernel.into_iter().enumerate() {
        d.cc.trip.throughput = mbps * 1e6 / 8.0;
        d.cc.now.rtt_max = Span::from_ms(267);
        d.lose();
        near(d.gauge("beta"), beta, 0.005);
        assert_eq!(d.gauge("throughput"), mbps * 1e6, "{n}");
    }
}

/// Windows of 10 segments, 20 ms each, of which one lasts for 10 ms more than its acknowledgments
/// because of a repair.
#[test]
fn a_mean_of_windows() {
    let mut trip = Trip::default();
    let at = |trip: &mut Trip, ms: u64, segments: u64, phase: Phase| {
        let mut ack = Ack::default();
        (ack.now, ack.acked, ack.nxt) = (Time::ZERO + Span::from_ms(ms), segments * 1000, 1);
        ack.phase = phase;
        trip.smooth(&ack, 9000, Span::from_ms(20));
        trip.throughput
    };
    // The first starts the clock. Nine segments are enough, but not before 20 ms are over.
    assert_eq!(at(&mut trip, 0, 2, Phase::Open), 0.0);
    assert_eq!(at(&mut trip, 10, 8, Phase::Open), 0.0);
    assert_eq!(at(&mut trip, 15, 1, Phase::Open), 0.0);
    near(at(&mut trip, 20, 1, Phase::Open), 10e3 / 0.02, 1e-6);
    // What a repair acknowledges does not count, but its time does.
    let before = trip.throughput;
    assert_eq!(at(&mut trip, 40, 8, Phase::Open), before);
    assert_eq!(at(&mut trip, 45, 20, Phase::Recovery), before);
    near(at(&mut trip, 50, 1, Phase::Open), 0.75 * before + 0.25 * 9e3 / 0.03, 1e-6);
}

/// 1.5 s after a loss, and 1 s after its repair: the paper's steps have grown for half a
/// second, and those of Linux begin to.
#[test]
fn the_time_may_count_from_the_repair() {
    let alpha = |clock| {
        let config = HtcpConfig { clock, ..Default::default() };
        let mut d = TestConnection::<Htcp>::at(1000.0, &config);
        d.ack(1);
        d.lose();
        d.now += Span::from_ms(500);
        d.cc.on_recovered(d.now, u64::MAX);
        d.now += Span::from_ms(1000);
        d.ack(1);
        d.gauge("alpha")
    };
    near(alpha(Clock::Loss), 1.0 + 5.0 + 0.0625, 0.02);
    near(alpha(Clock::Recovered), 1.0, 0.02);
}

/// 10 ms: 10 times as many round trips, each with a tenth of the increase; never less than
/// Reno's.
#[test]
fn rtt_scaling() {
    let config = HtcpConfig { use_rtt_scaling: true, ..Default::default() };
    for (rtt_ms, scale) in [(10, 10.0), (5, 10.0), (100, 1.0), (400, 0.5)] {
        let mut d = TestConnection::<Htcp>::at(100.0, &config);
        d.rounds(1, rtt_ms);
        d.lose();
        near(d.cc.alpha(Span::from_secs(11)), 126.0 / scale, 1e-9);
        near(d.cc.alpha(Span::from_ms(500)), (1.0f64 / scale).max(1.0), 1e-9);
    }
}

/// While Delta_L does not pass and beta stays at a half, it is NewReno to the byte.
#[test]
fn before_delta_l_it_is_newreno() {
    let config = HtcpConfig { delta_l: Span::from_secs(1000), beta_max: 0.5, ..Default::default() };
    let mut d = TestConnection::<Htcp>::at(20.0, &config);
    let mut reno = TestConnection::<Newreno>::at(20.0, &Default::default());
    for i in 0..400 {
        d.ack(1);
        reno.ack(1);
        d.now += Span::from_ms(5);
        assert_eq!(d.cc.cwnd(), reno.cc.cwnd(), "{i}");
        if i % 97 == 96 {
            d.lose();
            reno.lose();
        }
    }
}

#[test]
fn an_undone_loss_leaves_no_trace() {
    let mut d = TestConnection::<Htcp>::at(100.0, &HtcpConfig::default());
    d.rounds(5, 80);
    d.rounds(5, 100);
    let (before, w) = (d.cc.now, d.cc.cwnd());
    d.lose();
    d.congest(Cause::Spurious);
    let now = d.cc.now;
    assert_eq!(d.cc.cwnd(), w);
    assert_eq!((now.since, now.acked, now.beta), (before.since, before.acked, before.beta));
    assert_eq!((now.rtt_max, now.throughput), (before.rtt_max, before.throughput));
}
