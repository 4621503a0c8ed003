//! From a plan to its network: every part with its own random streams, named after it.
mod measures;

use crate::edge::rules;
use crate::edge::rules::FlowsByLink;
use crate::engine::agenda::Agenda;
use crate::engine::audit::Audit;
use crate::engine::egress::Egress;
use crate::engine::host_signals;
use crate::engine::host_signals::HostSignals;
use crate::engine::owners::Owners;
use crate::engine::path::{OrderNeeds, Paths, RunAhead, Streams};
use crate::engine::path_choice::PathChoice;
use crate::engine::queued_packet::QueuedPacket;
use crate::engine::ranks::Ranks;
use crate::engine::socket::{RECEIVER, SENDER};
use crate::fragment::oversize;
use crate::fragment::oversize::Oversize;
use crate::fragment::reassembly::Reassembler;
use crate::link::Element;
use crate::link::shared_medium::SharedMedia;
use crate::net::Net;
use crate::observe::SampleTimes;
use crate::partition::{Mail, Partition};
use crate::port::account::Account;
use crate::port::arrival::ArrivalQueue;
use crate::port::edge::PortEdge;
use crate::port::held::{Discipline, HeldQueue};
use crate::port::shared_buffer::{Queues, SharedBuffer, SharingQueue};
use crate::port::stats::PortStats;
use crate::port::{Port, Queue};
use crate::report::names::ReportNames;
use dumbbell_algos::aqm::{self, AnyAqm};
use dumbbell_algos::impairment::AnyImpairment;
use dumbbell_algos::qdisc::sharing::{SHARING, SharingQdisc};
use dumbbell_algos::qdisc::{self, AnyQdisc};
use dumbbell_algos::service::AnyService;
use dumbbell_algos::service::constant::Constant;
use dumbbell_core::aqm::{Aqm, LinkInfo, Needs};
use dumbbell_core::catalogue::{Algorithm, Fault, NoConfig};
use dumbbell_core::impairment::Impairment;
use dumbbell_core::packet::FlowId;
use dumbbell_core::packet::flow::{Ends, FlowTable};
use dumbbell_core::plugin::{Alarm, Plugins};
use dumbbell_core::qdisc::Fifo;
use dumbbell_core::rng::Stream;
use dumbbell_core::service::{Service, Site};
use dumbbell_core::units::{Capacity, Span, Time};
use dumbbell_plan::{Link, LinkId, NodeId, Plan, Spec, Transport};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Options of a run. None of them changes its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Run ahead between merges (default); without it each link is an event.
    pub fold: bool,
    /// Let every queue hold its packets, also those that could decide at arrival.
    pub hold: bool,
    /// Let connections take the short way through what is ordinary (default): see `dumbbell-tcp`,
    /// `ordinary`.
    pub straight: bool,
    /// Follow each packet by number.
    pub audit: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { fold: true, hold: false, straight: true, audit: false }
    }
}

/// Puts the part's name before the place of a fault.
pub fn within<T>(part: &str, r: Result<T, Fault>) -> Result<T, Fault> {
    r.map_err(|f| Fault {
        at: if f.at.is_empty() { part.into() } else { format!("{part}.{}", f.at) },
        ..f
    })
}

/// A network that was built, and what its owner needs beside it.
pub struct Built {
    /// The network.
    pub net: Net,
    /// Names of its parts in results.
    pub report_names: ReportNames,
    /// Reassembly in hosts.
    pub reassembler: Reassembler,
}

