use super::*;
use crate::qdisc::parts::test_qdisc::{TestQdisc, numbers};
use dumbbell_core::catalogue::{Config, Fault, read};
use dumbbell_core::packet::flow::{Ends, FlowTable};
use dumbbell_core::packet::{Dscp, Ecn, Meta};
use dumbbell_core::qdisc::Qdisc;
use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
use dumbbell_core::units::{Capacity, Rate, Span, Time};
use serde_json::{Value, json};

mod acks;
mod fairness;
mod shaping;
mod tins;

fn config(json: &Value) -> CakeConfig {
    read(json).unwrap()
}

/// A discipline whose flow `i` goes between the hosts `ends[i]`.
fn deck(json: &Value, ends: &[(u32, u32)], capacity: Capacity) -> TestQdisc<Cake<Numbered>> {
    let config = config(json);
    let mut deck = TestQdisc::new(|site| Cake::new(&config, site), link(capacity));
    let ends = ends.iter().map(|(from, to)| Ends { from: *from, to: *to });
    deck.flows = FlowTable::default().between(ends);
    deck
}

/// The longest queue gives way, from its head, one packet at a time.
#[test]
fn a_full_buffer_takes_from_the_longest_queue() {
    let mut d = deck(&json!({"memory_limit": "3000 B"}), &[(0, 1), (2, 3)], Capacity::Unlimited);
    for (flow, bytes) in [(0, 1000), (0, 1000), (1, 600), (1, 300), (1, 400), (0, 1000)] {
        d.put(flow, 0, bytes);
    }
    // 2000 + 1300 bytes, and then again 2000 + 1300: the longest queue is flow 0's both times.
    assert_eq!(d.dropped(), [(0, "evicted"), (1, "evicted")]);
    assert_eq!(numbers(&mut d), [5, 2, 3, 4]);
}

/// The numbers that tc-cake(8) shows for 100 Mbit/s and 100 ms: a memory of 5 MB, quanta of 762,
/// 300 and 1514 bytes, and a target of 5 ms in each tin.
#[test]
fn the_manuals_example() {
    let config = config(&json!({"bandwidth": "100 Mbps"}));
    let order = config.order();
    assert_eq!((order.trim.memory, order.quanta), (5_000_000, vec![762, 300, 1514]));
    for tin in config.tins() {
        let cobalt = config.cobalt(tin, &link(Capacity::Unlimited));
        assert_eq!((cobalt.target, cobalt.interval), (Span::from_ms(5), Span::from_ms(100)));
    }
}

/// At 1 Mbit/s a packet of 1500 bytes takes 12 ms, and the bulk tin's sixteenth 16 times that.
#[test]
fn a_slow_tin_has_time_for_one_and_a_half_packets() {
    let config = config(&json!({"bandwidth": "1 Mbps"}));
    let times = |tin: usize| {
        let cobalt = config.cobalt(&config.tins()[tin], &link(Capacity::Unlimited));
        (cobalt.target, cobalt.interval)
    };
    assert_eq!(times(2), (Span::from_ms(18), Span::from_ms(100)));
    assert_eq!(times(1), (Span::from_ms(288), Span::from_ms(576)));
}

#[test]
fn what_cannot_be_is_said() {
    let fault = |v: Value| -> Fault { read::<CakeConfig>(&v).unwrap_err() };
    for (config, at) in [
        (json!({"ways": 7}), "ways"),
        (json!({"ways": 8, "flows": 4}), "ways"),
        (json!({"overhead": 257}), "overhead"),
        (json!({"overhead": -65}), "overhead"),
        (json!({"mpu": 257}), "mpu"),
        (json!({"quantum": "14 B"}), "quantum"),
        (json!({"memory_limit": "0 B"}), "memory_limit"),
        (json!({"rtt": "0 s"}), "rtt"),
        (json!({"link_layer": "adsl"}), "link_layer"),
    ] {
        assert_eq!(fault(config).at, at);
    }
    assert!(CakeConfig { flows: 64, ways: 4, ..CakeConfig::default() }.check().is_ok());
}
