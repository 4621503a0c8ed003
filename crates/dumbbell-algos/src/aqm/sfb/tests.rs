//! SFB: flows that respond, one that does not, the penalty box, marks, and the change of hashes.
use super::*;
use dumbbell_core::packet::Ecn;
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::probe::Gauges;
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
use dumbbell_core::units::Capacity;

/// Ours at a link of 1 Mbps: a packet of 1000 B takes 8 ms.
fn bench(config: &SfbConfig, limit: u32) -> Bench<Fifo<Sfb, Numbered>> {
    config.check().unwrap();
    let site = link(Capacity::Packets(limit));
    Bench::new(Fifo::new(Sfb::new(config, &site)), site, 1, false)
}

fn gauge(bench: &Bench<Fifo<Sfb, Numbered>>, name: &str) -> f64 {
    let mut seen = Gauges::default();
    bench.port.qdisc().probe(&mut seen);
    seen.get(name).unwrap()
}

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// One flow at eight times the link, and four hundred that send a seventh more than the link
/// carries together: the one's p_min becomes 1 and it is held to the penalty's rate; of the others
/// little more is dropped than must be.
#[test]
fn a_flow_that_does_not_respond_is_held_and_others_are_not() {
    let mut bench = bench(&SfbConfig::default(), 1000);
    let (mut small, mut big, mut reached) = (Vec::new(), Vec::new(), None);
    for ms in 0..100_000u64 {
        big.push(bench.arrive(at(ms), packet(1000, 1000, Ecn::NotEct)).0);
        if gauge(&bench, "p_min") >= 1.0 {
            reached = reached.or(Some(ms));
        }
        if ms % 7 == 0 {
            small.push(
                bench.arrive(at(ms), packet((ms / 7 * 131 % 400) as u32, 1000, Ecn::NotEct)).0,
            );
        }
    }
    let reached = reached.expect("p_min never became 1");
    assert!((1000..20_000).contains(&reached), "{reached} ms");
    let sent = |ids: &[u64]| {
        let late = |e: &&Event| {
            matches!(
                e, Event::Sent(id, t) if *t > at(20_000) && ids.binary_search(id).is_ok()
            )
        };
        bench.journal.0.iter().filter(late).count()
    };
    // At most ten in a second for 80 s, and a burst; the link carries 10000, and so 9200 are left
    // of the 11429 of the others.
    let (held, others) = (sent(&big), sent(&small));
    let policed = bench.journal.dropped(Reason::Policed);
    assert!(held <= 830 && others > 9000, "{held}, {others}");
    assert!(policed > 1_000, "{policed}");
}

/// The steps in closed form: n packets that find the bins at `target` raise p_min to n increments;
/// packets that find them empty lower it by as many decrements.
#[test]
fn p_min_takes_blues_steps() {
    let (up, down) = (1.0 / 64.0, 1.0 / 256.0);
    let config = SfbConfig {
        target: Packets(2.0),
        max: Packets(1000.0),
        increment: up,
        decrement: down,
        ..SfbConfig::default()
    };
    let mut bench = bench(&config, 1000);
    // The first goes into transmission at once; two more fill the bins.
    (0..3).for_each(|_| _ = bench.arrive(at(0), packet(5, 1000, Ecn::NotEct)));
    assert_eq!(gauge(&bench, "p_min"), 0.0);
    for n in 1..=32 {
        bench.arrive(at(0), packet(5, 1000, Ecn::NotEct));
        assert_eq!(gauge(&bench, "p_min"), f64::from(n) * up);
    }
    bench.drain();
    for n in 1..=10 {
        let now = Time::ZERO + Span::from_secs(10 * n);
        bench.arrive(now, packet(5, 1000, Ecn::NotEct));
        assert_eq!(gauge(&bench, "p_min"), 0.5 - n as f64 * down);
    }
}

/// A coin below p_min signals: ECN-capable packets are marked up to p_min = 1/2, and dropped with 2
/// p_min - 1 beyond. Of 20000 each, within 4.4 standard deviations.
#[test]
fn marks_give_way_to_drops() {
    for (ecn, on, p_min, marked, early, forced) in [
        (Ecn::NotEct, true, 0.25, 0.0, 0.25, 0.0),
        (Ecn::Ect0, true, 0.25, 0.25, 0.0, 0.0),
        (Ecn::Ect0, true, 0.75, 0.25, 0.0, 0.5),
        (Ecn::Ect0, false, 0.75, 0.0, 0.75, 0.0),
    ] {
        let n = 20_000u32;
        let mut sfb =
            Sfb::new(&SfbConfig { ecn: on, ..SfbConfig::default() }, &link(Capacity::Unlimited));
        sfb.seen.p_min = p_min;
        let mut rng = Stream::named(3, "toss");
        let (mut marks, mut drops) = (0u32, [0u32; 2]);
        for _ in 0..n {
            match sfb.toss(1.0, &mut rng).decide(ecn, true) {
                dumbbell_core::aqm::Decision::Admit(mark) => marks += u32::from(mark.is_some()),
                dumbbell_core::aqm::Decision::Drop(reason) => {
                    drops[usize::from(reason == Reason::Forced)] += 1
                }
            }
        }
        for (found, p) in [(marks, marked), (drops[0], early), (drops[1], forced)] {
            let sigma = (p * (1.0 - p) * f64::from(n)).sqrt();
            assert!(
                (f64::from(found) - p * f64::from(n)).abs() <= 4.4 * sigma,
                "{ecn:?} {p_min}: \
                {found}, {p}"
            );
        }
    }
}

