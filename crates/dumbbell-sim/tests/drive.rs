//! A link by itself does what it does in a network: the same packets, given to `drive`, have the
//! same fates.
mod plans;

use dumbbell_core::aqm::Reason;
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::plugin::Plugins;
use dumbbell_core::transport::segment::{Extra, Segment};
use dumbbell_core::units::{Capacity, Rate, Span, Time};
use dumbbell_plan::{Node, NodeKind, Plan, Transport};
use dumbbell_sim::{Arrival, Observer, Options, PacketId, PacketOutcome, Signal, World, drive};
use plans::{bench_tcp, edge, empty, flow, link, spec};
use serde_json::{Value, json};

/// Poisson datagrams over one link, 50 % more than it carries, for two seconds.
fn overload(queue: Value, capacity: Capacity) -> Plan {
    let mut p = empty(3, Span::from_secs(2));
    p.nodes = (0..2)
        .map(|i| Node { name: format!("n{i}"), kind: NodeKind::Host, silent: false })
        .collect();
    p.links = [(0, 1), (1, 0)]
        .map(|(a, b)| link(a, b, Rate::from_bps(7_000_003), Span::from_ms(1)))
        .into();
    let l = &mut p.links[0];
    let kind = queue["kind"].as_str().unwrap().to_string();
    let mut config = queue;
    config.as_object_mut().unwrap().remove("kind");
    (l.aqm, l.capacity, l.report, l.framing) = (spec(&kind, config), capacity, true, 38);
    l.mtu = 65_535;
    flow(&mut p, 0, 1, Span::ZERO, "newreno", bench_tcp());
    let last = p.flows.last_mut().unwrap();
    last.source =
        spec("poisson", json!({ "rate": "10 Mbps", "packet": "700 B", "sizes": "exponential" }));
    (last.transport, last.back) =
        (Transport::Udp { header: 28, ecn: Default::default(), df: true }, vec![]);
    p.record.drops = true;
    p
}

/// The events of each packet in a run.
#[derive(Default)]
struct Watch {
    arrivals: Vec<Arrival>,
    fates: Vec<PacketOutcome>,
}

impl Watch {
    fn of(&mut self, number: u64) -> &mut PacketOutcome {
        &mut self.fates[number as usize - 1]
    }
}

impl Observer for Watch {
    const FOLLOWS: bool = true;
    fn follow(&mut self, _: usize, _: bool) -> u64 {
        self.fates.push(PacketOutcome::default());
        self.fates.len() as u64
    }
    fn sent(&mut self, at: Time, _: PacketId, segment: &Segment, _: Option<&Extra>) {
        self.arrivals.push(Arrival {
            at,
            ip_len: segment.ip_len,
            ecn: segment.ecn,
            dscp: Dscp(0),
            flow: 0,
        });
    }
    fn entered(&mut self, t: Time, who: PacketId, _: usize, backlog: u32) {
        (self.of(who.number).entered, self.of(who.number).backlog) = (Some(t), backlog);
    }
    fn left(&mut self, who: PacketId, _: usize, done: Time, arrives: Time) {
        (self.of(who.number).left, self.of(who.number).arrived) = (Some(done), Some(arrives));
    }
    fn signal(&mut self, s: &Signal) {
        self.of(s.number).reason = Some(s.reason);
        self.of(s.number).dropped = (!s.marked).then_some(s.t);
        self.of(s.number).gauges = s.gauges.clone();
    }
}

fn alike(plan: &Plan) -> Vec<PacketOutcome> {
    let mut watch = Watch::default();
    let mut world = World::new(plan, Options::default()).unwrap();
    while !world.run(&mut watch, 10_000) {}
    world.finish(&mut watch);
    let (alone, failure) = drive(plan, 0, &watch.arrivals, &Plugins::default()).unwrap();
    assert!(failure.is_none() && alone.len() > 2000);
    let end = Time::ZERO + plan.duration;
    for (i, (mine, run)) in alone.iter().zip(&watch.fates).enumerate() {
        let settled =
            mine.left.or(mine.dropped).is_some_and(|t| t <= end) && mine.entered <= Some(end);
        if settled {
            // A run shows what the algorithm saw only with drops and marks at the queue.
            let seen =
                if run.gauges.0.is_empty() { Default::default() } else { mine.gauges.clone() };
            // Codepoints are not among what a run tells of its packets.
            assert_eq!(
                &PacketOutcome { gauges: seen, dscp: None, ..mine.clone() },
                run,
                "packet \
                {i}"
            );
        }
        assert!(mine.left.is_some() != mine.dropped.is_some(), "packet {i}: {mine:?}");
    }
    alone
}

