//! Changes of single links of a network with named hosts: the table `links`.
use crate::language::scenario::{DownTime, LinkChange, Scenario};
use crate::resolve::context::{At, Context};
use crate::resolve::edges;
use crate::resolve::flow_names::flow_name::FlowName;
use crate::resolve::topology::service::transmitter;
use crate::resolve::topology::written_link::{self, impairments};
use crate::resolve::topology::{LinkDraft, Network, QueueFrom};
use dumbbell_core::catalogue::nearest;
use dumbbell_core::units::Span;
use dumbbell_plan::LinkId;
use std::collections::BTreeMap;

/// Changes the links that the scenario names; `names` are its flows. Links that are out are gone
/// afterward.
pub fn apply(scenario: &Scenario, net: &mut Network, names: &[FlowName], cx: &Context<'_>) {
    if scenario.links.is_empty() {
        return;
    }
    let known: BTreeMap<String, LinkId> =
        net.links.iter().enumerate().map(|(i, l)| (l.name.clone(), i)).collect();
    let mut out = vec![false; net.links.len()];
    for (name, change) in &scenario.links {
        let at = cx.at("links").below(name);
        let ids: Vec<Option<LinkId>> = match name.split_once("<->") {
            Some((a, b)) => [format!("{a}->{b}"), format!("{b}->{a}")]
                .iter()
                .map(|one| known.get(one).copied())
                .collect(),
            None => vec![known.get(name).copied()],
        };
        if ids.contains(&None) {
            unknown(name, &known, &at);
            continue;
        }
        let times = down(change, scenario.duration, &at);
        for id in ids.into_iter().flatten() {
            one(scenario, change, &mut net.links[id], names, &at);
            out[id] |= change.up == Some(false);
            net.links[id].settings.down = times.clone();
        }
    }
    if out.contains(&true) {
        remove(net, &out);
    }
}

fn unknown(name: &str, known: &BTreeMap<String, LinkId>, at: &At<'_>) {
    let all: Vec<&str> = known.keys().map(String::as_str).collect();
    let single = name.replace("<->", "->");
    let fix = match nearest(&single, &all) {
        Some(other) => format!("did you mean `{other}`?"),
        None => {
            let some: Vec<&str> = all.iter().take(6).copied().collect();
            format!("links are {}{}", some.join(", "), if all.len() > 6 { ", ..." } else { "" })
        }
    };
    at.refuse(format!("there is no link named `{name}`"), fix);
}

/// Changes one direction.
fn one(
    scenario: &Scenario,
    change: &LinkChange,
    link: &mut LinkDraft,
    names: &[FlowName],
    at: &At<'_>,
) {
    let settings = &mut link.settings;
    settings.table = Some(at.path.clone().into());
    if change.rate.is_some() || change.service.is_some() {
        let own = transmitter(at, change.rate.or(Some(settings.rate)), scenario.duration);
        (settings.rate, settings.service) = (own.rate, own.service);
    }
    if let Some(delay) = change.delay {
        settings.delay = written_link::delay(delay, at);
    }
    if change.queue.is_some() {
        settings.queue = QueueFrom::Written(at.below("queue").path.into());
        settings.report = true;
    }
    if change.conditioner.is_some() {
        settings.edge = edges::rules(&at.below("conditioner"), names);
    }
    if change.impairment.is_some() {
        settings.impairments = impairments(&at.below("impairment"));
    }
    if change.cost.is_some() {
        settings.cost = written_link::cost(change.cost, at);
    }
}

/// From when and for how long a link is down.
fn down(change: &LinkChange, duration: Span, at: &At<'_>) -> Vec<(Span, Span)> {
    let at = at.below("down");
    if change.up == Some(false) && !change.down.is_empty() {
        at.refuse("this link is out all the time", "take `up` or `down` out");
    }
    let mut before = None;
    let mut times = Vec::with_capacity(change.down.len());
    for (i, DownTime { from, to }) in change.down.iter().enumerate() {
        let (at, to) = (at.below(i), to.unwrap_or(duration));
        if *from >= duration {
            let cause = format!("this link fails at {from}, and the run ends at {duration}");
            at.below("from").refuse(cause, "let it fail earlier, or raise `duration`");
        } else if *from >= to {
            let cause = format!("this link fails at {from} and returns at {to}");
            at.below("to").refuse(cause, "let it return after it fails");
        } else if before.is_some_and(|before| *from <= before) {
            let cause = "this link fails here before it has returned";
            at.below("from").refuse(cause, "write the times in order, or as one");
        } else {
            times.push((*from, to - *from));
        }
        before = Some(to);
    }
    times
}

/// Takes links out; the others keep their order.
fn remove(net: &mut Network, out: &[bool]) {
    let mut next = 0;
    let number: Vec<Option<LinkId>> = out
        .iter()
        .map(|out| {
            let own = (!out).then_some(next);
            next += usize::from(!out);
            own
        })
        .collect();
    let mut gone = out.iter();
    net.links.retain(|_| !gone.next().copied().unwrap_or(false));
    for link in &mut net.links {
        link.twin = link.twin.and_then(|twin| number[twin]);
    }
}
