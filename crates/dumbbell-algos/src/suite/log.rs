//! The log of a queue's algorithm: each call with what it was told, what it could see, the draws
//! that it took and its answer; and the same algorithm built again from its configuration and that
//! log.
use crate::aqm::AnyAqm;
use crate::suite::under_test::{Finding, ensure};
use dumbbell_core::aqm::{Aqm, Cx, Gone, Limit, LinkInfo, QueueView, Reason, Slot, Verdict};
use dumbbell_core::packet::Meta;
use dumbbell_core::packet::flow::FlowTable;
use dumbbell_core::probe::Gauges;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Backlog, Span, Time};
use dumbbell_macros::delegate;
use std::cell::{Cell, RefCell};

/// A call of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Call {
    Arrive(Meta, bool),
    Overflowed(Limit),
    MakeRoom(Meta),
    Admitted(Meta),
    Refused(Meta, Reason),
    Depart(Meta, Span),
    Gone(Meta, Gone),
    Idle,
    Tick,
}

/// An algorithm's answer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Answer {
    Verdict(Verdict),
    Slot(Option<Slot>),
    After(Option<Span>),
    Nothing,
}

/// The queue as an algorithm saw it: only the packets that it asked for.
#[derive(Clone, Debug, Default)]
struct QueueSnapshot {
    backlog: Backlog,
    waiting: Slot,
    metas: RefCell<Vec<(Slot, Option<Meta>)>>,
    /// True if it was asked for another packet than those of the log.
    strayed: Cell<bool>,
}

impl QueueView for QueueSnapshot {
    fn backlog(&self) -> Backlog {
        self.backlog
    }
    fn waiting(&self) -> Slot {
        self.waiting
    }
    fn meta(&self, slot: Slot) -> Option<Meta> {
        let known = self.metas.borrow().iter().find(|(s, _)| *s == slot).map(|(_, meta)| *meta);
        self.strayed.set(self.strayed.get() || known.is_none());
        known.flatten()
    }
}

/// A view that notes which packets were asked for.
struct Noting<'a, V> {
    queue: &'a V,
    seen: QueueSnapshot,
}

impl<'a, V: QueueView> Noting<'a, V> {
    fn of(queue: &'a V) -> Self {
        Noting {
            queue,
            seen: QueueSnapshot {
                backlog: queue.backlog(),
                waiting: queue.waiting(),
                ..QueueSnapshot::default()
            },
        }
    }
}

impl<V: QueueView> QueueView for Noting<'_, V> {
    fn backlog(&self) -> Backlog {
        self.seen.backlog
    }
    fn waiting(&self) -> Slot {
        self.seen.waiting
    }
    fn meta(&self, slot: Slot) -> Option<Meta> {
        let meta = self.queue.meta(slot);
        self.seen.metas.borrow_mut().push((slot, meta));
        meta
    }
}

/// One line of a log.
struct Entry {
    call: Call,
    now: Time,
    seen: QueueSnapshot,
    /// The stream of chance before the call, and the draw after it.
    draws: Option<(Stream, u64)>,
    answer: Answer,
}

/// The questions to an algorithm and its answers, in order, and its inner values at the end.
#[derive(Default)]
pub struct Log {
    entries: Vec<Entry>,
    gauges: Gauges,
}

/// An algorithm that keeps a log.
pub struct Logged<'a> {
    /// The algorithm.
    pub inner: AnyAqm,
    /// Its log.
    pub log: &'a RefCell<Log>,
}

impl Logged<'_> {
    fn note(&self, call: Call, cx: Option<(Stream, &Cx<'_>)>, seen: QueueSnapshot, answer: Answer) {
        let mut log = self.log.borrow_mut();
        let now = cx.as_ref().map_or(Time::ZERO, |(_, cx)| cx.now);
        let draws = cx.map(|(before, cx)| (before, cx.rng.clone().bits64()));
        log.entries.push(Entry { call, now, seen, draws, answer });
        log.gauges = gauges(&self.inner);
    }
}

fn gauges(aqm: &AnyAqm) -> Gauges {
    let mut out = Gauges::default();
    aqm.probe(&mut out);
    out
}

