//! Edges in a network: what they are when they hold nothing, and what holding costs.
mod plans;

use dumbbell_core::packet::flow::FlowInfo;
use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::{Plan, Transport};
use dumbbell_sim::{Options, Report};
use plans::{audited, dumbbell, edge, spec};
use serde_json::{Value, json};

/// Four flows of 1 Mbps each reserved, through RIO on 6 Mbps, with an edge before it for each.
fn assured(kind: &str, config: Value) -> Plan {
    let mut p = dumbbell(
        7,
        4,
        Rate::from_mbps(6),
        spec("rio", json!({})),
        Capacity::Packets(100),
        Span::from_secs(20),
    );
    p.links[0].conditioner = edge(kind, config, true);
    for flow in &mut p.flows {
        flow.info = FlowInfo {
            reserved: Some(Rate::from_mbps(1)),
            rtt: Some(Span::from_ms(24)),
            weight: None,
        };
    }
    p
}

/// The plan with datagrams at twice the reservation, so that the edge does not change its own
/// arrivals.
fn offered(kind: &str, config: Value) -> Plan {
    let mut p = assured(kind, config);
    for flow in &mut p.flows {
        flow.source = spec("poisson", json!({ "rate": "2 Mbps", "packet": "972 B" }));
        (flow.transport, flow.back) =
            (Transport::Udp { header: 28, ecn: Default::default(), df: false }, vec![]);
    }
    p
}

fn run(p: &Plan) -> Report {
    let folded = audited(p, Options::default());
    let unfolded =
        audited(p, Options { fold: false, hold: true, straight: false, ..Options::default() });
    assert_eq!((folded.fingerprint, &folded.flows), (unfolded.fingerprint, &unfolded.flows));
    folded
}

#[test]
fn a_data_buffer_of_size_zero_is_the_token_bucket_packet_by_packet() {
    for tokens in ["byte", "packet"] {
        for plan in [assured, offered] {
            let common = json!({ "tokens": tokens, "packet_size": "1000 B" });
            let mut empty = common.clone();
            empty["size"] = json!("0 pkt");
            let (bucket, buffer) =
                (run(&plan("token_bucket", common)), run(&plan("data_buffer", empty.clone())));
            assert_eq!(
                (bucket.fingerprint, bucket.flows, bucket.events),
                (buffer.fingerprint, buffer.flows, buffer.events)
            );
            empty["size"] = json!("3 pkt");
            assert_ne!(
                run(&plan("data_buffer", empty)).fingerprint,
                bucket.fingerprint,
                "a buffer \
                makes a difference"
            );
        }
    }
}

/// A packet that is held waits for one clock: at most one entry of the agenda more for each,
/// whatever the size.
#[test]
fn holding_a_packet_costs_at_most_one_entry_of_the_agenda() {
    let at_once = run(&offered("token_bucket", json!({})));
    for size in [1, 3, 20] {
        let held = run(&offered("data_buffer", json!({ "size": format!("{size} pkt") })));
        let (more, packets) = (held.events - at_once.events, held.queues[0].counters.arrivals);
        assert!(
            0 < more && more <= packets,
            "{more} more for {packets} packets with room for \
            {size}"
        );
    }
}
