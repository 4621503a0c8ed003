//! PIE against RFC 8033, the vectors of its controller, and the facts of ns-3's test suite.
use super::delay::{Delay, DelayEstimate};
use super::*;
use dumbbell_core::aqm::Slot;
use dumbbell_core::catalogue::read;
use dumbbell_core::packet::Ecn;
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::probe::Gauges;
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
use dumbbell_core::units::{Bytes, Rate, Time};

const ESTIMATES: [DelayEstimate; 3] =
    [DelayEstimate::Timestamp, DelayEstimate::DequeueRate, DelayEstimate::LinkRate];

fn pie(config: &PieConfig) -> Pie {
    Pie::new(config, &link(Capacity::Unlimited))
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 5e-7 * b.abs()
}

/// A delay that jumps to 30 ms and stays: twice the target. Each value is worked out by hand from
/// section 4.2.
#[test]
fn the_probability_at_a_constant_delay() {
    let mut pie = pie(&PieConfig::default());
    let after: Vec<f64> = (0..60)
        .map(|_| {
            pie.update(0.030);
            pie.drop_prob
        })
        .collect();
    for (tick, p) in [
        (1, 1.922607e-5),
        (2, 3.387451e-5),
        (3, 4.852295e-5),
        (4, 6.317139e-5),
        (5, 7.781982e-5),
        (6, 9.246826e-5),
        (7, 1.071167e-4),
        (20, 8.688354e-4),
        (30, 2.685242e-3),
        (59, 9.482117e-3),
    ] {
        assert!(near(after[tick - 1], p), "tick {tick}: {} and not {p}", after[tick - 1]);
    }
}

/// One step from each decade of the probability: the gains are scaled by it.
#[test]
fn the_gains_follow_the_probability() {
    for (drop_prob, scale) in [
        (0.0, 2048.0),
        (5e-6, 512.0),
        (5e-5, 128.0),
        (5e-4, 32.0),
        (5e-3, 8.0),
        (5e-2, 2.0),
        (0.5, 1.0),
    ] {
        let mut pie = pie(&PieConfig::default());
        (pie.drop_prob, pie.qdelay_old) = (drop_prob, 0.020);
        pie.update(0.025);
        let step = (0.125 * 0.010 + 1.25 * 0.005) / scale;
        assert!(near(pie.drop_prob, drop_prob + step), "at {drop_prob}: {}", pie.drop_prob);
    }
}

#[test]
fn a_large_step_is_capped_where_asked() {
    let step = |drop_prob, cap_drop_adjustment| {
        let mut pie = pie(&PieConfig { cap_drop_adjustment, ..PieConfig::default() });
        pie.drop_prob = drop_prob;
        pie.update(0.4);
        pie.drop_prob - drop_prob
    };
    assert!(near(step(0.1, true), 0.02) && near(step(0.1, false), 0.125 * 0.385 + 1.25 * 0.4));
    assert!(step(0.09, true) > 0.02, "below 0.1 there is no cap");
}

#[test]
fn the_probability_decays_when_congestion_is_over() {
    let step = |decay, old, new| {
        let mut pie = pie(&PieConfig { decay, alpha: 0.0, beta: 0.0, ..PieConfig::default() });
        (pie.drop_prob, pie.qdelay_old) = (0.5, old);
        pie.update(new);
        pie.drop_prob
    };
    assert_eq!(step(Decay::NoDelay, 0.0, 0.0), 0.49);
    assert_eq!([step(Decay::NoDelay, 0.001, 0.0), step(Decay::NoDelay, 0.0, 0.001)], [0.5, 0.5]);
    assert_eq!(
        [step(Decay::LowDelay, 0.007, 0.007), step(Decay::LowDelay, 0.007, 0.008)],
        [0.49, 0.5]
    );
}

