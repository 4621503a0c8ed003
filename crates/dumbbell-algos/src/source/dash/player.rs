//! The player: its buffer, what is shown, and what the viewer thinks of it.
use dumbbell_core::units::{Rate, Span, Time};

/// A player's buffer and its measures.
#[derive(Clone, Debug, Default)]
pub struct Player {
    /// Video in the buffer at `at`.
    buffer: Span,
    at: Time,
    playing: bool,
    /// The time of the first picture.
    pub started: Option<Time>,
    /// Segments that arrived.
    pub segments: u64,
    /// The sum of their rates.
    pub bps_sum: f64,
    /// The sum of the differences of the rates of adjoining segments.
    pub bps_steps: f64,
    /// The rate of the last one.
    last: Option<Rate>,
    /// Segments of another rate than the one before.
    pub switches: u64,
    /// Times at which the buffer ran dry.
    pub stalls: u64,
    /// The sum of their lengths.
    pub stalled: Span,
}

impl Player {
    /// Lets time pass until `now`. The buffer may run dry, which is a stall unless the video is at
    /// its end.
    pub fn pass(&mut self, now: Time, at_end: bool) {
        let span = now.since(self.at);
        self.at = now;
        if self.playing {
            let short = span.saturating_sub(self.buffer);
            self.buffer = self.buffer.saturating_sub(span);
            if short > Span::ZERO && !at_end {
                (self.playing, self.stalls) = (false, self.stalls + 1);
                self.stalled = self.stalled + short;
            }
        } else if self.started.is_some() {
            self.stalled = self.stalled + span;
        }
    }

    /// A segment of so much video arrives at `now`. Playback begins with `start` in the buffer, or
    /// with the last segment; after a stall it goes on with the first one.
    pub fn add(&mut self, now: Time, segment: Span, rate: Rate, start: Span, last: bool) {
        self.pass(now, false);
        self.buffer = self.buffer + segment;
        self.segments += 1;
        self.bps_sum += rate.bps() as f64;
        if let Some(before) = self.last.replace(rate) {
            self.switches += u64::from(before != rate);
            self.bps_steps += (rate.bps() as f64 - before.bps() as f64).abs();
        }
        self.playing = self.started.is_some() || self.buffer >= start || last;
        if self.playing {
            self.started.get_or_insert(now);
        }
    }

    /// The video in the buffer, at the last instant that it was told of.
    pub fn buffer(&self) -> Span {
        self.buffer
    }

    /// How long the player waits from then on until its buffer has room for `segment` of `most`.
    pub fn until_room(&self, segment: Span, most: Span) -> Span {
        if self.playing { (self.buffer + segment).saturating_sub(most) } else { Span::ZERO }
    }
}
