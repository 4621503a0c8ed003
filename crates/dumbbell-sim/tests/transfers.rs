//! Single flows over a plain path: what they do can be computed by hand.
mod plans;

use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::{Node, NodeKind, Plan, Shared, Spec, Transport};
use dumbbell_sim::{Options, Report};
use dumbbell_tcp::TcpConfig;
use plans::{audited, empty, flow, link, spec};
use serde_json::json;

/// Adds datagrams of 1000 bytes of payload at 1 Mbps.
fn datagrams(p: &mut Plan, from: usize, to: usize) {
    flow(p, from, to, Span::ZERO, "newreno", plans::bench_tcp());
    let last = p.flows.last_mut().unwrap();
    last.source = spec("cbr", json!({"rate": "1 Mbps", "packet": "1000 B"}));
    (last.transport, last.back) =
        (Transport::Udp { header: 28, ecn: Default::default(), df: false }, vec![]);
}

/// A flow alone on private links still has a merge, and a closed loop ends.
#[test]
fn a_flow_alone_does_not_run_ahead_for_ever() {
    let mut p = empty(1, Span::from_secs(2));
    p.nodes = (0..2)
        .map(|i| Node { name: format!("n{i}"), kind: NodeKind::Host, silent: false })
        .collect();
    p.links = vec![
        link(0, 1, Rate::from_mbps(10), Span::from_ms(5)),
        link(1, 0, Rate::from_mbps(10), Span::from_ms(5)),
    ];
    flow(&mut p, 0, 1, Span::ZERO, "newreno", plans::bench_tcp());
    let report = audited(&p, Options::default());
    let goodput = report.flows[0].goodput_bps;
    // 960 of 1000 bytes on 10 Mbps, less the slow start.
    assert!((9.3e6..9.6e6).contains(&goodput), "{goodput}");
}

/// Two hosts, 10 Mbps and 5 ms each way, a flow with this source, for two seconds.
fn alone(source: Shared<Spec>, tcp: TcpConfig) -> Report {
    let mut p = empty(1, Span::from_secs(2));
    p.nodes = (0..2)
        .map(|i| Node { name: format!("n{i}"), kind: NodeKind::Host, silent: false })
        .collect();
    p.links =
        [(0, 1), (1, 0)].map(|(a, b)| link(a, b, Rate::from_mbps(10), Span::from_ms(5))).into();
    flow(&mut p, 0, 1, Span::from_ms(100), "newreno", tcp);
    p.flows[0].source = source;
    audited(&p, Options::default())
}

/// One segment of 1000 bytes takes 0.8 ms and 5 ms; its acknowledgment of 40 bytes 32 us and 5 ms.
/// With 20 ms of thought, an exchange is 30.832 ms: 62 of them begin within 1.9 s, of which the
/// last is not answered.
#[test]
fn responses_take_the_time_that_the_path_takes() {
    let config = json!({"response": "960 B", "think": "20 ms"});
    let report = alone(spec("request_response", config.clone()), plans::bench_tcp());
    let of = |name| report.flows[0].application.get(name).unwrap();
    assert!((of("latency_mean_s") - 10.832e-3).abs() < 1e-9, "{}", of("latency_mean_s"));
    assert_eq!(of("responses"), f64::floor((1.9 + 0.02) / 30.832e-3));
    assert_eq!(report.flows[0].completion, None, "it has not closed");
    let mut ten = config;
    ten["exchanges"] = json!(10);
    let report = alone(spec("request_response", ten), plans::bench_tcp());
    // Nine exchanges with their thoughts, and the way of the last segment.
    let expected = Span::from_us(9 * 30_832 + 5_800);
    assert_eq!(report.flows[0].completion, Some(expected));
}

/// Twenty segments with a window of ten: the last of the first round leaves at once and the others
/// clocked by acknowledgments, each 0.8 ms; round trip 10.832 ms. The eleventh leaves at 10.832
/// ms, the last 9 segments later.
#[test]
fn a_transfer_is_complete_when_its_last_byte_is_there() {
    let report = alone(spec("fixed", json!({"size": "19200 B"})), plans::bench_tcp());
    assert_eq!(report.flows[0].completion, Some(Span::from_us(10_832 + 9 * 800 + 5_800)));
    let report = alone(spec("bulk", json!({})), plans::bench_tcp());
    assert_eq!(report.flows[0].completion, None);
}

#[test]
fn an_endless_transfer_ends_when_its_application_stops() {
    let mut p = plans::dumbbell(
        1,
        2,
        Rate::from_mbps(10),
        spec("drop_tail", json!({})),
        Capacity::Packets(50),
        Span::from_secs(4),
    );
    p.warmup = Span::from_secs(2);
    p.flows.iter_mut().for_each(|flow| flow.start = Span::ZERO);
    p.flows[0].stop = Some(Span::from_secs(1));
    let r = audited(&p, Options::default());
    assert_eq!(
        (r.flows[0].sent_packets, r.flows[0].goodput_bps),
        (0, 0.0),
        "a second later \
        nothing is left to repair"
    );
    assert!(
        r.flows[1].goodput_bps > 9e6,
        "the other one has the link for itself: {}",
        r.flows[1].goodput_bps
    );
}

#[test]
fn datagrams_pass_at_their_rate() {
    let mut p = empty(1, Span::from_secs(10));
    p.nodes = (0..2)
        .map(|i| Node { name: format!("n{i}"), kind: NodeKind::Host, silent: false })
        .collect();
    p.links =
        [(0, 1), (1, 0)].map(|(a, b)| link(a, b, Rate::from_mbps(10), Span::from_ms(5))).into();
    datagrams(&mut p, 0, 1);
    let r = audited(&p, Options::default());
    assert!((r.flows[0].goodput_bps - 1e6).abs() < 2e3, "{}", r.flows[0].goodput_bps);
    assert_eq!(r.flows[0].lost_packets, 0);
}

#[test]
fn a_datagram_that_must_not_be_cut_is_dropped_where_it_does_not_fit() {
    let mut p = empty(1, Span::from_secs(1));
    p.nodes = vec![
        Node { name: "a".into(), kind: NodeKind::Host, silent: false },
        Node { name: "r".into(), kind: NodeKind::Router, silent: false },
        Node { name: "b".into(), kind: NodeKind::Host, silent: false },
    ];
    p.links = [(0, 1), (1, 2), (2, 1), (1, 0)]
        .map(|(a, b)| link(a, b, Rate::from_mbps(10), Span::from_ms(1)))
        .into();
    (p.links[1].mtu, p.links[1].report) = (576, true);
    datagrams(&mut p, 0, 2);
    p.flows[0].transport = Transport::Udp { header: 28, ecn: Default::default(), df: true };
    let r = audited(&p, Options::default());
    let too_large = r.queues[0].counters.drops[dumbbell_core::aqm::Reason::Mtu.index()];
    assert!(
        too_large > 100 && too_large == r.flows[0].lost_packets,
        "{too_large} {:?}",
        r.flows[0]
    );
    assert_eq!(r.flows[0].delivered_packets, 0);
}
