//! Measures of profiles: packets in and out of profile where they arrive, where they queue, and at
//! the marker. Datagrams at a constant rate have closed forms; connections have identities, and the
//! same history in every kind of run.
mod plans;

use dumbbell_core::meter::{ASSURED, Action};
use dumbbell_core::packet::Dscp;
use dumbbell_core::units::{Bytes, Capacity, Rate, Span, Time};
use dumbbell_plan::{Plan, Rule, Transport};
use dumbbell_sim::{ColorCounts, MarkerReport, MarkerRow, Observer, Options, Report, World};
use plans::{audited, dumbbell, edge, spec};
use serde_json::{Value, json};

/// Bytes of an IP packet, and seconds that count.
const PACKET: u64 = 1000;
const WINDOW: f64 = 8.0;

/// The first flow has 1 Mbit/s reserved over 24 ms, and a place of its own before a bottleneck of
/// 10 Mbit/s; of 10 s, 2 do not count.
fn plan(flows: usize, kind: &str, config: Value) -> Plan {
    let queue = spec("drop_tail", json!({}));
    let mut plan =
        dumbbell(3, flows, Rate::from_mbps(10), queue, Capacity::Packets(20), Span::from_secs(10));
    plan.warmup = Span::from_secs(2);
    plan.links[0].conditioner = edge(kind, config, true);
    plan.flows[0].info.reserved = Some(Rate::from_mbps(1));
    plan.flows.iter_mut().for_each(|f| f.info.rtt = Some(Span::from_ms(24)));
    plan
}

/// Lets a flow send datagrams at `kbps` of IP.
fn constant(plan: &mut Plan, flow: usize, kbps: u64) {
    let flow = &mut plan.flows[flow];
    (flow.transport, flow.back) =
        (Transport::Udp { header: 28, ecn: Default::default(), df: false }, vec![]);
    let payload = Bytes(PACKET - 28);
    flow.start = Span::ZERO;
    flow.source = spec("cbr", json!({"rate": Rate::from_bps(kbps * payload.0), "packet": payload}));
}

fn bps(tint: ColorCounts) -> f64 {
    tint.delivered_bytes as f64 * 8.0 / WINDOW
}

/// To a packet at either end of the window.
fn about(x: f64, bps: f64) -> bool {
    (x - bps).abs() <= 2.0 * PACKET as f64 * 8.0 / WINDOW
}

/// Above its reservation a constant rate has exactly that IN, and loses no token; one for which
/// nothing is reserved has nothing IN.
#[test]
fn above_the_reservation_in_is_the_reservation() {
    let mut plan = plan(2, "token_bucket", json!({"rate": null}));
    constant(&mut plan, 0, 2500);
    constant(&mut plan, 1, 4000);
    let report = audited(&plan, Options::default());
    let [gold, other] = [0, 1].map(|i| report.flows[i].colors.unwrap());
    assert!(about(bps(gold.inside), 1e6) && about(bps(gold.outside), 1.5e6), "{gold:?}");
    assert!(other.inside == ColorCounts::default() && about(bps(other.outside), 4e6), "{other:?}");
    let [marker, outside] = &report.markers[..] else { panic!("a place for each flow") };
    let income = marker.income.unwrap();
    assert_eq!((income.packets, income.made, income.lost), (false, WINDOW * 125e3, 0.0));
    assert!(
        (0.0..PACKET as f64).contains(&income.mean),
        "between nothing and a packet: {}",
        income.mean
    );
    assert_eq!(
        (marker.flow.as_deref(), marker.reserved, marker.rule),
        (Some("flow0"), Some(Rate::from_mbps(1)), 0)
    );
    assert_eq!((outside.income, outside.packets[0], outside.reserved), (None, 0, None));
}

