//! Own traffic over the loopback device: every byte and every datagram is accounted for.
use dumbbell_core::packet::Dscp;
use dumbbell_core::packet::flow::FlowInfo;
use dumbbell_core::units::{Bytes, Capacity, Limit, Packets, Rate, Span, Time};
use dumbbell_emu::clock::{Clock, monotonic_ns};
use dumbbell_emu::host::namespace::Namespace;
use dumbbell_emu::host::sysctl;
use dumbbell_emu::traffic::{Outcomes, SAMPLE_EVERY, open, plan};
use dumbbell_plan::{Flow, Ip, Link, Node, NodeKind, Plan, Record, Spec, Transport};
use dumbbell_tcp::TcpConfig;
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicU8, Ordering};

/// Two hosts and a link each way.
fn scene(flows: Vec<Flow>, ms: u64) -> Plan {
    let node = |name: &str| Node { name: name.into(), kind: NodeKind::Host, silent: false };
    let link = |from, to| Link {
        name: format!("{from}->{to}"),
        from,
        to,
        rate: Rate::from_mbps(1000),
        service: None,
        delay: Span::ZERO,
        mtu: 1500,
        framing: 0,
        least: 0,
        conditioner: None,
        aqm: spec("drop_tail", json!({})).into(),
        capacity: Capacity::Packets(100),
        count_in_service: false,
        watch_above: None,
        impairments: vec![],
        report: false,
        host: None,
    };
    Plan {
        name: "loopback".into(),
        seed: 1,
        duration: Span::from_ms(ms),
        warmup: Span::from_ms(ms / 4),
        nodes: vec![node("left"), node("right")],
        links: vec![link(0, 1), link(1, 0)],
        flows,
        sessions: vec![],
        shared_buffers: vec![],
        reassembly: Default::default(),
        testbed: Default::default(),
        record: Record { every: Some(Span::from_ms(50)), ..Record::default() },
    }
}

fn spec(kind: &str, config: Value) -> Spec {
    Spec { kind: kind.into(), config, source_hash: None }
}

fn flow(name: &str, source: Spec, transport: Transport) -> Flow {
    Flow {
        name: name.into(),
        from: 0,
        to: 1,
        start: Span::from_ms(5),
        stop: None,
        forward: vec![0],
        back: vec![1],
        source: source.into(),
        transport,
        dscp: Dscp(10),
        info: FlowInfo::default(),
        ip: Ip::V4,
        answers: None,
        session: None,
        words: None,
        multipath: None,
    }
}

fn tcp(cc: &str) -> Transport {
    let tcp = TcpConfig { mss: Some(Bytes(1460)), ..TcpConfig::linux() };
    Transport::Tcp { cc: spec(cc, json!({})).into(), tcp: tcp.into() }
}

/// Runs it on the loopback device, at addresses that no other test has.
fn run(scene: &Plan) -> Outcomes {
    static NUMBER: AtomicU8 = AtomicU8::new(1);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let jobs = plan(scene, &|host, _| Ipv4Addr::new(127, 9, number, 1 + host as u8).into()).expect(
        "the \
            kernel has all of it",
    );
    let opened = open(jobs, &|_, work| work()).expect("sockets open");
    // Zero lies ahead, as in a run whose router must be there first.
    let clock = Clock::from_epoch(monotonic_ns() + 20_000_000);
    opened.start(clock, SAMPLE_EVERY).expect("threads start").join().expect("they end")
}

