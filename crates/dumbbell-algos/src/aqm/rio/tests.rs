//! RIO against RED where there is one class, its averages against a second account, and what the
//! paper says of its curves.
use super::*;
use crate::aqm::red::RedConfig;
use crate::aqm::red::curve::{Curve, Region};
use crate::aqm::red::tests::alike::same_as_red;
use crate::aqm::wred::WredClass;
use crate::suite::traffic;
use dumbbell_core::aqm::Reason;
use dumbbell_core::catalogue::{Config, read};
use dumbbell_core::packet::flow::{FlowInfo, FlowTable};
use dumbbell_core::packet::{Dscp, Ecn, Meta};
use dumbbell_core::probe::Gauges;
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
use dumbbell_core::units::{Capacity, Packets, Rate, Span, Time};
use serde_json::json;

pub(crate) const IN: u8 = 10;
pub(crate) const OUT: u8 = 12;

type Port = Bench<Fifo<Rio, Numbered>>;

fn class(min_th: f64, max_th: f64, max_p: f64) -> WredClass {
    WredClass { min_th: Packets(min_th), max_th: Packets(max_th), max_p }
}

/// Own classes; all packets are in `default_class`.
fn own(classes: &[WredClass], default_class: u32) -> RioConfig {
    let precedences = RioPrecedences::Own;
    let config = RioConfig {
        precedences,
        classes: classes.to_vec(),
        default_class,
        w_q: 0.1,
        ..RioConfig::default()
    };
    config.check().unwrap();
    config
}

/// Returns the events of random traffic whose codepoints change, at random ports.
pub(crate) fn all_events<A: Aqm>(
    make: impl Fn(&LinkInfo) -> A,
    dscp: impl Fn(u8) -> u8,
) -> Vec<Vec<Event>> {
    let one = |case| {
        let mut rng = Stream::named(case, "rio");
        let (site, seed, counted) =
            (link(traffic::capacity(&mut rng)), rng.bits64(), rng.coin(0.5));
        let mut packets = traffic::arrivals(&mut rng);
        packets.iter_mut().for_each(|a| a.meta.dscp = Dscp(dscp(a.meta.dscp.0)));
        traffic::hold(make(&site), site, seed, counted, &packets, |_| {})
    };
    (0..120).map(one).collect()
}

/// Returns the events of random traffic at random ports that know `flows` about the four flows.
pub(crate) fn events_knowing<A: Aqm>(
    make: impl Fn(&LinkInfo) -> A,
    flows: &[FlowInfo],
) -> Vec<Vec<Event>> {
    let one = |case| {
        let mut rng = Stream::named(case, "rio");
        let (site, seed, counted) =
            (link(traffic::capacity(&mut rng)), rng.bits64(), rng.coin(0.5));
        let table = FlowTable::new(flows.iter().copied());
        let mut bench =
            Bench::new(Fifo::<_, Numbered>::new(make(&site)), site, seed, counted).knowing(table);
        let mut now = Time::ZERO;
        for arrival in traffic::arrivals(&mut rng) {
            now += arrival.gap;
            bench.arrive(now, arrival.meta);
        }
        bench.drain();
        bench.journal.0
    };
    (0..120).map(one).collect()
}

/// The share of each flow's OUT packets that is marked where every packet finds `found` others: a
/// burst, and then packets that come as fast as the link sends them, the n-th of flow `whose(n)`.
pub(crate) fn marked_shares<A: Aqm>(
    make: impl Fn(&LinkInfo) -> A,
    flows: &[FlowInfo],
    found: usize,
    whose: impl Fn(usize) -> u32,
) -> Vec<f64> {
    const PACKETS: usize = 60_000;
    let site = link(Capacity::Unlimited);
    let table = FlowTable::new(flows.iter().copied());
    let mut bench =
        Bench::new(Fifo::<_, Numbered>::new(make(&site)), site, 1, false).knowing(table);
    let (mut sent, burst) = (vec![0; flows.len()], found + 2);
    for n in 0..burst + PACKETS {
        let at = Time::ZERO + Span::from_ms(4) * n.saturating_sub(burst - 1) as u64;
        let flow = whose(n);
        bench.arrive(at, Meta { dscp: Dscp(OUT), ..packet(flow, 500, Ecn::Ect0) });
        sent[flow as usize] += usize::from(n >= burst);
    }
    assert_eq!(bench.port.waiting_since().len(), found + 1);
    let mut marks = vec![0; flows.len()];
    for event in &bench.journal.0 {
        match event {
            Event::Marked(id, _) if *id >= burst as u64 => marks[whose(*id as usize) as usize] += 1,
            Event::Dropped(..) => panic!("{event:?}"),
            _ => {}
        }
    }
    marks.iter().zip(sent).map(|(m, n)| f64::from(*m) / n as f64).collect()
}

