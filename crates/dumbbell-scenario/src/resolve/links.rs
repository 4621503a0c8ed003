//! The links of the plan: what each has before its wire and on it.
mod queue;

use crate::resolve::context::Context;
use crate::resolve::sessions::ExpandedScenario;
use crate::resolve::topology::{LinkDraft, LinkSettings, QueueFrom, RoutedFlow, fabric};
use dumbbell_algos::impairment::down::{Down, DownConfig};
use dumbbell_core::catalogue::Algorithm;
use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::{Link, NodeId, Shared, SharedBuffer, Spec};
use queue::{Queue, Room, queue};
use serde_json::json;
use std::collections::BTreeMap;

/// What queues have in common that are resolved once: their place, rate and MTU of the link, its
/// mean base round-trip time, and their room in a shared buffer.
type Alike = (QueueFrom, Rate, u32, Option<Span>, Option<Room>);

/// The links with their queues. Queues of one place, size and speed are resolved once, and kept
/// once.
pub fn build(
    draft: Vec<LinkDraft>,
    shared_buffers: &[SharedBuffer],
    routed: &[RoutedFlow],
    expanded: &ExpandedScenario<'_>,
    cx: &Context<'_>,
) -> Vec<Link> {
    let unlimited = Queue::drop_tail(Capacity::Unlimited);
    let rtts = mean_rtts(&draft, routed, expanded);
    let buffers: BTreeMap<NodeId, &SharedBuffer> =
        shared_buffers.iter().map(|buffer| (buffer.node, buffer)).collect();
    let mut known: BTreeMap<Alike, Option<Queue>> = BTreeMap::new();
    let mut link = |(draft, mean_rtt): (LinkDraft, Option<Span>)| {
        let LinkDraft { name, from, to, settings, .. } = draft;
        let buffer = buffers.get(&from).copied();
        let queue = match &settings.queue {
            QueueFrom::Unlimited => buffer.map(|b| Queue::drop_tail(Capacity::Bytes(b.most().0))),
            from => {
                let room = buffer.map(Room::of);
                let alike = (from.clone(), settings.rate, settings.mtu, mean_rtt, room);
                let new = || queue(&name, &settings, mean_rtt, room, cx);
                known.entry(alike).or_insert_with(new).clone()
            }
        };
        let Queue { aqm, capacity, count_in_service, watch_above, report: wanted } =
            queue.unwrap_or_else(|| unlimited.clone());
        let LinkSettings {
            rate,
            service,
            delay,
            mtu,
            framing,
            edge,
            mut impairments,
            report,
            down,
            ..
        } = settings;
        // The transmitter sends into nothing: what comes first of the wire.
        if !down.is_empty() {
            impairments.insert(0, failures(down, delay));
        }
        Link {
            name,
            from,
            to,
            rate,
            service,
            delay,
            mtu,
            framing: u32::from(framing.bytes),
            least: u32::from(framing.least),
            conditioner: edge,
            aqm,
            capacity,
            count_in_service,
            watch_above,
            impairments,
            report: report && wanted,
            host: None,
        }
    };
    draft.into_iter().zip(rtts).map(&mut link).collect()
}

/// What a wire loses that is down at these times.
fn failures(at: Vec<(Span, Span)>, delay: Span) -> Shared<Spec> {
    let config = json!(DownConfig { at, delay });
    Spec { kind: Down::ABOUT.name.into(), config, source_hash: None }.into()
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
        let way = f.forward.iter().chain(&f.back);
        let rtt = way.fold(Span::ZERO, |sum, l| sum + draft[*l].settings.delay);
        let rtt = u128::from(rtt.ps());
        f.forward.iter().for_each(|l| sums[*l] = (sums[*l].0 + rtt, sums[*l].1 + 1));
    }
    let mean = |(sum, n): (u128, u128)| (n > 0).then(|| Span::from_ps((sum / n) as u64));
    // A port of a fabric that no data cross has a buffer as large as the others have on average.
    let whole = fabric::key(&expanded.scenario)
        .and_then(|_| mean(sums.iter().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))));
    sums.into_iter().map(|one| mean(one).or(whole)).collect()
}
