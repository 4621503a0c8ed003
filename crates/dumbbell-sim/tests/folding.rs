//! The best test that the engine can have: run ahead or not, hold packets or not, the history is
//! the same.
mod plans;
mod relayed;

use dumbbell_algos::{aqm, qdisc};
use dumbbell_core::packet::Dscp;
use dumbbell_core::units::{Bytes, Capacity, Limit, Packets, Rate, Span};
use dumbbell_plan::{
    Ip, LinkId, Multipath, Node, NodeId, NodeKind, Path, PathSet, Plan, Rule, Shared, Spec, Spread,
    Transport,
};
use dumbbell_sim::partition::{Partition, undivided};
use dumbbell_sim::{Options, Report, World};
use dumbbell_tcp::{DelayedAck, Detection, Discovery, Ecn, Reduction, TcpConfig};
use plans::{answered, audited, edge, empty, flow, link, spec};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use relayed::relayed;
use serde_json::json;

#[derive(Clone, Debug)]
struct LinkChoice {
    kbps: u64,
    delay_us: u64,
    packets: Option<u32>,
    queue: usize,
    /// With `queue` beyond the hand-written ones: which of the catalogue.
    any: usize,
    wire: usize,
    in_service: bool,
    /// The kind of edge before its queue, if any.
    edge: u8,
    service: u8,
    mtu: u32,
}

#[derive(Clone, Debug)]
struct FlowChoice {
    from: usize,
    to: usize,
    start_ms: u64,
    kind: usize,
    cc: &'static str,
    jitter: bool,
    sack: bool,
    ecn: bool,
    second: bool,
    window: u32,
    dscp: u8,
    /// The way in which its packets pass narrow links: see [`sizes`].
    sizes: u8,
    /// RACK, tail loss probes, PRR, F-RTO, D-SACK's undo, Eifel, pacing, an exact clock.
    machinery: u8,
}

fn link_choice() -> impl Strategy<Value = LinkChoice> {
    // Round figures, so that many things happen at the same instant.
    let kbps = select(vec![800u64, 1_000, 3_333, 10_000, 100_000]);
    let delay_us = select(vec![0u64, 1_000, 2_000, 7_919]);
    let mtu = select(vec![1500u32, 1500, 1500, 1500, 1006, 576, 300, 4352]);
    let queue = (0usize..8, 0usize..1000);
    let here = (any::<bool>(), 0u8..12, 0u8..16, mtu);
    (kbps, delay_us, prop::option::of(1u32..30), queue, 0usize..16, here).prop_map(
        |(kbps, delay_us, packets, (queue, any), wire, (in_service, n, service, mtu))| LinkChoice {
            kbps,
            delay_us,
            packets,
            queue,
            any,
            wire,
            in_service,
            edge: n,
            service,
            mtu,
        },
    )
}

fn flow_choice() -> impl Strategy<Value = FlowChoice> {
    let cc = select(vec![
        "tahoe",
        "reno",
        "newreno",
        "sack",
        "aimd",
        "cubic",
        "timed_transmission",
        "tcp_marking",
        "marker_aware",
    ]);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (
        0usize..6,
        0usize..6,
        0u64..300,
        0usize..8,
        cc,
        flags,
        (2u32..60, select(vec![0u8, 0, 46, 8, 12]), 0u8..8),
        any::<u8>(),
    )
        .prop_map(
            |(
                from,
                to,
                start_ms,
                kind,
                cc,
                (jitter, sack, ecn, second),
                (window, dscp, sizes),
                machinery,
            )| {
                FlowChoice {
                    from,
                    to,
                    start_ms,
                    kind,
                    cc,
                    jitter,
                    sack: sack || cc == "sack",
                    ecn,
                    second,
                    window,
                    dscp,
                    sizes,
                    machinery,
                }
            },
        )
}

fn queue(choice: &LinkChoice) -> Shared<Spec> {
    match choice.queue {
        0 => spec("drop_tail", json!({})),
        1 => spec("drop_tail", json!({"victim": "front"})),
        2 => spec("red", json!({"min_th": "2 pkt", "max_th": "6 pkt", "w_q": 0.1, "ecn": true})),
        3 => spec(
            "red",
            json!({"min_th": "1 pkt", "max_th": "9 pkt", "w_q": 0.02, "spacing": "bernoulli"}),
        ),
        _ => any_queue(choice.any),
    }
}