/// The network of `plan`, whose sockets are the caller's. `egress` gets for each socket (2 x flow +
/// end) its way out. `part`: it is this one of the parts of a partition.
///
/// # Errors
/// A name that is not in the catalogue, or parameters that it refuses; a plan made from a scenario
/// has neither.
pub fn network(
    plan: &Plan,
    options: Options,
    plugins: &Plugins,
    alarm: &Alarm,
    part: Option<(&Partition, usize)>,
    egress: impl Fn(usize, RunAhead) -> Egress,
) -> Result<Built, Fault> {
    let cx = BuildCx::new(plan, plugins, alarm);
    let mut elements = Vec::with_capacity(plan.links.len());
    let narrow = oversize::too_narrow(plan);
    for (link, datagrams) in with_datagrams(plan).into_iter().enumerate() {
        elements.push(element(plan, link, datagrams || narrow[link], options, &cx)?);
    }
    measures::attach(plan, &mut elements);
    let is = |f: &dyn Fn(&Port) -> bool| -> Vec<bool> {
        elements.iter().map(|e| matches!(e, Element::Port(p) if f(p))).collect()
    };
    let held = is(&|p| matches!(p.queue, Queue::Held(_)) || p.edge.is_some());
    let unordered =
        is(&|p| p.impairments.iter().any(|(i, _)| i.reorders()) || p.service().reorders());
    let order_needs = OrderNeeds { unordered, signaled: signaled(plan, &elements) };
    let streams = Streams::of(plan, &order_needs);
    let (ranks, arrivals) = Ranks::new(plan.seed, streams.population(plan));
    let owners = part.map(|(partition, number)| Owners::new(plan, partition.of_node(), number));
    let cut =
        Paths::cut(plan, &streams, &arrivals, options.fold, &held, &order_needs, owners.as_ref());
    let agenda = Agenda::new(entries_per_second(plan, &cut.merge, &held), horizon(plan).ps());
    let mut egresses = Vec::with_capacity(2 * plan.flows.len());
    egresses.extend(
        cut.sockets.into_iter().enumerate().map(|(socket, run_ahead)| egress(socket, run_ahead)),
    );
    for (socket, run_aheads) in cut.multipaths {
        if let Some(paths) = path_choice(plan, socket as usize, run_aheads) {
            egresses[socket as usize].choose_among(paths);
        }
    }
    let report_names = ReportNames::of(plan, |link| matches!(elements[link], Element::Port(_)));
    let oversize = Oversize::of(plan, &cut.answers);
    let reassembler =
        Reassembler::new(plan, oversize.iter().flat_map(|oversize| oversize.sockets()));
    for (link, least) in oversize.iter().flat_map(|oversize| oversize.asking(plan)) {
        if let Element::Port(port) = &mut elements[link] {
            port.mtu = least;
            port.short_way = port.short_way.min(least.min(u32::from(u16::MAX)) as u16);
        }
    }
    let shared_media = SharedMedia::of(plan, &elements)?;
    let mut net =
        Net::new(Time::ZERO + plan.duration, cut.paths, ranks, agenda, elements, egresses);
    net.table = flow_table(plan);
    net.audit = options.audit.then(Audit::default);
    net.host_signals = HostSignals::of(plan);
    net.owners = owners.map(Box::new);
    net.outboxes.resize_with(part.map_or(0, |(partition, _)| partition.parts()), Mail::default);
    (net.oversize, net.shared_media) = (oversize, shared_media);
    Ok(Built { net, report_names, reassembler })
}

/// What queues and edges may know about the flows of a plan.
pub(crate) fn flow_table(plan: &Plan) -> FlowTable {
    let ends = plan.flows.iter().map(|f| Ends { from: f.from as u32, to: f.to as u32 });
    FlowTable::new(plan.flows.iter().map(|f| f.info)).between(ends)
}

/// Context for building parts: what they need beside their own entry in the plan.
struct BuildCx<'a> {
    /// Algorithms that are not of the catalogue.
    plugins: &'a Plugins,
    /// The alarm that plugins of this run raise.
    alarm: &'a Alarm,
    /// The flows that pass each edge.
    passing: FlowsByLink,
    /// Shared buffers by their nodes.
    shared_buffers: BTreeMap<NodeId, Arc<SharedBuffer>>,
}

impl<'a> BuildCx<'a> {
    fn new(plan: &Plan, plugins: &'a Plugins, alarm: &'a Alarm) -> Self {
        let (passing, shared_buffers) = (rules::passing(plan), SharedBuffer::of(plan));
        BuildCx { plugins, alarm, passing, shared_buffers }
    }

