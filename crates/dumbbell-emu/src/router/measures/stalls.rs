//! Stalls: times in which the router's thread did not attend to the network.
//!
//! A *stretch* lasts from the instant at which there is something to do (a packet was seen, or a
//! due time has come) until everything that is due is done. A thread that wakes up more than a
//! millisecond too late did not attend since then, whatever it finds. A stretch longer than a
//! packet's transmission time at the bottleneck can be seen from outside.
use dumbbell_core::units::{Span, Time};
use serde::{Deserialize, Serialize};

/// The least length of a long stall.
const LONG: Span = Span::from_ms(1);

/// A wait for a processor between two looks at the account counts as one stall only above this:
/// below it may be the sum of several short waits.
const ONE_WAIT: Span = Span::from_us(200);

/// Stretches that were too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stalls {
    /// Stretches longer than one packet of the bottleneck takes.
    pub over_packet_time: u64,
    /// The share of the run that lies in these.
    pub over_packet_share: f64,
    /// Stretches longer than a millisecond.
    pub over_1ms: u64,
    /// The share of the run that lies in these.
    pub share_of_time: f64,
    /// The longest stretch, milliseconds.
    pub longest_ms: f64,
    /// The mean time for which the network waits for the thread at an instant of the run: half the
    /// sum of the squares of all stretches over the length of the run, microseconds.
    pub mean_wait_us: f64,
    /// The share of the run in which the thread was ready and had no processor, and no stretch
    /// shows it: packets that came meanwhile have the time at which they were read.
    pub unseen_share: f64,
    /// Pauses of 10 ms and more in which the thread did not run although it had run nine tenths of
    /// the time before: the kernel's limit for real-time threads.
    pub throttled: u64,
}

/// Counts them.
#[derive(Clone, Copy, Debug)]
pub struct StallMeter {
    packet_time: Span,
    counts: Stalls,
    over_packet: Span,
    long: Span,
    longest: Span,
    unseen: Span,
    /// The sum of the squares, in square seconds.
    squares: f64,
    /// Stretches since the last look at the account of waits.
    recent: Span,
}

impl StallMeter {
    /// A packet of the bottleneck takes `packet_time`.
    pub fn new(packet_time: Span) -> Self {
        let (counts, zero) = (Stalls::default(), Span::ZERO);
        StallMeter {
            packet_time,
            counts,
            over_packet: zero,
            long: zero,
            longest: zero,
            unseen: zero,
            squares: 0.0,
            recent: zero,
        }
    }

    /// There was something to do from `from` on, and at `to` it was done.
    #[inline]
    pub fn stretch(&mut self, from: Time, to: Time) {
        let span = to.since(from);
        self.recent = self.recent + span;
        self.squares += span.seconds() * span.seconds();
        self.stalled(span);
    }

    /// Adds the time for which the thread was ready without a processor since the last call.
    #[inline]
    pub fn waited(&mut self, waited: Span) {
        let unseen = waited.saturating_sub(std::mem::take(&mut self.recent));
        self.unseen = self.unseen + unseen;
        self.squares += unseen.seconds() * unseen.seconds();
        if unseen > ONE_WAIT {
            self.stalled(unseen);
        }
    }

    fn stalled(&mut self, span: Span) {
        self.longest = self.longest.max(span);
        if span > self.packet_time {
            self.counts.over_packet_time += 1;
            self.over_packet = self.over_packet + span;
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

    /// The stalls in a run of `length`.
    pub fn stalls(&self, length: Span) -> Stalls {
        let share =
            |span: Span| if length == Span::ZERO { 0.0 } else { span.seconds() / length.seconds() };
        Stalls {
            over_packet_share: share(self.over_packet),
            share_of_time: share(self.long),
            longest_ms: self.longest.ps() as f64 / 1e9,
            mean_wait_us: if length == Span::ZERO {
                0.0
            } else {
                self.squares / 2.0 / length.seconds() * 1e6
            },
            unseen_share: share(self.unseen),
            ..self.counts
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::from_ps(us * 1_000_000)
    }

    #[test]
    fn only_what_is_too_long_counts() {
        let mut watch = StallMeter::new(Span::from_us(120));
        watch.stretch(at(0), at(120));
        watch.stretch(at(1_000), at(1_121));
        watch.stretch(at(5_000), at(7_500));
        let stalls = watch.stalls(Span::from_ms(1_000));
        assert_eq!((stalls.over_packet_time, stalls.over_1ms), (2, 1));
        assert_eq!((stalls.share_of_time, stalls.longest_ms), (0.0025, 2.5));
        assert!((stalls.over_packet_share - 0.002_621).abs() < 1e-12);
        // 2500 us take nearly all of it: 2.5 ms squared, halved, in a second.
        let squares = 0.000_12_f64.powi(2) + 0.000_121_f64.powi(2) + 0.002_5_f64.powi(2);
        assert!((stalls.mean_wait_us - squares / 2.0 * 1e6).abs() < 1e-9, "{stalls:?}");
    }

    #[test]
    fn a_wait_for_a_processor_that_no_stretch_shows_is_a_stall() {
        let mut watch = StallMeter::new(Span::from_us(120));
        watch.stretch(at(0), at(3_000));
        watch.waited(Span::from_us(3_000)); // The same wait, from the kernel's account.
        assert_eq!(watch.stalls(Span::from_ms(1_000)).unseen_share, 0.0);
        watch.waited(Span::from_us(150)); // May be the sum of many.
        watch.waited(Span::from_us(4_000));
        let stalls = watch.stalls(Span::from_ms(1_000));
        assert_eq!((stalls.over_packet_time, stalls.over_1ms, stalls.longest_ms), (2, 2, 4.0));
        assert!((stalls.unseen_share - 0.004_15).abs() < 1e-12);
    }
}
