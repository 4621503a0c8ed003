//! Two stations on one wire, each with a frame at most (IEEE 802.3 clause 4, transmission).
//!
//! A station gets a frame ([`Medium::offer`]), and says when it is to be called next
//! ([`Medium::next`]); a call ([`Medium::due`]) may say that its frame is through, and how. An
//! instant may move, earlier or later, when the other station begins or stops sending. A call at an
//! instant that is no longer due returns nothing.
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Rate, Span, Time};

/// The gap between frames, of which the first two thirds must be quiet, what is sent at least
/// before a jam, the jam, and the slot: bytes.
const GAP: u64 = 12;
const QUIET: u64 = 8;
const PREAMBLE: u64 = 8;
const JAM: u64 = 4;
const SLOT: u64 = 64;
/// Collisions after which the range of the random time grows no more, and after which the frame is
/// dropped.
const GROWS_UNTIL: u32 = 10;
const ATTEMPTS: u32 = 16;
/// The number of its last signals that are remembered: no more can be on the way, or less than a
/// gap ago.
const REMEMBERED: usize = 4;

/// The outcome of a frame: how its transmission ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransmissionEnd {
    /// Sent, and whole at the other end.
    Sent,
    /// Sent whole, as far as this end knows; broken at the other, which sent at the same time.
    Broken,
    /// Given up: 16 collisions, or one beyond the slot.
    GivenUp,
}

/// The counters of one end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Collisions that it heard.
    pub collisions: u64,
    /// Of these, those beyond the slot, each of which cost a frame.
    pub late_collisions: u64,
    /// Frames dropped after 16 collisions.
    pub excessive_collisions: u64,
    /// Frames that it sent and that arrived broken.
    pub broken_frames: u64,
}

/// The state of a station.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// It has no frame.
    Idle,
    /// It waits for a quiet wire, and looks again at `next`.
    Listens,
    /// The wire was quiet for long enough: it starts at `next`, whatever it hears by then.
    Commits,
    /// Since then, until `next`, or until it hears the other at `hit`.
    Sends { since: Time, hit: Time },
    /// It has heard the other, and sends a jam signal until `next`, so that the other hears it too.
    Jams { late: bool },
    /// It stays away from the wire until `next`.
    BacksOff,
}

/// One end.
#[derive(Clone, Debug)]
pub struct Station {
    half: bool,
    rate: Rate,
    /// The time after which the other end hears what this one sends.
    reach: Span,
    chance: Stream,
    state: State,
    next: Time,
    /// The time that its frame takes, with the gap behind it.
    frame: Span,
    /// Collisions of its frame.
    collisions: u32,
    /// True if its frame arrives broken.
    broken: bool,
    /// Its last signals, from and to, the latest first.
    signals: [(Time, Time); REMEMBERED],
    counters: Counters,
}

impl Station {
    /// An idle one, whose signal is heard `reach` later.
    pub fn new(half: bool, rate: Rate, reach: Span, chance: Stream) -> Self {
        Station {
            half,
            rate,
            reach,
            chance,
            state: State::Idle,
            next: Time::NEVER,
            frame: Span::ZERO,
            collisions: 0,
            broken: false,
            signals: [(Time::ZERO, Time::ZERO); REMEMBERED],
            counters: Counters::default(),
        }
    }
    fn bytes(&self, n: u64) -> Span {
        self.rate.span_of(n)
    }
    /// Its signals, the latest first.
    fn sent(&self) -> impl Iterator<Item = (Time, Time)> + '_ {
        self.signals.iter().copied().filter(|(from, to)| from < to)
    }
    /// The same, as the other end hears them.
    fn heard(&self) -> impl Iterator<Item = (Time, Time)> + '_ {
        self.sent().map(|(from, to)| (from + self.reach, to + self.reach))
    }
    fn is_sending(&self) -> bool {
        matches!(self.state, State::Sends { .. })
    }
}

/// A wire between two stations.
#[derive(Clone, Debug)]
pub struct Medium {
    ends: [Station; 2],
    /// From when on it counts.
    warm: Time,
}

impl Medium {
    /// A quiet one, that counts from `warm` on.
    pub fn new(ends: [Station; 2], warm: Time) -> Self {
        Medium { ends, warm }
    }
    /// The time at which station `i` must be called.
    pub fn next(&self, i: usize) -> Time {
        self.ends[i].next
    }
    /// The counters of station `i`.
    pub fn counters(&self, i: usize) -> Counters {
        self.ends[i].counters
    }

    /// Station `i`, which has none, gets a frame at `now`, for which the wire is taken `frame`
    /// long, the gap included.
    pub fn offer(&mut self, i: usize, now: Time, frame: Span) {
        let me = &mut self.ends[i];
        (me.frame, me.collisions) = (frame, 0);
        self.seeks(i, now);
    }

