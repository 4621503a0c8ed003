//! From a plan's rules to the edge before a port: who goes where, and what was agreed with them.
use crate::edge::report::ServedFlows;
use crate::engine::queued_packet::QueuedPacket;
use dumbbell_algos::conditioner::AnyConditioner;
use dumbbell_algos::edge::{Edge, Stage, codepoints};
use dumbbell_algos::meter::{self, AnyMeter};
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::catalogue::Fault;
use dumbbell_core::meter::{Color, Contract, Meter};
use dumbbell_core::packet::FlowId;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Rate, Time};
use dumbbell_plan::{LinkId, Plan, Rule, Shared};
use std::collections::BTreeMap;

/// The flows whose data crosses each link that has an edge, ascending.
pub(crate) type FlowsByLink = BTreeMap<LinkId, Vec<usize>>;

/// The flows that cross each edge.
pub(crate) fn passing(plan: &Plan) -> FlowsByLink {
    let mut out = FlowsByLink::new();
    for (number, flow) in plan.flows.iter().enumerate() {
        for link in flow.routes(0).flatten().filter(|l| !plan.links[**l].rules().is_empty()) {
            let flows = out.entry(*link).or_default();
            if flows.last() != Some(&number) {
                flows.push(number);
            }
        }
    }
    out
}

/// The edge before `link`, which the flows `passing` cross; none if the plan has no rules for it.
pub(crate) fn edge(
    plan: &Plan,
    link: LinkId,
    info: LinkInfo,
    passing: Option<&Vec<usize>>,
) -> Result<Option<Edge<QueuedPacket>>, Fault> {
    let planned = &plan.links[link];
    if planned.rules().is_empty() {
        return Ok(None);
    }
    let mut making = Making {
        plan,
        info,
        name: &planned.name,
        passing: passing.map_or(&[], Vec::as_slice),
        rule: 0,
    };
    let mut edge = Edge::default();
    for rule in planned.rules() {
        making.add(rule, &mut edge)?;
        making.rule += 1;
    }
    Ok(Some(edge))
}

/// The flows that each meter state of a link's edge serves, in the edge's order.
pub(crate) fn served(plan: &Plan, link: LinkId, passing: Option<&Vec<usize>>) -> Vec<ServedFlows> {
    let passing = passing.map_or(&[][..], Vec::as_slice);
    let mut all = Vec::new();
    for (number, rule) in plan.links[link].rules().iter().enumerate() {
        let once = Shared::from(rule.clone());
        let served = |flow, flows: &[usize]| ServedFlows {
            rule: once.clone(),
            number,
            flow,
            reserved: reserved(plan, flows),
        };
        let flows = of(rule, passing);
        if rule.per_flow {
            all.extend(flows.into_iter().map(|f| served(Some(f), &[f])));
        } else {
            all.push(served(None, &flows));
        }
    }
    all
}

/// Returns the passing flows to which a rule applies.
fn of(rule: &Rule, passing: &[usize]) -> Vec<usize> {
    match &rule.flows {
        Some(flows) => flows.iter().copied().filter(|f| passing.binary_search(f).is_ok()).collect(),
        None => passing.to_vec(),
    }
}

/// An edge that is being made.
struct Making<'a> {
    plan: &'a Plan,
    info: LinkInfo,
    name: &'a str,
    passing: &'a [usize],
    rule: usize,
}

impl Making<'_> {
    /// One more rule, with its places.
    fn add(&self, rule: &Rule, edge: &mut Edge<QueuedPacket>) -> Result<(), Fault> {
        let set = rule.codepoints.as_ref().map_or(u64::MAX, |those| codepoints(those));
        let flows = of(rule, self.passing);
        if rule.per_flow {
            let mut places = Vec::with_capacity(flows.len());
            for flow in flows {
                let chance =
                    format!("{}/edge.{}/{}", self.name, self.rule, self.plan.flows[flow].name);
                places.push((FlowId(flow as u32), self.place(rule, &[flow], &chance, edge)?));
            }
            edge.rule_for_flows(set, &places);
            return Ok(());
        }
        let place = self.place(rule, &flows, &format!("{}/edge.{}", self.name, self.rule), edge)?;
        match &rule.flows {
            None => edge.rule_for_all(set, place),
            Some(_) => {
                let places: Vec<(FlowId, u32)> =
                    flows.iter().map(|f| (FlowId(*f as u32), place)).collect();
                edge.rule_for_flows(set, &places);
            }
        }
        Ok(())
    }

    /// One more place, for `flows` together.
    fn place(
        &self,
        rule: &Rule,
        flows: &[usize],
        chance: &str,
        edge: &mut Edge<QueuedPacket>,
    ) -> Result<u32, Fault> {
        let window = (Time::ZERO + self.plan.warmup, Time::ZERO + self.plan.duration);
        let stage = stage(rule, &contract(self.plan, flows, self.info))?;
        Ok(edge.add_state(stage, rule.colours, Stream::named(self.plan.seed, chance), window))
    }
}

/// The contract of `flows` together: the sum of their reservations, and the longest of their
/// round-trip times.
fn contract(plan: &Plan, flows: &[usize], link: LinkInfo) -> Contract {
    let rtt = flows.iter().filter_map(|f| plan.flows[*f].info.rtt).max();
    Contract { link, reserved: reserved(plan, flows), rtt }
}

/// The rate reserved for `flows` together; `None` without a reservation.
fn reserved(plan: &Plan, flows: &[usize]) -> Option<Rate> {
    let rates = flows.iter().filter_map(|f| plan.flows[*f].info.reserved);
    rates.map(Rate::bps).reduce(|a, b| a.saturating_add(b)).map(Rate::from_bps)
}

/// The stage for one meter state. Without a rate of its own, and without a reservation, there is no
/// profile that a packet could be in.
fn stage(rule: &Rule, contract: &Contract) -> Result<Stage<QueuedPacket>, Fault> {
    let config = &rule.spec.config;
    let has = |key| config.get(key).is_some();
    let has_rate = |key| config.get(key).is_some_and(|rate| !rate.is_null());
    let asks = has("rate") || has("cir");
    let contracted = contract.reserved.is_some() || has_rate("rate") || has_rate("cir");
    let kind = rule.spec.kind.as_str();
    if meter::CATALOGUE.iter().any(|e| e.about.name == kind) {
        let meter = AnyMeter::build(kind, config, contract)?;
        let outside = asks && !contracted;
        return Ok(if outside { Stage::BestEffort(meter.worst()) } else { Stage::Meter(meter) });
    }
    if asks && !contracted {
        return Ok(Stage::BestEffort(Color::Yellow));
    }
    AnyConditioner::build(kind, config, contract).map(Stage::Conditioner)
}