    fn aqm(&self, spec: &Spec, site: &LinkInfo) -> Result<AnyAqm, Fault> {
        match self.plugins.aqm(&spec.kind) {
            Some(factory) => factory.make(&spec.config, site, self.alarm).map(AnyAqm::Plugin),
            None => AnyAqm::build(&spec.kind, &spec.config, site),
        }
    }
}

/// For each socket whether it is given signals: its host's, or a sender those of an edge that it
/// passes.
fn signaled(plan: &Plan, elements: &[Element]) -> Vec<bool> {
    let tells = |link: &LinkId, flow: FlowId| match &elements[*link] {
        Element::Port(port) => port.edge.as_ref().is_some_and(|edge| edge.tells(flow)),
        Element::Wire(_) | Element::UnevenWire(_) => false,
    };
    let oversize = oversize::in_order_sockets(plan);
    let each = |(number, flow): (usize, &dumbbell_plan::Flow)| {
        let mut data = flow.routes(0).flatten();
        let told =
            flow.transport.is_connection() && data.any(|link| tells(link, FlowId(number as u32)));
        // Packets come over several last links, each of which knows its own order.
        let several = |end| {
            let mut last = flow.routes(end).map(<[LinkId]>::last);
            let first = last.next();
            last.any(|other| Some(other) != first)
        };
        [
            told || several(1)
                || host_signals::has_signals(flow, SENDER)
                || oversize[2 * number + SENDER],
            several(0)
                || host_signals::has_signals(flow, RECEIVER)
                || oversize[2 * number + RECEIVER],
        ]
    };
    plan.flows.iter().enumerate().flat_map(each).collect()
}

/// The choice of a socket among its paths, which were cut into `run_aheads`.
fn path_choice(plan: &Plan, socket: usize, run_aheads: Vec<RunAhead>) -> Option<PathChoice> {
    let (flow, end) = (&plan.flows[socket / 2], socket % 2);
    let multipath = flow.multipath.as_ref()?;
    let name = format!("{}/path.{}", flow.name, ["data", "acks"][end]);
    let rng = Stream::named(multipath.seed.unwrap_or(plan.seed), &name);
    Some(PathChoice::new(multipath.by, multipath.of_end(end), run_aheads, rng))
}

/// For each link, true if datagrams take it.
fn with_datagrams(plan: &Plan) -> Vec<bool> {
    let mut taken = vec![false; plan.links.len()];
    let datagrams = plan.flows.iter().filter(|f| matches!(f.transport, Transport::Udp { .. }));
    datagrams.flat_map(|f| f.routes(0)).flatten().for_each(|link| taken[*link] = true);
    taken
}

/// The sample times of one element; no series unless `wanted`.
pub fn sample_times(plan: &Plan, wanted: bool) -> SampleTimes {
    SampleTimes::new(plan.record.every.filter(|_| wanted), Time::ZERO + plan.warmup)
}

/// Outages of a link's transmitter in a run of `plan`, as far as its own law tells them beforehand:
/// from and to, in the order of time.
///
/// # Errors
/// The errors of [`network`].
pub fn outages(plan: &Plan, link: LinkId) -> Result<Vec<(Time, Time)>, Fault> {
    Ok(new_service(plan, &plan.links[link])?.outages(Time::ZERO + plan.duration))
}

/// The service of a link.
fn new_service(plan: &Plan, link: &Link) -> Result<AnyService, Fault> {
    let info =
        LinkInfo { rate: link.rate, capacity: link.capacity, mtu: link.mtu, delay: link.delay };
    let part = link.service.as_ref().map_or("constant", |spec| &spec.kind);
    let chance = Stream::named(plan.seed, &format!("{}/{part}", link.name));
    let site = Site { link: info, chance };
    match &link.service {
        None => Ok(AnyService::Constant(Constant::new(&NoConfig {}, &site))),
        Some(spec) => within(&link.name, AnyService::build(&spec.kind, &spec.config, &site)),
    }
}