    /// Station `i` is called at `now`: whether its frame is through.
    pub fn due(&mut self, i: usize, now: Time) -> Option<TransmissionEnd> {
        // More than once only where a station starts into a signal that it hears already.
        while self.ends[i].next == now {
            match self.ends[i].state {
                State::Idle => return None,
                State::Listens | State::BacksOff => self.seeks(i, now),
                State::Commits => self.starts(i, now),
                State::Sends { since, hit } if hit <= now => self.breaks_off(i, since, now),
                State::Sends { .. } => return Some(self.ends_well(i, now)),
                State::Jams { late } => {
                    if let Some(through) = self.retries(i, late, now) {
                        return Some(through);
                    }
                }
            }
        }
        None
    }

    /// It has a frame to send: at once, as soon as the wire has been quiet, or it looks again
    /// later.
    fn seeks(&mut self, i: usize, now: Time) {
        let (me, other) = (&self.ends[i], &self.ends[1 - i]);
        if !me.half {
            return self.starts(i, now);
        }
        let busy =
            other.heard().filter(|(from, to)| *from <= now && now < *to).map(|(_, to)| to).max();
        let own = me.sent().map(|(_, to)| to);
        let quiet_since = other.heard().map(|(_, to)| to).filter(|to| *to <= now).chain(own).max();
        let (quiet, gap) = (me.bytes(QUIET), me.bytes(GAP));
        let (state, next) = match (busy, quiet_since) {
            (Some(until), _) => (State::Listens, until + quiet),
            (None, Some(since)) if since + quiet > now => (State::Listens, since + quiet),
            (None, Some(since)) if since + gap > now => (State::Commits, since + gap),
            _ => return self.starts(i, now),
        };
        let me = &mut self.ends[i];
        (me.state, me.next) = (state, next);
    }

    /// It begins to send: what that does to the other, and what it hears of it.
    fn starts(&mut self, i: usize, now: Time) {
        let (me, other) = both(&mut self.ends, i);
        let until = now + me.frame.saturating_sub(me.bytes(GAP));
        me.signals.rotate_right(1);
        (me.signals[0], me.broken) = ((now, until), false);
        let here = (now + me.reach, until + me.reach);
        let mut hit = Time::NEVER;
        if me.half {
            let crosses = |(from, to): &(Time, Time)| *from < until && now < *to;
            hit = other
                .heard()
                .filter(crosses)
                .map(|(from, _)| from.max(now))
                .min()
                .unwrap_or(Time::NEVER);
            // The other's present signal is not understood here. Its earlier signals are through.
            other.broken |=
                other.is_sending() && other.heard().next().is_some_and(|last| crosses(&last));
        }
        me.state = State::Sends { since: now, hit };
        me.next = (now + me.frame).min(hit);
        if other.half {
            let (from, to) = other.signals[0];
            me.broken = from < here.1 && here.0 < to;
            if let State::Sends { hit, .. } = &mut other.state
                && here.0 < to
            {
                *hit = here.0.min(*hit);
                other.next = other.next.min(*hit);
            }
        }
    }

    /// It hears the other while it sends: it finishes the preamble, jams, and stops.
    fn breaks_off(&mut self, i: usize, since: Time, now: Time) {
        let me = &mut self.ends[i];
        let stops = now.max(since + me.bytes(PREAMBLE)) + me.bytes(JAM);
        let late = now > since + me.bytes(SLOT);
        me.collisions += 1;
        if now >= self.warm {
            me.counters.collisions += 1;
            me.counters.late_collisions += u64::from(late);
        }
        me.signals[0].1 = stops;
        (me.state, me.next) = (State::Jams { late }, stops);
        // A station that waits for the end of this signal looks at the new end.
        if self.ends[1 - i].state == State::Listens {
            self.seeks(1 - i, now);
        }
    }

    /// It has jammed: another attempt after a while, unless it gives up.
    fn retries(&mut self, i: usize, late: bool, now: Time) -> Option<TransmissionEnd> {
        let me = &mut self.ends[i];
        let excessive = me.collisions == ATTEMPTS;
        if late || excessive {
            me.counters.excessive_collisions += u64::from(!late && now >= self.warm);
            (me.state, me.next) = (State::Idle, Time::NEVER);
            return Some(TransmissionEnd::GivenUp);
        }
        let slots = me.chance.below(1 << me.collisions.min(GROWS_UNTIL));
        (me.state, me.next) = (State::BacksOff, now + me.bytes(SLOT) * u64::from(slots));
        None
    }

    /// Its frame is sent, as far as it knows.
    fn ends_well(&mut self, i: usize, now: Time) -> TransmissionEnd {
        let me = &mut self.ends[i];
        (me.state, me.next) = (State::Idle, Time::NEVER);
        if !me.broken {
            return TransmissionEnd::Sent;
        }
        me.counters.broken_frames += u64::from(now >= self.warm);
        TransmissionEnd::Broken
    }
}

/// The one and the other.
fn both(ends: &mut [Station; 2], i: usize) -> (&mut Station, &mut Station) {
    let [a, b] = ends;
    if i == 0 { (a, b) } else { (b, a) }
}
