//! The states and what leads from one to the next.
use super::*;

#[test]
fn startup_and_drain() {
    let mut run = Run::new();
    run.round(1e4, 5);
    assert!(near(run.cc.pacing.unwrap(), 2.77 * 1e5), "ten segments in a round trip");
    run.round(BW, 130);
    assert!(near(run.cc.pacing.unwrap(), 2.77 * BW * 0.99));
    for n in 1..3 {
        run.round(1.2 * BW, 260);
        assert_eq!((run.cc.state, run.cc.pipe.count), (State::Startup, n));
    }
    run.round(1.2 * BW, 260);
    assert_eq!((run.cc.state, run.cc.pacing_gain, run.cc.cwnd_gain), (State::Drain, 0.5, 2.0));
    run.round(1.2 * BW, 151);
    assert_eq!(run.cc.state, State::Drain);
    run.round(1.2 * BW, 150);
    assert_eq!(
        (run.cc.state, run.cc.pacing_gain),
        (State::Cruise, 1.0),
        "a BDP of 150: DOWN has \
        nothing to do"
    );
}

/// Appendix A.4 of -06: the path has half of the bandwidth that Startup found, and the flight stays
/// above the product that this makes. Drain lasts for three rounds and ends with the fourth.
#[test]
fn drain_ends_after_three_rounds_whatever_is_in_flight() {
    let mut run = Run::new();
    for _ in 0..4 {
        run.round(BW, 200);
    }
    assert_eq!(run.cc.state, State::Drain);
    for _ in 0..3 {
        run.round(0.5 * BW, 200);
        assert_eq!(run.cc.state, State::Drain);
    }
    // Within a round nothing changes.
    run.ack(Span::from_ms(1), |rs, _| (rs.prior_delivered, rs.pipe) = (0, 200 * MSS));
    assert_eq!(run.cc.state, State::Drain);
    run.round(0.5 * BW, 200);
    assert_eq!((run.cc.state, run.cc.pacing_gain), (State::Down, 0.9));
}

/// Section 5.3.1.3: a whole round of recovery, more than 2 %, six ranges.
#[test]
fn high_losses_end_startup() {
    let lossy = |ranges: u32, lost: u64, repairing: bool| {
        let mut run = Run::new();
        run.round(BW, 130);
        if repairing {
            run.event(Cause::Loss);
        }
        for _ in 0..2 {
            for _ in 0..ranges {
                run.loss(100 * MSS, MSS, MSS);
            }
            run.ack(RTT, |rs, ack| {
                ack.phase = if repairing { Phase::Recovery } else { Phase::Open };
                (rs.lost, rs.in_flight, rs.delivered) = (lost, 100 * MSS, 300 * MSS);
            });
        }
        run
    };
    let run = lossy(6, 3 * MSS, true);
    assert_eq!(run.cc.bounds.inflight_hi, 300 * MSS, "what was delivered in a round");
    assert_ne!(run.cc.state, State::Startup);
    assert_eq!(lossy(5, 3 * MSS, true).cc.state, State::Startup);
    assert_eq!(lossy(6, 2 * MSS, true).cc.state, State::Startup);
    assert_eq!(lossy(6, 3 * MSS, false).cc.state, State::Startup);
}

/// DOWN until no more than a BDP is in flight, CRUISE until it is time, REFILL for a round, UP
/// until nothing is gained.
#[test]
fn the_cycle() {
    let mut run = Run::at(State::Down);
    assert_eq!(run.cc.pacing_gain, 0.9);
    let (began, cycle) = (run.now, run.cc.cycle_count);
    run.round(BW, 126);
    assert_eq!(
        (run.cc.state, run.cc.cycle_count),
        (State::Down, cycle + 1),
        "a round after the \
        probe"
    );
    run.round(BW, 125);
    assert_eq!(
        (run.cc.state, run.cc.pacing_gain, run.cc.cycle_count),
        (State::Cruise, 1.0, cycle + 1)
    );
    while run.cc.state == State::Cruise {
        run.ack(Span::from_ms(10), |rs, _| rs.prior_delivered -= 10 * MSS);
    }
    let waited = run.now.since(began);
    assert_eq!(run.cc.state, State::Refill);
    assert!(waited > Span::from_secs(2) && waited < Span::from_ms(3020), "{waited:?}");
    run.ack(Span::from_ms(10), |rs, _| rs.prior_delivered -= 10 * MSS);
    assert_eq!((run.cc.state, run.cc.pacing_gain), (State::Refill, 1.0), "within the round");
    run.round(BW, 125);
    assert_eq!((run.cc.state, run.cc.pacing_gain, run.cc.cwnd_gain), (State::Up, 1.25, 2.25));
    for n in 1..3 {
        run.round(1.1 * BW, 150);
        assert_eq!((run.cc.state, run.cc.pipe.count), (State::Up, n));
    }
    run.round(1.1 * BW, 150);
    assert_eq!(run.cc.state, State::Down, "three rounds without a quarter more");
    assert_eq!(run.cc.max_bw, 1.1 * BW);
}

