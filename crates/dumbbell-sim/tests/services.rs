//! Services against what can be worked out by hand.
mod plans;

use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::{Node, NodeKind, Plan, Shared, Spec, Transport};
use dumbbell_sim::{Options, Report};
use plans::{audited, bench_tcp, dumbbell, empty, flow, link, spec};
use serde_json::json;

/// Datagrams of `packet` bytes in all at `rate`, over a link of 1 ms with `service`, for `seconds`.
fn datagrams(
    service: Option<Shared<Spec>>,
    rate: &str,
    packet: u64,
    capacity: Capacity,
    seconds: u64,
) -> Plan {
    let mut p = empty(1, Span::from_secs(seconds));
    p.nodes = (0..2)
        .map(|i| Node { name: format!("n{i}"), kind: NodeKind::Host, silent: false })
        .collect();
    p.links =
        [(0, 1), (1, 0)].map(|(a, b)| link(a, b, Rate::from_mbps(12), Span::from_ms(1))).into();
    (p.links[0].service, p.links[0].capacity, p.links[0].report) = (service, capacity, true);
    flow(&mut p, 0, 1, Span::ZERO, "newreno", bench_tcp());
    let last = p.flows.last_mut().unwrap();
    last.source = spec("cbr", json!({ "rate": rate, "packet": format!("{} B", packet - 28) }));
    (last.transport, last.back) =
        (Transport::Udp { header: 28, ecn: Default::default(), df: false }, vec![]);
    p
}

fn both(plan: &Plan) -> Report {
    let arrival = audited(plan, Options::default());
    let held = audited(plan, Options { hold: true, fold: false, ..Options::default() });
    assert_eq!((arrival.fingerprint, &arrival.queues), (held.fingerprint, &held.queues));
    arrival
}

/// Saturated, each opportunity after the start delivers exactly one packet of 1500 bytes.
#[test]
fn a_saturated_trace_delivers_one_full_packet_for_each_opportunity() {
    let trace = spec("mahimahi", json!({ "trace": "0x2 3 1*5 40 0x7 1x3*4 46" }));
    let a_round = 2 + 1 + 5 + 8 + 12 + 1;
    // Rounds of 98 ms, 1000 ms: ten whole ones, and 20 ms of the eleventh with 3, 4, ... 8 ms: six
    // opportunities. The two at 0 ms are lost in the first round and belong to the ends of the
    // others.
    let mut p = datagrams(Some(trace), "20 Mbps", 1500, Capacity::Packets(50), 1);
    (p.links[0].delay, p.duration) = (Span::ZERO, Span::from_ms(1000));
    let r = both(&p);
    assert_eq!(r.queues[0].counters.departures, 10 * a_round + 6);
    assert_eq!(r.flows[0].delivered_packets, 10 * a_round + 6);
    assert_eq!(r.queues[0].utilization, 1.0);
}

/// A saturated trace with an opportunity each millisecond is a link of 12 Mbps: as many packets of
/// 1500 bytes in ten seconds.
#[test]
fn a_constant_trace_is_a_constant_rate() {
    let run = |service: Option<Shared<Spec>>| {
        let mut p = datagrams(service, "20 Mbps", 1500, Capacity::Packets(50), 10);
        p.links[0].delay = Span::ZERO;
        let r = both(&p);
        (r.queues[0].counters.departures, r.queues[0].utilization)
    };
    let (plain, traced) = (run(None), run(Some(spec("mahimahi", json!({ "trace": "1*1000" })))));
    assert_eq!((plain.0, plain.1), (10_000, 1.0));
    assert_eq!(traced, plain);
}

/// TCP fills such a trace as it fills such a link.
#[test]
fn tcp_fills_a_trace() {
    for service in [None, Some(spec("mahimahi", json!({ "trace": "1*1000" })))] {
        let queue = spec("drop_tail", json!({}));
        let mut p =
            dumbbell(1, 2, Rate::from_mbps(12), queue, Capacity::Packets(60), Span::from_secs(30));
        p.links[0].service = service;
        p.warmup = Span::from_secs(5);
        let r = both(&p);
        let (goodput, used) =
            (r.flows.iter().map(|f| f.goodput_bps).sum::<f64>(), r.queues[0].utilization);
        // 960 of each 1000 bytes are goodput.
        assert!(
            (0.98..=1.0).contains(&used) && (goodput / (12e6 * 0.96 * used) - 1.0).abs() < 0.01,
            "{goodput} {used}"
        );
    }
}

/// Small packets share opportunities: three of 500 bytes in each.
#[test]
fn small_packets_share_an_opportunity() {
    let p = datagrams(
        Some(spec("mahimahi", json!({ "trace": "10" }))),
        "9 Mbps",
        500,
        Capacity::Packets(50),
        1,
    );
    // 100 opportunities until 1 s and none at 0.
    assert_eq!(both(&p).queues[0].counters.departures, 300);
}

