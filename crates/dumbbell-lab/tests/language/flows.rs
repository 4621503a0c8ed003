//! Flows: their TCP, their starts, and the work that they make.
use crate::common::{RED, plan, study};
use dumbbell_lab::api;
use dumbbell_plan::Transport;
use serde_json::json;

#[test]
fn tcp_is_profile_then_scenario_then_flow() {
    let tcp = |overrides: &[&str]| match plan(RED, overrides).flows.remove(0).transport {
        Transport::Tcp { cc, tcp } => (cc.kind.clone(), serde_json::to_value(tcp).unwrap()),
        Transport::Quic { .. } | Transport::Scream { .. } | Transport::Udp { .. } => panic!("TCP"),
    };
    let (_, rfc) = tcp(&[]);
    assert_eq!((&rfc["mss"], &rfc["min_rto"]), (&json!("1.46 kB"), &json!("1 s")));
    let (_, ns2) = tcp(&[
        "profile=ns2",
        "tcp.min_rto=\"300 ms\"",
        "flow.0.tcp={initial_window=\"4 \
        pkt\"}",
    ]);
    assert_eq!(
        (&ns2["mss"], &ns2["min_rto"], &ns2["initial_window"]),
        (&json!("1 kB"), &json!("300 ms"), &json!("4 pkt"))
    );
    // The name of a congestion control implies its recovery; SACK follows unless it was forbidden.
    let (_, sack) = tcp(&["profile=ns2", "flow.0.cc=sack"]);
    assert_eq!((&sack["recovery"], &sack["sack"]), (&json!("sack"), &json!(true)));
    assert!(study(RED, &["flow.0.cc=sack", "tcp.sack=false"]).is_err());
    assert_eq!(tcp(&["tcp.sack=false", "flow.0.cc={kind=\"aimd\"}"]).1["recovery"], "newreno");
}

#[test]
fn starts_are_spread_by_name_and_seed() {
    let starts = |seed: &str, spread: &str| {
        let p = plan(RED, &["flow.0.count=200", seed, spread]);
        p.flows.iter().map(|f| f.start.seconds()).collect::<Vec<_>>()
    };
    let a = starts("seed=1", "flow.0.start_spread=1 s");
    assert_eq!(a, starts("seed=1", "flow.0.start_spread=1 s"));
    assert_ne!(a, starts("seed=2", "flow.0.start_spread=1 s"));
    // 200 uniform numbers: the mean's standard deviation is 0.0204.
    let mean = a.iter().sum::<f64>() / 200.0;
    assert!(a.iter().all(|s| (0.0..1.0).contains(s)) && (mean - 0.5).abs() < 0.1, "{mean}");
}

#[test]
fn flows_that_are_alike_start_one_step_after_the_other() {
    let p = plan(RED, &["flow.0.count=3", "flow.0.start=1 s", "flow.0.start_step=250 ms"]);
    let starts: Vec<f64> = p.flows.iter().take(3).map(|f| f.start.seconds()).collect();
    assert_eq!(starts, [1.0, 1.25, 1.5]);
    for (too_far, key) in [("flow.0.start_step=30 s", "start_step"), ("flow.0.stop=1.5 s", "stop")]
    {
        let overrides = ["flow.0.count=3", "flow.0.start=1 s", "flow.0.start_step=250 ms", too_far];
        let problem =
            api::plan(&json!({ "source": { "text": RED }, "overrides": overrides })).unwrap_err();
        assert_eq!(
            problem.json["problems"][0]["key"],
            format!("flow.0.{key}"),
            "{}",
            problem.rendered
        );
    }
}

/// The rate of a source bounds the estimate of the work: a slow source may run for long on a fast
/// link.
#[test]
fn work_is_estimated_from_what_is_sent() {
    let cbr = "flow.0={cc=\"reno\"}";
    assert!(study(RED, &["dumbbell.bottleneck.rate=100 Gbps", "duration=200 d", cbr]).is_err());
    let slow = RED.replace(
        "cc = \"newreno\"",
        "source = { kind = \"cbr\", rate = \"1 Mbps\", \
        packet = \"1000 B\" }",
    );
    let p = plan(&slow, &["dumbbell.bottleneck.rate=100 Gbps", "duration=200 d"]);
    // 1 Mbps, 8224 bits a packet, three links.
    let want = 1e6 * 200.0 * 86_400.0 / 8224.0 * 3.0;
    let got = dumbbell_lab::resolve::limits::packet_hops(&p);
    assert!((got / want - 1.0).abs() < 1e-9, "{got} {want}");
}
