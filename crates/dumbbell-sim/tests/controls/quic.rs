//! Whole connections of QUIC: what fills a link, what loses, what comes back.
use crate::plans::{audited, dumbbell, spec};
use dumbbell_core::units::{Bytes, Capacity, Packets, Rate, Span};
use dumbbell_plan::{Plan, Transport};
use dumbbell_quic::{QuicConfig, wire};
use dumbbell_sim::{FlowReport, Options, Report};
use serde_json::{Value, json};

const DATAGRAM: u64 = 1472;

/// One flow of QUIC over 10 Mbps and 24 ms there and back.
fn plan(control: &str, queue: u32, seconds: u64) -> Plan {
    let (rate, queue) = (Rate::from_mbps(10), Capacity::Packets(queue));
    let mut plan =
        dumbbell(3, 1, rate, spec("drop_tail", json!({})), queue, Span::from_secs(seconds));
    let quic = QuicConfig { datagram: Some(Bytes(DATAGRAM)), ..QuicConfig::default() };
    plan.flows[0].transport = Transport::Quic { cc: spec(control, json!({})), quic: quic.into() };
    plan
}

fn with(mut plan: Plan, link: usize, kind: &str, config: Value) -> Plan {
    plan.links[link].impairments.push(spec(kind, config));
    plan
}

fn transfer(mut plan: Plan, bytes: u64) -> Plan {
    plan.flows[0].source = spec("fixed", json!({ "size": format!("{bytes} B") }));
    plan
}

fn run(plan: &Plan) -> Report {
    audited(plan, Options::default())
}

fn only(report: &Report) -> &FlowReport {
    &report.flows[0]
}

/// The wire gives the stream its part of each packet: rate x payload / packet.
#[test]
fn a_lossless_link_fills() {
    let mut plan = plan("cubic", 1000, 10);
    plan.warmup = Span::from_secs(2);
    // So that the window, not the buffer, ends the growth.
    if let Transport::Quic { quic, .. } = &mut plan.flows[0].transport {
        quic.window = Bytes(200_000);
    }
    let report = run(&plan);
    let flow = only(&report);
    let part = (DATAGRAM - wire::DATA_OVERHEAD) as f64 / (DATAGRAM + 28) as f64;
    assert!((flow.goodput_bps / (10e6 * part) - 1.0).abs() < 1e-3, "{}", flow.goodput_bps);
    assert_eq!((flow.lost_packets, flow.retransmits, flow.rtos), (0, 0, 0));
    assert_eq!(flow.quic.unwrap().lost_packets, 0);
}

/// Each of these controls uses most of a link with a shallow queue.
#[test]
fn controls_use_the_link() {
    for (control, least) in [
        ("newreno", 0.8),
        ("cubic", 0.85),
        ("bbr", 0.8),
        ("bbr3", 0.75),
        ("copa", 0.8),
        ("vegas", 0.8),
        ("ledbat", 0.8),
    ] {
        let mut plan = plan(control, 40, 20);
        plan.warmup = Span::from_secs(4);
        let report = run(&plan);
        let used = only(&report).goodput_bps / 10e6;
        println!("quic {control}: {used:.3}, {} lost", only(&report).lost_packets);
        assert!(used > least, "{control} {used}");
    }
}

/// One packet in a hundred is lost: each loss is found by a later packet, none by a timeout, and
/// the transfer is whole.
#[test]
fn random_loss_is_repaired() {
    let plan = with(plan("cubic", 1000, 60), 0, "bernoulli", json!({"loss": 0.01}));
    let report = run(&transfer(plan, 5_000_000));
    let flow = only(&report);
    assert!(flow.completion.is_some());
    let quic = flow.quic.unwrap();
    assert_eq!(quic.spurious_losses, 0);
    assert_eq!(quic.lost_packets, flow.lost_packets, "what was dropped, and nothing else");
    assert!(flow.lost_packets > 20 && quic.recoveries > 5);
}

/// Both directions lose: the stream is whole at the end, for every control at hand.
#[test]
fn losses_both_ways_are_repaired() {
    for control in ["newreno", "cubic", "bbr", "copa", "prague"] {
        let plan = with(plan(control, 1000, 600), 0, "bernoulli", json!({"loss": 0.05}));
        let plan = with(plan, 1, "bernoulli", json!({"loss": 0.1}));
        let report = run(&transfer(plan, 1_000_000));
        assert!(only(&report).completion.is_some(), "{control}");
        assert_eq!(only(&report).goodput_bps, 8e6 / 600.0, "{control}: each byte once");
    }
}

/// Packets that come up to a packet late are not taken for lost.
#[test]
fn slight_jitter_loses_nothing() {
    // 1.2 ms is the time of a packet: one or two overtake, not three.
    let mut plan = with(plan("cubic", 1000, 30), 0, "jitter", json!({"max": "2 ms"}));
    if let Transport::Quic { quic, .. } = &mut plan.flows[0].transport {
        quic.window = Bytes(200_000);
    }
    let report = run(&transfer(plan, 5_000_000));
    let flow = only(&report);
    assert!(flow.completion.is_some());
    assert_eq!((flow.quic.unwrap().lost_packets, flow.retransmits), (0, 0));
}

/// The last packets are lost: probes bring them, and no timeout of a second is waited for.
#[test]
fn a_lost_tail_is_probed() {
    let plan = transfer(plan("newreno", 1000, 30), 14 * 1433);
    // The first flight leaves by 40 ms, and its ACKs bring the last packets by 80 ms.
    let plan = with(plan, 0, "down", json!({"at": [["55 ms", "80 ms"]]}));
    let report = run(&plan);
    let flow = only(&report);
    println!("tail: {:?} {} probes, {} lost", flow.completion, flow.rtos, flow.lost_packets);
    assert!(flow.lost_packets >= 3 && flow.rtos >= 1, "{} {}", flow.lost_packets, flow.rtos);
    assert!(flow.completion.unwrap() < Span::from_ms(700), "{:?}", flow.completion);
}

/// The link is away for several seconds: persistent congestion, and then the transfer goes on.
#[test]
fn a_blackout_is_persistent_congestion() {
    let plan = with(plan("newreno", 60, 40), 0, "down", json!({"at": [["5 s", "9 s"]]}));
    let report = run(&plan);
    let quic = only(&report).quic.unwrap();
    println!("blackout: {quic:?}");
    assert!(quic.persistent_congestions >= 1 && quic.ptos >= 3);
    assert!(only(&report).goodput_bps > 6e6, "{}", only(&report).goodput_bps);
}

/// The same plan has the same history, packet for packet.
#[test]
fn a_run_repeats() {
    let plan = with(plan("bbr", 30, 5), 0, "bernoulli", json!({"loss": 0.01}));
    assert_eq!(run(&plan).fingerprint, run(&plan).fingerprint);
}

/// Windows of packets are as large as RFC 9002 says: the first flight is ten of them.
#[test]
fn the_first_flight_is_the_initial_window() {
    let mut plan = transfer(plan("newreno", 1000, 1), 10_000_000);
    plan.duration = Span::from_ms(60);
    if let Transport::Quic { quic, .. } = &mut plan.flows[0].transport {
        quic.pacing_burst = Packets(10.0);
    }
    let report = run(&plan);
    // The Initial, and ten packets after 24 ms and its serialization.
    assert!(only(&report).sent_packets >= 11);
    assert_eq!(QuicConfig::default().initial_window_bytes.0 / DATAGRAM, 10);
}
