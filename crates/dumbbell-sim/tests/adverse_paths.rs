//! Every congestion control of the catalogue under every profile survives what networks do: idle
//! periods, reordering, lost acknowledgments, acknowledgments that come in bursts, lost data, and
//! all of it together.
mod plans;

use dumbbell_algos::cc;
use dumbbell_algos::source::AnySource;
use dumbbell_core::aqm::Reason;
use dumbbell_core::packet::Ecn;
use dumbbell_core::rng::Stream;
use dumbbell_core::source::Source;
use dumbbell_core::units::{Bytes, Capacity, Limit, Packets, Rate, Span, Time};
use dumbbell_plan::{Node, NodeKind, Plan, Shared, Spec};
use dumbbell_sim::{FlowRow, Observer, Options, PacketId, Reaction, Signal, World};
use dumbbell_tcp::TcpConfig;
use plans::{empty, flow, link, spec};
use serde_json::json;

/// A hardship that a network or an application causes to a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hardship {
    Idle,
    Reordering,
    AckLoss,
    AckCompression,
    Loss,
    Everything,
}

const SIZE: u64 = 600_000;
/// Longer than any of the transfers takes: a lone segment whose acknowledgments get lost waits for
/// ever longer timeouts.
const DURATION: Span = Span::from_secs(7200);
const DATA: usize = 1;
const ACKS: usize = 2;

impl Hardship {
    fn is(self, one: Hardship) -> bool {
        self == one || self == Hardship::Everything
    }

    /// Of a transfer over a router: 10 Mbps, 40 ms there and back, a queue of 30 packets.
    fn plan(self, control: &str, tcp: TcpConfig) -> Plan {
        let mut p = empty(7, DURATION);
        p.record.every = Some(Span::from_ms(400));
        p.record.flows = true;
        let node = |name: &str, kind| Node { name: name.into(), kind, silent: false };
        p.nodes =
            vec![node("a", NodeKind::Host), node("r", NodeKind::Router), node("b", NodeKind::Host)];
        p.links = [(0, 1, 100), (1, 2, 10), (2, 1, 10), (1, 0, 100)]
            .map(|(from, to, mbps)| link(from, to, Rate::from_mbps(mbps), Span::from_ms(10)))
            .into();
        p.links[DATA].capacity = Capacity::Packets(30);
        if self.is(Hardship::Reordering) {
            p.links[DATA].impairments.push(spec("jitter", json!({"max": "15 ms"})));
        }
        if self.is(Hardship::Loss) {
            p.links[DATA].impairments.push(spec("bernoulli", json!({"loss": 0.03})));
        }
        if self.is(Hardship::AckLoss) {
            p.links[ACKS].impairments.push(spec("bernoulli", json!({"loss": 0.4})));
        }
        if self.is(Hardship::AckCompression) {
            // Held for 90 ms, then let go together.
            let steps = json!({"steps": [["0 s", "10 Mbps"], ["10 ms", "0 bps"]], "period": "100 \
                ms"});
            p.links[ACKS].service = Some(spec("steps", steps));
        }
        flow(&mut p, 0, 2, Span::ZERO, control, tcp);
        p.flows[0].source = self.source();
        p.flows[0].stop = self.is(Hardship::Idle).then(|| Span::from_secs(52));
        p
    }

    /// A transfer; or bursts of 200 ms at 3 Mbps with 3 s between them, longer than a timeout.
    fn source(self) -> Shared<Spec> {
        if !self.is(Hardship::Idle) {
            return spec("fixed", json!({"size": format!("{SIZE} B")}));
        }
        let bursts = json!({
            "on_mean": "200 ms", "off_mean": "3 s", "distribution": "constant", "rate": "3 Mbps",
            "packet": "700 B",
        });
        spec("on_off", bursts)
    }

    /// Returns the bytes that the application hands over, from the source itself.
    fn bytes(self, plan: &Plan) -> u64 {
        let spec = self.source();
        let (mut source, mut rng) =
            (AnySource::build(&spec.kind, &spec.config, &()).unwrap(), Stream::named(0, "none"));
        let (stop, mut at, mut sum) = (plan.flows[0].stop.unwrap_or(DURATION), Span::ZERO, 0);
        while let Some(burst) = source.next(Time::ZERO + at, &mut rng) {
            at = at + burst.after;
            if at >= stop {
                break;
            }
            sum += burst.bytes;
        }
        sum
    }
}

/// The observations of a connection.
#[derive(Default)]
struct Watch {
    sent: [u64; 2],
    /// Numbers of data in the order in which they arrived, and when acknowledgments did.
    data: Vec<u64>,
    acks: Vec<Time>,
    overflows: u64,
    lowest_window: u64,
    rows: Vec<(Time, FlowRow)>,
    longest_pause: Span,
    last_sent: Time,
}

