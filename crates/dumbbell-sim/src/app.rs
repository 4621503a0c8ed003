//! The application of a flow: when it opens, hands bytes over, and stops.
use dumbbell_algos::source::AnySource;
use dumbbell_core::rng::Stream;
use dumbbell_core::source::Source;
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
}

/// One application.
pub struct App {
    source: AnySource,
    rng: Stream,
    at: Time,
    act: Act,
    stop: Time,
}

impl App {
    /// One that opens at `start` and closes at `stop` at the latest.
    pub fn new(source: AnySource, rng: Stream, start: Time, stop: Time) -> Self {
        App { source, rng, at: start, act: Act::Open, stop }
    }
    /// When it acts next; [`Time::NEVER`] when it is done.
    #[inline]
    pub fn next(&self) -> Time {
        self.at
    }
    /// What it does now, at `next()`.
    pub fn act(&mut self) -> Act {
        let (now, act) = (self.at, self.act);
        if act == Act::Close {
            self.at = Time::NEVER;
            return act;
        }
        match self.source.next(&mut self.rng) {
            Some(burst) if now + burst.after < self.stop => {
                self.at = now + burst.after;
                self.act = Act::Write(burst.bytes);
            }
            Some(_) => (self.at, self.act) = (self.stop, Act::Close),
            None => (self.at, self.act) = (now, Act::Close),
        }
        act
    }
}
