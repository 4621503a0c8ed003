//! The model and the states, worked out by hand on a path of 10 Mbps and 100 ms: a BDP of 125
//! segments of 1000 bytes.
use super::*;
use dumbbell_core::transport::Phase;

const MSS: u64 = 1000;
const BW: f64 = 1.25e6;
const RTT: Span = Span::from_ms(100);

/// A control, and the acknowledgments of a path.
struct Run {
    bbr: Model,
    now: Time,
    total: u64,
}

impl Run {
    fn new() -> Self {
        let path = Path { mss: MSS, initial_window: 10 * MSS, ..Path::PLAIN };
        Run { bbr: Model::new(&BbrConfig::default(), &path), now: Time::ZERO, total: 0 }
    }
    /// In PROBE_BW at 10 Mbps.
    fn steady() -> Self {
        let mut run = Run::new();
        for bw in [BW, BW, BW, BW] {
            run.round(bw, RTT, 120 * MSS);
        }
        assert_eq!(run.bbr.mode, Mode::ProbeBw);
        run
    }
    /// An acknowledgment after `pause`, of what was sent when `prior` was delivered.
    fn ack(&mut self, pause: Span, edit: impl FnOnce(&mut RateSample, &mut Ack)) {
        self.now += pause;
        let mut rs =
            RateSample { interval: RTT, rtt: Some(RTT), pipe: 100 * MSS, ..RateSample::default() };
        (rs.prior_delivered, rs.total_delivered) = (self.total, self.total + MSS);
        rs.delivered = (BW * 0.1) as u64;
        let mut ack = Ack::default();
        edit(&mut rs, &mut ack);
        self.total = rs.total_delivered;
        (ack.now, ack.rate) = (self.now, Some(rs));
        self.bbr.on_ack(&ack, &mut Commands::default());
    }
    /// A round trip in one acknowledgment, delivered at `bw`, with so much in flight after it.
    fn round(&mut self, bw: f64, rtt: Span, pipe: u64) {
        let delivered = (bw * rtt.seconds()) as u64;
        self.ack(rtt, |rs, _| {
            (rs.delivered, rs.interval, rs.rtt, rs.pipe) = (delivered, rtt, Some(rtt), pipe);
            rs.total_delivered = rs.prior_delivered + delivered;
        });
    }
}

fn near(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-6
}

#[test]
fn it_starts_with_the_initial_window_in_a_round_trip() {
    let mut run = Run::new();
    assert_eq!((run.bbr.cwnd(), run.bbr.pacing()), (10 * MSS, None));
    // 10 segments in 100 ms are 100 kB/s; the gain is 2.885. The sample itself says less, and
    // lowers nothing.
    run.round(1e4, RTT, 0);
    assert!(near(run.bbr.pacing.unwrap(), 2.885e5));
    // Doubled rates are followed: gain, and 1 % less.
    run.round(2e5, RTT, 10 * MSS);
    assert!(near(run.bbr.pacing.unwrap(), 2.885 * 2e5 * 0.99));
}

/// STARTUP ends after three rounds in which BtlBw grew by less than a quarter; DRAIN at BDP and
/// three quanta.
#[test]
fn startup_and_drain() {
    let mut run = Run::new();
    for bw in [2.5e5, 5e5, 1e6] {
        run.round(bw, RTT, 200 * MSS);
        assert_eq!((run.bbr.mode, run.bbr.pipe.count), (Mode::Startup, 0));
    }
    for n in 1..3 {
        run.round(1.2e6, RTT, 200 * MSS);
        assert_eq!((run.bbr.mode, run.bbr.pipe.count), (Mode::Startup, n));
    }
    // Rounds that the application limited do not count.
    run.ack(RTT, |rs, _| (rs.delivered, rs.app_limited) = (1000, true));
    assert_eq!((run.bbr.mode, run.bbr.pipe.count), (Mode::Startup, 2));
    run.round(1.2e6, RTT, 200 * MSS);
    assert_eq!(
        (run.bbr.mode, run.bbr.pacing_gain, run.bbr.cwnd_gain),
        (Mode::Drain, 1.0 / 2.885, 2.885)
    );
    assert!(near(run.bbr.pacing.unwrap(), 1.2e6 * 0.99 / 2.885));
    // A quantum is 2 segments at the rate of DRAIN: BDP + 3 quanta are 126 segments.
    run.round(1.2e6, RTT, 126 * MSS + 1);
    assert_eq!(run.bbr.mode, Mode::Drain);
    run.round(1.2e6, RTT, 126 * MSS);
    assert_eq!((run.bbr.mode, run.bbr.cwnd_gain), (Mode::ProbeBw, 2.0));
}

