//! The links of the plan: what each has before its wire and on it.
mod queue;
mod spec_cache;

use crate::language::problem::Check;
use crate::resolve::sessions::ExpandedScenario;
use crate::resolve::topology::{LinkDraft, QueueFrom, RoutedFlow};
use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::Link;
use queue::{Queue, queue};
use spec_cache::SpecCache;
use std::collections::BTreeMap;

/// Queues, conditioners and impairments. What several links share is resolved once, and kept once.
pub fn build(
    draft: Vec<LinkDraft>,
    routed: &[RoutedFlow],
    expanded: &ExpandedScenario<'_>,
    check: &mut Check,
) -> Vec<Link> {
    let root = &*expanded.root;
    let unlimited = Queue::drop_tail(Capacity::Unlimited);
    let rtts = mean_rtts(&draft, routed, expanded);
    let mut known: BTreeMap<(QueueFrom, Rate, u32, Option<Span>), Option<Queue>> = BTreeMap::new();
    let mut specs = SpecCache::new(root, routed);
    let mut out = Vec::with_capacity(draft.len());
    for (draft, mean_rtt) in draft.into_iter().zip(rtts) {
        let queue = match &draft.queue {
            QueueFrom::Unlimited => None,
            from => {
                let alike = (from.clone(), draft.rate, draft.mtu, mean_rtt);
                known.entry(alike).or_insert_with(|| queue(&draft, mean_rtt, root, check)).clone()
            }
        };
        let Queue { aqm, capacity, count_in_service, watch_above } =
            queue.unwrap_or_else(|| unlimited.clone());
        let (conditioner, impairments) =
            (specs.conditioner(&draft, check), specs.impairments(&draft, check));
        out.push(Link {
            name: draft.name,
            from: draft.from,
            to: draft.to,
            rate: draft.rate,
            service: draft.service,
            delay: draft.delay,
            mtu: draft.mtu,
            framing: u32::from(draft.framing.bytes),
            least: u32::from(draft.framing.least),
            conditioner,
            aqm,
            capacity,
            count_in_service,
            watch_above,
            impairments,
            report: draft.report,
            host: None,
        });
    }
    out
}

/// Mean base round-trip time of the flows whose data crosses each link: what a limit in BDP refers
/// to. A session counts as one flow, so that it does not depend on how many arrive.
fn mean_rtts(
    draft: &[LinkDraft],
    routed: &[RoutedFlow],
    expanded: &ExpandedScenario<'_>,
) -> Vec<Option<Span>> {
    let mut sums = vec![(0u128, 0u128); draft.len()];
    let mut seen = vec![false; expanded.scenario.flow.len()];
    for f in routed {
        if std::mem::replace(&mut seen[f.entry], true) && expanded.session_of(f.entry).is_some() {
            continue;
        }
        let rtt = f.forward.iter().chain(&f.back).fold(Span::ZERO, |sum, l| sum + draft[*l].delay);
        let rtt = u128::from(rtt.ps());
        f.forward.iter().for_each(|l| sums[*l] = (sums[*l].0 + rtt, sums[*l].1 + 1));
    }
    sums.into_iter().map(|(sum, n)| (n > 0).then(|| Span::from_ps((sum / n) as u64))).collect()
}
