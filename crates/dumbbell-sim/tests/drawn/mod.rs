//! Drawn networks: rings of routers whose links have every kind of queue, wire and law.
mod transports;

use crate::plans::{answered, edge, empty, flow, link, spec};
use dumbbell_algos::qdisc::sharing::SHARING;
use dumbbell_algos::{aqm, qdisc};
use dumbbell_core::packet::Dscp;
use dumbbell_core::units::{Bytes, Capacity, Limit, Packets, Rate, Span};
use dumbbell_plan::{Ip, Node, NodeKind, Plan, Rule, Shared, SharedBuffer, Spec, Transport};
use dumbbell_sim::Report;
use dumbbell_tcp::{DelayedAck, Detection, Discovery, Ecn, Reduction, TcpConfig};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

/// What is drawn of a link.
#[derive(Clone, Debug)]
pub struct LinkChoice {
    pub kbps: u64,
    pub delay_us: u64,
    pub packets: Option<u32>,
    pub queue: usize,
    /// With `queue` beyond the hand-written ones: which of the catalogue.
    pub any: usize,
    pub wire: usize,
    pub in_service: bool,
    /// The kind of edge before its queue, if any.
    pub edge: u8,
    pub service: u8,
    pub mtu: u32,
}

/// What is drawn of a flow.
#[derive(Clone, Debug)]
pub struct FlowChoice {
    pub from: usize,
    pub to: usize,
    pub start_ms: u64,
    pub kind: usize,
    pub cc: &'static str,
    pub jitter: bool,
    pub sack: bool,
    pub ecn: bool,
    pub second: bool,
    pub window: u32,
    pub dscp: u8,
    /// The way in which its packets pass narrow links: see [`sizes`].
    pub sizes: u8,
    /// RACK, tail loss probes, PRR, F-RTO, D-SACK's undo, Eifel, pacing, an exact clock.
    pub machinery: u8,
}

pub fn link_choice() -> impl Strategy<Value = LinkChoice> {
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

pub fn flow_choice() -> impl Strategy<Value = FlowChoice> {
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

/// The plan with a shared buffer, of a few packets or of many, at about half of its routers: of
/// those whose queues may share one.
pub fn sharing(mut plan: Plan, choice: u64) -> Plan {
    let may_share = |queue: &str| {
        SHARING.contains(&queue) || qdisc::CATALOGUE.iter().all(|entry| entry.about.name != queue)
    };
    for (i, node) in (6..plan.nodes.len()).enumerate() {
        let choice = choice >> (8 * i);
        let alpha = [0.25, 0.5, 1.0, 8.0][choice as usize % 4];
        let size = Bytes(8_000 + 200 * (choice >> 3 & 31));
        let mut queues = plan.links.iter().filter(|link| link.from == node);
        if choice & 4 == 0 && queues.all(|link| may_share(&link.aqm.kind)) {
            plan.shared_buffers.push(SharedBuffer { node, size, alpha });
        }
    }
    plan
}

/// Six hosts on a ring of four routers with a chord; every link has its own character in each
/// direction.
pub fn plan(seed: u64, links: &[LinkChoice], flows: &[FlowChoice]) -> Plan {
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
        10 => transports::quic(p, c.machinery),
        11 => transports::scream(p, c.machinery),
        // Clients that act when their data arrive.
        8 => {
            let abr = if has(0) { "bba" } else { "throughput" };
            let ladder = json!(["300 kbps", "1 Mbps"]);
            let config = json!({
                "ladder": ladder, "segment": "100 ms", "start": "200 ms", "buffer": "400 ms",
                "abr": abr, "length": if has(1) { json!("400 ms") } else { json!(null) },
            });
            last.source = spec("dash", config);
        }
        9 => {
            let pages = if has(0) { json!(3) } else { json!(null) };
            let config = json!({"think": "3 ms", "pipelined": has(1), "pages": pages});
            last.source = spec("web", config);
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
pub fn story(r: &Report) -> String {
    let sums = (r.conservation.clone(), r.fragmentation, &r.shared_buffers);
    format!("{:016x} {} {:?} {:?} {sums:?}", r.fingerprint, r.packet_hops, r.flows, r.queues)
}
