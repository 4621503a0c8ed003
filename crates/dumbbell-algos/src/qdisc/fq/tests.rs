use super::*;
use crate::qdisc::parts::classes::ClassView;
use crate::qdisc::parts::test_qdisc::{TestQdisc, numbers};
use dumbbell_core::catalogue::read;
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Numbered, link};
use dumbbell_core::units::Capacity;
use serde_json::json;

type Fair = TestQdisc<Fq<Numbered>>;

fn deck(config: serde_json::Value, capacity: Capacity) -> Fair {
    TestQdisc::new(|site| Fq::new(&read(&config).unwrap(), site), link(capacity))
}

fn credits(d: &Fair, flows: [usize; 2]) -> [i64; 2] {
    flows.map(|flow| d.qdisc.order().turns().credit(flow))
}

/// The queue of the flow that sent last, and its credit.
fn queue_of(d: &mut Fair, flow: u32) -> usize {
    let before: Vec<u32> =
        (0..d.qdisc.classes().count()).map(|c| d.qdisc.classes().backlog(c).packets).collect();
    d.put(flow, 0, 120);
    (0..before.len()).find(|c| d.qdisc.classes().backlog(*c).packets > before[*c]).unwrap()
}

/// Quantum 90, packets of 120 B: the trace of credits that another implementation of RFC 8290
/// publishes with its tests.
#[test]
fn credits_go_by_the_published_trace() {
    let mut d = deck(json!({"quantum": "90 B"}), Capacity::Unlimited);
    let one = queue_of(&mut d, 1);
    for _ in 0..3 {
        d.put(1, 0, 120);
    }
    assert_eq!(d.take().unwrap().meta.flow.0, 1);
    assert_eq!(credits(&d, [one, one]), [-30, -30]);
    let two = queue_of(&mut d, 2);
    d.put(2, 0, 120);
    assert_ne!(one, two, "the flows of this seed do not collide");
    let trace = [(2, [60, -30]), (1, [-60, 60]), (2, [30, -60]), (1, [-90, 30])];
    for (flow, want) in trace {
        assert_eq!((d.take().unwrap().meta.flow.0, credits(&d, [one, two])), (flow, want));
    }
    // Flow 1 has one more packet than the trace sends; without it both are empty, and the last look
    // gives 90 and 30.
    assert_eq!(d.take().unwrap().meta.flow.0, 1);
    assert_eq!(credits(&d, [one, two]), [-30, 30]);
    assert!(d.take().is_none());
    assert_eq!(d.qdisc.order().turns().lengths(), (0, 0));
}

/// While both are backlogged, what two flows sent differs by at most a quantum and two packets,
/// whatever their sizes: each had the same number of turns but one, and overdraws by less than one
/// packet.
#[test]
fn saturated_flows_share_bytes() {
    let mut d = deck(json!({"quantum": "1514 B"}), Capacity::Unlimited);
    let mut rng = Stream::named(1, "sizes");
    let sizes = [(40, 41), (1400, 1500), (40, 1500), (576, 577)];
    for _ in 0..3000 {
        for (flow, (low, high)) in sizes.iter().enumerate() {
            d.put(flow as u32, 0, low + rng.below(high - low));
        }
    }
    let mut served = [0i64; 4];
    while d.qdisc.classes().busy().len() == 4 {
        let p = d.take().unwrap();
        served[p.meta.flow.0 as usize] += i64::from(p.meta.ip_len);
        let (low, high) = (served.iter().min().unwrap(), served.iter().max().unwrap());
        assert!(high - low <= 1514 + 2 * 1500, "{served:?}");
    }
    assert!(served[0] > 100_000, "{served:?}");
}

/// A flow that sends less than a quantum at a time and drains in between goes before all that are
/// backlogged, after at most the other new ones: its packet is the next, always.
#[test]
fn a_sparse_flow_goes_first() {
    let mut d = deck(json!({}), Capacity::Unlimited);
    for n in 0..2000 {
        d.put(n % 8, 0, 1500);
    }
    for _ in 0..20 {
        d.take();
    }
    for _ in 0..20 {
        let id = d.put(100, 0, 200);
        assert_eq!(d.take().unwrap().id, id);
        // A round of the eight in which it has nothing: its queue leaves the lists.
        for _ in 0..9 {
            assert_ne!(d.take().unwrap().meta.flow.0, 100);
        }
    }
}

