use super::super::newreno::Newreno;
use super::*;
use crate::cc::parts::test_connection::{MSS, TestConnection, near};

/// A connection with `w` segments and a threshold of `ssthresh`, whose base is 100 ms, and which
/// gets three samples of `rtt_ms` in a round trip that the third ends: the window and the
/// threshold, segments.
fn judged(w: u64, ssthresh: u64, rtt_ms: u64, config: &VegasConfig) -> (f64, f64) {
    let path = Path {
        mss: MSS,
        initial_window: w * MSS,
        initial_ssthresh: ssthresh * MSS,
        growth_limit: 1,
        ..Path::PLAIN
    };
    let mut v = Vegas::new(config, &path);
    let mut ack = Ack::default();
    // Duplicates: samples, and no growth. The first is of an empty path, and begins a round that it
    // ends.
    (ack.una, ack.nxt, ack.rtt, ack.window_limited) = (1, 1, Some(Span::from_ms(100)), true);
    v.on_ack(&ack, &mut Commands::default());
    v.rounds.restart();
    (ack.nxt, ack.rtt) = (1001, Some(Span::from_ms(rtt_ms)));
    v.on_ack(&ack, &mut Commands::default());
    v.on_ack(&ack, &mut Commands::default());
    (ack.acked, ack.una) = (MSS, 1002);
    v.on_ack(&ack, &mut Commands::default());
    (v.cwnd() as f64 / MSS as f64, v.ssthresh().unwrap() as f64 / MSS as f64)
}

/// The five vectors: (w, ssthresh, RTT in ms) -> w, and ssthresh where it moved.
#[test]
fn the_vectors() {
    for min_samples in [1, 3] {
        let config = VegasConfig { min_samples, ..VegasConfig::default() };
        assert_eq!(judged(38, 40, 106, &config), (36.0, 35.0));
        assert_eq!(judged(5, 10, 118, &config).0, 6.0);
        assert_eq!(judged(60, 40, 206, &config).0, 59.0);
        assert_eq!(judged(15, 10, 106, &config).0, 16.0);
        assert_eq!(judged(20, 10, 109, &config).0, 20.0);
    }
    // (60, 40) above: the threshold is at least three quarters of the window.
    assert_eq!(judged(60, 40, 206, &VegasConfig::default()).1, 44.25);
}

/// Windows at which a kernel's Vegas held or grew, where the rule of ns-3 shrinks or holds
/// (docs/explanation/linux-agreement.md).
#[test]
fn linux_takes_a_share_of_the_base() {
    let linux = VegasConfig { diff: DiffRule::Linux, ..VegasConfig::default() };
    for (w, rtt_ms, kernel, ns3) in [(61, 108, 61.0, 60.0), (20, 109, 21.0, 20.0)] {
        assert_eq!(judged(w, 10, rtt_ms, &linux).0, kernel);
        assert_eq!(judged(w, 10, rtt_ms, &VegasConfig::default()).0, ns3);
    }
}

/// With two samples where three are wanted it is Reno's: a segment per window in avoidance, per ACK
/// in slow start.
#[test]
fn few_samples_decide_nothing() {
    let config = VegasConfig { min_samples: 4, ..VegasConfig::default() };
    assert_eq!(judged(38, 40, 106, &config), (39.0, 40.0));
    let (w, _) = judged(20, 10, 206, &config);
    near(w, 20.05, 0.001);
}

/// `alpha` and `beta` of the paper.
#[test]
fn the_papers_thresholds() {
    let paper = VegasConfig { alpha: Packets(1.0), beta: Packets(3.0), ..VegasConfig::default() };
    // diff = 20 - floor(20 * 100 / 109) = 2, then 20 - 16 = 4, then 20 - 19 = 1.
    assert_eq!(judged(20, 10, 109, &paper).0, 20.0);
    assert_eq!(judged(20, 10, 122, &paper).0, 19.0);
    assert_eq!(judged(20, 10, 103, &paper).0, 20.0);
    assert_eq!(judged(20, 10, 100, &paper).0, 21.0);
}

