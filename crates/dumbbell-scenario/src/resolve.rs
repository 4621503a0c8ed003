//! From one point of a scenario to its plan: every default resolved, every relation checked.
pub(crate) mod edges;
pub(crate) mod flow_template;
pub mod flows;
pub(crate) mod host_signal;
pub mod hosts;
pub mod limits;
pub mod lints;
pub mod path_sharing;
pub(crate) mod sessions;
pub(crate) mod sizes;
pub mod study;
pub(crate) mod topology;
use crate::language::lookup::{Family, drop_tail, resolve as algorithm};
use crate::language::node::{Node, Path, below, path};
use crate::language::problem::{Check, Diagnostic};
use crate::language::scenario::{Followed, Reassembly, Scenario};
use crate::resolve::flow_template::FlowTemplate;
use crate::resolve::lints::{ack_path, reservations};
use crate::resolve::sessions::{ExpandedScenario, SampledTransfer};
use crate::resolve::topology::{LinkDraft, Network, QueueFrom, RoutedFlow};
use crate::resolve::topology::{graph, rtt, short};
use dumbbell_core::catalogue::nearest;
use dumbbell_core::packet::Dscp;
use dumbbell_core::packet::flow::FlowInfo;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Capacity, Limit, Packets, Rate, Span, taken};
use dumbbell_plan::{Flow, Link, Plan, Record, Rule, Shared, Spec, Testbed, Transport};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A bottleneck's limit where none is written: ns-2's `Queue set limit_ 50`.
const DEFAULT_LIMIT: Limit = Limit::Packets(Packets(50.0));

/// The plan of `scenario`, whose tree is `root`, for `seed`. `None` if `check` found errors.
pub fn plan(
    scenario: &Scenario,
    root: &Node,
    name: &str,
    seed: u64,
    check: &mut Check,
) -> Option<Plan> {
    whole(scenario, root, check);
    limits::flows(scenario, root, check);
    let before = check.found.len();
    let expanded = sessions::expand(scenario, root, check);
    let plan = if check.ok() { of_expanded(&expanded, name, seed, check) } else { None };
    expanded.rename(&mut check.found[before..]);
    plan
}

/// The plan of a scenario whose sessions are laid out.
fn of_expanded(
    expanded: &ExpandedScenario<'_>,
    name: &str,
    seed: u64,
    check: &mut Check,
) -> Option<Plan> {
    let (scenario, root) = (&*expanded.scenario, &*expanded.root);
    let offered = expanded.offered(check);
    let sampled = expanded.draw(&offered, seed, check);
    let more = sampled.iter().map(|d| (d.entry, d.name.clone()));
    let names = topology::flow_names(scenario, expanded.written, more, root, check);
    let templates: Vec<Option<FlowTemplate>> =
        (0..scenario.flow.len()).map(|i| flows::template(scenario, root, i, check)).collect();
    let mut net = short::build(scenario, root, &names, check)
        .unwrap_or_else(|| graph::build(scenario, root, &names, check));
    if check.ok() {
        rtt::realise(&mut net, scenario, root, check);
    }
    let mut templates: Vec<FlowTemplate> = templates.into_iter().flatten().collect();
    let answers = if check.ok() { sizes::answers(&net, &templates) } else { Vec::new() };
    let Network { nodes, links: draft, flows: routed } = net;
    let mut links = links(draft, &routed, expanded, check);
    if !check.ok() {
        return None;
    }
    expanded.note_overload(&links, &routed, &sampled, &offered, check);
    let own = routed.len() - sampled.len();
    let entries: Vec<usize> = routed.iter().map(|f| f.entry).collect();
    let starts =
        starts(&routed[..own], scenario, seed).into_iter().chain(sampled.iter().map(|d| d.start));
    let transfers = (0..own).map(|_| None).chain(sampled.iter().map(Some));
    let mut answers = answers.into_iter();
    let mut flow = |((f, start), sampled): ((RoutedFlow, Span), Option<&SampledTransfer>)| {
        let template = &mut templates[f.entry];
        let mut flow = flow(template, f, &links, scenario, root, start, check);
        flow.answers = answers.next().flatten();
        sizes::note(template, &flow, &links, check);
        match sampled {
            None => flow,
            Some(d) => transfer(flow, d),
        }
    };
    let mut flows: Vec<Flow> =
        routed.into_iter().zip(starts).zip(transfers).map(&mut flow).collect();
    hosts::add_links(&nodes, &mut links, &mut flows, &entries, (scenario, root), check);
    let record = record(scenario, &flows, root, check);
    let (duration, warmup) = (scenario.duration, scenario.warmup);
    let Reassembly { timeout, memory } = scenario.reassembly;
    let reassembly = dumbbell_plan::Reassembly { timeout, memory };
    // Nobody asks it but real hosts: see `run`.
    let testbed = Testbed::default();
    let sessions =
        expanded.of_plan(&offered.iter().map(|o| o.map(|(_, bps)| bps)).collect::<Vec<_>>());
    let mut plan = Plan {
        name: name.into(),
        seed,
        duration,
        warmup,
        nodes,
        links,
        flows,
        sessions,
        reassembly,
        testbed,
        record,
    };
    host_signal::of_radios(&mut plan, &entries, scenario, root, check);
    limits::work(&plan, root, check);
    ack_path::note(&plan, check);
    reservations::note(&plan, check);
    check.ok().then_some(plan)
}

