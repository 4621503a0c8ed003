//! GRED's virtual queues against a second account of them, its three averages, its limits, and RED
//! where there is but one.
use super::*;
use crate::aqm::drop_tail::Victim;
use crate::aqm::red::RedConfig;
use crate::aqm::red::spacing::SpacingLaw;
use crate::aqm::red::tests::alike::same_as_red;
use crate::suite::traffic;
use dumbbell_core::catalogue::{Config, read};
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::probe::Gauges;
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
use dumbbell_core::units::{Capacity, Packets};
use serde_json::json;

type Port = Bench<Fifo<Gred, Numbered>>;

/// Two queues, EF in the first; averages are what arriving packets find.
fn two(mode: GredMode, first: GredQueue, second: GredQueue) -> GredConfig {
    let map = [("ef".to_string(), 0)].into();
    GredConfig {
        mode,
        queues: vec![first, second],
        map,
        default_queue: 1,
        w_q: 1.0,
        ..Default::default()
    }
}

fn port(config: &GredConfig, capacity: Capacity) -> Port {
    config.check().unwrap();
    Bench::new(Fifo::new(Gred::new(config, &link(capacity))), link(capacity), 1, false)
}

fn gauge(port: &Port, name: &str) -> f64 {
    let mut seen = Gauges::default();
    Qdisc::<Numbered>::probe(port.port.qdisc(), &mut seen);
    seen.get(name).unwrap()
}

const EF: u8 = 46;

/// A packet of 500 B: 4 ms at 1 Mbps.
fn send(port: &mut Port, ms: u64, dscp: u8) {
    port.arrive(
        Time::ZERO + Span::from_ms(ms),
        Meta { dscp: Dscp(dscp), ..packet(0, 500, Ecn::NotEct) },
    );
}

/// Never early.
const CALM: GredQueue = GredQueue {
    min_th: Packets(100.0),
    max_th: Packets(200.0),
    max_p: 0.0,
    prio: 1,
    limit: Packets(0.0),
};

/// One virtual queue with the average of the whole is RED; so are several with the same curve if
/// nothing is counted.
#[test]
fn with_one_virtual_queue_it_is_red() {
    let red = RedConfig { w_q: 0.1, ..Default::default() };
    let one = GredQueue::of(5.0, 15.0, 0.1, 0);
    let config = GredConfig {
        mode: GredMode::Wred,
        queues: vec![one],
        map: Default::default(),
        default_queue: 0,
        w_q: 0.1,
        ..Default::default()
    };
    config.check().unwrap();
    same_as_red(&red, |site| Gred::new(&config, site)).unwrap();
    let three = GredConfig {
        queues: vec![one; 3],
        spacing: SpacingLaw::Bernoulli,
        ..GredConfig::default()
    };
    let three = GredConfig { mode: GredMode::Wred, w_q: 0.1, ..three };
    let coins = RedConfig { spacing: SpacingLaw::Bernoulli, ..red.clone() };
    same_as_red(&coins, |site| Gred::new(&three, site)).unwrap();
    let separate = GredConfig { mode: GredMode::Separate, ..three };
    assert!(
        same_as_red(&coins, |site| Gred::new(&separate, site)).is_err(),
        "own averages must \
        show"
    );
}

/// Seven best-effort packets wait: best effort is beyond its threshold of 5, EF is not, until it
/// has as many itself.
#[test]
fn each_has_its_own_average() {
    let forced = GredQueue::of(5.0, 5.0, 1.0, 1);
    let mut port = port(&two(GredMode::Separate, forced, forced), Capacity::Unlimited);
    for _ in 0..6 {
        send(&mut port, 0, 0);
    }
    assert_eq!(
        (gauge(&port, "avg"), gauge(&port, "backlog")),
        (4.0, 5.0),
        "the first is in \
        transmission"
    );
    for _ in 0..5 {
        send(&mut port, 0, EF);
    }
    assert_eq!((gauge(&port, "vq"), gauge(&port, "avg")), (0.0, 4.0));
    assert!(port.journal.0.is_empty());
    send(&mut port, 0, 0);
    send(&mut port, 0, EF);
    assert_eq!(port.journal.0, [11, 12].map(|id| Event::Dropped(id, Reason::Forced)));
}