/// A flow's bins hold `max` and no more, however small the steps of its probability.
#[test]
fn a_bin_never_holds_more_than_max() {
    let mut bench = bench(&SfbConfig { increment: 0.0, ..SfbConfig::default() }, 1000);
    (0..100).for_each(|_| _ = bench.arrive(at(0), packet(5, 1000, Ecn::NotEct)));
    assert_eq!(bench.port.qdisc().backlog().packets, 25);
    assert_eq!(bench.journal.dropped(Reason::Forced), 74);
}

/// The box holds a burst, and fills by its rate.
#[test]
fn the_penalty_box_is_a_token_bucket() {
    let mut penalty = Penalty { rate: 10.0, burst: 20.0, tokens: 20.0, at: Time::ZERO };
    let passed =
        |penalty: &mut Penalty, ms: u64, n: u32| (0..n).filter(|_| penalty.takes(at(ms))).count();
    assert_eq!(passed(&mut penalty, 0, 50), 20);
    assert_eq!(passed(&mut penalty, 99, 5), 0);
    assert_eq!(passed(&mut penalty, 1001, 50), 10);
    assert_eq!(passed(&mut penalty, 60_000, 50), 20);
}

/// The hashes change every `rehash`. What does not respond is known under the next ones already,
/// and packets that wait while they change are counted once: at the end all bins are empty.
#[test]
fn hashes_change_and_the_box_stays_shut() {
    let (rehash, db) = (Span::from_secs(20), Span::from_secs(5));
    let config = SfbConfig { rehash, db, increment: 0.01, ..SfbConfig::default() };
    let (site, flows, mut rng) =
        (link(Capacity::Unlimited), FlowTable::default(), Stream::named(1, "sfb"));
    let mut sfb = Sfb::new(&config, &site);
    let (p, mut waiting, mut changes, mut last) =
        (packet(100, 1000, Ecn::NotEct), 0, Vec::new(), 0);
    for ms in 0..70_000u64 {
        let mut cx = Cx { now: at(ms), rng: &mut rng, link: &site, flows: &flows };
        if sfb.arrive(&mut cx, &Nothing, &p, true) == Verdict::Pass {
            sfb.admitted(&p);
            waiting += 1;
        }
        let present = sfb.present.as_ref().unwrap();
        if present.seed() != last {
            last = present.seed();
            changes.push(ms);
        }
        assert_eq!(sfb.next.is_some(), ms % 20_000 >= 15_000, "{ms} ms");
        assert!(ms < 4_000 || sfb.seen.p_min == 1.0, "{ms} ms: {:?}", sfb.seen);
        // Ten leave in a second, and thirty wait: more than the bins' target.
        if ms % 100 == 0 && waiting > 22 {
            sfb.gone(&p, Gone::Sent);
            waiting -= 1;
        }
    }
    assert_eq!(changes, [0, 20_000, 40_000, 60_000]);
    (0..waiting).for_each(|_| sfb.gone(&p, Gone::Sent));
    assert!((0..8).all(|level| sfb.present.as_ref().unwrap().inside(level) == 0));
}

/// A queue of which SFB asks nothing.
struct Nothing;

impl QueueView for Nothing {
    fn backlog(&self) -> dumbbell_core::aqm::Backlog {
        dumbbell_core::aqm::Backlog::default()
    }
    fn meta(&self, _: u32) -> Option<Meta> {
        None
    }
}

#[test]
fn contradictions_are_refused() {
    use dumbbell_core::catalogue::read;
    let fault = |json| read::<SfbConfig>(&json).unwrap_err();
    assert_eq!(fault(serde_json::json!({"target": "0 pkt"})).at, "target");
    assert_eq!(fault(serde_json::json!({"max": "10 pkt"})).at, "max");
    assert_eq!(fault(serde_json::json!({"db": "700 s"})).at, "db");
    assert_eq!(fault(serde_json::json!({"levels": 17})).at, "levels");
    assert_eq!(fault(serde_json::json!({"rehash": "0 s"})).at, "db");
    assert_eq!(fault(serde_json::json!({"rehash": "20 d"})).at, "rehash");
}
