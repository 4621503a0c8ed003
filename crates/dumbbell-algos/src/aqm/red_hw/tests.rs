//! `red_hw` as a queue's algorithm: what its configuration comes to, against theory and against RED
//! in floating point.
mod draws;

use super::core::FRACTION;
use super::*;
use crate::aqm::red::tests::alike::Line;
use crate::aqm::red::{Red, RedConfig};
use dumbbell_core::aqm::{Reason, Slot};
use dumbbell_core::catalogue::{Config, Fault, read};
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::probe::Gauges;
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Numbered, link, packet};
use dumbbell_core::units::{Backlog, Capacity, Packets, Time};
use serde_json::json;

fn made(config: &RedHwConfig) -> RedHw {
    config.check().unwrap();
    RedHw::new(config, &link(Capacity::Unlimited))
}

fn line(config: &RedHwConfig) -> Line<RedHw> {
    Line::new(made(config), Capacity::Unlimited)
}

/// A queue that always has this many packets.
struct Always(u32);

impl QueueView for Always {
    fn backlog(&self) -> Backlog {
        Backlog { packets: self.0, bytes: 0, buffers: 0 }
    }
    fn meta(&self, _: Slot) -> Option<Meta> {
        None
    }
}

/// A fifth of the way into a curve of 0.1, by the paper's arithmetic too (from below it stalls half
/// a packet before).
fn busy(mode: RedHwMode) -> RedHwConfig {
    RedHwConfig {
        mode,
        min_th: Packets(4.0),
        max_th: Packets(14.0),
        max_p: 0.1,
        lfsr_seed: 77,
        ..Default::default()
    }
}

/// The average of RED in floating point with w_q = 2^-9, for the same queue lengths: less than
/// 2^-10 packets away at every packet. What integers cut off of acc >> 9 at an arrival is less than
/// 1 of 2^-19 packets and decays with the average, so that less than 2^9 of them stand in it; what
/// it shows is cut off by less than 2^-10 the other way.
#[test]
fn the_average_is_reds_within_its_last_place() {
    let config =
        RedConfig { w_q: 1.0 / 512.0, min_q_for_drop: Packets(0.0), ..RedConfig::default() };
    let mut float = Line::new(Red::new(&config, &link(Capacity::Unlimited)), Capacity::Unlimited);
    let mut ours = line(&RedHwConfig::default());
    let mut paper = line(&RedHwConfig { mode: RedHwMode::Paper, ..Default::default() });
    let mut rng = Stream::named(3, "lengths");
    // A queue that is never empty, so that no idle time counts; a walk, and jumps now and then.
    let (mut q, mut worst, mut stall) = (1u32, [0.0, 0.0f64], 0.0f64);
    for _ in 0..300_000 {
        q = if rng.below(2000) == 0 {
            1 + rng.below(60)
        } else {
            (q + rng.below(3)).saturating_sub(1).clamp(1, 60)
        };
        float.arrive(q);
        ours.arrive(q);
        paper.arrive(q);
        let error = ours.gauge("avg") - float.gauge("avg");
        worst = [worst[0].min(error), worst[1].max(error)];
        stall = stall.max((paper.gauge("avg") - float.gauge("avg")).abs());
    }
    let place = 1.0 / 1024.0;
    assert!(worst[0] > -place && worst[1] < place, "{worst:?}");
    assert!(worst[0] < -0.9 * place, "nothing was cut off: {worst:?}");
    // Ten bits lose up to 1 - 2^-9 of a place at each packet, and 2^9 of them stand: half a packet.
    assert!((0.3..0.5).contains(&stall), "{stall}");
}

/// Uniform gaps as RED's: from packet to packet its mean gap is 1 / 2p, ours (1 + 1/p) / 2, since
/// RED's count is one at the packet after a signal. Each drops as often as that says, over all
/// averages; and from `max_th` on both drop all.
#[test]
fn it_drops_as_often_as_red() {
    let red = RedConfig {
        w_q: 1.0 / 512.0,
        min_th: Packets(4.0),
        max_th: Packets(14.0),
        min_q_for_drop: Packets(0.0),
        ..RedConfig::default()
    };
    let mut float = Line::new(Red::new(&red, &link(Capacity::Unlimited)), Capacity::Unlimited);
    let mut gap = line(&RedHwConfig { gap: true, ..busy(RedHwMode::Sound) });
    let (mut count, mut law) = ([[0u32; 2]; 2], [0.0f64; 2]);
    let mut rng = Stream::named(4, "lengths");
    let mut q = 1u32;
    for _ in 0..400_000 {
        q = (q + rng.below(3)).saturating_sub(1).clamp(1, 20);
        for (counts, verdict) in count.iter_mut().zip([float.arrive(q), gap.arrive(q)]) {
            counts[0] += u32::from(verdict == Verdict::Drop(Reason::Early));
            counts[1] += u32::from(verdict == Verdict::Drop(Reason::Forced));
        }
        if gap.gauge("region") == 1.0 {
            let p = gap.gauge("p");
            law = [law[0] + 2.0 * p, law[1] + 2.0 * p / (1.0 + p)];
        }
    }
    let [[early, forced], [our_early, our_forced]] = count;
    assert!(early > 5000 && forced > 5000, "{count:?}");
    for (seen, expected) in [(early, law[0]), (our_early, law[1])] {
        assert!((f64::from(seen) / expected - 1.0).abs() < 0.02, "{count:?} and not {law:?}");
    }
    assert!(forced.abs_diff(our_forced) <= forced / 1000, "{count:?}");
}

