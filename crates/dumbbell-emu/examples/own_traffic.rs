//! Measures how much traffic this machine's kernel makes over the loopback device, and its cost.
//!
//! `cargo run --release -p dumbbell-emu --example own_traffic -- KIND FLOWS SECONDS MBPS
//! SAMPLES_PER_SECOND`, where KIND is the kernel's work to look at: `sack`, `cubic`, `bbr` (a bulk
//! transfer each) or `udp` (MBPS each, 1250-byte packets). With a sixth word, `tell`, the kernel
//! parameters are set first that the flows ask for: for a network namespace that is thrown away
//! (`no`: they are not). A seventh is the MSS (1460).
#![allow(clippy::print_stdout)]
use dumbbell_core::units::{Bytes, Capacity, Rate, Span};
use dumbbell_emu::clock::Clock;
use dumbbell_emu::traffic::cpu::{Machine, PerGigabyte};
use dumbbell_emu::traffic::{open, plan};
use dumbbell_plan::{Flow, Ip, Link, Node, NodeKind, Plan, Record, Spec, Transport};
use dumbbell_tcp::TcpConfig;
use serde_json::{Value, json};
use std::error::Error;
use std::net::Ipv4Addr;

fn spec(kind: &str, config: Value) -> Spec {
    Spec { kind: kind.into(), config, source_hash: None }
}

fn scene(kind: &str, flows: usize, seconds: u64, mbps: u64, mss: u64) -> Plan {
    let node = |name: &str| Node { name: name.into(), kind: NodeKind::Host, silent: false };
    let link = |from, to| Link {
        name: format!("{from}->{to}"),
        from,
        to,
        rate: Rate::from_mbps(10_000),
        service: None,
        delay: Span::ZERO,
        mtu: 1500,
        framing: 0,
        least: 0,
        conditioner: None,
        aqm: spec("drop_tail", json!({})).into(),
        capacity: Capacity::Unlimited,
        count_in_service: false,
        watch_above: None,
        impairments: vec![],
        report: false,
        host: None,
    };
    let (source, transport) = if kind == "udp" {
        let source = spec("cbr", json!({ "rate": format!("{mbps} Mbps"), "packet": "1250 B" }));
        (source, Transport::Udp { header: 28, ecn: Default::default(), df: true })
    } else {
        let tcp = TcpConfig { mss: Some(Bytes(mss)), ..TcpConfig::linux() };
        (
            spec("bulk", json!({})),
            Transport::Tcp { cc: spec(kind, json!({})).into(), tcp: tcp.into() },
        )
    };
    let flow = |i: usize| Flow {
        name: format!("f{i}"),
        from: 0,
        to: 1,
        start: Span::from_ms(20),
        stop: None,
        forward: vec![0],
        back: vec![1],
        source: source.clone().into(),
        transport: transport.clone(),
        dscp: Default::default(),
        info: Default::default(),
        ip: Ip::V4,
        answers: None,
        session: None,
        words: None,
        multipath: None,
    };
    Plan {
        name: "own traffic".into(),
        seed: 1,
        duration: Span::from_secs(seconds),
        warmup: Span::from_ms(200),
        nodes: vec![node("left"), node("right")],
        links: vec![link(0, 1), link(1, 0)],
        flows: (0..flows).map(flow).collect(),
        sessions: vec![],
        shared_buffers: vec![],
        reassembly: Default::default(),
        testbed: Default::default(),
        record: Record { every: Some(Span::from_ms(100)), delays: vec![0], ..Record::default() },
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |i: usize, usual: &str| words.get(i).map_or(usual.to_owned(), Clone::clone);
    let (kind, flows, seconds) = (word(0, "sack"), word(1, "1").parse()?, word(2, "3").parse()?);
    let (mbps, samples): (u64, u64) = (word(3, "100").parse()?, word(4, "100").parse()?);
    let scene = scene(&kind, flows, seconds, mbps, word(6, "1460").parse()?);
    let address = |host: usize, _| Ipv4Addr::new(127, 9, 0, 1 + host as u8).into();
    let jobs = plan(&scene, &address)
        .map_err(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    if words.get(5).is_some_and(|w| w == "tell") {
        for (key, value) in jobs.host_settings.values().flat_map(|w| &w.sysctls) {
            let path = format!("/proc/sys/{}", key.replace('.', "/"));
            std::fs::write(&path, value).map_err(|e| format!("{path} = {value}: {e}"))?;
        }
        println!("{:?}", jobs.host_settings);
    }
    let before = Machine::so_far()?;
    let opened = open(jobs, &|_, work| work())?;
    let out = opened.start(Clock::start(), Span::from_us(1_000_000 / samples))?.join()?;
    let machine = Machine::so_far()?.since(before);
    let bytes: u64 = out.flows.iter().map(|f| f.end.bytes).sum();
    let window = (scene.duration - scene.warmup).seconds();
    println!("{:.3} Gbit/s", out.flows.iter().map(|f| f.goodput_bps()).sum::<f64>() / 1e9);
    for s in &out.spent {
        let (user, system) =
            (s.user.seconds() / window * 100.0, s.system.seconds() / window * 100.0);
        println!("{:?}: {user:.1} + {system:.1} % of a core", s.role);
    }
    println!("{:?}", PerGigabyte::of(bytes, &out.spent, None, machine));
    println!("{} samples, {} missed", out.samples.len(), out.missed_samples);
    for (i, f) in out.flows.iter().enumerate().take(3) {
        if let Some(d) = &f.datagrams {
            let late = d.sent.late_sum_ns.checked_div(d.sent.count);
            println!(
                "f{i}: sent {} refused {} came {} no room {} reordered {}; late {late:?} ns in the \
                    mean, {} at most",
                d.sent.count, d.sent.refused, d.count, d.no_room, d.reordered, d.sent.late_max_ns
            );
            let mut delays: Vec<u64> =
                d.log.iter().map(|x| x.came.since(x.sent).ps() / 1000).collect();
            delays.sort_unstable();
            println!(
                "  one way: p50 {:?} ns, p99 {:?}",
                delays.get(delays.len() / 2),
                delays.get(delays.len() * 99 / 100)
            );
        } else {
            let s = f.sender_end;
            println!(
                "f{i}: {:?} {:?} {:?}; cwnd {:?} rtt {:?}; busy {} us, limited by window {} by \
                    buffer {}; peer window {}; opened {:?} {:?}",
                f.control,
                f.failure,
                f.timeouts(),
                f.means.cwnd(),
                f.means.rtt(),
                s.busy_us,
                s.window_limited_us,
                s.buffer_limited_us,
                s.peer_window,
                f.opened,
                f.established
            );
        }
    }
    Ok(())
}
