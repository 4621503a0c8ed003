//! The model and the states, worked out by hand on a path of 10 Mbps and 100 ms: a BDP of 125
//! segments of 1000 bytes.
use super::*;
use dumbbell_core::transport::{LossSample, Phase};

const MSS: u64 = 1000;
const BW: f64 = 1.25e6;
const RTT: Span = Span::from_ms(100);

struct Run {
    cc: Model,
    now: Time,
    total: u64,
    rtt: Span,
}

impl Run {
    fn with(config: Bbr3Config, rtt: Span) -> Self {
        let path = Path { mss: MSS, initial_window: 10 * MSS, ..Path::PLAIN };
        Run { cc: Model::new(&config, &path), now: Time::ZERO, total: 0, rtt }
    }
    fn new() -> Self {
        Run::with(Bbr3Config::default(), RTT)
    }
    /// In `state`, with a filled pipe of 10 Mbps.
    fn at(state: State) -> Self {
        let mut run = Run::new();
        for _ in 0..4 {
            run.round(BW, 130);
        }
        assert_eq!(run.cc.state, State::Drain);
        run.reach(state);
        (run.cc.probe_rtt_min.stamp, run.cc.min_rtt.stamp) = (run.now, run.now);
        run
    }
    fn reach(&mut self, state: State) {
        for _ in 0..200 {
            if self.cc.state == state {
                return;
            }
            self.round(BW, 120);
        }
        panic!("{state:?} is not reached from {:?}", self.cc.state);
    }
    /// An acknowledgement after `pause`: a segment that was sent when this much was delivered.
    fn ack(&mut self, pause: Span, edit: impl FnOnce(&mut RateSample, &mut Ack)) {
        self.now += pause;
        let mut rs =
            RateSample { interval: self.rtt, rtt: Some(self.rtt), ..RateSample::default() };
        (rs.prior_delivered, rs.total_delivered) = (self.total, self.total + MSS);
        (rs.delivered, rs.pipe, rs.in_flight) =
            ((BW * self.rtt.seconds()) as u64, 120 * MSS, 125 * MSS);
        let mut ack = Ack::default();
        edit(&mut rs, &mut ack);
        self.total = rs.total_delivered;
        (ack.now, ack.rate) = (self.now, Some(rs));
        self.cc.on_ack(&ack, &mut Commands::default());
    }
    /// A round trip in one acknowledgement, delivered at `bw`, with so many segments in flight
    /// after it.
    fn round(&mut self, bw: f64, pipe: u64) {
        let (rtt, delivered) = (self.rtt, (bw * self.rtt.seconds()) as u64);
        self.ack(rtt, |rs, _| {
            (rs.delivered, rs.pipe, rs.total_delivered) =
                (delivered, pipe * MSS, rs.prior_delivered + delivered);
        });
    }
    /// An acknowledgement within a round, that tells of a loss.
    fn loss(&mut self, in_flight: u64, lost: u64, newly: u64) {
        self.ack(Span::from_ms(1), |rs, ack| {
            ack.phase = Phase::Recovery;
            rs.prior_delivered -= 10 * MSS;
            (rs.newly_lost, rs.delivered, rs.in_flight) = (newly, 50 * MSS, 80 * MSS);
            rs.loss = LossSample { in_flight, lost, app_limited: false, ranges: 1 };
        });
    }
    fn event(&mut self, cause: Cause) {
        let event = Congestion::new(self.now, cause, self.cc.cwnd(), &[]);
        self.cc.on_congestion(&event, &mut Commands::default());
    }
}

fn near(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-6
}

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
    assert_eq!((run.cc.state, run.cc.pacing_gain, run.cc.cwnd_gain), (State::Drain, 0.35, 2.0));
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
                // Twenty acknowledgements in a round trip; what they tell of left a window before.
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
        acknowledgement"
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