/// The paper's waveform through the front door.
#[test]
fn the_papers_waveform() {
    for mode in [RedHwMode::Sound, RedHwMode::Paper] {
        let mut line = line(&RedHwConfig { mode, ..Default::default() });
        while line.gauge("avg") < 11.0 {
            line.arrive(12);
        }
        // From below: each packet that finds 12 moves it up by (12 - avg) / 512.
        let before = line.gauge("avg");
        line.arrive(12);
        assert!((line.gauge("avg") - before - (12.0 - before) / 512.0).abs() < 1.0 / 1024.0);
        assert_eq!(line.gauge("region"), 1.0);
        let p = 0.02 * (line.gauge("avg") - 6.0) / 6.0;
        assert!((line.gauge("p") - p).abs() < 1e-6);
    }
}

/// A seed of its own repeats the draws whatever the run's chance; 0 takes one from it, and only
/// one.
#[test]
fn the_seed_is_given_or_drawn() {
    let draws = |lfsr_seed, seed| {
        let mut aqm = made(&RedHwConfig { lfsr_seed, ..Default::default() });
        let (flows, site, mut rng) =
            (FlowTable::default(), link(Capacity::Unlimited), Stream::named(seed, "red_hw"));
        let draws: Vec<u32> = (0..5)
            .map(|_| {
                let cx = &mut Cx { now: Time::ZERO, rng: &mut rng, link: &site, flows: &flows };
                aqm.arrive(cx, &Always(3), &packet(0, 500, Ecn::NotEct), true);
                aqm.0.last().draw
            })
            .collect();
        (draws, rng.bits32())
    };
    assert_eq!((draws(77, 1).0[0], draws(77, 1).0), (77, draws(77, 2).0));
    let mut taken = Stream::named(5, "red_hw");
    let first = lfsr::state(taken.bits32());
    assert_eq!((draws(0, 5).0[0], draws(0, 5).1), (first, taken.bits32()));
    assert_ne!(draws(0, 5).0, draws(0, 6).0);
}

/// Only an empty queue decays: a packet that finds others waiting, long after the one before, moves
/// the average by half of the difference, and one that finds none for 8 half-lives nearly ends it.
#[test]
fn a_queue_that_is_not_empty_does_not_decay() {
    let config = RedHwConfig {
        idle_half_life: Span::from_ms(1),
        weight_shift: 1,
        min_th: Packets(100.0),
        max_th: Packets(200.0),
        ..Default::default()
    };
    let site = link(Capacity::Unlimited);
    let mut bench = Bench::new(Fifo::<_, Numbered>::new(made(&config)), site, 1, false);
    let mut after = |at, packets| {
        for _ in 0..packets {
            bench.arrive(Time::ZERO + at, packet(0, 1500, Ecn::NotEct));
        }
        let mut seen = Gauges::default();
        bench.port.qdisc().probe(&mut seen);
        (seen.get("avg").unwrap(), bench.port.backlog().packets)
    };
    let (before, waiting) = after(Span::ZERO, 10);
    assert_eq!(waiting, 9);
    // A packet takes 12 ms.
    let (avg, _) = after(Span::from_ms(8), 1);
    assert!((avg - (before + 9.0) / 2.0).abs() < 0.01, "{before} {avg}");
    let (avg, _) = after(Span::from_ms(11 * 12 + 8), 1);
    assert!((avg - before / 4.0 / 256.0).abs() < 0.02, "{before} {avg}");
}

