//! Cost of a packet-hop on the workload that simulators are compared by:
//! `hop N RATE_MBPS SECONDS [red] [queue=NAME] [unfolded] [held] [linux] [rack] [cubic] [cc=NAME]
//! [timestamps] [reserved=KBPS] [fat=K]`.
//!
//! N senders, access 1 Gbps / 1 ms, bottleneck RATE / 10 ms, a buffer of one bandwidth-delay
//! product (24 ms), 1000-byte packets, 40-byte acknowledgments, one for each packet, NewReno, flow
//! i starts at i/N s. `linux`: hosts as the profile `linux` has them, with SACK (or CUBIC, or the
//! control NAME) and the same sizes; `rack`: the benchmark's TCP with RACK-TLP; `cubic`, `cc`: the
//! benchmark's TCP with CUBIC or the control NAME, and with `timestamps` if that is said.
//! `reserved`: what is reserved for each flow. `fat`: instead of the dumbbell a fat tree of
//! switches with K ports, links of 10 Gbps, every queue reported; N and RATE say nothing then.
//! Under `valgrind --tool=cachegrind` the instruction count divided by the hops is exact.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]
#[path = "../tests/plans/mod.rs"]
mod plans;

use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::Transport;
use dumbbell_sim::{Options, World};
use dumbbell_tcp::TcpConfig;
use serde_json::json;
use std::time::Instant;

/// Another control and another TCP than the benchmark's, if one was asked for.
fn other<'a>(said: &dyn Fn(&str) -> bool, named: Option<&'a str>) -> Option<(&'a str, TcpConfig)> {
    let (bench, now) = (plans::bench_tcp(), TcpConfig::linux());
    let cubic = said("cubic");
    if said("linux") {
        let TcpConfig { mss, initial_window, receive_window, delayed_ack, min_rto, .. } = bench;
        let workload =
            TcpConfig { mss, initial_window, receive_window, delayed_ack, min_rto, ..now };
        Some((named.unwrap_or(if cubic { "cubic" } else { "sack" }), workload))
    } else if said("rack") {
        let (detection, reduction) = (now.detection, now.reduction);
        Some(("sack", TcpConfig { detection, tail_loss_probe: true, reduction, ..bench }))
    } else {
        let timestamps = said("timestamps");
        let control = named.or(cubic.then_some("cubic")).or(timestamps.then_some("newreno"))?;
        Some((control, TcpConfig { timestamps, ..bench }))
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |i: usize, default: f64| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let said = |word: &str| args.iter().any(|a| a == word);
    let (n, rate, seconds) =
        (number(0, 10.0) as usize, Rate::from_mbps(number(1, 100.0) as u64), number(2, 10.0));
    let buffer = (rate.bytes_in(Span::from_ms(24)) / 1000) as u32;
    let threshold = |k: f64| format!("{} pkt", f64::from(buffer) * k);
    let named = args.iter().find_map(|a| a.strip_prefix("queue="));
    let queue = if let Some(name) = named {
        plans::spec(name, json!({}))
    } else if said("red") {
        plans::spec(
            "red",
            json!({
                "min_th": threshold(0.25), "max_th": threshold(0.75), "w_q": 0.0005, "max_p": 0.1,
                "gentle": true,
            }),
        )
    } else {
        plans::spec("drop_tail", json!({}))
    };
    let (limit, duration) = (Capacity::Packets(buffer), Span::from_secs_f64(seconds));
    let mut plan = match args.iter().find_map(|a| a.strip_prefix("fat=")?.parse().ok()) {
        Some(k) => plans::fat_tree::fat_tree(1, k, queue, duration),
        None => plans::dumbbell(1, n, rate, queue, limit, duration),
    };
    let control = args.iter().find_map(|a| a.strip_prefix("cc="));
    if let Some((cc, tcp)) = other(&said, control) {
        let transport = Transport::Tcp { cc: plans::spec(cc, json!({})), tcp: tcp.into() };
        plan.flows.iter_mut().for_each(|f| f.transport = transport.clone());
    }
    if let Some(kbps) = args.iter().find_map(|a| a.strip_prefix("reserved=")?.parse::<u64>().ok()) {
        plan.flows.iter_mut().for_each(|f| f.info.reserved = Some(Rate::from_bps(1000 * kbps)));
    }
    let start = Instant::now();
    let mut world = World::new(
        &plan,
        Options { fold: !said("unfolded"), hold: said("held"), ..Options::default() },
    )
    .unwrap();
    drop(plan);
    let set_up = start.elapsed().as_secs_f64();
    let start = Instant::now();
    while !world.run_unobserved(1_000_000) {}
    let spent = start.elapsed().as_secs_f64();
    let r = world.finish_unobserved();
    let goodput: f64 = r.flows.iter().map(|f| f.goodput_bps).sum();
    let counters = &r.queues[0].counters;
    println!(
        "flows {n} set-up {set_up:.3} s hops {} events {} ns/hop {:.2} goodput {:.2} Mbps drops \
            {:.3} % delivered {} rtos {} fingerprint {:016x} ok {}",
        r.packet_hops,
        r.events,
        spent * 1e9 / r.packet_hops as f64,
        goodput / 1e6,
        100.0 * counters.dropped() as f64 / counters.arrivals as f64,
        counters.departures,
        r.flows.iter().map(|f| f.rtos).sum::<u64>(),
        r.fingerprint,
        r.conservation.ok,
    );
}
