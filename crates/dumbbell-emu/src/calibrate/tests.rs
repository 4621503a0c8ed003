//! Demands of plans, computed by hand.
use super::*;
use crate::router::measures::bottleneck::tests::{plan, two_receivers};
use dumbbell_core::units::{Bytes, Rate};
use dumbbell_plan::{Shared, Spec, Transport};
use dumbbell_tcp::TcpConfig;

fn ceiling(packets: u64) -> Calibration {
    Calibration {
        ceiling_packets_per_s: packets,
        ceiling_bps: packets * 12_000,
        rtt_p50_us: 20.0,
        rtt_p99_us: 40.0,
        ..Calibration::default()
    }
}

fn tcp(mss: u64) -> Transport {
    let cc = Spec { kind: "reno".into(), config: serde_json::json!({}), source_hash: None };
    let config = TcpConfig { mss: Some(Bytes(mss)), header: Bytes(52), ..TcpConfig::ns2() };
    Transport::Tcp { cc: cc.into(), tcp: Shared::from(config) }
}

#[test]
fn tcp_is_answered_packet_by_packet() {
    let mut gigabit = plan(Rate::from_mbps(1000));
    gigabit.flows[0].transport = tcp(1448);
    let asked = demand(&gigabit);
    let data = 1e9 / 8.0 / 1500.0;
    assert!((asked.packets_per_s - 2.0 * data).abs() < 1e-6, "{asked:?}");
    assert!((asked.bps - data * 8.0 * 1552.0).abs() < 1e-3);
    assert_eq!(asked.links, [("0->1".to_owned(), data)]);
    // Smaller segments are more of them.
    gigabit.flows[0].transport = tcp(448);
    assert!((demand(&gigabit).packets_per_s - 6.0 * data).abs() < 1e-6);
}

#[test]
fn flows_of_one_bottleneck_share_it_and_datagrams_are_not_answered() {
    // Datagrams of 210 bytes and 28 of headers, as the source has them by default.
    let data = 1e8 / 8.0 / 238.0;
    assert!((demand(&two_receivers()).packets_per_s - data).abs() < 1e-6);
}

#[test]
fn a_plan_may_ask_for_half_of_what_there_is() {
    let mut gigabit = plan(Rate::from_mbps(1000));
    gigabit.flows[0].transport = tcp(1448);
    check(&gigabit, &ceiling(333_400)).expect("166,667 packets/s are within half of it");
    let refused = check(&gigabit, &ceiling(250_000))
        .expect_err("they are not within half of that")
        .to_string();
    for words in [
        "link `0->1`",
        "166667 packets/s",
        "250000 packets/s",
        "3.00 Gbps at 1500 bytes",
        "50 %",
        "to 75 %",
        "testbed.calibrate=false",
    ] {
        assert!(refused.contains(words), "no `{words}` in: {refused}");
    }
}
