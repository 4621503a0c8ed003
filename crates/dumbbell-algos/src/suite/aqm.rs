//! Checks for every queue: it loses, duplicates and reorders no packet, and the same seed gives the
//! same output.
use super::folded::Folded;
use super::log::{Log, Logged};
use super::pages;
use super::traffic::{Arrival, arrivals, capacity, hold};
use crate::aqm::AnyAqm;
use crate::suite::under_test::{AqmUnderTest, Check, Finding, ensure, smallest};
use dumbbell_core::aqm::{Aqm, Gone, Hears, LinkInfo, Needs, Reason};
use dumbbell_core::packet::{FlowId, Meta};
use dumbbell_core::probe::{Gauges, Probe};
use dumbbell_core::qdisc::Qdisc;
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Event, link};
use dumbbell_core::units::{Capacity, Time};
use dumbbell_macros::delegate;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The whole suite.
pub const CHECKS: &[Check<AqmUnderTest>] = &[
    Check {
        name: "documents_itself",
        what: "the page is complete, every parameter has a meaning and a source, the defaults are \
            valid",
        run: documents_itself,
    },
    Check {
        name: "refuses_what_is_wrong",
        what: "unknown parameters, values out of range and wrong types are refused with their \
            place",
        run: refuses_what_is_wrong,
    },
    Check {
        name: "accounts_for_every_packet",
        what: "arrivals = departures + drops + held at every step; every gauge is finite",
        run: accounts_for_every_packet,
    },
    Check {
        name: "keeps_the_order",
        what: "packets leave in the order of arrival, one after the other",
        run: keeps_the_order,
    },
    Check { name: "repeats_itself", what: "the same seed gives the same run", run: repeats_itself },
    Check {
        name: "marks_what_it_may_mark",
        what: "marks ECN-capable packets only, and only while a parameter `ecn` is on",
        run: marks_what_it_may_mark,
    },
    Check {
        name: "needs_what_it_says",
        what: "an algorithm that decides at arrival decides the same on a port that keeps no \
            packets",
        run: needs_what_it_says,
    },
    Check {
        name: "keeps_the_limit",
        what: "the backlog is never beyond the queue's limit; without a limit nothing overflows",
        run: keeps_the_limit,
    },
    Check {
        name: "is_what_its_log_says",
        what: "rebuilt from the log of its calls and draws it decides the same, seen or unseen, \
            alone or beside another",
        run: is_what_its_log_says,
    },
];

/// Cases for each choice of the parameters.
const CASES: u64 = 8;

/// One case: a configuration at a port.
struct Case<'a> {
    subject: &'a AqmUnderTest,
    config: &'a Value,
    site: LinkInfo,
    seed: u64,
    counted: bool,
}

impl Case<'_> {
    fn make(&self) -> Result<AnyAqm, String> {
        self.subject.make(self.config, &self.site).map(AnyAqm::Plugin)
    }
    fn held(&self, traffic: &[Arrival]) -> Result<Vec<Event>, String> {
        Ok(hold(self.make()?, self.site, self.seed, self.counted, traffic, |_| {}))
    }
}

/// For each choice of the algorithm: some random traffic at some port. What is found is shown with
/// as little traffic as it takes.
fn for_all(subject: &AqmUnderTest, test: impl Fn(&Case<'_>, &[Arrival]) -> Finding) -> Finding {
    for config in pages::choices(&subject.described) {
        for case in 0..CASES {
            let mut rng = Stream::named(case, "suite");
            let (site, seed, counted) = (link(capacity(&mut rng)), rng.bits64(), rng.coin(0.5));
            let case = Case { subject, config: &config, site, seed, counted };
            let judge = |traffic: &[Arrival]| subject.attempt(|| test(&case, traffic));
            let traffic = arrivals(&mut rng);
            if let Err(found) = judge(&traffic) {
                let (traffic, found) = smallest(&traffic, found, judge);
                let limit = serde_json::to_string(&site.capacity).unwrap_or_default();
                let head = format!(
                    "parameters {config}, limit {limit}, count_in_service \
                    {counted}, seed {seed}"
                );
                return Err(format!("{found}\n({head}, {} packets)", traffic.len()));
            }
        }
    }
    Ok(())
}

/// See [`pages::documents_itself`].
pub fn documents_itself(subject: &AqmUnderTest) -> Finding {
    pages::documents_itself(&subject.described)
}

/// See [`pages::refuses_what_is_wrong`].
pub fn refuses_what_is_wrong(subject: &AqmUnderTest) -> Finding {
    pages::refuses_what_is_wrong(&subject.described)
}

/// An algorithm under watch: each packet that goes in is told to it once, and told again once when
/// it goes.
struct Watched<'a> {
    inner: AnyAqm,
    inside: BTreeMap<(FlowId, u32), i64>,
    found: &'a RefCell<Finding>,
}