#[test]
fn a_transfer_arrives_whole_and_is_complete_when_its_last_byte_is() {
    let sizes = [1u64, 100_000, 3_000_000];
    let flows = sizes.iter().map(|b| {
        flow(&format!("f{b}"), spec("fixed", json!({ "size": format!("{b} B") })), tcp("sack"))
    });
    let out = run(&scene(flows.collect(), 600));
    for (outcome, size) in out.flows.iter().zip(sizes) {
        assert_eq!(outcome.failure, None);
        assert_eq!((outcome.written, outcome.end.bytes), (size, size));
        assert!(outcome.closed);
        let at = outcome.completed.expect("it is complete");
        assert!(at > outcome.opened.unwrap() && at < outcome.end.at, "{at:?}");
        assert_eq!(outcome.control.as_deref(), Some("reno"));
        assert!(outcome.end.segments > 0 && outcome.sender_end.bytes_acked >= size);
    }
    assert!(
        out.samples.iter().any(|s| s.flow == 2 && s.cwnd >= 10 && s.mss == 1448),
        "{:?}",
        out.samples.last()
    );
    let rows: Vec<_> = out.progress.iter().filter(|p| p.flow == 2).collect();
    assert_eq!(rows.len(), 13, "from 0 to 600 ms, each 50 ms");
    assert!(rows.windows(2).all(|w| w[0].delivered.bytes <= w[1].delivered.bytes));
}

#[test]
fn a_bulk_transfer_stops_when_its_application_does() {
    let bulk = flow("bulk", spec("bulk", json!({})), tcp("sack"));
    // Time enough after the stop for four timeouts in a row, 0.2 to 1.6 s: a receiver that had no
    // processor loses what comes meanwhile.
    let out = run(&scene(vec![Flow { stop: Some(Span::from_ms(1000)), ..bulk }], 4000));
    let f = &out.flows[0];
    assert!(f.closed && f.written > 0);
    assert_eq!(f.end.bytes, f.written, "what was handed over arrives");
    assert!(f.completed.is_some() && f.means.cwnd().is_some() && f.means.rtt().is_some());
    assert!(f.warm.at >= Time::ZERO + Span::from_ms(400) && f.warm.bytes < f.end.bytes);
}

#[test]
fn a_closed_loop_goes_on_when_everything_was_acknowledged() {
    let config = json!({ "exchanges": 5, "think": "2 ms" });
    let exchanges = flow("web", spec("request_response", config), tcp("sack"));
    let out = run(&scene(vec![exchanges], 800));
    let f = &out.flows[0];
    assert_eq!(f.failure, None);
    assert!(f.closed && f.written > 0 && f.end.bytes == f.written, "{f:?}");
}

/// Nobody tells a sender when a kernel's receiver has its data.
#[test]
fn clients_that_act_when_their_data_arrive_are_refused() {
    for (kind, is_refused) in [("video", false), ("dash", true), ("web", true)] {
        let scene = scene(vec![flow("f", spec(kind, json!({})), tcp("sack"))], 400);
        let planned = plan(&scene, &|host, _| Ipv4Addr::new(127, 9, 0, 1 + host as u8).into());
        let fields = planned.err().map(|all| all.into_iter().map(|one| one.field).collect());
        assert_eq!(fields, is_refused.then(|| vec![String::from("source")]), "{kind}");
    }
}

#[test]
fn datagrams_come_in_order_with_their_instants() {
    let udp = Transport::Udp { header: 28, ecn: dumbbell_core::packet::Ecn::Ect0, df: true };
    let config = json!({ "rate": "4 Mbps", "packet": "528 B" });
    let mut scene = scene(vec![flow("voice", spec("cbr", config), udp)], 400);
    scene.record.delays = vec![0];
    let out = run(&scene);
    let f = &out.flows[0];
    let d = f.datagrams.as_ref().expect("it is a flow of datagrams");
    assert_eq!(d.sent.refused, 0);
    assert!(d.sent.count >= 100, "{}", d.sent.count);
    // The last one may be on its way.
    assert!(
        d.count + 1 >= d.sent.count && d.count <= d.sent.count,
        "{} of {}",
        d.count,
        d.sent.count
    );
    assert_eq!((d.reordered, d.copies, d.no_room, d.ce), (0, 0, 0, 0));
    assert_eq!((d.log.len() as u64, d.delays.count), (d.count, d.count));
    assert!(d.delays.least <= Some(d.delays.most));
    assert!(d.log.iter().enumerate().all(|(i, x)| x.number as usize == i && x.came >= x.sent));
    assert_eq!(f.end.bytes * d.sent.count, d.count * d.sent.bytes);
}

