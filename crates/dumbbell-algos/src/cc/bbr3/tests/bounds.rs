//! What losses make of the bounds on rate and inflight.
use super::*;

/// A loss above 2 % of what was in flight while probing: where it crossed that is the bound, and
/// the probe is over; once.
#[test]
fn too_much_in_flight() {
    let mut run = Run::at(State::Up);
    run.loss(100 * MSS, 2 * MSS, MSS);
    assert_eq!(
        (run.cc.state, run.cc.bounds.inflight_hi),
        (State::Up, u64::MAX),
        "2 % is tolerated"
    );
    // 98 in flight before the segment and one lost: (0.02 * 98 - 1) / 0.98 segments of it make 2 %.
    run.loss(99 * MSS, 2 * MSS, MSS);
    assert_eq!((run.cc.state, run.cc.bounds.inflight_hi), (State::Down, 98_979));
    run.loss(50 * MSS, 40 * MSS, MSS);
    assert_eq!(run.cc.bounds.inflight_hi, 98_979, "the answer was given");
    // Never below 0.7 of the target.
    let mut run = Run::at(State::Up);
    run.loss(20 * MSS, 10 * MSS, MSS);
    assert_eq!(run.cc.bounds.inflight_hi, 87_500);
    // The application's fault is no bound.
    let mut run = Run::at(State::Up);
    run.ack(Span::from_ms(1), |rs, _| {
        rs.newly_lost = MSS;
        rs.loss = LossSample { in_flight: 20 * MSS, lost: 10 * MSS, app_limited: true, ranges: 1 };
    });
    assert!(run.cc.state != State::Up && run.cc.bounds.inflight_hi == u64::MAX);
}

/// Headroom while cruising, none in REFILL; in UP the bound grows by 1, 2, 4 segments in a round in
/// which it is the limit.
#[test]
fn the_long_term_bound() {
    let mut run = Run::at(State::Up);
    run.loss(100 * MSS, 10 * MSS, MSS);
    let hi = run.cc.bounds.inflight_hi;
    assert_eq!(hi, 99 * MSS);
    let steady = |run: &mut Run, pipe: u64| {
        run.ack(RTT, |rs, _| {
            (rs.delivered, rs.pipe, rs.in_flight) = (125 * MSS, pipe * MSS, 80 * MSS);
            rs.total_delivered += 50 * MSS;
        });
    };
    steady(&mut run, 85);
    assert_eq!(run.cc.state, State::Down, "more than 0.85 of the bound");
    steady(&mut run, 84);
    assert_eq!((run.cc.state, run.cc.cwnd()), (State::Cruise, 84_150));
    // Data that was sent before and arrived with little loss raises the bound.
    run.ack(Span::from_ms(1), |rs, _| rs.in_flight = 110 * MSS);
    assert_eq!(run.cc.bounds.inflight_hi, 110 * MSS);
    while run.cc.state != State::Up {
        steady(&mut run, 84);
    }
    let mut grown = vec![];
    for _ in 0..4 {
        let before = run.cc.bounds.inflight_hi;
        for _ in 0..20 {
            let limit = run.cc.cwnd();
            run.ack(Span::from_ms(5), |rs, _| {
                // Twenty acknowledgments in a round trip; what they tell of left a window before.
                // The window is full.
                rs.total_delivered = rs.prior_delivered + limit / 20;
                rs.prior_delivered = rs.total_delivered - limit;
                (rs.pipe, rs.in_flight) = (limit - limit / 20, 80 * MSS);
            });
            assert_eq!(
                run.cc.state,
                State::Up,
                "it cannot tell that the path is full: the bound \
                is what limits it"
            );
        }
        grown.push((run.cc.bounds.inflight_hi - before) as f64 / MSS as f64);
    }
    for (g, want) in grown.iter().zip([1.0, 2.0, 4.0, 8.0]) {
        assert!((g / want - 1.0).abs() < 0.35, "{grown:?}");
    }
}

/// A round with losses outside a probe: 0.7 of rate and volume remain, or what was just delivered;
/// forgotten at REFILL.
#[test]
fn the_short_term_bounds() {
    let mut run = Run::at(State::Cruise);
    let before = run.cc.cwnd();
    run.round(BW, 120);
    run.ack(RTT, |rs, _| (rs.delivered, rs.interval) = (100 * MSS, RTT));
    run.loss(125 * MSS, MSS, MSS);
    assert!(run.cc.bounds.bw_lo.is_infinite(), "at the end of the round");
    run.ack(RTT, |rs, _| rs.delivered = 60 * MSS);
    // The largest rate of the round was 1 MB/s: more than 0.7 of 1.25.
    assert!(near(run.cc.bounds.bw_lo, 1e6), "{}", run.cc.bounds.bw_lo);
    assert_eq!(run.cc.bounds.inflight_lo, ((before as f64 * 0.7) as u64).max(100 * MSS));
    assert!(near(run.cc.bw, 1e6) && near(run.cc.pacing.unwrap(), 0.99e6));
    assert_eq!(run.cc.max_bw, BW);
    let (bw, lo) = (run.cc.bounds.bw_lo, run.cc.bounds.inflight_lo);
    run.ack(Span::from_ms(1), |rs, _| {
        (rs.prior_delivered, rs.delivered) = (rs.prior_delivered - 10 * MSS, MSS)
    });
    run.loss(125 * MSS, MSS, MSS);
    for _ in 0..2 {
        run.ack(RTT, |rs, _| rs.delivered = 10 * MSS);
    }
    assert!(
        run.cc.bounds.bw_lo < bw
            && run.cc.bounds.bw_lo >= 0.7 * bw
            && run.cc.bounds.inflight_lo < lo
    );
    run.reach(State::Refill);
    assert!(run.cc.bounds.bw_lo.is_infinite() && run.cc.bounds.inflight_lo == u64::MAX);
    run.loss(125 * MSS, MSS, MSS);
    run.ack(RTT, |_, _| ());
    assert!(run.cc.bounds.bw_lo.is_infinite(), "a probe takes its losses as they come");
}
