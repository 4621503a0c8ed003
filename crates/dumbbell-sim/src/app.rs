//! The application of a flow: when it opens, hands bytes over, and stops.
use dumbbell_algos::source::AnySource;
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::source::{Since, Source};
use dumbbell_core::units::{Rate, Time};

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

/// One application.
pub(crate) struct App {
    source: AnySource,
    rng: Stream,
    at: Time,
    act: Act,
    stop: Time,
    /// The event after which the source is asked for the next hand-over.
    next: Since,
    /// True if it waits for everything handed over to be acknowledged.
    waits: bool,
}

impl App {
    /// One that opens at `start` and closes at `stop` at the latest.
    pub(crate) fn new(source: AnySource, rng: Stream, start: Time, stop: Time) -> Self {
        App { source, rng, at: start, act: Act::Open, stop, next: Since::HandOver, waits: false }
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
        !matches!(self.source, AnySource::Bulk(_))
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
        self.source.follow(rate);
    }
    /// True if it wants to know when its data were there: [`App::delivered`].
    pub(crate) fn hears_delivery(&self) -> bool {
        self.source.hears_delivery()
    }
    /// Everything that it handed over was there at `at`, and it waits for that.
    pub(crate) fn delivered(&mut self, at: Time) {
        self.source.delivered(at);
    }
    /// Everything that it handed over was acknowledged at `now`, and it waited for that. If it goes
    /// on at once, it does so at `now`, after what arrives at this instant.
    #[cold]
    pub(crate) fn acknowledged(&mut self, now: Time) {
        self.waits = false;
        self.ask(now);
    }
    fn ask(&mut self, now: Time) {
        match self.source.next(now, &mut self.rng) {
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
        self.source.probe(end.min(self.stop), out);
    }
}
