//! The client at the receiving end of a closed loop, by its own clock.
//!
//! A source runs at the sender, which is the server. The client acts when data arrive; the server
//! hears of it one request delay later. A request is no packet: if the client asks at once, the
//! acknowledgment of what it waited for stands for the request. If it pauses first, the request
//! takes the shortest time that an acknowledgment has taken, because no delayed acknowledgment
//! holds it back. The first request is at the server when the flow begins, so it left the client
//! one such delay before.
use dumbbell_core::units::{Span, Time};

/// What a client knows of its requests and of the delay to its server.
#[derive(Clone, Debug, Default)]
pub struct Client {
    /// When the flow began.
    began: Option<Time>,
    /// When the last data that it waited for arrived.
    arrived: Option<Time>,
    /// The shortest time from an arrival to its acknowledgment.
    request_delay: Option<Span>,
    /// True from a request until all that was asked for is there.
    waits: bool,
}

/// When a request left the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asked {
    /// So that it is at the server when the flow begins.
    #[default]
    First,
    /// At this time.
    At(Time),
}

impl Client {
    /// True if something that it asked for is not there yet.
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// All that the client waited for is there at `at`.
    pub fn delivered(&mut self, at: Time) {
        (self.arrived, self.waits) = (Some(at), false);
    }

    /// The server learns at `now` that all is there.
    pub fn acknowledged(&mut self, now: Time) {
        if let Some(at) = self.arrived {
            let delay = now.since(at);
            let least = self.request_delay.map_or(delay, |least| least.min(delay));
            self.request_delay = Some(least);
        }
    }

    /// The client asks for more, `pause` after the last arrival: when it does so, and how long
    /// after `now` the server has the request, which knew at `now` that all was there.
    pub fn asks(&mut self, now: Time, pause: Span) -> (Asked, Span) {
        self.waits = true;
        let Some(arrived) = self.arrived else {
            self.began = Some(now);
            return (Asked::First, Span::ZERO);
        };
        let at = arrived + pause;
        (Asked::At(at), (at + self.request_delay()).since(now))
    }

    /// The time from a request to `until`.
    pub fn since(&self, asked: Asked, until: Time) -> Span {
        match asked {
            Asked::At(at) => until.since(at),
            Asked::First => {
                self.began.map_or(Span::ZERO, |began| until.since(began)) + self.request_delay()
            }
        }
    }

    fn request_delay(&self) -> Span {
        self.request_delay.unwrap_or(Span::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    /// A request delay of 5 ms. The second acknowledgment is delayed by 40 ms: a request at once
    /// waits for it, and one after a pause does not.
    #[test]
    fn a_request_takes_the_shortest_delay_that_was_seen() {
        let mut client = Client::default();
        assert_eq!(client.asks(ms(100), Span::from_ms(7)), (Asked::First, Span::ZERO));
        client.delivered(ms(110));
        client.acknowledged(ms(115));
        assert_eq!(client.since(Asked::First, ms(110)), Span::from_ms(15));
        let (asked, after) = client.asks(ms(115), Span::ZERO);
        assert_eq!((asked, after), (Asked::At(ms(110)), Span::ZERO));
        client.delivered(ms(120));
        client.acknowledged(ms(165));
        assert_eq!(client.asks(ms(165), Span::ZERO), (Asked::At(ms(120)), Span::ZERO));
        let (asked, after) = client.asks(ms(165), Span::from_ms(60));
        assert_eq!((asked, after), (Asked::At(ms(180)), Span::from_ms(20)));
        assert_eq!(client.since(asked, ms(200)), Span::from_ms(20));
    }
}
