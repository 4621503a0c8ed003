//! Jobs for sockets, from the flows of a plan.
use super::app::App;
use super::job::{Datagrams, Job, SocketKind};
use crate::traffic::host_settings::{HostRequests, HostSettings, Unsupported};
use crate::traffic::kernel_config::kernel_config;
use dumbbell_algos::source::AnySource;
use dumbbell_core::packet::Ecn;
use dumbbell_core::rng::Stream;
use dumbbell_core::source::Source;
use dumbbell_core::units::{Span, Time};
use dumbbell_plan::{Flow, Ip, NodeId, Plan, Transport};
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

/// All traffic of a run.
pub struct Jobs {
    /// A job for each flow, in the plan's order.
    pub jobs: Vec<Job>,
    /// The application of each.
    pub apps: Vec<App>,
    /// Settings that each host gets before a socket is opened in it.
    pub host_settings: BTreeMap<NodeId, HostSettings>,
    /// End of the warm-up.
    pub warmup: Time,
    /// End of the run.
    pub end: Time,
    /// Period of the series; `None`: none.
    pub every: Option<Span>,
}

/// The first port that is used; each host counts from here, whether it sends or receives.
const FIRST_PORT: u16 = 10_000;

/// The jobs of `plan`, whose hosts have the addresses that `address` gives.
///
/// # Errors
/// All that the plan asks of the kernel and the kernel lacks.
pub fn plan(plan: &Plan, address: &dyn Fn(NodeId, Ip) -> IpAddr) -> Result<Jobs, Vec<Unsupported>> {
    let mut hosts: BTreeMap<NodeId, HostRequests> = BTreeMap::new();
    let mut ports: BTreeMap<NodeId, u16> = BTreeMap::new();
    let (mut jobs, mut apps, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for (number, flow) in plan.flows.iter().enumerate() {
        let ends = [flow.from, flow.to].map(|host| {
            let port = ports.entry(host).or_insert(FIRST_PORT);
            let own = *port;
            *port = own.saturating_add(1);
            SocketAddr::new(address(host, flow.ip), own)
        });
        if ends.iter().any(|e| e.port() == u16::MAX) {
            let cause = "a host has 55,000 ports for flows, and there are more of these";
            refused.push(Unsupported::new(
                &flow.name,
                "count",
                cause,
                "spread the flows over more \
                hosts",
            ));
            break;
        }
        match job(plan, number, flow, ends, &mut hosts) {
            Ok((job, app)) => {
                jobs.push(job);
                apps.push(app);
            }
            Err(more) => refused.extend(more),
        }
    }
    if !refused.is_empty() {
        return Err(refused);
    }
    let host_settings = hosts.into_iter().map(|(node, host)| (node, host.settings())).collect();
    let at = |span: Span| Time::ZERO + span;
    Ok(Jobs {
        jobs,
        apps,
        host_settings,
        warmup: at(plan.warmup),
        end: at(plan.duration),
        every: plan.record.every,
    })
}

fn job(
    plan: &Plan,
    number: usize,
    flow: &Flow,
    [from, to]: [SocketAddr; 2],
    hosts: &mut BTreeMap<NodeId, HostRequests>,
) -> Result<(Job, App), Vec<Unsupported>> {
    let refuse = |field: &str, cause: String, fix: &str| {
        vec![Unsupported::new(&flow.name, field, cause, fix)]
    };
    if flow.words.is_some() {
        let cause = "a host cannot tell the kernel's TCP that its path is gone".into();
        return Err(refuse("words", cause, "take `words` out, or simulate"));
    }
    let source = AnySource::build(&flow.source.kind, &flow.source.config, &()).map_err(|f| {
        refuse(
            &format!("source.{}", f.at),
            f.cause,
            f.fix.as_deref().unwrap_or(
                "see \
            docs/reference/traffic.md",
            ),
        )
    })?;
    if source.hears_delivery() {
        let cause = format!(
            "the sender of {} cannot see when a kernel's receiver has its data",
            flow.source.kind
        );
        return Err(refuse("source", cause, "simulate it, or write another source"));
    }
    let chance = Stream::named(plan.seed, &format!("{}/source", flow.name));
    let start = Time::ZERO + flow.start;
    let stop = flow.stop.map_or(Time::NEVER, |d| Time::ZERO + d);
    let (socket_kind, marks) = match &flow.transport {
        Transport::Udp { header, ecn, df } => {
            let usual = flow.ip.header() + 8;
            if *header != usual {
                let cause = format!("the kernel's headers of IP and UDP are {usual} B");
                return Err(refuse("header", cause, "leave it out"));
            }
            (
                SocketKind::Udp(Datagrams { largest: u32::from(u16::MAX) - header, df: *df }),
                field(*ecn),
            )
        }
        Transport::Quic { .. } => {
            let cause = "the kernel has no QUIC: it lives in programs".into();
            return Err(refuse("transport", cause, "simulate it, or write transport = \"tcp\""));
        }
        Transport::Scream { .. } => {
            let cause = "the kernel has no SCReAM: it lives in programs".into();
            return Err(refuse("transport", cause, "simulate it, or write transport = \"tcp\""));
        }
        Transport::Tcp { cc, tcp } => {
            let slowest = flow.forward.iter().map(|l| plan.links[*l].rate).min();
            let kernel_config =
                kernel_config(&flow.name, flow.ip, cc, tcp, slowest.unwrap_or_default())?;
            let ask = |node: NodeId,
                       peer: IpAddr,
                       asks: &[_],
                       hosts: &mut BTreeMap<NodeId, HostRequests>| {
                let (host, name) = (hosts.entry(node).or_default(), &plan.nodes[node].name);
                asks.iter()
                    .filter_map(|a| host.ask(name, &flow.name, peer, a).err())
                    .collect::<Vec<_>>()
            };
            let mut clashes = ask(flow.from, to.ip(), &kernel_config.sender, hosts);
            clashes.extend(ask(flow.to, from.ip(), &kernel_config.receiver, hosts));
            if !clashes.is_empty() {
                return Err(clashes);
            }
            (SocketKind::Tcp(kernel_config.connection), 0)
        }
    };
    let app = App::new(source, chance, start, stop);
    let job = Job {
        flow: number,
        name: flow.name.clone(),
        hosts: [flow.from, flow.to],
        from,
        to,
        start,
        awaits: app.awaits(),
        tos: (flow.dscp.0 << 2) | marks,
        socket_kind,
        rows: flow.session.is_none(),
        log: plan.record.delays.binary_search(&number).is_ok(),
    };
    Ok((job, app))
}

/// The ECN field as the header has it (RFC 3168 section 5).
fn field(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotEct => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    }
}
