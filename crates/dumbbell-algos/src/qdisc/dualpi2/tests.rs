use super::config::{LAqm, Scheduler};
use super::*;
use crate::qdisc::parts::test_qdisc::{TestQdisc, numbers};
use dumbbell_core::catalogue::read;
use dumbbell_core::testing::{Event, Numbered, link, packet};
use serde_json::json;

fn deck(config: serde_json::Value, capacity: Capacity) -> TestQdisc<DualPi2<Numbered>> {
    TestQdisc::new(|site| DualPi2::new(&read(&config).unwrap(), site), link(capacity))
}

fn coupled(config: serde_json::Value, p: f64) -> Coupled {
    Coupled { p, ..Coupled::new(&read(&config).unwrap(), 1500) }
}

/// A delay of 30 ms from one of 0 on: the first step has the growth, each the distance.
#[test]
fn the_pressure_at_a_constant_delay() {
    let mut c = coupled(json!({}), 0.0);
    for want in [0.0984, 0.1008, 0.1032, 0.1056, 0.1080] {
        c.update(0.030);
        assert!((c.p - want).abs() < 1e-12, "{} is not {want}", c.p);
    }
}

/// The shares of L marked and of C signaled are k p' and p'^2 (four standard deviations of 100 000
/// draws), exactly so if probabilities are added up.
#[test]
fn classic_and_scalable_signals_are_coupled() {
    let n = 100_000.0;
    for chance in ["random", "recur"] {
        for (p, k) in [(0.05, 2.0), (0.2, 2.0), (0.1, 4.0)] {
            let mut c = coupled(json!({"chance": chance, "coupling_factor": k}), p);
            let mut rng = Stream::named(1, "coupled");
            let [mut marks, mut drops, mut squared] = [0.0f64; 3];
            for _ in 0..100_000 {
                marks += f64::from(u8::from(
                    c.low(Span::ZERO, 0, 9000, &mut rng) == Fate::Mark(Reason::Early),
                ));
                squared += f64::from(u8::from(
                    c.classic(Ecn::Ect0, 9000, &mut rng) == Fate::Mark(Reason::Early),
                ));
                drops += f64::from(u8::from(
                    c.classic(Ecn::NotEct, 9000, &mut rng) == Fate::Drop(Reason::Early),
                ));
            }
            // The two kinds of Classic packets take turns, so that the sum is what is spaced
            // evenly.
            for (count, draws, want) in [(marks, n, k * p), (squared + drops, 2.0 * n, p * p)] {
                let slack = if chance == "recur" {
                    1.5
                } else {
                    4.0 * libm::sqrt(draws * want * (1.0 - want))
                };
                assert!(
                    (count - draws * want).abs() <= slack,
                    "{chance} {p} {k}: {count} of \
                    {draws}"
                );
            }
        }
    }
}

/// From p_CL = 1 on (p' = 1/2, p_C = 1/4) a fourth of all packets is dropped, ECN-capable or not;
/// what stays of L is marked.
#[test]
fn an_overload_drops_what_is_ecn_capable() {
    let mut c = coupled(json!({"chance": "recur"}), 0.5);
    let mut rng = Stream::named(1, "overload");
    let fates: Vec<Fate> = (0..400).map(|_| c.classic(Ecn::Ect0, 9000, &mut rng)).collect();
    let dropped = fates.iter().filter(|f| **f == Fate::Drop(Reason::Forced)).count();
    assert!((99..=100).contains(&dropped) && fates.iter().all(|f| !matches!(f, Fate::Mark(_))));
    let mut random = coupled(json!({}), 0.5);
    let fates: Vec<Fate> = (0..4000).map(|_| random.low(Span::ZERO, 9, 9000, &mut rng)).collect();
    let dropped = fates.iter().filter(|f| **f == Fate::Drop(Reason::Forced)).count();
    assert!((890..=1110).contains(&dropped), "{dropped}");
    assert!(fates.iter().all(|f| *f != Fate::Pass));
    // Just below there is no drop of what is ECN-capable, and with `overload = "mark"` never.
    let mut below = coupled(json!({}), 0.4999);
    let mut never = coupled(json!({"overload": "mark"}), 0.0);
    (0..100).for_each(|_| never.update(1.0));
    assert_eq!(never.p, 0.5);
    for c in [&mut below, &mut never] {
        let capable = (0..1000).flat_map(|_| {
            [c.low(Span::ZERO, 9, 9000, &mut rng), c.classic(Ecn::Ect0, 9000, &mut rng)]
        });
        assert!(capable.collect::<Vec<_>>().iter().all(|f| !matches!(f, Fate::Drop(_))));
    }
}

#[test]
fn the_ramp_and_the_step() {
    let us = Span::from_us;
    let ramp = DualPi2Config::default();
    let at = |t| native(&ramp, us(t));
    assert!(
        [(0, 0.0), (800, 0.0), (900, 0.25), (1000, 0.5), (1200, 1.0), (9999, 1.0)]
            .iter()
            .all(|(t, p)| (at(*t) - p).abs() < 1e-9)
    );
    // A ramp of no width is a step.
    let steep = DualPi2Config { range: Span::ZERO, l_min_th: us(1000), ..ramp.clone() };
    assert_eq!([999, 1000, 1001].map(|t| native(&steep, us(t))), [0.0, 0.0, 1.0]);
    let step = DualPi2Config { l_aqm: LAqm::Step, ..ramp };
    assert_eq!([999, 1000, 1001].map(|t| native(&step, us(t))), [0.0, 0.0, 1.0]);
}