/// The window: what is delivered, up to two BDP and three quanta; the rate of what the gain says.
#[test]
fn the_window_follows_the_model() {
    let mut run = Run::steady();
    for _ in 0..10 {
        run.round(BW, RTT, 120 * MSS);
    }
    assert_eq!(run.bbr.quantum(), 2 * MSS, "between 1.2 and 24 Mbps");
    assert_eq!(run.bbr.cwnd(), 2 * 125 * MSS + 6 * MSS);
    assert!(near(run.bbr.pacing.unwrap(), run.bbr.pacing_gain * BW * 0.99));
    // Nothing sent for ten rounds at this rate: the old maximum is forgotten with the tenth.
    for n in 1..=10 {
        run.round(BW / 2.0, RTT, 50 * MSS);
        assert_eq!(run.bbr.bw, if n < 10 { BW } else { BW / 2.0 }, "round {n}");
    }
}

/// Acknowledgments that come in bunches widen the window by what they bring at once, if it is asked
/// for: by 100 ms of the rate at most, 125 segments.
#[test]
fn bunched_acknowledgments_widen_the_window() {
    for (asked, wider) in [(false, 0), (true, 125)] {
        let mut run = Run::steady();
        run.bbr.config.aggregation = asked;
        // A round trip's data in one acknowledgment.
        for _ in 0..12 {
            run.round(BW, RTT, 120 * MSS);
        }
        assert_eq!(run.bbr.cwnd() / MSS, 256 + wider);
        // Three times as much is no more.
        for _ in 0..250 {
            run.ack(Span::ZERO, |rs, _| rs.prior_delivered -= 10 * MSS);
        }
        assert_eq!(run.bbr.cwnd() / MSS, 256 + wider);
    }
}

#[test]
fn quanta_grow_with_the_rate() {
    let mut run = Run::steady();
    for (bits, quantum) in [(1.1e6, 1000), (1.3e6, 2000), (23e6, 2000), (25e6, 3125), (1e9, 64_000)]
    {
        run.bbr.pacing = Some(bits / 8.0);
        assert_eq!(run.bbr.quantum(), quantum, "at {bits} bps");
    }
}

#[test]
fn samples_limited_by_the_application_count_only_if_they_are_larger() {
    let mut run = Run::steady();
    for _ in 0..20 {
        run.ack(RTT, |rs, _| (rs.delivered, rs.app_limited) = (1000, true));
    }
    assert_eq!(run.bbr.bw, BW);
    run.ack(RTT, |rs, _| (rs.delivered, rs.app_limited) = (150_000, true));
    assert_eq!(run.bbr.bw, 1.5e6);
}

/// Each gain for RTprop; 1.25 until its share is in flight or something is lost; 0.75 until the
/// queue is gone.
#[test]
fn the_cycle_of_gains() {
    let mut run = Run::steady();
    let step = Span::from_ms(101);
    let to = |run: &mut Run, at: usize| {
        while run.bbr.cycle != at {
            run.ack(step, |rs, _| rs.pipe = 160 * MSS);
        }
    };
    to(&mut run, 0);
    assert_eq!(run.bbr.pacing_gain, 1.25);
    run.ack(step, |rs, _| rs.pipe = 150 * MSS);
    assert_eq!(run.bbr.pacing_gain, 1.25, "less than 1.25 BDP in flight, and nothing lost");
    run.ack(Span::from_ms(1), |rs, _| rs.newly_lost = MSS);
    assert_eq!(run.bbr.pacing_gain, 0.75, "a loss");
    run.ack(Span::from_ms(50), |rs, _| rs.pipe = 140 * MSS);
    assert_eq!(run.bbr.pacing_gain, 0.75, "a queue");
    run.ack(Span::from_ms(1), |rs, _| rs.pipe = 125 * MSS);
    assert_eq!((run.bbr.pacing_gain, run.bbr.cycle), (1.0, 2), "none: it need not last");
    for cycle in [2, 3, 4, 5, 6, 7] {
        run.ack(Span::from_ms(100), |_, _| ());
        assert_eq!(run.bbr.cycle, cycle, "not longer than RTprop");
        run.ack(Span::from_ms(1), |_, _| ());
    }
    assert_eq!(run.bbr.cycle, 0);
    run.ack(step, |rs, _| rs.pipe = 164 * MSS);
    assert_eq!(run.bbr.pacing_gain, 0.75, "1.25 BDP and three quanta in flight, for RTprop");
}

