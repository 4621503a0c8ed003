//! Host signals reach one end of one flow at their instant, folded or not; dummies of some senders.
mod plans;

use dumbbell_core::transport::HostSignal;
use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::{Plan, ScheduledSignal, SignalTarget, Transport};
use dumbbell_sim::{Options, Report};
use dumbbell_tcp::TcpConfig;
use plans::{audited, bench_tcp, dumbbell, spec};
use serde_json::json;

/// Two flows through 10 Mbps for 10 s; the first's radio is gone from 4 s to 7 s.
fn plan(cc: &str, to: SignalTarget) -> Plan {
    let queue = spec("drop_tail", json!({}));
    let mut p =
        dumbbell(3, 2, Rate::from_mbps(10), queue, Capacity::Packets(40), Span::from_secs(10));
    let word = |ms, say| ScheduledSignal { at: Span::from_ms(ms), to, say };
    p.flows[0].words =
        Some(vec![word(4000, HostSignal::PathDown), word(7000, HostSignal::PathUp)].into());
    if let Transport::Tcp { cc: control, .. } = &mut p.flows[0].transport {
        *control = spec(cc, json!({}));
    }
    p
}

/// Runs the plan in every mode; its history must be the same in each.
fn everyway(plan: &Plan) -> Report {
    let folded = audited(plan, Options::default());
    for options in [
        Options { fold: false, ..Options::default() },
        Options { hold: true, fold: false, straight: false, ..Options::default() },
    ] {
        assert_eq!(audited(plan, options).fingerprint, folded.fingerprint, "{options:?}");
    }
    folded
}

/// A receiver that minds closes its window for three seconds, and the other flow has the link for
/// itself.
#[test]
fn a_receiver_hears_its_host() {
    let deaf = everyway(&plan("newreno", SignalTarget::Receiver));
    let frozen = everyway(&plan("freeze", SignalTarget::Receiver));
    // Alone for three of ten seconds, the other flow has half as much again.
    assert!(frozen.flows[1].goodput_bps > 1.2 * deaf.flows[1].goodput_bps, "{:?}", frozen.flows);
    assert!(frozen.flows[0].goodput_bps < 0.8 * deaf.flows[0].goodput_bps);
}

/// A plan without words is written as ever; one with words says them.
#[test]
fn words_are_written_down_only_where_there_are_any() {
    let mut p = plan("newreno", SignalTarget::Sender);
    let written = serde_json::to_value(&p).unwrap();
    assert_eq!(
        written["flows"][0]["words"][1],
        json!({ "at": "7 s", "to": "sender", "say": "path_up" })
    );
    assert!(written["flows"][1].get("words").is_none());
    assert_eq!(serde_json::from_value::<Plan>(written).unwrap(), p);
    // A sender whose congestion control does not mind is not disturbed.
    let told = everyway(&p);
    p.flows[0].words = None;
    let untold = audited(&p, Options::default());
    let delivered = |r: &Report| r.flows.iter().map(|f| f.goodput_bps).sum::<f64>();
    assert!((delivered(&told) / delivered(&untold) - 1.0).abs() < 0.02);
}

/// Mean window of a TCP Peach behind this queue, packets, while datagrams take nearly all of the
/// link.
fn probing(queue: &str) -> f64 {
    let mut p = dumbbell(
        3,
        2,
        Rate::from_mbps(10),
        spec(queue, json!({})),
        Capacity::Packets(40),
        Span::from_secs(4),
    );
    let handshake = TcpConfig { handshake: true, ..bench_tcp() };
    p.flows[0].transport = Transport::Tcp { cc: spec("peach", json!({})), tcp: handshake.into() };
    p.flows[0].start = Span::from_secs(1);
    p.flows[1].start = Span::ZERO;
    p.flows[1].source = spec("cbr", json!({ "rate": "9800 kbps", "packet": "972 B" }));
    (p.flows[1].transport, p.flows[1].back) =
        (Transport::Udp { header: 28, ecn: Default::default(), df: false }, vec![]);
    everyway(&p).flows[0].cwnd_mean_packets.unwrap()
}

/// Dummies travel at LE whatever their flow's class is: behind a queue that serves that last a busy
/// link answers few of them, and the window stays shut; one that makes no difference lets them
/// through.
#[test]
fn dummies_are_served_last() {
    let (last, alike) = (probing("prio"), probing("drop_tail"));
    assert!(last < 20.0 && alike > 2.0 * last, "{last} {alike}");
}
