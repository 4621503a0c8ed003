//! The plan of a measurement: two hosts, a link that never limits, one connection.
use super::Request;
use dumbbell_core::units::{Bytes, Capacity, Limit, Rate, Span};
use dumbbell_plan::{Flow, Ip, Link, Node, NodeKind, Plan, Record, Spec, Testbed, Transport, Wait};
use dumbbell_tcp::TcpConfig;
use serde_json::{Value, json};

/// The receiver's window: many times what is on its way between two hosts of one machine, and less
/// than any queue of devices or of the router's NICs holds, so that nothing is lost.
const WINDOW: Bytes = Bytes(512 << 10);

fn spec(kind: &str, config: Value) -> Spec {
    Spec { kind: kind.into(), config, source_hash: None }
}

fn link(name: &str, [from, to]: [usize; 2], mtu: u32) -> Link {
    Link {
        name: name.into(),
        from,
        to,
        rate: Rate::from_mbps(1_000_000),
        service: None,
        delay: Span::ZERO,
        mtu,
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
    }
}

/// The plan of `request`.
pub(crate) fn of(request: &Request) -> Plan {
    let mtu = u32::from(request.mtu_bytes);
    let span = |seconds: f64| Span::from_us((seconds * 1e6) as u64);
    let node = |name: &str| Node { name: name.into(), kind: NodeKind::Host, silent: false };
    let tcp = TcpConfig {
        mss: Some(Bytes(u64::from(mtu) - 40)),
        receive_window: Limit::Bytes(WINDOW),
        ..TcpConfig::linux()
    };
    let flow = Flow {
        name: "gigabytes".into(),
        from: 0,
        to: 1,
        start: Span::ZERO,
        stop: None,
        forward: vec![0],
        back: vec![1],
        source: spec("bulk", json!({})).into(),
        transport: Transport::Tcp { cc: spec("cubic", json!({})).into(), tcp: tcp.into() },
        dscp: Default::default(),
        info: Default::default(),
        ip: Ip::V4,
        answers: None,
        session: None,
        words: None,
        multipath: None,
    };
    Plan {
        name: "what a gigabyte costs".into(),
        seed: 1,
        duration: span(request.seconds),
        warmup: span(request.warmup_s),
        nodes: vec![node("sender"), node("receiver")],
        links: vec![link("there", [0, 1], mtu), link("back", [1, 0], mtu)],
        flows: vec![flow],
        sessions: vec![],
        shared_buffers: vec![],
        reassembly: Default::default(),
        // Nobody looks at how exact the router is: it is to do what it does and not to spin.
        testbed: Testbed {
            wait: Wait::Sleep,
            calibrate: false,
            sample: Span::from_ms(100),
            ..Testbed::default()
        },
        record: Record::default(),
    }
}
