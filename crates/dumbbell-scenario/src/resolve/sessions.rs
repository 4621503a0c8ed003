//! Sessions: groups of flows that arrive at random or by a list, as flows of the plan.
//!
//! A session is added to the scenario's flows as one more entry (a list that names hosts: one for
//! each pair of them), so that paths, transports and their errors are a flow's. What a session has
//! of its own is drawn from the seed and its name: when flows arrive from `NAME/arrivals`, how
//! large they are from `NAME/sizes`. So two schemes under one seed see the same flows, and another
//! load sees the same sizes.
pub mod checks;

use crate::language::node::{Entry, Kind, Node, Path};
use crate::language::problem::{Check, Diagnostic};
use crate::language::scenario::{Flow, Scenario, Session, TransportName};
use crate::language::traces::transfers::Transfer;
use crate::resolve::context::Context;
use crate::resolve::flow_names::flow_name::{Ends, FlowName};
use crate::resolve::limits::{MOST_FLOWS, amount};
use crate::resolve::patterns::{Arrivals, Drawn, Hosts};
use crate::resolve::topology::{self, Network};
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Bytes, Span};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Keys of a session that are a flow's, too.
const SHARED: [&str; 14] = [
    "from",
    "to",
    "pattern",
    "via",
    "via_back",
    "path",
    "direction",
    "cc",
    "rtt",
    "profile",
    "tcp",
    "conditioner",
    "dscp",
    "weight",
];

/// A scenario with its sessions laid out as entries of `flow`.
pub struct ExpandedScenario<'a> {
    /// The scenario with them.
    pub scenario: Cow<'a, Scenario>,
    /// Its tree with them.
    pub root: Cow<'a, Node>,
    /// The number of entries that were written as flows.
    pub written: usize,
    /// Of each further entry: its session, and the hosts that it is for, if a list names some.
    entries: Vec<(usize, Option<(String, String)>)>,
    /// Names of the sessions.
    names: Vec<String>,
    /// Their lists, where they have one.
    lists: Vec<Option<Vec<Transfer>>>,
    /// The hosts of the network, for patterns.
    hosts: Hosts,
}

/// One flow of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledTransfer {
    /// Its session.
    pub session: usize,
    /// Its entry of the scenario's flows.
    pub entry: usize,
    /// Its name.
    pub name: String,
    /// Its start.
    pub start: Span,
    /// The size of the transfer.
    pub size: Bytes,
    /// Its hosts, if a pattern draws them.
    pub ends: Option<Ends>,
}

/// Start, size, entry and hosts of one flow of a session.
type One = (Span, Bytes, usize, Option<Ends>);

/// The sum of the rates of the hosts' own links, bits per second.
fn own_links(net: &Network, hosts: &[&str]) -> f64 {
    let hosts: BTreeSet<&str> = hosts.iter().copied().collect();
    let of_host = |l: &&topology::LinkDraft| hosts.contains(net.nodes[l.from].name.as_str());
    net.links.iter().filter(of_host).map(|l| l.settings.rate.bps() as f64).sum()
}

/// Lays out the sessions of `scenario`.
pub fn expand<'a>(scenario: &'a Scenario, cx: &Context<'a>) -> ExpandedScenario<'a> {
    let written = scenario.flow.len();
    let mut expanded = ExpandedScenario {
        scenario: Cow::Borrowed(scenario),
        root: Cow::Borrowed(cx.root),
        written,
        entries: Vec::new(),
        names: checks::names(scenario, cx),
        lists: Vec::new(),
        hosts: Hosts::of(scenario),
    };
    for (i, session) in scenario.session.iter().enumerate() {
        let at = cx.item("session", i);
        let list = checks::session(scenario, session, &at);
        let mut pairs: Vec<Option<(String, String)>> = list
            .iter()
            .flatten()
            .map(|t| t.ends.clone())
            .chain(list.is_none().then_some(None))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        for ends in pairs {
            expanded.scenario.to_mut().flow.push(as_flow(
                session,
                &expanded.names[i],
                ends.as_ref(),
            ));
            let node = at.node().map_or_else(|| Node::table(cx.root.place), shared);
            append(expanded.root.to_mut(), node);
            expanded.entries.push((i, ends));
        }
        expanded.lists.push(list);
    }
    expanded
}

fn as_flow(session: &Session, name: &str, ends: Option<&(String, String)>) -> Flow {
    let s = session.clone();
    Flow {
        name: Some(name.into()),
        from: ends.map(|e| e.0.clone()).or(s.from),
        to: ends.map(|e| e.1.clone()).or(s.to),
        pattern: s.pattern,
        via: s.via,
        via_back: s.via_back,
        path: s.path,
        direction: s.direction,
        cc: s.cc,
        rtt: s.rtt,
        start: s.start,
        transport: Some(TransportName::Tcp),
        profile: s.profile,
        tcp: s.tcp,
        conditioner: s.conditioner,
        dscp: s.dscp,
        weight: s.weight,
        ..Flow::default()
    }
}