/// Drop precedence is the class; all else is class 0; a map says otherwise.
#[test]
fn codepoints_have_classes() {
    let curve = |min| RedHwClass { min_th: Packets(min), max_th: Packets(min + 6.0), max_p: 0.02 };
    let classes = vec![curve(24.0), curve(18.0), curve(12.0), curve(6.0)];
    let config = RedHwConfig { classes: classes.clone(), ..Default::default() };
    let seen = |config: &RedHwConfig, dscp| {
        let mut line = line(config);
        line.arrive_as(3, dscp);
        (line.gauge("class"), line.gauge("min_th"), line.gauge("max_th"))
    };
    for af in 1..=4 {
        for (y, min) in [(1, 18.0), (2, 12.0), (3, 6.0)] {
            assert_eq!(seen(&config, 8 * af + 2 * y), (f64::from(y), min, min + 6.0));
        }
    }
    assert_eq!([0, 46, 8, 11, 42].map(|dscp| seen(&config, dscp).0), [0.0; 5]);
    let map = [("ef".to_string(), 1)].into();
    let own =
        RedHwConfig { classes: classes[..2].to_vec(), map, default_class: 0, ..Default::default() };
    assert_eq!([0, 46, 10].map(|dscp| seen(&own, dscp).0), [0.0, 1.0, 0.0]);
    // Each class has its own probability: 9 is half-way for the third, and below the others.
    let steeper = RedHwClass { max_p: 0.04, ..curve(6.0) };
    let config = RedHwConfig { classes: [&classes[..3], &[steeper]].concat(), ..config };
    let mut held = line(&config);
    (0..8000).for_each(|_| _ = held.arrive_as(9, 0));
    for (dscp, p, max_p) in [(10, 0.0, 0.02), (14, 0.02, 0.04)] {
        held.arrive_as(9, dscp);
        assert!((held.gauge("p") - p).abs() < 1e-4, "{dscp}: {}", held.gauge("p"));
        assert!((held.gauge("max_p") - max_p).abs() < 1e-4, "{dscp}");
    }
    // The classes' thresholds are in the core's registers: at an average of 20 only they tell who
    // is dropped.
    let mut held = line(&config);
    (0..8000).for_each(|_| _ = held.arrive_as(20, 0));
    assert_eq!(held.arrive_as(20, 0), Verdict::Pass);
    assert_eq!(held.arrive_as(20, 12), Verdict::Drop(Reason::Forced));
}

/// max_p goes up by alpha and down by an eighth, once an interval, within its bounds.
#[test]
fn max_p_adapts() {
    let config = RedHwConfig {
        adaptive: true,
        min_th: Packets(5.0),
        max_th: Packets(25.0),
        max_p: 0.1,
        weight_shift: 1,
        ..Default::default()
    };
    let mut line = line(&config);
    line.tick();
    let mut after = |q: u32| {
        (0..40).for_each(|_| _ = line.arrive(q));
        line.tick();
        line.arrive(q);
        line.gauge("max_p")
    };
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-4, "{a} and not {b}");
    near(after(24), 0.11);
    near(after(24), 0.12);
    near(after(15), 0.12);
    near(after(6), 0.12 * 0.875);
    let mut last = 0.0;
    for _ in 0..60 {
        last = after(24);
    }
    assert!((0.5..0.51).contains(&last), "{last}");
    for _ in 0..60 {
        last = after(6);
    }
    assert!((0.00875..=0.01).contains(&last), "{last}");
}

/// The longest queue that the core can be told of, and not one packet less than none.
#[test]
fn queues_have_twelve_bits() {
    let mut line = line(&RedHwConfig { weight_shift: 1, ..Default::default() });
    (0..60).for_each(|_| _ = line.arrive(1_000_000));
    assert!((4094.99..=4095.0).contains(&line.gauge("avg")), "{}", line.gauge("avg"));
}

/// An idle queue's average halves in a half-life; a packet that is dropped there does not make it
/// count twice.
#[test]
fn the_average_rests() {
    let config = RedHwConfig { idle_half_life: Span::from_ms(10), ..Default::default() };
    let aqm = &mut made(&config);
    let (flows, site, mut rng) =
        (FlowTable::default(), link(Capacity::Unlimited), Stream::named(1, "rest"));
    let at = |ms: u64| Time::from_ps(ms * 1_000_000_000);
    let mut told = |aqm: &mut RedHw, ms, qlen: Option<u32>| {
        let cx = &mut Cx { now: at(ms), rng: &mut rng, link: &site, flows: &flows };
        let meta = packet(0, 500, Ecn::NotEct);
        match qlen {
            None => aqm.idle(cx),
            Some(qlen) => {
                if aqm.arrive(cx, &Always(qlen), &meta, true) == Verdict::Pass {
                    aqm.admitted(&meta);
                }
            }
        }
        f64::from(aqm.0.last().avg) / f64::from(1 << FRACTION)
    };
    let mut avg = 0.0;
    while avg < 48.0 {
        avg = told(aqm, 0, Some(60));
    }
    told(aqm, 1000, None);
    let kept = 511.0 / 512.0;
    let near = |a: f64, b: f64| assert!((a - b).abs() < 0.02, "{a} and not {b}");
    near(told(aqm, 1010, Some(0)), 24.0 * kept);
    near(told(aqm, 1010, Some(0)), 24.0 * kept * kept);
    near(told(aqm, 1015, Some(0)), 18.0 * kept * kept * kept);
    near(told(aqm, 1045, Some(0)), 2.25 * kept);
    // That one went in: the queue is no longer empty, however late the next packet comes.
    near(told(aqm, 2000, Some(1)), 2.25);
}

