//! The application of a flow: when it opens, hands bytes over, and stops.
use dumbbell_algos::source::AnySource;
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::source::{Burst, Since, Source};
use dumbbell_core::units::{Rate, Span, Time};

/// An action of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// It opens its flow.
    Open,
    /// It hands over so many bytes.
    Write(u64),
    /// It has nothing more to say.
    Close,
    /// It goes away in the middle of what it was saying without end.
    Stop,
}

/// One application. What each acknowledgment touches comes first.
#[repr(C)]
pub(crate) struct App {
    /// True if it waits for everything handed over to be acknowledged.
    waits: bool,
    /// The event after which the source is asked for the next hand-over.
    next: Since,
    at: Time,
    act: Act,
    stop: Time,
    /// The source and its chance. `None`: bulk data, which most flows send, and which needs no
    /// state.
    source: Option<Box<(AnySource, Stream)>>,
}

impl App {
    /// One that opens at `start` and closes at `stop` at the latest.
    pub(crate) fn new(source: AnySource, rng: Stream, start: Time, stop: Time) -> Self {
        let bulk = matches!(source, AnySource::Bulk(_));
        let source = (!bulk).then(|| Box::new((source, rng)));
        App { source, at: start, act: Act::Open, stop, next: Since::HandOver, waits: false }
    }
    /// The time of its next action; [`Time::NEVER`] when it is done, or waits and has no time to
    /// stop.
    #[inline]
    pub(crate) fn next(&self) -> Time {
        self.at
    }
    /// True if it wants to know when everything handed over was acknowledged.
    #[inline]
    pub(crate) fn waits(&self) -> bool {
        self.waits
    }
    /// True if it may have handed over everything some day.
    pub(crate) fn may_close(&self) -> bool {
        self.source.is_some()
    }
    /// True if it has closed.
    pub(crate) fn closed(&self) -> bool {
        self.at == Time::NEVER && !self.waits
    }
    /// Performs the action that is due at `next()`.
    pub(crate) fn act(&mut self) -> Act {
        let (now, act) = (self.at, self.act);
        match (act, self.next) {
            (Act::Close | Act::Stop, _) => (self.at, self.waits) = (Time::NEVER, false),
            // A transfer without an end stops when the application stops.
            (Act::Write(u64::MAX), _) if self.stop < Time::NEVER => {
                (self.at, self.act) = (self.stop, Act::Stop)
            }
            (Act::Write(_), Since::Acknowledged) => {
                (self.at, self.act, self.waits) = (self.stop, Act::Close, true);
            }
            _ => self.ask(now),
        }
        act
    }
    /// The transport of live media wants this rate of the frames that are not made yet.
    pub(crate) fn follow(&mut self, rate: Rate) {
        if let Some(source) = &mut self.source {
            source.0.follow(rate);
        }
    }
    /// True if it wants to know when its data were there: [`App::delivered`].
    pub(crate) fn hears_delivery(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.0.hears_delivery())
    }
    /// Everything that it handed over was there at `at`, and it waits for that.
    pub(crate) fn delivered(&mut self, at: Time) {
        if let Some(source) = &mut self.source {
            source.0.delivered(at);
        }
    }
    /// Everything that it handed over was acknowledged at `now`, and it waited for that. If it goes
    /// on at once, it does so at `now`, after what arrives at this instant.
    #[cold]
    pub(crate) fn acknowledged(&mut self, now: Time) {
        self.waits = false;
        self.ask(now);
    }
    fn ask(&mut self, now: Time) {
        let burst = match self.source.as_deref_mut() {
            Some((source, rng)) => source.next(now, rng),
            None => (self.act == Act::Open).then_some(Burst::new(Span::ZERO, u64::MAX)),
        };
        match burst {
            Some(burst) if now + burst.after < self.stop => {
                (self.at, self.act, self.next) =
                    (now + burst.after, Act::Write(burst.bytes), burst.next);
            }
            Some(_) => (self.at, self.act) = (self.stop, Act::Close),
            None => (self.at, self.act) = (now, Act::Close),
        }
    }
    /// Measures of the application by `end`, or until it stopped.
    pub(crate) fn probe(&self, end: Time, out: &mut dyn Probe) {
        if let Some(source) = &self.source {
            source.0.probe(end.min(self.stop), out);
        }
    }
}
