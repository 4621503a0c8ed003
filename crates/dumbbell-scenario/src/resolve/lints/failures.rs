//! Links that fail, and flows that have no other path then.
use crate::language::problem::Check;
use crate::language::warnings::STRANDED;
use crate::resolve::lints::Site;
use crate::resolve::topology;
use dumbbell_algos::impairment::down::{Down, DownConfig};
use dumbbell_core::catalogue::{Algorithm, read};
use dumbbell_core::units::Span;
use dumbbell_plan::{Flow, LinkId, PathSet};
use std::collections::BTreeMap;

/// From when and until when links are down.
type Failures = BTreeMap<LinkId, Vec<(Span, Span)>>;

/// Warns of the first flow of each entry whose path leads over a link that is down, after routes
/// had time to follow.
pub(crate) fn stranded(site: &Site<'_>, check: &mut Check) {
    let failures = failures(site);
    if failures.is_empty() {
        return;
    }
    let mut told = vec![false; site.scenario().flow.len()];
    for (i, flow) in site.plan.flows.iter().enumerate() {
        let found = (0..2).find_map(|end| lost(site, flow, end, &failures));
        let Some((link, from)) = found else { continue };
        if std::mem::replace(&mut told[site.entries[i]], true) {
            continue;
        }
        site.warn(
            &STRANDED,
            (site.flow_key(i, "to"), None),
            format!(
                "`{}` has no path without `{}`, which is down from {from} on",
                flow.name,
                site.name(link)
            ),
            "join its hosts by another path, or write allow = [\"W022\"]".into(),
            check,
        );
    }
}

fn failures(site: &Site<'_>) -> Failures {
    let of = |(i, link): (LinkId, &dumbbell_plan::Link)| {
        let spec = link.impairments.iter().find(|spec| spec.kind == Down::ABOUT.name)?;
        let DownConfig { at, .. } = read(&spec.config).ok()?;
        Some((i, at.into_iter().map(|(from, long)| (from, from + long)).collect()))
    };
    site.plan.links.iter().enumerate().filter_map(of).collect()
}

/// A link of the flow's path that is down while the flow takes it, and from when.
fn lost(site: &Site<'_>, flow: &Flow, end: usize, failures: &Failures) -> Option<(LinkId, Span)> {
    let wait = topology::routing(site.scenario()).convergence;
    let last = flow.stop.unwrap_or(site.plan.duration);
    let sets: &[PathSet] = flow.multipath.as_ref().map_or(&[], |all| all.of_end(end));
    let whole = (Span::ZERO, last, flow.routes(end).next().unwrap_or_default());
    let parts = sets.iter().enumerate().flat_map(|(i, set)| {
        let until = sets.get(i + 1).map_or(last, |next| next.from);
        set.paths.iter().map(move |path| (set.from, until, path.links.as_slice()))
    });
    let parts: Vec<(Span, Span, &[LinkId])> =
        if sets.is_empty() { vec![whole] } else { parts.collect() };
    parts.into_iter().find_map(|(from, until, links)| {
        links.iter().find_map(|link| {
            let times = failures.get(link)?.iter();
            let known = |down: Span| if down == Span::ZERO { down } else { down + wait };
            let mut meets = times.filter(|(down, up)| {
                known(*down).max(from).max(flow.start) < until.min(*up).min(last)
            });
            meets.next().map(|(down, _)| (*link, *down))
        })
    })
}
