//! Buffers that are far from the bandwidth-delay product.
use super::site::{Bottleneck, signals_when_full, time};
use crate::language::problem::Check;
use crate::language::warnings::{LARGE_BUFFER, SMALL_BUFFER};
use crate::resolve::lints::Site;

/// Bandwidth-delay products below and above which a buffer is unusual.
const LEAST: f64 = 0.05;
const MOST: f64 = 20.0;

/// Warns of a bottleneck whose limit is below [`LEAST`] and below BDP/sqrt(n).
pub(crate) fn small(site: &Site<'_>, bottleneck: &Bottleneck, check: &mut Check) {
    let Some(limit) = bottleneck.limit(site.plan) else { return };
    let bdp = bottleneck.bdp(site.plan);
    let least = LEAST.min(1.0 / (bottleneck.flows.len() as f64).sqrt());
    if limit >= least * bdp {
        return;
    }
    let packets = bdp / bottleneck.packet as f64;
    site.warn(
        &SMALL_BUFFER,
        (site.queue_key(bottleneck.link, "limit"), None),
        format!(
            "the buffer of `{}` is {:.3} BDP, too small for its flows to fill the link",
            site.name(bottleneck.link),
            limit / bdp
        ),
        format!("write limit = \"1 BDP\" ({packets:.0} packets), or a value near it"),
        check,
    );
}

/// Warns of a bottleneck whose limit is above [`MOST`] BDP, and that only its limit keeps short.
pub(crate) fn large(site: &Site<'_>, bottleneck: &Bottleneck, check: &mut Check) {
    let plan = site.plan;
    let bdp = bottleneck.bdp(plan);
    let limit = bottleneck.limit(plan).unwrap_or(f64::INFINITY);
    let windows: f64 = bottleneck.flows.iter().map(|i| site.window(*i)).sum();
    let fills = limit.min(windows - bdp);
    if !signals_when_full(&plan.links[bottleneck.link].aqm) || fills <= MOST * bdp {
        return;
    }
    let name = site.name(bottleneck.link);
    if site.short_form().is_some() && !site.has_queue(bottleneck.link) {
        return; // An access link: W007 judges the rates of all of them together.
    }
    let cause = if limit.is_finite() {
        let wait = time(limit * 8.0 / plan.links[bottleneck.link].rate.bps() as f64);
        format!(
            "the buffer of `{name}` is {:.0} BDP; a full buffer delays each packet by {wait}",
            limit / bdp
        )
    } else {
        format!("the buffer of `{name}` is unlimited, so that windows and delays grow without end")
    };
    site.warn(
        &LARGE_BUFFER,
        (site.queue_key(bottleneck.link, "limit"), None),
        cause,
        "write limit = \"1 BDP\", or use a queue that signals earlier, such as codel".into(),
        check,
    );
}