/// A queue of the catalogue with its defaults, and every other time with `ecn` if it has that.
fn any_queue(n: usize) -> Shared<Spec> {
    let all: Vec<_> = aqm::CATALOGUE.iter().chain(qdisc::CATALOGUE).collect();
    let entry = all[n % all.len()];
    let ecn = n / all.len() % 2 == 1 && (entry.schema)()["properties"]["ecn"].is_object();
    spec(
        entry.about.name,
        (entry.resolve)(&if ecn { json!({"ecn": true}) } else { json!({}) }).unwrap(),
    )
}

/// Half of the links have a law of their own, with opportunities, changes and outages at round
/// times.
fn service(choice: &LinkChoice) -> Option<Shared<Spec>> {
    let rate = format!("{} kbps", choice.kbps);
    match choice.service {
        0 => Some(spec("mahimahi", json!({"trace": "0 1*7 0x2 3 20x4 1*9"}))),
        1 if choice.kbps < 3_000 => Some(spec("mahimahi", json!({"trace": "7 4x2"}))),
        1 => Some(spec("mahimahi", json!({"trace": "1x3*10"}))),
        2 => Some(spec(
            "steps",
            json!({
                "steps": [["0 s", rate], ["12 ms", "0 bps"], ["30 ms", "2 Mbps"]],
                "period": "40 ms",
            }),
        )),
        3 => {
            Some(spec("arq", json!({"rate": rate, "loss": 0.2, "turnaround": "1 ms", "limit": 3})))
        }
        4 => Some(spec("sine", json!({"rate": rate, "depth": 0.8, "period": "100 ms"}))),
        5 => Some(spec(
            "square",
            json!({"rate": rate, "low": "400 kbps", "period": "50 ms", "duty": 0.6}),
        )),
        6 => Some(spec(
            "outage",
            json!({"rate": rate, "at": [["7 ms", "5 ms"]], "period": "60 ms", "cut_off": "lost"}),
        )),
        7 => Some(spec("outage", json!({"rate": rate, "mean_up": "80 ms", "mean_down": "10 ms"}))),
        8 | 9 => {
            let handoffs = json!([
                ["100 ms", "20 ms", "2 Mbps", "5 ms"],
                ["400 ms", "0 s", rate, "1 ms"],
                ["1 s", "7 ms", rate, "0 s"]
            ]);
            let queue = if choice.service == 8 { "kept" } else { "flushed" };
            Some(spec("handoff", json!({"rate": rate, "handoffs": handoffs, "queue": queue})))
        }
        _ => None,
    }
}

/// Half of the wires are clean; some do several things.
fn impairments(wire: usize) -> Vec<Shared<Spec>> {
    let all = [
        ("bernoulli", json!({"loss": 0.02})),
        ("jitter", json!({"max": "4 ms"})),
        ("duplicate", json!({"share": 0.05})),
        ("corrupt", json!({"rate": 0.02})),
        ("reorder", json!({"share": 0.1, "delay": "3 ms"})),
        ("gilbert_elliott", json!({"every": "2 ms", "to_bad": 0.02})),
        ("jitter", json!({"distribution": "exponential", "mean": "1 ms", "keep_order": true})),
        ("loss_trace", json!({"trace": "0x40 1x2 0x7 1", "repeat": true})),
    ];
    let some: &[usize] = match wire {
        0..6 => &[0, 1, 2, 3, 4, 5][wire..=wire],
        6 => &[2, 6, 2],
        7 => &[3, 2, 7, 4],
        _ => &[],
    };
    some.iter().map(|i| spec(all[*i].0, all[*i].1.clone())).collect()
}