/// `grio`: the less protected queue is judged by both averages, the more protected by its own.
#[test]
fn priorities_add_up() {
    let (first, second) = (GredQueue { prio: 1, ..CALM }, GredQueue { prio: 2, ..CALM });
    let mut port = port(&two(GredMode::Grio, first, second), Capacity::Unlimited);
    for _ in 0..5 {
        send(&mut port, 0, EF);
    }
    for _ in 0..4 {
        send(&mut port, 0, 0);
    }
    // EF found 3 of its own last; best effort 3 of its own.
    assert_eq!(gauge(&port, "avg"), 3.0 + 3.0);
    send(&mut port, 0, EF);
    assert_eq!(gauge(&port, "avg"), 4.0);
    // At 20 ms the last EF packet begins: its queue is idle, and its average no longer counts.
    send(&mut port, 21, EF);
    port.run_to(Time::ZERO + Span::from_ms(60));
    send(&mut port, 60, 0);
    assert_eq!(gauge(&port, "avg"), 0.0);
}

/// A virtual queue is idle from when its last packet begins its transmission, though the link sends
/// others: 40 ms later that is ten typical packets, and w_q = 0.1 makes avg (1 - 0.1)^11.
#[test]
fn an_average_decays_while_its_queue_is_empty() {
    let mut config = two(GredMode::Separate, CALM, CALM);
    config.w_q = 0.1;
    let mut port = port(&config, Capacity::Unlimited);
    for _ in 0..3 {
        send(&mut port, 0, EF);
    }
    for _ in 0..30 {
        send(&mut port, 0, 0);
    }
    // EF found 0, 0 and 1; its last began at 8 ms.
    send(&mut port, 49, EF);
    let expected = 0.1 * libm::pow(0.9, 11.0);
    assert!((gauge(&port, "avg") - expected).abs() < 1e-12, "{}", gauge(&port, "avg"));
}

/// The only waiting packet of a virtual queue makes room for another of the same: the queue is not
/// idle, and its average does not decay in the 7 ms, more than one typical packet, until the next.
#[test]
fn a_queue_whose_last_packet_makes_room_for_its_next_is_busy() {
    let mut config = two(GredMode::Separate, CALM, CALM);
    (config.w_q, config.victim) = (0.5, Victim::Front);
    let mut port = port(&config, Capacity::Packets(2));
    for dscp in [0, EF, 0, EF] {
        send(&mut port, 0, dscp);
    }
    assert_eq!(port.journal.0, [Event::Dropped(1, Reason::Evicted)]);
    assert_eq!(gauge(&port, "avg"), 0.5);
    send(&mut port, 7, EF);
    assert_eq!(gauge(&port, "avg"), 0.5 * 0.5 + 0.5);
}

#[test]
fn a_virtual_queue_has_a_limit() {
    let narrow = GredQueue { limit: Packets(2.0), ..CALM };
    let mut separate = port(&two(GredMode::Separate, narrow, CALM), Capacity::Unlimited);
    for dscp in [0, 0, 0, 0, EF, EF, EF, 0] {
        send(&mut separate, 0, dscp);
    }
    assert_eq!(separate.journal.0, [Event::Dropped(6, Reason::Overflow)]);
    let mut wred = port(&two(GredMode::Wred, narrow, CALM), Capacity::Unlimited);
    for dscp in [0, 0, EF, EF, 0, EF] {
        send(&mut wred, 0, dscp);
    }
    assert_eq!(
        wred.journal.0,
        [3, 5].map(|id| Event::Dropped(id, Reason::Overflow)),
        "the whole \
        backlog counts"
    );
}