/// As many rounds as there are segments in flight, at most 63, less 0 or 1 by chance: as Reno would
/// need.
#[test]
fn small_windows_probe_as_often_as_reno_recovers() {
    let rounds = |bw: f64, seed| {
        let mut run = Run::with(Bbr3Config::default(), Span::from_ms(10));
        run.cc.seed(seed);
        for _ in 0..6 {
            run.round(bw, 0);
        }
        run.reach(State::Cruise);
        while run.cc.state == State::Cruise {
            run.round(bw, 0);
        }
        let began = run.cc.rounds.count;
        while run.cc.state != State::Refill || run.cc.rounds.count == began {
            run.round(bw, 0);
        }
        run.cc.probing.rounds
    };
    for seed in 0..8 {
        assert_eq!(rounds(2e6, seed), 20, "20 segments of 1000 bytes in 10 ms");
        assert_eq!(rounds(2e7, seed), 63, "200 segments");
    }
}

/// Every five seconds half a BDP for 200 ms and a round; then on with cruising.
#[test]
fn probe_rtt() {
    let mut run = Run::at(State::Cruise);
    let stamp = run.cc.probe_rtt_min.stamp;
    let longer = Span::from_ms(120);
    while run.cc.state != State::ProbeRtt {
        run.ack(Span::from_ms(20), |rs, _| {
            (rs.rtt, rs.prior_delivered) = (Some(longer), rs.prior_delivered - 5 * MSS)
        });
    }
    let waited = run.now.since(stamp);
    assert!(waited > Span::from_secs(5) && waited < Span::from_ms(5030), "{waited:?}");
    assert_eq!(
        (run.cc.cwnd(), run.cc.min_rtt.value),
        (62_500, RTT),
        "half of 125, by the old \
        round-trip time"
    );
    let from = run.now;
    while run.cc.state == State::ProbeRtt {
        run.ack(Span::from_ms(50), |rs, _| {
            (rs.rtt, rs.pipe, rs.delivered) = (Some(Span::from_ms(105)), 60 * MSS, 10 * MSS);
        });
    }
    assert_eq!(
        run.now.since(from),
        Span::from_ms(300),
        "half down at 50 ms, 200 ms and the next \
        acknowledgment"
    );
    assert_eq!((run.cc.state, run.cc.probe_rtt_min.value), (State::Cruise, Span::from_ms(105)));
    assert_eq!(
        (run.cc.max_bw, run.cc.min_rtt.value),
        (BW, RTT),
        "low rates of that time are not held against the path"
    );
    // The old minimum is forgotten ten seconds after it was seen.
    let seen = run.cc.min_rtt.stamp;
    while run.cc.min_rtt.value == RTT {
        run.ack(Span::from_ms(50), |rs, _| (rs.rtt, rs.pipe) = (Some(longer), 50 * MSS));
    }
    assert!(run.now > seen + Span::from_secs(10) && run.cc.min_rtt.value > RTT);
}

/// The window counts as the limit in the round in which it was, and in the next.
#[test]
fn a_full_window_counts_for_two_rounds() {
    let mut probing = Run::new().cc.probing;
    assert!(!probing.cwnd_limited());
    probing.see_limit(true);
    probing.see_limit(false);
    assert!(probing.cwnd_limited());
    probing.next_round(false);
    let next: Vec<bool> = (0..3)
        .map(|_| {
            probing.next_round(true);
            probing.cwnd_limited()
        })
        .collect();
    assert_eq!(next, [true, false, false]);
}