/// The plan's records. Flows that they name must exist.
fn record(scenario: &Scenario, flows: &[Flow], root: &Node, check: &mut Check) -> Record {
    let r = &scenario.record;
    let packets = followed(&r.packets, "packets", flows, root, check);
    let mut acks = followed(&r.acks, "acks", flows, root, check);
    if let Followed::Of(names) = &r.acks {
        let udp = |name: &String| {
            flows.iter().any(|f| f.name == *name && matches!(f.transport, Transport::Udp { .. }))
        };
        for (i, name) in names.iter().enumerate().filter(|(_, name)| udp(name)) {
            let p = path(&["record", "acks", &i.to_string()]);
            let d = Diagnostic::new(format!("`{name}` sends datagrams, which nobody acknowledges"));
            check.error(d.at(root.nearest_place(&p)).fix("take it out").key(&p));
        }
    }
    acks.retain(|i| matches!(flows[*i].transport, Transport::Tcp { .. }));
    let mut delays = followed(&r.delays, "delays", flows, root, check);
    if let Followed::All(_) = r.delays {
        delays.retain(|i| flows[*i].session.is_none()); // They are too many and too short.
    }
    let completions = r.completions && !scenario.session.is_empty();
    if r.markers && r.every.is_none() {
        check.note("record.markers has no effect without record.every: markers have series");
    }
    Record {
        every: r.every,
        flows: r.flows,
        queues: r.queues,
        drops: r.drops,
        packets,
        acks,
        delays,
        completions,
        markers: r.markers,
    }
}

