//! The duties of every scheduler toward the algorithms of its queues.
use super::drr::{Drr, DrrConfig};
use super::prio::{Bands, Prio, PrioConfig};
use crate::aqm::{AnyAqm, CATALOGUE};
use crate::dscp as codepoints;
use crate::qdisc::parts::child_aqm::Child;
use crate::qdisc::parts::classes::Classes;
use crate::qdisc::parts::scheduled::Scheduled;
use crate::suite::traffic::{arrivals, capacity};
use dumbbell_core::aqm::{Aqm, Cx, Gone, QueueView, Verdict};
use dumbbell_core::catalogue::Algorithm;
use dumbbell_core::packet::{Dscp, Ecn, Meta};
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
use dumbbell_core::units::{Capacity, Span, Time};
use std::sync::{Arc, Mutex};

/// A scheduler with a single class is the FIFO with the same algorithm, in every event: for each
/// algorithm, limit and convention.
#[test]
fn one_class_is_the_fifo() {
    for entry in CATALOGUE {
        let child = Child { kind: entry.about.name.into(), config: serde_json::Map::new() };
        for case in 0..20 {
            let mut rng = Stream::named(case, "one class");
            let (site, counted, traffic) =
                (link(capacity(&mut rng)), rng.coin(0.5), arrivals(&mut rng));
            let alone = |config: &Child| Fifo::<AnyAqm, Numbered>::new(config.build(&site));
            let prio = PrioConfig {
                bands: 1,
                map: Default::default(),
                default_band: 0,
                aqm: child.clone(),
            };
            let drr = DrrConfig {
                weights: vec![1.0],
                map: Default::default(),
                default_class: 0,
                aqm: child.clone(),
                ..DrrConfig::default()
            };
            let want = events(alone(&child), &site, counted, &traffic);
            assert_eq!(
                events(Prio::new(&prio, &site), &site, counted, &traffic),
                want,
                "{} in \
                prio",
                child.kind
            );
            assert_eq!(
                events(Drr::new(&drr, &site), &site, counted, &traffic),
                want,
                "{} in drr",
                child.kind
            );
        }
    }
}

fn events<Q: Qdisc<Numbered>>(
    qdisc: Q,
    site: &dumbbell_core::aqm::LinkInfo,
    counted: bool,
    traffic: &[crate::suite::traffic::Arrival],
) -> Vec<Event> {
    let mut bench = Bench::new(qdisc, *site, 7, counted);
    let mut now = Time::ZERO;
    for arrival in traffic {
        now += arrival.gap;
        bench.arrive(now, arrival.meta);
    }
    bench.drain();
    bench.journal.0
}

/// The words that algorithms were told, each with the number of its class.
type Told = Arc<Mutex<Vec<(usize, String)>>>;

/// Writes down what it is told, and drops what waited longer than `patience` when its turn comes.
struct Spy {
    class: usize,
    told: Told,
    patience: Span,
}

impl Spy {
    fn note(&self, what: String) {
        self.told.lock().unwrap().push((self.class, what));
    }
}

impl Aqm for Spy {
    fn arrive(&mut self, _: &mut Cx<'_>, q: &impl QueueView, _: &Meta, fits: bool) -> Verdict {
        self.note(format!("arrive {} {}", q.backlog().packets, if fits { "fits" } else { "full" }));
        Verdict::Pass
    }
    fn depart(&mut self, _: &mut Cx<'_>, _: &impl QueueView, _: &Meta, sojourn: Span) -> Verdict {
        if sojourn > self.patience {
            Verdict::Drop(dumbbell_core::aqm::Reason::Head)
        } else {
            Verdict::Pass
        }
    }
    fn gone(&mut self, _: &Meta, how: Gone) {
        self.note(format!("{how:?}"));
    }
    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.note(format!("idle at {} ms", cx.now.ps() / 1_000_000_000));
    }
}

/// Two bands of spies: EF, and the rest.
fn spies(
    patience: Span,
    capacity: Capacity,
    counted: bool,
) -> (Bench<Scheduled<Bands, Spy, Numbered>>, Told) {
    let (told, site) = (Told::default(), link(capacity));
    let shared = told.clone();
    let classes =
        Classes::new(2, &site, move |class| Spy { class, told: shared.clone(), patience });
    let of = codepoints::classes(&[("ef".to_string(), 0)].into(), 1);
    (Bench::new(Scheduled::of(Bands::of(of), classes), site, 1, counted), told)
}

fn of_class(told: &Told, class: usize) -> Vec<String> {
    told.lock().unwrap().iter().filter(|(c, _)| *c == class).map(|(_, what)| what.clone()).collect()
}

/// 1250 B take 10 ms at 1 Mbps.
fn send(bench: &mut Bench<Scheduled<Bands, Spy, Numbered>>, ms: u64, dscp: u8) {
    let p = Meta { dscp: Dscp(dscp), ..packet(0, 1250, Ecn::NotEct) };
    bench.arrive(Time::ZERO + Span::from_ms(ms), p);
}

/// A class is idle when the last bit of its last packet has left, though others go on; once for
/// each time.
#[test]
fn each_class_is_told_once_that_it_is_idle() {
    let (mut bench, told) = spies(Span::MAX, Capacity::Unlimited, false);
    for (ms, dscp) in [(0, 46), (1, 0), (2, 46), (3, 0), (60, 46)] {
        send(&mut bench, ms, dscp);
    }
    bench.drain();
    // Band 0 sends until 20 ms, band 1 from then until 40 ms, band 0 once more from 60 ms.
    let idle = |class| {
        of_class(&told, class).into_iter().filter(|t| t.starts_with("idle")).collect::<Vec<_>>()
    };
    assert_eq!(idle(0), ["idle at 20 ms", "idle at 70 ms"]);
    assert_eq!(idle(1), ["idle at 40 ms"]);
}

/// A class whose algorithm drops all that waits is idle at once: it has nothing in transmission.
#[test]
fn a_class_that_drops_all_is_idle_too() {
    let (mut bench, told) = spies(Span::from_ms(15), Capacity::Unlimited, false);
    for (ms, dscp) in [(0, 46), (1, 46), (2, 0), (3, 0)] {
        send(&mut bench, ms, dscp);
    }
    bench.drain();
    // Band 1's turn comes at 20 ms, when both have waited for more than 15 ms.
    let end = ["HeadDrop", "HeadDrop", "idle at 20 ms"];
    assert_eq!(of_class(&told, 1)[2..], end);
    assert_eq!(bench.journal.dropped(dumbbell_core::aqm::Reason::Head), 2);
}

/// An algorithm sees its own class alone, and the packet in transmission where it is its own and
/// the port counts it.
#[test]
fn a_class_sees_its_own_backlog_and_the_room_in_the_whole() {
    let arrivals = |counted| {
        let (mut bench, told) = spies(Span::MAX, Capacity::Packets(2), counted);
        for (ms, dscp) in [(0, 0), (1, 46), (2, 0), (3, 0)] {
            send(&mut bench, ms, dscp);
        }
        let seen = |class| {
            of_class(&told, class)
                .into_iter()
                .filter(|t| t.starts_with("arrive"))
                .collect::<Vec<_>>()
        };
        (seen(0), seen(1))
    };
    assert_eq!(
        arrivals(false),
        (
            vec!["arrive 0 fits".into()],
            ["0 fits", "0 fits", "1 full"].map(|t| format!("arrive {t}")).into()
        )
    );
    assert_eq!(
        arrivals(true),
        (
            vec!["arrive 0 fits".into()],
            ["0 fits", "1 full", "1 full"].map(|t| format!("arrive {t}")).into()
        )
    );
}