/// A flow that is known.
pub(crate) fn known(reserved_kbps: u64, rtt_ms: u64) -> FlowInfo {
    let reserved = Some(Rate::from_bps(1000 * reserved_kbps)).filter(|_| reserved_kbps > 0);
    FlowInfo { reserved, rtt: Some(Span::from_ms(rtt_ms)), weight: None }
}

/// With narrow thresholds, so that something comes of random traffic.
pub(crate) fn narrow() -> RioConfig {
    RioConfig {
        w_q: 0.1,
        min_in: Packets(6.0),
        max_in: Packets(18.0),
        max_p_in: 0.1,
        min_mid: Packets(4.0),
        max_mid: Packets(12.0),
        min_out: Packets(3.0),
        max_out: Packets(9.0),
        ..RioConfig::default()
    }
}

/// With only IN it is RED with the curve of IN, with only OUT that of OUT; RIO-C, RIO-D, and with
/// one class alone.
#[test]
fn with_one_colour_it_is_red() {
    let (first, second) = (class(5.0, 15.0, 0.1), class(2.0, 9.0, 0.3));
    for mode in [RioMode::Coupled, RioMode::Decoupled] {
        for class_idle in [ClassIdle::PerClass, ClassIdle::Whole] {
            for (default_class, curve) in [(0, first), (1, second)] {
                let rio = RioConfig { mode, class_idle, ..own(&[first, second], default_class) };
                let red = rio.red().with(curve.min_th.0, curve.max_th.0, curve.max_p);
                same_as_red(&red, |site| Rio::new(&rio, site)).unwrap();
                let other = RedConfig { max_p: 0.2, ..red };
                assert!(
                    same_as_red(&other, |site| Rio::new(&rio, site)).is_err(),
                    "another curve \
                    must show"
                );
            }
        }
        let alone = RioConfig { mode, ..own(&[first], 0) };
        same_as_red(&alone.red().with(5.0, 15.0, 0.1), |site| Rio::new(&alone, site)).unwrap();
    }
}

/// Without IN, OUT is all: RIO-C is RIO-D. With IN they part.
#[test]
fn coupled_is_decoupled_without_in() {
    let make = |mode| move |site: &LinkInfo| Rio::new(&RioConfig { mode, ..narrow() }, site);
    let (coupled, decoupled) = (make(RioMode::Coupled), make(RioMode::Decoupled));
    assert_eq!(all_events(coupled, |_| OUT), all_events(decoupled, |_| OUT));
    assert_ne!(all_events(coupled, |d| d), all_events(decoupled, |d| d));
}

/// The codepoints of the AF class and drop precedence, of EF, and all else.
#[test]
fn classes_are_told_by_codepoint() {
    let of = |precedences| {
        let classes = Classes::new(&RioConfig { precedences, ..RioConfig::default() });
        move |dscp| classes.class_of(&packet_as(dscp))
    };
    let (two, three) = (of(RioPrecedences::Two), of(RioPrecedences::Three));
    for first in [10, 18, 26, 34, 46] {
        assert_eq!((two(first), three(first)), (0, 0), "{first}");
    }
    for mid in [12, 20, 28, 36] {
        assert_eq!((two(mid), three(mid)), (1, 1), "{mid}");
    }
    for last in [0, 14, 22, 30, 38, 1, 8, 44, 45, 47, 42, 48, 56, 63] {
        assert_eq!((two(last), three(last)), (1, 2), "{last}");
    }
}

fn packet_as(dscp: u8) -> Meta {
    Meta { dscp: Dscp(dscp), ..packet(0, 500, Ecn::NotEct) }
}

fn port(config: &RioConfig, capacity: Capacity, counted: bool) -> Port {
    config.check().unwrap();
    Bench::new(Fifo::new(Rio::new(config, &link(capacity))), link(capacity), 1, counted)
}

fn gauge<A: Aqm>(port: &Bench<Fifo<A, Numbered>>, name: &str) -> f64 {
    let mut seen = Gauges::default();
    Qdisc::<Numbered>::probe(port.port.qdisc(), &mut seen);
    seen.get(name).unwrap()
}

/// A packet of 500 B: 4 ms at 1 Mbps.
fn send(port: &mut Port, ms: u64, dscp: u8) {
    port.arrive(Time::ZERO + Span::from_ms(ms), packet_as(dscp));
}