/// The part of a session's tree that is a flow's.
fn shared(session: &Node) -> Node {
    let keep = |e: &&Entry| SHARED.contains(&e.key.as_str()) || e.key == "start";
    let entries = session.entries().iter().filter(keep).cloned().collect();
    Node { place: session.place, kind: Kind::Table(entries) }
}

/// Adds an item to the tree's list `flow`, which may not be there.
fn append(root: &mut Node, item: Node) {
    let place = item.place;
    let Some(list) = root.entry_mut("flow", place) else { return };
    match &mut list.kind {
        Kind::List(items) => items.push(item),
        _ => list.kind = Kind::List(vec![item]),
    }
}

impl ExpandedScenario<'_> {
    /// The session that an entry of the flows was made of.
    pub fn session_of(&self, entry: usize) -> Option<usize> {
        entry.checked_sub(self.written).map(|i| self.entries[i].0)
    }

    /// The sessions as a plan has them.
    pub fn of_plan(&self, offered: &[Option<f64>]) -> Vec<dumbbell_plan::Session> {
        let one = |(name, offered): (&String, &Option<f64>)| dumbbell_plan::Session {
            name: name.clone(),
            offered_bps: *offered,
        };
        self.names.iter().zip(offered).map(one).collect()
    }

    /// Renames errors of entries that were made from a session: they are errors of that session.
    pub fn rename(&self, found: &mut [Diagnostic]) {
        for d in found {
            let Some(key) = &d.key else { continue };
            let mut steps: Path = key.split('.').map(str::to_string).collect();
            let entry =
                steps.get(1).and_then(|n| n.parse::<usize>().ok()).filter(|_| steps[0] == "flow");
            if let Some(session) = entry.and_then(|entry| self.session_of(entry)) {
                (steps[0], steps[1]) = ("session".into(), session.to_string());
                d.key = Some(steps.join("."));
                d.cause = d
                    .cause
                    .replace("this flow", "this session")
                    .replace("these flows", "this session");
            }
        }
    }

    /// The pattern of session `i`, if it has one and that is right.
    fn arrivals(&self, i: usize, seed: u64, cx: &Context<'_>) -> Option<Arrivals> {
        let pattern = self.scenario.session[i].pattern.as_ref()?;
        let seed = pattern.seed.unwrap_or(seed);
        let drawn = Drawn { pattern, name: &self.names[i], seed };
        drawn.arrivals(&self.hosts, &cx.item("session", i))
    }

    /// As [`ExpandedScenario::arrivals`]; nothing is said of what is wrong.
    fn quietly(&self, i: usize, cx: &Context<'_>) -> Option<Arrivals> {
        let mut scratch = Check::default();
        Context::within(cx.root, &mut scratch, |cx| self.arrivals(i, 0, cx))
    }

    /// Mean arrivals a second of each session, and the payload in bits per second that they offer;
    /// `None` for lists. A load is of the slowest link of the path, for which the network is drawn
    /// with one flow of each; with a pattern, of the hosts' own links together.
    pub fn offered(&self, cx: &Context<'_>) -> Vec<Option<(f64, f64)>> {
        let routed =
            self.scenario.session.iter().any(|s| s.load.is_some()).then(|| self.sample(cx));
        let slowest = |i: usize| {
            let net = routed.as_ref()?;
            let flow = net.flows.iter().find(|f| self.session_of(f.entry) == Some(i))?;
            flow.forward.iter().map(|l| net.links[*l].settings.rate.bps()).min()
        };
        let one = |(i, s): (usize, &Session)| {
            let pattern = s.pattern.as_ref().map(|_| self.quietly(i, cx).ok_or(())).transpose();
            let pattern = pattern.ok()?;
            let flows = pattern.as_ref().map_or(1, Arrivals::flows);
            let mean = 8.0 * s.size.as_ref()?.mean();
            let mean = mean * flows as f64;
            let rate = || match &pattern {
                Some(pattern) => Some(own_links(routed.as_ref()?, &pattern.loaded())),
                None => Some(slowest(i)? as f64),
            };
            let per_s = match (s.arrivals, s.load) {
                (Some(frequency), _) => frequency.per_s,
                (None, Some(load)) => load * rate()? / mean,
                (None, None) => return None,
            };
            Some((per_s, per_s * mean))
        };
        let lists = self.lists.iter().map(Option::is_some);
        self.scenario
            .session
            .iter()
            .enumerate()
            .zip(lists)
            .map(|(s, list)| if list { None } else { one(s) })
            .collect()
    }

    /// The network with one flow of each session; what is wrong with it is said when the whole is
    /// drawn.
    fn sample(&self, cx: &Context<'_>) -> Network {
        let mut scratch = Check::with(&cx.check().plugins);
        let names: Vec<FlowName> = (self.written..self.scenario.flow.len())
            .filter(|entry| self.scenario.flow[*entry].pattern.is_none())
            .map(|entry| FlowName { entry, name: format!("sample{entry}"), ends: None })
            .collect();
        let draw = |cx: &Context<'_>| topology::build(&self.scenario, &names, 0, cx);
        Context::within(cx.root, &mut scratch, draw)
    }

    /// The flows of all sessions for one seed.
    pub fn draw(
        &self,
        offered: &[Option<(f64, f64)>],
        seed: u64,
        cx: &Context<'_>,
    ) -> Vec<SampledTransfer> {
        let expected =
            (0..self.names.len()).map(|i| self.expected(i, offered[i], cx)).collect::<Vec<f64>>();
        let total: f64 = expected.iter().sum();
        if total > MOST_FLOWS as f64 {
            let largest = (0..expected.len())
                .max_by(|a, b| expected[*a].total_cmp(&expected[*b]))
                .unwrap_or(0);
            let cause = format!(
                "about {total:.0} flows arrive; a run has at most {MOST_FLOWS}, which take {}",
                amount(MOST_FLOWS as f64 * 6_000.0)
            );
            let fix = "lower the arrival rate, set `stop` or `most`, or shorten the run";
            cx.item("session", largest).refuse(cause, fix);
            return Vec::new();
        }
        (0..self.names.len()).flat_map(|i| self.draw_one(i, offered[i], seed, cx)).collect()
    }

    /// The expected number of flows of a session.
    fn expected(&self, i: usize, offered: Option<(f64, f64)>, cx: &Context<'_>) -> f64 {
        let s = &self.scenario.session[i];
        let flows = s.pattern.as_ref().and_then(|_| self.quietly(i, cx)).map_or(1, |p| p.flows());
        let most = s.most.unwrap_or(u64::MAX) as f64;
        let listed = self.lists[i].as_ref().map_or(0.0, |list| list.len() as f64);
        let (from, to) = self.window(s);
        let arrivals = |(per_s, _)| per_s * to.saturating_sub(from).seconds() * flows as f64;
        offered.map_or(listed, arrivals).min(most)
    }

    /// From when to when flows of a session arrive.
    fn window(&self, s: &Session) -> (Span, Span) {
        (s.start, s.stop.unwrap_or(self.scenario.duration).min(self.scenario.duration))
    }

    fn draw_one(
        &self,
        i: usize,
        offered: Option<(f64, f64)>,
        seed: u64,
        cx: &Context<'_>,
    ) -> Vec<SampledTransfer> {
        let (s, name) = (&self.scenario.session[i], &self.names[i]);
        let (from, to) = self.window(s);
        let most = s.most.map_or(usize::MAX, |n| n as usize);
        let entry = |ends: &Option<(String, String)>| {
            self.written
                + self.entries.iter().position(|(of, pair)| *of == i && pair == ends).unwrap_or(0)
        };
        let flow = |(k, (start, size, entry, ends)): (usize, One)| SampledTransfer {
            session: i,
            entry,
            name: format!("{name}.{}", k + 1),
            start,
            size,
            ends,
        };
        if let Some(list) = &self.lists[i] {
            let within = |t: &&Transfer| from + t.start < to;
            let all =
                list.iter().filter(within).map(|t| (from + t.start, t.size, entry(&t.ends), None));
            return all.take(most).enumerate().map(flow).collect();
        }
        let (Some((per_s, _)), Some(size)) = (offered, &s.size) else { return Vec::new() };
        let mut arrivals = Stream::named(seed, &format!("{name}/arrivals"));
        let mut sizes = Stream::named(seed, &format!("{name}/sizes"));
        let (entry, mut at) = (entry(&None), from);
        let instants = std::iter::from_fn(|| {
            at = at + Span::from_secs_f64(arrivals.exponential(1.0 / per_s));
            (at < to).then_some(at)
        });
        if s.pattern.is_none() {
            let all = instants.map(|at| (at, size.draw(&mut sizes), entry, None));
            return all.take(most).enumerate().map(flow).collect();
        }
        let Some(mut pattern) = self.arrivals(i, seed, cx) else { return Vec::new() };
        let pairs = instants.flat_map(|at| pattern.draw().into_iter().map(move |ends| (at, ends)));
        let all = pairs.map(|(at, ends)| (at, size.draw(&mut sizes), entry, Some(ends)));
        all.take(most).enumerate().map(flow).collect()
    }
}
