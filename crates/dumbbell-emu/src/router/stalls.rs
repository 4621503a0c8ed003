//! When the router did not attend to the network.
//!
//! From the instant at which there was something to do, a packet that was seen or an instant that had come, until everything
//! was done that was due: that is one *stretch*. A thread that comes back from a sleep more than a millisecond too late did
//! not attend since, whatever it finds. A stretch that is longer than a packet of the bottleneck
//! takes can be seen from outside.
use dumbbell_core::units::{Span, Time};
use serde::{Deserialize, Serialize};

/// Longer than this is a stall of its own kind.
const LONG: Span = Span::from_ms(1);

/// Stretches that were too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stalls {
    /// Stretches longer than one packet of the bottleneck takes.
    pub over_packet_time: u64,
    /// Of these, those longer than a millisecond.
    pub over_1ms: u64,
    /// The share of the run that lies in these.
    pub share_of_time: f64,
    /// The longest stretch, milliseconds.
    pub longest_ms: f64,
    /// Pauses of 10 ms and more in which the thread did not run although it had run nine tenths of the time before: the
    /// kernel's limit for real-time threads.
    pub throttled: u64,
}

/// Counts them.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    packet_time: Span,
    counts: Stalls,
    long: Span,
    longest: Span,
}

impl Watch {
    /// A packet of the bottleneck takes `packet_time`.
    pub fn new(packet_time: Span) -> Self {
        Watch { packet_time, counts: Stalls::default(), long: Span::ZERO, longest: Span::ZERO }
    }

    /// There was something to do from `from` on, and at `to` it was done.
    #[inline]
    pub fn stretch(&mut self, from: Time, to: Time) {
        let span = to.since(from);
        self.longest = self.longest.max(span);
        if span > self.packet_time {
            self.counts.over_packet_time += 1;
        }
        if span > LONG {
            self.counts.over_1ms += 1;
            self.long = self.long + span;
        }
    }

    /// The kernel stopped the thread for having run too much.
    pub fn throttled(&mut self) {
        self.counts.throttled += 1;
    }

    /// What there was in a run of `length`.
    pub fn stalls(&self, length: Span) -> Stalls {
        Stalls {
            share_of_time: if length == Span::ZERO { 0.0 } else { self.long.seconds() / length.seconds() },
            longest_ms: self.longest.ps() as f64 / 1e9,
            ..self.counts
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_too_long_counts() {
        let mut watch = Watch::new(Span::from_us(120));
        let at = |us: u64| Time::from_ps(us * 1_000_000);
        watch.stretch(at(0), at(120));
        watch.stretch(at(1_000), at(1_121));
        watch.stretch(at(5_000), at(7_500));
        let stalls = watch.stalls(Span::from_ms(1_000));
        assert_eq!((stalls.over_packet_time, stalls.over_1ms), (2, 1));
        assert_eq!((stalls.share_of_time, stalls.longest_ms), (0.0025, 2.5));
    }
}
