//! Links that cannot carry the acknowledgments of what goes the other way.
//!
//! RFC 3449, section 2: the normalized bandwidth ratio k is the ratio of the rates divided by that
//! of the lengths of data and acknowledgments; with fewer than k segments to an acknowledgment
//! the reverse path fills up before the forward path.
use crate::language::problem::Check;
use crate::language::warnings::ACK_PATH;
use crate::resolve::lints::Site;
use dumbbell_core::units::{Capacity, Rate};
use dumbbell_plan::{Flow, Link, LinkId, Plan, Transport};
use dumbbell_tcp::DelayedAck;

/// The slowest link of a way for packets of `bytes`, and how many of them it carries a second.
fn slowest(plan: &Plan, way: &[LinkId], bytes: u64) -> Option<(LinkId, f64)> {
    let per_s = |l: LinkId| {
        let link = &plan.links[l];
        link.rate.bps() as f64 / (8 * u64::from(link.framing().wire_len(bytes as u32))) as f64
    };
    // The work of a host's processor depends on more than length.
    let network = way.iter().filter(|l| plan.links[**l].host.is_none());
    network.map(|l| (*l, per_s(*l))).min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Returns the number of acknowledgments a second that a bulk flow makes at the full rate of its
/// path, and the link of the reverse path that carries fewer of them, with the number that it
/// carries.
fn lacking(plan: &Plan, flow: &Flow) -> Option<(f64, LinkId, f64, u64)> {
    let Transport::Tcp { tcp, .. } = &flow.transport else { return None };
    if flow.source.kind != "bulk" {
        return None; // It may ask for less than the forward path carries.
    }
    let header = tcp.header.0 + tcp.option_bytes();
    let segments = if tcp.delayed_ack == DelayedAck::Second { 2.0 } else { 1.0 };
    let (_, data) = slowest(plan, &flow.forward, tcp.segment_bytes() + header)?;
    let (link, acks) = slowest(plan, &flow.back, header)?;
    let needed = data / segments;
    (acks < needed).then_some((needed, link, acks, header))
}

/// Warns of each link that is too slow for acknowledgments, for the first flow that finds it so.
pub(crate) fn warn(site: &Site<'_>, check: &mut Check) {
    let plan = site.plan;
    let mut told: Vec<LinkId> = Vec::new();
    for flow in &plan.flows {
        let Some((needed, link, acks, bytes)) = lacking(plan, flow) else { continue };
        if told.contains(&link) {
            continue;
        }
        told.push(link);
        let Link { name, capacity, rate, .. } = &plan.links[link];
        let then =
            if *capacity == Capacity::Unlimited { "in an unlimited queue" } else { "and are lost" };
        let enough = Rate::from_bps((rate.bps() as f64 * needed / acks).ceil() as u64);
        site.warn(
            &ACK_PATH,
            (site.link_key(link, "rate"), None),
            format!(
                "`{name}` carries {acks:.0} acknowledgments of {bytes} B a second, and data of \
                    `{}` at the full rate of its path makes {needed:.0}: they wait, {then}",
                flow.name
            ),
            format!("raise the rate of `{name}` to {} or more", rounded(enough)),
            check,
        );
    }
}

/// A rate rounded up to two digits.
fn rounded(rate: Rate) -> Rate {
    let mut step = 1;
    while rate.bps() / step >= 100 {
        step *= 10;
    }
    Rate::from_bps(rate.bps().div_ceil(step) * step)
}
