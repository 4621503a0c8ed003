//! The requests to the kernel, and what is refused.
use super::*;
use crate::traffic::host_settings::{EcnMode, Metric, Setting};
use dumbbell_core::units::{Bytes, Limit, Packets, Span};
use dumbbell_tcp::{DelayedAck, Detection, Ecn, Reduction};
use serde_json::json;

fn wished(cc: &str, change: impl Fn(&mut TcpConfig)) -> Result<KernelConfig, Vec<Unsupported>> {
    let mut tcp = TcpConfig { mss: Some(Bytes(1460)), ..TcpConfig::linux() };
    change(&mut tcp);
    let cc = Spec { kind: cc.into(), config: json!({}), source_hash: None };
    kernel_config("a", Ip::V4, &cc, &tcp, Rate::from_mbps(100))
}

fn fields(result: Result<KernelConfig, Vec<Unsupported>>) -> Vec<String> {
    result.err().unwrap_or_default().into_iter().map(|r| r.field).collect()
}

fn sysctl(asks: &[Request], name: &str) -> Option<Vec<u64>> {
    asks.iter().find_map(|a| match &a.setting {
        Setting::Sysctl(key, value, _) if *key == name => Some(value.clone()),
        _ => None,
    })
}

fn metric(asks: &[Request], which: Metric) -> Option<u32> {
    asks.iter().find_map(|a| match a.setting {
        Setting::Metric(m, value) if m == which => Some(value),
        _ => None,
    })
}

#[test]
fn the_profile_linux_is_had_whole_with_every_control_that_the_kernel_has() {
    let mut tested = 0;
    for (ours, kernel) in crate::traffic::kernel_names::known() {
        let kernel_config = wished(ours, |_| {}).unwrap_or_else(|all| panic!("{ours}: {all:?}"));
        assert_eq!(kernel_config.connection.control, kernel);
        let sack = Some(vec![u64::from(ours != "newreno")]);
        for end in [&kernel_config.sender, &kernel_config.receiver] {
            assert_eq!(sysctl(end, "net.ipv4.tcp_sack"), sack, "{ours}");
        }
        tested += 1;
    }
    assert!(tested >= 16, "{tested}");
}

#[test]
fn what_can_be_asked_for_is_asked_of_the_end_that_decides_it() {
    let kernel_config = wished("sack", |c| {
        c.initial_window = Packets(3.0);
        c.min_rto = Span::from_ms(300);
        c.probe_ack_delay = c.min_rto;
        c.delayed_ack = DelayedAck::Each;
        c.receive_window = Limit::Packets(Packets(20.0));
        c.restart_after_idle = false;
        c.nagle = true;
        c.peer_mss = Some(Bytes(536));
    })
    .unwrap_or_else(|all| panic!("{all:?}"));
    assert_eq!(metric(&kernel_config.sender, Metric::Initcwnd), Some(3));
    assert_eq!(metric(&kernel_config.sender, Metric::RtoMin), Some(300));
    assert_eq!(metric(&kernel_config.receiver, Metric::Quickack), Some(1));
    assert_eq!(sysctl(&kernel_config.sender, "net.ipv4.tcp_slow_start_after_idle"), Some(vec![0]));
    let c = kernel_config.connection;
    assert_eq!((c.sender.mss, c.receiver.mss, c.segment), (Some(1460), Some(536), 524));
    assert_eq!((c.receiver.window, c.nagle), (Some(20 * 524), true));
}

#[test]
fn marks_are_offered_by_the_sender_and_taken_up_by_the_receiver() {
    let kernel_config = wished("dctcp", |_| {}).unwrap_or_else(|all| panic!("{all:?}"));
    assert!(kernel_config.sender.iter().any(|a| a.setting == Setting::Offer(EcnMode::Classic)));
    assert!(kernel_config.receiver.iter().any(|a| a.setting == Setting::Accept(EcnMode::Classic)));
    assert_eq!(fields(wished("cubic", |c| c.ecn = Ecn::L4s)), ["tcp.ecn"]);
}

#[test]
fn what_the_kernel_has_otherwise_is_refused_by_its_field() {
    assert_eq!(fields(wished("reno", |_| {})), ["cc"]);
    assert_eq!(fields(wished("tahoe", |c| c.handshake = false)), ["cc", "tcp.handshake"]);
    assert_eq!(fields(wished("cubic", |c| c.detection = Detection::Dupack)), ["tcp.detection"]);
    assert_eq!(fields(wished("cubic", |c| c.reduction = Reduction::Rfc6675)), ["tcp.reduction"]);
    assert_eq!(fields(wished("cubic", |c| c.send_jitter = Span::from_us(1))), ["tcp.send_jitter"]);
    assert_eq!(
        fields(wished("cubic", |c| c.initial_window_bytes = Limit::Bytes(Bytes(5000)))),
        ["tcp.initial_window"]
    );
    // The profile of ns-2 is another machine altogether; each field says so.
    let all = fields(wished("newreno", |c| *c = TcpConfig { mss: c.mss, ..TcpConfig::ns2() }));
    let expected = [
        "tcp.clock",
        "tcp.timer_wheel",
        "tcp.push",
        "tcp.growth_by_delivered",
        "tcp.unpaced_start",
        "tcp.rto_above_srtt",
        "tcp.reduces_window",
        "tcp.rto_by_peak",
        "tcp.rtt_samples",
        "tcp.ecn_holds_window",
        "tcp.whole_segments",
        "tcp.tuned_send_buffer",
        "tcp.limited_for_a_round",
        "tcp.prr_without_sack",
        "tcp.partial_ack",
        "tcp.exit",
        "tcp.growth_limit",
        "tcp.initial_rto",
    ];
    assert_eq!(all, expected);
}
