//! The packet rate that a plan may ask of the router, and a check against the machine's ceiling.
use super::{Calibration, SHARE};
use dumbbell_algos::source::AnySource;
use dumbbell_core::source::Source;
use dumbbell_plan::{Flow, LinkId, Plan, Transport};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;

/// The most that a plan can ask of the router.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Demand {
    /// Packets a second, all flows and both directions.
    pub packets_per_s: f64,
    /// Bits of these packets a second, IP headers included.
    pub bps: f64,
    /// The links that bound it, with the packets of the data that pass each.
    pub links: Vec<(String, f64)>,
}

/// A plan that this machine cannot carry out.
#[derive(Clone, Debug, PartialEq, Error)]
#[error(
    "the testbed cannot keep up with this scenario on this machine: {} may carry {:.0} packets/s \
        with what comes back, and of the {} packets/s that the router forwards here ({:.2} Gbps at \
        {:.0} bytes) a run may use {:.0} %; lower the rate to {:.0} % of what it is, use larger \
        packets, or free the machine; if its flows need less than that, begin it with `-s \
        testbed.calibrate=false`: the run then says itself whether it kept up",
    .link, .demand.packets_per_s, .ceiling.ceiling_packets_per_s, .ceiling.ceiling_bps as f64 / 1e9,
    .ceiling.ceiling_bps as f64 / 8.0 / .ceiling.ceiling_packets_per_s.max(1) as f64, SHARE * 100.0,
    (.ceiling.ceiling_packets_per_s as f64 * SHARE / .demand.packets_per_s * 100.0).floor()
)]
pub struct Overload {
    /// The demand of the plan.
    pub demand: Demand,
    /// The measured ceiling.
    pub ceiling: Calibration,
    /// The link with most packets.
    pub link: String,
}

/// The most that `plan` can ask of the router.
///
/// Each flow is bounded by its slowest link, and all flows with the same slowest link together by
/// it; its packets are as large as the smallest among them that sends as much as it can. TCP is
/// answered packet by packet, as at its start, with 52 bytes (two headers and timestamps).
pub fn demand(plan: &Plan) -> Demand {
    let mut narrow: BTreeMap<LinkId, (u32, bool)> = BTreeMap::new();
    for flow in plan.flows.iter().filter(|flow| !flow.forward.is_empty()) {
        let Some(link) = flow.forward.iter().copied().min_by_key(|link| plan.links[*link].rate)
        else {
            continue;
        };
        let length = largest(plan, flow);
        let tcp = flow.transport.is_connection();
        let (least, answered) = narrow.entry(link).or_insert((length, false));
        (*least, *answered) = ((*least).min(length), *answered || tcp);
    }
    let mut all = Demand::default();
    for (link, (length, answered)) in narrow {
        let link = &plan.links[link];
        let wire = f64::from(link.framing().wire_len(length));
        let data = link.rate.bps() as f64 / 8.0 / wire;
        let answers = if answered { data } else { 0.0 };
        all.packets_per_s += data + answers;
        all.bps += 8.0 * (data * f64::from(length) + answers * 52.0);
        all.links.push((link.name.clone(), data));
    }
    all
}

/// The length of a flow's full packets, bytes of IP.
fn largest(plan: &Plan, flow: &Flow) -> u32 {
    let mtu = flow.forward.iter().map(|link| plan.links[*link].mtu).min().unwrap_or(1500);
    match &flow.transport {
        Transport::Tcp { tcp, .. } => {
            tcp.mss.map_or(mtu, |mss| (mss.0 + tcp.header.0).min(u64::from(mtu)) as u32)
        }
        Transport::Quic { quic, .. } => {
            (quic.datagram_bytes() + quic.header.0).min(u64::from(mtu)) as u32
        }
        Transport::Scream { scream } => (scream.mss.0 + scream.header.0) as u32,
        Transport::Udp { header, .. } => {
            let source = AnySource::build(&flow.source.kind, &flow.source.config, &()).ok();
            let payload = source.and_then(|source| source.largest()).unwrap_or(u64::from(mtu));
            (payload.min(u64::from(mtu)) as u32 + header).min(mtu)
        }
    }
}

/// Checks that a machine with this ceiling can carry out `plan`.
///
/// # Errors
/// It cannot: by how much, and what to do.
pub fn check(plan: &Plan, ceiling: &Calibration) -> Result<Demand, Overload> {
    let demand = demand(plan);
    if demand.packets_per_s <= ceiling.ceiling_packets_per_s as f64 * SHARE {
        return Ok(demand);
    }
    let most = demand.links.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let link = most.map_or_else(String::new, |(name, _)| format!("link `{name}`"));
    Err(Overload { demand, ceiling: *ceiling, link })
}
