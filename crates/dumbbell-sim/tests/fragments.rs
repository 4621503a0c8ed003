//! Packets that do not fit: cut by routers and put together by hosts, or refused and answered.
mod plans;

use dumbbell_core::aqm::Reason;
use dumbbell_core::units::{Bytes, Rate, Span};
use dumbbell_plan::{Ip, Node, NodeKind, Plan, Reassembly, Transport};
use dumbbell_sim::{Fragmentation, Options, Report};
use dumbbell_tcp::{Discovery, TcpConfig};
use plans::{answered, audited, empty, flow, link, spec};
use serde_json::json;

/// Host, router, router, host; the middle link carries `middle` and the others 9180 bytes, all 100
/// Mbps and 1 ms.
fn chain(middle: u32, seconds: u64) -> Plan {
    let mut p = empty(1, Span::from_secs(seconds));
    let kinds = [NodeKind::Host, NodeKind::Router, NodeKind::Router, NodeKind::Host];
    p.nodes = kinds
        .iter()
        .enumerate()
        .map(|(i, k)| Node { name: format!("n{i}"), kind: *k, silent: false })
        .collect();
    for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 2), (2, 1), (1, 0)] {
        let mut l = link(a, b, Rate::from_mbps(100), Span::from_ms(1));
        l.mtu = if a.min(b) == 1 && a.max(b) == 2 { middle } else { 9180 };
        p.links.push(l);
    }
    p.links[1].report = true;
    p
}

/// Datagrams of `ip_len` bytes, 100 a second.
fn datagrams(p: &mut Plan, ip_len: u64, (ip, df): (Ip, bool)) {
    flow(p, 0, 3, Span::ZERO, "newreno", plans::bench_tcp());
    let header = ip.header() + 8;
    let payload = ip_len - u64::from(header);
    let last = p.flows.last_mut().unwrap();
    last.source = spec(
        "cbr",
        json!({"rate": format!("{} bps", payload * 800), "packet": format!("{payload} \
        B")}),
    );
    last.transport = Transport::Udp { header, ecn: Default::default(), df };
    (last.ip, last.back) = (ip, vec![]);
    last.stop = Some(p.duration - Span::from_ms(50));
    if df || ip == Ip::V6 {
        answered(p);
    }
}

fn of(r: &Report) -> Fragmentation {
    r.fragmentation.expect("something did not fit")
}

/// Each datagram of 9180 bytes is seven packets of the narrow link, and one again at the end.
#[test]
fn a_datagram_is_seven_fragments_and_whole_again() {
    let mut p = chain(1500, 2);
    datagrams(&mut p, 9180, (Ip::V4, false));
    let r = audited(&p, Options::default());
    let sent = r.flows[0].sent_packets;
    assert_eq!((of(&r).cuts.cut, of(&r).cuts.fragments), (sent, 7 * sent));
    assert_eq!(r.queues[0].counters.arrivals, 7 * sent);
    // The headers of six more fragments: 9300 bytes in place of 9180.
    assert_eq!(r.queues[0].counters.arrived_bytes, 9300 * sent);
    assert_eq!((of(&r).reassembled.whole, r.flows[0].delivered_packets), (sent, sent));
    assert_eq!((r.flows[0].lost_packets, of(&r).reassembled.expired), (0, 0));
}

/// The loss of one fragment loses the datagram: 1 - (1 - p)^7.
#[test]
fn the_loss_of_a_fragment_is_that_of_its_datagram() {
    let mut p = chain(1500, 100);
    p.links[1].impairments = vec![spec("bernoulli", json!({"loss": 0.05}))];
    // With Linux's 4 MiB the pieces of what is lost would leave no room: 30 s of 26 datagrams a
    // second and 8 kB each.
    p.reassembly.memory = Bytes(64 << 20);
    datagrams(&mut p, 9180, (Ip::V4, false));
    let r = audited(&p, Options::default());
    let f = &r.flows[0];
    let share = f.lost_packets as f64 / f.sent_packets as f64;
    // 10^4 datagrams: a standard deviation of 0.0046.
    assert!((share - 0.301_663).abs() < 0.018, "{share}");
    assert!(f.delivered_packets + f.lost_packets == f.sent_packets, "{f:?}");
}

