//! Warnings about plans that are valid and yet may surprise. Nothing here refuses a plan.
//!
//! Each file has the rules of one subject; [`crate::language::warnings`] says what each warning
//! means.
mod ack_path;
pub(crate) mod allow;
mod buffer;
mod ecn;
mod epochs;
mod failures;
pub(crate) mod kernel;
mod paths;
mod record;
mod red;
mod reservations;
mod site;
mod sizes;
mod target;
#[cfg(test)]
mod tests;
mod warmup;
mod windows;

use crate::language::problem::Check;
pub(crate) use site::{LinkPlace, Site};

/// Adds the warnings about one planned point to `check`.
pub(crate) fn check(site: &Site<'_>, check: &mut Check) {
    ecn::no_marks(site, check);
    paths::slow_access(site, check);
    let bottlenecks = site.bottlenecks();
    for bottleneck in &bottlenecks {
        buffer::small(site, bottleneck, check);
        buffer::large(site, bottleneck, check);
        windows::cap(site, bottleneck, check);
    }
    red::thresholds(site, check);
    red::slow(site, &bottlenecks, check);
    warmup::short(site, &bottlenecks, check);
    windows::min_rto(site, &bottlenecks, check);
    record::coarse(site, &bottlenecks, check);
    record::no_series(site, check);
    paths::idle(site, check);
    failures::stranded(site, check);
    epochs::few(site, &bottlenecks, check);
    target::small(site, check);
    ack_path::warn(site, check);
    reservations::warn(site, check);
    sizes::warn(site, check);
}
