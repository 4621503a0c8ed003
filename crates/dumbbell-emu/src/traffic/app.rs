//! The application of a flow: when it opens, hands bytes over, and stops.
use dumbbell_algos::source::AnySource;
use dumbbell_core::probe::Gauges;
use dumbbell_core::rng::Stream;
use dumbbell_core::source::{Since, Source};
use dumbbell_core::units::Time;

/// The next action of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// It opens its flow.
    Open,
    /// It hands over so many bytes; [`u64::MAX`]: more than any run can send.
    Write(u64),
    /// It has nothing more to say.
    Close,
}

/// The application of a flow.
pub struct App {
    source: AnySource,
    chance: Stream,
    at: Time,
    act: Act,
    stop: Time,
    /// The event after which the following hand-over is asked for.
    next: Since,
    /// True while it waits for everything handed over to be acknowledged.
    waits: bool,
}

impl App {
    /// An application that opens at `start` and closes at `stop` at the latest.
    pub fn new(source: AnySource, chance: Stream, start: Time, stop: Time) -> Self {
        App { source, chance, at: start, act: Act::Open, stop, next: Since::HandOver, waits: false }
    }
    /// Time of the next action; [`Time::NEVER`] when it is done, or waits and has no time to stop.
    pub fn next(&self) -> Time {
        self.at
    }
    /// Its latest end.
    pub fn stop(&self) -> Time {
        self.stop
    }
    /// True while it waits for everything handed over to be acknowledged.
    pub fn waits(&self) -> bool {
        self.waits
    }
    /// True if it ever waits for acknowledgments.
    pub fn awaits(&self) -> bool {
        self.source.awaits()
    }
    /// Takes the action at `next()`.
    pub fn act(&mut self) -> Act {
        let (now, act) = (self.at, self.act);
        match (act, self.next) {
            (Act::Close, _) => (self.at, self.waits) = (Time::NEVER, false),
            // A transfer without an end is closed when the application stops.
            (Act::Write(u64::MAX), _) => (self.at, self.act) = (self.stop, Act::Close),
            (Act::Write(_), Since::Acknowledged) => {
                (self.at, self.act, self.waits) = (self.stop, Act::Close, true);
            }
            _ => self.ask(now),
        }
        act
    }
    /// Everything that it handed over was acknowledged at `now`, and it waited for that.
    pub fn acknowledged(&mut self, now: Time) {
        self.waits = false;
        self.ask(now);
    }
    fn ask(&mut self, now: Time) {
        match self.source.next(now, &mut self.chance) {
            Some(burst) if now + burst.after < self.stop => {
                (self.at, self.act, self.next) =
                    (now + burst.after, Act::Write(burst.bytes), burst.next);
            }
            Some(_) => (self.at, self.act) = (self.stop, Act::Close),
            None => (self.at, self.act) = (now, Act::Close),
        }
    }
    /// Its measures by `end`, or until it stopped.
    pub fn measured(&self, end: Time) -> Gauges {
        let mut gauges = Gauges::default();
        self.source.probe(end.min(self.stop), &mut gauges);
        gauges
    }
}
