//! Every queue: nothing lost, nothing twice, in order, the same again with the same seed.
use super::folded::Folded;
use super::parameters::choices;
use dumbbell_core::aqm::{Aqm, Cx, Gone, LinkInfo, Needs, QueueView, Reason, Slot, Verdict};
use dumbbell_core::catalogue::Algorithm;
use dumbbell_core::packet::{Ecn, FlowId, Meta};
use dumbbell_core::probe::Probe;
use dumbbell_core::qdisc::Fifo;
use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
use dumbbell_core::units::{Capacity, Span, Time};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeMap;

/// A packet that arrives some time after the one before.
#[derive(Clone, Debug)]
pub struct Arrival {
    gap: Span,
    meta: Meta,
}

/// Random traffic: bursts and pauses, all sizes, some flows, all codepoints.
fn traffic() -> impl Strategy<Value = Vec<Arrival>> {
    let ecn = prop::sample::select(vec![Ecn::NotEct, Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce]);
    let gap = prop_oneof![40 => 0u64..5_000, 1 => 100_000u64..300_000].prop_map(Span::from_us);
    let one = (gap, 0u32..4, 40u32..1500, ecn)
        .prop_map(|(gap, flow, bytes, ecn)| Arrival { gap, meta: packet(flow, bytes, ecn) });
    prop::collection::vec(one, 1..300)
}

fn capacity() -> impl Strategy<Value = Capacity> {
    prop_oneof![
        (0u32..30).prop_map(Capacity::Packets),
        (0u64..20_000).prop_map(Capacity::Bytes),
        Just(Capacity::Unlimited),
    ]
}

/// For each choice of the algorithm: some random traffic at some port.
fn for_all<A: Algorithm<Site = LinkInfo>>(mut test: impl FnMut(&A::Config, Capacity, u64, bool, &[Arrival])) {
    for (i, config) in choices::<A>().into_iter().enumerate() {
        let shown = serde_json::to_value(&config).unwrap();
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[i as u8; 32]);
        let cases = Config { cases: 8, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(cases, rng);
        let test = std::cell::RefCell::new(&mut test);
        runner
            .run(&(capacity(), any::<u64>(), any::<bool>(), traffic()), |(capacity, seed, counted, traffic)| {
                test.borrow_mut()(&config, capacity, seed, counted, &traffic);
                Ok(())
            })
            .unwrap_or_else(|e| panic!("{} with {shown}: {e}", A::ABOUT.name));
    }
}

/// Sends the traffic through a held port; `watch` looks at it after each arrival.
fn run<A: Aqm>(
    aqm: A,
    site: LinkInfo,
    seed: u64,
    counted: bool,
    traffic: &[Arrival],
    mut watch: impl FnMut(&Bench<Fifo<A, Numbered>>),
) -> Vec<Event> {
    let mut bench = Bench::new(Fifo::new(aqm), site, seed, counted);
    let mut now = Time::ZERO;
    for arrival in traffic {
        now += arrival.gap;
        bench.arrive(now, arrival.meta);
        watch(&bench);
    }
    bench.drain();
    watch(&bench);
    bench.journal.0
}

/// An algorithm under watch: each packet that goes in is told to it once, and told again once when it goes.
struct Watched<A> {
    inner: A,
    inside: BTreeMap<(FlowId, u32), i64>,
}

impl<A: Aqm> Watched<A> {
    fn count(&mut self, p: &Meta, by: i64) {
        let n = self.inside.entry((p.flow, p.ip_len)).or_default();
        *n += by;
        assert!(*n >= 0, "a packet is gone that was never admitted: {p:?}");
    }
}

impl<A: Aqm> Aqm for Watched<A> {
    fn needs(&self) -> Needs {
        self.inner.needs()
    }
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        self.inner.arrive(cx, q, p, fits)
    }
    fn make_room(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta) -> Option<Slot> {
        self.inner.make_room(cx, q, p)
    }
    fn admitted(&mut self, p: &Meta) {
        self.count(p, 1);
        self.inner.admitted(p);
    }
    fn depart(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, sojourn: Span) -> Verdict {
        self.inner.depart(cx, q, p, sojourn)
    }
    fn gone(&mut self, p: &Meta, how: Gone) {
        self.count(p, -1);
        self.inner.gone(p, how);
    }
    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.inner.idle(cx);
    }
    fn tick(&mut self, cx: &mut Cx<'_>, q: &impl QueueView) -> Option<Span> {
        self.inner.tick(cx, q)
    }
    fn ticks(&self) -> bool {
        self.inner.ticks()
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("inside", self.inside.values().sum::<i64>() as f64);
        self.inner.probe(out);
    }
}