/// The service of a link, with measures from the end of the warm-up on.
fn service(plan: &Plan, link: &Link) -> Result<AnyService, Fault> {
    let mut service = new_service(plan, link)?;
    service.watch(Time::ZERO + plan.warmup, Time::ZERO + plan.duration);
    Ok(service)
}

/// A link is a wire if there is nothing to decide, to lose or to look at. `asks`: whether a packet
/// may be too large for it.
fn element(
    plan: &Plan,
    number: usize,
    asks: bool,
    options: Options,
    cx: &BuildCx<'_>,
) -> Result<Element, Fault> {
    let link = &plan.links[number];
    let plain = link.aqm.kind == "drop_tail" && link.capacity == Capacity::Unlimited;
    let simple =
        link.impairments.is_empty() && link.conditioner.is_none() && link.service.is_none();
    let sharing = cx.shared_buffers.contains_key(&link.from);
    if plain && simple && !link.report && !asks && !sharing {
        return Ok(Element::wire(link));
    }
    let chance = |part: &str| Stream::named(plan.seed, &format!("{}/{part}", link.name));
    let info =
        LinkInfo { rate: link.rate, capacity: link.capacity, mtu: link.mtu, delay: link.delay };
    let queue =
        queue(plan, link, info, chance(chance_of(&link.aqm.kind, cx.plugins)), options, cx)?;
    let steady = matches!(&queue, Queue::Arrival(queue) if queue.is_steady());
    let mut impairments = Vec::with_capacity(link.impairments.len());
    for (i, spec) in link.impairments.iter().enumerate() {
        let Spec { kind, config, .. } = &**spec;
        let impairment = within(&link.name, AnyImpairment::build(kind, config, &()))?;
        impairments.push((impairment, chance(&format!("{kind}.{i}"))));
    }
    let passing = cx.passing.get(&number);
    let served = rules::served(plan, number, passing);
    let marks = sample_times(plan, plan.record.markers);
    let edge = within(&link.name, rules::edge(plan, number, info, passing))?;
    let edge = edge.map(|edge| Box::new(PortEdge::new(edge, info, served, marks)));
    let short_way = steady && link.impairments.is_empty() && edge.is_none();
    let (warm, end) = (Time::ZERO + plan.warmup, Time::ZERO + plan.duration);
    let stats = PortStats::new(warm, end, link.count_in_service);
    Ok(Element::Port(Box::new(Port {
        edge,
        queue,
        short_way: if short_way { link.mtu.min(u32::from(u16::MAX)) as u16 } else { 0 },
        account: Account::new(number, plan.record.tells_drops(), stats),
        impairments,
        sample_times: sample_times(plan, plan.record.queues && link.report),
        quiet_until: Time::ZERO,
        framing: link.framing(),
        mtu: link.mtu,
        delay: link.delay,
    })))
}

/// The name of a queue's random stream: its own, or that of the algorithm that it varies.
fn chance_of<'a>(kind: &'a str, plugins: &'a Plugins) -> &'a str {
    let own = plugins.aqm(kind).map_or(kind, |factory| factory.chance());
    aqm::CATALOGUE.iter().find(|e| e.about.name == kind).map_or(own, |e| e.chance)
}