/// The edge before a queue: a shaper, a marker for each flow, one that holds for each or for all,
/// one that tells senders.
fn before(choice: u8) -> Option<Shared<Vec<Rule>>> {
    let rate = "600 kbps";
    match choice {
        0 => edge("tbf", json!({ "rate": rate, "burst": "3 kB" }), false),
        1 => edge("token_bucket", json!({ "rate": rate, "burst": "3 kB" }), true),
        2 => edge(
            "data_buffer",
            json!({ "rate": rate, "burst": "2 pkt", "tokens": "packet", "size": "4 \
            pkt" }),
            true,
        ),
        3 => {
            edge("data_buffer", json!({ "rate": rate, "burst": "1500 B", "size": "3 pkt" }), false)
        }
        4 => edge("marker_feedback", json!({ "rate": rate, "burst": "2 kB" }), true),
        5 => edge(
            "marker_feedback",
            json!({ "rate": "1 Mbps", "burst": "4 pkt", "tokens": "packet" }),
            false,
        ),
        _ => None,
    }
}

/// Six hosts on a ring of four routers with a chord; every link has its own character in each
/// direction.
fn plan(seed: u64, links: &[LinkChoice], flows: &[FlowChoice]) -> Plan {
    let mut p = empty(seed, Span::from_ms(1500));
    p.warmup = Span::from_ms(200);
    p.nodes = (0..10)
        .map(|i| Node {
            name: format!("n{i}"),
            kind: if i < 6 { NodeKind::Host } else { NodeKind::Router },
            silent: false,
        })
        .collect();
    let pairs =
        [(0, 6), (1, 6), (2, 7), (3, 8), (4, 9), (5, 9), (6, 7), (7, 8), (8, 9), (9, 6), (6, 8)];
    for ((a, b), c) in pairs.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]).zip(links) {
        let mut l = link(a, b, Rate::from_bps(c.kbps * 1000), Span::from_us(c.delay_us));
        l.count_in_service = c.in_service;
        l.service = service(c);
        if let Some(n) = c.packets {
            // Every third in buffers, of which a full packet of 1000 bytes takes two.
            let in_buffers = n % 3 == 0;
            let limit = if in_buffers {
                Capacity::Buffers { count: 2 * n, size: 600 }
            } else {
                Capacity::Packets(n)
            };
            (l.capacity, l.aqm, l.report) = (limit, queue(c), true);
        }
        l.conditioner = before(c.edge);
        l.mtu = c.mtu;
        l.impairments = impairments(c.wire);
        p.links.push(l);
    }
    for c in flows.iter().filter(|c| c.from != c.to) {
        add(&mut p, c);
    }
    p
}

fn add(p: &mut Plan, c: &FlowChoice) {
    let has = |bit: u8| c.machinery >> bit & 1 == 1;
    let tcp = TcpConfig {
        mss: Some(Bytes(960)),
        sack: c.sack,
        ecn: if c.ecn { Ecn::Rfc3168 } else { Ecn::Off },
        delayed_ack: if c.second { DelayedAck::Second } else { DelayedAck::Each },
        receive_window: Limit::Packets(Packets(f64::from(c.window))),
        send_jitter: if c.jitter { Span::from_us(300) } else { Span::ZERO },
        recovery: if c.sack { TcpConfig::rfc().recovery } else { TcpConfig::ns2().recovery },
        detection: if has(0) { Detection::Rack } else { Detection::Dupack },
        tail_loss_probe: has(1),
        reduction: if has(2) { Reduction::Prr } else { Reduction::Rfc6675 },
        frto: has(3),
        dsack_undo: has(4),
        eifel: has(5),
        pacing: has(6),
        pacing_quantum: 1 + u32::from(has(7)),
        clock: if has(7) { Span::ZERO } else { Span::from_ms(1) },
        ..TcpConfig::rfc()
    };
    flow(p, c.from, c.to, Span::from_ms(c.start_ms), c.cc, tcp);
    let last = p.flows.last_mut().unwrap();
    last.dscp = Dscp(c.dscp);
    sizes(p, c.sizes);
    let last = p.flows.last_mut().unwrap();
    last.info.reserved =
        (!c.window.is_multiple_of(3)).then(|| Rate::from_bps(250_000 * u64::from(c.window % 3)));
    last.info.rtt = c.window.is_multiple_of(2).then(|| Span::from_ms(20));
    match c.kind {
        0 => last.source = spec("fixed", json!({"size": "40 kB"})),
        1 => {
            last.source = spec(
                "cbr",
                json!({
                    "rate": "500 kbps",
                    "packet": format!("{} B", [500, 2000, 5000][usize::from(c.machinery) % 3]),
                }),
            );
            let df = c.sizes == 1;
            (last.transport, last.back) =
                (Transport::Udp { header: 28, ecn: Default::default(), df }, vec![]);
            answered(p);
        }
        2 => last.stop = Some(Span::from_ms(900)),
        // Closed loops: at once, after a pause, and after pauses of chance; some end, some are
        // stopped.
        3 | 4 => {
            let think =
                [json!("0 s"), json!("3 ms"), json!({"kind": "exponential", "mean": "20 ms"})];
            let sizes = [
                json!("960 B"),
                json!({"kind": "bounded_pareto", "shape": 1.2, "min": "1 \
                B", "max": "60 \
                kB"}),
            ];
            let mut config = json!({
                "response": sizes[usize::from(has(1))],
                "think": think[usize::from(c.machinery) % 3],
            });
            if has(2) {
                config["exchanges"] = json!(5);
            } else {
                last.stop = Some(Span::from_ms(1100));
            }
            last.source = spec("request_response", config);
        }
        5 => {
            let ladder = json!(["300 kbps", "1 Mbps"]);
            let length = if has(0) { json!("400 ms") } else { json!(null) };
            let config = json!({
                "ladder": ladder, "chunk": "100 ms", "start_up": "200 ms", "buffer": "400 ms",
                "length": length,
            });
            last.source = spec("video", config);
        }
        _ => {}
    }
}

