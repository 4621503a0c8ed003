//! The classifier by hand: who goes where, and what happens to each color.
use super::*;
use crate::conditioner::tbf::{Tbf, TbfConfig};
use crate::meter::token_bucket::{TokenBucketConfig, TokenBucketMeter};
use dumbbell_core::catalogue::Algorithm;
use dumbbell_core::meter::ASSURED;
use dumbbell_core::packet::Ecn;
use dumbbell_core::testing::{Numbered, contract, packet};
use dumbbell_core::units::{Bytes, Limit, Rate};

const ALL: u64 = u64::MAX;
const EF: Dscp = Dscp(46);

#[derive(Default)]
struct Seen(Vec<(u64, u8)>, Vec<(u64, Reason)>);

impl Emit<Numbered> for Seen {
    fn release(&mut self, p: Numbered, _: Option<Color>, _: Span) {
        self.0.push((p.id, p.meta.dscp.0));
    }
    fn drop(&mut self, p: Numbered, why: Reason) {
        self.1.push((p.id, why));
    }
}

/// A bucket of `packets` packets of 1000 bytes and no rate to speak of.
fn bucket(packets: u64) -> Stage<Numbered> {
    let config = TokenBucketConfig {
        rate: Some(Rate::from_bps(1)),
        burst: Limit::Bytes(Bytes(packets * 1000)),
        packet_size: Some(Bytes(1000)),
        ..TokenBucketConfig::default()
    };
    Stage::Meter(AnyMeter::TokenBucketMeter(TokenBucketMeter::new(&config, &contract())))
}

fn state(edge: &mut Edge<Numbered>, stage: Stage<Numbered>, actions: Actions) -> u32 {
    edge.add_state(stage, actions, Stream::named(1, "edge"), (Time::ZERO, Time::NEVER))
}

/// Sends (flow, codepoint, reply) and says what came out.
fn send(edge: &mut Edge<Numbered>, those: &[(u32, Dscp, bool)]) -> Seen {
    let (site, flows) = (contract(), FlowTable::default());
    let mut seen = Seen::default();
    for (id, (flow, dscp, reply)) in (0..).zip(those) {
        let around = EdgeCx { now: Time::ZERO, link: &site.link, flows: &flows };
        let mut p = Numbered { id, meta: packet(*flow, 1000, Ecn::NotEct) };
        p.set_dscp(*dscp);
        edge.arrive(around, p, *reply, &mut seen);
    }
    seen
}

#[test]
fn each_flow_has_a_bucket_of_its_own_and_replies_have_none() {
    let mut edge = Edge::default();
    let states: Vec<u32> = (0..2).map(|_| state(&mut edge, bucket(1), ASSURED)).collect();
    let outside = state(&mut edge, Stage::BestEffort(Color::Yellow), ASSURED);
    edge.rule_for_flows(
        ALL,
        &[(FlowId(0), states[0]), (FlowId(1), states[1]), (FlowId(2), outside)],
    );
    let be = Dscp(0);
    let seen = send(
        &mut edge,
        &[
            (0, be, false),
            (0, be, false),
            (1, be, false),
            (1, be, true),
            (2, be, false),
            (7, be, false),
        ],
    );
    assert_eq!(seen.0, [(0, 10), (1, 12), (2, 10), (3, 0), (4, 12), (5, 0)]);
    assert_eq!(edge.states()[0].account.packets(Color::Yellow), 1);
}

#[test]
fn the_first_rule_that_takes_a_packet_has_it() {
    let mut edge = Edge::default();
    let premium = state(&mut edge, bucket(1), [Action::Mark(EF), Action::Drop, Action::Drop]);
    let rest = state(&mut edge, bucket(2), [Action::Pass, Action::Mark(Dscp(8)), Action::Pass]);
    edge.rule_for_all(codepoints(&[EF]), premium);
    edge.rule_for_all(ALL, rest);
    let seen = send(
        &mut edge,
        &[
            (0, EF, false),
            (1, EF, false),
            (2, Dscp(0), false),
            (3, Dscp(0), true),
            (4, Dscp(0), false),
        ],
    );
    assert_eq!(seen.0, [(0, 46), (2, 0), (3, 0), (4, 8)]);
    assert_eq!(seen.1, [(1, Reason::Policed)]);
    assert_eq!(edge.states()[0].account.drops(), 1);
}

#[test]
fn a_bucket_at_the_edge_is_balanced() {
    let mut edge = Edge::default();
    let number = state(&mut edge, bucket(3), ASSURED);
    edge.rule_for_all(ALL, number);
    send(&mut edge, &[(0, Dscp(0), false); 5]);
    let tokens = edge.states_mut()[0].tokens(Time::ZERO + Span::from_secs(9)).unwrap();
    assert!(tokens.balanced());
    assert_eq!(tokens.tokens(tokens.taken), 3000.0);
}

/// A shaper behind a rule: what there are tokens for passes at once, the rest when its clock is
/// due, in order; the clock rests when nothing waits. Another rule's is its own.
#[test]
fn a_shaper_has_a_clock() {
    // 1000 B take 100 ms to pay for.
    let config = TbfConfig {
        rate: Rate::from_bps(80_000),
        burst: Bytes(1000),
        limit: Limit::Bytes(Bytes(10_000)),
    };
    let shaper = || Stage::Conditioner(AnyConditioner::Tbf(Tbf::new(&config, &contract())));
    let mut edge = Edge::default();
    let first = state(&mut edge, shaper(), [Action::Pass; 3]);
    let second = state(&mut edge, shaper(), [Action::Pass; 3]);
    edge.rule_for_all(codepoints(&[EF]), first);
    edge.rule_for_all(ALL, second);
    assert_eq!(edge.next_wakeup(), Time::NEVER);
    let best_effort = Dscp(0);
    let seen = send(&mut edge, &[(0, EF, false), (0, EF, false), (0, EF, false)]);
    assert_eq!((seen.0, edge.held()), (vec![(0, 46)], 2));
    let seen = send(&mut edge, &[(0, best_effort, false)]);
    assert_eq!((seen.0, edge.held()), (vec![(0, 0)], 2));
    let (site, flows) = (contract(), FlowTable::default());
    let mut out = Seen::default();
    let mut dues = Vec::new();
    while edge.next_wakeup() != Time::NEVER {
        let now = edge.next_wakeup();
        edge.wake(EdgeCx { now, link: &site.link, flows: &flows }, &mut out);
        dues.push((now.since(Time::ZERO).ps() / 1_000_000_000, out.0.len(), edge.held()));
    }
    assert_eq!(dues, [(100, 1, 1), (200, 2, 0)]);
    assert_eq!(out.0, [(1, 46), (2, 46)]);
}
