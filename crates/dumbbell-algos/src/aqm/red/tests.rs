//! RED against the 1993 pseudo-code, ns-2's choices, and the facts of ns-3's test suite.
use super::average::{IdleFraction, IdleStyle};
use super::spacing::SpacingLaw;
use super::*;
use crate::aqm::drop_tail::Victim;
use dumbbell_core::aqm::Reason;
use dumbbell_core::packet::Ecn;
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::probe::Gauges;
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Event, Journal, Numbered, link, packet};
use dumbbell_core::units::{Backlog, Bytes, Capacity, Packets, Rate, Span, Time};
use proptest::prelude::*;

pub(crate) mod alike;
mod ns2;
mod transcription;

/// The 1993 algorithm to the letter.
fn paper() -> RedConfig {
    RedConfig {
        idle_style: IdleStyle::Paper,
        min_q_for_drop: Packets(0.0),
        max_p: 0.02,
        ..RedConfig::default()
    }
}

fn red(config: &RedConfig, capacity: Capacity) -> Red {
    config_is_valid(config);
    Red::new(config, &link(capacity))
}

fn config_is_valid(config: &RedConfig) {
    use dumbbell_core::catalogue::Config;
    config.check().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// With packets of the mean size, byte mode and every form of byte_drop are packet mode.
    #[test]
    fn byte_mode_is_packet_mode_at_equal_sizes(
        seed: u64,
        gaps in prop::collection::vec(0u64..16_000_000_000, 400),
    ) {
        let run = |byte_mode, byte_drop, capacity| {
            let config = RedConfig {
                w_q: 0.1,
                min_th: Packets(2.0),
                max_th: Packets(8.0),
                mean_packet_size: Bytes(1500),
                byte_mode,
                byte_drop,
                ..RedConfig::default()
            };
            let mut bench = Bench::new(
                Fifo::<_, Numbered>::new(red(&config, capacity)),
                link(capacity),
                seed,
                false,
            );
            let mut now = Time::ZERO;
            for gap in &gaps {
                now += Span::from_ps(*gap);
                bench.arrive(now, packet(0, 1500, Ecn::NotEct));
            }
            bench.drain();
            bench.journal
        };
        let packets = run(false, ByteDrop::Off, Capacity::Packets(10));
        for byte_drop in [ByteDrop::Off, ByteDrop::MeanSize, ByteDrop::MaxSize, ByteDrop::Ns2] {
            prop_assert_eq!(&run(true, byte_drop, Capacity::Bytes(15_000)), &packets);
        }
    }
}

/// The test of ns-3's suite: packets enter a queue that nothing leaves. Totals over some seeds.
struct Suite {
    early: usize,
    forced: usize,
    overflow: usize,
    marks: usize,
}

impl Suite {
    fn run(config: &RedConfig, ecn: Ecn) -> Suite {
        let capacity = Capacity::Packets(300);
        let (site, flows) = (link(capacity), FlowTable::default());
        let mut all = Journal::default();
        for seed in 0..10 {
            let mut rng = Stream::named(seed, "suite");
            let mut queue = Fifo::new(red(config, capacity));
            for id in 0..300 {
                let mut cx = Cx { now: Time::ZERO, rng: &mut rng, link: &site, flows: &flows };
                queue.enqueue(&mut cx, Numbered { id, meta: packet(0, 500, ecn) }, &mut all);
            }
        }
        Suite {
            early: all.dropped(Reason::Early),
            forced: all.dropped(Reason::Forced),
            overflow: all.dropped(Reason::Overflow),
            marks: all.marked(),
        }
    }
    fn drops(&self) -> usize {
        self.early + self.forced
    }
}

/// ns-3's defaults with the thresholds of its suite.
fn ns3(w_q: f64) -> RedConfig {
    RedConfig {
        min_th: Packets(70.0),
        max_th: Packets(150.0),
        max_p: 1.0 / 50.0,
        w_q,
        gentle: true,
        spacing: SpacingLaw::UniformWait,
        ..RedConfig::default()
    }
}

#[test]
fn ns3_suite_without_ecn() {
    let t2 = Suite::run(&ns3(0.002), Ecn::NotEct);
    assert_eq!((t2.early, t2.forced, t2.overflow), (0, 0, 0));
    let t3 = Suite::run(&ns3(0.02), Ecn::NotEct);
    assert!(t3.early > 0 && t3.overflow == 0);
    let more = |name: &str, config: RedConfig| {
        let t = Suite::run(&config, Ecn::NotEct);
        assert!(t.drops() > t3.drops(), "{name}: {} and {}", t.drops(), t3.drops());
    };
    more("t4", RedConfig { max_th: Packets(100.0), ..ns3(0.02) });
    more("t5", RedConfig { max_p: 1.0 / 5.0, ..ns3(0.02) });
    more("t6", RedConfig { gentle: false, ..ns3(0.02) });
    more("t7", RedConfig { spacing: SpacingLaw::Uniform, ..ns3(0.02) });
}

