//! The part of the results about hosts with a processor: one row for each direction.
use dumbbell_plan::{Link, NodeId, Plan, Side};
use dumbbell_sim::{ProcessorReport, Report};
use serde_json::{Value, json};

/// Sums over the flows of one host, in a window.
#[derive(Clone, Copy, Default)]
struct Traffic {
    /// Payload that came to its applications, and that its applications sent and others got: bits.
    delivered_bits: f64,
    /// Flows.
    flows: u32,
    /// Of these, those that belong to no session.
    own: u32,
}

/// The document's `hosts`. A host that a short form made for one transfer of a session is in
/// nobody's table.
pub fn of_run(plan: &Plan, report: &Report, window_s: f64) -> Vec<Value> {
    if plan.links.iter().all(|link| link.host.is_none()) {
        return Vec::new();
    }
    let mut traffic = vec![Traffic::default(); plan.nodes.len()];
    for (flow, seen) in plan.flows.iter().zip(&report.flows) {
        for host in [flow.from, flow.to] {
            let t = &mut traffic[host];
            t.delivered_bits += seen.goodput_bps * window_s;
            t.flows += 1;
            t.own += u32::from(flow.session.is_none());
        }
    }
    let shown = |host: NodeId| traffic[host].own > 0 || traffic[host].flows > 1;
    let rows = report.processors.iter().filter_map(|p| {
        let link = &plan.links[p.link];
        let side = link.host.filter(|_| shown(link.from))?;
        Some(row(plan, link, side, p, traffic[link.from].delivered_bits))
    });
    rows.collect()
}

fn row(plan: &Plan, link: &Link, side: Side, p: &ProcessorReport, delivered_bits: f64) -> Value {
    let s = &p.cpu_cost;
    let of = |count: f64| (count > 0.0).then(|| s.cycles / count);
    json!({
        "name": link.name,
        "host": plan.nodes[link.from].name,
        "direction": side.name(),
        "packets": s.packets,
        "merged_packets": s.merged,
        "bytes": s.bytes,
        "pages": s.pages,
        "interrupts": s.interrupts,
        "cycles": s.cycles,
        "utilization": p.utilization,
        "cycles_per_packet": of(s.packets as f64),
        "cycles_per_byte": of(s.bytes as f64),
        "cycles_per_bit": of(delivered_bits),
        "dropped_packets": p.dropped,
    })
}