impl Watched<'_> {
    fn count(&mut self, p: &Meta, by: i64) {
        let n = self.inside.entry((p.flow, p.ip_len)).or_default();
        *n += by;
        if *n < 0 {
            *self.found.borrow_mut() = Err(format!(
                "a packet left that was never admitted: \
                {p:?}"
            ));
        }
    }
}

#[delegate(self.inner)]
impl Aqm for Watched<'_> {
    fn hears(&self) -> Hears {
        Hears::ALL
    }
    fn admitted(&mut self, p: &Meta) {
        self.count(p, 1);
        self.inner.admitted(p);
    }
    fn gone(&mut self, p: &Meta, how: Gone) {
        self.count(p, -1);
        self.inner.gone(p, how);
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("inside", self.inside.values().sum::<i64>() as f64);
        self.inner.probe(out);
    }
}

/// Arrivals = departures + drops + held after every step; each packet ends exactly once; `admitted`
/// and `gone` close at the backlog; every number that a probe shows is finite (the journal looks at
/// each drop and mark).
pub fn accounts_for_every_packet(subject: &AqmUnderTest) -> Finding {
    for_all(subject, |case, traffic| {
        let found = RefCell::new(Ok(()));
        let watched = Watched { inner: case.make()?, inside: BTreeMap::new(), found: &found };
        let events = hold(watched, case.site, case.seed, case.counted, traffic, |bench| {
            let mut seen = Gauges::default();
            bench.port.qdisc().probe(&mut seen);
            let waiting = bench.port.waiting_since().len() as f64;
            let step = || {
                ensure!(bench.counters().balances(bench.port.held()), "{:?}", bench.counters());
                ensure!(
                    seen.get("inside") == Some(waiting),
                    "admitted less gone is not the \
                    backlog of {waiting}"
                );
                ensure!(seen.0.iter().all(|(_, v)| v.is_finite()), "it shows {seen:?}");
                Ok(())
            };
            if let (Err(wrong), true) = (step(), found.borrow().is_ok()) {
                *found.borrow_mut() = Err(wrong);
            }
        });
        found.into_inner()?;
        for id in 0..traffic.len() as u64 {
            let ends =
                |e: &&Event| matches!(e, Event::Sent(i, _) | Event::Dropped(i, _) if *i == id);
            let times = events.iter().filter(ends).count();
            ensure!(times == 1, "packet {id} ended {times} times");
        }
        Ok(())
    })
}

/// First in, first out; a transmission takes its length over the rate and none overlaps the next.
pub fn keeps_the_order(subject: &AqmUnderTest) -> Finding {
    for_all(subject, |case, traffic| {
        let (mut arrived, mut now) = (Vec::new(), Time::ZERO);
        for arrival in traffic {
            now += arrival.gap;
            arrived.push(now);
        }
        let (mut last_id, mut free) = (None, Time::ZERO);
        for event in case.held(traffic)? {
            let Event::Sent(id, at) = event else { continue };
            let start = free.max(arrived[id as usize]);
            let due = start + case.site.rate.span_of(u64::from(traffic[id as usize].meta.wire_len));
            ensure!(at == due, "packet {id} left at {at:?}, due at {due:?}");
            ensure!(last_id < Some(id), "packet {id} overtook {last_id:?}");
            (last_id, free) = (Some(id), at);
        }
        Ok(())
    })
}

/// The same seed gives the same run.
pub fn repeats_itself(subject: &AqmUnderTest) -> Finding {
    for_all(subject, |case, traffic| {
        let (first, second) = (case.held(traffic)?, case.held(traffic)?);
        let differ = first.iter().zip(&second).find(|(a, b)| a != b);
        ensure!(first == second, "two runs with the same seed differ: {differ:?}");
        Ok(())
    })
}

/// Only ECN-capable packets are marked, and none of them is dropped early by an algorithm that has
/// `ecn` on.
pub fn marks_what_it_may_mark(subject: &AqmUnderTest) -> Finding {
    for_all(subject, |case, traffic| {
        let ecn_on = case.config["ecn"] == true;
        for event in case.held(traffic)? {
            match event {
                Event::Marked(id, _) => {
                    ensure!(ecn_on, "packet {id} was marked, and no parameter `ecn` is on");
                    ensure!(
                        traffic[id as usize].meta.ecn.capable(),
                        "packet {id} was marked and \
                        is not ECN-capable"
                    );
                }
                Event::Dropped(id, Reason::Early) if ecn_on => {
                    let capable = traffic[id as usize].meta.ecn.capable();
                    ensure!(
                        !capable,
                        "packet {id} was dropped early: `ecn` is on, and it could be \
                        marked"
                    );
                }
                _ => {}
            }
        }
        Ok(())
    })
}

