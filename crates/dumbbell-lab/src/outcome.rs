//! A run's report as the results name it.
use crate::problem::code;
use dumbbell_core::aqm::Reason;
use dumbbell_plan::Plan;
use dumbbell_sim::{Conservation, FlowReport, QueueReport, Report};
use serde_json::{Map, Value, json};

/// The numbers of a flow.
pub const FLOW_NUMBERS: [&str; 11] = [
    "goodput_bps",
    "throughput_bps",
    "share",
    "sent_packets",
    "delivered_packets",
    "lost_packets",
    "retransmits",
    "rtos",
    "marks",
    "srtt_mean_s",
    "cwnd_mean_packets",
];
/// The numbers of a queue, its drops by reason apart.
pub const QUEUE_NUMBERS: [&str; 10] = [
    "mean_packets",
    "max_packets",
    "mean_sojourn_s",
    "p99_sojourn_s",
    "arrivals",
    "departures",
    "arrived_bytes",
    "departed_bytes",
    "marks",
    "utilization",
];

/// One run: numbers are those of the window after the warm-up.
pub fn of_run(plan: &Plan, report: &Report, wall_s: f64) -> Value {
    let total: f64 = report.flows.iter().map(|f| f.goodput_bps).sum();
    let flows: Vec<Value> = report.flows.iter().map(|f| flow(f, total)).collect();
    let queues: Vec<Value> = report.queues.iter().map(queue).collect();
    let mut run = json!({
        "seed": plan.seed,
        "fingerprint": hex(report.fingerprint),
        "valid": report.conservation.ok,
        "wall_s": wall_s,
        "packet_hops": report.packet_hops,
        "events": report.events,
        "flows": flows,
        "queues": queues,
        "conservation": conservation(&report.conservation),
    });
    if !report.conservation.ok {
        let message = format!("its packets do not add up: {}", report.conservation.faults.join("; "));
        run["error"] = json!({ "code": code::INVALID, "message": message });
    }
    run
}

/// A fingerprint as it is written everywhere.
pub fn hex(fingerprint: u64) -> String {
    format!("{fingerprint:016x}")
}

fn flow(f: &FlowReport, total_goodput: f64) -> Value {
    json!({
        "name": f.name,
        "cc": f.cc,
        "goodput_bps": f.goodput_bps,
        "throughput_bps": f.throughput_bps,
        "share": if total_goodput > 0.0 { f.goodput_bps / total_goodput } else { 0.0 },
        "sent_packets": f.sent_packets,
        "delivered_packets": f.delivered_packets,
        "lost_packets": f.lost_packets,
        "retransmits": f.retransmits,
        "rtos": f.rtos,
        "marks": f.marks,
        "srtt_mean_s": f.srtt_mean_s,
        "cwnd_mean_packets": f.cwnd_mean_packets,
    })
}

fn queue(q: &QueueReport) -> Value {
    let drops: Map<String, Value> =
        Reason::ALL.iter().map(|r| (r.name().to_string(), q.ledger.drops[r.index()].into())).collect();
    json!({
        "name": q.name,
        "kind": q.kind,
        "mean_packets": q.mean_packets,
        "max_packets": q.max_packets,
        "mean_sojourn_s": q.mean_sojourn_s,
        "p99_sojourn_s": q.p99_sojourn_s,
        "arrivals": q.ledger.arrivals,
        "departures": q.ledger.departures,
        "arrived_bytes": q.ledger.arrived_bytes,
        "departed_bytes": q.ledger.departed_bytes,
        "drops": drops,
        "marks": q.ledger.marks,
        "utilization": q.utilization,
    })
}

fn conservation(c: &Conservation) -> Value {
    json!({
        "ok": c.ok,
        "sent": c.sent,
        "delivered": c.delivered,
        "dropped": c.dropped,
        "in_network": c.in_network,
        "faults": c.faults,
    })
}