/// The last flow's segments, and whether routers cut them or answer: most know their path.
fn sizes(p: &mut Plan, choice: u8) {
    let ip = if choice == 7 { Ip::V6 } else { Ip::V4 };
    let last = p.flows.last_mut().unwrap();
    let room = last.forward.iter().map(|l| p.links[*l].mtu).min().unwrap();
    let (first, back) = (p.links[last.forward[0]].mtu, p.links[last.back[0]].mtu);
    let Transport::Tcp { tcp, .. } = &mut last.transport else { return };
    let (discovery, mtu) = match choice {
        0..4 => (Discovery::Known, room.min(1000)),
        4 => (Discovery::Off, first),
        6 => (Discovery::Probe, first),
        _ => (Discovery::Icmp, first),
    };
    let own = Bytes(u64::from(mtu) - 40);
    let peer_mss = (choice > 3).then(|| Bytes(u64::from(back) - 40));
    *tcp =
        TcpConfig { mss: Some(own), peer_mss, pmtu_discovery: discovery, ..(**tcp).clone() }.into();
    last.ip = ip;
    if choice > 4 {
        answered(p);
    }
}

/// Everything that a run says, but for the number of events, which is what folding changes.
fn story(r: &Report) -> String {
    let sums = (r.conservation.clone(), r.fragmentation);
    format!("{:016x} {} {:?} {:?} {sums:?}", r.fingerprint, r.packet_hops, r.flows, r.queues)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn folding_and_holding_change_nothing(
        seed: u64,
        links in prop::collection::vec(link_choice(), 22),
        flows in prop::collection::vec(flow_choice(), 1..10),
    ) {
        let plan = plan(seed, &links, &flows);
        let folded = audited(&plan, Options::default());
        let unfolded = audited(&plan, Options { fold: false, ..Options::default() });
        prop_assert_eq!(story(&folded), story(&unfolded));
        let careful = audited(&plan, Options { straight: false, ..Options::default() });
        prop_assert_eq!(story(&folded), story(&careful));
        let held = audited(&plan, Options { hold: true, ..Options::default() });
        prop_assert_eq!(story(&folded), story(&held));
        let both = audited(&plan, Options { hold: true, fold: false, ..Options::default() });
        prop_assert_eq!(story(&folded), story(&both));
        relayed(&plan)?;
    }
}

/// All ways over routers between two hosts that come to no node twice.
fn ways(p: &Plan, at: NodeId, to: NodeId, seen: &[NodeId]) -> Vec<Vec<LinkId>> {
    let leaving = p.links.iter().enumerate().filter(|(_, l)| l.from == at && !seen.contains(&l.to));
    let mut found = Vec::new();
    for (i, l) in leaving {
        if l.to == to {
            found.push(vec![i]);
        } else if p.nodes[l.to].kind == NodeKind::Router {
            let seen = [seen, &[at]].concat();
            found.extend(ways(p, l.to, to, &seen).into_iter().map(|way| [vec![i], way].concat()));
        }
    }
    found
}