/// w_q = 1: each average is what the packet found. Packets are judged by IN alone, by IN and MID,
/// by all; decoupled by their own.
#[test]
fn whose_packets_an_average_is_of() {
    let far = RioConfig { w_q: 1.0, precedences: RioPrecedences::Three, ..quiet() };
    for (mode, counted, found) in [
        (RioMode::Coupled, false, [3.0, 5.0, 9.0]),
        (RioMode::Coupled, true, [4.0, 6.0, 10.0]),
        (RioMode::Decoupled, false, [3.0, 2.0, 4.0]),
        (RioMode::Decoupled, true, [4.0, 2.0, 4.0]),
    ] {
        for (dscp, expected) in [10, 12, 14].into_iter().zip(found) {
            let mut port = port(&RioConfig { mode, ..far.clone() }, Capacity::Unlimited, counted);
            // The first, of IN, is in transmission.
            for before in [10, 10, 12, 14, 14, 10, 14, 12, 10, 14] {
                send(&mut port, 0, before);
            }
            send(&mut port, 1, dscp);
            assert_eq!(gauge(&port, "avg"), expected, "{mode:?} {counted} {dscp}");
        }
    }
}

/// Never a signal.
fn quiet() -> RioConfig {
    let (low, high) = (Packets(1000.0), Packets(2000.0));
    RioConfig {
        min_in: low,
        max_in: high,
        min_mid: low,
        max_mid: high,
        min_out: low,
        max_out: high,
        ..RioConfig::default()
    }
}

/// A second account, from the instants at which packets begin and end their transmission: w_q 1/4,
/// typical packets of 4 ms.
struct Account {
    sent: Vec<(Time, Time)>,
    avg: f64,
}

impl Account {
    /// The average after an arrival at `now`, where the packets that are transmitted count or not.
    fn arrive(&mut self, now: Time, counted: bool) -> f64 {
        let waiting = self
            .sent
            .iter()
            .filter(|(start, end)| if counted { *end > now } else { *start > now })
            .count();
        if self.sent.iter().all(|(_, end)| *end <= now) {
            let since = self.sent.last().map_or(Time::ZERO, |(_, end)| *end);
            self.avg *= libm::pow(0.75, (now.since(since).ps() / Span::from_ms(4).ps()) as f64);
        }
        self.avg = 0.75 * self.avg + 0.25 * waiting as f64;
        self.avg
    }
}

/// avg_in and avg_tot are what the account says at each arrival, q_in is never more than q, and
/// both close at nothing.
#[test]
fn averages_are_those_of_a_second_account() {
    let config = RioConfig { w_q: 0.25, ..quiet() };
    for (seed, counted) in (0..40).map(|seed| (seed, seed % 2 == 1)) {
        let mut rng = Stream::named(seed, "account");
        let mut port = port(&config, Capacity::Unlimited, counted);
        let account = || Account { sent: Vec::new(), avg: 0.0 };
        let (mut inside, mut all) = (account(), account());
        let (mut now, mut free) = (Time::ZERO, Time::ZERO);
        for arrival in traffic::arrivals(&mut rng) {
            now += arrival.gap;
            port.arrive(now, arrival.meta);
            let is_in = [10, 46].contains(&arrival.meta.dscp.0);
            let start = free.max(now);
            free = start + link(Capacity::Unlimited).rate.span_of(u64::from(arrival.meta.wire_len));
            let avg = all.arrive(now, counted);
            all.sent.push((start, free));
            let avg = if is_in { inside.arrive(now, counted) } else { avg };
            let (shown, avg_in) = (gauge(&port, "avg"), gauge(&port, "avg_in"));
            assert!((shown - avg).abs() < 1e-9, "seed {seed}: {shown} and {avg}");
            assert!((avg_in - inside.avg).abs() < 1e-9, "seed {seed}: {avg_in} and {}", inside.avg);
            if is_in {
                inside.sent.push((start, free));
            }
            let waiting = inside.sent.iter().filter(|(start, _)| *start > now).count();
            assert_eq!(gauge(&port, "q_in"), waiting as f64);
            assert!(waiting <= port.port.waiting_since().len());
        }
        port.drain();
        assert_eq!(gauge(&port, "q_in"), 0.0);
    }
}

/// An average of IN decays since the last of IN has left (8 ms), though the link sends others: by
/// the 48 ms until the next, 12 typical packets. With one idle time for the whole link it does not.
#[test]
fn a_class_is_idle_while_others_are_sent() {
    for (class_idle, decays) in [(ClassIdle::PerClass, 13.0), (ClassIdle::Whole, 1.0)] {
        let mut port =
            port(&RioConfig { w_q: 0.1, class_idle, ..quiet() }, Capacity::Unlimited, false);
        for dscp in [IN; 3].into_iter().chain([OUT; 30]) {
            send(&mut port, 0, dscp);
        }
        // IN found 0, 0 and 1.
        send(&mut port, 12 + 48, IN);
        let expected = 0.1 * libm::pow(0.9, decays);
        assert!(
            (gauge(&port, "avg") - expected).abs() < 1e-12,
            "{class_idle:?}: {}",
            gauge(&port, "avg")
        );
    }
}

