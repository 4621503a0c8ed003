//! Two hosts and a link between them, for tests and measurements of the router.
#![allow(dead_code)]
use dumbbell_core::packet::Ecn;
use dumbbell_core::plugin::Plugins;
use dumbbell_core::units::{Bytes, Capacity, Rate, Span};
use dumbbell_emu::clock::Clock;
use dumbbell_emu::host::hosts::{Datapath, HostSpec, Hosts, PendingNic};
use dumbbell_emu::host::nic::Nic;
use dumbbell_emu::packet::classify::{Classifier, Service};
use dumbbell_emu::router::Setup;
use dumbbell_emu::router::ip_codec::IpCodec;
use dumbbell_emu::router::measures::bottleneck::Bottleneck;
use dumbbell_emu::router::network::ObservedRelay;
use dumbbell_net::Relay;
use dumbbell_plan::{Flow, Link, Node, NodeKind, Plan, Record, Shared, Spec, Transport};
use dumbbell_tcp::TcpConfig;
use dumbbell_wire::address::Address;
use dumbbell_wire::protocol;
use serde_json::{Value, json};
use std::net::{SocketAddr, UdpSocket};

/// The port of the receiver of datagrams.
pub const PORT: u16 = 7000;

/// An algorithm with its defaults but for `config`.
pub fn spec(kind: &str, config: Value) -> Shared<Spec> {
    Spec { kind: kind.into(), config, source_hash: None }.into()
}

/// A link of `rate` from one host to the other.
pub fn link(from: usize, to: usize, rate: Rate, delay: Span, mtu: u32) -> Link {
    Link {
        name: format!("{from}->{to}"),
        from,
        to,
        rate,
        service: None,
        delay,
        mtu,
        framing: 0,
        least: 0,
        conditioner: None,
        aqm: spec("drop_tail", json!({})),
        capacity: Capacity::Packets(36),
        count_in_service: false,
        watch_above: None,
        impairments: vec![],
        report: from == 0,
        host: None,
    }
}

/// Datagrams from host 0 to host 1 over a link of `rate`.
pub fn plan(rate: Rate, delay: Span, duration: Span, mtu: u32) -> Plan {
    let host = |name: &str| Node { name: name.into(), kind: NodeKind::Host, silent: false };
    let flow = Flow {
        name: "datagrams".into(),
        from: 0,
        to: 1,
        start: Span::ZERO,
        stop: None,
        forward: vec![0],
        back: vec![],
        source: spec("cbr", json!({"rate": "1 Mbps", "packet": "1000 B", "jitter": 0.0})),
        transport: Transport::Udp { header: 28, ecn: Ecn::NotEct, df: false },
        dscp: Default::default(),
        info: Default::default(),
        ip: Default::default(),
        answers: None,
        session: None,
        words: None,
        multipath: None,
    };
    Plan {
        name: "two hosts".into(),
        seed: 1,
        duration,
        warmup: Span::ZERO,
        nodes: vec![host("a"), host("b")],
        links: vec![link(0, 1, rate, delay, mtu), link(1, 0, rate, delay, mtu)],
        flows: vec![flow],
        sessions: vec![],
        shared_buffers: vec![],
        reassembly: Default::default(),
        testbed: Default::default(),
        record: Record::default(),
    }
}

/// `n` connections of the kernel's Reno in place of the datagrams, with acknowledgments over a
/// link as fast as theirs.
pub fn connected(plan: &mut Plan, n: usize) {
    let datagrams = plan.flows.remove(0);
    let tcp =
        TcpConfig { mss: Some(Bytes(u64::from(plan.links[0].mtu) - 40)), ..TcpConfig::linux() };
    let transport = Transport::Tcp { cc: spec("sack", json!({})), tcp: tcp.into() };
    plan.flows.extend((0..n).map(|i| Flow {
        name: format!("tcp{i}"),
        back: vec![1],
        source: spec("bulk", json!({})),
        transport: transport.clone(),
        ..datagrams.clone()
    }));
}

/// Two hosts that are up, and their NICs.
pub fn hosts(mtu: u32) -> (Hosts, Vec<Box<dyn Nic>>) {
    let specs = [0, 1].map(|n| HostSpec { mtu, ..HostSpec::numbered(n, format!("host{n}")) });
    let mut hosts = Hosts::up(&specs, Datapath::Tun).expect("a machine that was asked before");
    let nics = hosts.nics.drain(..).map(|nic| match nic {
        PendingNic::Tun(tun) => Box::new(tun) as Box<dyn Nic>,
        PendingNic::Veth(_) => unreachable!("TUN was asked for"),
    });
    let nics = nics.collect();
    (hosts, nics)
}

/// A socket in each host, connected to the other's.
pub fn sockets(hosts: &Hosts) -> [UdpSocket; 2] {
    let address = |n: u16| SocketAddr::from((dumbbell_emu::host::hosts::v4(n), PORT));
    let open = |n: u16| {
        let socket = hosts.hosts[usize::from(n)].namespace.within(|| UdpSocket::bind(address(n)));
        let socket = socket.expect("a namespace").expect("a free port");
        socket.connect(address(1 - n)).expect("there is a route");
        socket
    };
    [open(0), open(1)]
}

/// The network of `plan`, and headers of which all datagrams from host 0 to host 1 are flow 0's.
pub fn network(plan: &Plan) -> (ObservedRelay<()>, IpCodec) {
    let relay = Relay::new(plan, &Plugins::default()).expect("a plan of the catalogue");
    let address = |n: u16| Address::v4(dumbbell_emu::host::hosts::v4(n).octets());
    let mut classifier = Classifier::new([(address(0), 0), (address(1), 1)]);
    classifier.pool(0, 1, Some(Service { protocol: protocol::UDP, port: PORT }), vec![0]);
    (ObservedRelay { relay, observer: () }, IpCodec::new(classifier))
}

/// A router from now on, for the plan's duration.
pub fn setup(plan: &Plan) -> Setup {
    let clock = Clock::start();
    let mut setup = Setup::new(clock, dumbbell_core::units::Time::ZERO + plan.duration);
    setup.nic_of = vec![0, 1];
    setup.max_ip_len = plan.links.iter().map(|link| link.mtu as u16).max().unwrap_or(1500);
    setup.bottleneck = Bottleneck::of(plan);
    setup
}