/// Copies that come late are no loss: what arrived whole stays so, whatever happens to them.
#[test]
fn what_arrived_whole_is_not_lost_by_its_copies() {
    let mut p = chain(1500, 20);
    p.links[1].impairments = vec![
        spec("duplicate", json!({"share": 0.3})),
        spec(
            "jitter",
            json!({"max": "40 \
        ms"}),
        ),
    ];
    p.reassembly = Reassembly { timeout: Span::from_secs(2), memory: Bytes(8 << 20) };
    datagrams(&mut p, 9180, (Ip::V4, false));
    p.flows[0].stop = Some(Span::from_secs(15));
    let r = audited(&p, Options::default());
    let f = &r.flows[0];
    assert_eq!((f.delivered_packets, f.lost_packets), (f.sent_packets, 0), "{f:?}");
    // Copies wait for the rest of a datagram that came long ago; at the end, too, their time is
    // over.
    let reassembled = of(&r).reassembled;
    assert!(reassembled.duplicates > 100 && reassembled.expired > 100, "{reassembled:?}");
}

/// An incomplete datagram keeps memory for its time and no longer, and never more than there is.
#[test]
fn reassembly_has_its_time_and_its_memory() {
    let mut p = chain(1500, 30);
    p.links[1].impairments = vec![spec("bernoulli", json!({"loss": 0.5}))];
    p.reassembly = Reassembly { timeout: Span::from_secs(2), memory: Bytes(100_000) };
    datagrams(&mut p, 9180, (Ip::V4, false));
    let r = audited(&p, Options::default());
    let reassembled = of(&r).reassembled;
    assert!(reassembled.most_bytes <= 100_000 && reassembled.full > 0, "{reassembled:?}");
    assert!(reassembled.expired > 100, "{reassembled:?}");
    p.reassembly = Reassembly { memory: Bytes(64 << 20), ..Reassembly::default() };
    let reassembled = of(&audited(&p, Options::default())).reassembled;
    assert_eq!(reassembled.full, 0, "{reassembled:?}");
}

/// Version 6: the router refuses the first datagram and says 1500; the host cuts those that follow,
/// with 8 bytes more of header in each fragment: 9132 bytes of payload behind the header of 40 are
/// 7 fragments of 1448 at most.
#[test]
fn hosts_of_version_6_cut_to_what_they_were_told() {
    let mut p = chain(1500, 2);
    datagrams(&mut p, 9180, (Ip::V6, false));
    let r = audited(&p, Options::default());
    let cuts = of(&r).cuts;
    assert_eq!((cuts.refused, cuts.answered), (1, 1));
    assert_eq!(cuts.fragments, 7 * cuts.cut);
    assert_eq!(cuts.cut, r.flows[0].sent_packets - 1);
    assert_eq!(r.flows[0].delivered_packets, cuts.cut);
    assert_eq!(r.queues[0].counters.drops[Reason::Mtu.index()], 1);
}

/// With DF a host that was told sends nothing more that does not fit: it is dropped at home.
#[test]
fn datagrams_that_must_not_be_cut_end_at_home_once_it_is_known() {
    let mut p = chain(1500, 2);
    datagrams(&mut p, 1528, (Ip::V4, true));
    let r = audited(&p, Options::default());
    assert_eq!(r.queues[0].counters.drops[Reason::Mtu.index()], 1);
    assert_eq!(of(&r).cuts.refused, r.flows[0].sent_packets);
    assert_eq!((of(&r).cuts.answered, r.flows[0].delivered_packets), (1, 0));
}

/// A TCP that lets routers cut loses nothing but what the headers cost.
#[test]
fn segments_may_be_cut() {
    let mut p = chain(1500, 2);
    let tcp = TcpConfig {
        mss: Some(Bytes(9140)),
        pmtu_discovery: Discovery::Off,
        timestamps: false,
        ..TcpConfig::rfc()
    };
    flow(&mut p, 0, 3, Span::ZERO, "newreno", tcp);
    let r = audited(&p, Options::default());
    assert_eq!(of(&r).cuts.fragments, 7 * of(&r).cuts.cut);
    let expected = 100e6 * 9140.0 / 9300.0;
    let goodput = r.flows[0].goodput_bps;
    assert!((goodput / expected - 1.0).abs() < 0.05, "{goodput} of {expected}");
}

/// If all packets fit, there is no fragmentation, and a narrower link that every packet fits into
/// changes no history.
#[test]
fn what_fits_costs_nothing() {
    let run = |middle, larger: u64| {
        let mut p = chain(middle, 5);
        datagrams(&mut p, 1000 + larger, (Ip::V4, false));
        flow(&mut p, 0, 3, Span::from_ms(10), "newreno", plans::bench_tcp());
        audited(&p, Options::default())
    };
    let (wide, narrow, cut) = (run(9180, 0), run(1000, 0), run(1000, 8));
    assert_eq!((wide.fingerprint, wide.events), (narrow.fingerprint, narrow.events));
    assert_eq!((wide.fragmentation, narrow.fragmentation), (None, None));
    assert!(of(&cut).cuts.cut > 400);
}