/// A path with room for ten segments and a queue: RTT = w / 10 * 100 ms once it is full. It comes
/// to rest with `alpha` to `beta` waiting.
#[test]
fn it_comes_to_rest_between_alpha_and_beta() {
    for (begin, slow) in [(2.0, true), (4.0, false), (40.0, false)] {
        let mut d = TestConnection::<Vegas>::on(
            &crate::cc::parts::test_connection::path(begin, slow),
            &VegasConfig::default(),
        );
        d.rounds(1, 100);
        let mut last = Vec::new();
        for n in 0..100 {
            d.rounds(1, (d.w() * 10.0).max(100.0) as u64);
            if n > 80 {
                last.push(d.w());
            }
        }
        assert!(
            last.iter().all(|w| (12.0..=14.5).contains(w)) && last[0] == last[18],
            "{begin}: \
            {last:?}"
        );
    }
}

/// Slow start doubles in each round trip, or in every second one.
#[test]
fn alternate_slow_start() {
    let grown = |ss_alt| {
        let mut d = TestConnection::<Vegas>::on(
            &crate::cc::parts::test_connection::path(2.0, true),
            &VegasConfig { ss_alt, ..Default::default() },
        );
        let mut windows = Vec::new();
        for _ in 0..6 {
            d.round();
            windows.push(d.w());
        }
        windows
    };
    let (each, second) = (grown(false), grown(true));
    near(each[5] / each[2], 8.0, 1.0);
    // Half of the doublings in as many round trips, but for those that end within one.
    near(libm::log2(second[5] / 2.0), libm::log2(each[5] / 2.0) / 2.0, 1.0);
    assert!(second[5] > 8.0, "{each:?} {second:?}");
}

#[test]
fn what_a_loss_takes() {
    let left = |loss, cause| {
        let mut d = TestConnection::<Vegas>::at(20.0, &VegasConfig { loss, ..Default::default() });
        d.cc.window.set_ssthresh(40 * MSS);
        d.congest(cause);
        (d.w(), d.ssthresh())
    };
    for cause in [Cause::Loss, Cause::Ecn] {
        assert_eq!(left(LossRule::Reno, cause), (10.0, 10.0));
        assert_eq!(left(LossRule::Ns3, cause), (19.0, 19.0));
        assert_eq!(left(LossRule::Quarter, cause), (15.0, 15.0));
    }
    let timeout = Cause::Timeout { first: true };
    assert_eq!(left(LossRule::Reno, timeout), (1.0, 10.0));
    assert_eq!(left(LossRule::Ns3, timeout), (1.0, 19.0));
    assert_eq!(left(LossRule::Quarter, timeout), (1.0, 10.0));
}

/// While a loss is repaired it is Reno, and afterward a fresh round begins; the base stays.
#[test]
fn a_repair_is_renos() {
    let mut d = TestConnection::<Vegas>::at(20.0, &VegasConfig::default());
    d.rounds(2, 100);
    d.congest(Cause::Timeout { first: true });
    d.rtt = Span::from_ms(400);
    for _ in 0..3 {
        let mut ack = d.told(1);
        ack.phase = Phase::Loss;
        d.cc.on_ack(&ack, &mut Commands::default());
    }
    assert_eq!(d.w(), 4.0, "slow start of a repair, whatever the round-trip time");
    assert_eq!(d.gauge("base_rtt"), 0.1);
    // The next round trip is judged by its own samples only.
    d.rounds(2, 100);
    assert_eq!(d.gauge("diff"), 0.0);
}

/// With as many samples asked for as there never are it grows like NewReno but for slow start's
/// last step of a round.
#[test]
fn without_a_measure_slow_start_is_newrenos() {
    let path = crate::cc::parts::test_connection::path(2.0, true);
    let mut d = TestConnection::<Vegas>::on(
        &path,
        &VegasConfig { min_samples: 1000, ..Default::default() },
    );
    let mut reno = TestConnection::<Newreno>::on(&path, &Default::default());
    for i in 0..400 {
        d.ack(1);
        reno.ack(1);
        assert_eq!((d.cc.cwnd(), d.cc.ssthresh()), (reno.cc.cwnd(), reno.cc.ssthresh()), "{i}");
    }
}

#[test]
fn faults_name_the_field() {
    let at = |c: VegasConfig| c.check().unwrap_err().at;
    assert_eq!(at(VegasConfig { alpha: Packets(5.0), ..Default::default() }), "alpha");
    assert_eq!(at(VegasConfig { beta: Packets(f64::NAN), ..Default::default() }), "beta");
    assert_eq!(at(VegasConfig { gamma: Packets(-1.0), ..Default::default() }), "gamma");
}
