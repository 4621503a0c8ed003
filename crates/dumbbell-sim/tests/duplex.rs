//! Duplex mismatch in closed loop: a switch and a host behind one Ethernet of 100 Mbps, a server a
//! millisecond behind the switch. Facts: S. Shalunov, R. Carlson, Detecting Duplex Mismatch on
//! Ethernet, PAM 2005.
mod plans;

use dumbbell_algos::service::duplex_mismatch::DuplexMismatch;
use dumbbell_core::catalogue::Algorithm;
use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::{Node, NodeKind, Plan, Transport};
use dumbbell_sim::{Options, Report, World};
use dumbbell_tcp::TcpConfig;
use plans::{audited, empty, flow, link, spec};
use serde_json::json;

const SERVER: usize = 0;
const SWITCH: usize = 1;
const HOST: usize = 2;
/// Links: from the switch to the host, and back.
const DOWN: usize = 2;
const UP: usize = 3;

/// The network, without flows; `half`: whether the switch's end and the host's are half duplex.
fn network(half: Option<[bool; 2]>, seconds: u64) -> Plan {
    let mut p = empty(1, Span::from_secs(seconds));
    let node = |name: &str, kind| Node { name: name.into(), kind, silent: false };
    p.nodes = vec![
        node("server", NodeKind::Host),
        node("switch", NodeKind::Router),
        node("host", NodeKind::Host),
    ];
    for (a, b, mbps, us) in [(SERVER, SWITCH, 1000, 1000), (SWITCH, HOST, 100, 20)] {
        for (from, to) in [(a, b), (b, a)] {
            let wire = link(from, to, Rate::from_mbps(mbps), Span::from_us(us));
            p.links.push(dumbbell_plan::Link { framing: 38, least: 84, ..wire });
        }
    }
    for (end, link) in [DOWN, UP].into_iter().enumerate() {
        let l = &mut p.links[link];
        (l.capacity, l.report) = (Capacity::Packets(100), true);
        l.service = half.map(|half| spec(DuplexMismatch::ABOUT.name, json!({ "half": half[end] })));
    }
    p
}

fn tcp(p: &mut Plan, from: usize, to: usize) {
    flow(p, from, to, Span::ZERO, "newreno", TcpConfig::rfc());
}

/// Datagrams of 1000 B at `rate`, from one node to another.
fn datagrams(p: &mut Plan, from: usize, to: usize, rate: &str) {
    tcp(p, from, to);
    let last = p.flows.last_mut().unwrap();
    last.source = spec("cbr", json!({ "rate": rate, "packet": "972 B" }));
    (last.transport, last.back) =
        (Transport::Udp { header: 28, ecn: Default::default(), df: false }, vec![]);
}

/// Folded and unfolded; with every packet followed, and every account closed.
fn run(p: &Plan) -> Report {
    let [folded, unfolded] =
        [true, false].map(|fold| audited(p, Options { fold, ..Options::default() }));
    assert_eq!((folded.fingerprint, &folded.queues), (unfolded.fingerprint, &unfolded.queues));
    folded
}

fn goodput(half: Option<[bool; 2]>, from: usize, to: usize) -> f64 {
    let mut p = network(half, 4);
    tcp(&mut p, from, to);
    run(&p).flows[0].goodput_bps / 1e6
}

/// As one sees it without counters, which only a shared wire has.
fn plain(mut r: Report) -> (u64, Vec<dumbbell_sim::QueueReport>) {
    r.queues.iter_mut().for_each(|q| q.duplex = None);
    (r.fingerprint, r.queues)
}

/// One way flawless: datagrams in one direction, whoever is half duplex, are on the wire when a
/// constant rate has them, and every number is that one's. So are both directions, if nobody is
/// half duplex.
#[test]
fn without_an_opposite_it_is_the_constant_rate() {
    let one_way = |half, rate: &str| {
        let mut p = network(half, 2);
        p.warmup = Span::from_ms(333);
        datagrams(&mut p, SERVER, HOST, rate);
        plain(audited(&p, Options { hold: true, ..Options::default() }))
    };
    // Below the rate, and above it, where the queue overflows and a packet is always on the wire at
    // the end.
    for rate in ["30 Mbps", "150 Mbps"] {
        let constant = one_way(None, rate);
        for half in [[true, false], [false, true], [true, true]] {
            assert_eq!(one_way(Some(half), rate), constant, "{half:?} {rate}");
        }
    }
    let both_ways = |half| {
        let mut p = network(half, 2);
        tcp(&mut p, SERVER, HOST);
        tcp(&mut p, HOST, SERVER);
        plain(audited(&p, Options { hold: true, ..Options::default() }))
    };
    assert_eq!(both_ways(Some([false, false])), both_ways(None));
}