/// One that says it decides by the backlog at arrival does so: a port that keeps no packet, needs
/// no transmit event and reports idle periods late comes to the same verdicts and departures.
pub fn needs_what_it_says(subject: &AqmUnderTest) -> Finding {
    for_all(subject, |case, traffic| {
        let aqm = case.make()?;
        if aqm.needs() == Needs::Held {
            return Ok(());
        }
        let mut folded = Folded::new(aqm, case.site, case.seed, case.counted);
        let mut now = Time::ZERO;
        for arrival in traffic {
            now += arrival.gap;
            folded.arrive(now, arrival.meta);
        }
        let (mut held, mut events) = (case.held(traffic)?, folded.events);
        let by_packet = |e: &Event| match *e {
            Event::Marked(id, _) => (id, 0),
            Event::Sent(id, _) | Event::Dropped(id, _) => (id, 1),
        };
        held.sort_by_key(by_packet);
        events.sort_by_key(by_packet);
        let differ = held.iter().zip(&events).find(|(a, b)| a != b);
        ensure!(
            events == held,
            "on a port that keeps packets: {:?}; decided at arrival: {:?}",
            differ.map(|d| d.0),
            differ.map(|d| d.1)
        );
        Ok(())
    })
}

/// An algorithm that is told everything, whatever it asks for.
struct ToldAll(AnyAqm);

#[delegate(self.0)]
impl Aqm for ToldAll {
    fn hears(&self) -> Hears {
        Hears::ALL
    }
}

/// Calls that an algorithm does not ask for change neither a packet's fate nor a gauge. Not of the
/// suite of plugins in Python, which are told everything.
pub fn hears_what_it_says(subject: &AqmUnderTest) -> Finding {
    /// The outcomes of the packets, and the gauges after each step.
    fn run<A: Aqm>(aqm: A, case: &Case<'_>, traffic: &[Arrival]) -> (Vec<Event>, Vec<Gauges>) {
        let mut shown = Vec::new();
        let events = hold(aqm, case.site, case.seed, case.counted, traffic, |bench| {
            let mut seen = Gauges::default();
            bench.port.qdisc().probe(&mut seen);
            shown.push(seen);
        });
        (events, shown)
    }
    for_all(subject, |case, traffic| {
        if case.make()?.hears() == Hears::ALL {
            return Ok(());
        }
        let asked = run(case.make()?, case, traffic);
        let all = run(ToldAll(case.make()?), case, traffic);
        ensure!(asked.0 == all.0, "told of everything, it decides otherwise");
        ensure!(asked.1 == all.1, "told of everything, it shows other numbers");
        Ok(())
    })
}

/// The backlog, by the port's convention, never exceeds the limit; without a limit nothing
/// overflows.
pub fn keeps_the_limit(subject: &AqmUnderTest) -> Finding {
    for_all(subject, |case, traffic| {
        let (limit, mut found) = (case.site.capacity, Ok(()));
        let events = hold(case.make()?, case.site, case.seed, case.counted, traffic, |bench| {
            let b = bench.port.backlog();
            let kept = match limit {
                Capacity::Unlimited => true,
                limit => !limit.exceeded(b),
            };
            if !kept && found.is_ok() {
                found = Err(format!(
                    "{} packets, {} bytes wait at {:?}",
                    b.packets, b.bytes, bench.now
                ));
            }
        });
        found?;
        let overflow = events.iter().find(|e| matches!(e, Event::Dropped(_, Reason::Overflow)));
        ensure!(
            overflow.is_none() || limit != Capacity::Unlimited,
            "{overflow:?} of a queue \
            without a limit"
        );
        Ok(())
    })
}

/// An algorithm is its configuration and what it was told: two fresh instances that are told the
/// same say the same.
pub fn is_what_its_log_says(subject: &AqmUnderTest) -> Finding {
    for_all(subject, |case, traffic| {
        let log = RefCell::new(Log::default());
        let logged = Logged { inner: case.make()?, log: &log };
        hold(logged, case.site, case.seed, case.counted, traffic, |_| {});
        log.into_inner().again(&mut [case.make()?, case.make()?], &case.site)
    })
}
