//! What every algorithm of the catalogue answers and shows, against the fingerprints that
//! `tests/frozen` keeps: with its defaults and each choice of its parameters, over drawn traffic or
//! a drawn connection. They tell that something moved, not whether it was right; a change that
//! should not move results moves none. `DUMBBELL_FREEZE=1` writes them anew.
#[path = "../../dumbbell-core/tests/support/keep.rs"]
mod keep;
#[path = "../../dumbbell-core/tests/support/seen.rs"]
mod seen;

use dumbbell_algos::aqm::{self, AnyAqm};
use dumbbell_algos::cc::{self, AnyCc};
use dumbbell_algos::conditioner::{self, AnyConditioner};
use dumbbell_algos::impairment::{self, AnyImpairment};
use dumbbell_algos::meter::{self, AnyMeter};
use dumbbell_algos::qdisc::{self, AnyQdisc};
use dumbbell_algos::service::{self, AnyService};
use dumbbell_algos::source::{self, AnySource};
use dumbbell_algos::suite::cc::{PATH, life};
use dumbbell_algos::suite::pages;
use dumbbell_algos::suite::traffic::{Arrival, arrivals};
use dumbbell_algos::suite::under_test::Described;
use dumbbell_core::aqm::{Cx, LinkInfo, Reason};
use dumbbell_core::catalogue::Entry;
use dumbbell_core::conditioner::{Conditioner, Emit};
use dumbbell_core::impairment::Impairment;
use dumbbell_core::meter::{Color, Meter};
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::probe::Probe;
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_core::rng::Stream;
use dumbbell_core::service::Service;
use dumbbell_core::source::Source;
use dumbbell_core::testing::{Bench, Numbered, contract, link, site};
use dumbbell_core::transport::{
    Ack, Cause, Commands, Congestion, CongestionControl, HostSignal, Phase, RateSample, Sent, Tag,
};
use dumbbell_core::units::{Capacity, Rate, Span, Time};
use seen::Seen;
use serde_json::Value;

impl Probe for Seen {
    fn gauge(&mut self, name: &'static str, value: f64) {
        self.see(&(name, value));
    }
}

/// Some traffic, drawn from a seed.
fn traffic(seed: u64) -> Vec<(Time, Arrival)> {
    let (mut rng, mut now) = (Stream::named(seed, "frozen"), Time::ZERO);
    arrivals(&mut rng)
        .into_iter()
        .map(|arrival| {
            now += arrival.gap;
            (now, arrival)
        })
        .collect()
}

/// A queue on a link of 1 Mbps, seen after each arrival.
fn queue<Q: Qdisc<Numbered>>(qdisc: Q, site: LinkInfo, seed: u64, seen: &mut Seen) {
    let mut bench = Bench::new(qdisc, site, seed, seed % 2 == 1);
    for (now, arrival) in traffic(seed) {
        bench.arrive(now, arrival.meta);
        bench.port.qdisc().probe(seen);
    }
    bench.drain();
    bench.port.qdisc().probe(seen);
    seen.see(&bench.journal);
}

/// Links with a short and a long queue.
fn links() -> [LinkInfo; 3] {
    [Capacity::Packets(12), Capacity::Bytes(60_000), Capacity::Unlimited].map(link)
}

fn an_aqm(name: &str, config: &Value, seen: &mut Seen) {
    for (seed, site) in (1..).zip(links()) {
        queue(Fifo::new(AnyAqm::build(name, config, &site).unwrap()), site, seed, seen);
    }
}

fn a_qdisc(name: &str, config: &Value, seen: &mut Seen) {
    for (seed, site) in (1..).zip(links()) {
        queue(AnyQdisc::build(name, config, &site).unwrap(), site, seed, seen);
    }
}

/// A connection in its first 60 windows: a queue of 30 segments behind a pipe of 20, on a path
/// whose round trip changes once. What does not fit is lost.
struct Connection {
    cc: AnyCc,
    now: Time,
    una: u64,
    delivered: u64,
    commands: Commands,
}

impl Connection {
    fn ack(&mut self, rtt: Span, pause: Span, flight: u64, edit: impl FnOnce(&mut Ack)) {
        while self.cc.next_timer() <= self.now {
            self.cc.on_timer(self.cc.next_timer(), &mut self.commands);
        }
        self.now += pause;
        (self.una, self.delivered) = (self.una + PATH.mss, self.delivered + PATH.mss);
        let mut ack = Ack::default();
        (ack.now, ack.acked, ack.una, ack.nxt) = (self.now, PATH.mss, self.una, self.una + flight);
        (ack.in_flight, ack.window_limited, ack.phase) = (flight, true, Phase::Open);
        (ack.rtt, ack.srtt, ack.min_rtt) = (Some(rtt), Some(rtt), Some(Span::from_ms(40)));
        (ack.peer_clock, ack.reverse_delay) = (Some(self.now), Some(Span::from_ms(20)));
        ack.rate = Some(RateSample {
            delivered: flight,
            interval: rtt,
            rtt: Some(rtt),
            prior_delivered: self.delivered.saturating_sub(flight),
            total_delivered: self.delivered,
            in_flight: flight,
            pipe: flight - PATH.mss,
            ..RateSample::default()
        });
        edit(&mut ack);
        self.cc.on_ack(&ack, &mut self.commands);
    }