#[test]
fn ns3_suite_with_ecn() {
    let config = |ecn| RedConfig {
        min_th: Packets(30.0),
        max_th: Packets(90.0),
        max_p: 0.5,
        ecn,
        ..ns3(0.002)
    };
    let t8 = Suite::run(&config(true), Ecn::NotEct);
    assert!(t8.early > 0 && t8.marks == 0);
    let t9 = Suite::run(&config(false), Ecn::Ect0);
    assert!(t9.early > 0 && t9.marks == 0);
    let t10 = Suite::run(&config(true), Ecn::Ect0);
    assert!(t10.early == 0 && t10.marks > 0);
    assert_eq!(t9.early, Suite::run(&config(false), Ecn::NotEct).early);
}

/// A RED that is beyond its upper threshold at every packet but the first.
fn beyond(config: RedConfig) -> RedConfig {
    RedConfig {
        w_q: 1.0,
        min_th: Packets(0.0),
        max_th: Packets(1.0),
        min_q_for_drop: Packets(0.0),
        ..config
    }
}

/// Events of `n` packets at one instant: the first is in transmission, the second waits.
fn at_once(config: &RedConfig, n: usize, ecn: Ecn) -> Vec<Event> {
    let capacity = Capacity::Packets(10);
    let mut bench =
        Bench::new(Fifo::<_, Numbered>::new(red(config, capacity)), link(capacity), 1, false);
    for _ in 0..n {
        bench.arrive(Time::ZERO, packet(0, 500, ecn));
    }
    bench.journal.0
}

#[test]
fn beyond_the_upper_threshold_even_capable_packets_are_dropped_unless_soft() {
    let hard = beyond(RedConfig { ecn: true, ..RedConfig::default() });
    assert_eq!(at_once(&hard, 3, Ecn::Ect0), [Event::Dropped(2, Reason::Forced)]);
    let soft = RedConfig { ecn_hard: false, ..hard };
    assert_eq!(at_once(&soft, 3, Ecn::Ect0), [Event::Marked(2, Reason::Forced)]);
    assert_eq!(at_once(&soft, 3, Ecn::NotEct), [Event::Dropped(2, Reason::Forced)]);
}

#[test]
fn a_forced_drop_takes_the_victim_it_is_told() {
    let of =
        |victim| at_once(&beyond(RedConfig { victim, ..RedConfig::default() }), 4, Ecn::NotEct);
    let forced = |id| Event::Dropped(id, Reason::Forced);
    assert_eq!(of(Victim::Tail), [forced(2), forced(3)]);
    assert_eq!(of(Victim::Front), [forced(1), forced(2)]);
    let random = of(Victim::Random);
    assert!(
        random.len() == 2
            && random.iter().all(|e| matches!(e, Event::Dropped(1..=3, Reason::Forced)))
    );
    assert_eq!(red(&paper(), Capacity::Unlimited).needs(), Needs::Arrival);
    assert_eq!(
        red(&RedConfig { victim: Victim::Front, ..paper() }, Capacity::Unlimited).needs(),
        Needs::Held
    );
}

/// ns-2's rule: a packet that finds at most one other in the queue is never signaled, whatever the
/// average.
#[test]
fn a_short_queue_is_left_alone() {
    let strict = beyond(RedConfig::default());
    let lenient = RedConfig { min_q_for_drop: Packets(1.0), ..strict.clone() };
    assert_eq!(at_once(&strict, 4, Ecn::NotEct).len(), 2);
    assert_eq!(at_once(&lenient, 4, Ecn::NotEct), [Event::Dropped(3, Reason::Forced)]);
}

