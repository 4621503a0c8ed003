//! Plans and their bottlenecks.
use super::*;
use dumbbell_core::packet::Ecn;
use dumbbell_core::units::Capacity;
use dumbbell_plan::{Flow, Node, NodeKind, Plan, Record, Shared, Spec, Transport};
use serde_json::json;

fn spec(kind: &str) -> Shared<Spec> {
    Spec { kind: kind.into(), config: json!({}), source_hash: None }.into()
}

fn link(from: usize, to: usize, rate: Rate, delay: Span) -> Link {
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
        aqm: spec("drop_tail"),
        capacity: Capacity::Unlimited,
        count_in_service: false,
        watch_above: None,
        impairments: vec![],
        report: false,
        host: None,
    }
}

fn flow(name: &str, to: usize, forward: Vec<usize>, back: Vec<usize>) -> Flow {
    Flow {
        name: name.into(),
        from: 0,
        to,
        start: Span::ZERO,
        stop: None,
        forward,
        back,
        source: spec("cbr"),
        transport: Transport::Udp { header: 28, ecn: Ecn::NotEct, df: false },
        dscp: Default::default(),
        info: Default::default(),
        ip: Default::default(),
        answers: None,
        session: None,
        words: None,
        multipath: None,
    }
}

fn of(nodes: usize, links: Vec<Link>, flows: Vec<Flow>) -> Plan {
    let host = |i| Node { name: format!("n{i}"), kind: NodeKind::Host, silent: false };
    Plan {
        name: "a bottleneck".into(),
        seed: 1,
        duration: Span::from_secs(1),
        warmup: Span::ZERO,
        nodes: (0..nodes).map(host).collect(),
        links,
        flows,
        sessions: vec![],
        shared_buffers: vec![],
        reassembly: Default::default(),
        testbed: Default::default(),
        record: Record::default(),
    }
}

/// One link there, one back.
pub(crate) fn plan(rate: Rate) -> Plan {
    let delay = Span::from_ms(1);
    of(
        2,
        vec![link(0, 1, rate, delay), link(1, 0, rate, delay)],
        vec![flow("f", 1, vec![0], vec![1])],
    )
}

/// 100 Mbps, and behind it a gigabit to one receiver and a longer one to another; a slower link
/// that nobody passes.
pub(crate) fn two_receivers() -> Plan {
    let (slow, fast) = (Rate::from_mbps(100), Rate::from_mbps(1000));
    let links = vec![
        link(0, 1, slow, Span::from_ms(1)),
        link(1, 2, fast, Span::from_ms(1)),
        link(1, 3, fast, Span::from_ms(2)),
        link(3, 0, Rate::from_mbps(1), Span::ZERO),
    ];
    of(4, links, vec![flow("near", 2, vec![0, 1], vec![]), flow("far", 3, vec![0, 2], vec![])])
}

#[test]
fn it_is_the_slowest_that_is_passed() {
    let found = Bottleneck::of(&two_receivers()).expect("flows pass it");
    assert_eq!(
        (found.link, found.name.as_str(), found.packet_time),
        (0, "0->1", Span::from_us(120))
    );
    assert_eq!(
        [0, 1, 2, 3, 4].map(|socket| found.lane_of(socket)),
        [None, Some(0), None, Some(1), None]
    );
}

#[test]
fn of_two_alike_it_is_the_one_with_the_data_or_the_one_that_results_report() {
    let mut plan = plan(Rate::from_mbps(10));
    let found = Bottleneck::of(&plan).expect("a flow passes it");
    assert_eq!((found.link, found.lane_of(1), found.lane_of(0)), (0, Some(0), None));
    plan.links[1].report = true;
    let found = Bottleneck::of(&plan).expect("a flow passes it");
    assert_eq!((found.link, found.lane_of(1), found.lane_of(0)), (1, None, Some(0)));
    plan.flows.clear();
    assert_eq!(Bottleneck::of(&plan), None);
}