    fn congest(&mut self, cause: Cause) {
        let event = Congestion::new(self.now, cause, self.cc.cwnd(), &[Tag(1)]);
        self.cc.on_congestion(&event, &mut self.commands);
    }

    fn see(&mut self, seen: &mut Seen) {
        let cc = &self.cc;
        seen.see(&(cc.cwnd(), cc.ssthresh(), cc.pacing(), cc.next_timer()));
        cc.probe(seen);
        seen.see(&std::mem::take(&mut self.commands));
    }
}

fn a_window(connection: &mut Connection, n: u64, seen: &mut Seen) {
    const PIPE: u64 = 20;
    let window = connection.cc.cwnd() / PATH.mss;
    let base = if n < 40 { 40 } else { 60 };
    let queued = window.saturating_sub(PIPE).min(30);
    let rtt = Span::from_ms(base + 2 * queued);
    for i in 0..window.min(PIPE + 30) {
        let sent = Sent::new(connection.now, connection.una, PATH.mss, false, window * PATH.mss);
        seen.see(&connection.cc.on_sent(&sent));
        let flight = window.min(PIPE + 30) * PATH.mss;
        let pause = Span::from_ps(rtt.ps() / window.min(PIPE + 30));
        connection.ack(rtt, pause, flight, |ack| {
            // Marks and words of the path in some windows.
            let marked = n % 13 == 7 && i % 4 == 0;
            (ack.ece, ack.marked) = (marked, if marked { PATH.mss } else { 0 });
            ack.moved = n == 33 && i == 0;
            ack.tag = Tag(if n.is_multiple_of(5) && i < 3 { 1 } else { 0 });
        });
    }
    connection.see(seen);
    if window > PIPE + 30 {
        connection.congest(Cause::Loss);
        connection.see(seen);
        for _ in 0..3 {
            connection.ack(rtt, Span::from_ms(2), window * PATH.mss, |ack| {
                (ack.acked, ack.sacked, ack.phase) = (0, PATH.mss, Phase::Recovery);
                let Some(rate) = &mut ack.rate else { return };
                (rate.newly_lost, rate.lost) = (PATH.mss, 2 * PATH.mss);
                rate.loss.in_flight = window * PATH.mss;
                (rate.loss.lost, rate.loss.ranges) = (2 * PATH.mss, 1);
            });
        }
        let bound = connection.cc.cwnd() / 2 + 3 * PATH.mss;
        connection.cc.on_recovered(connection.now, bound);
        connection.see(seen);
    }
    match n % 13 {
        7 => connection.congest(Cause::Ecn),
        9 => connection.congest(Cause::Timeout { first: n.is_multiple_of(2) }),
        10 if n.is_multiple_of(2) => connection.congest(Cause::Spurious),
        11 => connection.cc.on_idle(10 * PATH.mss),
        12 => connection.cc.on_mss(if n < 20 { 500 } else { 1000 }),
        _ => {}
    }
    connection.see(seen);
}

fn a_cc(name: &str, config: &Value, seen: &mut Seen) {
    let mut cc = AnyCc::build(name, config, &PATH).unwrap();
    cc.seed(9);
    seen.see(&(cc.tcp_overrides(), cc.capabilities()));
    let (now, commands) = (Time::ZERO + Span::from_ms(40), Commands::default());
    let mut connection = Connection { cc, now, una: 1, delivered: 0, commands };
    connection.cc.on_open(now, Some(Span::from_ms(40)), 1 << 20, &mut connection.commands);
    (0..60).for_each(|n| a_window(&mut connection, n, seen));
    for signal in [HostSignal::MarkedOut, HostSignal::PathDown, HostSignal::PathUp] {
        connection.cc.on_host_signal(signal, &mut connection.commands);
        connection.see(seen);
    }
    let mut cc = AnyCc::build(name, config, &PATH).unwrap();
    let lived = dumbbell_algos::suite::cc::drive(&mut cc, &life(&mut Stream::named(3, "frozen")));
    seen.see(&lived);
    cc.probe(seen);
}