/// The queue of a link: a discipline of several queues, or one, which decides at arrival if it can.
fn queue(
    plan: &Plan,
    link: &Link,
    info: LinkInfo,
    rng: Stream,
    options: Options,
    cx: &BuildCx<'_>,
) -> Result<Queue, Fault> {
    let service = service(plan, link)?;
    let spec = &link.aqm;
    let several = qdisc::CATALOGUE.iter().any(|e| e.about.name == spec.kind);
    let shared_buffer = cx.shared_buffers.get(&link.from);
    let discipline = if several {
        let queues = within(&link.name, AnyQdisc::build(&spec.kind, &spec.config, &info))?;
        match shared_buffer {
            None => Discipline::Several(queues),
            Some(buffer) => {
                let queues = within(&link.name, sharing(spec, queues))?;
                let queues = Queues::Several(queues);
                Discipline::Sharing(SharingQueue::new(queues, buffer.clone()))
            }
        }
    } else {
        let aqm = within(&link.name, cx.aqm(spec, &info))?;
        // A limit in buffers is counted where packets are held: in a queue that decides at arrival
        // it would be on everybody's way.
        let held = options.hold || shared(&service) || link.capacity.buffer_size().is_some();
        match (shared_buffer, aqm.needs()) {
            (Some(buffer), _) => {
                let fifo = Fifo::new(aqm).counting(link.capacity.buffer_size());
                Discipline::Sharing(SharingQueue::new(Queues::Fifo(fifo), buffer.clone()))
            }
            (None, Needs::Arrival) if !held => {
                let queue = ArrivalQueue::new(aqm, rng, info, service, link.count_in_service);
                return Ok(Queue::Arrival(queue));
            }
            (None, _) => Discipline::Fifo(Fifo::new(aqm)),
        }
    };
    Ok(Queue::Held(HeldQueue::new(discipline, rng, info, service, link.count_in_service)))
}

/// A discipline whose queues share a buffer with those of other ports.
fn sharing(
    spec: &Spec,
    queues: AnyQdisc<QueuedPacket>,
) -> Result<SharingQdisc<QueuedPacket>, Fault> {
    SharingQdisc::of(queues).ok_or_else(|| {
        let cause = format!("the queues of {} cannot share a buffer", spec.kind);
        Fault::at("kind", cause).fix(format!("take one of {}", SHARING.join(", ")))
    })
}

/// True if both directions of a link share one medium, so that transmissions are known only when
/// they end.
fn shared(service: &AnyService) -> bool {
    matches!(service, AnyService::DuplexMismatch(_))
}

/// The port of one link by itself, with the chance that it has in a run of `plan`.
///
/// # Errors
/// The errors of [`network`].
pub(crate) fn lone_port(
    plan: &Plan,
    link: usize,
    plugins: &Plugins,
    alarm: &Alarm,
) -> Result<Box<Port>, Fault> {
    let cx = BuildCx::new(plan, plugins, alarm);
    match element(plan, link, true, Options::default(), &cx)? {
        Element::Port(port) => Ok(port),
        _ => unreachable!("a link that datagrams take is no wire"),
    }
}

/// About how many packets a second come to merges, of 1000 bytes, and leave those that hold them:
/// what sizes the agenda's buckets.
fn entries_per_second(plan: &Plan, merge: &[bool], held: &[bool]) -> f64 {
    let mut load = vec![0.0; plan.links.len()];
    for flow in &plan.flows {
        let slowest =
            flow.forward.iter().map(|l| plan.links[*l].rate.bps()).min().unwrap_or(0) as f64;
        flow.forward.iter().chain(&flow.back).for_each(|l| load[*l] += slowest);
    }
    let entries = |l: usize| match (merge[l], held[l]) {
        (false, _) => 0.0,
        (true, false) => 1.0,
        (true, true) => 2.0,
    };
    let rates = plan.links.iter().zip(load).map(|(link, load)| load.min(link.rate.bps() as f64));
    rates.enumerate().map(|(l, rate)| entries(l) * rate).sum::<f64>() / 8000.0
}

/// The longest common delay: a link's propagation and its full queue, at most a second.
fn horizon(plan: &Plan) -> Span {
    let of = |link: &Link| {
        let queue = match link.capacity {
            Capacity::Packets(n) => link.rate.span_of(u64::from(n) * 1500),
            Capacity::Bytes(n) | Capacity::Reached(n) => link.rate.span_of(n),
            Capacity::Buffers { count, size } => {
                link.rate.span_of(u64::from(count) * u64::from(size))
            }
            Capacity::Unlimited => Span::ZERO,
        };
        link.delay + queue
    };
    plan.links.iter().map(of).max().unwrap_or_default().min(Span::from_secs(1))
}
