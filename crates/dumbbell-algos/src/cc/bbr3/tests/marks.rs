//! Marks: by their share on a short path, as a loss on a longer one.
use super::*;

/// On a path of at most 5 ms marks count by their share; on a longer one an echo is a loss.
#[test]
fn marks() {
    let mut run = Run::with(Bbr3Config::default(), Span::from_ms(4));
    let marked = |run: &mut Run, share: u64| {
        run.ack(Span::from_ms(4), |rs, ack| {
            (rs.total_delivered, rs.delivered) = (rs.prior_delivered + 10 * MSS, 5 * MSS);
            (rs.pipe, ack.marked) = (20 * MSS, share * MSS);
        });
    };
    for share in [0, 6, 0, 6] {
        marked(&mut run, share);
        run.cc.pipe = FullPipe::default();
        assert_eq!(run.cc.state, State::Startup, "not twice in a row");
    }
    marked(&mut run, 6);
    assert_ne!(run.cc.state, State::Startup, "two rounds with more than half marked");
    let mut run = Run::with(Bbr3Config::default(), Span::from_ms(4));
    for _ in 0..5 {
        marked(&mut run, 0);
    }
    assert!(near(run.cc.marks.alpha, libm::pow(15.0 / 16.0, 5.0)));
    run.ack(Span::from_ms(4), |rs, _| rs.pipe = 0);
    run.reach(State::Cruise);
    let (alpha, window) = (run.cc.marks.alpha, run.cc.cwnd());
    marked(&mut run, 1);
    let alpha = alpha + (0.1 - alpha) / 16.0;
    assert!(near(run.cc.marks.alpha, alpha));
    assert_eq!(run.cc.bounds.inflight_lo, (window as f64 * (1.0 - alpha / 3.0)) as u64);
    run.event(Cause::Ecn);
    assert!(!run.cc.bounds.loss_in_round, "the share has counted");

    let mut run = Run::at(State::Up);
    run.event(Cause::Ecn);
    assert_eq!((run.cc.state, run.cc.bounds.inflight_hi < u64::MAX), (State::Down, true));
    let mut run = Run::at(State::Cruise);
    run.event(Cause::Ecn);
    run.round(BW, 120);
    run.round(BW, 120);
    assert!(run.cc.bounds.bw_lo.is_finite());
}