/// At the same average OUT is signaled at least as often as IN: by the paper's curves, and by
/// those of the data-buffer marker's.
#[test]
fn out_is_signalled_before_in() {
    let p = |c: &WredClass, avg| match Curve::classic(c.min_th.0, c.max_th.0, c.max_p).at(avg) {
        Region::Queueing => 0.0,
        Region::Random(p) => p,
        Region::Forced => 1.0,
    };
    let markers: RioConfig = read(&json!({
        "min_in": "20 pkt", "max_in": "80 pkt", "max_p_in": 0.02,
        "min_out": "20 pkt", "max_out": "50 pkt", "max_p_out": 0.1,
    }))
    .unwrap();
    let three = RioConfig { precedences: RioPrecedences::Three, ..RioConfig::default() };
    for config in [RioConfig::default(), three, markers] {
        let (classes, _) = config.table();
        for avg in (0..1000).map(|i| f64::from(i) / 10.0) {
            assert!(classes.windows(2).all(|c| p(&c[0], avg) <= p(&c[1], avg)), "at {avg}");
        }
    }
}

/// A queue of 3 with pushout: IN takes the place of the newest OUT while there is one; OUT takes
/// none.
#[test]
fn in_pushes_out_the_newest_out() {
    let events = |pushout| {
        let config = RioConfig { pushout, ..quiet() };
        let mut port = port(&config, Capacity::Packets(3), false);
        for dscp in [OUT, OUT, IN, OUT, IN, OUT, IN, IN] {
            send(&mut port, 0, dscp);
        }
        port.journal.0
    };
    let (overflow, evicted) =
        (|id| Event::Dropped(id, Reason::Overflow), |id| Event::Dropped(id, Reason::Evicted));
    assert_eq!(events(false), [4, 5, 6, 7].map(overflow));
    assert_eq!(events(true), [evicted(3), overflow(5), evicted(1), overflow(7)]);
}

/// A class that was idle and gets in by pushing out another is not idle: its next packet finds one
/// of its own, with no decay.
#[test]
fn one_that_pushed_its_way_in_is_not_idle() {
    let config = RioConfig { pushout: true, w_q: 0.5, ..quiet() };
    let mut port = port(&config, Capacity::Packets(2), false);
    for dscp in [OUT, OUT, OUT, IN] {
        send(&mut port, 0, dscp);
    }
    assert_eq!((gauge(&port, "avg_in"), gauge(&port, "q_in")), (0.0, 1.0));
    send(&mut port, 3, IN);
    assert_eq!(gauge(&port, "avg_in"), 0.5);
}

#[test]
fn contradictions_are_refused() {
    let fault = |json| read::<RioConfig>(&json).unwrap_err();
    let swapped = fault(json!({"min_out": "40 pkt"}));
    assert_eq!(swapped.at, "max_out");
    assert_eq!(swapped.cause, "max_out = 30 pkt is not above min_out = 40 pkt");
    assert_eq!(fault(json!({"max_in": "30 pkt"})).at, "max_in");
    assert_eq!(fault(json!({"min_mid": "60 pkt"})).at, "max_mid");
    assert_eq!(fault(json!({"max_p_in": 2})).at, "max_p_in");
    let one = json!({"min_th": "20 pkt", "max_th": "40 pkt"});
    assert_eq!(
        fault(json!({"classes": [one]})).fix.as_deref(),
        Some("write precedences = \"own\"")
    );
    assert_eq!(fault(json!({"map": {"ef": 0}})).at, "map");
    assert_eq!(fault(json!({"precedences": "own"})).at, "classes");
    assert_eq!(
        fault(json!({"precedences": "own", "classes": [one], "default_class": 1})).at,
        "default_class"
    );
    assert_eq!(
        fault(json!({"precedences": "own", "classes": [one], "map": {"ef": 1}})).at,
        "map.ef"
    );
    let wrong = json!({"min_th": "20 pkt", "max_th": "10 pkt"});
    let swapped = fault(json!({"precedences": "own", "classes": [one, wrong]}));
    assert_eq!(swapped.at, "classes[1].max_th");
    assert!(swapped.cause.contains("max_th = 10 pkt"), "{swapped:?}");
    let beyond = json!({"min_th": "20 pkt", "max_th": "40 pkt", "max_p": 1.5});
    assert_eq!(fault(json!({"precedences": "own", "classes": [beyond]})).at, "classes[0].max_p");
    assert!(read::<RioConfig>(&json!({"precedences": "own", "classes": [one]})).is_ok());
}