/// Below it, all is IN; tokens that nobody used are lost: the share is 1 - use. The bucket (24 ms
/// of 1 Mbit/s: 3000 bytes) is full when a packet comes: it has 2000 after it, fills in 8 ms and is
/// full for the other 8 of 16 ms: 2750 in the mean.
#[test]
fn below_the_reservation_tokens_are_lost() {
    let mut plan = plan(1, "token_bucket", json!({}));
    constant(&mut plan, 0, 500);
    let report = audited(&plan, Options::default());
    let colors = report.flows[0].colors.unwrap();
    assert!(
        about(bps(colors.inside), 0.5e6) && colors.outside == ColorCounts::default(),
        "{colors:?}"
    );
    let income = report.markers[0].income.unwrap();
    let share = income.lost / income.made;
    assert!((share - 0.5).abs() < 2.0 * PACKET as f64 / income.made, "{share}");
    assert!((income.mean - 2750.0).abs() < 5.0, "{}", income.mean);
}

/// A data buffer of three packets under a constant rate above the reservation: always full, so that
/// a packet in it is followed by three more before it is OUT, or waits at the front for the token
/// that comes each 8 ms.
#[test]
fn what_is_held_is_told() {
    let mut plan = plan(1, "data_buffer", json!({"size": "3 pkt"}));
    constant(&mut plan, 0, 2000);
    let report = audited(&plan, Options::default());
    let marker = &report.markers[0];
    let [mean, p99, max] = marker.holding.map(|span| span.unwrap().seconds());
    assert!(about(bps(report.flows[0].colors.unwrap().inside), 1e6));
    assert!(mean <= p99 && p99 <= max && max <= 0.024, "D L / r: {mean} {p99} {max}");
    // Little's law: what was held on average is how many came times how long each stayed.
    let little = marker.held as f64 * mean / WINDOW;
    assert!(
        (marker.mean_held - little).abs() < 0.01 && marker.mean_held > 2.0,
        "{} {little}",
        marker.mean_held
    );
}

/// Datagrams of a premium flow beyond its profile are dropped before the queue: none of them was
/// IN, whatever it came as.
#[test]
fn what_a_policer_drops_was_not_in_profile() {
    let mut plan = plan(1, "token_bucket", json!({}));
    let ef = Action::Mark(Dscp(46));
    let rule =
        Rule { colours: [ef, Action::Drop, Action::Drop], ..plan.links[0].rules()[0].clone() };
    plan.links[0].conditioner = Some(vec![rule].into());
    plan.flows[0].dscp = Dscp(46);
    constant(&mut plan, 0, 2000);
    let report = audited(&plan, Options::default());
    let colors = report.flows[0].colors.unwrap();
    assert!(about(bps(colors.inside), 1e6) && colors.inside.lost_packets == 0, "{colors:?}");
    assert_eq!(
        (colors.outside.delivered_packets, colors.outside.lost_packets),
        (0, report.markers[0].dropped)
    );
    assert!(
        report.markers[0].dropped >= 998,
        "half of 250 a second for 8 s: {}",
        report.markers[0].dropped
    );
}

/// Everything in a report that has to do with colors: markers, flows, and what came to the queue
/// and was dropped there.
type Told = (Vec<MarkerReport>, Vec<[ColorCounts; 2]>, [Option<[u64; 2]>; 2]);

fn told(report: &Report) -> Told {
    let colors =
        report.flows.iter().filter_map(|f| f.colors).map(|t| [t.inside, t.outside]).collect();
    let measures = &report.queues[0].measures;
    (report.markers.clone(), colors, [measures.arrivals, measures.drops])
}

/// Connections with profiles, with and without a buffer: the same story however they are run, and
/// every packet that arrived or was lost has one color.
#[test]
fn every_packet_has_one_colour() {
    for (kind, config) in
        [("token_bucket", json!({"tokens": "packet"})), ("data_buffer", json!({}))]
    {
        let plan = plan(3, kind, config);
        let report = audited(&plan, Options::default());
        for options in [
            Options { fold: false, ..Options::default() },
            Options { hold: true, fold: false, straight: false, ..Options::default() },
        ] {
            assert_eq!(told(&audited(&plan, options)), told(&report), "{kind} {options:?}");
        }
        for flow in &report.flows {
            let colors = flow.colors.unwrap();
            let sum = |of: fn(&ColorCounts) -> u64| of(&colors.inside) + of(&colors.outside);
            assert_eq!(sum(|t| t.delivered_packets), flow.delivered_packets, "{}", flow.name);
            assert_eq!(sum(|t| t.lost_packets), flow.lost_packets, "{}", flow.name);
        }
        let queue = &report.queues[0];
        let (arrivals, drops) = (queue.measures.arrivals.unwrap(), queue.measures.drops.unwrap());
        assert_eq!(arrivals.iter().sum::<u64>(), queue.counters.arrivals, "{kind}");
        assert_eq!(drops.iter().sum::<u64>(), queue.counters.dropped(), "{kind}");
        assert!(drops[1] > 0 && arrivals[0] > 0, "{kind}: {arrivals:?} {drops:?}");
        // Packets that the marker passes on are the arrivals of the queue behind it.
        let marked: u64 = report.markers.iter().map(|m| m.packets[0]).sum();
        assert_eq!(marked, arrivals[0], "{kind}");
    }
}

