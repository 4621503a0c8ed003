//! The application of a flow: when it opens, hands bytes over, and stops.
use dumbbell_algos::source::AnySource;
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::source::{Since, Source};
use dumbbell_core::units::Time;

/// What an application does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
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
pub struct App {
    source: AnySource,
    rng: Stream,
    at: Time,
    act: Act,
    stop: Time,
    /// When the hand-over after the one that is due is asked for.
    next: Since,
    /// Whether it waits for everything handed over to be acknowledged.
    waits: bool,
}

impl App {
    /// One that opens at `start` and closes at `stop` at the latest.
    pub fn new(source: AnySource, rng: Stream, start: Time, stop: Time) -> Self {
        App { source, rng, at: start, act: Act::Open, stop, next: Since::HandOver, waits: false }
    }
    /// When it acts next; [`Time::NEVER`] when it is done, or waits and has no time to stop.
    #[inline]
    pub fn next(&self) -> Time {
        self.at
    }
    /// Whether it wants to know when everything handed over was acknowledged.
    #[inline]
    pub fn waits(&self) -> bool {
        self.waits
    }
    /// Whether it may have handed over everything some day.
    pub fn may_close(&self) -> bool {
        !matches!(self.source, AnySource::Bulk(_))
    }
    /// Whether it has closed.
    pub fn closed(&self) -> bool {
        self.at == Time::NEVER && !self.waits
    }
    /// What it does now, at `next()`.
    pub fn act(&mut self) -> Act {
        let (now, act) = (self.at, self.act);
        match (act, self.next) {
            (Act::Close | Act::Stop, _) => (self.at, self.waits) = (Time::NEVER, false),
            // What has no end ends when the application stops.
            (Act::Write(u64::MAX), _) if self.stop < Time::NEVER => (self.at, self.act) = (self.stop, Act::Stop),
            (Act::Write(_), Since::Acknowledged) => {
                (self.at, self.act, self.waits) = (self.stop, Act::Close, true);
            }
            _ => self.ask(now),
        }
        act
    }
    /// Everything that it handed over was acknowledged at `now`, and it waited for that. If it goes on at once, it does
    /// so at `now`, after what arrives at this instant.
    #[cold]
    pub fn acknowledged(&mut self, now: Time) {
        self.waits = false;
        self.ask(now);
    }
    fn ask(&mut self, now: Time) {
        match self.source.next(now, &mut self.rng) {
            Some(burst) if now + burst.after < self.stop => {
                (self.at, self.act, self.next) = (now + burst.after, Act::Write(burst.bytes), burst.next);
            }
            Some(_) => (self.at, self.act) = (self.stop, Act::Close),
            None => (self.at, self.act) = (now, Act::Close),
        }
    }
    /// What it measured of itself by `end`, or until it stopped.
    pub fn probe(&self, end: Time, out: &mut dyn Probe) {
        self.source.probe(end.min(self.stop), out);
    }
}
