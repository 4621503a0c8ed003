//! Parts of a network that are simulated apart from each other have the history of the whole.
mod drawn;
mod plans;

use drawn::{FlowChoice, LinkChoice, flow_choice, link_choice, plan, sharing, story};
use dumbbell_core::packet::Dscp;
use dumbbell_core::units::{Bytes, Capacity, Rate, Span};
use dumbbell_plan::{Link, NodeKind, Plan, SharedBuffer, Transport};
use dumbbell_quic::{Ecn, QuicConfig};
use dumbbell_scream::ScreamConfig;
use dumbbell_sim::partition::{Partition, undivided};
use dumbbell_sim::{Options, Report, World};
use plans::spec;
use proptest::prelude::*;
use serde_json::{Value, json};

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
        let plan = if seed & 1 == 0 { plan } else { sharing(plan, seed >> 1) };
        prop_assert_eq!(undivided(&plan), None);
        let partition = partition_near(&plan, &of_node);
        prop_assume!(partition.is_some());
        let (whole, divided) = (whole(&plan), divided(&plan, &partition.unwrap()));
        prop_assert_eq!(story(&whole), story(&divided));
        prop_assert!(divided.conservation.ok, "{:?}", divided.conservation);
    }
}

/// Flows of QUIC on both sides of every border.
#[test]
fn quic_is_divided_exactly() {
    let mut plan = plans::fat_tree::fat_tree(1, 4, spec("red", json!({})), Span::from_ms(15));
    for (number, flow) in plan.flows.iter_mut().enumerate() {
        let quic =
            QuicConfig { datagram: Some(Bytes(1200)), ecn: Ecn::Ect0, ..QuicConfig::default() };
        let control = ["cubic", "bbr", "dctcp"][number % 3];
        flow.transport = Transport::Quic { cc: spec(control, json!({})), quic: quic.into() };
    }
    assert_eq!(undivided(&plan), None);
    let all = whole(&plan);
    assert!(all.flows.iter().all(|flow| flow.delivered_packets > 0));
    assert!(all.flows.iter().any(|flow| flow.retransmits > 0));
    for parts in [2, 3, 4] {
        let partition = Partition::of(&plan, parts).unwrap();
        assert_eq!(story(&all), story(&divided(&plan, &partition)), "{parts} parts");
    }
}

/// Sessions of SCReAM on both sides of every border.
#[test]
fn scream_is_divided_exactly() {
    let mut plan = plans::fat_tree::fat_tree(1, 4, spec("red", json!({})), Span::from_ms(600));
    for flow in &mut plan.flows {
        flow.transport = Transport::Scream { scream: ScreamConfig::default().into() };
        let config = json!({ "fps": 200, "start": "20 Mbps", "most": "50 Mbps" });
        flow.source = spec("camera", config);
    }
    assert_eq!(undivided(&plan), None);
    let all = whole(&plan);
    assert!(all.flows.iter().all(|flow| flow.delivered_packets > 0));
    for parts in [2, 3, 4] {
        let partition = Partition::of(&plan, parts).unwrap();
        let joined = divided(&plan, &partition);
        assert_eq!(story(&all), story(&joined), "{parts} parts");
        for (one, other) in all.flows.iter().zip(&joined.flows) {
            assert_eq!(one.media, other.media, "{parts} parts");
        }
    }
}

/// The sender of such a client has to know what its receiver knows, so one part has both.
#[test]
fn clients_that_act_when_data_arrive_are_not_divided() {
    let queue = spec("drop_tail", json!({}));
    let second = Span::from_ms(1000);
    let mut plan =
        plans::dumbbell(1, 4, Rate::from_mbps(100), queue, Capacity::Packets(100), second);
    for (kind, whole) in [("video", false), ("dash", true), ("web", true)] {
        plan.flows[3].source = spec(kind, json!({}));
        assert_eq!(undivided(&plan).is_some(), whole, "{kind}");
    }
}

/// The partition that is chosen divides a dumbbell at its bottleneck, and a fat tree between its
/// switches: in halves between its pods.
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
        for link in &plan.links {
            let host = plan.nodes[link.from].kind == NodeKind::Host;
            let [from, to] = [link.from, link.to].map(|node| partition.part_of(node));
            assert!(!host || from == to, "{}: a host is with its switch", link.name);
        }
        assert_eq!(story(&whole(&plan)), story(&divided(&plan, &partition)));
    }
    // Each of the k³/4 links between a pod and the core may be cut, in both directions; halves that
    // have whole pods cut half of them.
    for k in [4, 8] {
        let queue = spec("drop_tail", json!({}));
        let plan = plans::fat_tree::fat_tree(1, k, queue, Span::from_ms(1));
        let partition = Partition::of(&plan, 2).unwrap();
        let cut = |link: &&Link| partition.part_of(link.from) != partition.part_of(link.to);
        let cuts = plan.links.iter().filter(cut).count() as f64;
        let halves = (k * k * k / 4) as f64;
        assert!(cuts <= 1.2 * halves, "k = {k}: {cuts} links, {halves} between whole pods");
    }
}

/// Switches that share buffers, which fill: the history is the same for any number of parts, cut at
/// any switch. Ports with classes have a threshold for each.
#[test]
fn switches_with_shared_buffers_are_divided_exactly() {
    divides_shared_buffers("drop_tail", json!({}));
    divides_shared_buffers("drr", json!({ "weights": [3.0, 1.0] }));
}

fn divides_shared_buffers(queue: &str, config: Value) {
    let mut plan = plans::fat_tree::fat_tree(1, 4, spec(queue, config), Span::from_ms(5));
    for (number, flow) in plan.flows.iter_mut().enumerate() {
        flow.dscp = Dscp(if number % 2 == 0 { 46 } else { 0 });
    }
    for node in (0..plan.nodes.len()).filter(|node| plan.nodes[*node].kind == NodeKind::Router) {
        plan.shared_buffers.push(SharedBuffer { node, size: Bytes(60_000), alpha: 0.5 });
    }
    let all = whole(&plan);
    assert!(all.shared_buffers.iter().map(|buffer| buffer.above_threshold).sum::<u64>() > 100);
    for parts in [2, 3, 4, 8] {
        let of_node = (0..plan.nodes.len() as u32).map(|node| node % parts).collect();
        let partition = Partition::new(&plan, of_node).expect("every link has a delay");
        assert_eq!(story(&all), story(&divided(&plan, &partition)), "{parts} parts");
    }
}