/// Anywhere but where it gives way, each of the seven places about as often.
#[test]
fn the_cycle_begins_by_chance() {
    let mut begun = [0; CYCLES];
    for seed in 0..700 {
        let mut run = Run::new();
        run.bbr.seed(seed);
        for _ in 0..4 {
            run.round(BW, RTT, 120 * MSS);
        }
        begun[run.bbr.cycle] += 1;
    }
    assert_eq!(begun[1], 0);
    assert!(begun.iter().enumerate().all(|(i, n)| i == 1 || (60..150).contains(n)), "{begun:?}");
}
const CYCLES: usize = states::CYCLE.len();

/// RTprop ten seconds old: four segments for 200 ms and a round, then the window as before; the
/// round trip of the empty path counts, and the low rates of that time do not.
#[test]
fn probe_rtt() {
    let mut run = Run::steady();
    let longer = Span::from_ms(150);
    let old = run.bbr.min_rtt.stamp;
    while run.bbr.mode == Mode::ProbeBw {
        run.ack(Span::from_ms(75), |rs, _| (rs.rtt, rs.pipe) = (Some(longer), 180 * MSS));
    }
    let waited = run.now.since(old);
    assert!(waited > Span::from_secs(10) && waited < Span::from_ms(10_100), "{waited:?}");
    assert_eq!((run.bbr.mode, run.bbr.cwnd(), run.bbr.pacing_gain), (Mode::ProbeRtt, 4 * MSS, 1.0));
    let before = run.bbr.good.restore(0);
    assert!(before > 200 * MSS);
    // Time runs from when the window is down.
    for _ in 0..5 {
        run.ack(Span::from_ms(75), |rs, _| rs.pipe = 100 * MSS);
    }
    assert_eq!(run.bbr.probe_rtt_done, None);
    let began = run.now;
    let mut rounds = 0;
    while run.bbr.mode == Mode::ProbeRtt {
        run.ack(Span::from_ms(90), |rs, _| {
            (rs.rtt, rs.pipe, rs.delivered) = (Some(Span::from_ms(90)), 4 * MSS, 4 * MSS);
        });
        rounds += 1;
        assert!(run.bbr.cwnd() == 4 * MSS || run.bbr.mode != Mode::ProbeRtt);
    }
    assert_eq!((rounds, run.now.since(began)), (4, Span::from_ms(360)));
    assert_eq!((run.bbr.min_rtt.value, run.bbr.min_rtt.stamp), (Span::from_ms(90), run.now));
    assert_eq!((run.bbr.mode, run.bbr.bw), (Mode::ProbeBw, BW));
    assert!(run.bbr.cwnd() >= before.min(run.bbr.inflight(2.0)));
}

/// A pause drained the queue: no PROBE_RTT after it, but the path's own rate.
#[test]
fn a_pause_is_as_good_as_a_probe() {
    let mut run = Run::steady();
    run.now += Span::from_secs(20);
    run.bbr.on_sent(&Sent::new(run.now, run.total, MSS, false, 0));
    assert!(near(run.bbr.pacing.unwrap(), BW * 0.99));
    run.ack(Span::from_ms(120), |rs, _| rs.rtt = Some(Span::from_ms(120)));
    assert_eq!((run.bbr.mode, run.bbr.min_rtt.value), (Mode::ProbeBw, Span::from_ms(120)));
    // Within a flight it is no pause, nor is a repetition after a timeout.
    run.bbr.on_sent(&Sent::new(run.now, run.total, MSS, false, MSS));
    run.bbr.on_sent(&Sent::new(run.now, run.total, MSS, true, 0));
    assert!(!run.bbr.idle_restart);
}

