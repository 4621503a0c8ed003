//! What a page must know of a plan before it draws the run: who is in it, and what queues show.
use dumbbell_core::units::Span;
use dumbbell_plan::{Flow, Link, Plan, Transport};
use dumbbell_results::series::gauges;
use dumbbell_scenario::resolve::study::Study;
use serde_json::{Map, Value, json};

/// The first point: `{"name", "title", "seed", "duration_s", "warmup_s", "every_s", "points",
/// "runs", "notes", "warnings", "flows": [{"name", "cc", "packet_bytes"}], "queues": [{"name",
/// "kind", "rate_bps", "gauges"}]}`. Flows of sessions have no series and are left out. The rate of
/// a queue is null if it changes. A gauge is null if the queue has it later.
pub fn plan(study: &Study, plan: &Plan) -> Value {
    let flows = plan.flows.iter().filter(|flow| flow.session.is_none());
    let queues = plan.links.iter().filter(|link| link.report);
    json!({
        "name": study.name,
        "title": study.title,
        "seed": plan.seed,
        "duration_s": plan.duration.seconds(),
        "warmup_s": plan.warmup.seconds(),
        "every_s": plan.record.every.map(Span::seconds),
        "points": study.points.len(),
        "runs": study.points.iter().map(|point| point.seeds.len()).sum::<usize>(),
        "notes": study.notes,
        "warnings": study.warnings(),
        "flows": flows.map(flow).collect::<Vec<_>>(),
        "queues": queues.map(|link| queue(link, study)).collect::<Vec<_>>(),
    })
}

fn flow(flow: &Flow) -> Value {
    let (cc, bytes) = match &flow.transport {
        Transport::Tcp { cc, tcp } => (Some(&cc.kind), tcp.mss.map(|mss| mss.0)),
        Transport::Quic { cc, quic } => (Some(&cc.kind), quic.datagram.map(|bytes| bytes.0)),
        Transport::Scream { scream } => (None, Some(scream.mss.0)),
        Transport::Udp { .. } => (None, None),
    };
    json!({ "name": flow.name, "cc": cc, "packet_bytes": bytes })
}

fn queue(link: &Link, study: &Study) -> Value {
    let shown = gauges::of_link(link, &study.plugins);
    let gauges: Map<String, Value> =
        shown.into_iter().map(|(name, value)| (name.to_string(), json!(value))).collect();
    let steady = link.service.as_ref().is_none_or(|service| service.kind == "constant");
    json!({
        "name": link.name,
        "kind": link.aqm.kind,
        "rate_bps": steady.then(|| link.rate.bps()),
        "gauges": gauges,
    })
}

/// Lets a plan record the series of flows and queues: with its own period if it has one, else with
/// the longest one (1, 2 or 5 times a power of ten, at least 1 ms) that gives so many instants.
pub fn record(plan: &mut Plan, instants: u64) {
    if instants == 0 {
        return;
    }
    let longest = plan.duration.ps() / instants;
    let steps = (0..8).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u64.pow(power)));
    let steps = steps.map(Span::from_ms);
    let fitting = steps.take_while(|step| step.ps() <= longest).last();
    plan.record.every.get_or_insert(fitting.unwrap_or(Span::from_ms(1)));
    (plan.record.flows, plan.record.queues, plan.record.drops) = (true, true, true);
}
