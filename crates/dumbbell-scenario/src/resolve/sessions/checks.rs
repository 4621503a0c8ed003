//! Errors of a session, and notes about it.
use super::{ExpandedScenario, SampledTransfer};
use crate::language::problem::Diagnostic;
use crate::language::scenario::{Scenario, Session};
use crate::language::traces::transfers;
use crate::language::traces::transfers::Transfer;
use crate::language::warnings::OVERLOAD;
use crate::resolve::context::{At, Context};
use crate::resolve::patterns::{Drawn, Hosts};
use crate::resolve::topology::{RoutedFlow, legible};
use dumbbell_core::units::Span;
use dumbbell_plan::Link;

/// The sessions' names: legible, and none twice, nor a flow's.
pub fn names(scenario: &Scenario, cx: &Context<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (i, session) in scenario.session.iter().enumerate() {
        let at = cx.item("session", i).below("name");
        if let Some(name) = &session.name {
            legible(name, &at);
        }
        let name = session.name.clone().unwrap_or_else(|| format!("session{}", i + 1));
        if names.contains(&name) || scenario.flow.iter().any(|f| f.name.as_ref() == Some(&name)) {
            let cause = format!("two sessions, or a session and a flow, have the name `{name}`");
            at.refuse(cause, "give each a name of its own");
        }
        names.push(name);
    }
    names
}

/// Checks a session by itself; returns its list, if it has one that can be read.
pub fn session(scenario: &Scenario, s: &Session, at: &At<'_>) -> Option<Vec<Transfer>> {
    window(scenario, s, at);
    if s.most == Some(0) {
        at.below("most").refuse("a session of no flows", "write most = 1000, or take it out");
    }
    if let Some(text) = &s.transfers {
        return Some(listed(scenario, s, text, at));
    }
    if s.list.is_some() {
        at.below("list").refuse("this names no file", "write list = \"flows.csv\"");
        return Some(Vec::new());
    }
    if let Some(pattern) = &s.pattern {
        let drawn = Drawn { pattern, name: "", seed: 0 };
        drawn.arrivals(&Hosts::of(scenario), at);
    }
    arrivals(s, at);
    sizes(s, at);
    None
}

/// The list of a session. One that cannot be read is an empty one: it has no entries.
fn listed(scenario: &Scenario, s: &Session, text: &str, at: &At<'_>) -> Vec<Transfer> {
    let random = [
        ("arrivals", s.arrivals.is_some()),
        ("load", s.load.is_some()),
        ("size", s.size.is_some()),
    ];
    for (key, _) in random.iter().filter(|(_, given)| *given) {
        let cause =
            format!("`{key}` is for random arrivals, and this session has a list of transfers");
        at.below(key).refuse(cause, "take one of them out");
    }
    let list = transfers::parse(text).unwrap_or_else(|e| {
        let cause = format!("line {}: {}", e.line, e.cause);
        at.below("transfers").refuse(cause, e.fix);
        Vec::new()
    });
    hosts(scenario, s, &list, at);
    list
}

/// Checks when the flows of a random session arrive.
fn arrivals(s: &Session, at: &At<'_>) {
    match (s.arrivals, s.load) {
        (None, None) => {
            let fix = "write arrivals = \"50/s\" or load = 0.6, or list = \"flows.csv\"";
            at.refuse("nothing says when the flows of this session arrive", fix);
        }
        (Some(_), Some(_)) => {
            let cause = "`arrivals` and `load` both say how many flows arrive";
            at.below("load").refuse(cause, "keep one of them");
        }
        (None, Some(load)) if !(load > 0.0 && load <= 100.0) => {
            let fix = "write a number above 0, such as 0.6";
            at.below("load").refuse(format!("{load} is not a valid load"), fix);
        }
        _ => {}
    }
}

/// Checks how large the flows of a random session are.
fn sizes(s: &Session, at: &At<'_>) {
    let at = at.below("size");
    let Some(size) = &s.size else {
        let fix = "write size = \"12 kB\", or a distribution such as { kind = \
            \"bounded_pareto\", shape = 1.2, min = \"1 kB\", max = \"10 MB\" }";
        return at.refuse("nothing says how large the flows of this session are", fix);
    };
    if let Err(fault) = size.check("size") {
        at.refuse(fault.cause, fault.fix.unwrap_or_default());
    } else if size.mean() < 1.0 {
        at.refuse("a transfer has at least one byte", "write size = \"12 kB\"");
    }
}