#[test]
fn a_burst_passes_and_the_next_one_after_congestion() {
    let mut pie = pie(&PieConfig::default());
    let mut left = vec![];
    for qdelay in [0.0, 0.030, 0.030, 0.030] {
        pie.update(qdelay);
        left.push(pie.burst_allowance);
    }
    assert_eq!(left, [150, 135, 120, 105].map(Span::from_ms));
    (0..20).for_each(|_| pie.update(0.030));
    assert_eq!(pie.burst_allowance, Span::ZERO);
    // The probability returns to zero; with the delay still above half the target nothing is reset.
    pie.update(0.008);
    pie.drop_prob = 0.0;
    pie.update(0.007);
    assert_eq!((pie.drop_prob, pie.burst_allowance), (0.0, Span::ZERO));
    pie.update(0.007);
    assert_eq!(pie.burst_allowance, Span::from_ms(150));
}

/// A queue that is past its bursts, with `drop_prob` and a delay above the target.
fn congested(config: &PieConfig, drop_prob: f64) -> Pie {
    let mut pie = pie(&PieConfig { max_burst: Span::ZERO, ..config.clone() });
    (pie.drop_prob, pie.qdelay_old) = (drop_prob, 0.030);
    pie
}

/// Section 5.4: at a constant probability of 1/32 signals are at least 0.85 * 32, that is 28, and
/// at most 8.5 * 32 = 272 packets apart; on average 27 + 32, because each packet after the wait has
/// its toss.
#[test]
fn signals_are_neither_too_near_nor_too_far() {
    let spacings = |derandomize| {
        let (mut pie, mut rng) = (
            congested(&PieConfig { derandomize, ..PieConfig::default() }, 1.0 / 32.0),
            Stream::named(5, "pie"),
        );
        let mut next = || {
            let n = (1..).find(|_| pie.drop_early(100_000, 1000, &mut rng)).unwrap();
            pie.accu_prob = 0.0;
            n
        };
        (0..20_000).map(|_| next()).collect::<Vec<u32>>()
    };
    let mean = |s: &[u32]| f64::from(s.iter().sum::<u32>()) / s.len() as f64;
    let (even, plain) = (spacings(true), spacings(false));
    assert_eq!((even.iter().min(), even.iter().max()), (Some(&28), Some(&272)));
    assert!((mean(&even) - 59.0).abs() < 1.0, "{}", mean(&even));
    assert!(
        plain.iter().min() == Some(&1) && (mean(&plain) - 32.0).abs() < 1.0,
        "{}",
        mean(&plain)
    );
}

/// The safeguards of section 4.1, at a probability of one.
#[test]
fn it_conserves_work() {
    let mut rng = Stream::named(1, "pie");
    let mut signals = |drop_prob, qdelay_old, waiting| {
        let mut pie = congested(&PieConfig::default(), drop_prob);
        (pie.qdelay_old, pie.accu_prob) = (qdelay_old, 8.5);
        pie.drop_early(waiting, 1000, &mut rng)
    };
    assert!(signals(1.0, 0.030, 3001) && !signals(1.0, 0.030, 3000), "two packets may wait");
    assert!(!signals(0.19, 0.007, 9000) && signals(0.19, 0.008, 9000) && signals(0.2, 0.007, 9000));
}

#[test]
fn small_packets_are_signalled_less_where_asked() {
    let share = |bytemode, bytes| {
        let config = PieConfig { bytemode, derandomize: false, ..PieConfig::default() };
        let (mut pie, mut rng) = (congested(&config, 0.4), Stream::named(2, "pie"));
        (0..40_000).filter(|_| pie.drop_early(100_000, bytes, &mut rng)).count() as f64 / 40_000.0
    };
    for (bytemode, bytes, expected) in [
        (false, 150, 0.4),
        (true, 1500, 0.4),
        (true, 750, 0.2),
        (true, 150, 0.04),
        (true, 9000, 1.0),
    ] {
        let got = share(bytemode, bytes);
        assert!((got - expected).abs() < 0.011, "bytemode {bytemode}, {bytes} B: {got}");
    }
}