#[test]
fn a_packet_is_dropped_and_never_marked() {
    let mut line = line(&RedHwConfig { weight_shift: 1, ..Default::default() });
    (0..30).for_each(|_| _ = line.arrive(40));
    assert_eq!(line.arrive(40), Verdict::Drop(Reason::Forced));
    assert_eq!(line.gauge("p"), 1.0);
    let dscp = Dscp(0);
    assert_eq!(
        line.arrive_as(0, dscp.0),
        Verdict::Drop(Reason::Forced),
        "the average says it, not \
        the queue"
    );
}

#[test]
fn contradictions_are_refused() {
    let class = |min: &str, max: &str| json!({"min_th": min, "max_th": max});
    let four = |second: serde_json::Value| {
        let one = class("6 pkt", "12 pkt");
        json!([one.clone(), second, one.clone(), one])
    };
    for (at, written) in [
        ("max_th", json!({"max_th": "6 pkt"})),
        ("max_th", json!({"max_th": "263 pkt"})),
        ("max_th", json!({"max_th": "5000 pkt", "min_th": "4000 pkt"})),
        ("min_th", json!({"min_th": "4096 pkt"})),
        ("max_p", json!({"max_p": 0.19})),
        ("max_p", json!({"max_p": 1.1, "threshold": "constant"})),
        ("weight_shift", json!({"weight_shift": 0})),
        ("lfsr_seed", json!({"lfsr_seed": 2_097_152})),
        ("classes", json!({"classes": [class("6 pkt", "12 pkt")]})),
        ("classes[1].max_th", json!({"classes": four(class("6 pkt", "5 pkt"))})),
        ("map", json!({"map": {"ef": 1}})),
        ("map.ef", json!({"classes": [class("6 pkt", "12 pkt")], "map": {"ef": 1}})),
        ("default_class", json!({"default_class": 1})),
        ("threshold", json!({"adaptive": true, "threshold": "constant"})),
        ("classes[1].max_th", json!({"adaptive": true, "classes": four(class("6 pkt", "13 pkt"))})),
        ("alpha", json!({"adaptive": true, "alpha": 0.2})),
        ("bottom", json!({"bottom": 0.6})),
        ("target_low", json!({"target_low": 0.7})),
        ("interval", json!({"interval": "0 s"})),
    ] {
        let found = read::<RedHwConfig>(&written).unwrap_err();
        assert!(found.at == at && found.fix.is_some(), "{written}: {found:?}");
    }
    let steep = read::<RedHwConfig>(&json!({"min_th": "6 pkt", "max_th": "7 pkt", "max_p": 0.5}));
    let Fault { cause, fix, .. } = steep.unwrap_err();
    assert_eq!(cause, "0.5 over 1 packets is too steep for a slope of 18 bits");
    assert_eq!(fix.unwrap(), "write less than 0.03125, or thresholds further apart");
    for allowed in [
        json!({"max_p": 0.1874}),
        json!({"max_p": 1.0, "threshold": "constant"}),
        json!({"max_th": "261 pkt", "max_p": 1.0}),
        json!({"classes": [class("6 pkt", "12 pkt")], "map": {"ef": 0}}),
        json!({"adaptive": true, "classes": four(class("7 pkt", "13 pkt"))}),
        json!({"adaptive": true, "target_low": 0.5, "target_high": 0.5}),
        json!({"adaptive": true, "bottom": 0.1, "top": 0.1}),
    ] {
        assert!(
            read::<RedHwConfig>(&allowed).is_ok(),
            "{allowed}: {:?}",
            read::<RedHwConfig>(&allowed)
        );
    }
}

/// The catalogue's enum is no larger for it.
#[test]
fn it_takes_a_pointer() {
    assert_eq!(size_of::<RedHw>(), size_of::<usize>());
}
