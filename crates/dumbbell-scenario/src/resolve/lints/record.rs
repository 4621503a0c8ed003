//! Series that show too little.
use super::site::{Bottleneck, time};
use crate::language::node::path;
use crate::language::problem::Check;
use crate::language::warnings::{COARSE_RECORD, NO_SERIES};
use crate::resolve::lints::Site;

/// Warns of a period of the series above a quarter of the shortest round-trip time.
pub(crate) fn coarse(site: &Site<'_>, bottlenecks: &[Bottleneck], check: &mut Check) {
    let Some(every) = site.plan.record.every else { return };
    let rtts = bottlenecks.iter().flat_map(|bottleneck| {
        let wait = bottleneck.wait(site.plan);
        let base = |i: &usize| site.plan.base_rtt(&site.plan.flows[*i]).seconds();
        bottleneck.flows.iter().map(move |i| base(i) + wait)
    });
    let Some(rtt) = rtts.min_by(f64::total_cmp).filter(|rtt| every.seconds() > rtt / 4.0) else {
        return;
    };
    site.warn(
        &COARSE_RECORD,
        (path(&["record", "every"]), None),
        format!(
            "the series have a row every {every}, too few to show changes within a round-trip \
                time of {}",
            time(rtt)
        ),
        format!("write record.every = \"{}\" or less", time(rtt / 4.0)),
        check,
    );
}

/// Warns of markers that are to be recorded where nothing has series.
pub(crate) fn no_series(site: &Site<'_>, check: &mut Check) {
    if site.scenario().record.markers && site.plan.record.every.is_none() {
        site.warn(
            &NO_SERIES,
            (path(&["record", "markers"]), None),
            "record.markers has no effect without record.every: markers have series".into(),
            "write record.every = \"100 ms\"".into(),
            check,
        );
    }
}
