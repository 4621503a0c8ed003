//! Plans for tests: a dumbbell, and random graphs.
#![allow(dead_code)]
pub mod fat_tree;
mod routes;

use dumbbell_core::meter::ASSURED;
use dumbbell_core::units::{Bytes, Capacity, Limit, Packets, Rate, Span};
use dumbbell_plan::{
    Answer, Flow, Link, Node, NodeId, NodeKind, Plan, Record, Rule, Shared, Spec, Transport,
};
use dumbbell_sim::{Options, Report, World};
use dumbbell_tcp::{Reentry, TcpConfig};
use routes::Routes;
use serde_json::{Value, json};

/// An algorithm with its defaults but for `config`.
pub fn spec(kind: &str, config: Value) -> Shared<Spec> {
    Spec { kind: kind.into(), config, source_hash: None }.into()
}

/// An edge of one rule: for all packets, or for each flow by itself.
pub fn edge(kind: &str, config: Value, per_flow: bool) -> Option<Shared<Vec<Rule>>> {
    let spec = Spec { kind: kind.into(), config, source_hash: None };
    Some(vec![Rule { spec, per_flow, flows: None, codepoints: None, colours: ASSURED }].into())
}

/// A plain link.
pub fn link(from: NodeId, to: NodeId, rate: Rate, delay: Span) -> Link {
    Link {
        name: format!("{from}->{to}"),
        from,
        to,
        rate,
        service: None,
        delay,
        mtu: 1500,
        framing: 0,
        least: 0,
        conditioner: None,
        aqm: spec("drop_tail", json!({})),
        capacity: Capacity::Unlimited,
        count_in_service: false,
        watch_above: None,
        impairments: vec![],
        report: false,
        host: None,
    }
}

/// An empty plan of `seconds`.
pub fn empty(seed: u64, duration: Span) -> Plan {
    Plan {
        name: "test".into(),
        seed,
        duration,
        warmup: Span::ZERO,
        nodes: vec![],
        links: vec![],
        flows: vec![],
        sessions: vec![],
        shared_buffers: vec![],
        reassembly: Default::default(),
        testbed: Default::default(),
        record: Record::default(),
    }
}

/// A TCP of the peers' benchmark: 1000-byte packets, each acknowledged, the first sent at once.
pub fn bench_tcp() -> TcpConfig {
    TcpConfig {
        mss: Some(Bytes(960)),
        initial_window: Packets(10.0),
        receive_window: Limit::Packets(Packets(512.0)),
        clock: Span::ZERO,
        limited_transmit: false,
        handshake: false,
        reentry: Reentry::At,
        reno_reentry: Reentry::Always,
        ..TcpConfig::ns2()
    }
}

/// Adds a flow over the shortest routes.
pub fn flow(plan: &mut Plan, from: NodeId, to: NodeId, start: Span, cc: &str, tcp: TcpConfig) {
    let routes = Routes::of(plan);
    let bulk =
        Sending { source: spec("bulk", json!({})), cc: spec(cc, json!({})), tcp: tcp.into() };
    sends(plan, &routes, from, to, start, &bulk);
}

/// The common settings of flows of one kind.
struct Sending {
    source: Shared<Spec>,
    cc: Shared<Spec>,
    tcp: Shared<TcpConfig>,
}

fn sends(plan: &mut Plan, routes: &Routes, from: NodeId, to: NodeId, start: Span, kind: &Sending) {
    let (forward, back) =
        (routes.between(plan, from, to).unwrap(), routes.between(plan, to, from).unwrap());
    let number = plan.flows.len();
    plan.flows.push(Flow { start, forward, back, ..kind.flow(number, from, to) });
}

impl Sending {
    /// Flow `number`, from the start of the run, still without routes.
    fn flow(&self, number: usize, from: NodeId, to: NodeId) -> Flow {
        Flow {
            name: format!("flow{number}"),
            from,
            to,
            start: Span::ZERO,
            stop: None,
            forward: vec![],
            back: vec![],
            source: self.source.clone(),
            transport: Transport::Tcp { cc: self.cc.clone(), tcp: self.tcp.clone() },
            dscp: Default::default(),
            info: Default::default(),
            ip: Default::default(),
            answers: None,
            session: None,
            words: None,
            multipath: None,
        }
    }
}

/// Lets the routers on the way of the last flow answer packets that are too large for the next
/// link.
pub fn answered(plan: &mut Plan) {
    let routes = Routes::of(plan);
    let flow = plan.flows.last().unwrap();
    let mut room = u32::MAX;
    let mut answers = Vec::new();
    for &at in &flow.forward {
        let Link { from, mtu, .. } = plan.links[at];
        if mtu < room && plan.nodes[from].kind == NodeKind::Router {
            answers.push(Answer { at, way: routes.between(plan, from, flow.from).unwrap() });
        }
        room = room.min(mtu);
    }
    plan.flows.last_mut().unwrap().answers = (!answers.is_empty()).then(|| answers.into());
}

/// N senders, N receivers, two routers; the queue of the bottleneck is reported.
pub fn dumbbell(
    seed: u64,
    n: usize,
    bottleneck: Rate,
    queue: Shared<Spec>,
    capacity: Capacity,
    duration: Span,
) -> Plan {
    let mut plan = empty(seed, duration);
    let host = |name: String| Node { name, kind: NodeKind::Host, silent: false };
    let router = |name: &str| Node { name: name.into(), kind: NodeKind::Router, silent: false };
    plan.nodes = vec![router("left"), router("right")];
    plan.nodes
        .extend((0..n).map(|i| host(format!("s{i}"))).chain((0..n).map(|i| host(format!("r{i}")))));
    let mut main = link(0, 1, bottleneck, Span::from_ms(10));
    (main.name, main.aqm, main.capacity, main.report) =
        ("bottleneck".into(), queue, capacity, true);
    plan.links = vec![main, link(1, 0, bottleneck, Span::from_ms(10))];
    plan.links.reserve_exact(4 * n);
    plan.flows.reserve_exact(n);
    for i in 0..n {
        let (s, r) = (2 + i, 2 + n + i);
        for (a, b) in [(s, 0), (0, s), (1, r), (r, 1)] {
            let access = link(a, b, Rate::from_mbps(1000), Span::from_ms(1));
            plan.links.push(Link { aqm: plan.links[1].aqm.clone(), ..access });
        }
    }
    let routes = Routes::of(&plan);
    let bulk = Sending {
        source: spec("bulk", json!({})),
        cc: spec("newreno", json!({})),
        tcp: bench_tcp().into(),
    };
    for i in 0..n {
        let start = Span::from_ps(1_000_000_000_000 / n as u64 * i as u64);
        sends(&mut plan, &routes, 2 + i, 2 + n + i, start, &bulk);
    }
    plan
}

/// Runs to the end, with every packet followed.
pub fn audited(plan: &Plan, options: Options) -> Report {
    let mut world = World::new(plan, Options { audit: true, ..options }).unwrap();
    while !world.run(&mut (), 10_000) {}
    let report = world.finish(&mut ());
    assert!(report.conservation.ok, "{:?}", report.conservation);
    report
}