/// Unused capacity is lost, and the utilization is the share that was used.
#[test]
fn utilization_is_what_was_sent_of_what_could_be() {
    // A datagram of 528 bytes each 10 ms; ten opportunities in that time.
    let mut p =
        datagrams(Some(spec("mahimahi", json!({}))), "400 kbps", 528, Capacity::Unlimited, 11);
    p.warmup = Span::from_secs(1);
    let r = both(&p);
    assert!(
        (r.queues[0].utilization - 528.0 / 15_000.0).abs() < 1e-9,
        "{}",
        r.queues[0].utilization
    );
    // 2 s of 1 Mbps and 2 s of nothing; half of what it offers is asked for.
    let steps = spec(
        "steps",
        json!({ "steps": [["0 s", "1 Mbps"], ["2 s", "0 bps"]], "period": "4 \
        s" }),
    );
    let mut p = datagrams(Some(steps), "236 kbps", 500, Capacity::Unlimited, 44);
    p.warmup = Span::from_secs(4);
    let r = both(&p);
    assert!((r.queues[0].utilization - 0.5).abs() < 1e-3, "{}", r.queues[0].utilization);
}

/// A datagram of 1000 bytes each 4 ms over 8 Mbps (a byte a microsecond) until 10 ms, an outage
/// until 20 ms, then 2 Mbps: 0, 4 and 8 ms leave after 1 ms each; those of 12 and 16 ms after the
/// outage at 24 and 28 ms, 20 ms at 32.
#[test]
fn steps_give_the_departures_that_a_hand_gives() {
    let steps = json!({
        "steps": [["0 s", "8 Mbps"], ["10 ms", "0 bps"], ["20 ms", "2 Mbps"]], "period": "0 s",
    });
    let plan = |ms: u64| {
        let mut p = datagrams(
            Some(spec("steps", steps.clone())),
            "1944 kbps",
            1000,
            Capacity::Unlimited,
            1,
        );
        (p.links[0].delay, p.duration) = (Span::ZERO, Span::from_ms(ms));
        p
    };
    // Payload of 972 bytes at 1944 kbps: one each 4 ms. How many are through at each millisecond.
    let through: Vec<u64> = (1..=33).map(|ms| both(&plan(ms)).flows[0].delivered_packets).collect();
    let expected: Vec<u64> = (1..=33)
        .map(|ms| [1, 5, 9, 24, 28, 32].iter().filter(|done| **done <= ms).count() as u64)
        .collect();
    assert_eq!(through, expected);
}

/// Of what comes each millisecond over a byte a microsecond, a flushing handoff at 10 ms loses what
/// waits and is on the wire, and a keeping one sends it; later packets are 20 ms later.
#[test]
fn a_handoff_flushes_or_keeps_what_waits() {
    let plan = |queue: &str| {
        // 1500 B each 1 ms, of which 1 ms sends 1000 B.
        let config = json!({
            "rate": "8 Mbps", "handoffs": [["10 ms", "5 ms", "80 Mbps", "20 ms"]], "queue": queue,
        });
        let mut p =
            datagrams(Some(spec("handoff", config)), "11776 kbps", 1500, Capacity::Packets(50), 1);
        p.duration = Span::from_us(99_500);
        p
    };
    let (kept, flushed) = (both(&plan("kept")), both(&plan("flushed")));
    // Packets come at 0, 1, ... 99 ms; by 10 ms six are through (9 ms), and those of 6 to 9 ms are
    // not.
    assert_eq!((kept.conservation.sent, kept.conservation.dropped), (100, 0));
    assert_eq!(flushed.queues[0].counters.drops[dumbbell_core::aqm::Reason::Link.index()], 4);
    // Those that left after 10 ms arrive 21 ms after they left: by 78.5 ms, the last that came at
    // 78 ms.
    assert_eq!((kept.flows[0].delivered_packets, flushed.flows[0].delivered_packets), (79, 75));
}

/// Random outages that are drawn before a run are those that happen in it.
#[test]
fn outages_are_told_beforehand() {
    let config = json!({ "rate": "12 Mbps", "mean_up": "300 ms", "mean_down": "100 ms" });
    let mut p = datagrams(Some(spec("outage", config)), "20 Mbps", 1500, Capacity::Packets(50), 20);
    p.links[0].delay = Span::ZERO;
    let told = dumbbell_sim::outages(&p, 0).unwrap();
    assert!((20..90).contains(&told.len()) && dumbbell_sim::outages(&p, 1).unwrap().is_empty());
    let end = dumbbell_core::units::Time::ZERO + p.duration;
    let down: f64 = told.iter().map(|(from, to)| (*to).min(end).since(*from).seconds()).sum();
    let departures = both(&p).queues[0].counters.departures as f64;
    assert!(
        (departures - (20.0 - down) * 1000.0).abs() <= 2.0,
        "{departures} packets of 1 ms, \
        {down} s down"
    );
    p.seed = 2;
    assert_ne!(dumbbell_sim::outages(&p, 0).unwrap(), told);
}

/// Order is kept although transmissions are repeated, and what is lost beyond the limit is a loss
/// of the link.
#[test]
fn repetition_turns_loss_into_delay() {
    let run = |limit: u64| {
        let config =
            json!({ "rate": "30 Mbps", "loss": 0.3, "turnaround": "100 us", "limit": limit });
        both(&datagrams(Some(spec("arq", config)), "11776 kbps", 1500, Capacity::Packets(200), 60))
    };
    let lost =
        |r: &Report| r.queues[0].counters.drops[dumbbell_core::aqm::Reason::Link.index()] as f64;
    let (one, three) = (run(1), run(3));
    let n = one.conservation.sent as f64;
    for (r, p) in [(&one, 0.3f64), (&three, 0.027)] {
        assert!((lost(r) - n * p).abs() < 4.4 * (n * p * (1.0 - p)).sqrt(), "{} of {n}", lost(r));
    }
    assert!(three.queues[0].mean_sojourn_s > one.queues[0].mean_sojourn_s);
}