fn window(scenario: &Scenario, s: &Session, at: &At<'_>) {
    let at = at.below("stop");
    let Some(stop) = s.stop else { return };
    if stop <= s.start {
        let cause = format!("arrivals begin at {} and end at {stop}", s.start);
        at.refuse(cause, "let them end later");
    }
    if stop > scenario.duration {
        let cause = format!("arrivals end at {stop}, after the run");
        at.refuse(cause, "take it out, or raise `duration`");
    }
}

/// Checks that a list names hosts only in an explicit network, and that nothing else names them.
fn hosts(scenario: &Scenario, s: &Session, list: &[Transfer], at: &At<'_>) {
    if !list.iter().any(|t| t.ends.is_some()) {
        return;
    }
    if s.pattern.is_some() {
        let cause = "the list names the hosts of each transfer, and so does `pattern`";
        at.below("pattern").refuse(cause, "take `pattern` out, or `from` and `to` of the list");
    } else if scenario.dumbbell.is_some() || scenario.parking_lot.is_some() {
        let cause = "the list names hosts, and a short form makes its own";
        at.below("transfers").refuse(cause, "take the columns `from` and `to` out of the list");
    } else if s.from.is_some() || s.to.is_some() {
        let cause = "the list names the hosts of each transfer, and so does this session";
        at.below("from").refuse(cause, "take `from` and `to` out, here or of the list");
    }
}

/// Notes where sessions offer more than a link can carry: its queue grows as long as they last.
pub fn note_overload(
    expanded: &ExpandedScenario<'_>,
    links: &[Link],
    routed: &[RoutedFlow],
    sampled: &[SampledTransfer],
    offered: &[Option<(f64, f64)>],
    cx: &Context<'_>,
) {
    let mut load = vec![0.0; links.len()];
    let mut first = vec![0; links.len()];
    let mut flows = vec![0u64; expanded.scenario.flow.len()];
    routed.iter().for_each(|f| flows[f.entry] += 1);
    let mut seen = vec![false; expanded.scenario.flow.len()];
    for f in routed {
        let Some(session) = expanded.session_of(f.entry) else { continue };
        // With a pattern each flow has a path of its own, and an equal part of what is offered.
        let patterned = expanded.scenario.session[session].pattern.is_some();
        if std::mem::replace(&mut seen[f.entry], true) && !patterned {
            continue;
        }
        let part = if patterned { flows[f.entry] as f64 } else { 1.0 };
        let bps =
            offered[session].map_or_else(|| of_list(expanded, f.entry, sampled), |(_, bps)| bps);
        let bps = bps / part;
        for &l in &f.forward {
            if load[l] == 0.0 {
                first[l] = session;
            }
            load[l] += bps;
        }
    }
    let share = |l: &usize| load[*l] / links[*l].rate.bps() as f64;
    for session in 0..expanded.scenario.session.len() {
        let of_session = (0..links.len()).filter(|l| first[*l] == session);
        let over: Vec<usize> = of_session.filter(|l| share(l) >= 1.0).collect();
        // The one that limits most: of a fabric that is the bisection, not each host's own link.
        let Some(worst) = over.iter().rev().max_by(|a, b| share(a).total_cmp(&share(b))) else {
            continue;
        };
        let others = match over.len() - 1 {
            0 => String::new(),
            1 => ", and too much for 1 other link".into(),
            n => format!(", and too much for {n} other links"),
        };
        let d = Diagnostic::new(format!(
            "sessions offer {:.0} % of what `{}` carries, in payload alone{others}: flows pile up \
                as long as they arrive",
            100.0 * share(worst),
            links[*worst].name
        ));
        let at = cx.item("session", session).below("load");
        let d = d.at(at.place()).fix("lower the load of the sessions").key(&at.path);
        cx.check().warn(&OVERLOAD, d);
    }
}

/// Returns the load that the flows of an entry offer between the first and the last of them, bits
/// per second.
fn of_list(expanded: &ExpandedScenario<'_>, entry: usize, sampled: &[SampledTransfer]) -> f64 {
    let mine = || sampled.iter().filter(|d| d.entry == entry);
    let (first, last) = (mine().map(|d| d.start).min(), mine().map(|d| d.start).max());
    let span = last.unwrap_or_default().saturating_sub(first.unwrap_or(Span::ZERO));
    let bits: f64 = mine().map(|d| 8.0 * d.size.0 as f64).sum();
    if mine().count() < 2 || span == Span::ZERO {
        bits / expanded.scenario.duration.seconds()
    } else {
        bits / span.seconds()
    }
}
