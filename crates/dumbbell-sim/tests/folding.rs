//! The best test that the engine can have: run ahead or not, hold packets or not, the history is
//! the same.
mod drawn;
#[path = "../../dumbbell-core/tests/support/keep.rs"]
mod keep;
mod plans;
mod relayed;

use drawn::{FlowChoice, LinkChoice, flow_choice, link_choice, plan, sharing, story};
use dumbbell_core::units::Span;
use dumbbell_plan::{LinkId, Multipath, NodeId, NodeKind, Path, PathSet, Plan, Spread};
use dumbbell_sim::Options;
use plans::audited;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use relayed::relayed;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn folding_and_holding_change_nothing(
        seed: u64,
        links in prop::collection::vec(link_choice(), 22),
        flows in prop::collection::vec(flow_choice(), 1..10),
    ) {
        let plan = plan(seed, &links, &flows);
        let plan = if seed & 1 == 0 { plan } else { sharing(plan, seed >> 1) };
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    /// Players and readers act when their data arrive, which the sender's end learns from the
    /// receiver's: when it does must not depend on how far either has run ahead.
    #[test]
    fn so_it_is_with_clients_that_act_when_their_data_arrive(
        seed: u64,
        links in prop::collection::vec(link_choice(), 22),
        flows in prop::collection::vec(flow_choice(), 1..10),
    ) {
        let of_client = |f: FlowChoice| FlowChoice { kind: 8 + f.kind % 2, ..f };
        let flows: Vec<FlowChoice> = flows.into_iter().map(of_client).collect();
        let plan = plan(seed, &links, &flows);
        same_in_every_way(&plan)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    /// Connections of QUIC, some beside the others.
    #[test]
    fn so_it_is_with_quic(
        seed: u64,
        links in prop::collection::vec(link_choice(), 22),
        flows in prop::collection::vec(flow_choice(), 1..8),
    ) {
        same_in_every_way(&mostly(10, seed, links, flows))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    /// Sessions of SCReAM, some beside the others.
    #[test]
    fn so_it_is_with_scream(
        seed: u64,
        links in prop::collection::vec(link_choice(), 22),
        flows in prop::collection::vec(flow_choice(), 1..8),
    ) {
        same_in_every_way(&mostly(11, seed, links, flows))?;
    }
}

/// A plan of which two flows of three are of this kind, over links with an MTU of 1500 B or more.
fn mostly(kind: usize, seed: u64, links: Vec<LinkChoice>, flows: Vec<FlowChoice>) -> Plan {
    let flows: Vec<FlowChoice> = flows
        .into_iter()
        .enumerate()
        .map(|(i, f)| FlowChoice { kind: if i % 3 < 2 { kind } else { f.kind }, sizes: 0, ..f })
        .collect();
    let links: Vec<LinkChoice> =
        links.into_iter().map(|l| LinkChoice { mtu: l.mtu.max(1500), ..l }).collect();
    plan(seed, &links, &flows)
}

/// A run twice, with every link an event, without short ways, and with held queues.
fn same_in_every_way(plan: &Plan) -> Result<(), TestCaseError> {
    let plain = Options::default();
    let folded = audited(plan, plain);
    for other in [
        plain,
        Options { fold: false, ..plain },
        Options { straight: false, ..plain },
        Options { hold: true, fold: false, ..plain },
    ] {
        prop_assert_eq!(story(&folded), story(&audited(plan, other)));
    }
    Ok(())
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
    keep::keeps(file, &text);
}