/// The numbers of the flows that `record.KEY` follows, ascending.
fn followed(
    choice: &Followed,
    key: &str,
    flows: &[Flow],
    root: &Node,
    check: &mut Check,
) -> Vec<usize> {
    let names = match choice {
        Followed::All(false) => return Vec::new(),
        Followed::All(true) => return (0..flows.len()).collect(),
        Followed::Of(names) => names,
    };
    let number = |(i, name): (usize, &String)| {
        let found = flows.iter().position(|f| f.name == *name);
        if found.is_none() {
            let p = path(&["record", key, &i.to_string()]);
            let all: Vec<&str> = flows.iter().take(10).map(|f| f.name.as_str()).collect();
            let fix = nearest(name, &all).map_or(format!("flows are {}", all.join(", ")), |n| {
                format!(
                    "did \
                    you mean `{n}`?"
                )
            });
            let cause = format!("there is no flow named `{name}`");
            check.error(Diagnostic::new(cause).at(root.nearest_place(&p)).fix(fix).key(&p));
        }
        found
    };
    let mut numbers: Vec<usize> = names.iter().enumerate().filter_map(number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Checks the values that concern the scenario as a whole.
fn whole(scenario: &Scenario, root: &Node, check: &mut Check) {
    let mut refuse = |key: &str, cause: String, fix: &str| {
        let p = path(&[key]);
        check.error(Diagnostic::new(cause).at(root.nearest_place(&p)).fix(fix).key(&p));
    };
    if scenario.duration == Span::ZERO {
        refuse("duration", "a run must last some time".into(), "write duration = \"60 s\"");
    }
    if scenario.warmup >= scenario.duration && scenario.duration > Span::ZERO {
        let cause = format!(
            "the warm-up of {} leaves nothing of {} to measure",
            scenario.warmup, scenario.duration
        );
        refuse("warmup", cause, "make it shorter than `duration`");
    }
    if scenario.reassembly.timeout == Span::ZERO || scenario.reassembly.memory.0 < 68 {
        let cause = "hosts that keep fragments for no time, or have no room for one, put nothing \
            together";
        refuse(
            "reassembly",
            cause.into(),
            "write reassembly = { timeout = \"30 s\", memory = \"4 \
            MB\" }",
        );
    }
    if scenario.testbed.sample < Span::from_ms(1) {
        let cause =
            format!("{} between two looks at a sender is too little", scenario.testbed.sample);
        refuse("testbed", cause, "write sample = \"10 ms\", or \"1 ms\" at least");
    }
    if scenario.record.every == Some(Span::ZERO) {
        refuse("record", "a period of zero records nothing".into(), "write every = \"10 ms\"");
    }
    let own = [
        ("host", scenario.host.len()),
        ("router", scenario.router.len()),
        ("link", scenario.link.len()),
    ];
    let drawn = own.iter().find(|(_, n)| *n > 0);
    let shapes: Vec<&str> = [
        scenario.dumbbell.as_ref().map(|_| "dumbbell"),
        scenario.parking_lot.as_ref().map(|_| "parking_lot"),
        drawn.map(|d| d.0),
    ]
    .into_iter()
    .flatten()
    .collect();
    match shapes[..] {
        [] => refuse(
            "dumbbell",
            "this scenario has no network".into(),
            "add a [dumbbell], a [parking_lot], or hosts and links",
        ),
        [_] => {}
        [a, b, ..] => refuse(
            b,
            format!("a network is drawn in one way, and this has `{a}` and `{b}`"),
            "keep \
                one of them",
        ),
    }
    if scenario.flow.is_empty() && scenario.session.is_empty() {
        refuse("flow", "this scenario has no flows".into(), "add a [[flow]]");
    }
    let on_links = drawn.is_some();
    for (key, given) in
        [("queue", scenario.queue.is_some()), ("queue_reverse", scenario.queue_reverse.is_some())]
    {
        if given && on_links {
            refuse(
                key,
                format!("`{key}` belongs to a short form"),
                "write the queue in its \
                [[link]]",
            );
        }
    }
}

/// The start of each flow: those of an entry one after the other, each by chance a little later.
fn starts(flows: &[RoutedFlow], scenario: &Scenario, seed: u64) -> Vec<Span> {
    let mut next: Vec<Span> = scenario.flow.iter().map(|written| written.start).collect();
    let start = |f: &RoutedFlow| {
        let written = &scenario.flow[f.entry];
        let spread = match written.start_spread {
            Span::ZERO => Span::ZERO,
            s => s.scaled(Stream::named(seed, &format!("{}/start", f.name)).unit()),
        };
        let own = next[f.entry];
        next[f.entry] = own + written.start_step;
        own + spread
    };
    flows.iter().map(start).collect()
}

fn flow(
    template: &mut FlowTemplate,
    f: RoutedFlow,
    links: &[Link],
    scenario: &Scenario,
    root: &Node,
    start: Span,
    check: &mut Check,
) -> Flow {
    let written = &scenario.flow[f.entry];
    let transport = sizes::fit(template, &f, links, root, check);
    let udp = matches!(transport, Transport::Udp { .. });
    let rtt = f.forward.iter().chain(&f.back).fold(Span::ZERO, |sum, l| sum + links[*l].delay);
    Flow {
        name: f.name,
        from: f.from,
        to: f.to,
        start,
        stop: written.stop,
        forward: f.forward,
        back: if udp { Vec::new() } else { f.back },
        source: template.source.clone(),
        transport,
        dscp: written.dscp.map_or(Dscp::default(), |c| c.0),
        info: FlowInfo { reserved: written.reserved, rtt: Some(rtt), weight: written.weight },
        ip: template.ip,
        answers: None,
        session: None,
        words: template.words.clone(),
    }
}

/// A flow of a session: one transfer of its own size.
fn transfer(flow: Flow, sampled: &SampledTransfer) -> Flow {
    let config = json!({ "size": sampled.size.to_string() });
    let source = Spec { kind: "fixed".into(), config, source_hash: None };
    Flow { source: source.into(), session: Some(sampled.session as u32), ..flow }
}

/// Queues, conditioners and impairments. What several links share is resolved once, and kept once.
fn links(
    draft: Vec<LinkDraft>,
    routed: &[RoutedFlow],
    expanded: &ExpandedScenario<'_>,
    check: &mut Check,
) -> Vec<Link> {
    let root = &*expanded.root;
    let unlimited = Queue {
        aqm: drop_tail().into(),
        capacity: Capacity::Unlimited,
        count_in_service: false,
        watch_above: None,
    };
    let rtts = mean_rtts(&draft, routed, expanded);
    let mut known: BTreeMap<(QueueFrom, Rate, u32, Option<Span>), Option<Queue>> = BTreeMap::new();
    let mut specs = SpecCache { root, routed, edges: BTreeMap::new(), known: BTreeMap::new() };
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

/// Edges and impairments by their place in the scenario.
struct SpecCache<'a> {
    root: &'a Node,
    routed: &'a [RoutedFlow],
    edges: BTreeMap<Path, Shared<Vec<Rule>>>,
    known: BTreeMap<Path, Option<Shared<Spec>>>,
}

impl SpecCache<'_> {
    fn resolve(&mut self, family: Family, at: &Path, check: &mut Check) -> Option<Shared<Spec>> {
        let node = self.root.at(at)?;
        if let Some(spec) = self.known.get(at) {
            return spec.clone();
        }
        let spec = algorithm(family, node, at, None, check).map(Shared::from);
        self.known.insert(at.clone(), spec.clone());
        spec
    }
    fn conditioner(&mut self, draft: &LinkDraft, check: &mut Check) -> Option<Shared<Vec<Rule>>> {
        let at = draft.conditioner.as_deref()?;
        let node = self.root.at(at)?;
        let routed = self.routed;
        let rules = || Shared::from(edges::rules(node, at, routed, check));
        Some(self.edges.entry(at.clone()).or_insert_with(rules).clone())
            .filter(|rules| !rules.is_empty())
    }
    fn impairments(&mut self, draft: &LinkDraft, check: &mut Check) -> Vec<Shared<Spec>> {
        let Some(at) = &draft.impairment else { return Vec::new() };
        let count = self.root.at(at).map_or(0, |n| n.items().len());
        (0..count).filter_map(|i| self.resolve(Family::Impairment, &below(at, i), check)).collect()
    }
}

#[derive(Clone)]
struct Queue {
    aqm: Shared<Spec>,
    capacity: Capacity,
    count_in_service: bool,
    watch_above: Option<Capacity>,
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

/// The queue of one link.
fn queue(
    draft: &LinkDraft,
    mean_rtt: Option<Span>,
    root: &Node,
    check: &mut Check,
) -> Option<Queue> {
    let QueueFrom::Written(at) = &draft.queue else {
        let capacity = DEFAULT_LIMIT.resolve(draft.rate, Span::ZERO);
        return Some(Queue {
            aqm: drop_tail().into(),
            capacity,
            count_in_service: false,
            watch_above: None,
        });
    };
    let node = root.at(at)?;
    let limit = size("limit", node, at, check)?.unwrap_or(DEFAULT_LIMIT);
    let watch_above = size("watch_above", node, at, check)?;
    if matches!((limit, watch_above), (Limit::Bdp(_), _) | (_, Some(Limit::Bdp(_))))
        && mean_rtt.is_none()
    {
        let d = Diagnostic::new(format!(
            "a limit in BDP needs a flow whose data crosses `{}`",
            draft.name
        ));
        check.error(d.at(node.nearest_place(&path(&["limit"]))).fix(
            "write the limit in packets, \
            or add a flow",
        ));
        return None;
    }
    let resolve = |limit: Limit| limit.resolve(draft.rate, mean_rtt.unwrap_or(Span::ZERO));
    let (capacity, watch_above) = (resolve(limit), watch_above.map(resolve));
    if capacity.in_packets(draft.mtu).is_some_and(|n| n < 1.0) {
        let (why, fix) = too_small(capacity, draft.mtu);
        let d = Diagnostic::new(format!(
            "a limit of {limit} does not hold one packet of {} B{why}",
            draft.mtu
        ));
        check.error(d.at(node.nearest_place(&path(&["limit"]))).fix(fix));
        return None;
    }
    if let Some(Capacity::Buffers { size, .. }) = watch_above
        && capacity.buffer_size() != Some(size)
    {
        let d = Diagnostic::new(format!(
            "buffers of {size} B are watched, and the limit, {limit}, does \
                not count them"
        ));
        let fix = format!(
            "write the limit in buffers of {size} B too, or watch_above in packets \
            or bytes"
        );
        check.error(d.at(node.nearest_place(&path(&["watch_above"]))).fix(fix));
        return None;
    }
    let count_in_service = match node.get("count_in_service").map(Node::to_json) {
        None => false,
        Some(Value::Bool(b)) => b,
        Some(_) => {
            let key = below(at, "count_in_service");
            let d = Diagnostic::new("this is neither true nor false").at(root.nearest_place(&key));
            check.error(d.fix("write count_in_service = true").key(&key));
            return None;
        }
    };
    let aqm = algorithm(Family::of_queue(node), node, at, capacity.in_packets(draft.mtu), check)?;
    Some(Queue { aqm: aqm.into(), capacity, count_in_service, watch_above })
}

/// Why not one packet of the link's MTU fits into a limit, and what to do.
fn too_small(capacity: Capacity, mtu: u32) -> (String, String) {
    let Capacity::Buffers { count, size } = capacity else {
        return (String::new(), "raise it, as in limit = \"36 pkt\"".into());
    };
    let takes = taken(size, mtu);
    let why = format!(": {mtu} B need {takes} x {size} B, and it has {count}");
    (why, format!("raise it to {takes} x {size} B at least, or give the link a smaller mtu"))
}

/// A size that a queue may name, if it does.
fn size(key: &str, node: &Node, at: &[String], check: &mut Check) -> Option<Option<Limit>> {
    let Some(size) = node.get(key) else { return Some(None) };
    let read: Result<Limit, _> = serde_json::from_value(size.to_json());
    if let Err(e) = &read {
        check.error(
            crate::language::deser::plain(&e.to_string()).at(size.place).key(&below(at, key)),
        );
    }
    read.ok().map(Some)
}
