//! A wide-area network: routers and links from a file.
use super::{BETWEEN, MOST_HOSTS, MOST_OF_A_KIND, Shape, cable, port_queue};
use crate::language::scenario::{Scenario, Wan};
use crate::language::traces::edges::{self, Edge};
use crate::resolve::context::{At, Context};
use crate::resolve::flow_names::flow_name::FlowName;
use crate::resolve::topology::LinkSettings;
use crate::resolve::topology::written_link::{self, WrittenLink};
use dumbbell_core::packet::Framing;
use dumbbell_core::units::{Rate, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The most links of a file.
const MOST_LINKS: usize = 20_000;

/// Refuses a file that cannot be read, and links without a rate or a delay.
pub fn check(wan: &Wan, at: &At<'_>) {
    let Some(text) = &wan.edges else {
        let fix = "write file = \"Abilene.graphml\", or edges = \"from,to,rate,delay\\n...\"";
        return at.refuse("nothing says which routers and links this network has", fix);
    };
    let list = match edges::parse(text) {
        Ok(list) => list,
        Err(e) => {
            return at.below("edges").refuse(format!("line {}: {}", e.line, e.cause), e.fix);
        }
    };
    if list.len() > MOST_LINKS {
        let cause = format!("{} links are too many", list.len());
        at.below("edges").refuse(cause, format!("a file has at most {MOST_LINKS} links"));
    }
    let routers = list.iter().flat_map(|e| [&e.from, &e.to]).collect::<BTreeSet<_>>().len() as u64;
    if wan.hosts <= MOST_OF_A_KIND && routers * wan.hosts > MOST_HOSTS {
        let cause = format!("{} hosts at each of {routers} routers are too many", wan.hosts);
        let fix = format!("a short form has at most {MOST_HOSTS} hosts: write fewer");
        at.below("hosts").refuse(cause, fix);
    }
    let link = at.below("link");
    if wan.link.rate.is_none()
        && let Some(e) = list.iter().find(|e| e.rate.is_none())
    {
        let cause = format!("the file has no rate of the link from `{}` to `{}`", e.from, e.to);
        link.refuse(cause, "write a rate for such links: wan.link.rate = \"10 Gbps\"");
    }
    if wan.link.delay.is_none()
        && let Some(e) = list.iter().find(|e| e.delay.is_none())
    {
        let cause = format!(
            "the file has neither a delay of the link from `{}` to `{}` nor the places of both",
            e.from, e.to
        );
        link.refuse(cause, "write a delay for such links: wan.link.delay = \"5 ms\"");
    }
    for e in list.iter().filter(|e| e.cost.is_some()) {
        written_link::cost(e.cost, &at.below("edges"));
    }
}

/// The links of the file; none if it cannot be read.
fn links(wan: &Wan) -> Vec<Edge> {
    wan.edges.as_deref().and_then(|text| edges::parse(text).ok()).unwrap_or_default()
}

/// Draws routers in the order in which the file names them, their links, and their hosts.
pub(super) fn draw(wan: &Wan, shape: &mut Shape) {
    let list = links(wan);
    let mut ids = BTreeMap::new();
    for name in list.iter().flat_map(|e| [&e.from, &e.to]) {
        if !ids.contains_key(name) {
            ids.insert(name.clone(), shape.switch(name));
        }
    }
    let mut between: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    for (i, e) in list.iter().enumerate() {
        let (a, b) = (ids[&e.from], ids[&e.to]);
        shape.links.push((a, b, BETWEEN + i));
        let n = between.entry([a.min(b), a.max(b)]).or_default();
        *n += 1;
        if *n > 1 {
            shape.parallel.insert((a, b, BETWEEN + i), *n);
        }
    }
    let hosts = wan.hosts.min(MOST_HOSTS / (ids.len() as u64).max(1));
    for router in 0..ids.len() {
        shape.hosts(hosts, router);
    }
}

/// The settings of the links to hosts, and then of each link of the file.
pub fn cables(
    wan: &Wan,
    scenario: &Scenario,
    names: &[FlowName],
    cx: &Context<'_>,
) -> Vec<LinkSettings> {
    let (list, at) = (links(wan), cx.at("wan"));
    let link = at.below("link");
    let queue = port_queue(wan.link.queue.is_some(), &link, scenario);
    let one = |e: &Edge| {
        let rate = e.rate.or(wan.link.rate).unwrap_or(Rate::from_mbps(1));
        let delay = e.delay.or(wan.link.delay).unwrap_or_default();
        let written = WrittenLink::of_wan(link.clone(), &wan.link, (rate, delay), queue.clone());
        let cost = e.cost.unwrap_or(1);
        LinkSettings { cost, ..written.one(scenario.duration, names) }
    };
    let between: Vec<LinkSettings> = list.iter().map(one).collect();
    let host_link = at.below("host_link");
    let to_hosts = wan.host_link.as_ref().map_or_else(
        || {
            let fastest = between.iter().map(|l| l.rate.bps()).max().unwrap_or(1_000_000);
            let rate = Rate::from_bps(fastest.saturating_mul(10));
            let mtu = between.first().map_or(1500, |l| l.mtu);
            let framing = between.first().map_or(Framing::default(), |l| l.framing);
            let plain = LinkSettings::plain(rate, Span::from_us(10), mtu, framing);
            LinkSettings { queue: port_queue(false, &host_link, scenario), report: true, ..plain }
        },
        |own| cable(own, &host_link, scenario, names),
    );
    std::iter::once(to_hosts).chain(between).collect()
}
