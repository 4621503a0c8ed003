//! The effects of wires in whole runs: copies and wrong bits are counted, and have the specified
//! effect.
mod plans;

use dumbbell_core::aqm::Reason;
use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::{Node, NodeKind, Plan, Transport};
use dumbbell_sim::{Options, Report};
use plans::{audited, bench_tcp, empty, flow, link, spec};
use serde_json::{Value, json};

const FIRST: usize = 0;
const SECOND: usize = 1;

/// Datagrams of 1000 bytes in all, one each millisecond, from `a` over a router to `b`, for ten
/// seconds; the second link carries exactly as much, and holds few.
fn datagrams(impairments: &[(usize, &str, Value)]) -> Plan {
    let mut p = empty(1, Span::from_secs(10));
    p.nodes = ["a", "r", "b"]
        .map(|n| Node {
            name: n.into(),
            kind: if n == "r" { NodeKind::Router } else { NodeKind::Host },
            silent: false,
        })
        .into();
    p.links = [(0, 1, 100), (1, 2, 100), (2, 1, 100), (1, 0, 100)]
        .map(|(a, b, mbps)| link(a, b, Rate::from_mbps(mbps), Span::from_ms(1)))
        .into();
    p.links[SECOND].capacity = Capacity::Packets(100);
    (p.links[FIRST].report, p.links[SECOND].report) = (true, true);
    flow(&mut p, 0, 2, Span::ZERO, "newreno", bench_tcp());
    let last = p.flows.last_mut().unwrap();
    last.source = spec("cbr", json!({ "rate": "7776 kbps", "packet": "972 B" }));
    (last.transport, last.back) =
        (Transport::Udp { header: 28, ecn: Default::default(), df: false }, vec![]);
    for (link, kind, config) in impairments {
        p.links[*link].impairments.push(spec(kind, config.clone()));
    }
    p
}

/// However it is run.
fn run(plan: &Plan) -> Report {
    let folded = audited(plan, Options::default());
    for (fold, hold) in [(false, false), (true, true), (false, true)] {
        let other = audited(plan, Options { fold, hold, ..Options::default() });
        assert_eq!(
            (folded.fingerprint, &folded.conservation),
            (other.fingerprint, &other.conservation)
        );
    }
    folded
}

/// Every packet twice: the second link carries each, and the receiver gets each; the first link's
/// queue saw one.
#[test]
fn a_copy_is_a_packet_behind_its_wire() {
    let r = run(&datagrams(&[(FIRST, "duplicate", json!({ "share": 1.0 }))]));
    let (sent, c) = (r.flows[0].sent_packets, &r.conservation);
    assert_eq!(r.queues[0].counters.arrivals, sent);
    assert_eq!(
        r.queues[1].counters.arrivals,
        2 * r.queues[0].counters.departures - 2,
        "the last \
        are on their way"
    );
    assert_eq!(r.flows[0].delivered_packets, c.delivered);
    assert!(c.duplicated >= sent - 2 && c.sent == sent + c.duplicated, "{c:?}");
    assert!(c.delivered >= 2 * sent - 6, "{c:?}");
}

/// Twice and twice again are four; what comes behind on the same wire meets each of them.
#[test]
fn copies_are_copied_and_lost_in_their_turn() {
    let twice = || json!({ "share": 1.0 });
    let r = run(&datagrams(&[(FIRST, "duplicate", twice()), (FIRST, "duplicate", twice())]));
    assert!(r.conservation.duplicated >= 3 * (r.flows[0].sent_packets - 2), "{:?}", r.conservation);
    // The trace loses the original, its copy's copy, and then the copy: 2 of 4 packets are lost, in
    // fours.
    let every_other = json!({ "trace": "1 0", "repeat": true });
    let r = run(&datagrams(&[
        (FIRST, "duplicate", twice()),
        (FIRST, "duplicate", twice()),
        (FIRST, "loss_trace", every_other),
    ]));
    let (sent, c) = (r.flows[0].sent_packets, &r.conservation);
    assert!(c.dropped.abs_diff(2 * sent) <= 8 && c.delivered.abs_diff(2 * sent) <= 8, "{c:?}");
    // The queue's own account knows of originals only: each was lost, at the first place of its
    // four.
    assert_eq!(r.queues[0].counters.departures, 0);
    assert_eq!(r.queues[0].counters.drops[Reason::Link.index()], c.dropped / 2);
}

/// A packet with a wrong bit takes its place on the second link and is discarded by its receiver.
#[test]
fn a_wrong_bit_travels_to_the_receiver() {
    let r = run(&datagrams(&[(FIRST, "corrupt", json!({ "rate": 1.0 }))]));
    let (sent, c) = (r.flows[0].sent_packets, &r.conservation);
    assert!(r.queues[1].counters.departures >= sent - 3 && r.queues[1].counters.dropped() == 0);
    assert_eq!((r.flows[0].delivered_packets, c.delivered), (0, 0));
    assert!(
        c.discarded >= sent - 4 && c.discarded == c.dropped && r.flows[0].lost_packets == c.dropped,
        "{c:?}"
    );
    // A copy of it has the same wrong bit.
    let both = datagrams(&[
        (FIRST, "corrupt", json!({ "rate": 1.0 })),
        (SECOND, "duplicate", json!({ "share": 1.0 })),
    ]);
    let c = run(&both).conservation;
    assert!(c.delivered == 0 && c.discarded >= 2 * sent - 8, "{c:?}");
}

/// To TCP a wrong bit is a loss, whose goodput over 60 s it has; a copy is none.
#[test]
fn tcp_repairs_corruption_and_shrugs_at_copies() {
    let goodput = |kind: &str, config: Value| {
        let mut p = datagrams(&[]);
        p.duration = Span::from_secs(60);
        p.flows.clear();
        let tcp = dumbbell_tcp::TcpConfig { sack: true, ..bench_tcp() };
        flow(&mut p, 0, 2, Span::ZERO, "sack", tcp);
        (p.links[SECOND].rate, p.links[SECOND].delay) = (Rate::from_mbps(10), Span::from_ms(50));
        p.links[SECOND].impairments = vec![spec(kind, config)];
        let r = run(&p);
        (r.flows[0].goodput_bps, r.flows[0].retransmits, r.conservation)
    };
    let (lossy, ..) = goodput("bernoulli", json!({ "loss": 0.01 }));
    let (corrupt, _, account) = goodput("corrupt", json!({ "rate": 0.01 }));
    assert!(
        (0.8..1.25).contains(&(corrupt / lossy)) && account.discarded > 80,
        "{lossy} {corrupt}"
    );
    let (doubled, again, account) = goodput("duplicate", json!({ "share": 0.01 }));
    assert!(doubled > 1.5 * lossy && account.duplicated > 80, "{doubled} {lossy}");
    assert!(again < account.duplicated, "a copy is no loss: {again} of {}", account.duplicated);
}
