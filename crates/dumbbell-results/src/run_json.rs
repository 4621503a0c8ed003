//! A run's report as the results name it.
pub mod colors;
mod hosts;
mod sessions;

use dumbbell_net::metrics::{self, ProfileReport, Window};
use dumbbell_plan::Plan;
use dumbbell_scenario::language::problem::code;
use dumbbell_sim::{
    Conservation, FlowReport, Fragmentation, MarkerReport, QueueReport, Report, SharedBufferReport,
};
use serde_json::{Map, Value, json};

pub use sessions::of_plan as completions;

/// A row or a table of a result.
pub type Row = Map<String, Value>;

/// The window of a run.
pub fn window(plan: &Plan, report: &Report) -> Window {
    Window {
        seconds: plan.duration.saturating_sub(plan.warmup).seconds(),
        goodput_bps: report.flows.iter().map(|f| f.goodput_bps).sum(),
    }
}

/// One run: numbers are those of the window after the warm-up. Flows of sessions are in `totals`,
/// and told of together in `sessions`.
pub fn of_run(plan: &Plan, report: &Report, wall_s: f64) -> Value {
    let w = window(plan, report);
    let targets = colors::targets(plan);
    let each = || report.flows.iter().zip(&plan.flows).zip(&targets);
    let own = || each().filter(|((_, planned), _)| planned.session.is_none());
    let series = plan.record.every.is_some() && plan.record.flows;
    let profiles: Vec<Option<ProfileReport>> =
        own().map(|((f, planned), target)| colors::profile(f, planned, *target)).collect();
    let flows: Vec<Row> =
        own().zip(&profiles).map(|(((f, _), _), p)| flow(f, p.as_ref(), series, &w)).collect();
    // Not `json!`, which copies what it is given.
    let values: [(&str, Value); 11] = [
        ("seed", plan.seed.into()),
        ("fingerprint", hex(report.fingerprint).into()),
        ("valid", report.conservation.ok.into()),
        ("wall_s", wall_s.into()),
        ("packet_hops", report.packet_hops.into()),
        ("events", report.events.into()),
        ("flows", flows.into()),
        ("jain", jain(own().map(|((f, _), _)| f)).into()),
        ("totals", totals(&report.flows, &profiles, &w).into()),
        ("queues", report.queues.iter().map(|q| queue(q, &w)).collect()),
        ("conservation", conservation(&report.conservation, &w).into()),
    ];
    let mut run: Value = values.into_iter().collect();
    if !report.markers.is_empty() {
        run["markers"] = report.markers.iter().map(|m| marker(m, &w)).collect();
    }
    let hosts = hosts::of_run(plan, report, w.seconds);
    if !hosts.is_empty() {
        run["hosts"] = hosts.iter().map(|h| metrics::HOST.values(h, &w).collect::<Row>()).collect();
    }
    if !report.shared_buffers.is_empty() {
        run["shared_buffers"] =
            report.shared_buffers.iter().map(|b| shared_buffer(plan, b, &w)).collect();
    }
    if let Some(all) = &report.fragmentation {
        run["fragmentation"] = fragmentation(all, &w).into();
    }
    if !plan.sessions.is_empty() {
        run["sessions"] = sessions::of_run(plan, report, &w).into();
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

/// A flow. `series`: its rows over time are recorded.
fn flow(f: &FlowReport, profile: Option<&ProfileReport>, series: bool, w: &Window) -> Row {
    let mut row: Row = metrics::FLOW.values(f, w).collect();
    if f.held_back_bytes.is_some() {
        row.extend(metrics::WAITING.values(f, w));
    }
    if !f.application.0.is_empty() {
        // A value that is not known yet is null.
        let measured = f.application.0.iter().map(|(name, value)| (name.to_string(), json!(value)));
        row.insert("application".into(), measured.collect());
    }
    if let Some(path) = &f.path {
        row.insert("path".into(), metrics::PATH.values(path, w).collect());
    }
    if let Some(quic) = &f.quic {
        row.insert("quic".into(), metrics::QUIC.values(quic, w).collect());
    }
    if let Some(media) = &f.media {
        row.insert("media".into(), metrics::MEDIA.values(media, w).collect());
    }
    if let Some(acks) = &f.acks {
        row.insert("acks".into(), metrics::ACKS.values(acks, w).collect());
    }
    if let Some(profile) = profile {
        row.extend(metrics::PROFILE.values(profile, w));
    }
    if let Some(delays) = &f.delays {
        row.extend(metrics::DELAYS.values(delays, w));
    }
    if series {
        row.extend(metrics::PEAK.values(f, w));
    }
    row
}

fn queue(q: &QueueReport, w: &Window) -> Row {
    let mut row: Row = metrics::QUEUE.values(q, w).collect();
    if let (Some(arrivals), Some(drops)) = (q.measures.arrivals, q.measures.drops) {
        row.extend(metrics::PROFILE_QUEUE.values(&(arrivals, drops), w));
    }
    if let Some(duplex) = &q.duplex {
        row.extend(metrics::DUPLEX.values(duplex, w));
    }
    row
}

fn marker(m: &MarkerReport, w: &Window) -> Row {
    let mut row: Row = metrics::MARKER.values(m, w).collect();
    if let Some(income) = &m.income {
        let tokens = if income.packets { &metrics::PACKET_TOKENS } else { &metrics::BYTE_TOKENS };
        row.extend(tokens.values(income, w));
    }
    row.extend(metrics::HELD.values(m, w));
    row
}

fn shared_buffer(plan: &Plan, b: &SharedBufferReport, w: &Window) -> Row {
    let name = plan.nodes[b.node].name.clone();
    metrics::SHARED_BUFFER.values(&metrics::SharedBuffer { name, report: *b }, w).collect()
}

fn totals(flows: &[FlowReport], profiles: &[Option<ProfileReport>], w: &Window) -> Row {
    let mut row: Row = metrics::TOTALS.values(flows, w).collect();
    if let Some(errors) = colors::errors(profiles.iter().flatten(), w) {
        row.extend(metrics::TARGETS.values(&errors, w));
    }
    row
}

fn fragmentation(all: &Fragmentation, w: &Window) -> Row {
    let mut row: Row = metrics::FRAGMENTED.values(&all.cuts, w).collect();
    row.extend(metrics::REASSEMBLED.values(&all.reassembled, w));
    row
}

fn conservation(c: &Conservation, w: &Window) -> Row {
    let mut row = Row::from_iter([("ok".to_string(), c.ok.into())]);
    row.extend(metrics::CONSERVATION.values(c, w));
    row.insert("faults".into(), json!(c.faults));
    row
}

/// Jain's fairness index of all flows' goodput: (sum x)^2 / (n sum x^2), from 1/n (one flow has
/// everything) to 1 (all have the same); R. Jain, D. Chiu, W. Hawe, DEC-TR-301, 1984. `None`
/// without goodput.
fn jain<'a>(flows: impl Iterator<Item = &'a FlowReport>) -> Option<f64> {
    let add = |(n, s, q), f: &FlowReport| (n + 1.0, s + f.goodput_bps, q + f.goodput_bps.powi(2));
    let (n, sum, squares) = flows.fold((0.0, 0.0, 0.0), add);
    (squares > 0.0).then(|| sum * sum / (n * squares))
}
