//! A run's report as the results name it.
pub mod colors;
pub mod delays;
mod fragments;
mod hosts;
mod markers;
mod sessions;

use crate::language::problem::code;
use crate::language::result_names::PEAK_NUMBERS;
use crate::results::run_output::RunOutput;
use dumbbell_core::aqm::Reason;
use dumbbell_core::units::Span;
use dumbbell_plan::Plan;
use dumbbell_sim::{AckSummary, Conservation, FlowReport, QueueReport, Report};
use serde_json::{Map, Value, json};

pub(crate) use sessions::of_plan as completions;

/// The numbers of one end of an Ethernet whose other end may send at the same time.
pub const DUPLEX_NUMBERS: [&str; 4] =
    ["collisions", "late_collisions", "excessive_collisions", "broken_frames"];

/// A run; between real hosts with its validity.
pub fn of_output(plan: &Plan, output: &RunOutput) -> Value {
    let mut run = of_run(plan, &output.report, output.wall_s);
    if let Some((visit, ended)) = &output.visit {
        run["program"] = json!(visit.program);
        run["server"] = json!(visit.server);
        run["duration_s"] = json!(ended.seconds());
    }
    let Some(validity) = &output.validity else { return run };
    run["on"] = "kernel".into();
    if let Some(all) = &output.report.fragmentation {
        run["fragmentation"] = fragments::at_links(all);
    }
    run["validity"] = json!(validity);
    if !validity.valid {
        run["valid"] = false.into();
        let message = format!("this run is not valid: {}", validity.reasons.join("; "));
        run["error"] = json!({ "code": code::INVALID, "message": message });
    }
    run
}

/// One run: numbers are those of the window after the warm-up. Flows of sessions are in `totals`,
/// and told of together in `sessions`.
pub fn of_run(plan: &Plan, report: &Report, wall_s: f64) -> Value {
    let total: f64 = report.flows.iter().map(|f| f.goodput_bps).sum();
    let window_s = plan.duration.saturating_sub(plan.warmup).seconds();
    let both =
        || report.flows.iter().zip(&plan.flows).filter(|(_, planned)| planned.session.is_none());
    let own = || both().map(|(f, _)| f);
    let mut flows: Vec<Value> = own().map(|f| flow(f, total)).collect();
    let targets = colors::targets(plan)
        .into_iter()
        .zip(&plan.flows)
        .filter(|(_, planned)| planned.session.is_none());
    for ((out, (f, planned)), (target, _)) in flows.iter_mut().zip(both()).zip(targets) {
        colors::add_to_flow(out, f, planned, window_s, target);
        delays::add_to_flow(out, f);
        if plan.record.every.is_some() && plan.record.flows {
            add_peak(out, f);
        }
    }
    let errors = colors::errors(&flows);
    let queues: Vec<Value> = report.queues.iter().map(queue).collect();
    let mut run = json!({
        "seed": plan.seed,
        "fingerprint": hex(report.fingerprint),
        "valid": report.conservation.ok,
        "wall_s": wall_s,
        "packet_hops": report.packet_hops,
        "events": report.events,
        "flows": flows,
        "jain": jain(own()),
        "totals": totals(&report.flows),
        "queues": queues,
        "conservation": conservation(&report.conservation),
    });
    run["totals"].as_object_mut().into_iter().for_each(|totals| totals.extend(errors.clone()));
    if !report.markers.is_empty() {
        run["markers"] = report.markers.iter().map(|m| markers::row(m, window_s)).collect();
    }
    let hosts = hosts::of_run(plan, report, window_s);
    if !hosts.is_empty() {
        run["hosts"] = hosts.into();
    }
    if let Some(all) = &report.fragmentation {
        run["fragmentation"] = fragments::of_run(all);
    }
    if !plan.sessions.is_empty() {
        run["sessions"] = sessions::of_run(plan, report).into();
    }
    if !report.conservation.ok {
        let message =
            format!("its packets do not add up: {}", report.conservation.faults.join("; "));
        run["error"] = json!({ "code": code::INVALID, "message": message });
    }
    run
}

/// A fingerprint as it is written everywhere.
pub fn hex(fingerprint: u64) -> String {
    format!("{fingerprint:016x}")
}

fn flow(f: &FlowReport, total_goodput: f64) -> Value {
    let mut flow = json!({
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
        "completion_s": f.completion.map(Span::seconds),
    });
    if !f.application.0.is_empty() {
        // A value that is not known yet is null.
        flow["application"] =
            f.application.0.iter().map(|(name, value)| (name.to_string(), json!(value))).collect();
    }
    if let Some((mtu, stats)) = &f.path {
        flow["path"] = fragments::path(*mtu, stats);
    }
    if let Some(a) = &f.acks {
        flow["acks"] = acks(a);
    }
    flow
}

/// The largest throughput of a period of its series, and how many times the mean that is.
fn add_peak(out: &mut Value, f: &FlowReport) {
    let mean = Some(f.throughput_bps).filter(|mean| *mean > 0.0);
    let burstiness = f.peak_throughput_bps.zip(mean).map(|(peak, mean)| peak / mean);
    PEAK_NUMBERS
        .iter()
        .zip([f.peak_throughput_bps, burstiness])
        .for_each(|(key, value)| out[key] = json!(value));
}