/// In byte mode the limit is in packets of the mean size, 500 B: 1000 B here. The first packet is
/// in transmission.
#[test]
fn a_limit_in_byte_mode() {
    let narrow = GredQueue { limit: Packets(2.0), ..CALM };
    let config = GredConfig { byte_mode: true, ..two(GredMode::Separate, narrow, CALM) };
    let mut port = port(&config, Capacity::Unlimited);
    for bytes in [500, 800, 400, 200, 1] {
        port.arrive(Time::ZERO, Meta { dscp: Dscp(EF), ..packet(0, bytes, Ecn::NotEct) });
    }
    assert_eq!(port.journal.0, [2, 4].map(|id| Event::Dropped(id, Reason::Overflow)));
}

/// A second account of the virtual queues, from the journal: what waits of each class, and the
/// average from that.
#[test]
fn averages_are_those_of_a_second_account() {
    let config = GredConfig { w_q: 0.25, ..two(GredMode::Separate, CALM, CALM) };
    for seed in 0..20 {
        let mut rng = Stream::named(seed, "account");
        let packets = traffic::arrivals(&mut rng);
        let mut port = port(&config, Capacity::Unlimited);
        let mut account = [Account::default(), Account::default()];
        let (mut now, mut free) = (Time::ZERO, Time::ZERO);
        for arrival in &packets {
            now += arrival.gap;
            port.arrive(now, arrival.meta);
            let class = usize::from(arrival.meta.dscp.0 != EF);
            let (avg, start) = (account[class].avg(now), free.max(now));
            account[class].starts.push(start);
            free = start + link(Capacity::Unlimited).rate.span_of(u64::from(arrival.meta.wire_len));
            assert!(
                (gauge(&port, "avg") - avg).abs() < 1e-9,
                "seed {seed}: {} and {avg}",
                gauge(&port, "avg")
            );
        }
    }
}

/// The times at which the packets of a class begin their transmission; each waits until then.
#[derive(Default)]
struct Account {
    starts: Vec<Time>,
    avg: f64,
}

impl Account {
    /// The average after a packet that arrives at `now`: w_q 1/4, typical packets of 4 ms.
    fn avg(&mut self, now: Time) -> f64 {
        let waiting = self.starts.iter().filter(|s| **s > now).count();
        if waiting == 0 {
            let idle_since = self.starts.last().copied().unwrap_or(Time::ZERO);
            let m = now.since(idle_since).ps() / Span::from_ms(4).ps();
            self.avg *= libm::pow(0.75, m as f64);
        }
        self.avg = 0.75 * self.avg + 0.25 * waiting as f64;
        self.avg
    }
}

#[test]
fn contradictions_are_refused() {
    let fault = |json| read::<GredConfig>(&json).unwrap_err();
    let queue = json!({"min_th": "5 pkt", "max_th": "15 pkt"});
    let one = |more: serde_json::Value| {
        let mut all = json!({"queues": [queue], "map": {}, "default_queue": 0});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    assert!(read::<GredConfig>(&one(json!({}))).is_ok());
    assert_eq!(fault(one(json!({"queues": []}))).at, "queues");
    assert_eq!(fault(one(json!({"queues": vec![queue.clone(); 17]}))).at, "queues");
    assert_eq!(fault(one(json!({"default_queue": 1}))).at, "default_queue");
    assert_eq!(fault(one(json!({"map": {"ef": 1}}))).at, "map.ef");
    assert_eq!(fault(one(json!({"mode": "grio", "queues": [queue, queue]}))).at, "queues[1].prio");
    assert!(read::<GredConfig>(&one(json!({"mode": "wred", "queues": [queue, queue]}))).is_ok());
    let swapped = json!({"min_th": "5 pkt", "max_th": "4 pkt"});
    assert_eq!(fault(one(json!({"queues": [swapped]}))).at, "queues[0].max_th");
    let beyond = json!({"min_th": "5 pkt", "max_th": "15 pkt", "max_p": 1.5});
    assert_eq!(fault(one(json!({"queues": [beyond]}))).at, "queues[0].max_p");
}
