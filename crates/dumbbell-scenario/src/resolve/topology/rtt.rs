//! A flow's `rtt`: what is missing to it is added to the links at its two ends.
use crate::language::scenario::Scenario;
use crate::resolve::context::{At, Context};
use crate::resolve::topology::{Network, RoutedFlow};
use dumbbell_core::units::Span;
use dumbbell_plan::LinkId;

/// Realizes every written `rtt` exactly, to the picosecond.
pub fn realise(net: &mut Network, scenario: &Scenario, cx: &Context<'_>) {
    let mut added: Vec<Option<Span>> = vec![None; net.links.len()];
    for f in &net.flows {
        let Some(rtt) = scenario.flow[f.entry].rtt else { continue };
        let Some(extra) = missing(net, f, rtt, cx) else { continue };
        for (link, span) in shares(f, extra) {
            match added[link] {
                None => added[link] = Some(span),
                Some(other) if other == span => {}
                Some(_) => conflict(net, f, link, cx),
            }
        }
    }
    // A link that was lengthened for one flow must not lengthen the path of another unasked.
    for f in net.flows.iter().filter(|f| scenario.flow[f.entry].rtt.is_none()) {
        if let Some(link) =
            f.forward.iter().chain(&f.back).find(|l| added[**l].is_some_and(|s| s > Span::ZERO))
        {
            conflict(net, f, *link, cx);
        }
    }
    for (link, span) in net.links.iter_mut().zip(added) {
        link.settings.delay = link.settings.delay + span.unwrap_or(Span::ZERO);
    }
    for f in &net.flows {
        if let Some(rtt) =
            scenario.flow[f.entry].rtt.filter(|rtt| cx.ok() && net.base_rtt(f) != *rtt)
        {
            let cause =
                format!("an rtt of {rtt} cannot be realized: other flows lengthen its path");
            rtt_of(f, cx).refuse(cause, "give the flow access links of its own");
        }
    }
}

/// The position of a flow's `rtt`.
fn rtt_of<'c>(f: &RoutedFlow, cx: &'c Context<'c>) -> At<'c> {
    cx.item("flow", f.entry).below("rtt")
}

/// The difference between the wanted round-trip time and that of the path.
fn missing(net: &Network, f: &RoutedFlow, rtt: Span, cx: &Context<'_>) -> Option<Span> {
    let fixed = net.base_rtt(f);
    if rtt < fixed {
        let cause =
            format!("an rtt of {rtt} is less than the {fixed} that the rest of the path takes");
        let fix = format!("the smallest that this path allows is \"{fixed}\"");
        rtt_of(f, cx).refuse(cause, fix);
        return None;
    }
    Some(rtt - fixed)
}

/// A quarter for each end of each direction; the first takes what does not divide.
fn shares(f: &RoutedFlow, extra: Span) -> Vec<(LinkId, Span)> {
    let quarter = Span::from_ps(extra.ps() / 4);
    let first = extra - quarter * 3;
    let ends = [
        (f.forward.first(), first),
        (f.forward.last(), quarter),
        (f.back.first(), quarter),
        (f.back.last(), quarter),
    ];
    let mut out: Vec<(LinkId, Span)> = Vec::new();
    for (link, span) in ends {
        let Some(&link) = link else { continue };
        match out.iter_mut().find(|(l, _)| *l == link) {
            Some((_, sum)) => *sum = *sum + span,
            None => out.push((link, span)),
        }
    }
    out
}

fn conflict(net: &Network, f: &RoutedFlow, link: LinkId, cx: &Context<'_>) {
    let name = &net.links[link].name;
    let cause = format!("`{name}` is shared by flows that want different round-trip times");
    let fix = "give each flow hosts of its own, or set the links' delays";
    rtt_of(f, cx).refuse(cause, fix);
}