#[test]
fn what_the_kernel_has_not_is_refused_with_its_field_and_a_fix() {
    let here = |_, _| IpAddr::V4(Ipv4Addr::LOCALHOST);
    let refused = |change: &dyn Fn(&mut TcpConfig)| {
        let mut config = TcpConfig::linux();
        config.mss = Some(Bytes(1460));
        change(&mut config);
        let transport = Transport::Tcp { cc: spec("sack", json!({})).into(), tcp: config.into() };
        let flows = vec![flow("a", spec("bulk", json!({})), transport)];
        plan(&scene(flows, 100), &here).err().unwrap_or_default()
    };
    assert_eq!(refused(&|_| {}), vec![]);
    let all = refused(&|c| {
        c.initial_ssthresh = Limit::Packets(Packets(64.0));
        c.handshake = false;
        c.initial_window = Packets(1.5);
    });
    let fields: Vec<&str> = all.iter().map(|r| r.field.as_str()).collect();
    assert_eq!(fields, ["tcp.initial_ssthresh", "tcp.handshake", "tcp.initial_window"]);
    assert!(all.iter().all(|r| r.flow == "a" && !r.fix.is_empty()));
    assert_eq!(refused(&|c| c.timestamps = false), vec![], "it is asked for");
    // One kernel, one `tcp_timestamps`: two flows of a host agree or are on different hosts.
    let mut odd = TcpConfig::linux();
    (odd.mss, odd.timestamps) = (Some(Bytes(1460)), false);
    let odd = Transport::Tcp { cc: spec("sack", json!({})).into(), tcp: odd.into() };
    let two = vec![
        flow("a", spec("bulk", json!({})), tcp("sack")),
        flow("b", spec("bulk", json!({})), odd),
    ];
    let clash = plan(&scene(two, 100), &here).err().unwrap_or_default();
    assert!(
        clash
            .iter()
            .any(|r| r.flow == "b" && r.field == "tcp.timestamps" && r.cause.contains("`a`")),
        "{clash:?}"
    );
}

#[test]
fn hosts_take_what_their_flows_ask_for_and_the_kernel_does_so() {
    if !dumbbell_emu::host::testing::namespaces() {
        return;
    }
    let mut config = TcpConfig { mss: Some(Bytes(1000)), ..TcpConfig::linux() };
    config.receive_window = Limit::Bytes(Bytes(30_000));
    config.ecn = dumbbell_tcp::Ecn::Rfc3168;
    config.restart_after_idle = false;
    let transport = Transport::Tcp { cc: spec("cubic", json!({})).into(), tcp: config.into() };
    let scene = scene(vec![flow("a", spec("bulk", json!({})), transport)], 300);
    let jobs = plan(&scene, &|host, _| Ipv4Addr::new(127, 9, 0, 1 + host as u8).into()).expect(
        "the \
        kernel has it",
    );
    let host = Namespace::new().expect("a namespace");
    for host_settings in jobs.host_settings.values() {
        for (key, value) in &host_settings.sysctls {
            let kept = host
                .within(|| sysctl::write(key, value).and_then(|()| sysctl::read(key)))
                .expect("inside");
            assert_eq!(kept.map(|k| k.replace('\t', " ")).as_ref(), Ok(value), "{key}");
        }
    }
    let opened = open(jobs, &|_, work| host.within(work).map_err(std::io::Error::other)?).expect(
        "sockets \
        open",
    );
    let out = opened.start(Clock::start(), SAMPLE_EVERY).expect("threads start").join().expect(
        "they \
        end",
    );
    let f = &out.flows[0];
    assert_eq!((f.failure.as_deref(), f.control.as_deref()), (None, Some("cubic")));
    assert!(f.end.bytes > 1_000_000, "{}", f.end.bytes);
    assert!(!out.samples.is_empty());
    for sample in &out.samples {
        assert!(sample.peer_window <= 30_000, "{sample:?}");
        assert_eq!(sample.mss, 988, "the MSS less the timestamps");
    }
}
