//! Limits that are checked before anything is allocated, with an estimate of the resources.
//!
//! Generous: a million flows, a million runs, 10^13 packet-hops and 10^9 recorded rows a run.
use crate::language::scenario::Scenario;
use crate::resolve::context::Context;
use dumbbell_core::units::{Bytes, Rate, Span};
use dumbbell_plan::{Flow, Plan, Transport};
use std::str::FromStr;

/// The most flows of one run.
pub const MOST_FLOWS: u64 = 1_000_000;
/// The most runs of one request, points times replications.
pub const MOST_RUNS: usize = 1_000_000;
/// The most packet-hops of one run.
pub const MOST_PACKET_HOPS: f64 = 1e13;
/// The most rows of one run's series.
pub const MOST_ROWS: f64 = 1e9;
/// Bytes of a plan, its simulation and its results for each flow, measured: two hosts, four links,
/// a connection.
const BYTES_PER_FLOW: f64 = 6_000.0;
/// Seconds that a packet-hop takes, roughly.
const SECONDS_PER_HOP: f64 = 50e-9;

/// Refuses more flows than a run can have.
pub fn flows(scenario: &Scenario, cx: &Context<'_>) {
    let total = scenario.flow.iter().fold(0u64, |n, f| n.saturating_add(f.count.unwrap_or(1)));
    if total > MOST_FLOWS {
        let largest = (0..scenario.flow.len())
            .max_by_key(|i| scenario.flow[*i].count.unwrap_or(1))
            .unwrap_or(0);
        let need = amount(total as f64 * BYTES_PER_FLOW);
        let cause = format!(
            "{total} flows would need about {need} of memory; a run has at most {MOST_FLOWS}"
        );
        cx.item("flow", largest).below("count").refuse(cause, "lower the count");
    } else if total == 0 && !scenario.flow.is_empty() && scenario.session.is_empty() {
        cx.at("flow").refuse("every flow's count is 0", "let one be at least 1");
    }
    if let Some(hops) = scenario.parking_lot.as_ref().map(|p| p.hops)
        && !(1..=1000).contains(&hops)
    {
        let cause = format!("a parking lot has from 1 to 1000 hops, not {hops}");
        cx.at("parking_lot").below("hops").refuse(cause, "write hops = 3");
    }
    if !(1..=100_000).contains(&scenario.replications) {
        let cause =
            format!("a scenario has from 1 to 100000 replications, not {}", scenario.replications);
        cx.at("replications").refuse(cause, "write replications = 5");
    }
}

/// Refuses more work or more rows than a run can have.
pub fn work(plan: &Plan, cx: &Context<'_>) {
    let hops = packet_hops(plan);
    if hops > MOST_PACKET_HOPS {
        let time = duration(hops * SECONDS_PER_HOP);
        let cause =
            format!("this run would take about {hops:.1e} packet-hops, about {time} on one core");
        let fix = "make it shorter or slower; the limit is 1e13 packet-hops";
        cx.at("duration").refuse(cause, fix);
    }
    let Some(every) = plan.record.every else { return };
    let queues = plan.links.iter().filter(|l| l.report).count();
    let flows = plan.flows.iter().filter(|f| f.session.is_none()).count();
    let series =
        if plan.record.flows { flows } else { 0 } + if plan.record.queues { queues } else { 0 };
    let rows = plan.duration.ps() as f64 / every.ps().max(1) as f64 * series as f64;
    if rows > MOST_ROWS {
        let cause = format!("this would record {rows:.1e} rows, about {}", amount(rows * 20.0));
        let fix = "record less often; the limit is 1e9 rows";
        cx.at("record").below("every").refuse(cause, fix);
    }
}

/// An upper estimate: each flow gets its share of the slowest link of its path, or what its source
/// sends.
pub fn packet_hops(plan: &Plan) -> f64 {
    let mut users = vec![0u32; plan.links.len()];
    plan.flows.iter().for_each(|f| f.forward.iter().for_each(|l| users[*l] += 1));
    let of_flow = |f: &Flow| {
        let media = matches!(f.transport, Transport::Scream { .. });
        let share = |l: &usize| plan.links[*l].rate.bps() as f64 / f64::from(users[*l].max(1));
        let own = written::<Rate>(f, if media { "most" } else { "rate" })
            .map_or(f64::INFINITY, |r| r.bps() as f64);
        let rate = f.forward.iter().map(share).fold(own, f64::min);
        let header = match &f.transport {
            Transport::Tcp { tcp, .. } => tcp.header.0,
            Transport::Quic { quic, .. } => quic.header.0,
            Transport::Scream { scream } => scream.header.0,
            Transport::Udp { header, .. } => u64::from(*header),
        };
        let payload = match &f.transport {
            Transport::Tcp { tcp, .. } => tcp.mss,
            Transport::Quic { quic, .. } => quic.datagram,
            Transport::Scream { scream } => Some(scream.mss),
            Transport::Udp { .. } => written::<Bytes>(f, "packet"),
        };
        let packet = (payload.map_or(500, |p| p.0) + header) as f64;
        let end = f.stop.map_or(plan.duration, |s| s.min(plan.duration));
        let most = written::<Bytes>(f, "size").map_or(f64::INFINITY, |s| 2.0 * s.0 as f64);
        let bytes = (rate / 8.0 * end.saturating_sub(f.start).seconds()).min(most);
        bytes / packet * (f.forward.len() + f.back.len()) as f64
    };
    plan.flows.iter().map(of_flow).sum()
}

/// A quantity of a flow's source, if it has one of this name.
fn written<T: FromStr>(f: &Flow, key: &str) -> Option<T> {
    f.source.config.get(key)?.as_str()?.parse().ok()
}

/// Bytes in words.
pub fn amount(bytes: f64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB"];
    let step = (0..units.len() - 1)
        .find(|i| bytes < 1000f64.powi(*i as i32 + 1))
        .unwrap_or(units.len() - 1);
    format!("{:.0} {}", bytes / 1000f64.powi(step as i32), units[step])
}

/// Seconds in words.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 3600.0 => format!("{}", Span::from_secs(s as u64)),
        s if s < 86_400.0 => format!("{:.0} hours", s / 3600.0),
        s if s < 86_400.0 * 700.0 => format!("{:.0} days", s / 86_400.0),
        s => format!("{:.0} years", s / 86_400.0 / 365.25),
    }
}