/// Of a flow whose acknowledgements were followed.
fn acks(a: &AckSummary) -> Value {
    let (receiver, sender) = (&a.receiver, &a.sender);
    json!({
        "sent": a.sent,
        "arrived": a.arrived,
        "lost": a.lost,
        "duplicates": a.duplicates,
        "mean_newly_acked_bytes": a.mean_newly_acked_bytes,
        "max_newly_acked_bytes": a.max_newly_acked_bytes,
        "mean_spacing_receiver_s": receiver.mean_s,
        "p50_spacing_receiver_s": receiver.p50_s,
        "p99_spacing_receiver_s": receiver.p99_s,
        "mean_spacing_sender_s": sender.mean_s,
        "p50_spacing_sender_s": sender.p50_s,
        "p99_spacing_sender_s": sender.p99_s,
        "compressed_share": a.compressed_share,
        "stretched_share": a.stretched_share,
    })
}

fn queue(q: &QueueReport) -> Value {
    let drops: Map<String, Value> = Reason::ALL
        .iter()
        .map(|r| (r.name().to_string(), q.counters.drops[r.index()].into()))
        .collect();
    let m = &q.measures;
    let ([p50, p95, p99], [s50, s95, s99]) = (m.packets, m.sojourn_s);
    let (mean_bytes, max_bytes) = m.bytes;
    let mut queue = json!({
        "name": q.name,
        "kind": q.kind,
        "mean_packets": q.mean_packets,
        "max_packets": q.max_packets,
        "p50_packets": p50,
        "p95_packets": p95,
        "p99_packets": p99,
        "mean_bytes": mean_bytes,
        "max_bytes": max_bytes,
        "empty_share": m.empty_share,
        "mean_sojourn_s": q.mean_sojourn_s,
        "p50_sojourn_s": s50,
        "p95_sojourn_s": s95,
        "p99_sojourn_s": s99,
        "time_above_share": m.time_above_share,
        "watch_above_packets": m.watch_above_packets,
        "watch_above_bytes": m.watch_above_bytes,
        "standing_packets": m.standing_packets,
        "standing_sojourn_s": m.standing_sojourn_s,
        "standing_interval_s": m.standing_interval_s,
        "synchronization": m.synchronization,
        "loss_epoch_share": m.loss_epoch_share,
        "loss_bin_s": m.loss_bin_s,
        "lock_out": m.lock_out,
        "arrivals": q.counters.arrivals,
        "departures": q.counters.departures,
        "arrived_bytes": q.counters.arrived_bytes,
        "departed_bytes": q.counters.departed_bytes,
        "drops": drops,
        "marks": q.counters.marks,
        "utilization": q.utilization,
    });
    colors::add_to_queue(&mut queue, q);
    if let Some(d) = q.duplex {
        let values = [d.collisions, d.late_collisions, d.excessive_collisions, d.broken_frames];
        DUPLEX_NUMBERS.iter().zip(values).for_each(|(key, value)| queue[*key] = value.into());
    }
    queue
}

/// Jain's fairness index of all flows' goodput: (sum x)^2 / (n sum x^2), from 1/n (one flow has
/// everything) to 1 (all have the same); R. Jain, D. Chiu, W. Hawe, DEC-TR-301, 1984. `None`
/// without goodput.
fn jain<'a>(flows: impl Iterator<Item = &'a FlowReport>) -> Option<f64> {
    let add = |(n, s, q), f: &FlowReport| (n + 1.0, s + f.goodput_bps, q + f.goodput_bps.powi(2));
    let (n, sum, squares) = flows.fold((0.0, 0.0, 0.0), add);
    (squares > 0.0).then(|| sum * sum / (n * squares))
}

/// Sums over all flows.
fn totals(flows: &[FlowReport]) -> Value {
    let count = |of: fn(&FlowReport) -> u64| flows.iter().map(of).sum::<u64>();
    let windows: Vec<f64> = flows.iter().filter_map(|f| f.cwnd_mean_packets).collect();
    json!({
        "goodput_bps": flows.iter().map(|f| f.goodput_bps).sum::<f64>(),
        "throughput_bps": flows.iter().map(|f| f.throughput_bps).sum::<f64>(),
        "sent_packets": count(|f| f.sent_packets),
        "delivered_packets": count(|f| f.delivered_packets),
        "lost_packets": count(|f| f.lost_packets),
        "retransmits": count(|f| f.retransmits),
        "rtos": count(|f| f.rtos),
        "marks": count(|f| f.marks),
        "cwnd_mean_packets": (!windows.is_empty())
            .then(|| windows.iter().sum::<f64>() / windows.len() as f64),
    })
}

fn conservation(c: &Conservation) -> Value {
    json!({
        "ok": c.ok,
        "sent": c.sent,
        "delivered": c.delivered,
        "dropped": c.dropped,
        "duplicated": c.duplicated,
        "discarded": c.discarded,
        "in_network": c.in_network,
        "faults": c.faults,
    })
}
