//! The presets are `fq` with their algorithm, in every event.
use super::super::fq_cobalt::FqCobalt;
use super::super::fq_codel::{FqCodel, FqCodelConfig};
use super::super::fq_pie::FqPie;
use super::*;
use crate::suite::traffic::{arrivals, capacity};
use dumbbell_core::aqm::Reason;
use dumbbell_core::catalogue::read;
use dumbbell_core::packet::Ecn;
use dumbbell_core::qdisc::Qdisc;
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
use dumbbell_core::units::{Capacity, Span, Time};
use serde_json::{Value, json};

fn events<Q: Algorithm<Site = LinkInfo> + Qdisc<Numbered>>(
    config: &Value,
    case: u64,
) -> Vec<Event> {
    let mut rng = Stream::named(case, "presets");
    let (site, counted, traffic) = (link(capacity(&mut rng)), rng.coin(0.5), arrivals(&mut rng));
    let mut bench = Bench::new(Q::new(&read(config).unwrap(), &site), site, case, counted);
    let mut now = Time::ZERO;
    for arrival in traffic {
        // Twice as fast as the suite's, so that queues stand.
        now += Span::from_ps(arrival.gap.ps() / 2);
        bench.arrive(now, arrival.meta);
    }
    bench.drain();
    bench.journal.0
}

#[test]
fn a_preset_is_fq_with_its_algorithm() {
    let mut signals = 0;
    for case in 0..40 {
        let lot = json!({"flows": 8, "quantum": "300 B", "drop_batch": 3});
        let with = |more: Value| {
            let mut table = lot.clone();
            table.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            table
        };
        let fq = |aqm: Value| events::<Fq<Numbered>>(&with(json!({ "aqm": aqm })), case);
        let codel = events::<FqCodel<Numbered>>(&with(json!({"ce_threshold": "20 ms"})), case);
        assert_eq!(codel, fq(json!({"kind": "codel", "ecn": true, "ce_threshold": "20 ms"})));
        let pie = events::<FqPie<Numbered>>(&with(json!({"ecn": true})), case);
        assert_eq!(pie, fq(json!({"kind": "pie", "ecn": true})));
        let cobalt = events::<FqCobalt<Numbered>>(&with(json!({"p_inc": 0.1})), case);
        assert_eq!(cobalt, fq(json!({"kind": "cobalt", "ecn": true, "p_inc": 0.1})));
        signals += codel.iter().filter(|e| matches!(e, Event::Marked(..))).count();
    }
    assert!(signals > 100, "{signals}");
}

/// A flow that does not respond, beside one that sends little: the buffer cuts the first, and BLUE
/// learns of it.
#[test]
fn a_queue_that_is_cut_teaches_blue() {
    let site = link(Capacity::Packets(20));
    let qdisc: FqCobalt<Numbered> = FqCobalt::new(&Default::default(), &site);
    let mut bench = Bench::new(qdisc, site, 1, false);
    for n in 0..20_000u64 {
        bench.arrive(Time::ZERO + Span::from_ms(2 * n), packet(1, 1000, Ecn::Ect0));
        if n % 50 == 0 {
            bench.arrive(Time::ZERO + Span::from_ms(2 * n), packet(2, 100, Ecn::Ect0));
        }
    }
    // The decisions of BLUE are `forced`.
    assert!(
        bench.journal.dropped(Reason::Forced) > 100,
        "{}",
        bench.journal.dropped(Reason::Forced)
    );
}

/// CoDel in each queue: two flows of four fifths of the link each, that do not respond to drops,
/// wait for their own. A third that sends a small packet now and then waits for at most the packet
/// in transmission and one quantum of another new flow, of which there is none.
#[test]
fn a_sparse_flow_does_not_wait_for_the_others() {
    let site = link(Capacity::Packets(1000));
    let qdisc: FqCodel<Numbered> = FqCodel::new(&FqCodelConfig::default(), &site);
    let mut bench = Bench::new(qdisc, site, 1, false);
    let mut came = Vec::new();
    for n in 0..5000u64 {
        let at = Time::ZERO + Span::from_us(15_000 * n);
        bench.arrive(at, packet(1, 1500, Ecn::NotEct));
        bench.arrive(at, packet(2, 1500, Ecn::NotEct));
        if n % 20 == 7 {
            let at = at + Span::from_us(5_300);
            came.push((bench.arrive(at, packet(3, 100, Ecn::NotEct)).0, at));
        }
    }
    bench.drain();
    let sent =
        |id: u64| {
            bench.journal.0.iter().find_map(|e| {
                if let Event::Sent(i, t) = e { (*i == id).then_some(*t) } else { None }
            })
        };
    for (id, at) in &came {
        let took = sent(*id).expect("nothing of the sparse flow is dropped").since(*at);
        // 1500 B and 100 B at 1 Mbps.
        assert!(took <= Span::from_us(12_000 + 800), "packet {id} took {took}");
    }
    assert!(bench.journal.dropped(Reason::Head) > 500, "CoDel works on the others");
}