/// A port on which a packet of 1000 B takes `service`, after one such packet every `gap`.
fn loaded(
    config: &PieConfig,
    limit: u32,
    n: u32,
    [gap, service]: [Span; 2],
    seed: u64,
) -> Bench<Fifo<Pie, Numbered>> {
    let rate = Rate::from_bps(8_000_000_000_000_000 / service.ps());
    let site = LinkInfo { rate, ..link(Capacity::Packets(limit)) };
    let mut bench = Bench::new(Fifo::new(Pie::new(config, &site)), site, seed, false);
    for i in 0..n {
        bench.arrive(Time::ZERO + gap * u64::from(i), packet(0, 1000, Ecn::NotEct));
    }
    bench
}

/// The scenarios of ns-3's suite, by what they must come to: how much is dropped early, and that
/// nothing overflows.
#[test]
fn ns3_suite() {
    let ms = Span::from_ms;
    for delay in ESTIMATES {
        let base = PieConfig {
            delay,
            target: ms(20),
            tupdate: ms(30),
            max_burst: ms(100),
            dq_threshold: Bytes(10_000),
            mean_packet_size: Bytes(1000),
            derandomize: false,
            ..PieConfig::default()
        };
        let early = |config: &PieConfig, service| {
            let seeds =
                (0..20).map(|seed| loaded(config, 300, 400, [ms(10), ms(service)], seed).journal);
            let dropped = seeds.map(|j| (j.dropped(Reason::Early), j.dropped(Reason::Overflow)));
            let (early, overflow) = dropped.fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
            assert_eq!(overflow, 0);
            early
        };
        let t2 = early(&base, 12);
        assert!(t2 > 0, "{delay:?}");
        assert!(
            early(&PieConfig { target: ms(80), ..base.clone() }, 12) < t2,
            "{delay:?}: a \
            higher target"
        );
        assert!(early(&base, 15) > t2, "{delay:?}: a slower link");
        assert!(
            early(&PieConfig { tupdate: ms(90), ..base.clone() }, 12) < t2,
            "{delay:?}: rarer \
            updates"
        );
        assert_eq!(
            early(&PieConfig { activate: 1.0, ..base.clone() }, 12),
            0,
            "{delay:?}: never \
            active"
        );
        let late = early(&PieConfig { activate: 0.05, ..base.clone() }, 12);
        assert!(late > 0, "{delay:?}: active from 15 packets on");
    }
}

#[test]
fn it_stops_after_congestion_where_it_starts_late() {
    let config = PieConfig { activate: 0.1, ..PieConfig::default() };
    let active = |bench: &mut Bench<Fifo<Pie, Numbered>>| {
        let mut seen = Gauges::default();
        bench.port.qdisc().probe(&mut seen);
        seen.get("qdelay").unwrap() > 0.0
    };
    let mut bench = loaded(&config, 100, 9, [Span::ZERO, Span::from_ms(10)], 1);
    bench.run_to(Time::ZERO + Span::from_ms(60));
    assert!(!active(&mut bench), "nine are not yet a tenth of the limit");
    let mut bench = loaded(&config, 100, 30, [Span::ZERO, Span::from_ms(10)], 1);
    bench.run_to(Time::ZERO + Span::from_ms(60));
    assert!(active(&mut bench));
    bench.run_to(Time::ZERO + Span::from_secs(60));
    assert!(!active(&mut bench));
    let mut pie = pie(&config);
    pie.begin();
    pie.update(0.030);
    assert!(pie.active);
    pie.drop_prob = 0.0;
    pie.update(0.0);
    assert!(pie.active, "the delay before was not zero");
    pie.update(0.0);
    assert!(!pie.active);
}

