//! Profiles that cannot be met: reservations above what a link carries, buckets below one packet.
use crate::language::node::below;
use crate::language::problem::Check;
use crate::language::warnings::{OVER_RESERVED, SHALLOW_BUCKET};
use crate::resolve::lints::Site;
use dumbbell_core::units::{Capacity, Limit, Rate, Span};
use dumbbell_plan::{Flow, Link, LinkId, Rule, Transport};

/// Depths of buckets among the parameters of meters and conditioners.
const DEPTHS: [&str; 3] = ["burst", "cbs", "pbs"];

/// Warns of each link of which more is reserved than it carries, and of each edge whose buckets
/// hold less than a packet.
pub(crate) fn warn(site: &Site<'_>, check: &mut Check) {
    promised(site, check);
    let plan = site.plan;
    let edges = (0..plan.links.len()).filter(|l| !plan.links[*l].rules().is_empty());
    for link in edges {
        let rules = plan.links[link].rules();
        rules.iter().for_each(|rule| shallow(site, link, rule, check));
    }
}

/// Reservations beyond a link's rate: not all of them can be met.
fn promised(site: &Site<'_>, check: &mut Check) {
    let plan = site.plan;
    let mut sums = vec![0u64; plan.links.len()];
    for flow in &plan.flows {
        let Some(reserved) = flow.info.reserved else { continue };
        flow.forward.iter().for_each(|l| sums[*l] = sums[*l].saturating_add(reserved.bps()));
    }
    let too_much =
        |(_, (link, sum)): &(usize, (&Link, u64))| link.host.is_none() && *sum > link.rate.bps();
    for (i, (link, sum)) in plan.links.iter().zip(sums).enumerate().filter(too_much) {
        let reserves = |f: &Flow| f.info.reserved.is_some() && f.forward.contains(&i);
        let first = plan.flows.iter().position(reserves).unwrap_or(0);
        site.warn(
            &OVER_RESERVED,
            (site.flow_key(first, "reserved"), None),
            format!(
                "`{}` carries {}, and {} of it are reserved ({:.0} %); the target of each flow is \
                    its share of the link",
                link.name,
                link.rate,
                Rate::from_bps(sum),
                100.0 * sum as f64 / link.rate.bps() as f64,
            ),
            "lower `reserved`, or raise the rate of the link".into(),
            check,
        );
    }
}

/// The first flow of a rule whose bucket does not hold one of its packets.
fn shallow(site: &Site<'_>, link: LinkId, rule: &Rule, check: &mut Check) {
    let plan = site.plan;
    let takes = |i: &usize| rule.flows.as_ref().is_none_or(|flows| flows.contains(i));
    let passes = |i: &usize| plan.flows[*i].forward.contains(&link);
    let flows: Vec<&Flow> =
        (0..plan.flows.len()).filter(|i| takes(i) && passes(i)).map(|i| &plan.flows[i]).collect();
    if rule.per_flow {
        flows.into_iter().any(|flow| tells(site, link, rule, &[flow], check));
    } else {
        tells(site, link, rule, &flows, check);
    }
}

/// Warns of a bucket that flows share and that does not hold the largest of their packets; true if
/// there was one.
fn tells(site: &Site<'_>, link: LinkId, rule: &Rule, flows: &[&Flow], check: &mut Check) -> bool {
    let plan = site.plan;
    let (Some(largest), Some(rate)) =
        (flows.iter().filter_map(|f| packet_bytes(f)).max(), rate(rule, flows))
    else {
        return false;
    };
    let rtt = flows.iter().map(|f| plan.base_rtt(f)).max().unwrap_or_default();
    let found = DEPTHS.iter().find_map(|key| Some((*key, depth(rule, key, rate, rtt, largest)?)));
    let Some((key, (depth, written))) = found else { return false };
    let so = if written { "" } else { ", so it is made one packet deep" };
    let whose = match flows {
        [flow] => format!("of `{}` ", flow.name),
        _ => String::new(),
    };
    let table = site.link_key(link, "conditioner");
    site.warn(
        &SHALLOW_BUCKET,
        (below(&table, key), None),
        format!(
            "the bucket {whose}before `{}` ({}.{key}) is {depth} B deep, and a packet has \
                {largest} B: what does not fit into a full bucket is never in profile{so}",
            site.name(link),
            rule.spec.kind
        ),
        format!("write {key} = \"{largest} B\" or more"),
        check,
    );
    true
}

/// The depth of a bucket, if it is above nothing and below `largest` bytes, and whether it is
/// written in bytes.
fn depth(rule: &Rule, key: &str, rate: Rate, rtt: Span, largest: u64) -> Option<(u64, bool)> {
    let limit: Limit = serde_json::from_value(rule.spec.config.get(key)?.clone()).ok()?;
    match limit.resolve(rate, rtt) {
        Capacity::Bytes(n) => {
            (n > 0 && n < largest).then_some((n, matches!(limit, Limit::Bytes(_))))
        }
        Capacity::Buffers { count, size } => {
            let bytes = u64::from(count) * u64::from(size);
            (bytes > 0 && bytes < largest).then_some((bytes, true))
        }
        Capacity::Packets(_) | Capacity::Reached(_) | Capacity::Unlimited => None,
    }
}

/// The rate at which a rule's tokens come: its own, or what its flows reserved; `None` if there is
/// neither.
fn rate(rule: &Rule, flows: &[&Flow]) -> Option<Rate> {
    let own = ["rate", "cir"].iter().filter_map(|key| rule.spec.config.get(key));
    let own =
        own.filter_map(|v| serde_json::from_value::<Option<Rate>>(v.clone()).ok().flatten()).next();
    own.or_else(|| {
        let reserved = flows.iter().filter_map(|f| f.info.reserved).map(Rate::bps);
        reserved.reduce(|a, b| a.saturating_add(b)).map(Rate::from_bps)
    })
}

/// The largest IP packet of a connection, bytes; that of datagrams is their source's to say.
fn packet_bytes(flow: &Flow) -> Option<u64> {
    let Transport::Tcp { tcp, .. } = &flow.transport else { return None };
    Some(tcp.segment_bytes() + tcp.header.0 + tcp.option_bytes())
}