/// With no more than one packet behind it a packet of L is not marked for its delay; with less than
/// two MTUs in both queues nothing is coupled.
#[test]
fn a_short_queue_is_left_alone() {
    let mut rng = Stream::named(1, "short");
    let mut c = coupled(json!({}), 0.0);
    assert_eq!(c.low(Span::from_ms(9), 1, 9000, &mut rng), Fate::Pass);
    assert_eq!(c.low(Span::from_ms(9), 2, 9000, &mut rng), Fate::Mark(Reason::Head));
    let mut c = coupled(json!({}), 0.9);
    for _ in 0..100 {
        assert_eq!(c.low(Span::ZERO, 1, 2999, &mut rng), Fate::Pass);
        assert_eq!(c.classic(Ecn::NotEct, 2999, &mut rng), Fate::Pass);
    }
}

#[test]
fn ect1_and_ce_are_low_latency() {
    let mut d = deck(json!({}), Capacity::Unlimited);
    for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
        d.put_meta(packet(0, 100, ecn));
    }
    assert_eq!(numbers(&mut d), [2, 3, 0, 1]);
}

/// While both are backlogged C has its share of the bytes, within a packet; an L that comes alone
/// or first goes first.
#[test]
fn wrr_keeps_a_share_for_classic() {
    for share in [0.1, 0.3] {
        let mut d = deck(json!({"c_protection": share}), Capacity::Unlimited);
        for n in 0..4000u32 {
            d.put_meta(packet(0, 500 + n % 1000, if n % 2 == 0 { Ecn::Ect1 } else { Ecn::NotEct }));
        }
        let [mut l, mut c] = [0.0f64; 2];
        for n in 0..2000 {
            let p = d.take().unwrap();
            *(if p.meta.ecn == Ecn::NotEct { &mut c } else { &mut l }) += f64::from(p.meta.ip_len);
            assert!(n > 0 || l > 0.0, "L goes first");
            // Credit is within one packet of either side, and begins at up to an MTU.
            assert!(((1.0 - share) * c - share * l).abs() <= 2.0 * 1500.0, "{l} {c}");
        }
    }
}

/// C's share is of the bytes that are sent: what is dropped of C, here a fourth of it, does not
/// count as its turn.
#[test]
fn what_is_dropped_takes_no_share() {
    let mut d = deck(
        json!({"c_protection": 0.3, "chance": "recur", "overload": "mark"}),
        Capacity::Unlimited,
    );
    for n in 0..6000u32 {
        d.put_meta(packet(0, 1000, if n % 2 == 0 { Ecn::Ect1 } else { Ecn::NotEct }));
    }
    d.qdisc.coupled.p = 0.5;
    let classic = (0..2000).filter(|_| d.take().unwrap().meta.ecn == Ecn::NotEct).count();
    assert!(
        (598..=602).contains(&classic) && d.dropped().len() >= 190,
        "{classic} of 2000, {:?}",
        d.dropped().len()
    );
}

/// L's head goes before C's unless that has waited for more than `tshift` longer.
#[test]
fn a_time_shifted_fifo() {
    let mut d = deck(json!({"scheduler": "time_shifted", "tshift": "50 ms"}), Capacity::Unlimited);
    let mut at = |ms, ecn| {
        d.now = Time::ZERO + Span::from_ms(ms);
        d.put_meta(packet(0, 100, ecn))
    };
    for (ms, ecn) in
        [(0, Ecn::NotEct), (40, Ecn::Ect1), (45, Ecn::NotEct), (60, Ecn::Ect1), (120, Ecn::Ect1)]
    {
        at(ms, ecn);
    }
    // Virtual arrivals: C 0, L -10, C 45, L 10, L 70.
    assert_eq!(numbers(&mut d), [1, 0, 3, 2, 4]);
}

/// The controller acts on the larger delay, or on C's alone.
#[test]
fn whose_delay_counts() {
    for (of, want) in
        [("both", 0.16 * 0.025 + 3.2 * 0.040), ("classic", 3.2 * 0.010 - 0.16 * 0.005)]
    {
        let mut d = deck(json!({ "delay_of": of }), Capacity::Unlimited);
        d.wake();
        d.put_meta(packet(0, 100, Ecn::Ect1));
        d.now = Time::ZERO + Span::from_ms(30);
        d.put_meta(packet(0, 100, Ecn::NotEct));
        d.now = Time::ZERO + Span::from_ms(40);
        d.wake();
        assert!((d.qdisc.coupled.p - want).abs() < 1e-12, "{of}: {}", d.qdisc.coupled.p);
    }
}

#[test]
fn both_queues_share_one_limit() {
    let mut d = deck(json!({}), Capacity::Packets(2));
    for ecn in [Ecn::Ect1, Ecn::NotEct, Ecn::Ect1, Ecn::NotEct] {
        d.put_meta(packet(0, 100, ecn));
    }
    assert_eq!(d.journal.0, [2, 3].map(|id| Event::Dropped(id, Reason::Overflow)));
}

#[test]
fn what_cannot_be_is_said() {
    for (config, at) in [
        (json!({"target": "0 s"}), "target"),
        (json!({"tupdate": "0 s"}), "tupdate"),
        (json!({"l_aqm": "step", "step_thresh": "0 s"}), "step_thresh"),
        (json!({"l_min_th": "20 ms"}), "l_min_th"),
        (json!({"coupling_factor": 0.5}), "coupling_factor"),
        (json!({"c_protection": 1.5}), "c_protection"),
    ] {
        let fault = read::<DualPi2Config>(&config).unwrap_err();
        assert!(fault.at == at && fault.fix.is_some(), "{fault:?}");
    }
    assert_eq!(read::<DualPi2Config>(&json!({})).unwrap().scheduler, Scheduler::Wrr);
}