/// Arrivals = departures + drops + held after every step; each packet ends exactly once; `admitted` and `gone`
/// close at the backlog; every number that a probe shows is finite (the journal looks at each drop and mark).
pub fn accounts_for_every_packet<A: Algorithm<Site = LinkInfo> + Aqm>() {
    for_all::<A>(|config, capacity, seed, counted, traffic| {
        let site = link(capacity);
        let watched = Watched { inner: A::new(config, &site), inside: BTreeMap::new() };
        let events = run(watched, site, seed, counted, traffic, |bench| {
            assert!(bench.port.ledger().balances(bench.port.held()), "{:?}", bench.port.ledger());
            let mut seen = dumbbell_core::probe::Gauges::default();
            dumbbell_core::qdisc::Qdisc::probe(bench.port.qdisc(), &mut seen);
            let waiting = bench.port.waiting_since().len() as f64;
            assert_eq!(seen.get("inside"), Some(waiting), "admitted less gone is the backlog");
            assert!(seen.0.iter().all(|(_, v)| v.is_finite()), "{seen:?}");
        });
        let ended = |id| {
            let ends = |e: &&Event| matches!(e, Event::Sent(i, _) | Event::Dropped(i, _) if *i == id);
            events.iter().filter(ends).count()
        };
        assert!((0..traffic.len() as u64).all(|id| ended(id) == 1));
    });
}

/// First in, first out; a transmission takes its length over the rate and none overlaps the next.
pub fn keeps_the_order<A: Algorithm<Site = LinkInfo> + Aqm>() {
    for_all::<A>(|config, capacity, seed, counted, traffic| {
        let site = link(capacity);
        let events = run(A::new(config, &site), site, seed, counted, traffic, |_| {});
        let (mut arrived, mut now) = (Vec::new(), Time::ZERO);
        for arrival in traffic {
            now += arrival.gap;
            arrived.push(now);
        }
        let (mut last_id, mut free) = (None, Time::ZERO);
        for event in events {
            let Event::Sent(id, at) = event else { continue };
            let start = free.max(arrived[id as usize]);
            assert_eq!(at, start + site.rate.span_of(u64::from(traffic[id as usize].meta.wire_len)));
            assert!(last_id < Some(id), "packet {id} overtook {last_id:?}");
            (last_id, free) = (Some(id), at);
        }
    });
}

/// The same seed gives the same run.
pub fn repeats_itself<A: Algorithm<Site = LinkInfo> + Aqm>() {
    for_all::<A>(|config, capacity, seed, counted, traffic| {
        let site = link(capacity);
        let once = || run(A::new(config, &site), site, seed, counted, traffic, |_| {});
        assert_eq!(once(), once());
    });
}

/// Only ECN-capable packets are marked, and none of them is dropped early by an algorithm that has `ecn` on.
pub fn marks_what_it_may_mark<A: Algorithm<Site = LinkInfo> + Aqm>() {
    for_all::<A>(|config, capacity, seed, counted, traffic| {
        let site = link(capacity);
        let ecn_on = serde_json::to_value(config).unwrap()["ecn"] == true;
        for event in run(A::new(config, &site), site, seed, counted, traffic, |_| {}) {
            match event {
                Event::Marked(id, _) => assert!(ecn_on && traffic[id as usize].meta.ecn.capable()),
                Event::Dropped(id, Reason::Early) if ecn_on => assert!(!traffic[id as usize].meta.ecn.capable()),
                _ => {}
            }
        }
    });
}

/// One that says it decides by the backlog at arrival does so: a port that keeps no packet, needs no transmit
/// event and tells of idle periods late comes to the same verdicts and departures.
pub fn needs_what_it_says<A: Algorithm<Site = LinkInfo> + Aqm>() {
    for_all::<A>(|config, capacity, seed, counted, traffic| {
        let site = link(capacity);
        if A::new(config, &site).needs() == Needs::Held {
            return;
        }
        let mut folded = Folded::new(A::new(config, &site), site, seed, counted);
        let mut now = Time::ZERO;
        for arrival in traffic {
            now += arrival.gap;
            folded.arrive(now, arrival.meta);
        }
        let mut held = run(A::new(config, &site), site, seed, counted, traffic, |_| {});
        let mut events = folded.events;
        let by_packet = |e: &Event| match *e {
            Event::Marked(id, _) => (id, 0),
            Event::Sent(id, _) | Event::Dropped(id, _) => (id, 1),
        };
        held.sort_by_key(by_packet);
        events.sort_by_key(by_packet);
        assert_eq!(events, held);
    });
}