/// Runs `f` for each packet of some traffic.
fn for_each_packet(seed: u64, mut f: impl FnMut(&mut Cx<'_>, u64, &Arrival)) {
    let (site, flows) = (link(Capacity::Unlimited), FlowTable::default());
    let mut rng = Stream::named(seed, "frozen packets");
    for (n, (now, arrival)) in (0..).zip(traffic(seed)) {
        f(&mut Cx { now, rng: &mut rng, link: &site, flows: &flows }, n, &arrival);
    }
}

fn a_meter(name: &str, config: &Value, seen: &mut Seen) {
    let mut meter = AnyMeter::build(name, config, &contract()).unwrap();
    seen.see(&(meter.tells_sender(), meter.worst()));
    for seed in 1..4 {
        for_each_packet(seed, |cx, n, arrival| {
            let before = Color::ALL[n as usize % 3];
            seen.see(&meter.color(cx, &arrival.meta, before));
            meter.probe(seen);
            seen.see(&meter.tokens(cx.now));
        });
        // The next traffic begins anew.
        meter = AnyMeter::build(name, config, &contract()).unwrap();
    }
}

impl Emit<Numbered> for Seen {
    fn release(&mut self, p: Numbered, color: Option<Color>, held: Span) {
        self.see(&(p, color, held));
    }
    fn drop(&mut self, p: Numbered, why: Reason) {
        self.see(&(p, why));
    }
}

fn a_conditioner(name: &str, config: &Value, seen: &mut Seen) {
    let mut stage = AnyConditioner::build(name, config, &contract()).unwrap();
    for_each_packet(2, |cx, id, arrival| {
        let arrived = cx.now;
        while stage.next_wakeup() <= arrived {
            cx.now = stage.next_wakeup();
            stage.wake(cx, seen);
        }
        cx.now = arrived;
        stage.arrive(cx, Numbered { id, meta: arrival.meta }, seen);
        Conditioner::<Numbered>::probe(&stage, seen);
        seen.see(&(stage.held(), stage.tokens(arrived), stage.next_wakeup()));
    });
}

fn an_impairment(name: &str, config: &Value, seen: &mut Seen) {
    let mut wire = AnyImpairment::build(name, config, &()).unwrap();
    seen.see(&wire.reorders());
    for_each_packet(2, |cx, _, arrival| {
        seen.see(&wire.effect(cx.now, cx.rng, &arrival.meta));
    });
}

fn a_service(name: &str, config: &Value, seen: &mut Seen) {
    let mut service = AnyService::build(name, config, &site(1)).unwrap();
    let end = Time::ZERO + Span::from_secs(9);
    service.watch(Time::ZERO + Span::from_secs(1), end);
    seen.see(&(service.rate(), service.ps_per_byte(), service.reorders(), service.outages(end)));
    let mut free = Time::ZERO;
    for round in 0..10 {
        for (at, arrival) in traffic(1) {
            let at = at + Span::from_secs(round);
            let taken = service.finish(at, at.max(free), arrival.meta.wire_len);
            free = taken.done;
            seen.see(&taken);
        }
    }
    seen.see(&(service.utilization(), service.cpu_cost()));
}

fn a_source(name: &str, config: &Value, seen: &mut Seen) {
    let mut source = AnySource::build(name, config, &()).unwrap();
    seen.see(&(source.datagrams(), source.awaits(), source.hears_delivery(), source.largest()));
    seen.see(&(source.voice(), source.coder()));
    let (mut rng, mut now) = (Stream::named(2, "frozen source"), Time::ZERO);
    for n in 0..300 {
        if n == 100 {
            source.follow(Rate::from_bps(300_000));
        }
        let Some(burst) = source.next(now, &mut rng) else { break };
        now += burst.after;
        seen.see(&burst);
        now += Span::from_ms(n % 7);
        if source.hears_delivery() {
            source.delivered(now);
        }
        source.probe(now, seen);
    }
}

/// Looks at an algorithm of a kind with a configuration.
type Look = fn(&str, &Value, &mut Seen);
const KINDS: [(&str, &[Entry], Look); 8] = [
    ("aqm", aqm::CATALOGUE, an_aqm),
    ("qdisc", qdisc::CATALOGUE, a_qdisc),
    ("cc", cc::CATALOGUE, a_cc),
    ("meter", meter::CATALOGUE, a_meter),
    ("conditioner", conditioner::CATALOGUE, a_conditioner),
    ("impairment", impairment::CATALOGUE, an_impairment),
    ("service", service::CATALOGUE, a_service),
    ("source", source::CATALOGUE, a_source),
];

#[test]
fn algorithms_keep_their_fingerprints() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/frozen/algorithms.txt");
    let mut text = String::from("# kind  algorithm  choices  fingerprint\n");
    for (kind, entries, look) in KINDS {
        for entry in entries {
            let (name, mut seen) = (entry.about.name, Seen::default());
            let choices = pages::choices(&Described::of(entry));
            choices.iter().for_each(|config| look(name, config, &mut seen));
            text += &format!("{kind} {name} {} {:016x}\n", choices.len(), seen.0.value());
        }
    }
    keep::keeps(file, &text);
}