impl Observer for Watch {
    const FOLLOWS: bool = true;
    fn follow(&mut self, _: usize, data: bool) -> u64 {
        self.sent[usize::from(data)] += 1;
        self.sent[usize::from(data)]
    }
    fn sent(
        &mut self,
        t: Time,
        who: PacketId,
        _: &dumbbell_core::transport::segment::Segment,
        _: Option<&dumbbell_core::transport::segment::Extra>,
    ) {
        if who.data {
            self.longest_pause = self.longest_pause.max(t.since(self.last_sent));
            self.last_sent = t;
        }
    }
    fn delivered(&mut self, t: Time, who: PacketId, _: Ecn) {
        if who.data { self.data.push(who.number) } else { self.acks.push(t) }
    }
    fn signal(&mut self, signal: &Signal) {
        self.overflows += u64::from(signal.reason == Reason::Overflow);
    }
    fn wants_reactions(&self) -> bool {
        true
    }
    fn reacted(&mut self, reaction: &Reaction) {
        self.lowest_window = self.lowest_window.min(reaction.after.view.cwnd);
    }
    fn flow(&mut self, t: Time, _: usize, row: &FlowRow) {
        self.lowest_window = self.lowest_window.min(row.cwnd_bytes);
        self.rows.push((t, row.clone()));
    }
}

impl Watch {
    /// That the hardship was there: a test of nothing proves nothing. Under all of it at once a
    /// burst may last until the next one comes.
    fn suffered(&self, hardship: Hardship) {
        let busy = hardship == Hardship::Everything;
        let overtaken = self.data.windows(2).filter(|w| w[1] < w[0]).count();
        let together =
            self.acks.windows(2).filter(|w| w[1].since(w[0]) < Span::from_us(100)).count();
        let lost = [
            self.sent[0] - self.acks.len() as u64,
            self.sent[1] - self.data.len() as u64 - self.overflows,
        ];
        let seen = [
            (Hardship::Idle, busy || self.longest_pause > Span::from_secs(2)),
            (Hardship::Reordering, overtaken > 20),
            (Hardship::AckLoss, lost[0] > 20),
            (Hardship::AckCompression, together > 20),
            (Hardship::Loss, lost[1] > 5),
        ];
        for (one, there) in seen {
            assert!(
                there || !hardship.is(one),
                "there was no {one:?}: {overtaken} overtaken, {together} together, {lost:?}"
            );
        }
    }

    /// Every byte once, nothing on its way, silence at the end; the window never below a segment.
    fn survived(&self, bytes: u64, segment: u64) {
        let (end, last) = self.rows.last().unwrap();
        assert_eq!(last.delivered_bytes, bytes, "bytes that reached the application");
        assert_eq!(last.in_flight_bytes, 0, "bytes on their way at the end");
        let silent = end.since(self.last_sent);
        assert!(
            silent > Span::from_secs(10),
            "the sender sent {} s before the end",
            silent.seconds()
        );
        assert!(self.rows.windows(2).all(|w| w[0].1.delivered_bytes <= w[1].1.delivered_bytes));
        assert!(
            self.lowest_window >= segment,
            "a window of {} of {segment} bytes",
            self.lowest_window
        );
    }
}

fn profile(name: &str) -> TcpConfig {
    let room = Limit::Packets(Packets(64.0));
    TcpConfig { mss: Some(Bytes(1000)), receive_window: room, ..TcpConfig::profile(name).unwrap() }
}

fn run(plan: &Plan) -> Watch {
    let mut watch = Watch { lowest_window: u64::MAX, ..Watch::default() };
    let mut world = World::new(plan, Options { audit: true, ..Options::default() }).unwrap();
    while !world.run(&mut watch, 100_000) {}
    let report = world.finish(&mut watch);
    assert!(report.conservation.ok, "{:?}", report.conservation);
    assert_eq!(
        report.conservation.in_network, 0,
        "packets on their way long after the last was \
        sent"
    );
    watch
}

fn every_control_survives(hardship: Hardship) {
    for entry in cc::CATALOGUE {
        for name in TcpConfig::PROFILES {
            let case = || {
                let tcp = profile(name);
                let segment = tcp.segment_bytes();
                let plan = hardship.plan(entry.about.name, tcp);
                let watch = run(&plan);
                watch.suffered(hardship);
                watch.survived(hardship.bytes(&plan), segment);
            };
            let done = std::panic::catch_unwind(case);
            assert!(
                done.is_ok(),
                "{} under {name} does not survive {hardship:?}",
                entry.about.name
            );
        }
    }
}

#[test]
fn idle_periods() {
    every_control_survives(Hardship::Idle);
}

#[test]
fn reordering() {
    every_control_survives(Hardship::Reordering);
}

#[test]
fn lost_acknowledgements() {
    every_control_survives(Hardship::AckLoss);
}

#[test]
fn acknowledgements_held_and_let_go_together() {
    every_control_survives(Hardship::AckCompression);
}

#[test]
fn lost_data() {
    every_control_survives(Hardship::Loss);
}

#[test]
fn all_of_it_at_once() {
    every_control_survives(Hardship::Everything);
}