/// Up to `mark_ecnth` a capable packet is marked, from there on it is dropped: never for the reason
/// `early`.
#[test]
fn capable_packets_are_marked_up_to_a_probability() {
    let decided = |drop_prob, ecn| {
        let config = PieConfig { ecn: true, mark_ecnth: 0.3, ..PieConfig::default() };
        let site = link(Capacity::Unlimited);
        let mut bench =
            Bench::new(Fifo::<_, Numbered>::new(congested(&config, drop_prob)), site, 1, false);
        (0..200).for_each(|_| _ = bench.arrive(Time::ZERO, packet(0, 1000, ecn)));
        let j = &bench.journal;
        [j.marked(), j.dropped(Reason::Early), j.dropped(Reason::Forced)].map(|n| n > 0)
    };
    // The tick at the start brings the probability down by (alpha 15 ms + beta 30 ms) at most: from
    // 0.4 to above 0.3.
    assert_eq!(decided(0.3, Ecn::Ect0), [true, false, false]);
    assert_eq!(decided(0.4, Ecn::Ect0), [false, false, true]);
    assert_eq!(decided(0.4, Ecn::NotEct), [false, true, false]);
}

/// The rate at which a busy link of 10 Mbps sends is measured to the byte, whatever the packets'
/// sizes; and never while less than the threshold waits.
#[test]
fn the_dequeue_rate_is_the_links() {
    let config = PieConfig { delay: DelayEstimate::DequeueRate, ..PieConfig::default() };
    let rate = |packets: u32| {
        let site = LinkInfo { rate: Rate::from_mbps(10), ..link(Capacity::Unlimited) };
        let mut bench =
            Bench::new(Fifo::<_, Numbered>::new(Pie::new(&config, &site)), site, 1, false);
        (0..packets).for_each(|i| {
            _ = bench.arrive(Time::ZERO, packet(0, 600 + 37 * (i % 23), Ecn::NotEct))
        });
        bench.drain();
        let mut seen = Gauges::default();
        bench.port.qdisc().probe(&mut seen);
        seen.get("dq_rate").unwrap()
    };
    assert_eq!(rate(10), 0.0);
    assert!(near(rate(200), 1.25e6), "{}", rate(200));
}

/// So many bytes wait.
struct Waits(u64);

impl QueueView for Waits {
    fn backlog(&self) -> Backlog {
        Backlog { packets: (self.0 / 1024) as u32, bytes: self.0, buffers: 0 }
    }
    fn meta(&self, _: Slot) -> Option<Meta> {
        None
    }
}

/// RFC 8033 section 5.2 by hand, with a threshold of 16 KiB, sixteen packets: the first measurement
/// is the rate, each later one weighs 1/4, and none begins while less waits. Packets that leave in
/// one instant measure nothing.
#[test]
fn the_dequeue_rate_is_an_average() {
    let (mut delay, mut now) =
        (Delay::new(DelayEstimate::DequeueRate, Bytes(16_384)), Time::ZERO + Span::from_secs(1));
    let mut leave = |packets: u32, gap: Span, waiting: u64| {
        for _ in 0..packets {
            delay.depart(now, &Waits(waiting), &packet(0, 1024, Ecn::NotEct), Span::ZERO);
            now += gap;
        }
        (delay.rate(), delay.is_known())
    };
    let ms = Span::from_ms;
    // A packet ends a cycle, and begins the next one.
    assert_eq!(leave(17, Span::ZERO, 20_000), (0.0, false));
    assert_eq!(leave(15, ms(1), 20_000), (0.0, false));
    assert_eq!(leave(1, ms(2), 20_000), (16_384.0 / 0.015, true));
    let first = 16_384.0 / 0.015;
    assert_eq!(leave(15, ms(2), 20_000).0, first);
    let (rate, _) = leave(1, ms(2), 16_383);
    assert!(near(rate, first + 0.25 * (16_384.0 / 0.032 - first)), "{rate}");
    assert_eq!(leave(40, ms(1), 16_383).0, rate, "too little waits");
    assert_eq!(leave(16, ms(1), 16_384).0, rate);
    assert!(leave(1, ms(1), 16_384).0 > rate);
    delay.restart();
    assert_eq!((delay.rate(), delay.is_known()), (0.0, false));
}

