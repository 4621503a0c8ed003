//! The signals of hosts to their ends of connections, both written in the scenario and derived from
//! a radio's outages.
use crate::language::scenario::{Flow, Radio, Scenario};
use crate::resolve::context::{At, Context};
use dumbbell_core::transport::HostSignal;
use dumbbell_core::units::{Span, Time};
use dumbbell_plan::{Plan, ScheduledSignal, Shared};
use std::collections::BTreeMap;

/// The signals that are written for a flow, in order of time.
pub fn written(
    scenario: &Scenario,
    flow: &Flow,
    udp: bool,
    at: &At<'_>,
) -> Option<Shared<Vec<ScheduledSignal>>> {
    for (key, given) in [("words", !flow.words.is_empty()), ("radio", flow.radio.is_some())] {
        if given && udp {
            let cause = format!("`{key}` is for the ends of a connection, and this flow is UDP");
            at.below(key).refuse(cause, "take it out");
        }
    }
    let late = |word: &ScheduledSignal| word.at >= scenario.duration;
    for (i, word) in flow.words.iter().enumerate().filter(|(_, word)| late(word)) {
        let cause =
            format!("this is said at {}, and the run ends at {}", word.at, scenario.duration);
        let fix = "say it earlier, or raise `duration`";
        at.below("words").below(i).below("at").refuse(cause, fix);
    }
    in_order(flow.words.clone())
}

fn in_order(mut words: Vec<ScheduledSignal>) -> Option<Shared<Vec<ScheduledSignal>>> {
    words.sort_by_key(|word| word.at);
    (!words.is_empty()).then(|| words.into())
}

/// Adds what the hosts of flows with a `radio` say: `entries` are the `[[flow]]` of each flow of
/// the plan.
pub fn of_radios(plan: &mut Plan, entries: &[usize], scenario: &Scenario, cx: &Context<'_>) {
    let mut known: BTreeMap<usize, Option<Shared<Vec<ScheduledSignal>>>> = BTreeMap::new();
    for (number, entry) in entries.iter().enumerate() {
        let Some(radio) = &scenario.flow[*entry].radio else { continue };
        if !known.contains_key(entry) {
            let at = cx.item("flow", *entry).below("radio").below("link");
            let more = foreseen(plan, radio, &at);
            let before = plan.flows[number].words.iter().flat_map(|words| words.iter().copied());
            known.insert(*entry, in_order(before.chain(more).collect()));
        }
        plan.flows[number].words = known[entry].clone();
    }
}

/// A word ahead of each outage of the radio's link, and one when it is over; none beyond the end of
/// the run.
fn foreseen(plan: &Plan, radio: &Radio, at: &At<'_>) -> Vec<ScheduledSignal> {
    let Some(link) = plan.links.iter().position(|link| link.name == radio.link) else {
        let names: Vec<&str> = plan.links.iter().take(6).map(|link| link.name.as_str()).collect();
        let fix = format!(
            "the links are {}{}",
            names.join(", "),
            if plan.links.len() > 6 { ", ..." } else { "" }
        );
        at.refuse(format!("there is no link `{}`", radio.link), fix);
        return Vec::new();
    };
    let outages = dumbbell_net::outages(plan, link).unwrap_or_default();
    if outages.is_empty() {
        let cause = format!(
            "`{}` is never down in this run, so that its host has nothing to say",
            radio.link
        );
        let fix = "give it a service such as `outage` or `handoff`, or take `radio` out";
        at.refuse(cause, fix);
    }
    let mut words = Vec::new();
    let mut back = Span::ZERO;
    for (down, up) in outages {
        let (down, up) = (down.since(Time::ZERO), up.since(Time::ZERO));
        // Not before the host knows that the outage before this one is over.
        words.push((down.saturating_sub(radio.warning).max(back), HostSignal::PathDown));
        words.push((up, HostSignal::PathUp));
        back = up;
    }
    words.retain(|(at, _)| *at < plan.duration);
    words.into_iter().map(|(at, say)| ScheduledSignal { at, to: radio.to, say }).collect()
}
