//! An algorithm that comes in through the object-safe twin is the algorithm itself, decision by
//! decision.
use dumbbell_algos::aqm::AnyAqm;
use dumbbell_algos::aqm::drop_tail::DropTail;
use dumbbell_algos::aqm::red::Red;
use dumbbell_core::aqm::{
    Aqm, Cx, DynAqm, Gone, Limit, LinkInfo, Needs, QueueView, Reason, Slot, Verdict,
};
use dumbbell_core::catalogue::Algorithm;
use dumbbell_core::packet::{Ecn, Meta};
use dumbbell_core::probe::{Gauges, Probe};
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
use dumbbell_core::units::{Capacity, Span, Time};
use serde_json::json;
use std::sync::{Arc, Mutex};

/// Random traffic through a port: what happened to it, and what the algorithm showed after each
/// arrival.
fn run<A: Aqm>(aqm: A, site: LinkInfo) -> (Vec<Event>, Vec<Gauges>) {
    let (mut bench, mut rng) =
        (Bench::new(Fifo::<_, Numbered>::new(aqm), site, 3, false), Stream::named(4, "traffic"));
    let (mut now, mut probes) = (Time::ZERO, Vec::new());
    for _ in 0..1_500 {
        now += Span::from_us(if rng.coin(0.02) { 200_000 } else { u64::from(rng.below(6_000)) });
        let ecn = if rng.coin(0.5) { Ecn::Ect0 } else { Ecn::NotEct };
        bench.arrive(now, packet(rng.below(4), 40 + rng.below(1461), ecn));
        let mut seen = Gauges::default();
        bench.port.qdisc().probe(&mut seen);
        probes.push(seen);
    }
    bench.drain();
    (bench.journal.0, probes)
}

fn same<A: Algorithm<Site = LinkInfo> + Aqm + Send + 'static>(
    config: &serde_json::Value,
    capacity: Capacity,
) {
    let site = link(capacity);
    let build = || A::new(&dumbbell_core::catalogue::read(config).unwrap(), &site);
    let direct = run(build(), site);
    assert!(
        direct.0.iter().any(|e| matches!(e, Event::Dropped(..))),
        "{config}: nothing was \
        decided"
    );
    assert!(run(AnyAqm::Plugin(Box::new(build())), site) == direct, "{config}: the twin differs");
    assert!(
        run(AnyAqm::build(A::ABOUT.name, config, &site).unwrap(), site) == direct,
        "{config}: \
        the enum differs"
    );
}

#[test]
fn the_twin_decides_as_the_original() {
    for victim in ["tail", "front", "random"] {
        same::<DropTail>(&json!({ "victim": victim }), Capacity::Bytes(9_000));
        let red = json!({
            "victim": victim, "w_q": 0.1, "ecn": true, "min_th": "2 pkt", "max_th": "6 pkt",
        });
        same::<Red>(&red, Capacity::Packets(8));
    }
    same::<Red>(
        &json!({"w_q": 0.05, "spacing": "uniform_stored", "gentle": true}),
        Capacity::Packets(12),
    );
}

/// Writes down each call.
struct Recorder(Arc<Mutex<Vec<String>>>);

impl Recorder {
    fn note(&self, call: String) {
        self.0.lock().unwrap().push(call);
    }
}

impl Aqm for Recorder {
    fn needs(&self) -> Needs {
        Needs::Held
    }
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        self.note(format!(
            "arrive {:?} {:?} {:?} {:?} {p:?} {fits}",
            cx.now,
            q.backlog(),
            q.waiting(),
            q.meta(0)
        ));
        if cx.rng.coin(0.1) { Verdict::Mark(Reason::Early) } else { Verdict::Pass }
    }
    fn overflowed(&mut self, cx: &mut Cx<'_>, limit: Limit) {
        self.note(format!("overflowed {:?} {limit:?}", cx.now));
    }
    fn make_room(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta) -> Option<Slot> {
        self.note(format!("make_room {:?} {:?} {p:?}", cx.now, q.waiting()));
        cx.rng.coin(0.9).then_some(0)
    }
    fn admitted(&mut self, p: &Meta) {
        self.note(format!("admitted {p:?}"));
    }
    fn refused(&mut self, cx: &mut Cx<'_>, p: &Meta, reason: Reason) {
        self.note(format!("refused {:?} {p:?} {reason:?}", cx.now));
    }
    fn depart(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, sojourn: Span) -> Verdict {
        self.note(format!("depart {:?} {:?} {p:?} {sojourn:?}", cx.now, q.backlog()));
        if cx.rng.coin(0.1) { Verdict::Drop(Reason::Head) } else { Verdict::Pass }
    }
    fn gone(&mut self, p: &Meta, how: Gone) {
        self.note(format!("gone {p:?} {how:?}"));
    }
    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.note(format!("idle {:?}", cx.now));
    }
    fn tick(&mut self, cx: &mut Cx<'_>, q: &impl QueueView) -> Option<Span> {
        self.note(format!("tick {:?} {:?}", cx.now, q.backlog()));
        Some(Span::from_ms(50))
    }
    fn ticks(&self) -> bool {
        true
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("calls", self.0.lock().unwrap().len() as f64);
    }
}

#[test]
fn every_hook_passes_through_the_twin() {
    let site = link(Capacity::Bytes(6_000));
    let record = |wrap: fn(Recorder) -> AnyAqm| {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let result = run(wrap(Recorder(calls.clone())), site);
        (result, Arc::try_unwrap(calls).unwrap().into_inner().unwrap())
    };
    let calls = Arc::new(Mutex::new(Vec::new()));
    let direct = run(Recorder(calls.clone()), site);
    let direct = (direct, Arc::try_unwrap(calls).unwrap().into_inner().unwrap());
    let foreign = record(|r| AnyAqm::Plugin(Box::new(r)));
    assert!(foreign == direct);
    for hook in [
        "arrive",
        "overflowed",
        "make_room",
        "admitted",
        "refused",
        "depart",
        "gone",
        "idle",
        "tick",
    ] {
        assert!(direct.1.iter().any(|c| c.starts_with(hook)), "{hook} was never called");
    }
    assert!(
        DynAqm::ticks(&Recorder(Arc::default()))
            && DynAqm::needs(&Recorder(Arc::default())) == Needs::Held
    );
}

#[test]
fn a_name_that_nobody_has_is_answered_with_the_nearest() {
    let fault = AnyAqm::build("redd", &json!({}), &link(Capacity::Unlimited)).err().unwrap();
    assert_eq!(fault.fix.as_deref(), Some("did you mean `red`?"));
}