#[delegate(self.inner: needs, ticks, probe)]
impl Aqm for Logged<'_> {
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        let (before, view) = (cx.rng.clone(), Noting::of(q));
        let verdict = self.inner.arrive(cx, &view, p, fits);
        self.note(Call::Arrive(*p, fits), Some((before, cx)), view.seen, Answer::Verdict(verdict));
        verdict
    }
    fn overflowed(&mut self, cx: &mut Cx<'_>, limit: Limit) {
        let before = cx.rng.clone();
        self.inner.overflowed(cx, limit);
        let seen = QueueSnapshot::default();
        self.note(Call::Overflowed(limit), Some((before, cx)), seen, Answer::Nothing);
    }
    fn make_room(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta) -> Option<Slot> {
        let (before, view) = (cx.rng.clone(), Noting::of(q));
        let slot = self.inner.make_room(cx, &view, p);
        self.note(Call::MakeRoom(*p), Some((before, cx)), view.seen, Answer::Slot(slot));
        slot
    }
    fn admitted(&mut self, p: &Meta) {
        self.inner.admitted(p);
        self.note(Call::Admitted(*p), None, QueueSnapshot::default(), Answer::Nothing);
    }
    fn refused(&mut self, cx: &mut Cx<'_>, p: &Meta, reason: Reason) {
        let before = cx.rng.clone();
        self.inner.refused(cx, p, reason);
        let seen = QueueSnapshot::default();
        self.note(Call::Refused(*p, reason), Some((before, cx)), seen, Answer::Nothing);
    }
    fn depart(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, sojourn: Span) -> Verdict {
        let (before, view) = (cx.rng.clone(), Noting::of(q));
        let verdict = self.inner.depart(cx, &view, p, sojourn);
        self.note(
            Call::Depart(*p, sojourn),
            Some((before, cx)),
            view.seen,
            Answer::Verdict(verdict),
        );
        verdict
    }
    fn gone(&mut self, p: &Meta, how: Gone) {
        self.inner.gone(p, how);
        self.note(Call::Gone(*p, how), None, QueueSnapshot::default(), Answer::Nothing);
    }
    fn idle(&mut self, cx: &mut Cx<'_>) {
        let before = cx.rng.clone();
        self.inner.idle(cx);
        self.note(Call::Idle, Some((before, cx)), QueueSnapshot::default(), Answer::Nothing);
    }
    fn tick(&mut self, cx: &mut Cx<'_>, q: &impl QueueView) -> Option<Span> {
        let (before, view) = (cx.rng.clone(), Noting::of(q));
        let after = self.inner.tick(cx, &view);
        self.note(Call::Tick, Some((before, cx)), view.seen, Answer::After(after));
        after
    }
}

/// Asks `aqm` what the entry's call asked; `rng` stands where it stood.
fn ask(
    aqm: &mut AnyAqm,
    entry: &Entry,
    seen: &QueueSnapshot,
    link: &LinkInfo,
    rng: &mut Stream,
) -> Answer {
    let flows = FlowTable::default();
    let cx = &mut Cx { now: entry.now, rng, link, flows: &flows };
    match &entry.call {
        Call::Arrive(p, fits) => Answer::Verdict(aqm.arrive(cx, seen, p, *fits)),
        Call::MakeRoom(p) => Answer::Slot(aqm.make_room(cx, seen, p)),
        Call::Depart(p, sojourn) => Answer::Verdict(aqm.depart(cx, seen, p, *sojourn)),
        Call::Tick => Answer::After(aqm.tick(cx, seen)),
        call => {
            match call {
                Call::Overflowed(limit) => aqm.overflowed(cx, *limit),
                Call::Admitted(p) => aqm.admitted(p),
                Call::Refused(p, reason) => aqm.refused(cx, p, *reason),
                Call::Gone(p, how) => aqm.gone(p, *how),
                _ => aqm.idle(cx),
            }
            Answer::Nothing
        }
    }
}

impl Log {
    /// Takes fresh instances through the log side by side. Nobody looks into them on the way, so
    /// that one that changes when it is examined differs, and so does one that shares something
    /// with another.
    ///
    /// # Errors
    /// The first call at which one of them differs: by its answer, the packets that it asked for,
    /// or its draws.
    pub fn again(&self, twins: &mut [AnyAqm], link: &LinkInfo) -> Finding {
        for (i, entry) in self.entries.iter().enumerate() {
            for twin in &mut *twins {
                let seen = QueueSnapshot { strayed: Cell::new(false), ..entry.seen.clone() };
                let (mut rng, next) =
                    entry.draws.clone().unwrap_or_else(|| (Stream::named(0, "none"), 0));
                let answer = ask(twin, entry, &seen, link, &mut rng);
                let call = &entry.call;
                ensure!(
                    answer == entry.answer,
                    "call {i}, {call:?}: {:?}; from the log {answer:?}",
                    entry.answer
                );
                ensure!(
                    !seen.strayed.get(),
                    "call {i}, {call:?}: from the log it asks for another \
                    packet"
                );
                let drawn = entry.draws.is_none() || rng.bits64() == next;
                ensure!(
                    drawn,
                    "call {i}, {call:?}: replayed from the log, it takes another number of draws"
                );
            }
        }
        let shown =
            |g: &Gauges| g.0.iter().map(|(name, v)| (*name, v.to_bits())).collect::<Vec<_>>();
        for twin in twins.iter().filter(|_| !self.entries.is_empty()) {
            let now = gauges(twin);
            ensure!(
                shown(&now) == shown(&self.gauges),
                "at the end {:?}; from the log {now:?}",
                self.gauges
            );
        }
        Ok(())
    }
}