/// Two sets of paths, the second from 400 ms on.
fn sets(p: &Plan, from: NodeId, to: NodeId, one: bool) -> Vec<PathSet> {
    let all = ways(p, from, to, &[]);
    let set = |from, ways: &[Vec<LinkId>]| {
        let share = 1.0 / ways.len() as f64;
        let paths = ways.iter().map(|links| Path { share, links: links.clone() }).collect();
        PathSet { from, paths }
    };
    let (first, second) =
        if one { (&all[..1], &all[all.len() - 1..]) } else { (&all[..], &all[1..]) };
    let second = if second.is_empty() { first } else { second };
    vec![set(Span::ZERO, first), set(Span::from_ms(400), second)]
}

/// Leads every flow over all its ways.
fn spread(p: &mut Plan, by: Spread) {
    for f in 0..p.flows.len() {
        let (from, to) = (p.flows[f].from, p.flows[f].to);
        let one = by == Spread::Flow;
        let (forward, mut back) = (sets(p, from, to, one), sets(p, to, from, one));
        let flow = &mut p.flows[f];
        flow.forward = forward[0].paths[0].links.clone();
        if flow.back.is_empty() {
            back = Vec::new();
        } else {
            flow.back = back[0].paths[0].links.clone();
        }
        flow.multipath = Some(Multipath { by, seed: None, forward, back }.into());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn so_it_is_with_several_paths(
        seed: u64,
        links in prop::collection::vec(link_choice(), 22),
        flows in prop::collection::vec(flow_choice(), 1..10),
        by in select(vec![
            Spread::Flow,
            Spread::Packet,
            Spread::Flowlet(Span::from_ms(1)),
            Spread::Flowlet(Span::from_ms(20)),
        ]),
    ) {
        let links: Vec<LinkChoice> =
            links.into_iter().map(|l| LinkChoice { mtu: 1500, ..l }).collect();
        let flows: Vec<FlowChoice> =
            flows.into_iter().map(|f| FlowChoice { sizes: 0, ..f }).collect();
        let mut plan = plan(seed, &links, &flows);
        spread(&mut plan, by);
        let folded = audited(&plan, Options::default());
        let unfolded = audited(&plan, Options { fold: false, ..Options::default() });
        prop_assert_eq!(story(&folded), story(&unfolded));
        let both = audited(&plan, Options { hold: true, fold: false, ..Options::default() });
        prop_assert_eq!(story(&folded), story(&both));
        relayed(&plan)?;
    }
}

/// A plan that may be divided: without edges and datagrams, with packets that fit, and with fewer
/// links that have a law or an impairment.
fn divisible(seed: u64, links: &[LinkChoice], flows: &[FlowChoice]) -> Plan {
    let links: Vec<LinkChoice> = links
        .iter()
        .map(|l| LinkChoice {
            edge: 99,
            service: if l.service < 3 { l.service } else { 99 },
            wire: if l.wire < 4 { l.wire } else { 99 },
            mtu: l.mtu.max(1500),
            ..l.clone()
        })
        .collect();
    let flows: Vec<FlowChoice> = flows
        .iter()
        .map(|f| FlowChoice {
            kind: if f.kind == 1 { 2 } else { f.kind },
            sizes: f.sizes % 4,
            ..f.clone()
        })
        .collect();
    plan(seed, &links, &flows)
}

/// A partition near `of_node`: nodes come together until every link between parts may be one.
fn partition_near(plan: &Plan, of_node: &[u32]) -> Option<Partition> {
    let mut of_node = of_node.to_vec();
    while let Some(link) = plan.links.iter().find(|l| {
        let cut = l.delay > Span::ZERO && l.service.is_none() && l.impairments.is_empty();
        !cut && of_node[l.from] != of_node[l.to]
    }) {
        let (a, b) = (of_node[link.from], of_node[link.to]);
        of_node.iter_mut().filter(|part| **part == b).for_each(|part| *part = a);
    }
    let mut used = of_node.clone();
    used.sort_unstable();
    used.dedup();
    let number = |part: &u32| used.binary_search(part).unwrap() as u32;
    Partition::new(plan, of_node.iter().map(number).collect())
}

/// Runs the parts of a plan in turn.
fn divided(plan: &Plan, partition: &Partition) -> Report {
    let all = 0..partition.parts();
    let mut parts: Vec<World> =
        all.map(|k| World::part(plan, partition, k).expect("it is in the catalogue")).collect();
    let lookahead = partition.lookahead();
    while let Some(bound) = parts.iter().filter_map(|part| part.horizon(lookahead)).min() {
        parts.iter_mut().for_each(|part| part.run_before(bound));
        for from in 0..parts.len() {
            for to in 0..parts.len() {
                let mut mail = std::mem::take(&mut parts[from].outboxes()[to]);
                assert!(mail.earliest().is_none_or(|earliest| earliest >= bound));
                parts[to].enter(&mut mail);
            }
        }
    }
    World::join(parts).finish(&mut ())
}

fn whole(plan: &Plan) -> Report {
    let mut world = World::new(plan, Options::default()).unwrap();
    while !world.run(&mut (), 10_000) {}
    world.finish(&mut ())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000, max_global_rejects: 10_000, ..ProptestConfig::default()
    })]
    #[test]
    fn a_divided_network_has_the_history_of_the_whole(
        seed: u64,
        links in prop::collection::vec(link_choice(), 22),
        flows in prop::collection::vec(flow_choice(), 1..10),
        of_node in prop::collection::vec(0u32..8, 10),
    ) {
        let plan = divisible(seed, &links, &flows);
        prop_assert_eq!(undivided(&plan), None);
        let partition = partition_near(&plan, &of_node);
        prop_assume!(partition.is_some());
        let (whole, divided) = (whole(&plan), divided(&plan, &partition.unwrap()));
        prop_assert_eq!(story(&whole), story(&divided));
        prop_assert!(divided.conservation.ok, "{:?}", divided.conservation);
    }
}

