//! Checks for every queueing discipline: it loses and duplicates no packet, no packet waits while
//! the transmitter is idle, and the same traffic gives the same output.
use super::parameters::choices;
use super::traffic::{Arrival, arrivals, capacity};
use dumbbell_core::aqm::{LinkInfo, Reason};
use dumbbell_core::catalogue::Algorithm;
use dumbbell_core::probe::Gauges;
use dumbbell_core::qdisc::{DynQdisc, Qdisc};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Event, Numbered, link};
use dumbbell_core::units::{Backlog, Capacity, Time};
use dumbbell_macros::delegate;
use std::collections::BTreeMap;

/// Cases for each choice of the parameters.
const CASES: u64 = 4;

/// One case: traffic through a discipline at a port.
struct Case {
    site: LinkInfo,
    seed: u64,
    counted: bool,
    traffic: Vec<Arrival>,
}

/// Each choice of the parameters with some traffic at some port.
fn for_all<Q: Algorithm<Site = LinkInfo>>(test: impl Fn(&Q::Config, &Case)) {
    for config in choices::<Q>() {
        for case in 0..CASES {
            let mut rng = Stream::named(case, "suite");
            let (site, seed, counted) = (link(capacity(&mut rng)), rng.bits64(), rng.coin(0.5));
            test(&config, &Case { site, seed, counted, traffic: arrivals(&mut rng) });
        }
    }
}

impl Case {
    fn run<Q: Qdisc<Numbered>>(&self, qdisc: Q, mut watch: impl FnMut(&Bench<Q>)) -> Vec<Event> {
        let mut bench = Bench::new(qdisc, self.site, self.seed, self.counted);
        let mut now = Time::ZERO;
        for arrival in &self.traffic {
            now += arrival.gap;
            bench.arrive(now, arrival.meta);
            watch(&bench);
        }
        bench.drain();
        watch(&bench);
        bench.journal.0
    }
}

/// Arrivals = departures + drops + held after every step, each packet ends exactly once, and all
/// that is shown is finite.
pub fn accounts_for_every_packet<Q: Algorithm<Site = LinkInfo> + Qdisc<Numbered>>() {
    for_all::<Q>(|config, case| {
        let events = case.run(Q::new(config, &case.site), |bench| {
            let counters = bench.counters();
            assert!(counters.balances(bench.port.held()), "{counters:?}");
            assert_eq!(
                bench.port.waiting_since().len(),
                bench.port.qdisc().backlog().packets as usize
            );
            let mut seen = Gauges::default();
            bench.port.qdisc().probe(&mut seen);
            assert!(seen.0.iter().all(|(_, v)| v.is_finite()), "{seen:?}");
        });
        let mut ended: BTreeMap<u64, u32> = BTreeMap::new();
        for event in &events {
            if let Event::Sent(id, _) | Event::Dropped(id, _) = event {
                *ended.entry(*id).or_default() += 1;
            }
        }
        assert!(ended.len() == case.traffic.len() && ended.values().all(|n| *n == 1), "{ended:?}");
    });
}

/// The same seed gives the same run.
pub fn repeats_itself<Q: Algorithm<Site = LinkInfo> + Qdisc<Numbered>>() {
    for_all::<Q>(|config, case| {
        let run = || case.run(Q::new(config, &case.site), |_| {});
        assert_eq!(run(), run());
    });
}

/// The backlog, by the port's convention, never exceeds the limit; without a limit nothing is
/// dropped for lack of room, unless the discipline also limits each of its queues (`depth`).
pub fn keeps_the_limit<Q: Algorithm<Site = LinkInfo> + Qdisc<Numbered>>() {
    for_all::<Q>(|config, case| {
        let events = case.run(Q::new(config, &case.site), |bench| {
            let waits = bench.port.backlog();
            let Backlog { packets, bytes, buffers } = waits;
            match case.site.capacity {
                Capacity::Packets(n) => assert!(packets <= n, "{packets} wait where {n} may"),
                Capacity::Bytes(n) => assert!(bytes <= n, "{bytes} bytes wait where {n} may"),
                Capacity::Buffers { count, .. } => assert!(
                    buffers <= count,
                    "{buffers} buffers of \
                    {count} in use"
                ),
                Capacity::Reached(_) | Capacity::Unlimited => {}
            }
        });
        let full = |e: &Event| matches!(e, Event::Dropped(_, Reason::Overflow));
        let own_limit = serde_json::to_value(config).is_ok_and(|c| c.get("depth").is_some());
        assert!(case.site.capacity != Capacity::Unlimited || own_limit || !events.iter().any(full));
    });
}

/// A transmission starts at the arrival of its packet or at the end of another one, or after drops
/// at the head, or at the time until which a discipline that shapes holds it.
pub fn never_idles_while_a_packet_waits<Q: Algorithm<Site = LinkInfo> + Qdisc<Numbered>>() {
    for_all::<Q>(|config, case| {
        case.run(Q::new(config, &case.site), |bench| {
            let waiting = bench.port.waiting_since().len() as u64;
            assert!(
                waiting == 0
                    || bench.port.held() == waiting + 1
                    || bench.port.holds_until(bench.now).is_some(),
                "{waiting} wait and nothing \
                is in transmission"
            );
        });
    });
}

/// Packets of one flow and codepoint leave in the order in which they came.
pub fn keeps_the_order_of_a_flow<Q: Algorithm<Site = LinkInfo> + Qdisc<Numbered>>() {
    for_all::<Q>(|config, case| {
        let mut last: BTreeMap<(u32, u8, u8), u64> = BTreeMap::new();
        for event in case.run(Q::new(config, &case.site), |_| {}) {
            let Event::Sent(id, _) = event else { continue };
            let p = case.traffic[id as usize].meta;
            let before = last.insert((p.flow.0, p.dscp.0, p.ecn as u8), id);
            assert!(before < Some(id), "packet {id} overtook {before:?}");
        }
    });
}

/// The object-safe twin of a discipline, as its user's crate would bring it.
struct Boxed(Box<dyn DynQdisc<Numbered>>);

#[delegate(self.0)]
impl Qdisc<Numbered> for Boxed {}

/// Behind its object-safe twin it does the same.
pub fn behaves_alike_behind_a_box<
    Q: Algorithm<Site = LinkInfo> + Qdisc<Numbered> + Send + 'static,
>() {
    for_all::<Q>(|config, case| {
        let boxed = Boxed(Box::new(Q::new(config, &case.site)));
        assert_eq!(case.run(Q::new(config, &case.site), |_| {}), case.run(boxed, |_| {}));
    });
}