/// p_b = max_p at once, so a packet of twice the size is signaled twice as often, one of half the
/// size half as often.
#[test]
fn byte_drop_scales_the_probability() {
    let p_a = |byte_drop, bytes| {
        let curve = curve::CurveShape::Constant;
        let config = RedConfig {
            min_th: Packets(0.0),
            min_q_for_drop: Packets(0.0),
            spacing: SpacingLaw::Bernoulli,
            curve,
            byte_drop,
            ..RedConfig::default()
        };
        let mut bench = Bench::new(
            Fifo::<_, Numbered>::new(red(&config, Capacity::Unlimited)),
            link(Capacity::Unlimited),
            1,
            false,
        );
        bench.arrive(Time::ZERO, packet(0, bytes, Ecn::NotEct));
        let mut seen = Gauges::default();
        bench.port.qdisc().probe(&mut seen);
        seen.get("p_a").unwrap()
    };
    for (byte_drop, bytes, expected) in [
        (ByteDrop::Off, 1000, 0.1),
        (ByteDrop::MeanSize, 1000, 0.2),
        (ByteDrop::MeanSize, 250, 0.05),
        (ByteDrop::MeanSize, 9000, 1.0),
        (ByteDrop::MaxSize, 750, 0.05),
        (ByteDrop::Ns2, 1000, 0.2),
    ] {
        assert!(
            (p_a(byte_drop, bytes) - expected).abs() < 1e-12,
            "{byte_drop:?} {bytes}: {}",
            p_a(byte_drop, bytes)
        );
    }
}

#[test]
fn contradictions_are_refused() {
    use dumbbell_core::catalogue::read;
    let fault = |json| read::<RedConfig>(&json).unwrap_err();
    let swapped = fault(serde_json::json!({"min_th": "15 pkt", "max_th": "5 pkt"}));
    assert_eq!(
        (swapped.at.as_str(), swapped.fix.as_deref()),
        ("max_th", Some("three times min_th is usual: write \"45 pkt\""))
    );
    let equal = fault(serde_json::json!({"min_th": "15 pkt", "max_th": "15 pkt"}));
    assert_eq!((equal.at.as_str(), equal.fix.unwrap().contains("w_q = 1")), ("max_th", true));
    let step = serde_json::json!({"min_th": "15 pkt", "max_th": "15 pkt", "w_q": 1.0});
    assert!(read::<RedConfig>(&step).is_ok(), "a step of the queue itself");
    assert_eq!(fault(serde_json::json!({"w_q": 0.0})).at, "w_q");
    assert_eq!(fault(serde_json::json!({"max_p": 2})).at, "max_p");
    assert_eq!(fault(serde_json::json!({"mean_packet_size": "0 B"})).at, "mean_packet_size");
    assert_eq!(
        fault(serde_json::json!({"spacing": "uniform_stored", "byte_drop": "ns2"})).at,
        "byte_drop"
    );
    assert!(fault(serde_json::json!({"min_thr": "5 pkt"})).fix.unwrap().contains("min_th"));
    assert!(fault(serde_json::json!({"min_th": 5})).cause.contains("write \"5 pkt\""));
}

/// A real idle time is more than its whole packets, so its average is lower; never the other way
/// round.
#[test]
fn a_fraction_of_idle_time_counts_where_asked() {
    let avg = |idle_fraction| {
        let config = RedConfig { w_q: 0.5, idle_fraction, ..paper() };
        let mut bench = Bench::new(
            Fifo::<_, Numbered>::new(red(&config, Capacity::Unlimited)),
            link(Capacity::Unlimited),
            1,
            true,
        );
        for _ in 0..8 {
            bench.arrive(Time::ZERO, packet(0, 500, Ecn::NotEct));
        }
        bench.arrive(Time::ZERO + Span::from_ms(32 + 6), packet(0, 500, Ecn::NotEct));
        let mut seen = Gauges::default();
        bench.port.qdisc().probe(&mut seen);
        seen.get("avg").unwrap()
    };
    // 6 ms idle are 1.5 packets of 500 B at 1 Mbps.
    let ratio = avg(IdleFraction::Real) / avg(IdleFraction::Floor);
    assert!((ratio - libm::pow(0.5, 0.5)).abs() < 1e-12, "{ratio}");
}

/// Below the thresholds a full queue pushes out its victim: that of `drop_tail`.
#[test]
fn the_victim_of_a_full_queue() {
    for (victim, dropped) in [
        (Victim::Tail, [Event::Dropped(3, Reason::Overflow), Event::Dropped(4, Reason::Overflow)]),
        (Victim::Front, [Event::Dropped(1, Reason::Evicted), Event::Dropped(2, Reason::Evicted)]),
    ] {
        let config = RedConfig {
            victim,
            min_th: Packets(5.0),
            max_th: Packets(15.0),
            ..RedConfig::default()
        };
        let capacity = Capacity::Packets(2);
        let mut bench =
            Bench::new(Fifo::<_, Numbered>::new(red(&config, capacity)), link(capacity), 1, false);
        for _ in 0..5 {
            bench.arrive(Time::ZERO, packet(0, 1500, Ecn::NotEct));
        }
        assert_eq!(bench.journal.0, dropped);
    }
}
