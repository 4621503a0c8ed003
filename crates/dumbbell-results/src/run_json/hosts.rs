//! The part of the results about hosts with a processor: one row for each direction.
use dumbbell_net::metrics::HostReport;
use dumbbell_plan::{NodeId, Plan};
use dumbbell_sim::Report;

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
pub fn of_run(plan: &Plan, report: &Report, window_s: f64) -> Vec<HostReport> {
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
        Some(HostReport {
            name: link.name.clone(),
            host: plan.nodes[link.from].name.clone(),
            direction: side.name(),
            processor: *p,
            delivered_bits: traffic[link.from].delivered_bits,
        })
    });
    rows.collect()
}
