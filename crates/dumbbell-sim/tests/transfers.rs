//! Single flows over a plain path: what they do can be computed by hand.
mod plans;

use dumbbell_core::units::{Capacity, Packets, Rate, Span};
use dumbbell_plan::{Node, NodeKind, Plan, Shared, Spec, Transport};
use dumbbell_sim::{Options, Report};
use dumbbell_tcp::{DelayedAck, TcpConfig};
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

/// Two hosts, 10 Mbps and 5 ms each way.
fn path(duration: Span) -> Plan {
    let mut p = empty(1, duration);
    p.nodes = (0..2)
        .map(|i| Node { name: format!("n{i}"), kind: NodeKind::Host, silent: false })
        .collect();
    p.links =
        [(0, 1), (1, 0)].map(|(a, b)| link(a, b, Rate::from_mbps(10), Span::from_ms(5))).into();
    p
}

/// A flow with this source over that path, for two seconds, from 100 ms on.
fn alone(source: Shared<Spec>, tcp: TcpConfig) -> Report {
    let mut p = path(Span::from_secs(2));
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

/// [`plans::bench_tcp`] with a first window of so many packets.
fn window_of(packets: f64) -> TcpConfig {
    TcpConfig { initial_window: Packets(packets), ..plans::bench_tcp() }
}

/// What the application of a flow measured, against what is worked out.
fn measured(report: &Report, expected: &[(&str, f64)]) {
    for (name, value) in expected {
        let got = report.flows[0].application.get(name).unwrap();
        assert!((got - value).abs() <= 1e-9 * value.abs().max(1.0), "{name} is {got}, not {value}");
    }
}

/// A segment of a second at 1.92 Mbps is 250 packets, all within the first window: 200 ms on the
/// wire and 5 ms of propagation. The request takes 5.032 ms, as an acknowledgment: together 210.032
/// ms. Two segments start playback after twice that. The fourth comes at 835.096 ms after the start
/// of the flow, where 3.579936 s are in the buffer; so the fifth is asked for 0.579936 s later and
/// is there after 210.032 ms more. At the end, 1.9 s after the start, 5 s have come and 1.9 -
/// 0.415032 s were played.
#[test]
fn a_player_fills_its_buffer_over_a_fast_link() {
    let mut config = json!({
        "ladder": ["1.92 Mbps"], "segment": "1 s", "start": "2 s", "buffer": "4 s",
    });
    for abr in ["bba", "throughput"] {
        config["abr"] = json!(abr);
        let report = alone(spec("dash", config.clone()), window_of(500.0));
        measured(&report, &[("start_up_s", 2.0 * 0.210032), ("stalls", 0.0), ("segments", 5.0)]);
        measured(&report, &[("buffer_s", 5.0 - (1.9 - 0.415032))]);
        measured(&report, &[("qoe", 5.0 * 1920.0 - 3000.0 * 2.0 * 0.210032)]);
    }
    // Four segments, and the flow is over.
    config["length"] = json!("4 s");
    let report = alone(spec("dash", config), window_of(500.0));
    assert_eq!(report.flows[0].completion, Some(Span::from_us(835_096)));
    measured(&report, &[("buffer_s", 4.0 - (1.9 - 0.415032)), ("stalls", 0.0)]);
}

/// The same bytes as a tenth of a second of 19.2 Mbps: each is played in 100 ms and waited for
/// 110.032 ms. The first comes after 205 ms, and eight more within 1.9 s.
#[test]
fn a_player_stalls_over_a_slow_link() {
    let config = json!({
        "ladder": ["19.2 Mbps", "40 Mbps"], "segment": "100 ms", "start": "100 ms",
        "buffer": "4 s", "abr": "throughput",
    });
    let report = alone(spec("dash", config), window_of(500.0));
    measured(&report, &[("start_up_s", 0.210032), ("segments", 9.0), ("switches", 0.0)]);
    measured(&report, &[("stalls", 8.0), ("stalled_s", 8.0 * 0.110032)]);
}

/// BBA-0 for a minute, over a link between the two highest rates: the numbers are those of the
/// transcription in `python/dumbbell/validate/laws/streaming.py` with the times of this path. A
/// fetch of n packets takes 5.032 + 0.8 n + 5 ms.
#[test]
fn a_player_by_its_buffer_does_what_its_transcription_does() {
    let mut p = path(Span::from_secs(60));
    flow(&mut p, 0, 1, Span::ZERO, "newreno", window_of(500.0));
    // 60, 100, 200 and 400 packets in a quarter of a second.
    let config = json!({
        "ladder": ["1843200 bps", "3072000 bps", "6144000 bps", "12288000 bps"],
        "segment": "250 ms", "start": "500 ms", "buffer": "10 s",
    });
    p.flows[0].source = spec("dash", config);
    let report = audited(&p, Options::default());
    measured(&report, &[("segments", 263.0), ("switches", 7.0), ("stalls", 0.0)]);
    measured(&report, &[("start_up_s", 0.116064), ("buffer_s", 5.861032)]);
    measured(&report, &[("video_bps", 8_349_298.859_315_589), ("qoe", 2_160_496.608)]);
}

/// At the end the last segment is there, and its acknowledgment on its way: it counts. The fourth
/// segment comes at 935.096 ms of the run.
#[test]
fn a_segment_counts_from_the_arrival_of_its_last_byte() {
    for (end_us, segments) in [(935_095, 3.0), (935_096, 4.0), (940_000, 4.0)] {
        let mut p = path(Span::from_us(end_us));
        flow(&mut p, 0, 1, Span::from_ms(100), "newreno", window_of(500.0));
        p.flows[0].source = spec("dash", json!({"ladder": ["1.92 Mbps"], "segment": "1 s"}));
        measured(&audited(&p, Options::default()), &[("segments", segments)]);
    }
}

/// Objects of one segment take 10.832 ms each, one after the other. Of 21 objects of which 20 come
/// together, ten leave at once: the first one did not use the window of ten, so it did not open it.
/// The other ten leave one round trip later. That is a request delay of 5.032 ms, two round
/// trips, ten segments, and 5 ms.
#[test]
fn a_page_takes_the_time_of_its_objects() {
    let page = |objects: u64, pipelined: bool| {
        let config = json!({
            "objects": objects, "size": "960 B", "pages": 3, "think": "50 ms",
            "pipelined": pipelined,
        });
        alone(spec("web", config), plans::bench_tcp())
    };
    for objects in [1, 5] {
        let load = objects as f64 * 10.832e-3;
        let report = page(objects, false);
        measured(&report, &[("pages", 3.0), ("load_mean_s", load), ("load_p95_s", load)]);
        // Less the request of the first page; two think times.
        let expected = Span::from_us(3 * objects * 10_832 - 5_032 + 2 * 50_000);
        assert_eq!(report.flows[0].completion, Some(expected));
    }
    let config = json!({"objects": 21, "size": "960 B", "pages": 1, "pipelined": true});
    let report = alone(spec("web", config), plans::bench_tcp());
    let load = (5.032 + 2.0 * 10.832 + 10.0 * 0.8 + 5.0) * 1e-3;
    measured(&report, &[("pages", 1.0), ("load_p50_s", load)]);
}

/// A receiver that delays acknowledgments by 100 ms delays a request that goes at once, and no
/// other. The first objects of a page have two segments, which are acknowledged at once, so the
/// second object of a page is asked for at once, too. It has one segment, whose acknowledgment is
/// delayed; but a think time follows, and the request after it takes its usual delay.
#[test]
fn a_delayed_acknowledgment_delays_only_a_request_at_once() {
    let tcp = TcpConfig {
        delayed_ack: DelayedAck::Second,
        delayed_ack_timeout: Span::from_ms(100),
        ..plans::bench_tcp()
    };
    let page = |objects: u64| {
        let config = json!({
            "objects": objects, "first": "1920 B", "size": "960 B", "pages": 2, "think": "300 ms",
        });
        alone(spec("web", config), tcp.clone())
    };
    // The request's delay, two segments, and propagation; then a round trip.
    let load = 5.032 + 2.0 * 0.8 + 5.0;
    measured(&page(1), &[("load_mean_s", load * 1e-3)]);
    let more = load + 5.032 + 0.8 + 5.0;
    let report = page(2);
    measured(&report, &[("load_mean_s", more * 1e-3), ("load_p95_s", more * 1e-3)]);
    // Two pages, less the request of the first one, and a think time.
    let expected = Span::from_us(2 * (2 * 10_832 + 800) - 5_032 + 300_000);
    assert_eq!(report.flows[0].completion, Some(expected));
    // With a third object the second delayed request is waited for.
    measured(&page(3), &[("load_p95_s", (more + 100.0 + 10.832) * 1e-3)]);
}