/// A plan without profiles knows nothing of colors; one with a reservation does, though nobody
/// marks.
#[test]
fn without_profiles_there_are_no_colours() {
    let mut plan = plan(2, "token_bucket", json!({}));
    plan.links[0].conditioner = None;
    let unmarked = audited(&plan, Options::default());
    assert!(
        unmarked.markers.is_empty()
            && unmarked.flows[0].colors.unwrap().inside == ColorCounts::default()
    );
    plan.flows[0].info.reserved = None;
    let report = audited(&plan, Options::default());
    assert_eq!(report.fingerprint, unmarked.fingerprint, "counting changes nothing");
    assert_eq!(told(&report), (vec![], vec![], [None, None]));
}

/// A codepoint that an edge gives to green is IN, and one that it gives to yellow only is not,
/// whatever its name.
#[test]
fn the_edge_says_what_is_in() {
    let mut plan = plan(1, "token_bucket", json!({}));
    let mut colours = ASSURED;
    (colours[0], colours[1]) = (Action::Mark(Dscp(8)), Action::Mark(Dscp(18)));
    let rule = Rule { colours, ..plan.links[0].rules()[0].clone() };
    plan.links[0].conditioner = Some(vec![rule].into());
    constant(&mut plan, 0, 3000);
    let colors = audited(&plan, Options::default()).flows[0].colors.unwrap();
    assert!(about(bps(colors.inside), 1e6) && about(bps(colors.outside), 2e6), "{colors:?}");
}

/// The rows of one place.
#[derive(Default)]
struct Series(Vec<(Time, MarkerRow)>);

impl Observer for Series {
    fn marker(&mut self, t: Time, link: usize, row: &MarkerRow) {
        assert_eq!(link, 0);
        self.0.push((t, row.clone()));
    }
}

/// Samples come at their instants, and looking changes nothing. Half of the reserved rate in
/// packets each 16 ms, from 0 on: at the multiples of 100 ms the bucket is full, or fills again
/// behind a packet.
#[test]
fn a_series_of_a_marker() {
    let mut plan = plan(1, "token_bucket", json!({}));
    constant(&mut plan, 0, 500);
    let alone = audited(&plan, Options::default());
    (plan.record.every, plan.record.markers) = (Some(Span::from_ms(100)), true);
    let mut series = Series::default();
    let mut world = World::new(&plan, Options::default()).unwrap();
    while !world.run(&mut series, 1000) {}
    let report = world.finish(&mut series);
    assert_eq!((report.fingerprint, told(&report)), (alone.fingerprint, told(&alone)));
    assert_eq!(series.0.len(), 101);
    // A packet is at the edge after its access link: 8 us and 1 ms.
    let first = Span::from_us(1008);
    for (n, (t, row)) in series.0.iter().enumerate() {
        assert_eq!(*t, Time::ZERO + Span::from_ms(100 * n as u64));
        let since = t.ps().checked_sub(first.ps()).map(|ps| ps % 16_000_000_000);
        let tokens = since.map_or(3000.0, |ps| (2000.0 + ps as f64 * 125e3 * 1e-12).min(3000.0));
        assert!((row.tokens.unwrap() - tokens).abs() < 1e-6, "at {t:?}: {row:?}, not {tokens}");
        let passed = since.map_or(0, |_| (t.ps() - first.ps()) / 16_000_000_000 + 1);
        assert_eq!((row.in_packets, row.out_packets, row.held), (passed, 0, 0), "at {t:?}");
    }
}
