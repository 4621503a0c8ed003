//! Queues whose limit is a number of buffers of one size: what is counted is what waits, packet by
//! packet.
use dumbbell_algos::aqm::AnyAqm;
use dumbbell_algos::qdisc::AnyQdisc;
use dumbbell_core::packet::Ecn;
use dumbbell_core::probe::Gauges;
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
use dumbbell_core::units::{Capacity, Span, Time};
use serde_json::json;
use std::collections::BTreeMap;

const SIZES: [u32; 7] = [40, 64, 576, 1500, 2048, 2049, 9180];
const TRAFFIC: usize = 400;

/// Takes bursts through a queue and compares its buffers at every arrival with the packets that are
/// at the port by the journal: with the one in transmission where it is counted, else all but one.
fn counts_what_waits<Q: Qdisc<Numbered>>(
    qdisc: Q,
    name: &str,
    limit: Capacity,
    counted: bool,
    seed: u64,
) {
    let mut rng = Stream::named(seed, "buffers");
    let size = limit.buffer_size().unwrap();
    let mut bench = Bench::new(qdisc, link(limit), seed, counted);
    let (mut held, mut told, mut most) = (BTreeMap::new(), 0, 0);
    for i in 0..TRAFFIC {
        let gap = if i % 60 == 59 {
            Span::from_ms(400)
        } else {
            Span::from_us(u64::from(rng.below(9000)))
        };
        let (flow, bytes) = (rng.below(5), SIZES[rng.below(SIZES.len() as u32) as usize]);
        let ecn = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1][rng.below(3) as usize];
        let (id, _) = bench.arrive(bench.now + gap, packet(flow, bytes, ecn));
        held.insert(id, bytes);
        for event in &bench.journal.0[told..] {
            if let Event::Sent(id, _) | Event::Dropped(id, _) = event {
                assert!(held.remove(id).is_some(), "{name}: {id} ended twice");
            }
        }
        told = bench.journal.0.len();
        let waits = bench.port.backlog();
        let all: (u64, u32) =
            held.values().fold((0, 0), |(b, n), x| (b + u64::from(*x), n + x.div_ceil(size)));
        let sending = all.0 - waits.bytes;
        let due = all.1 - (sending as u32).div_ceil(size);
        assert_eq!(waits.buffers, due, "{name}: {held:?}, {sending} bytes in transmission");
        assert!(!counted || sending == 0, "{name}: {sending}");
        assert!(!limit.exceeded(waits), "{name}: {waits:?} of {limit:?}");
        let mut seen = Gauges::default();
        bench.port.qdisc().probe(&mut seen);
        assert_eq!(seen.get("buffers"), Some(f64::from(waits.buffers)), "{name}");
        most = most.max(waits.buffers);
    }
    bench.drain();
    assert_eq!(bench.port.backlog().buffers, 0, "{name}");
    assert!(
        2 * most >= limit.in_packets(1).unwrap() as u32,
        "{name}: at most {most} were in use, \
        which tests nothing"
    );
}

#[test]
fn every_kind_of_queue_counts_what_waits() {
    let aqms = [
        ("drop_tail", json!({})),
        ("drop_tail", json!({"victim": "front"})),
        ("drop_tail", json!({"victim": "random"})),
        ("red", json!({"w_q": 0.01})),
        ("codel", json!({})),
        ("choke", json!({"w_q": 0.1})),
        ("pie", json!({"activate": 0.3})),
        ("jersey_cw", json!({})),
    ];
    let several = ["fq", "fq_codel", "fq_pie", "sfq", "prio", "drr", "wfq", "dualpi2"];
    for seed in 0..2 {
        for counted in [false, true] {
            let limit = Capacity::Buffers {
                count: [24, 40][seed as usize],
                size: [2048, 512][seed as usize],
            };
            for (kind, config) in &aqms {
                let aqm = AnyAqm::build(kind, config, &link(limit)).unwrap();
                counts_what_waits(Fifo::<_, Numbered>::new(aqm), kind, limit, counted, seed);
            }
            for kind in several {
                let qdisc = AnyQdisc::<Numbered>::build(kind, &json!({}), &link(limit)).unwrap();
                counts_what_waits(qdisc, kind, limit, counted, seed);
            }
        }
    }
}

/// By hand: 1500 bytes are one buffer of 2048, 9180 are five (4.48), so 64 buffers hold 64 packets
/// or twelve, and four buffers are left over then, which a fourteenth packet of up to 8192 bytes
/// still finds.
#[test]
fn large_packets_take_five_buffers_each() {
    let limit = Capacity::Buffers { count: 64, size: 2048 };
    let queue = || {
        let aqm = AnyAqm::build("drop_tail", &json!({}), &link(limit)).unwrap();
        Bench::new(Fifo::<_, Numbered>::new(aqm), link(limit), 1, false)
    };
    for (bytes, holds) in [(1500, 64), (9180, 12), (2048, 64), (2049, 32)] {
        let mut q = queue();
        let dropped = |q: &Bench<_>| q.journal.0.len();
        // The first goes into the transmitter.
        for _ in 0..1 + holds {
            q.arrive(Time::ZERO, packet(0, bytes, Ecn::NotEct));
        }
        assert_eq!((dropped(&q), q.port.backlog().packets), (0, holds), "{bytes}");
        q.arrive(Time::ZERO, packet(0, bytes, Ecn::NotEct));
        assert_eq!((dropped(&q), q.port.backlog().packets), (1, holds), "{bytes}");
    }
    let mut q = queue();
    for _ in 0..13 {
        q.arrive(Time::ZERO, packet(0, 9180, Ecn::NotEct));
    }
    q.arrive(Time::ZERO, packet(0, 8193, Ecn::NotEct));
    assert_eq!((q.journal.0.len(), q.port.backlog().buffers), (1, 60), "one buffer too few");
    q.arrive(Time::ZERO, packet(0, 8192, Ecn::NotEct));
    assert_eq!((q.journal.0.len(), q.port.backlog().buffers), (1, 64));
}
