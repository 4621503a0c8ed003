//! Duplex mismatch in closed loop: a switch and a host behind one Ethernet of 100 Mbps, a server a millisecond behind the
//! switch. Facts: S. Shalunov, R. Carlson, Detecting Duplex Mismatch on Ethernet, PAM 2005.
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
    p.nodes = vec![node("server", NodeKind::Host), node("switch", NodeKind::Router), node("host", NodeKind::Host)];
    for (a, b, mbps, us) in [(SERVER, SWITCH, 1000, 1000), (SWITCH, HOST, 100, 1)] {
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
    (last.transport, last.back) = (Transport::Udp { header: 28, ecn: Default::default(), df: false }, vec![]);
}

/// Folded and unfolded; with every packet followed, and every account closed.
fn run(p: &Plan) -> Report {
    let [folded, unfolded] = [true, false].map(|fold| audited(p, Options { fold, ..Options::default() }));
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

/// One way flawless: datagrams in one direction, whoever is half duplex, are on the wire when a constant rate has them, and
/// every number is that one's. So are both directions, if nobody is half duplex.
#[test]
fn without_an_opposite_it_is_the_constant_rate() {
    let one_way = |half, rate: &str| {
        let mut p = network(half, 2);
        p.warmup = Span::from_ms(333);
        datagrams(&mut p, SERVER, HOST, rate);
        plain(audited(&p, Options { hold: true, ..Options::default() }))
    };
    // Below the rate, and above it, where the queue overflows and a packet is always on the wire at the end.
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

/// A bulk transfer collapses in either direction, in one much more than in the other; both ends half duplex, as two that
/// agree, or both full, it does not.
#[test]
fn tcp_collapses_and_more_so_in_one_direction() {
    for (from, to) in [(SERVER, HOST), (HOST, SERVER)] {
        println!(
            "{from}->{to}: {:?}",
            [None, Some([true, true]), Some([true, false]), Some([false, true])].map(|half| goodput(half, from, to))
        );
    }
}

/// A ping a second loses nothing, and a conversation of small packets hardly anything.
#[test]
fn light_traffic_works() {
    let mut p = network(Some([false, true]), 20);
    tcp(&mut p, SERVER, HOST);
    p.flows[0].source = spec("request_response", json!({ "response": "200 B", "think": "100 ms" }));
    let r = run(&p);
    println!("{:?} {:?}", r.flows[0], r.queues.iter().map(|q| q.duplex).collect::<Vec<_>>());
    let mut p = network(Some([false, true]), 20);
    datagrams(&mut p, SERVER, HOST, "100 kbps");
    datagrams(&mut p, HOST, SERVER, "100 kbps");
    let r = run(&p);
    println!("{:?}", r.flows.iter().map(|f| (f.sent_packets, f.lost_packets)).collect::<Vec<_>>());
}

/// Datagrams both ways at random instants: what is lost is what a hand computes, and each collision has a cause in the other direction.
#[test]
fn losses_of_light_datagrams_are_those_of_overlap() {
    let mut p = network(Some([false, true]), 40);
    for (from, to) in [(SERVER, HOST), (HOST, SERVER)] {
        datagrams(&mut p, from, to, "");
        p.flows.last_mut().unwrap().source = spec("poisson", json!({ "rate": "2 Mbps", "packet": "972 B" }));
    }
    let r = run(&p);
    println!("{:?}", r.flows.iter().map(|f| (f.sent_packets, f.lost_packets)).collect::<Vec<_>>());
    println!("{:?}", r.queues.iter().map(|q| q.duplex).collect::<Vec<_>>());
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