/// A flow that begins gets at most one quantum (and the packet that overdraws it) before the
/// others; then it waits its turn.
#[test]
fn a_new_flow_has_priority_for_one_quantum() {
    let mut d = deck(json!({"quantum": "3000 B"}), Capacity::Unlimited);
    for n in 0..100 {
        d.put(n % 2, 0, 1000);
    }
    for _ in 0..10 {
        d.take();
    }
    for _ in 0..20 {
        d.put(9, 0, 1000);
    }
    let flows: Vec<u32> = (0..12).map(|_| d.take().unwrap().meta.flow.0).collect();
    let first = flows.iter().position(|f| *f != 9).unwrap();
    assert_eq!(first, 3, "{flows:?}");
    // From then on a round gives each flow its three packets.
    assert_eq!(
        [0, 1, 9].map(|flow| flows[3..].iter().filter(|f| **f == flow).count()),
        [3, 3, 3],
        "{flows:?}"
    );
}

/// A new queue that empties goes to the old ones: a flow that keeps sending a packet just as its
/// queue runs dry gets its share of turns, not all of them (RFC 8290 section 4.2).
#[test]
fn priority_cannot_be_had_again_at_once() {
    let mut d = deck(json!({}), Capacity::Unlimited);
    for _ in 0..1000 {
        d.put(1, 0, 1500);
    }
    let mut sent = [0u32; 3];
    for _ in 0..1000 {
        // The queue of flow 2 is never seen empty: it has a packet again before its turn ends.
        d.put(2, 0, 1500);
        sent[d.take().unwrap().meta.flow.0 as usize] += 1;
        if sent[2] > sent[1] + 2 {
            panic!("{sent:?}");
        }
    }
    assert!(sent[1] >= 490, "{sent:?}");
}

/// Beyond the limit packets go from the head of the queue with the most bytes, by batches of at
/// most half of it.
#[test]
fn the_fattest_queue_gives_way_by_batches() {
    let mut d = deck(json!({"drop_batch": 4}), Capacity::Packets(12));
    // Flow 1: two large packets, flow 2: ten small ones. Bytes count: flow 1 is the fattest.
    for bytes in [1500, 1500] {
        d.put(1, 0, bytes);
    }
    for _ in 0..10 {
        d.put(2, 0, 100);
    }
    assert_eq!(d.dropped(), []);
    d.put(2, 0, 100);
    assert_eq!(d.dropped(), [(0, "evicted")], "half of two");
    d.put(2, 0, 100);
    assert_eq!(d.dropped()[1..], [(1, "evicted")], "half of one, rounded up");
    d.put(2, 0, 100);
    assert_eq!(
        d.dropped()[2..],
        [2, 3, 4, 5].map(|id| (id, "evicted")),
        "a batch from the head of \
        flow 2"
    );
    assert_eq!(numbers(&mut d), [6, 7, 8, 9, 10, 11, 12, 13, 14]);
}

#[test]
fn memory_is_a_limit_of_its_own() {
    let mut d = deck(json!({"memory_limit": "3000 B", "drop_batch": 64}), Capacity::Unlimited);
    for flow in [1, 1, 2] {
        d.put(flow, 0, 1000);
    }
    assert_eq!(d.dropped(), []);
    d.put(2, 0, 500);
    assert_eq!(d.dropped(), [(0, "evicted")]);
}

/// With a single queue there is a single turn: packets leave in the order in which they came.
#[test]
fn one_queue_is_a_fifo() {
    let mut d = deck(json!({"flows": 1}), Capacity::Unlimited);
    for n in 0..100u32 {
        d.put(n % 7, 0, 40 + n);
    }
    assert_eq!(numbers(&mut d), (0..100).collect::<Vec<u64>>());
}

#[test]
fn what_cannot_be_is_said() {
    for (config, at) in [
        (json!({"flows": 0}), "flows"),
        (json!({"quantum": "0 B"}), "quantum"),
        (json!({"quantum": "14 B"}), "quantum"),
        (json!({"memory_limit": "0 B"}), "memory_limit"),
        (json!({"drop_batch": 0}), "drop_batch"),
        (json!({"aqm": "nothing"}), "aqm.kind"),
    ] {
        let fault = read::<FqConfig>(&config).unwrap_err();
        assert!(fault.at == at && fault.fix.is_some(), "{fault:?}");
    }
}
