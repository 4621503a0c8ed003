//! The window: what it allows for aggregation, and how repairs and pauses leave it.
use super::*;

#[test]
fn aggregation_widens_the_window() {
    let mut run = Run::at(State::Cruise);
    // Ten segments in 9 ms each, evenly and not faster than expected; the maximum of ten rounds
    // goes with them.
    for n in 0..200 {
        run.ack(Span::from_ms(9), |rs, _| {
            rs.prior_delivered -= if n % 13 == 0 { 0 } else { 50 * MSS };
            rs.total_delivered += 9 * MSS;
        });
    }
    assert!(run.cc.aggregation.extra <= 20 * MSS, "{}", run.cc.aggregation.extra);
    let even = run.cc.cwnd();
    // 50 ms of silence, then what was sent meanwhile at once: 62 segments.
    for _ in 0..4 {
        run.now += Span::from_ms(50);
        for _ in 0..62 {
            run.ack(Span::ZERO, |rs, _| rs.prior_delivered -= 10 * MSS);
        }
    }
    assert!((61..=63).contains(&(run.cc.aggregation.extra / MSS)), "{}", run.cc.aggregation.extra);
    assert!(run.cc.cwnd() >= even + 40 * MSS);
}

#[test]
fn repairs_and_pauses() {
    let mut run = Run::at(State::Cruise);
    for _ in 0..10 {
        run.round(BW, 120);
    }
    let before = run.cc.cwnd();
    run.event(Cause::Loss);
    assert_eq!(run.cc.cwnd(), before, "the model answers, not the event");
    run.event(Cause::Timeout { first: true });
    assert_eq!(run.cc.cwnd(), MSS);
    run.ack(RTT, |_, ack| ack.phase = Phase::Loss);
    assert_eq!(run.cc.cwnd(), 4 * MSS);
    run.ack(Span::from_ms(1), |_, _| ());
    assert!(run.cc.cwnd() >= before.min(run.cc.inflight(run.cc.bw, 2.0)), "the repair is over");
    run.cc.on_idle(10 * MSS);
    assert!(run.cc.cwnd() > 10 * MSS);
    run.now += Span::from_secs(20);
    run.cc.on_sent(&Sent::new(run.now, run.total, MSS, false, 0));
    run.ack(RTT, |_, _| ());
    assert_ne!(run.cc.state, State::ProbeRtt, "a pause is as good");
    let mut run = Run::new();
    run.cc.on_idle(MSS);
    assert_eq!(run.cc.cwnd(), MSS, "a lost SYN");
}

/// A loss and a timeout keep the window of their time for the end of the repair, the first one's
/// unless it was less; in ProbeRTT, whose window is low, that of before is kept. Marks keep none.
#[test]
fn the_window_to_go_back_to() {
    for cause in [Cause::Loss, Cause::Timeout { first: true }] {
        for (state, kept) in [(State::Cruise, 60), (State::ProbeRtt, 100)] {
            let mut run = Run::at(State::Cruise);
            run.cc.good.save(100 * MSS, false);
            (run.cc.state, run.cc.cwnd) = (state, 60 * MSS);
            run.event(Cause::Further);
            run.event(Cause::Ecn);
            assert_eq!(run.cc.good.restore(0), 100 * MSS);
            run.event(cause);
            assert_eq!(run.cc.good.restore(0), kept * MSS, "{cause:?} {state:?}");
            run.cc.cwnd = 30 * MSS;
            run.event(cause);
            assert_eq!(run.cc.good.restore(0), kept * MSS, "{cause:?} {state:?}: the same repair");
        }
    }
}