/// The partition that is chosen divides a dumbbell at its bottleneck, and a fat tree in quarters.
#[test]
fn partitions_divide_the_work() {
    let queue = spec("drop_tail", json!({}));
    let limit = Capacity::Packets(100);
    let second = Span::from_ms(1000);
    let plan = plans::dumbbell(1, 20, Rate::from_mbps(100), queue.clone(), limit, second);
    let partition = Partition::of(&plan, 2).unwrap();
    assert_eq!(partition.lookahead(), Span::from_ms(10));
    let report = divided(&plan, &partition);
    assert_eq!(story(&whole(&plan)), story(&report));
    let lone = plans::dumbbell(1, 1, Rate::from_mbps(100), queue.clone(), limit, second);
    assert_eq!(Partition::of(&lone, 9), None);
    let plan = plans::fat_tree::fat_tree(1, 4, queue, Span::from_ms(5));
    for parts in [2, 3, 4] {
        let partition = Partition::of(&plan, parts).unwrap();
        assert_eq!(partition.parts(), parts);
        assert_eq!(story(&whole(&plan)), story(&divided(&plan, &partition)));
    }
}

/// Forty drawn graphs, folded and held, against the fingerprints that `tests/frozen` keeps of them.
/// A queue that joins the catalogue moves the draws of its like; a change that should not move
/// results moves none.
#[test]
fn drawn_graphs_keep_their_fingerprints() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/frozen/graphs.txt");
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let drawn = (
        any::<u64>(),
        prop::collection::vec(link_choice(), 22),
        prop::collection::vec(flow_choice(), 1..10),
    );
    let mut text = String::from("# graph  plan  folded  held\n");
    for n in 0..40 {
        let (seed, links, flows) = drawn.new_tree(&mut runner).unwrap().current();
        let plan = plan(seed, &links, &flows);
        // Sorted, because the order of a configuration's keys depends on what else is built beside
        // this test.
        let mut written = serde_json::to_value(&plan).unwrap();
        written.sort_all_objects();
        let written = written.to_string();
        let hash = written
            .bytes()
            .fold(0xcbf29ce484222325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100000001b3));
        let run = |hold| audited(&plan, Options { hold, ..Options::default() }).fingerprint;
        text += &format!("{n:2} {hash:016x} {:016x} {:016x}\n", run(false), run(true));
    }
    if std::env::var_os("DUMBBELL_FREEZE").is_some() {
        std::fs::write(file, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(file).unwrap());
}