/// A bulk transfer collapses whichever end is half duplex and whichever sends; most where the
/// half-duplex end sends the data, for it gives frames up itself, after acknowledgments that come
/// whenever they like. Two ends that agree do not collapse.
#[test]
fn tcp_collapses_most_where_the_half_duplex_end_sends() {
    let (down, up) = ((SERVER, HOST), (HOST, SERVER));
    let of = |half, (from, to)| goodput(half, from, to);
    for way in [down, up] {
        let (healthy, agreed) = (of(None, way), of(Some([true, true]), way));
        // 1460 of 1538 bytes are goodput, and slow start takes a while.
        assert!(healthy > 80.0 && (25.0..80.0).contains(&agreed), "{way:?}: {healthy} {agreed}");
    }
    for (half, own, other) in [([false, true], up, down), ([true, false], down, up)] {
        let (sends, gets) = (of(Some(half), own), of(Some(half), other));
        assert!(sends < 5.0 && gets < 40.0 && sends < gets / 5.0, "{half:?}: {sends} {gets}");
    }
}

/// Single packets get through: a request a tenth of a second loses nothing.
#[test]
fn light_traffic_works() {
    for half in [[false, true], [true, false]] {
        let mut p = network(Some(half), 10);
        tcp(&mut p, SERVER, HOST);
        p.flows[0].source =
            spec("request_response", json!({ "response": "200 B", "think": "100 ms" }));
        let r = run(&p);
        let sent = r.flows[0].sent_packets;
        assert!(
            sent > 30 && (r.flows[0].lost_packets, r.flows[0].retransmits) == (0, 0),
            "{:?}",
            r.flows[0]
        );
    }
}

/// Datagrams at random instants both ways, 257.2 a second of 1026 bytes with preamble: a frame of
/// the full-duplex end is broken if it meets one of the other, whose signals are there for 82.08 us
/// each; where it meets it beyond the slot, that one is given up too. Each collision breaks one
/// frame, and nothing else is lost.
#[test]
fn losses_of_light_datagrams_are_those_of_overlap() {
    let mut p = network(Some([false, true]), 40);
    for (from, to) in [(SERVER, HOST), (HOST, SERVER)] {
        datagrams(&mut p, from, to, "1 Mbps");
        p.flows.last_mut().unwrap().source = spec(
            "poisson",
            json!({ "rate": "2 Mbps", "packet": "972 \
            B" }),
        );
    }
    let r = run(&p);
    let (full, half) = (r.queues[0].duplex.unwrap(), r.queues[1].duplex.unwrap());
    let (bytes, rate) = (1038.0 - 12.0, 2e6 / (8.0 * 972.0));
    let (signal, slot) = (bytes * 8.0 / 100e6, 512.0 / 100e6);
    let sent = r.flows[0].sent_packets as f64;
    for (seen, law) in [
        (full.broken_frames, sent * rate * signal),
        (half.late_collisions, sent * rate * (signal - slot)),
    ] {
        // A waiting frame starts right behind the other's frame, perhaps into the next one: an
        // effect of second order.
        assert!((seen as f64 - law).abs() < 4.4 * law.sqrt() + law * rate * signal, "{seen} {law}");
    }
    assert_eq!((full.broken_frames, full.collisions), (half.collisions, 0));
    assert_eq!((half.excessive_collisions, half.broken_frames), (0, 0));
    let lost: Vec<u64> = r.flows.iter().map(|f| f.lost_packets).collect();
    assert_eq!(lost, [full.broken_frames, half.late_collisions]);
    assert_eq!(
        r.queues[1].counters.drops[dumbbell_core::aqm::Reason::Link.index()],
        half.late_collisions
    );
}

/// A link that shares its wire with nobody is refused.
#[test]
fn a_wire_has_two_ends() {
    let mut p = network(Some([true, false]), 1);
    datagrams(&mut p, SERVER, HOST, "1 Mbps");
    p.links[UP].service = None;
    let Err(fault) = World::new(&p, Options::default()) else { panic!("it was accepted") };
    assert_eq!(fault.at, "1->2.service");
}
