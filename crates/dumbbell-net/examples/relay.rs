//! Five datagrams through a queue with room for two: `cargo run --example relay`. A [`Relay`] is
//! the network without sockets: packets are sent into it at an instant, and it says which come out,
//! and when.
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::plugin::Plugins;
use dumbbell_core::units::{Capacity, Rate, Span, Time};
use dumbbell_net::{Incoming, Relay};
use dumbbell_plan::{Flow, Link, Node, NodeId, NodeKind, Plan, Record, Spec, Transport};
use serde_json::json;

fn spec(kind: &str) -> Spec {
    Spec { kind: kind.into(), config: json!({}), source_hash: None }
}

fn link(from: NodeId, to: NodeId) -> Link {
    Link {
        name: format!("{from}->{to}"),
        from,
        to,
        rate: Rate::from_mbps(1),
        service: None,
        delay: Span::from_ms(10),
        mtu: 1500,
        framing: 0,
        least: 0,
        conditioner: None,
        aqm: spec("drop_tail").into(),
        capacity: Capacity::Packets(2),
        count_in_service: false,
        watch_above: None,
        impairments: vec![],
        report: true,
        host: None,
    }
}

/// A sender, a router, a receiver; one flow of datagrams over two links.
fn plan() -> Plan {
    let node = |name: &str, kind| Node { name: name.into(), kind, silent: false };
    let flow = Flow {
        name: "flow".into(),
        from: 0,
        to: 2,
        start: Span::ZERO,
        stop: None,
        forward: vec![0, 1],
        back: vec![],
        source: spec("bulk").into(),
        transport: Transport::Udp { header: 28, ecn: Ecn::default(), df: false },
        dscp: Dscp::default(),
        info: Default::default(),
        ip: Default::default(),
        answers: None,
        session: None,
        words: None,
        multipath: None,
    };
    Plan {
        name: "relay".into(),
        seed: 1,
        duration: Span::from_secs(1),
        warmup: Span::ZERO,
        nodes: vec![
            node("sender", NodeKind::Host),
            node("router", NodeKind::Router),
            node("receiver", NodeKind::Host),
        ],
        links: vec![link(0, 1), link(1, 2)],
        flows: vec![flow],
        sessions: vec![],
        shared_buffers: vec![],
        reassembly: Default::default(),
        testbed: Default::default(),
        record: Record::default(),
    }
}

fn main() {
    let relay = Relay::new(&plan(), &Plugins::default());
    let mut relay = relay.expect("the plan names what is in the catalogue");
    relay.keep_losses();
    for number in 1..=5 {
        let packet = Incoming {
            socket: 0, // 2 x flow + end: the sender of flow 0
            number,
            ip_len: 1250,
            payload: 1222,
            ecn: Ecn::default(),
            dscp: Dscp::default(),
            seq: number as u32,
            flags: 0,
        };
        relay.send(Time::ZERO, packet, &mut ());
    }
    relay.run_until(Time::ZERO + Span::from_secs(1), &mut ());

    // 1250 bytes take 10 ms to send, twice, and 10 ms to arrive, twice. One packet is in
    // transmission and two wait; the others are dropped.
    let mut arrived: Vec<_> = relay.outgoing().map(|out| (out.number, out.at)).collect();
    arrived.sort();
    let at = |ms| Time::ZERO + Span::from_ms(ms);
    assert_eq!(arrived, [(1, at(40)), (2, at(50)), (3, at(60))]);
    assert_eq!(relay.losses().count(), 2);

    let report = relay.finish(&mut ());
    assert_eq!((report.flows[0].delivered_packets, report.flows[0].lost_packets), (3, 2));
    assert!(report.conservation.ok, "every packet is accounted for");
}