fn count(fates: &[PacketOutcome], reason: Reason) -> usize {
    fates.iter().filter(|f| f.reason == Some(reason)).count()
}

#[test]
fn queues_that_decide_at_arrival() {
    let full = alike(&overload(json!({ "kind": "drop_tail" }), Capacity::Packets(20)));
    assert!(count(&full, Reason::Overflow) > 500);
    let red = alike(&overload(json!({ "kind": "red", "w_q": 0.05 }), Capacity::Bytes(40_000)));
    assert!(count(&red, Reason::Early) > 50 && count(&red, Reason::Forced) > 50);
    assert!(red.iter().all(|f| f.gauges.get("avg").is_some()));
}

#[test]
fn queues_that_hold() {
    for victim in ["front", "random"] {
        let fates = alike(&overload(
            json!({ "kind": "drop_tail", "victim": victim }),
            Capacity::Packets(20),
        ));
        assert!(
            fates.iter().filter(|f| f.dropped.is_some_and(|t| Some(t) != f.entered)).count() > 200,
            "{victim}"
        );
    }
}

#[test]
fn a_conditioner_a_wire_that_loses_and_a_service_come_along() {
    let mut p = overload(json!({ "kind": "drop_tail" }), Capacity::Packets(20));
    p.links[0].conditioner = edge(
        "tbf",
        json!({ "rate": "6 Mbps", "burst": "20 kB", "limit": "30 \
        pkt" }),
        false,
    );
    p.links[0].impairments =
        vec![spec("bernoulli", json!({ "loss": 0.1 })), spec("jitter", json!({}))];
    p.links[0].mtu = 1500;
    let fates = alike(&p);
    for reason in [Reason::Overflow, Reason::Link, Reason::Mtu] {
        assert!(count(&fates, reason) > 50, "{reason:?}");
    }
    p.links[0].service = Some(spec("mahimahi", json!({ "trace": "1x2*400 40*7" })));
    alike(&p);
}

/// Nothing is due but the arrivals themselves; the queue empties at the end.
#[test]
fn codepoints_go_in_and_marks_come_out() {
    let mut p = overload(
        json!({ "kind": "red", "ecn": true, "w_q": 1.0, "max_p": 1.0 }),
        Capacity::Packets(50),
    );
    p.links[0].framing = 0;
    let at = |i: u64| Time::from_ps(i * 1000);
    let arrivals: Vec<Arrival> = (0..12)
        .map(|i| Arrival { at: at(i), ip_len: 1000, ecn: Ecn::Ect0, dscp: Dscp(0), flow: 0 })
        .collect();
    let (fates, _) = drive(&p, 0, &arrivals, &Plugins::default()).unwrap();
    let backlogs: Vec<u32> = fates.iter().map(|f| f.backlog).collect();
    assert_eq!(backlogs, [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert!(count(&fates, Reason::Early) > 0 && fates.iter().all(|f| f.dropped.is_none()));
    assert_eq!(fates[11].left, Some(Time::from_ps(12 * 8_000_000_000_000_000 / 7_000_003)));
}

/// A marker by itself: of eight packets at once two find tokens, three are displaced as OUT, three
/// come with the next tokens; each shows its color in its codepoint.
#[test]
fn a_marker_shows_its_colours() {
    let mut p = overload(json!({ "kind": "drop_tail" }), Capacity::Unlimited);
    let words = json!({ "rate": "8 kbps", "burst": "2 pkt", "tokens": "packet", "packet_size": "1 \
        kB", "size": "3 \
        pkt" });
    p.links[0].conditioner = edge("data_buffer", words, false);
    let one = Arrival { at: Time::ZERO, ip_len: 1000, ecn: Ecn::NotEct, dscp: Dscp(0), flow: 0 };
    let (fates, _) = drive(&p, 0, &[one; 8], &Plugins::default()).unwrap();
    let second = |s: u64| Some(Time::ZERO + Span::from_secs(s));
    let entered: Vec<Option<Time>> = fates.iter().map(|f| f.entered).collect();
    assert_eq!(entered, [0, 0, 0, 0, 0, 1, 2, 3].map(second));
    let codepoints: Vec<u8> = fates.iter().filter_map(|f| f.dscp).map(|d| d.0).collect();
    assert_eq!(codepoints, [10, 10, 12, 12, 12, 10, 10, 10]);
}
