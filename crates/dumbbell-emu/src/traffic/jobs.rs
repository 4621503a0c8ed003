//! The flows of a plan as jobs for sockets.
use super::app::App;
use crate::traffic::host_settings::{HostRequests, Unsupported, HostSettings};
use crate::traffic::kernel_config::kernel_config;
use dumbbell_algos::source::AnySource;
use dumbbell_core::packet::Ecn;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Span, Time};
use dumbbell_plan::{Flow, Ip, NodeId, Plan, Transport};
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

/// All that is to be sent in a run.
pub struct Jobs {
    /// A job for each flow, in the plan's order.
    pub jobs: Vec<Job>,
    /// The application of each.
    pub apps: Vec<App>,
    /// What each host must be told before a socket is opened in it.
    pub host_settings: BTreeMap<NodeId, HostSettings>,
    /// When the warm-up ends.
    pub warmup: Time,
    /// When the run ends.
    pub end: Time,
    /// Period of the series; `None`: none.
    pub every: Option<Span>,
}

/// One flow.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its number in the plan.
    pub flow: usize,
    /// Its name.
    pub name: String,
    /// The host that sends, and the one that receives.
    pub hosts: [NodeId; 2],
    /// The sender's address and port.
    pub from: SocketAddr,
    /// The receiver's.
    pub to: SocketAddr,
    /// When it starts.
    pub start: Time,
    /// Whether its application ever waits for acknowledgements.
    pub awaits: bool,
    /// The DiffServ codepoint and the ECN field of what both ends send, as the octet of the header; of TCP, which sets its
    /// ECN field itself, the codepoint alone.
    pub tos: u8,
    /// How it is sent.
    pub socket_kind: SocketKind,
    /// Whether there are rows of it: not of the many flows of a session.
    pub rows: bool,
    /// Whether each datagram is written down.
    pub log: bool,
}

/// A flow's transport.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SocketKind {
    /// A connection.
    Tcp(Connection),
    /// Datagrams.
    Udp(Datagrams),
}

/// The sockets of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The kernel's name of its congestion control.
    pub control: &'static str,
    /// The end that sends.
    pub sender: End,
    /// The end that receives.
    pub receiver: End,
    /// Payload of a full segment, bytes.
    pub segment: u32,
    /// Nagle's algorithm.
    pub nagle: bool,
    /// Whether routers may cut its packets: no path MTU discovery.
    pub fragments: bool,
    /// Whether segments leave at a rate even if the congestion control does not ask for it.
    pub paced: bool,
    /// Largest retransmission timeout, if it is not the kernel's 120 s.
    pub max_rto_ms: Option<u32>,
    /// How much the socket holds that was never sent, bytes: 20 ms of the slowest link, from 64 KiB to 1 MiB. What an
    /// application has handed over when it stops is sent.
    pub unsent: u32,
}

/// One end of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// What it announces as its MSS, bytes; `None`: what its device allows.
    pub mss: Option<u32>,
    /// The largest window that it offers, bytes; `None`: as large as its buffer allows.
    pub window: Option<u32>,
}

/// The sockets of a flow of datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagrams {
    /// The largest payload that the version of IP allows, bytes.
    pub largest: u32,
    /// Whether routers must not cut them.
    pub df: bool,
}

/// The first port that is used; each host counts from here, whether it sends or receives.
const FIRST_PORT: u16 = 10_000;

/// The jobs of `plan`, whose hosts have the addresses that `address` gives.
///
/// # Errors
/// All that the plan asks of the kernel and the kernel has not.
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
            refused.push(Unsupported::new(&flow.name, "count", cause, "spread the flows over more hosts"));
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
    Ok(Jobs { jobs, apps, host_settings, warmup: at(plan.warmup), end: at(plan.duration), every: plan.record.every })
}

fn job(
    plan: &Plan,
    number: usize,
    flow: &Flow,
    [from, to]: [SocketAddr; 2],
    hosts: &mut BTreeMap<NodeId, HostRequests>,
) -> Result<(Job, App), Vec<Unsupported>> {
    let refuse = |field: &str, cause: String, fix: &str| vec![Unsupported::new(&flow.name, field, cause, fix)];
    if flow.words.is_some() {
        let cause = "a host cannot tell the kernel's TCP that its path is gone".into();
        return Err(refuse("words", cause, "take `words` out, or simulate"));
    }
    let source = AnySource::build(&flow.source.kind, &flow.source.config, &())
        .map_err(|f| refuse(&format!("source.{}", f.at), f.cause, f.fix.as_deref().unwrap_or("see docs/traffic.md")))?;
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
            (SocketKind::Udp(Datagrams { largest: u32::from(u16::MAX) - header, df: *df }), field(*ecn))
        }
        Transport::Tcp { cc, tcp } => {
            let slowest = flow.forward.iter().map(|l| plan.links[*l].rate).min();
            let kernel_config = kernel_config(&flow.name, flow.ip, cc, tcp, slowest.unwrap_or_default())?;
            let ask = |node: NodeId, peer: IpAddr, asks: &[_], hosts: &mut BTreeMap<NodeId, HostRequests>| {
                let (host, name) = (hosts.entry(node).or_default(), &plan.nodes[node].name);
                asks.iter().filter_map(|a| host.ask(name, &flow.name, peer, a).err()).collect::<Vec<_>>()
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