/// A loss: what is in flight, then as much as is delivered for a round, then growth; the window as
/// before in the end.
#[test]
fn recovery() {
    let mut run = Run::steady();
    run.ack(Span::from_ms(1), |rs, _| rs.pipe = 120 * MSS);
    let before = run.bbr.cwnd();
    let loss = Congestion::new(run.now, Cause::Loss, before, &[]);
    run.bbr.on_congestion(&loss, &mut Commands::default());
    assert_eq!(run.bbr.cwnd(), 121 * MSS);
    run.ack(Span::from_ms(1), |rs, ack| {
        (rs.pipe, rs.newly_lost, rs.prior_delivered) =
            (117 * MSS, 2 * MSS, rs.prior_delivered - 100 * MSS);
        ack.phase = Phase::Recovery;
    });
    // 121 less 2 lost; 117 in flight and 1 delivered are fewer.
    assert_eq!(run.bbr.cwnd(), 119 * MSS);
    run.bbr.on_congestion(&loss, &mut Commands::default());
    assert_eq!(run.bbr.cwnd(), 119 * MSS, "the same repair");
    run.ack(RTT, |_, ack| ack.phase = Phase::Recovery);
    assert_eq!(run.bbr.cwnd(), 120 * MSS, "a round later it grows by what is delivered");
    run.ack(RTT, |_, _| ());
    assert_eq!(run.bbr.cwnd(), (before + MSS).min(run.bbr.inflight(2.0)), "the repair is over");
    let timeout = Congestion::new(run.now, Cause::Timeout { first: true }, before, &[]);
    run.bbr.on_congestion(&timeout, &mut Commands::default());
    assert_eq!(run.bbr.cwnd(), MSS);
    run.ack(RTT, |_, ack| ack.phase = Phase::Loss);
    assert_eq!(run.bbr.cwnd(), 4 * MSS, "at least four segments");
    let needless = Congestion::new(run.now, Cause::Spurious, before, &[]);
    run.bbr.on_congestion(&needless, &mut Commands::default());
    assert!(run.bbr.cwnd() >= before);
    let ecn = Congestion::new(run.now, Cause::Ecn, before, &[]);
    let held = run.bbr.cwnd();
    run.bbr.on_congestion(&ecn, &mut Commands::default());
    assert_eq!(run.bbr.cwnd(), held, "version 1 does not answer ECN");
}

/// Where losses are many, a recovery begins with the acknowledgment that ends the one before: they
/// are one, and the window is not cut again.
#[test]
fn a_recovery_that_follows_another_goes_on_with_it() {
    let mut run = Run::steady();
    let lose = |run: &mut Run| {
        let loss = Congestion::new(run.now, Cause::Loss, 120 * MSS, &[]);
        run.bbr.on_congestion(&loss, &mut Commands::default());
    };
    run.ack(Span::from_ms(1), |rs, _| rs.pipe = 120 * MSS);
    lose(&mut run);
    assert_eq!(run.bbr.cwnd(), 121 * MSS);
    run.ack(RTT, |_, ack| ack.phase = Phase::Recovery);
    assert_eq!((run.bbr.cwnd(), run.bbr.conserving), (122 * MSS, None));
    run.bbr.on_recovered(run.now, u64::MAX);
    lose(&mut run);
    assert_eq!((run.bbr.cwnd(), run.bbr.conserving), (122 * MSS, None));
    assert!(run.bbr.good.repairing);
    // One that begins later is another.
    run.bbr.on_recovered(run.now, u64::MAX);
    run.ack(Span::from_ms(1), |_, _| ());
    lose(&mut run);
    assert_eq!(run.bbr.cwnd(), 101 * MSS);
    assert!(run.bbr.conserving.is_some());
}

#[test]
fn a_lost_syn_takes_from_the_window_and_a_pause_does_not() {
    let mut run = Run::new();
    run.bbr.on_idle(MSS);
    assert_eq!(run.bbr.cwnd(), MSS);
    let mut run = Run::steady();
    let before = run.bbr.cwnd();
    run.bbr.on_idle(10 * MSS);
    assert_eq!(run.bbr.cwnd(), before);
}
