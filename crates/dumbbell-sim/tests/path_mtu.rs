//! Path MTU discovery in a network: by routers' notices through real queues, and by probing where
//! nobody answers.
mod plans;

use dumbbell_core::transport::segment::{Extra, Segment};
use dumbbell_core::units::{Bytes, Capacity, Limit, Rate, Span, Time};
use dumbbell_plan::{Node, NodeKind, Plan};
use dumbbell_sim::{FlowRow, Observer, Options, PacketId, Report, World};
use dumbbell_tcp::{Discovery, TcpConfig};
use plans::{answered, empty, flow, link};

/// Host, router, router, host: 9000, 1500, 9000 bytes; the narrow link has 20 Mbps, the others 100,
/// all 10 ms.
fn narrow(discovery: Discovery, tells: bool, seconds: u64, warmup: u64) -> Plan {
    let mut p = empty(1, Span::from_secs(seconds));
    p.warmup = Span::from_secs(warmup);
    p.record.every = Some(Span::from_ms(5));
    p.record.flows = true;
    let kinds = [NodeKind::Host, NodeKind::Router, NodeKind::Router, NodeKind::Host];
    p.nodes = kinds
        .iter()
        .enumerate()
        .map(|(i, k)| Node { name: format!("n{i}"), kind: *k, silent: !tells })
        .collect();
    for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 2), (2, 1), (1, 0)] {
        let middle = a.min(b) == 1 && a.max(b) == 2;
        let mut l = link(a, b, Rate::from_mbps(if middle { 20 } else { 100 }), Span::from_ms(10));
        l.mtu = if middle { 1500 } else { 9000 };
        l.capacity = if middle { Capacity::Packets(250) } else { Capacity::Unlimited };
        p.links.push(l);
    }
    let tcp = TcpConfig {
        mss: Some(Bytes(if discovery == Discovery::Known { 1460 } else { 8960 })),
        pmtu_discovery: discovery,
        // Twice the path's capacity; the queue has room for the second half.
        receive_window: Limit::Bytes(Bytes(300_000)),
        ..TcpConfig::rfc()
    };
    flow(&mut p, 0, 3, Span::ZERO, "sack", tcp);
    if tells {
        answered(&mut p);
    }
    p
}

/// Data packets by size, and what happened to the window.
#[derive(Default)]
struct Watch {
    packets: u64,
    sizes: Vec<(Time, u16)>,
    windows: Vec<(Time, u64)>,
}

impl Observer for Watch {
    const FOLLOWS: bool = true;
    fn follow(&mut self, _: usize, _: bool) -> u64 {
        self.packets += 1;
        self.packets
    }
    fn sent(&mut self, t: Time, who: PacketId, s: &Segment, _: Option<&Extra>) {
        if who.data && s.ip_len > 100 {
            self.sizes.push((t, s.ip_len));
        }
    }
    fn flow(&mut self, t: Time, _: usize, row: &FlowRow) {
        self.windows.push((t, row.cwnd_bytes));
    }
}

fn run(plan: &Plan) -> (Watch, Report) {
    let mut watch = Watch::default();
    let mut world = World::new(plan, Options { audit: true, ..Options::default() }).unwrap();
    while !world.run(&mut watch, 100_000) {}
    let report = world.finish(&mut watch);
    assert!(report.conservation.ok, "{:?}", report.conservation);
    (watch, report)
}

/// The notice is back 20 ms after the first large packet left, and the flow has the size within its
/// first round trip of data; the window only grows, no timer expires, nothing else is lost.
#[test]
fn routers_tell_the_size_within_a_round_trip() {
    let (watch, report) = run(&narrow(Discovery::Icmp, true, 5, 0));
    let large: Vec<_> = watch.sizes.iter().filter(|s| s.1 > 1500).collect();
    // The initial window of RFC 6928 is two segments of 8948 bytes.
    assert_eq!((large.len(), large[0].1), (2, 9000));
    let until = watch.sizes.iter().find(|s| s.1 <= 1500).unwrap().0;
    assert!(until.since(large[0].0) < Span::from_ms(60), "{:?} {until:?}", large[0]);
    assert!(watch.sizes.iter().all(|s| s.0 < until || s.1 <= 1500));
    assert_eq!(report.flows[0].rtos, 0);
    // Two packets became twelve and a rest, and nothing else went again.
    assert_eq!(report.flows[0].retransmits, 2 * 8948_u64.div_ceil(1448));
    assert!(watch.windows.windows(2).all(|w| w[0].1 <= w[1].1), "{:?}", &watch.windows[..40]);
    let cuts = report.fragmentation.expect("something did not fit").cuts;
    assert_eq!((cuts.refused, cuts.answered, cuts.fragments), (2, 2, 0));
    assert!(
        report.flows[0].goodput_bps > 0.9 * 20e6 * 1448.0 / 1500.0,
        "{}",
        report.flows[0].goodput_bps
    );
}

/// In a black hole who only listens gets nothing through; who probes survives, and has after the
/// search what who knows the path has, within 10 %.
#[test]
fn a_black_hole_is_survived_by_probing() {
    let goodput = |discovery| {
        let (watch, report) = run(&narrow(discovery, false, 40, 20));
        (report.flows[0].goodput_bps, report.flows[0].rtos, watch.sizes.last().unwrap().1)
    };
    let (stuck, known) = (run(&narrow(Discovery::Icmp, false, 40, 0)).1, goodput(Discovery::Known));
    assert_eq!((stuck.flows[0].goodput_bps, stuck.flows[0].rtos), (0.0, 5));
    let probing = goodput(Discovery::Probe);
    assert_eq!((known.2, probing.2), (1500, 1500));
    assert!((probing.0 / known.0 - 1.0).abs() < 0.1, "{probing:?} against {known:?}");
}