/// What each estimate needs of its port, and what it says of 2500 bytes behind a packet that waited
/// 7 ms: nothing before a rate is known, 20 ms at 1 Mbps.
#[test]
fn the_delay_by_each_estimate() {
    let site = link(Capacity::Unlimited);
    let (flows, mut rng) = (FlowTable::default(), Stream::named(1, "pie"));
    let cx = Cx { now: Time::ZERO, rng: &mut rng, link: &site, flows: &flows };
    for (estimate, needs, known, seconds) in [
        (DelayEstimate::Timestamp, Needs::Held, true, 0.007),
        (DelayEstimate::DequeueRate, Needs::Held, false, 0.0),
        (DelayEstimate::LinkRate, Needs::Arrival, true, 0.02),
    ] {
        let mut delay = Delay::new(estimate, Bytes(10_000));
        delay.depart(cx.now, &Waits(2500), &packet(0, 1024, Ecn::NotEct), Span::from_ms(7));
        assert_eq!((delay.needs(), delay.is_known()), (needs, known), "{estimate:?}");
        assert_eq!(delay.seconds(&cx, &Waits(2500)), seconds, "{estimate:?}");
    }
    let mut delay = Delay::new(DelayEstimate::Timestamp, Bytes(10_000));
    delay.depart(cx.now, &Waits(0), &packet(0, 1024, Ecn::NotEct), Span::from_ms(7));
    assert_eq!(delay.seconds(&cx, &Waits(0)), 0.0, "nothing is left behind it");
}

/// A source of 1.25 times the rate that answers to nothing: the probability settles at 0.2 and the
/// delay at the target, however the delay is estimated.
#[test]
fn the_delay_settles_at_the_target() {
    for delay in ESTIMATES {
        let config = PieConfig { delay, derandomize: false, ..PieConfig::default() };
        let (n, warm) = (60_000, 30_000);
        let service = Span::from_us(800);
        let bench = loaded(&config, 1000, n, [Span::from_us(640), service], 1);
        let (mut waited, mut sent) = (0.0, 0.0);
        for event in &bench.journal.0 {
            if let Event::Sent(id, at) = event
                && *id > warm
            {
                waited +=
                    at.since(Time::ZERO + Span::from_us(640 * id)).seconds() - service.seconds();
                sent += 1.0;
            }
        }
        let (mean, passed) = (waited / sent, sent / f64::from(n - warm as u32));
        assert!((mean / 0.015 - 1.0).abs() < 0.1, "{delay:?}: {mean} s");
        assert!((passed - 0.8).abs() < 0.01, "{delay:?}: {passed} pass");
    }
}

#[test]
fn contradictions_are_refused() {
    let fault = |json| read::<PieConfig>(&json).unwrap_err();
    for (at, json) in [
        ("target", serde_json::json!({"target": "0 ms"})),
        ("tupdate", serde_json::json!({"tupdate": "0 ms"})),
        ("dq_threshold", serde_json::json!({"dq_threshold": "0 B"})),
        ("mean_packet_size", serde_json::json!({"mean_packet_size": "0 B"})),
        ("mark_ecnth", serde_json::json!({"mark_ecnth": 2})),
        ("alpha", serde_json::json!({"alpha": -1})),
    ] {
        let found = fault(json);
        assert!(found.at == at && found.fix.is_some(), "{found:?}");
    }
    assert_eq!(
        pie(&PieConfig { delay: DelayEstimate::LinkRate, ..PieConfig::default() }).needs(),
        Needs::Arrival
    );
    assert_eq!(pie(&PieConfig::default()).needs(), Needs::Held);
}
