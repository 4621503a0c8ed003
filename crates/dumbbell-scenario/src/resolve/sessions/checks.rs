//! Errors of a session, and notes about it.
use super::{ExpandedScenario, SampledTransfer};
use crate::language::node::{Node, Path, below, path};
use crate::language::problem::{Check, Diagnostic};
use crate::language::scenario::{Scenario, Session};
use crate::language::traces::transfers;
use crate::language::traces::transfers::Transfer;
use crate::resolve::topology::{RoutedFlow, legible};
use dumbbell_core::units::Span;
use dumbbell_plan::Link;

fn refuse(
    at: &Path,
    key: &str,
    root: &Node,
    cause: impl Into<String>,
    fix: &str,
    check: &mut Check,
) {
    let at = if key.is_empty() { at.clone() } else { below(at, key) };
    check.error(Diagnostic::new(cause).at(root.nearest_place(&at)).fix(fix).key(&at));
}

/// The sessions' names: legible, and none twice, nor a flow's.
pub fn names(scenario: &Scenario, root: &Node, check: &mut Check) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (i, session) in scenario.session.iter().enumerate() {
        let at = path(&["session", &i.to_string()]);
        if let Some(name) = &session.name {
            legible(name, &below(&at, "name"), root, check);
        }
        let name = session.name.clone().unwrap_or_else(|| format!("session{}", i + 1));
        if names.contains(&name) || scenario.flow.iter().any(|f| f.name.as_ref() == Some(&name)) {
            let cause = format!("two sessions, or a session and a flow, have the name `{name}`");
            refuse(&at, "name", root, cause, "give each a name of its own", check);
        }
        names.push(name);
    }
    names
}

/// Checks a session by itself; returns its list, if it has one that can be read.
pub fn session(
    scenario: &Scenario,
    s: &Session,
    at: &Path,
    root: &Node,
    check: &mut Check,
) -> Option<Vec<Transfer>> {
    window(scenario, s, at, root, check);
    if s.most == Some(0) {
        refuse(
            at,
            "most",
            root,
            "a session of no flows",
            "write most = 1000, or take it out",
            check,
        );
    }
    let random = [
        ("arrivals", s.arrivals.is_some()),
        ("load", s.load.is_some()),
        ("size", s.size.is_some()),
    ];
    if let Some(text) = &s.transfers {
        for (key, _) in random.iter().filter(|(_, given)| *given) {
            let cause =
                format!("`{key}` is for random arrivals, and this session has a list of transfers");
            refuse(at, key, root, cause, "take one of them out", check);
        }
        let list = transfers::parse(text).map_err(|e| {
            let cause = format!("line {}: {}", e.line, e.cause);
            refuse(at, "transfers", root, cause, &e.fix, check);
        });
        // One that cannot be read is an empty one: it has no entries.
        let list = list.unwrap_or_default();
        hosts(scenario, s, &list, at, root, check);
        return Some(list);
    }
    if s.list.is_some() {
        refuse(at, "list", root, "this names no file", "write list = \"flows.csv\"", check);
        return Some(Vec::new());
    }
    match (s.arrivals, s.load) {
        (None, None) => {
            let fix = "write arrivals = \"50/s\" or load = 0.6, or list = \"flows.csv\"";
            refuse(at, "", root, "nothing says when the flows of this session arrive", fix, check);
        }
        (Some(_), Some(_)) => {
            refuse(
                at,
                "load",
                root,
                "`arrivals` and `load` both say how many flows arrive",
                "keep \
                one of them",
                check,
            );
        }
        (None, Some(load)) if !(load > 0.0 && load <= 100.0) => {
            refuse(
                at,
                "load",
                root,
                format!("{load} is not a valid load"),
                "write a number above 0, such \
                as 0.6",
                check,
            );
        }
        _ => {}
    }
    match &s.size {
        None => {
            let fix = "write size = \"12 kB\", or a distribution such as { kind = \
                \"bounded_pareto\", shape = 1.2, min = \"1 kB\", max = \"10 MB\" }";
            refuse(
                at,
                "size",
                root,
                "nothing says how large the flows of this session are",
                fix,
                check,
            );
        }
        Some(size) => {
            if let Err(fault) = size.check("size") {
                refuse(at, "size", root, fault.cause, fault.fix.as_deref().unwrap_or(""), check);
            } else if size.mean() < 1.0 {
                refuse(
                    at,
                    "size",
                    root,
                    "a transfer has at least one byte",
                    "write size = \"12 \
                    kB\"",
                    check,
                );
            }
        }
    }
    None
}

fn window(scenario: &Scenario, s: &Session, at: &Path, root: &Node, check: &mut Check) {
    if let Some(stop) = s.stop.filter(|stop| *stop <= s.start) {
        let cause = format!("arrivals begin at {} and end at {stop}", s.start);
        refuse(at, "stop", root, cause, "let them end later", check);
    }
    if s.stop.is_some_and(|stop| stop > scenario.duration) {
        let cause = format!("arrivals end at {}, after the run", s.stop.unwrap_or_default());
        refuse(at, "stop", root, cause, "take it out, or raise `duration`", check);
    }
}

/// Checks that a list names hosts only in an explicit network, and that nothing else names them.
fn hosts(
    scenario: &Scenario,
    s: &Session,
    list: &[Transfer],
    at: &Path,
    root: &Node,
    check: &mut Check,
) {
    if !list.iter().any(|t| t.ends.is_some()) {
        return;
    }
    if scenario.dumbbell.is_some() || scenario.parking_lot.is_some() {
        let cause = "the list names hosts, and a short form makes its own";
        refuse(
            at,
            "transfers",
            root,
            cause,
            "take the columns `from` and `to` out of the list",
            check,
        );
    } else if s.from.is_some() || s.to.is_some() {
        let cause = "the list names the hosts of each transfer, and so does this session";
        refuse(at, "from", root, cause, "take `from` and `to` out, here or of the list", check);
    }
}

/// See [`ExpandedScenario::note_overload`].
pub fn overload(
    expanded: &ExpandedScenario<'_>,
    links: &[Link],
    routed: &[RoutedFlow],
    sampled: &[SampledTransfer],
    offered: &[Option<(f64, f64)>],
    check: &mut Check,
) {
    let mut load = vec![0.0; links.len()];
    let mut seen = vec![false; expanded.scenario.flow.len()];
    for f in routed {
        let Some(session) =
            expanded.session_of(f.entry).filter(|_| !std::mem::replace(&mut seen[f.entry], true))
        else {
            continue;
        };
        let bps =
            offered[session].map_or_else(|| of_list(expanded, f.entry, sampled), |(_, bps)| bps);
        f.forward.iter().for_each(|l| load[*l] += bps);
    }
    for (link, bps) in links.iter().zip(load) {
        let share = bps / link.rate.bps() as f64;
        if share >= 1.0 {
            check.note(format!(
                "sessions offer {:.0} % of what `{}` carries, in payload alone: flows pile up as \
                    long as they arrive",
                100.0 * share,
                link.name
            ));
        }
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
